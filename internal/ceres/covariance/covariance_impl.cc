// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/covariance/covariance_impl.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <tuple>

#include "ceres/base/memory_shortage.h"
#include "ceres/covariance/block_qr.h"
#include "ceres/covariance/dense_pseudo_inverse.h"
#include "ceres/covariance/normal_inverse.h"
#include "ceres/diagnosis/diagnose_problem.h"
#include "ceres/evaluation/evaluator.h"
#include "ceres/logging/logging.h"
#include "ceres/problem.h"
#include "ceres/problem/program.h"
#include "ceres/sparse/fill_reducing_ordering.h"
#include "ceres/sparse/normal_pattern.h"

namespace ceres::internal {
namespace {

constexpr int kNone = -1;

// The parameter blocks that have columns in J: those that vary and that a
// residual block or an active constraint uses, in the problem's order.
std::vector<ParameterBlock*> VaryingBlocks(
    const ProblemImpl& problem, const ActiveConstraints& constraints) {
  std::vector<bool> is_used(problem.parameter_blocks().size(), false);
  for (const ResidualBlock* residual_block : constraints.AllResidualBlocks()) {
    for (int a = 0; a < residual_block->num_parameter_blocks(); ++a) {
      is_used[residual_block->parameter_blocks()[a]->index()] = true;
    }
  }
  std::vector<ParameterBlock*> varying;
  for (ParameterBlock* block : problem.parameter_blocks()) {
    if (is_used[block->index()] && !block->IsConstant() && !block->IsPinned()) {
      varying.push_back(block);
    }
  }
  return varying;
}

// By row block. Empty: there are no constraints.
std::vector<bool> FindConstraintRows(const Program& program,
                                     const ActiveConstraints& constraints) {
  std::vector<bool> is_constraint;
  if (constraints.residual_blocks().empty()) return is_constraint;
  for (int row = 0; row < program.num_row_blocks(); ++row) {
    is_constraint.push_back(
        constraints.IsConstraint(program.residual_block_index()[row]));
  }
  return is_constraint;
}

// The squared norms of the columns of J, without the rows of constraints.
void SumSquaresOfJ(const BlockJacobian& jacobian,
                   const std::vector<bool>& is_constraint,
                   std::vector<double>* squared_column_norms) {
  const BlockJacobianStructure& s = *jacobian.structure;
  squared_column_norms->assign(s.num_columns(), 0.0);
  for (int row = 0; row < s.num_row_blocks(); ++row) {
    if (is_constraint[row]) continue;
    for (int c = s.first_cell[row]; c < s.first_cell[row + 1]; ++c) {
      const int n = s.column_size(s.cell_column[c]);
      const double* entry = jacobian.row_block(row) + s.cell_position[c];
      for (int k = 0; k < s.row_size(row) * n; ++k, ++entry) {
        (*squared_column_norms)[s.column_offset[s.cell_column[c]] + k % n] +=
            *entry * *entry;
      }
    }
  }
}

template <typename T>
void CheckNoneTwice(std::vector<T> listed) {
  std::sort(listed.begin(), listed.end());
  VESTA_CHECK(std::adjacent_find(listed.begin(), listed.end()) == listed.end())
      << "Covariance::Compute was given a parameter block, or a pair of them, "
         "twice.";
}

}  // namespace

bool CovarianceImpl::Compute(const std::vector<const double*>& blocks,
                             ProblemImpl* problem) {
  is_computed_ = false;
  CheckNoneTwice(blocks);
  Pairs pairs;
  for (size_t i = 0; i < blocks.size(); ++i) {
    for (size_t j = i; j < blocks.size(); ++j) {
      pairs.emplace_back(blocks[i], blocks[j]);
    }
  }
  return Compute(pairs, problem);
}

bool CovarianceImpl::Compute(const Pairs& pairs, ProblemImpl* problem) {
  is_computed_ = false;
  CheckNoneTwice(pairs);
  ActiveConstraints constraints(*problem);
  std::string message;
  const bool has_constraints = constraints.Find(&message);
  const std::vector<ParameterBlock*> varying =
      VaryingBlocks(*problem, constraints);
  RememberBlocks(*problem, varying);
  for (const auto& [a, b] : pairs) {
    for (const double* values : {a, b}) {
      VESTA_CHECK(FindBlock(values) != nullptr)
          << "Covariance::Compute was given the parameter block at " << values
          << ", which is not part of the problem.";
    }
  }
  is_rank_deficient_ = false;
  is_computed_ = has_constraints &&
                 ComputePairs(pairs, varying, constraints, problem, &message);
  if (is_rank_deficient_) message += DescribeRankDeficiency(problem);
  if (!is_computed_) {
    VESTA_LOG(kError) << "Covariance::Compute failed: " << message;
  } else if (is_rank_deficient_) {
    VESTA_LOG(kWarning) << "Covariance::Compute: " << message;
  }
  return is_computed_;
}

std::string CovarianceImpl::DescribeRankDeficiency(ProblemImpl* problem) const {
  constexpr std::size_t kMaxDirections = 7;  // As many as a scene's gauge has.
  DiagnosisOptions options;
  options.num_threads = options_.num_threads;
  options.apply_loss_function = options_.apply_loss_function;
  if (options_.algorithm_type == DENSE_SVD) {
    // Names what the singular value decomposition counts as zero.
    const double ratio = std::sqrt(options_.min_reciprocal_condition_number);
    if (ratio > 0.0 && ratio < 1.0) options.weak_ratio = ratio;
  }
  return DescribeDirections(options, kMaxDirections, problem);
}

void CovarianceImpl::RememberBlocks(
    const ProblemImpl& problem, const std::vector<ParameterBlock*>& varying) {
  blocks_.clear();
  blocks_.reserve(problem.parameter_blocks().size());
  std::size_t num_columns = 0;
  for (const ParameterBlock* block : problem.parameter_blocks()) {
    const bool varies =
        num_columns < varying.size() && varying[num_columns] == block;
    const int tangent_size = block->tangent_size();
    const int num_held =
        block->manifold() == nullptr
            ? static_cast<int>(block->PinnedCoordinates().size())
            : 0;
    blocks_.push_back({block->user_state(), block->size(), tangent_size,
                       tangent_size - num_held,
                       varies ? static_cast<int>(num_columns) : kNone, kNone});
    if (varies) ++num_columns;
  }
  std::sort(blocks_.begin(), blocks_.end(),
            [](const Block& a, const Block& b) { return a.values < b.values; });
}

std::string CovarianceImpl::InvalidOption() const {
  std::ostringstream text;
  if (options_.num_threads < 1) {
    text << "Options::num_threads is " << options_.num_threads
         << "; it must be at least 1.";
  } else if (options_.algorithm_type == SPARSE_QR) {
    const SparseLinearAlgebraLibraryType library =
        options_.sparse_linear_algebra_library_type;
    if ((library != SUITE_SPARSE && library != EIGEN_SPARSE &&
         library != NATIVE_SPARSE) ||
        !IsSparseLinearAlgebraLibraryTypeAvailable(library)) {
      text << "SPARSE_QR cannot use "
              "Options::sparse_linear_algebra_library_type "
           << SparseLinearAlgebraLibraryTypeToString(library)
           << "; use NATIVE_SPARSE, or SUITE_SPARSE or EIGEN_SPARSE if the "
              "build "
              "has them.";
    }
  } else if (options_.algorithm_type != DENSE_SVD &&
             options_.algorithm_type != SPARSE_CHOLESKY) {
    text << "Options::algorithm_type must be SPARSE_QR, DENSE_SVD or "
            "SPARSE_CHOLESKY.";
  }
  return text.str();
}

bool CovarianceImpl::ComputePairs(const Pairs& pairs,
                                  const std::vector<ParameterBlock*>& varying,
                                  const ActiveConstraints& constraints,
                                  ProblemImpl* problem, std::string* message) {
  *message = InvalidOption();
  if (!message->empty()) return false;
  PlanPairs(pairs);
  if (pairs_.empty()) return true;  // Nothing but constant blocks.

  const Program whole(varying, /*num_eliminated=*/0,
                      constraints.AllResidualBlocks());
  const std::optional<Program> pinned = whole.WithPinnedCoordinates();
  const Program& program = pinned ? *pinned : whole;
  Evaluator::Options options;
  options.apply_loss_function = options_.apply_loss_function;
  options.evaluation_callback = problem->options().evaluation_callback;
  if (options_.num_threads > 1) {
    problem->context()->EnsureMinimumThreads(options_.num_threads);
    options.execution = {problem->context(), options_.num_threads};
  }
  Evaluator evaluator(program, options);
  std::vector<double> state(program.num_state());
  program.ReadUserMemory(state.data());
  BlockJacobian jacobian;
  jacobian.structure = &evaluator.structure();
  jacobian.values.Resize(jacobian.structure->num_values());
  std::vector<double> squared_column_norms(program.num_delta());
  double cost = 0.0;
  const Evaluator::Result result = evaluator.EvaluateJacobian(
      state.data(), /*new_evaluation_point=*/true, &cost, &jacobian,
      /*gradient=*/nullptr, squared_column_norms.data());
  if (!result) {
    *message = result.message;
    return false;
  }
  const std::vector<bool> is_constraint =
      FindConstraintRows(program, constraints);
  if (!is_constraint.empty()) {
    SumSquaresOfJ(jacobian, is_constraint, &squared_column_norms);
  }
  return EvaluatePlusJacobians(*problem, program, message) &&
         Invert(options.execution, jacobian, squared_column_norms.data(),
                is_constraint, varying, message);
}

// The pairs of varying blocks, each once.
void CovarianceImpl::PlanPairs(const Pairs& pairs) {
  pairs_.clear();
  std::vector<int> num_columns(blocks_.size(), 0);
  for (const Block& block : blocks_) {
    if (block.column != kNone) num_columns[block.column] = block.num_columns;
  }
  for (const auto& [a, b] : pairs) {
    const auto [low, high] =
        std::minmax(FindBlock(a)->column, FindBlock(b)->column);
    if (low != kNone) pairs_.push_back({low, high, 0});
  }
  std::sort(pairs_.begin(), pairs_.end(), [](const Pair& x, const Pair& y) {
    return std::tie(x.a, x.b) < std::tie(y.a, y.b);
  });
  pairs_.erase(std::unique(pairs_.begin(), pairs_.end(),
                           [](const Pair& x, const Pair& y) {
                             return x.a == y.a && x.b == y.b;
                           }),
               pairs_.end());
  int64_t num_values = 0;
  for (Pair& pair : pairs_) {
    pair.offset = num_values;
    num_values += int64_t{num_columns[pair.a]} * num_columns[pair.b];
  }
  values_.assign(num_values, 0.0);
}

bool CovarianceImpl::EvaluatePlusJacobians(const ProblemImpl& problem,
                                           const Program& program,
                                           std::string* message) {
  plus_jacobians_.clear();
  std::vector<bool> is_asked_for(program.num_column_blocks(), false);
  for (const Pair& pair : pairs_) {
    is_asked_for[pair.a] = true;
    is_asked_for[pair.b] = true;
  }
  for (Block& block : blocks_) {
    if (block.column == kNone || !is_asked_for[block.column]) continue;
    const Manifold* manifold = program.manifolds()[block.column];
    if (manifold == nullptr) continue;
    RowMajor plus_jacobian(block.size, block.num_columns);
    if (!manifold->PlusJacobian(block.values, plus_jacobian.data())) {
      *message =
          "the PlusJacobian of the manifold of parameter block " +
          std::to_string(problem.GetParameterBlock(block.values)->index()) +
          " of the problem failed.";
      return false;
    }
    block.plus_jacobian = static_cast<int>(plus_jacobians_.size());
    plus_jacobians_.push_back(std::move(plus_jacobian));
  }
  return true;
}

bool CovarianceImpl::Invert(const Execution& execution,
                            const BlockJacobian& jacobian,
                            const double* squared_column_norms,
                            const std::vector<bool>& is_constraint,
                            const std::vector<ParameterBlock*>& varying,
                            std::string* message) {
  if (options_.algorithm_type == DENSE_SVD) {
    return InvertBySvd(jacobian, is_constraint, message);
  }
  if (options_.algorithm_type == SPARSE_CHOLESKY && is_constraint.empty() &&
      InvertNormalMatrix(execution, jacobian, squared_column_norms,
                         options_.min_reciprocal_condition_number,
                         WantedBlocks())) {
    return true;
  }
  return InvertByQr(execution, jacobian, squared_column_norms, is_constraint,
                    varying, message);
}

bool CovarianceImpl::InvertByQr(const Execution& execution,
                                const BlockJacobian& jacobian,
                                const double* squared_column_norms,
                                const std::vector<bool>& is_constraint,
                                const std::vector<ParameterBlock*>& varying,
                                std::string* message) {
  const BlockJacobianStructure& s = *jacobian.structure;
  const BlockSymmetricStructure pattern = NormalPattern(s);
  // R of a QR factorization has the pattern of the Cholesky factor of J'J.
  const std::vector<int> order =
      LibraryOrdering(options_.algorithm_type == SPARSE_CHOLESKY
                          ? NATIVE_SPARSE
                          : options_.sparse_linear_algebra_library_type,
                      pattern, AMD, /*group=*/nullptr, message);
  if (!message->empty()) return false;
  double tolerance = options_.column_pivot_threshold;
  if (tolerance < 0.0) {
    const double max_squared_norm = *std::max_element(
        squared_column_norms, squared_column_norms + s.num_columns());
    tolerance = 20.0 * (static_cast<double>(s.num_rows()) + s.num_columns()) *
                std::numeric_limits<double>::epsilon() *
                std::sqrt(max_squared_norm);
  }
  BlockQr qr(s, pattern, order, is_constraint);
  const auto dependent = qr.Factorize(execution, jacobian, tolerance);
  if (dependent) {
    is_rank_deficient_ = true;
    std::ostringstream text;
    text << "the Jacobian has not full rank: tangent coordinate "
         << dependent->column << " of parameter block "
         << varying[dependent->block]->index() << ", at "
         << varying[dependent->block]->user_state()
         << ", is not determined by the residuals"
         << (is_constraint.empty() ? "" : " and the active constraints")
         << " once others are free to move (its pivot " << dependent->pivot
         << " is at most the threshold " << tolerance
         << "). Hold parameter blocks constant, add a prior, or use DENSE_SVD "
            "with null_space_rank.";
    *message = text.str();
    return false;
  }
  qr.ComputeInverseBlocks(execution, WantedBlocks());
  return true;
}

std::vector<InverseBlock> CovarianceImpl::WantedBlocks() {
  std::vector<InverseBlock> blocks;
  blocks.reserve(pairs_.size());
  for (const Pair& pair : pairs_) {
    blocks.push_back({pair.a, pair.b, values_.data() + pair.offset});
  }
  return blocks;
}

bool CovarianceImpl::InvertBySvd(const BlockJacobian& jacobian,
                                 const std::vector<bool>& is_constraint,
                                 std::string* message) {
  // J, its square factor, V, C and the work of the decomposition.
  const double columns = jacobian.structure->num_columns();
  const double bytes = (jacobian.structure->num_rows() + 4.0 * columns) *
                       columns * sizeof(double);
  double limit = 0.0;
  if (ExceedsMemory(bytes, &limit)) {
    std::ostringstream text;
    text << "DENSE_SVD needs at least " << bytes * 1e-9
         << " GB for dense matrices with " << columns
         << " columns, and this process can have " << limit * 1e-9
         << " GB. Use SPARSE_QR or SPARSE_CHOLESKY.";
    *message = text.str();
    return false;
  }
  Eigen::MatrixXd inverse;
  const bool is_inverted = DensePseudoInverse(
      jacobian, is_constraint, options_.min_reciprocal_condition_number,
      options_.null_space_rank, &inverse, message);
  is_rank_deficient_ = !message->empty();
  if (!is_inverted) return false;
  const BlockJacobianStructure& s = *jacobian.structure;
  for (const Pair& pair : pairs_) {
    const int rows = s.column_size(pair.a);
    const int columns = s.column_size(pair.b);
    Eigen::Map<RowMajor>(values_.data() + pair.offset, rows, columns) =
        inverse.block(s.column_offset[pair.a], s.column_offset[pair.b], rows,
                      columns);
  }
  return true;
}

const CovarianceImpl::Block* CovarianceImpl::FindBlock(
    const double* values) const {
  const auto block =
      std::lower_bound(blocks_.begin(), blocks_.end(), values,
                       [](const Block& block, const double* values) {
                         return block.values < values;
                       });
  return block != blocks_.end() && block->values == values ? &*block : nullptr;
}

const CovarianceImpl::Block& CovarianceImpl::KnownBlock(
    const double* values) const {
  const Block* block = FindBlock(values);
  VESTA_CHECK(block != nullptr)
      << "There is no covariance of the parameter block at " << values
      << ": it was not part of the problem of the last Covariance::Compute.";
  return *block;
}

const CovarianceImpl::Pair* CovarianceImpl::FindPair(int column_a,
                                                     int column_b) const {
  const auto [a, b] = std::minmax(column_a, column_b);
  const std::pair<int, int> key(a, b);
  const auto pair =
      std::lower_bound(pairs_.begin(), pairs_.end(), key,
                       [](const Pair& x, const std::pair<int, int>& key) {
                         return std::pair(x.a, x.b) < key;
                       });
  return pair != pairs_.end() && pair->a == a && pair->b == b ? &*pair
                                                              : nullptr;
}

void CovarianceImpl::CheckComputed() const {
  VESTA_CHECK(is_computed_)
      << "A covariance was asked for, but Covariance::Compute "
         "was not called, or failed.";
}

bool CovarianceImpl::Find(const Block& a, const Block& b,
                          const Pair** pair) const {
  *pair = nullptr;
  if (a.column == kNone || b.column == kNone) return true;
  *pair = FindPair(a.column, b.column);
  if (*pair != nullptr) return true;
  VESTA_LOG(kError)
      << "The covariance of the parameter blocks at " << a.values << " and "
      << b.values
      << " was not among those that Covariance::Compute was asked for.";
  return false;
}

// `pair` null: one of them is constant.
CovarianceImpl::RowMajor CovarianceImpl::Values(const Block& a, const Block& b,
                                                const Pair* pair,
                                                Space space) const {
  if (pair == nullptr) {
    return RowMajor::Zero(Size(a, space), Size(b, space));
  }
  const double* stored = values_.data() + pair->offset;
  RowMajor values;
  if (a.column == pair->a) {
    values = Eigen::Map<const RowMajor>(stored, a.num_columns, b.num_columns);
  } else {
    values = Eigen::Map<const RowMajor>(stored, b.num_columns, a.num_columns)
                 .transpose();
  }
  values = TimesPlusJacobian(values.transpose(), a, space).transpose();
  return TimesPlusJacobian(values, b, space);
}

CovarianceImpl::RowMajor CovarianceImpl::TimesPlusJacobian(
    const RowMajor& values, const Block& b, Space space) const {
  if (b.plus_jacobian == kNone ||
      (space == Space::kTangent && b.num_columns == b.tangent_size)) {
    return values;
  }
  return values * plus_jacobians_[b.plus_jacobian].transpose();
}

bool CovarianceImpl::GetBlock(const double* a, const double* b, Space space,
                              double* values) const {
  CheckComputed();
  const Block& block_a = KnownBlock(a);
  const Block& block_b = KnownBlock(b);
  const Pair* pair = nullptr;
  if (!Find(block_a, block_b, &pair)) return false;
  Eigen::Map<RowMajor>(values, Size(block_a, space), Size(block_b, space)) =
      Values(block_a, block_b, pair, space);
  return true;
}

bool CovarianceImpl::GetMatrix(const std::vector<const double*>& blocks,
                               Space space, double* values) const {
  CheckComputed();
  std::vector<const Block*> known;
  std::vector<int> offset = {0};
  for (const double* block : blocks) {
    known.push_back(&KnownBlock(block));
    offset.push_back(offset.back() + Size(*known.back(), space));
  }
  const size_t n = known.size();
  std::vector<const Pair*> pairs(n * n, nullptr);
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < n; ++j) {
      if (!Find(*known[i], *known[j], &pairs[i * n + j])) return false;
    }
  }
  Eigen::Map<RowMajor> matrix(values, offset.back(), offset.back());
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < n; ++j) {
      matrix.block(offset[i], offset[j], Size(*known[i], space),
                   Size(*known[j], space)) =
          Values(*known[i], *known[j], pairs[i * n + j], space);
    }
  }
  return true;
}

}  // namespace ceres::internal

namespace ceres {

using internal::CovarianceImpl;
using Space = CovarianceImpl::Space;

Covariance::Covariance(const Options& options)
    : impl_(std::make_unique<CovarianceImpl>(options)) {}
Covariance::Covariance(Covariance&&) noexcept = default;
Covariance& Covariance::operator=(Covariance&&) noexcept = default;
Covariance::~Covariance() = default;

bool Covariance::Compute(
    const std::vector<std::pair<const double*, const double*>>&
        covariance_blocks,
    Problem* problem) {
  VESTA_CHECK(problem != nullptr);
  return impl_->Compute(covariance_blocks, problem->mutable_impl());
}

bool Covariance::Compute(const std::vector<const double*>& parameter_blocks,
                         Problem* problem) {
  VESTA_CHECK(problem != nullptr);
  return impl_->Compute(parameter_blocks, problem->mutable_impl());
}

bool Covariance::GetCovarianceBlock(const double* parameter_block1,
                                    const double* parameter_block2,
                                    double* covariance_block) const {
  return impl_->GetBlock(parameter_block1, parameter_block2, Space::kAmbient,
                         covariance_block);
}

bool Covariance::GetCovarianceBlockInTangentSpace(
    const double* parameter_block1, const double* parameter_block2,
    double* covariance_block) const {
  return impl_->GetBlock(parameter_block1, parameter_block2, Space::kTangent,
                         covariance_block);
}

bool Covariance::GetCovarianceMatrix(
    const std::vector<const double*>& parameter_blocks,
    double* covariance_matrix) const {
  return impl_->GetMatrix(parameter_blocks, Space::kAmbient, covariance_matrix);
}

bool Covariance::GetCovarianceMatrixInTangentSpace(
    const std::vector<const double*>& parameter_blocks,
    double* covariance_matrix) const {
  return impl_->GetMatrix(parameter_blocks, Space::kTangent, covariance_matrix);
}

}  // namespace ceres
