// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SPARSE_FRONT_SOLVER_H_
#define CERES_INTERNAL_SPARSE_FRONT_SOLVER_H_

#include <cstdint>
#include <vector>

#include "ceres/base/array_pool.h"
#include "ceres/sparse/front_plan.h"

namespace ceres::internal {

// Triangular solves with a factored forest of fronts, front by front. Front s
// has the pivot rows L_s and the rows B_s below them:
//
// clang-format off
//     forward    x_s := L_s^-1 (b_s - pivot rows of u of its children)
//                u_s := B_s x_s + other rows of u of its children
//     backward   x_s := L_s^-T (x_s - B_s' (x of the rows below, from the parent))
// clang-format on
//
// u goes from child to parent, like update matrices (Duff and Reid, ACM
// Transactions on Mathematical Software 9, 1983). A front writes its own arrays
// only, and adds children in the order of the tree. So fronts of different
// subtrees may be solved at the same time, and the bits do not depend on the
// threads.
template <typename T>
class FrontSolver {
 public:
  // columns: those of all fronts, factored before they are used. plan and
  // columns must outlive this.
  FrontSolver(const FrontPlan<T>& plan, const T* columns);

  // After Forward for the children of front s. b: the right-hand side, not
  // permuted.
  void Forward(int s, const double* b);
  // After Backward for the parent of front s. Writes the elements of the
  // solution, not permuted, that are pivots of front s.
  void Backward(int s, double* x);

 private:
  // x of the pivots and u, each padded to whole panels. In the backward solve x
  // of the rows below replaces u.
  T* PivotPart(int s) const { return values_.data() + begin_[s]; }
  T* BelowPart(int s) const;
  // Prefetches the columns of front s. The backward solve reads fronts in
  // reverse order, which hardware does not prefetch.
  void FetchColumns(int s) const;

  const FrontPlan<T>& plan_;
  const T* const columns_;
  std::vector<int64_t> begin_;  // by front
  LineArray<T> values_;
};

extern template class FrontSolver<double>;
extern template class FrontSolver<float>;

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SPARSE_FRONT_SOLVER_H_
