// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/diagnosis/lengths.h"

#include <cmath>

#include "Eigen/Core"

namespace ceres::internal {
namespace {

using Eigen::Map;
using Eigen::VectorXd;

// |v - (its part along x)| / |v| of directions along x.
constexpr double kTilt = 1e-6;
// |J x| / (|J| |x|) of a J with rounding errors.
constexpr double kZeroProduct = 1e-9;

// Whether a direction is along the values of its only parameter block.
bool IsAlongValues(const ScaledJacobian& scaled,
                   const DiagnosedProblem& problem,
                   const FoundDirection& direction) {
  if (direction.kind != DirectionKind::kCombination) return false;
  const int column_block = problem.column_block(direction.entries[0].first);
  const ParameterBlock& block =
      *problem.coordinate(direction.entries[0].first).block;
  if (block.manifold() != nullptr || block.size() < 2) return false;
  VectorXd v = VectorXd::Zero(block.size());
  for (const auto& [column, value] : direction.entries) {
    if (problem.column_block(column) != column_block) return false;
    const double norm = scaled.norms[column];
    v(problem.coordinate(column).coordinate) =
        norm > 0.0 ? value / norm : value;
  }
  const Map<const VectorXd> x(block.user_state(), block.size());
  if (!v.allFinite() || !x.allFinite() || v.isZero(0.0) || x.isZero(0.0)) {
    return false;
  }
  v.stableNormalize();
  const VectorXd along = x.stableNormalized();
  return (v - v.dot(along) * along).norm() <= kTilt;
}

// Whether J x = 0 for the values x of a column block.
bool HasNoInfluence(const ScaledJacobian& scaled, const BlockJacobian& jacobian,
                    int column_block, const double* values) {
  const BlockJacobianStructure& s = *scaled.jacobian.structure;
  const int n = s.column_size(column_block);
  double product = 0.0;
  double size = 0.0;
  for (int k = scaled.cells.first[column_block];
       k < scaled.cells.first[column_block + 1]; ++k) {
    const auto [row, cell] = scaled.cells.cells[k];
    const double* const a = jacobian.row_block(row) + s.cell_position[cell];
    for (int i = 0; i < s.row_size(row); ++i) {
      double sum = 0.0;
      for (int j = 0; j < n; ++j) {
        sum += a[i * n + j] * values[j];
        size = std::hypot(size, a[i * n + j] * values[j]);
      }
      product = std::hypot(product, sum);
    }
  }
  return product <= kZeroProduct * size;
}

}  // namespace

void FindLengths(const ScaledJacobian& scaled, DiagnosedProblem* problem,
                 std::vector<FoundDirection>* directions) {
  std::vector<double> state;
  BlockJacobian nearby;
  for (FoundDirection& direction : *directions) {
    if (!IsAlongValues(scaled, *problem, direction)) continue;
    constexpr double kStep = 1e-4;
    if (state.empty() &&
        !problem->EvaluateNearby(/*which=*/0, kStep, &state, &nearby)) {
      return;
    }
    const int block = problem->column_block(direction.entries[0].first);
    // Columns are the values themselves: there is no manifold, and no
    // coordinate is held by equal bounds.
    if (problem->program().tangent_size(block) !=
        problem->program().ambient_size(block)) {
      continue;
    }
    direction.is_length =
        HasNoInfluence(scaled, nearby, block,
                       state.data() + problem->program().state_offset()[block]);
  }
}

}  // namespace ceres::internal
