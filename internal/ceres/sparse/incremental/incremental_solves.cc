// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// IncrementalCholesky: the backward solve, and the fronts that wait for it.

#include <algorithm>
#include <cmath>

#include "ceres/kernels/front_kernels.h"
#include "ceres/sparse/incremental/incremental_cholesky.h"

namespace ceres::internal {

void IncrementalCholesky::SolveEliminated() {
  for (size_t k = eliminated_.size(); k-- > 0;) {
    SolveFront(&fronts_[eliminated_[k]]);
  }
  for (size_t k = eliminated_.size(); k-- > 0;) {
    LetChildrenWait(fronts_[eliminated_[k]]);
  }
}

void IncrementalCholesky::LetChildrenWait(const DynamicFront& front) {
  for (const int child : front.children) {
    if (fronts_[child].is_stale || fronts_[child].is_waiting) continue;
    fronts_[child].is_waiting = true;
    ++num_waiting_;
    waiting_.push_back(child);
  }
}

void IncrementalCholesky::SolveWaiting(double tolerance,
                                       int64_t most_operations) {
  while (FirstWaitingOperations() > 0) {
    if (FirstWaitingOperations() > most_operations - solve_operations_) return;
    DynamicFront& front = fronts_[waiting_.front()];
    solve_operations_ += front.below;
    if (HasMoved(front, tolerance)) {
      solve_operations_ += SolveCost(front.width, front.below);
      SolveFront(&front);
      LetChildrenWait(front);
    }
    StopWaiting(&front);
    waiting_.pop_front();
  }
}

// The comparison of the rows below, and the solve.
int64_t IncrementalCholesky::FirstWaitingOperations() {
  while (!waiting_.empty() && !fronts_[waiting_.front()].is_waiting) {
    waiting_.pop_front();
  }
  if (waiting_.empty()) return 0;
  const DynamicFront& front = fronts_[waiting_.front()];
  return front.below + SolveCost(front.width, front.below);
}

void IncrementalCholesky::StopWaiting(DynamicFront* front) {
  if (front->is_waiting) --num_waiting_;
  front->is_waiting = false;
}

bool IncrementalCholesky::HasMoved(const DynamicFront& front,
                                   double tolerance) const {
  const double* used = front.used();
  for (const int b : front.below_blocks) {
    const double* const x = Solution(b);
    for (int i = 0; i < blocks_[b].size; ++i) {
      if (std::abs(x[i] - *used++) > tolerance) return true;
    }
  }
  return false;
}

void IncrementalCholesky::SolveFront(DynamicFront* front) {
  double* used = front->used();
  for (const int b : front->below_blocks) {
    used = std::copy_n(Solution(b), blocks_[b].size, used);
  }
  if (static_cast<int>(pivot_solution_.size()) < front->padded_width) {
    pivot_solution_.Resize(2 * front->padded_width);
  }
  double* const x = pivot_solution_.data();
  std::copy_n(front->forward(), front->padded_width, x);
  kernels::SolveBackward(front->width, front->below, front->columns(),
                         front->used(), x);
  const double* from = x;
  for (const int b : front->pivots) {
    std::copy_n(from, blocks_[b].size, solution_.begin() + blocks_[b].offset);
    from += blocks_[b].size;
  }
  solved_blocks_.insert(solved_blocks_.end(), front->pivots.begin(),
                        front->pivots.end());
  StopWaiting(front);
  ++num_fronts_solved_;
}

}  // namespace ceres::internal
