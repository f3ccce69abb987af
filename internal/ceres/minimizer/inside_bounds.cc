// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/minimizer/inside_bounds.h"

#include <algorithm>
#include <cmath>

#include "ceres/minimizer/active_set.h"
#include "ceres/problem/parameter_block.h"

namespace ceres::internal {
namespace {

// Calls body(column block, block, offset) for the parameter blocks with bounds;
// offset: of the block in the state.
template <typename Body>
void VisitBlocksWithBounds(const Program& program, Body&& body) {
  for (int column = 0; column < program.num_column_blocks(); ++column) {
    const ParameterBlock& block = *program.parameter_blocks()[column];
    if (block.has_bounds()) {
      body(column, block, program.state_offset()[column]);
    };
  }
}

}  // namespace

bool StayNearBounds(const Program& program, double part, const double* x,
                    double* candidate) {
  bool has_moved = false;
  VisitBlocksWithBounds(program, [&](int /*column*/,
                                     const ParameterBlock& block, int offset) {
    for (int i = 0; i < block.size(); ++i) {
      double& reached = candidate[offset + i];
      const double from = x[offset + i];
      if (reached == from ||
          (reached != block.LowerBound(i) && reached != block.UpperBound(i))) {
        continue;
      }
      reached = from + part * (reached - from);
      has_moved = true;
    }
  });
  return has_moved;
}

bool MoveInsideBounds(const Program& program, double fraction, double* state) {
  bool has_moved = false;
  VisitBlocksWithBounds(program, [&](int column, const ParameterBlock& block,
                                     int offset) {
    for (const TangentMotion& motion :
         TangentMotions(program, column, state + offset)) {
      if (motion.coordinate < 0) continue;
      const double lower = block.LowerBound(motion.coordinate);
      const double upper = block.UpperBound(motion.coordinate);
      double& value = state[offset + motion.coordinate];
      if (value != lower && value != upper) continue;
      const double scale = value != 0.0 ? std::abs(value) : 1.0;
      const double distance = fraction * std::min(upper - lower, scale);
      const double moved = value == lower ? value + distance : value - distance;
      if (!(lower < moved && moved < upper)) continue;
      value = moved;
      has_moved = true;
    }
  });
  return has_moved;
}

}  // namespace ceres::internal
