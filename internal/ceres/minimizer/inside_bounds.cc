// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/minimizer/inside_bounds.h"

#include <algorithm>
#include <cmath>
#include <vector>

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

// Calls body(i, j, rate) for the tangent coordinates j of a column block, from
// its first one on, that move one coordinate i alone, at `rate`.
template <typename Body>
void VisitSingleMotions(const Program& program, int column, const double* x,
                        Body&& body) {
  const int size = program.tangent_size(column);
  if (program.manifolds()[column] == nullptr) {
    for (int j = 0; j < size; ++j) body(j, j, 1.0);
    return;
  }
  const std::vector<TangentMotion> motions = TangentMotions(program, column, x);
  for (int j = 0; j < size; ++j) {
    if (motions[j].coordinate >= 0) {
      body(motions[j].coordinate, j, motions[j].rate);
    }
  }
}

}  // namespace

bool ClipToBounds(const Program& program, const double* x,
                  const double* reached, double* step) {
  bool has_clipped = false;
  VisitBlocksWithBounds(
      program, [&](int column, const ParameterBlock& block, int offset) {
        double* const block_step = step + program.delta_offset()[column];
        VisitSingleMotions(
            program, column, x + offset, [&](int i, int j, double rate) {
              const double end = reached[offset + i];
              if (end != block.LowerBound(i) && end != block.UpperBound(i))
                return;
              const double way = (end - x[offset + i]) / rate;
              if (!(std::abs(way) < std::abs(block_step[j]))) return;
              block_step[j] = way;
              has_clipped = true;
            });
      });
  return has_clipped;
}

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
  VisitBlocksWithBounds(
      program, [&](int column, const ParameterBlock& block, int offset) {
        VisitSingleMotions(
            program, column, state + offset, [&](int i, int /*j*/, double) {
              const double lower = block.LowerBound(i);
              const double upper = block.UpperBound(i);
              double& value = state[offset + i];
              if (value != lower && value != upper) return;
              const double scale = value != 0.0 ? std::abs(value) : 1.0;
              const double distance = fraction * std::min(upper - lower, scale);
              const double moved =
                  value == lower ? value + distance : value - distance;
              if (!(lower < moved && moved < upper)) return;
              value = moved;
              has_moved = true;
            });
      });
  return has_moved;
}

}  // namespace ceres::internal
