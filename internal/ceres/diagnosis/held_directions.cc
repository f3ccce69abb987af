// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/diagnosis/held_directions.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "Eigen/Core"
#include "ceres/diagnosis/part_spaces.h"

namespace ceres::internal {
namespace {

class HeldFinder {
 public:
  HeldFinder(const Execution& execution, const DiagnosedProblem& problem,
             const ScaledJacobian& scaled, double weak_ratio,
             const DirectionWriter& writer, Diagnosis* result)
      : execution_(execution),
        problem_(problem),
        scaled_(scaled),
        weak_ratio_(weak_ratio),
        writer_(writer),
        result_(result) {}

  // Directions that are undetermined if priors are left out: residual blocks of
  // one parameter block on which other rows with several column blocks depend.
  // A measurement that ties a parameter block to a constant one is no prior.
  void ByPriors() {
    const BlockJacobianStructure& s = *scaled_.jacobian.structure;
    std::vector<char> is_shared(s.num_column_blocks(), 0);
    for (int row = 0; row < s.num_row_blocks(); ++row) {
      if (s.first_cell[row + 1] - s.first_cell[row] < 2) continue;
      for (int c = s.first_cell[row]; c < s.first_cell[row + 1]; ++c) {
        is_shared[s.cell_column[c]] = 1;
      }
    }
    std::vector<bool> is_row_used(s.num_row_blocks(), true);
    bool has_priors = false;
    for (int row = 0; row < s.num_row_blocks(); ++row) {
      const int c = s.first_cell[row];
      if (s.first_cell[row + 1] - c != 1) continue;
      const ResidualBlock* const block = problem_.residual_block(row);
      if (block == nullptr || block->num_parameter_blocks() != 1) continue;
      if (is_shared[s.cell_column[c]] == 0) continue;
      is_row_used[row] = false;
      has_priors = true;
    }
    if (!has_priors) return;
    FindHeld(is_row_used, DirectionKind::kHeldByPrior);
  }

  // Directions that are undetermined without constraints.
  void ByConstraints() {
    if (!problem_.has_constraints()) return;
    std::vector<bool> is_row_used;
    for (int row = 0; row < problem_.program().num_row_blocks(); ++row) {
      is_row_used.push_back(problem_.constraint(row) == nullptr);
    }
    FindHeld(is_row_used, DirectionKind::kHeldByConstraint);
  }

 private:
  // The names of the constraints that a motion in scaled coordinates changes.
  std::vector<std::string> ConstraintsOf(const SparseVector& entries) const {
    constexpr double kNoChange = 1e-9;
    const BlockJacobianStructure& s = *scaled_.jacobian.structure;
    std::map<int, Eigen::VectorXd> parts;  // By column block.
    double norm = 0.0;
    for (const auto& [column, value] : entries) {
      const int block = problem_.column_block(column);
      Eigen::VectorXd& part = parts[block];
      if (part.size() == 0) part.setZero(s.column_size(block));
      part(column - s.column_offset[block]) = value;
      norm = std::hypot(norm, value);
    }
    std::vector<std::string> names;
    for (int row = 0; row < s.num_row_blocks(); ++row) {
      const Constraint* const constraint = problem_.constraint(row);
      if (constraint == nullptr) continue;
      Eigen::VectorXd change = Eigen::VectorXd::Zero(s.row_size(row));
      VisitCells(scaled_.jacobian, row, [&](int block, const auto& cell) {
        const auto part = parts.find(block);
        if (part != parts.end()) change += cell * part->second;
      });
      if (change.norm() > kNoChange * norm)
        names.push_back(constraint->Label());
    }
    return names;
  }

  void FindHeld(const std::vector<bool>& is_row_used, DirectionKind kind) {
    BlockJacobian jacobian;
    jacobian.structure = scaled_.jacobian.structure;
    jacobian.values.Resize(jacobian.structure->num_values());
    std::copy_n(scaled_.jacobian.values.data(),
                jacobian.structure->num_values(), jacobian.values.data());
    for (std::size_t row = 0; row < is_row_used.size(); ++row) {
      if (is_row_used[row]) continue;
      const auto r = static_cast<int>(row);
      std::fill(
          jacobian.row_block(r),
          jacobian.values.data() + jacobian.structure->row_block_offset[r + 1],
          0.0);
    }
    const ScaledJacobian without(execution_, std::move(jacobian), {});
    std::vector<double> norms = without.norms;
    for (std::size_t k = 0; k < norms.size(); ++k) {
      if (scaled_.norms[k] > 0.0) norms[k] *= scaled_.norms[k];
    }
    PartSpaces found;
    std::string message;
    if (!FindPartSpaces(execution_, &is_row_used, without.jacobian, norms,
                        problem_.movable_blocks(), weak_ratio_, &found,
                        &message)) {
      return;
    }
    std::vector<FoundDirection> held;
    for (std::size_t column = 0; column < norms.size(); ++column) {
      if (norms[column] > 0.0 || scaled_.norms[column] == 0.0) continue;
      held.push_back({{{static_cast<int>(column), 1.0}}});
    }
    for (const NullSpace& space : found.spaces) {
      for (const NullVector& vector : space.null_vectors) {
        held.push_back({vector.entries});
      }
    }
    const std::vector<bool> is_held = SplitByNullSpace(scaled_, norms, &held);
    for (std::size_t k = 0; k < held.size(); ++k) {
      if (!is_held[k]) continue;
      SparseVector entries;
      for (auto [column, value] : held[k].entries) {
        // From the scale of `norms` to that of all rows.
        if (norms[column] > 0.0) value *= scaled_.norms[column] / norms[column];
        entries.emplace_back(column, value);
      }
      Direction direction =
          writer_.ToDirection(scaled_.norms, entries, kind, "");
      if (kind == DirectionKind::kHeldByConstraint) {
        direction.constraints = ConstraintsOf(entries);
        writer_.Finish("", &direction);
      }
      result_->held.push_back(std::move(direction));
    }
  }

  const Execution execution_;
  const DiagnosedProblem& problem_;
  const ScaledJacobian& scaled_;
  const double weak_ratio_;
  const DirectionWriter& writer_;
  Diagnosis* const result_;
};

}  // namespace

void FindHeldDirections(const Execution& execution,
                        const DiagnosedProblem& problem,
                        const ScaledJacobian& scaled, double weak_ratio,
                        const DirectionWriter& writer, Diagnosis* result) {
  HeldFinder finder(execution, problem, scaled, weak_ratio, writer, result);
  finder.ByPriors();
  finder.ByConstraints();
}

}  // namespace ceres::internal
