// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/linear/dense_products.h"

#include "ceres/linear/lapack.h"

namespace ceres::internal {

#ifndef CERES_NO_LAPACK

namespace {

void Multiply(const char* transpose_a, double alpha, const ConstColMajorView& a,
              const ConstColMajorView& b, ColMajorView* c) {
  const int m = static_cast<int>(c->rows());
  const int n = static_cast<int>(c->cols());
  const int k = static_cast<int>(b.rows());
  if (m == 0 || n == 0 || k == 0) return;
  const int lda = static_cast<int>(a.outerStride());
  const int ldb = static_cast<int>(b.outerStride());
  const int ldc = static_cast<int>(c->outerStride());
  const double one = 1.0;
  dgemm_(transpose_a, "N", &m, &n, &k, &alpha, a.data(), &lda, b.data(), &ldb,
         &one, c->data(), &ldc);
}

}  // namespace

void AddProduct(double alpha, const ConstColMajorView& a,
                const ConstColMajorView& b, ColMajorView c) {
  Multiply("N", alpha, a, b, &c);
}

void AddTransposeProduct(double alpha, const ConstColMajorView& a,
                         const ConstColMajorView& b, ColMajorView c) {
  Multiply("T", alpha, a, b, &c);
}

#else

void AddProduct(double alpha, const ConstColMajorView& a,
                const ConstColMajorView& b, ColMajorView c) {
  c.noalias() += alpha * a * b;
}

void AddTransposeProduct(double alpha, const ConstColMajorView& a,
                         const ConstColMajorView& b, ColMajorView c) {
  c.noalias() += alpha * a.transpose() * b;
}

#endif

}  // namespace ceres::internal
