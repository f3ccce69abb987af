// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// distributed::Covariance: blocks of S^-1.

#include <algorithm>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "ceres/base/format.h"
#include "ceres/distributed.h"
#include "ceres/distributed/block_pattern.h"
#include "ceres/distributed/hashing.h"
#include "ceres/distributed/rank_problem.h"
#include "ceres/distributed/schur_over_ranks.h"
#include "ceres/distributed/tree_sum.h"
#include "ceres/execution/stop_signal.h"
#include "ceres/logging/logging.h"
#include "ceres/solver/minimizer_setup.h"
#include "ceres/sparse/sparse_cholesky.h"

namespace ceres::internal {
namespace {

using IdPairs = std::vector<std::pair<std::int64_t, std::int64_t>>;
// The numbers of two column blocks of the reduced system.
using NumberPairs = std::vector<std::pair<int, int>>;

std::string CheckSolvers(const distributed::Options& options) {
  const bool is_gathered =
      options.reduced_solver == distributed::ReducedSolver::AUTOMATIC ||
      options.reduced_solver == distributed::ReducedSolver::GATHERED;
  return options.linear_solver_type == SPARSE_SCHUR && is_gathered
             ? ""
             : "distributed::Covariance needs Options::linear_solver_type = "
               "SPARSE_SCHUR and reduced_solver = AUTOMATIC or GATHERED.";
}

std::string FindNumbers(const SharedLayout& layout, const IdPairs& ids,
                        NumberPairs* numbers) {
  for (const auto& [a, b] : ids) {
    for (const std::int64_t id : {a, b}) {
      if (layout.number_of_id.count(id) > 0) continue;
      return Format(
          "shared block %lld has no covariance: it is on no rank, constant, or "
          "used by no residual block.",
          static_cast<long long>(id));
    }
    numbers->emplace_back(layout.number_of_id.at(a), layout.number_of_id.at(b));
  }
  return "";
}

// Evaluates the Jacobians of all leaves at the user's values. Collective.
std::string EvaluateJacobians(RankProblem* rank_problem) {
  const RankParts parts = rank_problem->parts();
  const Program& program = parts.columns->program();
  const MinimizerOptions options = ToMinimizerOptions(rank_problem->options());
  RankCollective collective(parts, options, &rank_problem->execution().stop(),
                            rank_problem->start());
  std::vector<double> state(program.num_state());
  program.ReadUserMemory(state.data());
  std::vector<double> gradient(program.num_delta());
  std::vector<double> column_norms(program.num_delta());
  double cost = 0.0;
  return collective
      .EvaluateJacobian(state.data(), /*new_evaluation_point=*/true, &cost,
                        gradient.data(), column_norms.data())
      .message;
}

// Gathers S on the root, without damping. Collective.
std::string GatherS(const RankParts& parts,
                    const BlockSymmetricStructure& pattern,
                    std::vector<double>* values) {
  TreeSum sum(parts.ranks, parts.layout->tree, parts.layout->local_leaves,
              SystemEntriesOf(*parts.leaves, pattern), SystemPlaces(pattern),
              parts.execution);
  const std::vector<double> no_damping(parts.columns->program().num_delta(),
                                       0.0);
  const Fault mine = RunPart([&] {
    Fault fault;
    sum.SumLocal([&](int k, double* leaf_values) {
      LeafSystem& leaf = *(*parts.leaves)[k];
      if (fault.kind != Fault::kNone) return;
      if (!leaf.Eliminate(no_damping.data(), &fault.message)) {
        fault.kind = Fault::kRejected;
        return;
      }
      leaf.AssembleSystem(leaf_values);
    });
    return fault;
  });
  const Fault worst = parts.agreement->Settle(Phase::kReducedSystem, mine);
  if (worst.kind != Fault::kNone) {
    return "The Jacobian is rank deficient. " + worst.message;
  }
  if (parts.ranks->is_root()) values->resize(sum.size());
  sum.Combine(Phase::kReducedSystem, TreeSum::Destination::kRoot,
              values->data());
  return "";
}

// The blocks of S^-1 at pairs of column blocks, one behind the other,
// row-major. On the root.
class InverseBlocks {
 public:
  InverseBlocks(const BlockSymmetricStructure& pattern,
                const NumberPairs& numbers)
      : pattern_(pattern), numbers_(numbers) {}

  int width(int block) const {
    return pattern_.block_offset[block + 1] - pattern_.block_offset[block];
  }
  std::int64_t size() const {
    std::int64_t size = 0;
    for (const auto& [a, b] : numbers_) {
      size += std::int64_t{width(a)} * width(b);
    }
    return size;
  }

  // Solves for each column of each second block.
  Fault Compute(const SparseCholesky::Options& options,
                const Execution& execution, const std::vector<double>& s,
                double* blocks) const {
    const auto cholesky = SparseCholesky::Create(options, pattern_, nullptr);
    Fault fault;
    if (cholesky->Factorize(execution, s.data(), &fault.message) !=
        LinearSolverTermination::kSuccess) {
      return {Fault::kRejected,
              "The Jacobian is rank deficient. " + fault.message};
    }
    std::vector<double> unit(pattern_.size(), 0.0);
    std::vector<double> column(pattern_.size());
    for (const auto& [a, b] : numbers_) {
      for (int c = 0; c < width(b); ++c) {
        unit[pattern_.block_offset[b] + c] = 1.0;
        if (cholesky->Solve(unit.data(), column.data(), &fault.message) !=
            LinearSolverTermination::kSuccess) {
          return {Fault::kRejected, fault.message};
        }
        unit[pattern_.block_offset[b] + c] = 0.0;
        const double inflation =
            column[pattern_.block_offset[b] + c] * Diagonal(s, b, c);
        if (!(inflation < kMaxInflation)) {
          return {Fault::kRejected,
                  Format("The Jacobian is rank deficient, or nearly so: the "
                         "variance of coordinate %d of block %d of the reduced "
                         "system is %.3g times that with all others known.",
                         c, b, inflation)};
        }
        for (int r = 0; r < width(a); ++r) {
          blocks[r * width(b) + c] = column[pattern_.block_offset[a] + r];
        }
      }
      blocks += width(a) * width(b);
    }
    return {};
  }

 private:
  // A variance over the variance if all other columns were known: S_jj
  // (S^-1)_jj. If S is singular, rounding leaves about 1 / epsilon.
  static constexpr double kMaxInflation = 1e13;

  double Diagonal(const std::vector<double>& s, int block, int i) const {
    const std::int64_t first =
        pattern_.value_offset[pattern_.first_entry[block]];
    return s[first + std::int64_t{i} * (width(block) + 1)];
  }

  const BlockSymmetricStructure& pattern_;
  const NumberPairs& numbers_;
};

// Writes all blocks on all ranks. Collective.
std::string ComputeBlocks(const RankParts& parts,
                          const SparseCholesky::Options& options,
                          const NumberPairs& numbers,
                          std::vector<double>* blocks) {
  const BlockSymmetricStructure pattern =
      UnionOfPatterns(parts.ranks, *parts.layout, *parts.leaves);
  std::vector<double> s;
  std::string error = GatherS(parts, pattern, &s);
  if (!error.empty()) return error;
  const InverseBlocks inverse(pattern, numbers);
  blocks->resize(inverse.size());
  const Fault mine = RunPart([&] {
    return parts.ranks->is_root()
               ? inverse.Compute(options, parts.execution, s, blocks->data())
               : Fault();
  });
  const Fault worst = parts.agreement->Settle(Phase::kStep, mine);
  if (worst.kind != Fault::kNone) return worst.message;
  parts.ranks->Broadcast(Phase::kStep, RankGroup::kRoot,
                         static_cast<std::int64_t>(blocks->size()),
                         blocks->data());
  return "";
}

// Returns an empty string, or the error of all ranks.
std::string RunStages(RankProblem* rank_problem, const IdPairs& ids,
                      NumberPairs* numbers, std::vector<double>* blocks) {
  std::string error =
      FirstError(&rank_problem->ranks(), CheckSolvers(rank_problem->options()));
  if (!error.empty()) return error;
  Hash hash;
  for (const auto& [a, b] : ids) hash.AddValue(a).AddValue(b);
  error = rank_problem->CheckCall("distributed::Covariance",
                                  {{"(pairs of blocks)", hash.value()}});
  if (!error.empty()) return error;
  error = rank_problem->FindBlocks();
  if (!error.empty()) return error;
  error = FindNumbers(rank_problem->layout(), ids, numbers);
  if (!error.empty() || ids.empty()) return error;
  rank_problem->PrepareLeaves({});
  error = EvaluateJacobians(rank_problem);
  if (!error.empty()) return error;
  return ComputeBlocks(rank_problem->parts(),
                       LeafOptions(rank_problem->options(), {}).sparse,
                       *numbers, blocks);
}

}  // namespace
}  // namespace ceres::internal

namespace ceres::distributed {

bool Covariance::Compute(
    const Options& options, MPI_Comm comm, const SharedBlocks& shared,
    const std::vector<std::pair<std::int64_t, std::int64_t>>& blocks,
    Problem* problem, std::string* error) {
  VESTA_CHECK(problem != nullptr && error != nullptr)
      << "distributed::Covariance::Compute: a pointer is null.";
  blocks_.clear();
  internal::RankProblem rank_problem(options, comm, shared,
                                     problem->mutable_impl());
  internal::NumberPairs numbers;
  std::vector<double> values;
  try {
    *error = internal::RunStages(&rank_problem, blocks, &numbers, &values);
  } catch (const internal::RankFailure& failure) {
    *error = failure.message;
  } catch (const internal::Stopped&) {
    *error = "Stopped by Options::cancellation_token of a rank.";
  } catch (const std::exception& exception) {
    rank_problem.ranks().EndJob(internal::Format(
        "an error outside of user code: %s.", exception.what()));
  }
  if (!error->empty()) return false;
  const std::vector<int>& offset = rank_problem.layout().block_offset;
  const double* next = values.data();
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    Block& block = blocks_[blocks[i]];
    const auto& [a, b] = numbers[i];
    block.rows = offset[a + 1] - offset[a];
    block.columns = offset[b + 1] - offset[b];
    const int size = block.rows * block.columns;
    block.values.assign(next, next + size);
    next += size;
  }
  return true;
}

bool Covariance::GetCovarianceBlockInTangentSpace(std::int64_t a,
                                                  std::int64_t b,
                                                  double* block) const {
  const auto found = blocks_.find({a, b});
  if (found != blocks_.end()) {
    std::copy(found->second.values.begin(), found->second.values.end(), block);
    return true;
  }
  const auto mirrored = blocks_.find({b, a});
  if (mirrored == blocks_.end()) return false;
  const Block& other = mirrored->second;
  for (int r = 0; r < other.rows; ++r) {
    for (int c = 0; c < other.columns; ++c) {
      block[c * other.rows + r] = other.values[r * other.columns + c];
    }
  }
  return true;
}

}  // namespace ceres::distributed
