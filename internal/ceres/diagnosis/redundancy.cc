// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/diagnosis/redundancy.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

#include "Eigen/Core"
#include "Eigen/Eigenvalues"
#include "Eigen/QR"
#include "ceres/execution/aligned_buffer.h"
#include "ceres/execution/loops.h"
#include "ceres/normal/normal_equations.h"
#include "ceres/sparse/native_cholesky.h"
#include "ceres/sparse/sparse_inverse.h"

namespace ceres::internal {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using RowMajor =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ConstCell = Eigen::Map<const RowMajor>;
using Cell = Eigen::Map<RowMajor>;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
// Columns of norm 1 of which less than this is orthogonal to the others of
// their block depend on the others.
constexpr double kDependent = 64.0 * kEpsilon;
// Larger errors of R tell nothing about redundancy.
constexpr double kLargestError = 1e-3;
// If errors are larger than this, up to kPatience times the number of dense
// operations are worth it.
constexpr double kWantedError = 1e-10;
constexpr double kPatience = 30.0;

constexpr char kNotHeld[] =
    "The redundancy cannot be computed: directions that are not held are "
    "undetermined or too weakly determined.";

double NumDenseOperations(const BlockJacobianStructure& s) {
  const double n = s.num_columns();
  return s.num_rows() * n * n;
}

// J with orthonormal columns in each column block, of the same range.
class OrthonormalBlocks {
 public:
  OrthonormalBlocks(const Execution& execution, const BlockJacobian& jacobian,
                    const RedundancyOptions& options)
      : jacobian_(jacobian) {
    GroupColumns(options);
    ListRows();
    factors_.resize(first_row_.size() - 1);
    ParallelForByCost(execution, 0, static_cast<int>(factors_.size()),
                      first_row_.data(), [&](int group) { Factorize(group); });
    CheckStop(execution);
    PlaceRowBlocks();
    result_.structure = &structure_;
    result_.values.Resize(structure_.num_values());
    ParallelFor(
        execution, 0, structure_.num_row_blocks(),
        [&](int row) { FillRowBlock(row); }, /*min_block_size=*/16);
  }

  const BlockJacobian& get() const { return result_; }

 private:
  // J_g(:, columns) diag(1 / scale) = Q `triangle`, for a group g.
  struct Factor {
    std::vector<int> columns;  // in the group
    VectorXd scale;
    MatrixXd triangle;
    int rank() const { return static_cast<int>(columns.size()); }
  };

  // A group is a column block, or all of them.
  void GroupColumns(const RedundancyOptions& options) {
    const BlockJacobianStructure& s = *jacobian_.structure;
    is_dense_ = NumDenseOperations(s) <= options.max_dense_operations;
    is_held_.assign(s.num_columns(), false);
    for (const int column : options.held_columns) is_held_[column] = true;
    num_groups_ =
        is_dense_ ? std::min(1, s.num_column_blocks()) : s.num_column_blocks();
  }
  int GroupOf(int column_block) const { return is_dense_ ? 0 : column_block; }
  int GroupBegin(int group) const {
    return jacobian_.structure->column_offset[group];
  }
  int GroupSize(int group) const {
    const BlockJacobianStructure& s = *jacobian_.structure;
    return is_dense_ ? s.num_columns() : s.column_size(group);
  }

  // Calls visit(group) for the groups of a row block, each once.
  template <typename Visit>
  void VisitGroups(int row, const Visit& visit) const {
    const BlockJacobianStructure& s = *jacobian_.structure;
    const int begin = s.first_cell[row];
    const int end = is_dense_ ? std::min<int>(begin + 1, s.first_cell[row + 1])
                              : s.first_cell[row + 1];
    for (int c = begin; c < end; ++c) visit(GroupOf(s.cell_column[c]));
  }

  // The row blocks of each group, in order.
  void ListRows() {
    const int num_rows = jacobian_.structure->num_row_blocks();
    first_row_.assign(num_groups_ + 1, 0);
    for (int row = 0; row < num_rows; ++row) {
      VisitGroups(row, [&](int group) { ++first_row_[group + 1]; });
    }
    std::partial_sum(first_row_.begin(), first_row_.end(), first_row_.begin());
    rows_.resize(first_row_.back());
    std::vector<int> next(first_row_.begin(), first_row_.end() - 1);
    for (int row = 0; row < num_rows; ++row) {
      VisitGroups(row, [&](int group) { rows_[next[group]++] = row; });
    }
  }

  // The columns of a group in a row block.
  MatrixXd Columns(int row, int group) const {
    const BlockJacobianStructure& s = *jacobian_.structure;
    const double* const values = jacobian_.row_block(row);
    MatrixXd columns = MatrixXd::Zero(s.row_size(row), GroupSize(group));
    for (int c = s.first_cell[row]; c < s.first_cell[row + 1]; ++c) {
      const int block = s.cell_column[c];
      if (GroupOf(block) != group) continue;
      columns.middleCols(s.column_offset[block] - GroupBegin(group),
                         s.column_size(block)) =
          ConstCell(values + s.cell_position[c], s.row_size(row),
                    s.column_size(block));
    }
    return columns;
  }

  MatrixXd ScaledColumns(int row, int group, const Factor& factor) const {
    const MatrixXd all = Columns(row, group);
    MatrixXd columns(all.rows(), factor.rank());
    for (int k = 0; k < factor.rank(); ++k) {
      columns.col(k) = all.col(factor.columns[k]) / factor.scale(k);
    }
    return columns;
  }

  // The columns that are neither held nor zero, scaled to entries of at most 1.
  Factor FreeColumns(int group) const {
    VectorXd largest = VectorXd::Zero(GroupSize(group));
    for (int k = first_row_[group]; k < first_row_[group + 1]; ++k) {
      largest = largest.cwiseMax(
          Columns(rows_[k], group).cwiseAbs().colwise().maxCoeff().transpose());
    }
    Factor factor;
    for (int column = 0; column < GroupSize(group); ++column) {
      if (largest(column) > 0.0 && !is_held_[GroupBegin(group) + column]) {
        factor.columns.push_back(column);
      }
    }
    factor.scale = largest(factor.columns);
    return factor;
  }

  // R of the QR factorization of the columns of a group, row chunk by row
  // chunk.
  MatrixXd Triangle(int group, const Factor& factor) const {
    const int n = factor.rank();
    const int chunk_rows = 3 * n + 16;
    MatrixXd stacked = MatrixXd::Zero(n + chunk_rows, n);
    int filled = n;
    const auto reduce = [&] {
      const Eigen::HouseholderQR<Eigen::Ref<MatrixXd>> qr(stacked);
      stacked.topRows(n).triangularView<Eigen::StrictlyLower>().setZero();
      stacked.bottomRows(chunk_rows).setZero();
      filled = n;
    };
    for (int k = first_row_[group]; k < first_row_[group + 1]; ++k) {
      const MatrixXd columns = ScaledColumns(rows_[k], group, factor);
      for (int done = 0; done < columns.rows();) {
        if (filled == stacked.rows()) reduce();
        const int count =
            std::min<int>(static_cast<int>(columns.rows()) - done,
                          static_cast<int>(stacked.rows()) - filled);
        stacked.middleRows(filled, count) = columns.middleRows(done, count);
        filled += count;
        done += count;
      }
    }
    reduce();
    return stacked.topRows(n);
  }

  void Factorize(int group) {
    Factor& factor = factors_[group];
    factor = FreeColumns(group);
    if (factor.rank() == 0) return;
    MatrixXd triangle = Triangle(group, factor);
    const VectorXd norms = triangle.colwise().norm();
    triangle = triangle * norms.cwiseInverse().asDiagonal();
    const Eigen::ColPivHouseholderQR<MatrixXd> qr(triangle);
    int rank = 0;
    while (rank < factor.rank() &&
           std::abs(qr.matrixQR()(rank, rank)) > kDependent) {
      ++rank;
    }
    const Factor before = factor;
    factor.columns.resize(rank);
    factor.scale.resize(rank);
    for (int k = 0; k < rank; ++k) {
      const int from = qr.colsPermutation().indices()(k);
      factor.columns[k] = before.columns[from];
      factor.scale(k) = before.scale(from) * norms(from);
    }
    factor.triangle = qr.matrixQR().topLeftCorner(rank, rank);
  }

  void PlaceRowBlocks() {
    const BlockJacobianStructure& s = *jacobian_.structure;
    column_of_group_.assign(num_groups_, -1);
    for (int group = 0; group < num_groups_; ++group) {
      if (factors_[group].rank() == 0) continue;
      column_of_group_[group] = structure_.num_column_blocks();
      structure_.column_offset.push_back(structure_.num_columns() +
                                         factors_[group].rank());
    }
    std::vector<int> columns;
    for (int row = 0; row < s.num_row_blocks(); ++row) {
      columns.clear();
      VisitGroups(row, [&](int group) {
        if (column_of_group_[group] < 0) return;
        columns.push_back(column_of_group_[group]);
      });
      AppendRowBlock(s.row_size(row), columns, &structure_);
    }
    CutIntoRowChunks(&structure_);
  }

  void FillRowBlock(int row) {
    double* const values = result_.row_block(row);
    const int num_residuals = structure_.row_size(row);
    std::copy_n(jacobian_.row_block(row), num_residuals, values);
    int c = structure_.first_cell[row];
    VisitGroups(row, [&](int group) {
      const Factor& factor = factors_[group];
      if (factor.rank() == 0) return;
      Cell(values + structure_.cell_position[c], num_residuals, factor.rank()) =
          factor.triangle.triangularView<Eigen::Upper>()
              .solve<Eigen::OnTheRight>(ScaledColumns(row, group, factor));
      ++c;
    });
  }

  const BlockJacobian& jacobian_;
  bool is_dense_ = false;
  int num_groups_ = 0;
  std::vector<bool> is_held_;            // by column
  std::vector<std::int64_t> first_row_;  // by group, +1: into rows_
  std::vector<int> rows_;
  std::vector<Factor> factors_;  // by group
  std::vector<int> column_of_group_;
  BlockJacobianStructure structure_;
  BlockJacobian result_;
};

// The blocks of (J'J)^-1 in the pattern of J'J.
class NormalInverse {
 public:
  [[nodiscard]] bool Compute(const Execution& execution,
                             const BlockJacobian& jacobian,
                             std::string* message) {
    NormalEquations equations(execution, *jacobian.structure);
    pattern_ = equations.pattern();
    values_.Resize(pattern_.num_values());
    AlignedBuffer gradient(pattern_.size());
    equations.Assemble(jacobian, /*damping=*/nullptr, values_.data(),
                       gradient.data());
    CheckStop(execution);
    const auto factor = CreateNativeFactor(SparseCholesky::Options(), pattern_);
    const LinearSolverTermination termination =
        factor->Factorize(execution, values_.data(), message);
    if (termination == LinearSolverTermination::kFailure) {
      *message = kNotHeld;
      return false;
    }
    if (termination != LinearSolverTermination::kSuccess) {
      *message = "The redundancy cannot be computed: " + *message;
      return false;
    }
    CheckStop(execution);
    std::vector<InverseBlock> blocks;
    blocks.reserve(pattern_.entry_column.size());
    for (int a = 0; a < pattern_.num_blocks(); ++a) {
      for (int e = pattern_.first_entry[a]; e < pattern_.first_entry[a + 1];
           ++e) {
        blocks.push_back({a, pattern_.entry_column[e],
                          values_.data() + pattern_.value_offset[e]});
      }
    }
    ComputeInverseBlocks(execution, pattern_.block_offset, factor->plan(),
                         factor->columns(), InverseMethod::kFewestOperations,
                         blocks);
    return true;
  }

  // Block (a, b), a <= b.
  ConstCell Block(int a, int b) const {
    const auto begin = pattern_.entry_column.begin();
    const auto entry = std::lower_bound(begin + pattern_.first_entry[a],
                                        begin + pattern_.first_entry[a + 1], b);
    return {values_.data() + pattern_.value_offset[entry - begin], Size(a),
            Size(b)};
  }

  // NaN if there is one.
  double LargestDiagonal() const {
    double largest = 0.0;
    for (int a = 0; a < pattern_.num_blocks(); ++a) {
      const auto diagonal = Block(a, a).diagonal();
      for (Eigen::Index k = 0; k < diagonal.size(); ++k) {
        if (!(diagonal(k) <= largest)) largest = diagonal(k);
        if (std::isnan(largest)) return largest;
      }
    }
    return largest;
  }

 private:
  int Size(int a) const {
    return pattern_.block_offset[a + 1] - pattern_.block_offset[a];
  }

  BlockSymmetricStructure pattern_;
  AlignedBuffer values_;
};

// The diagonal block of J (J'J)^-1 J' of a row block.
struct Leverage {
  VectorXd diagonal;
  double largest_eigenvalue = 0.0;
};

Leverage LeverageOf(const BlockJacobian& jacobian, const NormalInverse& inverse,
                    int row) {
  const BlockJacobianStructure& s = *jacobian.structure;
  const int num_residuals = s.row_size(row);
  const int begin = s.first_cell[row], end = s.first_cell[row + 1];
  Leverage leverage{VectorXd::Zero(num_residuals)};
  if (begin == end || num_residuals == 0) return leverage;
  std::vector<int> offset = {0};
  for (int c = begin; c < end; ++c) {
    offset.push_back(offset.back() + s.column_size(s.cell_column[c]));
  }
  const int n = offset.back();
  MatrixXd j(num_residuals, n), c(n, n);
  for (int a = 0; a < end - begin; ++a) {
    const int block_a = s.cell_column[begin + a];
    const int size_a = s.column_size(block_a);
    j.middleCols(offset[a], size_a) =
        ConstCell(jacobian.row_block(row) + s.cell_position[begin + a],
                  num_residuals, size_a);
    for (int b = 0; b < end - begin; ++b) {
      const int block_b = s.cell_column[begin + b];
      if (block_a > block_b) continue;
      const ConstCell value = inverse.Block(block_a, block_b);
      c.block(offset[a], offset[b], value.rows(), value.cols()) = value;
      c.block(offset[b], offset[a], value.cols(), value.rows()) =
          value.transpose();
    }
  }
  const MatrixXd jc = j * c;
  leverage.diagonal = jc.cwiseProduct(j).rowwise().sum();
  // The nonzero eigenvalues of J C J' are those of T C T' for J = Q T.
  MatrixXd symmetric;
  if (num_residuals <= n) {
    symmetric = jc * j.transpose();
  } else {
    const Eigen::HouseholderQR<MatrixXd> qr(j);
    const MatrixXd t = qr.matrixQR().topRows(n).triangularView<Eigen::Upper>();
    symmetric = t * c * t.transpose();
  }
  leverage.largest_eigenvalue =
      Eigen::SelfAdjointEigenSolver<MatrixXd>(symmetric, Eigen::EigenvaluesOnly)
          .eigenvalues()
          .maxCoeff();
  return leverage;
}

bool IsFinite(const BlockJacobian& jacobian) {
  return std::all_of(jacobian.values.data(),
                     jacobian.values.data() + jacobian.structure->num_values(),
                     [](double value) { return std::isfinite(value); });
}

// All of `result` but what depends on the residuals.
bool ComputeProjector(const Execution& execution, const BlockJacobian& jacobian,
                      const RedundancyOptions& options, Redundancy* result,
                      std::string* message) {
  message->clear();
  const OrthonormalBlocks orthonormal(execution, jacobian, options);
  const BlockJacobian& j = orthonormal.get();
  NormalInverse inverse;
  if (!inverse.Compute(execution, j, message)) return false;
  result->rank = j.structure->num_columns();
  result->degrees_of_freedom = j.structure->num_rows() - result->rank;
  result->error = kEpsilon * inverse.LargestDiagonal();
  if (!(result->error <= kLargestError)) {
    *message = kNotHeld;
    return false;
  }
  CheckStop(execution);
  ParallelFor(execution, 0, j.structure->num_row_blocks(), [&](int row) {
    const Leverage leverage = LeverageOf(j, inverse, row);
    RowBlockCheck& check = result->row_blocks[row];
    check.redundancy = 0.0;
    double* const diagonal =
        result->diagonal.data() + j.structure->row_offset[row];
    for (Eigen::Index i = 0; i < leverage.diagonal.size(); ++i) {
      diagonal[i] = std::clamp(1.0 - leverage.diagonal(i), 0.0, 1.0);
      check.redundancy += diagonal[i];
    }
    check.smallest_eigenvalue =
        std::clamp(1.0 - leverage.largest_eigenvalue, 0.0, 1.0);
  });
  return true;
}

double EstimateVariance(const BlockJacobian& jacobian, int degrees_of_freedom) {
  const BlockJacobianStructure& s = *jacobian.structure;
  double sum = 0.0;
  for (int row = 0; row < s.num_row_blocks(); ++row) {
    const double* const r = jacobian.row_block(row);
    for (int i = 0; i < s.row_size(row); ++i) sum += r[i] * r[i];
  }
  return degrees_of_freedom > 0 ? sum / degrees_of_freedom : 0.0;
}

// x with P(X > x) = tail for a standard normal X.
double UpperQuantile(double tail) {
  double low = -40.0, high = 40.0;
  for (int k = 0; k < 100; ++k) {
    const double middle = 0.5 * (low + high);
    const double beyond = 0.5 * std::erfc(middle / std::sqrt(2.0));
    (beyond > tail ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace

double NonCentrality(double significance, double power) {
  return UpperQuantile(0.5 * significance) + UpperQuantile(1.0 - power);
}

bool ComputeRedundancy(const Execution& execution,
                       const BlockJacobian& jacobian,
                       const RedundancyOptions& options, Redundancy* result,
                       std::string* message) {
  const BlockJacobianStructure& s = *jacobian.structure;
  message->clear();
  *result = {};
  if (!IsFinite(jacobian)) {
    *message =
        "The redundancy cannot be computed: the Jacobian or the residuals are "
        "not finite.";
    return false;
  }
  result->row_blocks.resize(s.num_row_blocks());
  result->diagonal.resize(s.num_rows());
  bool is_computed =
      ComputeProjector(execution, jacobian, options, result, message);
  const double num_operations = NumDenseOperations(s);
  if ((!is_computed || result->error > kWantedError) &&
      num_operations > options.max_dense_operations &&
      num_operations <= kPatience * options.max_dense_operations) {
    RedundancyOptions dense = options;
    dense.max_dense_operations = num_operations;
    is_computed = ComputeProjector(execution, jacobian, dense, result, message);
  }
  if (!is_computed) return false;
  result->variance_factor =
      options.variance_factor > 0.0
          ? options.variance_factor
          : EstimateVariance(jacobian, result->degrees_of_freedom);
  const double deviation = std::sqrt(result->variance_factor);
  const double shift =
      deviation * NonCentrality(options.significance, options.power);
  for (int row = 0; row < s.num_row_blocks(); ++row) {
    RowBlockCheck& check = result->row_blocks[row];
    const double* const r = jacobian.row_block(row);
    for (int i = 0; i < s.row_size(row); ++i) {
      const double checked = result->diagonal[s.row_offset[row] + i];
      if (checked <= kUncheckedRedundancy) {
        check.smallest_detectable_error =
            std::numeric_limits<double>::infinity();
        continue;
      }
      const double root = std::sqrt(checked);
      check.smallest_detectable_error =
          std::max(check.smallest_detectable_error, shift / root);
      if (!(deviation > 0.0)) continue;
      check.largest_standardized_residual =
          std::max(check.largest_standardized_residual,
                   std::abs(r[i]) / (deviation * root));
    }
  }
  return true;
}

}  // namespace ceres::internal
