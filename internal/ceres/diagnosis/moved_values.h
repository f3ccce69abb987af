// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_DIAGNOSIS_MOVED_VALUES_H_
#define CERES_INTERNAL_DIAGNOSIS_MOVED_VALUES_H_

#include <map>
#include <vector>

#include "ceres/diagnosis.h"
#include "ceres/problem/problem_impl.h"

namespace ceres::internal {

// Moves the values of parameter blocks in the user's memory along a direction.
// The destructor restores them.
class MovedValues {
 public:
  // The problem must outlive this.
  MovedValues(const Direction& direction, const ProblemImpl& problem);
  ~MovedValues() { Restore(); }
  MovedValues(const MovedValues&) = delete;
  MovedValues& operator=(const MovedValues&) = delete;

  // A step that is small beside the values that move.
  double Step() const;

  // Moves from the first values, not from the present ones. False: a manifold
  // failed.
  [[nodiscard]] bool MoveBy(double step);

  void Restore();

 private:
  struct Block {
    const ParameterBlock* block = nullptr;
    std::vector<double> values;
    std::vector<double> delta;
  };
  std::map<double*, Block> blocks_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_DIAGNOSIS_MOVED_VALUES_H_
