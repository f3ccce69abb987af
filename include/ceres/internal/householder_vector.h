// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_INTERNAL_HOUSEHOLDER_VECTOR_H_
#define CERES_PUBLIC_INTERNAL_HOUSEHOLDER_VECTOR_H_

// Reflections that map a vector onto an axis.

#include <cmath>
#include <limits>

#include "Eigen/Core"
#include "ceres/internal/check.h"

namespace ceres::internal {

// Finds v, with last element 1, and beta such that H = I - beta v v' is
// orthogonal and H x = |x| e_n: a reflection onto the last axis, or the
// identity (beta = 0) if x lies there already. Checks that x has at least two
// elements.
//
// Golub and Van Loan, "Matrix Computations", 4th edition, algorithm 5.1.1, with
// the last element in the place of the first.
template <typename XVectorType, typename Scalar, int N>
void ComputeHouseholderVector(const XVectorType& x,
                              Eigen::Matrix<Scalar, N, 1>* v, Scalar* beta) {
  CheckThat(x.size() > 1,
            "A Householder reflection needs a vector of at least two "
            "elements; this one has ",
            static_cast<int>(x.size()), ".");
  const Eigen::Index last = x.size() - 1;
  *v = x;
  // v and beta do not depend on the length of x: scaling avoids overflow.
  const Scalar largest = v->cwiseAbs().maxCoeff();
  if (largest > Scalar(0)) *v /= largest;

  const Scalar sigma = v->head(last).squaredNorm();
  const Scalar x_last = (*v)[last];
  if (sigma <= std::numeric_limits<Scalar>::min()) {
    v->setZero();
    (*v)[last] = Scalar(1);
    *beta = x_last < Scalar(0) ? Scalar(2) : Scalar(0);
    return;
  }
  // v_last = x_last - |x|, without cancellation.
  using std::sqrt;
  const Scalar norm = sqrt(x_last * x_last + sigma);
  const Scalar v_last =
      x_last <= Scalar(0) ? x_last - norm : -sigma / (x_last + norm);
  *beta = Scalar(2) * v_last * v_last / (sigma + v_last * v_last);
  v->head(last) /= v_last;
  (*v)[last] = Scalar(1);
}

// H y = y - beta v (v' y).
template <typename XVectorType, typename Derived>
typename XVectorType::PlainObject ApplyHouseholderVector(
    const XVectorType& y, const Eigen::MatrixBase<Derived>& v,
    const typename Derived::Scalar& beta) {
  return y - v * (beta * v.dot(y));
}

}  // namespace ceres::internal

#endif  // CERES_PUBLIC_INTERNAL_HOUSEHOLDER_VECTOR_H_
