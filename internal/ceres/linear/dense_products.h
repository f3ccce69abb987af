// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_LINEAR_DENSE_PRODUCTS_H_
#define CERES_INTERNAL_LINEAR_DENSE_PRODUCTS_H_

#include "ceres/internal/eigen.h"

namespace ceres::internal {

using ColMajorView = Eigen::Ref<ColMajorMatrix>;
using ConstColMajorView = Eigen::Ref<const ColMajorMatrix>;

// C += alpha A B, and C += alpha A'B, by the BLAS of the build, or else by
// Eigen. BLAS must be single-threaded (single_threaded_blas.h). Thread-safe if
// nobody else uses C.
void AddProduct(double alpha, const ConstColMajorView& a,
                const ConstColMajorView& b, ColMajorView c);
void AddTransposeProduct(double alpha, const ConstColMajorView& a,
                         const ConstColMajorView& b, ColMajorView c);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_LINEAR_DENSE_PRODUCTS_H_
