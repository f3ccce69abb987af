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

// The multifrontal Cholesky factorization of this library, with access to its
// factor. T: double or float, the type of the factor.
template <typename T>
class NativeFactor : public SparseCholesky {
 public:
  // After a Factorize that succeeded. The columns of a front begin at
  // FrontPlan::fronts[].columns_begin; kernels/front_layout.h is their layout.
  virtual const FrontPlan<T>& plan() const = 0;
  virtual const T* columns() const = 0;

  // False if the ordering failed. Then the message of Factorize says why.
  virtual bool has_plan() const = 0;

  // FactorizeAndSolve for a matrix that is never stored as blocks.
  // gather(front, columns) adds the entries of the matrix to the columns of a
  // front, which are zero, and writes the front's part of b. Several threads
  // call it at a time, for different fronts.
  using Gather = std::function<void(int front, T* columns)>;
  [[nodiscard]] virtual LinearSolverTermination GatherFactorizeAndSolve(
      const Execution& execution, const Gather& gather, const double* b,
      double* x, std::string* message) = 0;
};

// Creates one in double, without refinement, with memory of its own. Parameters
// are those of SparseCholesky::Create; `structure` is read at construction
// only. entries: kNone if all factorizations gather.
std::unique_ptr<NativeFactor<double>> CreateNativeFactor(
    const SparseCholesky::Options& options,
    const BlockSymmetricStructure& structure,
    const std::vector<int>* group = nullptr,
    FrontEntries entries = FrontEntries::kPlaced);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SPARSE_NATIVE_CHOLESKY_H_
