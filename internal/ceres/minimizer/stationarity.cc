// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/minimizer/stationarity.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "ceres/execution/loops.h"
#include "ceres/minimizer/minimizer_tuning.h"
#include "ceres/problem/parameter_block.h"

namespace ceres::internal {
namespace {

double LargerOrNaN(double a, double b) {
  return a < b || std::isnan(b) ? b : a;
}

// A block, its values and its columns.
struct BlockView {
  const ParameterBlock& block;
  const Manifold* manifold;  // of the program; null: Euclidean
  int tangent_size;
  const double* x;
  const double* gradient;
  const double* squared_norms;
};

// sqrt(-2 g t - n t^2) = sqrt(n) |t| for t = -g / n.
double FreeMove(double gradient, double squared_norm) {
  return squared_norm > 0.0 ? std::abs(gradient) / std::sqrt(squared_norm)
                            : 0.0;
}

double MoveWithinBounds(const BlockView& view, CoordinateMeasure measure,
                        int i) {
  const double g = view.gradient[i];
  const double n = view.squared_norms[i];
  const double free = FreeMove(g, n);
  if (!(free > 0.0)) return free;
  const double t = -g / n;
  const double room = t < 0.0 ? view.block.LowerBound(i) - view.x[i]
                              : view.block.UpperBound(i) - view.x[i];
  if (std::abs(t) <= std::abs(room)) return free;
  // With u = room / t in [0, 1]: a^2 = (2 u - u^2) g^2 / n.
  const double u = room / t;
  return free *
         (measure == CoordinateMeasure::kChange ? u : std::sqrt(u * (2.0 - u)));
}

double MoveOfFreeBlock(const BlockView& view) {
  double largest = 0.0;
  for (int j = 0; j < view.tangent_size; ++j) {
    largest =
        LargerOrNaN(largest, FreeMove(view.gradient[j], view.squared_norms[j]));
  }
  return largest;
}

// The part of the ambient motion that the projection onto the bounds leaves.
double PartWithinBounds(const BlockView& view) {
  const ParameterBlock& block = view.block;
  std::vector<double> motion(view.tangent_size);
  for (int j = 0; j < view.tangent_size; ++j) {
    const double n = view.squared_norms[j];
    motion[j] = n > 0.0 ? -view.gradient[j] / n : 0.0;
  }
  std::vector<double> moved(block.size());
  if (!view.manifold->Plus(view.x, motion.data(), moved.data())) return 1.0;
  double free = 0.0;
  double projected = 0.0;
  for (int i = 0; i < block.size(); ++i) {
    const double within =
        std::min(std::max(moved[i], block.LowerBound(i)), block.UpperBound(i));
    free += (moved[i] - view.x[i]) * (moved[i] - view.x[i]);
    projected += (within - view.x[i]) * (within - view.x[i]);
  }
  return projected < free ? std::sqrt(projected / free) : 1.0;
}

double MoveOfBlock(const BlockView& view, CoordinateMeasure measure) {
  if (!view.block.has_bounds()) return MoveOfFreeBlock(view);
  if (view.manifold != nullptr) {
    return MoveOfFreeBlock(view) * PartWithinBounds(view);
  }
  double largest = 0.0;
  for (int i = 0; i < view.block.size(); ++i) {
    largest = LargerOrNaN(largest, MoveWithinBounds(view, measure, i));
  }
  return largest;
}

}  // namespace

double LargestCoordinateMove(const Execution& execution, const Program& program,
                             CoordinateMeasure measure, const double* x,
                             const double* gradient,
                             const double* squared_column_norms) {
  const auto largest_in = [&](IndexRange columns) {
    double largest = 0.0;
    for (int column = columns.begin; column < columns.end; ++column) {
      const int tangent = program.delta_offset()[column];
      largest = LargerOrNaN(
          largest,
          MoveOfBlock(
              {*program.parameter_blocks()[column], program.manifolds()[column],
               program.tangent_size(column), x + program.state_offset()[column],
               gradient + tangent, squared_column_norms + tangent},
              measure));
    }
    return largest;
  };
  return ParallelReduce(execution, 0, program.num_column_blocks(), 0.0,
                        largest_in, LargerOrNaN, kMinBlocksToMeasure);
}

void SizesOfTerms(const Execution& execution, const Program& program,
                  const double* x, const double* squared_column_norms,
                  double* sizes) {
  ParallelFor(
      execution, 0, program.num_column_blocks(),
      [&](int column) {
        const int state = program.state_offset()[column];
        const int tangent = program.delta_offset()[column];
        const bool is_euclidean = program.manifolds()[column] == nullptr;
        double norm = 0.0;
        if (!is_euclidean) {
          for (int i = 0; i < program.ambient_size(column); ++i) {
            norm = std::hypot(norm, x[state + i]);
          }
        }
        for (int j = 0; j < program.tangent_size(column); ++j) {
          sizes[tangent + j] = std::sqrt(squared_column_norms[tangent + j]) *
                               (is_euclidean ? std::abs(x[state + j]) : norm);
        }
      },
      kMinBlocksToMeasure);
}

}  // namespace ceres::internal
