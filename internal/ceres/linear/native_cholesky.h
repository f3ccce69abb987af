// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_LINEAR_NATIVE_CHOLESKY_H_
#define CERES_INTERNAL_LINEAR_NATIVE_CHOLESKY_H_

#include <memory>

#include "ceres/linear/cholesky.h"
#include "ceres/linear/front_plan.h"

namespace ceres::internal {

// The native factorization, for those who need more of its factor than solves.
template <typename T>
class NativeFactor : public SparseCholesky {
 public:
  // To be asked for after a Factorize that succeeded. The fronts' columns lie
  // as kernels/front_layout.h says, at FrontPlan::fronts[].columns_begin.
  virtual const FrontPlan<T>& plan() const = 0;
  virtual const T* columns() const = 0;
};

// In double; parameters as those of SparseCholesky::Create, without refinement.
std::unique_ptr<NativeFactor<double>> CreateNativeFactor(
    const SparseCholesky::Options& options,
    const BlockSymmetricStructure& structure);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_LINEAR_NATIVE_CHOLESKY_H_
