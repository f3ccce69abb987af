// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_DISTRIBUTED_SOLVER_OVER_RANKS_H_
#define CERES_INTERNAL_DISTRIBUTED_SOLVER_OVER_RANKS_H_

#include <string>
#include <utility>

#include "ceres/distributed/rank_collective.h"
#include "ceres/linear/linear_solver.h"

namespace ceres::internal {

// A linear solver over ranks. Solve is collective. The jacobian that it is
// given is not read: leaves have their own.
class SolverOverRanks : public LinearSolver {
 public:
  // The time of what a rank computes alone, and of what ranks solve together.
  double elimination_seconds() const { return elimination_seconds_; }
  double reduced_seconds() const { return reduced_seconds_; }
  // How the system is solved, and why.
  const std::string& description() const { return description_; }
  void set_description(std::string text) { description_ = std::move(text); }

 protected:
  explicit SolverOverRanks(const RankParts& parts) : parts_(parts) {}

  const RankParts parts_;
  double elimination_seconds_ = 0.0;
  double reduced_seconds_ = 0.0;

 private:
  std::string description_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_DISTRIBUTED_SOLVER_OVER_RANKS_H_
