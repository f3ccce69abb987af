// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/diagnosis/direction_kinds.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "Eigen/Core"

namespace ceres::internal {
namespace {

using Eigen::VectorXd;

// |J v| / (|J| |v|) of vectors that J maps to zero.
constexpr double kZeroProduct = 1e-9;
// More directions are not told apart: those that J maps to something else than
// zero are taken to be independent.
constexpr std::size_t kMaxTested = 500;

// By row of J. Row blocks that the vector does not touch are left out.
using SparseProduct = std::map<int, double>;

// J v and its size |J| |v|, for v in coordinates of other norms.
double Product(const ScaledJacobian& j, const std::vector<double>& from_norms,
               const SparseVector& v, SparseProduct* product) {
  const BlockJacobianStructure& s = *j.jacobian.structure;
  std::map<int, double> sizes;
  const auto block_of = [&](int column) {
    return static_cast<int>(std::upper_bound(s.column_offset.begin(),
                                             s.column_offset.end(), column) -
                            s.column_offset.begin()) -
           1;
  };
  product->clear();
  double largest = 0.0;
  for (const auto& [column, value] : v) {
    if (j.norms[column] == 0.0) continue;
    const double scale =
        from_norms[column] > 0.0 ? j.norms[column] / from_norms[column] : 1.0;
    const double own_value = value * scale;
    largest = std::max(largest, std::abs(own_value));
    const int block = block_of(column);
    const int n = s.column_size(block);
    for (int k = j.cells.first[block]; k < j.cells.first[block + 1]; ++k) {
      const auto [row, cell] = j.cells.cells[k];
      const double* const a = j.jacobian.row_block(row) + s.cell_position[cell];
      for (int i = 0; i < s.row_size(row); ++i) {
        const double term =
            a[i * n + column - s.column_offset[block]] * own_value;
        if (term == 0.0) continue;
        (*product)[s.row_offset[row] + i] += term;
        sizes[s.row_offset[row] + i] += std::abs(term);
      }
    }
  }
  double size = 0.0;
  for (const auto& [row, value] : sizes) size = std::hypot(size, value);
  return size;
}

double Norm(const SparseProduct& product) {
  double norm = 0.0;
  for (const auto& [row, value] : product) norm = std::hypot(norm, value);
  return norm;
}

double Dot(const SparseProduct& a, const SparseProduct& b) {
  double sum = 0.0;
  for (const auto& [row, value] : a) {
    const auto found = b.find(row);
    if (found != b.end()) sum += value * found->second;
  }
  return sum;
}

void Add(double factor, const SparseProduct& from, SparseProduct* to) {
  for (const auto& [row, value] : from) (*to)[row] += factor * value;
}

void Add(double factor, const SparseVector& from, SparseVector* to) {
  std::map<int, double> sum(to->begin(), to->end());
  for (const auto& [column, value] : from) sum[column] += factor * value;
  double largest = 0.0;
  for (const auto& [column, value] : sum) {
    largest = std::max(largest, std::abs(value));
  }
  to->clear();
  for (const auto& [column, value] : sum) {
    if (std::abs(value) > 1e-7 * largest) to->emplace_back(column, value);
  }
}

// Whether all blocks of a part move that have the same numbers of values and of
// tangent coordinates as a moving one.
bool MovesAllOfItsSizes(const DiagnosedProblem& problem,
                        const JacobianPart& part, const std::set<int>& moving) {
  std::set<std::pair<int, int>> moving_sizes;
  std::set<std::pair<int, int>> still_sizes;
  for (const int block : part.column_blocks) {
    (moving.count(block) > 0 ? moving_sizes : still_sizes)
        .insert({problem.program().ambient_size(block),
                 problem.program().tangent_size(block)});
  }
  return std::none_of(
      moving_sizes.begin(), moving_sizes.end(),
      [&](const auto& sizes) { return still_sizes.count(sizes) > 0; });
}

// A direction whose product is not zero, made orthogonal to those before, and
// the multiples of them that were subtracted.
struct Independent {
  SparseProduct product;  // Of norm 1.
  SparseVector entries;   // J maps them to `product`.
};

}  // namespace

ScaledJacobian::ScaledJacobian(const Execution& execution,
                               BlockJacobian unscaled,
                               const std::vector<double>& magnitudes)
    : jacobian(std::move(unscaled)),
      cells(*jacobian.structure),
      norms(ColumnNorms(execution, jacobian, cells)) {
  if (!magnitudes.empty()) {
    ZeroRoundingErrors(cells, magnitudes, &jacobian, &norms);
  }
  ScaleColumns(execution, norms, &jacobian);
}

std::vector<bool> SplitByNullSpace(const ScaledJacobian& jacobian,
                                   const std::vector<double>& from_norms,
                                   std::vector<FoundDirection>* directions) {
  std::vector<bool> is_outside(directions->size(), false);
  std::vector<std::pair<int, SparseProduct>> outside;
  for (std::size_t k = 0; k < directions->size(); ++k) {
    SparseProduct product;
    const double size =
        Product(jacobian, from_norms, (*directions)[k].entries, &product);
    if (!(Norm(product) > kZeroProduct * size)) continue;
    is_outside[k] = true;
    outside.emplace_back(static_cast<int>(k), std::move(product));
  }
  if (outside.size() > kMaxTested) return is_outside;
  std::stable_sort(outside.begin(), outside.end(),
                   [&](const auto& a, const auto& b) {
                     return (*directions)[a.first].entries.size() <
                            (*directions)[b.first].entries.size();
                   });
  std::vector<Independent> basis;
  for (auto& [k, product] : outside) {
    const double size = Norm(product);
    SparseVector entries = (*directions)[k].entries;
    // Twice is enough (Parlett, The Symmetric Eigenvalue Problem, 6.9).
    for (int round = 0; round < 2; ++round) {
      for (const Independent& other : basis) {
        const double factor = -Dot(other.product, product);
        if (factor == 0.0) continue;
        Add(factor, other.product, &product);
        Add(factor, other.entries, &entries);
      }
    }
    const double left = Norm(product);
    if (left > 1e-7 * size) {
      for (auto& [row, value] : product) value /= left;
      for (auto& [column, value] : entries) value /= left;
      basis.push_back({std::move(product), std::move(entries)});
    } else {
      (*directions)[k].entries = std::move(entries);
      is_outside[k] = false;
    }
  }
  return is_outside;
}

DirectionKind KindOf(GaugeKind kind) {
  switch (kind) {
    case GaugeKind::kTranslation:
      return DirectionKind::kGaugeTranslation;
    case GaugeKind::kRotation:
      return DirectionKind::kGaugeRotation;
    case GaugeKind::kScale:
      return DirectionKind::kGaugeScale;
  }
  return DirectionKind::kGauge;
}

DirectionKind KindOfNullVector(const DiagnosedProblem& problem,
                               const ScaledJacobian& scaled,
                               const JacobianPart& part,
                               const SparseVector& entries) {
  const BlockJacobianStructure& s = *scaled.jacobian.structure;
  std::set<int> moving;
  for (const auto& [column, value] : entries) {
    moving.insert(problem.column_block(column));
  }
  // By row block: how many moving blocks it depends on.
  std::map<int, int> rows;
  int num_coordinates = 0;
  for (const int block : moving) {
    num_coordinates += s.column_size(block);
    for (int k = scaled.cells.first[block]; k < scaled.cells.first[block + 1];
         ++k) {
      const auto [row, cell] = scaled.cells.cells[k];
      const double* const values =
          scaled.jacobian.row_block(row) + s.cell_position[cell];
      const int size = s.row_size(row) * s.column_size(block);
      if (std::any_of(values, values + size,
                      [](double x) { return x != 0.0; })) {
        ++rows[row];
      }
    }
  }
  int num_rows = 0;
  int most_moving = 0;
  for (const auto& [row, count] : rows) {
    num_rows += s.row_size(row);
    most_moving = std::max(most_moving, count);
  }
  const auto num_moving = static_cast<int>(moving.size());
  if (num_moving > 2 && most_moving < num_moving &&
      MovesAllOfItsSizes(problem, part, moving)) {
    return DirectionKind::kGauge;
  }
  return num_rows < num_coordinates ? DirectionKind::kTooFewResiduals
                                    : DirectionKind::kCombination;
}

bool IsHeldByBounds(const DiagnosedProblem& problem,
                    const SparseVector& entries) {
  bool ends_forward = false;
  bool ends_backward = false;
  for (const auto& [column, value] : entries) {
    const auto [block, coordinate] = problem.coordinate(column);
    // Bounds are on values, not on tangent coordinates.
    if (block->manifold() != nullptr || !block->has_bounds()) continue;
    constexpr double kUnbounded = std::numeric_limits<double>::max();
    const bool has_lower = block->LowerBound(coordinate) > -kUnbounded;
    const bool has_upper = block->UpperBound(coordinate) < kUnbounded;
    ends_forward |= value > 0.0 ? has_upper : has_lower;
    ends_backward |= value > 0.0 ? has_lower : has_upper;
  }
  return ends_forward && ends_backward;
}

}  // namespace ceres::internal
