// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SPARSE_FRONT_SOLVER_H_
#define CERES_INTERNAL_SPARSE_FRONT_SOLVER_H_

#include <cstdint>
#include <vector>

#include "ceres/base/array_pool.h"
#include "ceres/sparse/front_plan.h"

namespace ceres::internal {

// The triangular solves with a factored forest of fronts, front by front. Front
// s has the pivot rows L_s and the rows B_s below, which are among its
// parent's:
//
//     forward    x_s := L_s^-1 (b_s - rows of s of its children's u)
//                u_s := B_s x_s + the other rows of its children's u
//     backward   x_s := L_s^-T (x_s - B_s' (x of the rows below, from the
//     parent))
//
// Like update matrices, u goes from child to parent only (Duff and Reid 1983),
// and nothing is shared: each front writes what is its own, children are added
// in the order of the tree. So fronts none of which is an ancestor of another
// may be solved in several threads, and the bits do not depend on which.
template <typename T>
class FrontSolver {
 public:
  // columns: of all fronts, factored before they are used. Both must outlive
  // this.
  FrontSolver(const FrontPlan<T>& plan, const T* columns);

  // After the children of front s. b: right-hand side, not permuted.
  void Forward(int s, const double* b);
  // After the parent of front s. Writes the elements of the solution, not
  // permuted, that are its pivots.
  void Backward(int s, double* x);

 private:
  // x of the pivots and u, each as long as whole panels; in the backward solve
  // x of the rows below takes the place of u.
  T* PivotPart(int s) const { return values_.data() + begin_[s]; }
  T* BelowPart(int s) const;
  // Starts to fetch the columns of front s: fronts are solved with backward in
  // the reverse of their order, which cpus do not foresee.
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
