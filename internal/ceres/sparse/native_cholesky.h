// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SPARSE_NATIVE_CHOLESKY_H_
#define CERES_INTERNAL_SPARSE_NATIVE_CHOLESKY_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ceres/sparse/front_plan.h"
#include "ceres/sparse/sparse_cholesky.h"

namespace ceres::internal {

// The native factorization, for those who need more of its factor than solves.
template <typename T>
class NativeFactor : public SparseCholesky {
 public:
  // To be asked for after a Factorize that succeeded. The fronts' columns lie
  // as kernels/front_layout.h says, at FrontPlan::fronts[].columns_begin.
  virtual const FrontPlan<T>& plan() const = 0;
  virtual const T* columns() const = 0;

  // False if the ordering failed: then Factorize says why.
  virtual bool has_plan() const = 0;

  // As FactorizeAndSolve, of a matrix that exists in the fronts only.
  // gather(front, columns) writes the matrix' part of a front's columns, which
  // are zero, and the front's part of b. Of different fronts it is called by
  // several threads at a time.
  using Gather = std::function<void(int front, T* columns)>;
  [[nodiscard]] virtual LinearSolverTermination GatherFactorizeAndSolve(
      const Execution& execution, const Gather& gather, const double* b,
      double* x, std::string* message) = 0;
};

// In double; parameters as those of SparseCholesky::Create, without refinement;
// `structure` is read at construction only. entries: kNone if Gather is all
// that it will be factored by.
std::unique_ptr<NativeFactor<double>> CreateNativeFactor(
    const SparseCholesky::Options& options,
    const BlockSymmetricStructure& structure,
    const std::vector<int>* group = nullptr,
    FrontEntries entries = FrontEntries::kPlaced);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SPARSE_NATIVE_CHOLESKY_H_
