// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/report/advice.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "Eigen/SVD"
#include "ceres/base/format.h"
#include "ceres/kernels/narrow_qr.h"
#include "ceres/problem/problem_impl.h"

namespace ceres::internal {
namespace {

constexpr double kLinearSolverShare = 0.25;
constexpr double kMaxScaleRatio = 1e8;
// Smaller singular values, relative to the largest, are zero but for rounding.
constexpr double kRankTolerance = 1e-10;
// The default of Solver::Options::function_tolerance.
constexpr double kSmallChange = 1e-6;
// A final cost that is smaller, relative to the initial cost, is zero but for
// rounding.
constexpr double kExactFit = 1e-12;
constexpr std::size_t kMaxNames = 5;

using MaybeAdvice = std::optional<Advice>;

const std::vector<ParameterBlock*>& ParameterBlocks(const AdviceInput& in) {
  return in.problem->mutable_impl()->parameter_blocks();
}

std::string NameOf(const AdviceInput& in, int block) {
  return in.names.OfParameterBlock(ParameterBlocks(in)[block]->user_state(),
                                   block);
}

// "a, b, c and 7 more".
std::string List(const AdviceInput& in, const std::set<int>& blocks) {
  std::string text;
  std::size_t count = 0;
  for (const int block : blocks) {
    if (count == kMaxNames) break;
    text += (count++ == 0 ? "" : ", ") + NameOf(in, block);
  }
  if (blocks.size() > count) {
    text += Format(" and %d more", static_cast<int>(blocks.size() - count));
  }
  return text;
}

// The parameter block of a column of the scan.
int BlockOfColumn(const AdviceInput& in, int column) {
  const std::vector<int>& first = in.scan.first_column;
  return static_cast<int>(std::upper_bound(first.begin(), first.end(), column) -
                          first.begin()) -
         1;
}

int NumSteps(const Solver::Summary& summary) {
  return std::max(0, static_cast<int>(summary.iterations.size()) - 1);
}

double SecondsPerIteration(const Solver::Summary& summary) {
  const int steps = NumSteps(summary);
  return steps > 0 ? summary.minimizer_time_in_seconds / steps : 0.0;
}

double LinearSolverShare(const Solver::Summary& summary) {
  return summary.total_time_in_seconds > 0.0
             ? summary.linear_solver_time_in_seconds /
                   summary.total_time_in_seconds
             : 0.0;
}

MaybeAdvice NotConverged(const AdviceInput& in) {
  const Solver::Summary& s = in.summary;
  if (s.termination_type != NO_CONVERGENCE || NumSteps(s) < 2) return {};
  const IterationSummary& last = s.iterations.back();
  const double change = last.cost_change / (last.cost + last.cost_change);
  // Users who want a fixed number of iterations set tiny tolerances.
  if (!(change > std::max(kSmallChange, in.options.function_tolerance))) {
    return {};
  }
  return Advice{"not_converged", AdviceLevel::kWarning,
                "The solve ended before it converged",
                Format("The last of %d iterations reduced the cost by %.2g of "
                       "its value.",
                       NumSteps(s), change),
                "Increase Solver::Options::max_num_iterations or "
                "max_solver_time_in_seconds."};
}

MaybeAdvice RejectedSteps(const AdviceInput& in) {
  // At the solution the cost changes by rounding only, and steps are rejected
  // by chance.
  constexpr double kRelativeRounding = 1e-9;
  int rejected = 0;
  for (const IterationSummary& iteration : in.summary.iterations) {
    const bool counts =
        !iteration.step_is_successful && !(std::abs(iteration.cost_change) <=
                                           kRelativeRounding * iteration.cost);
    rejected += counts ? 1 : 0;
  }
  const int steps = NumSteps(in.summary);
  if (steps < 6 || 2 * rejected < steps) return {};
  return Advice{
      "rejected_steps", AdviceLevel::kWarning, "Many steps were rejected",
      Format("%d of %d steps did not reduce the cost.", rejected, steps),
      "Check the derivatives once with Solver::Options::check_gradients. If "
      "they are right, start nearer to the solution, or with a smaller "
      "initial_trust_region_radius."};
}

bool IsDense(LinearSolverType type) {
  return type == DENSE_QR || type == DENSE_NORMAL_CHOLESKY;
}

bool SuitsSchur(const StructureSection& s) {
  return s.num_columns >= 300 &&
         4 * s.num_eliminated_blocks >= 3 * s.num_column_blocks &&
         2 * s.num_eliminated_columns >= s.num_columns &&
         s.num_remaining_columns > 0;
}

MaybeAdvice BetterLinearSolver(const AdviceInput& in) {
  const StructureSection& s = in.structure;
  const LinearSolverType type = in.summary.linear_solver_type_used;
  const double share = LinearSolverShare(in.summary);
  if (in.summary.minimizer_type == LINE_SEARCH || s.normal_density <= 0.0 ||
      share < kLinearSolverShare) {
    return {};
  }
  const std::string time =
      Format(" The linear solver takes %.0f %% of the time.", 100.0 * share);
  const auto advice = [&](const std::string& better,
                          const std::string& evidence) {
    return Advice{"linear_solver", AdviceLevel::kHint,
                  better + " suits this problem better than " +
                      LinearSolverTypeToString(type),
                  evidence + time,
                  "Set Solver::Options::linear_solver_type to " + better + "."};
  };
  if ((IsDense(type) || type == SPARSE_NORMAL_CHOLESKY) && SuitsSchur(s)) {
    return advice(
        "SPARSE_SCHUR",
        Format("No two of %d parameter blocks, of %d, share a residual block. "
               "Without them %d of %d columns are left.",
               s.num_eliminated_blocks, s.num_column_blocks,
               s.num_remaining_columns, s.num_columns));
  }
  if (IsDense(type) && s.num_columns >= 500 && s.normal_density <= 0.2) {
    return advice("SPARSE_NORMAL_CHOLESKY",
                  Format("J'J has %d columns, and %.2g %% of its entries are "
                         "not zero.",
                         s.num_columns, 100.0 * s.normal_density));
  }
  if ((type == SPARSE_NORMAL_CHOLESKY || type == DENSE_NORMAL_CHOLESKY) &&
      s.num_columns <= kernels::kMaxNarrowPivots) {
    return advice("DENSE_QR",
                  Format("The Jacobian has %d columns only. DENSE_QR has code "
                         "of its own for at most %d.",
                         s.num_columns, kernels::kMaxNarrowPivots));
  }
  if (type == DENSE_SCHUR && s.num_remaining_columns >= 1000 &&
      s.schur_density > 0.0 && s.schur_density <= 0.2) {
    return advice("SPARSE_SCHUR",
                  Format("The Schur complement has %d columns, and %.2g %% of "
                         "its entries are not zero.",
                         s.num_remaining_columns, 100.0 * s.schur_density));
  }
  return {};
}

MaybeAdvice LinearIterations(const AdviceInput& in) {
  const LinearSolverType type = in.summary.linear_solver_type_used;
  if (in.summary.minimizer_type == LINE_SEARCH ||
      (type != ITERATIVE_SCHUR && type != CGNR)) {
    return {};
  }
  double sum = 0.0;
  for (const IterationSummary& iteration : in.summary.iterations) {
    sum += iteration.linear_solver_iterations;
  }
  const int steps = NumSteps(in.summary);
  if (steps == 0 || sum / steps < 100.0) return {};
  return Advice{
      "linear_iterations", AdviceLevel::kHint,
      "Conjugate gradients take many iterations",
      Format("%.0f iterations per step on average, with the preconditioner "
             "%s.",
             sum / steps,
             PreconditionerTypeToString(in.summary.preconditioner_type_used)),
      "Set Solver::Options::preconditioner_type to a stronger one, or use a "
      "direct linear_solver_type if memory permits."};
}

MaybeAdvice FewThreads(const AdviceInput& in) {
  const double seconds = SecondsPerIteration(in.summary);
  if (in.summary.num_threads_used != 1 || in.time.num_cpus < 2 ||
      seconds < 1e-3) {
    return {};
  }
  return Advice{
      "few_threads", AdviceLevel::kHint,
      "More threads can make the solve faster",
      Format("One of %d cpus was used, and an iteration takes %.1f ms.",
             in.time.num_cpus, 1e3 * seconds),
      Format("Set Solver::Options::num_threads to %d. The result has the same "
             "bits.",
             in.time.num_cpus)};
}

MaybeAdvice LittleWork(const AdviceInput& in) {
  const double seconds = SecondsPerIteration(in.summary);
  if (in.summary.num_threads_used < 2 || seconds <= 0.0 || seconds > 1e-4) {
    return {};
  }
  return Advice{
      "little_work", AdviceLevel::kHint,
      "There is too little work for several threads",
      Format("An iteration takes %.3g ms, with %d threads.", 1e3 * seconds,
             in.summary.num_threads_used),
      "More threads will not help. Solve many such problems at the same time "
      "with ceres::SolveMany."};
}

MaybeAdvice Scaling(const AdviceInput& in) {
  const std::vector<double>& squared = in.scan.squared_column_norm;
  int smallest = -1;
  int largest = -1;
  for (int c = 0; c < static_cast<int>(squared.size()); ++c) {
    if (!(squared[c] > 0.0)) continue;
    if (smallest < 0 || squared[c] < squared[smallest]) smallest = c;
    if (largest < 0 || squared[c] > squared[largest]) largest = c;
  }
  if (smallest < 0) return {};
  const double ratio = std::sqrt(squared[largest] / squared[smallest]);
  if (!(ratio > kMaxScaleRatio)) return {};
  const int small_block = BlockOfColumn(in, smallest);
  const int large_block = BlockOfColumn(in, largest);
  return Advice{
      "scaling", AdviceLevel::kWarning, "Parameters have very different scales",
      Format("Columns of the Jacobian have norms from %.1e (%s, coordinate "
             "%d) to %.1e (%s, coordinate %d), a factor of %.0e.",
             std::sqrt(squared[smallest]), NameOf(in, small_block).c_str(),
             smallest - in.scan.first_column[small_block],
             std::sqrt(squared[largest]), NameOf(in, large_block).c_str(),
             largest - in.scan.first_column[large_block], ratio),
      "Choose units so that a change of 1 has a similar effect for every "
      "parameter. Leave Solver::Options::jacobi_scaling on."};
}

MaybeAdvice AtBounds(const AdviceInput& in) {
  std::set<int> blocks;
  int count = 0;
  for (const ParameterBlock* block : ParameterBlocks(in)) {
    if (!block->has_bounds() || block->IsConstant()) continue;
    for (int i = 0; i < block->size(); ++i) {
      const double value = block->user_state()[i];
      const double slack = 1e-12 * std::abs(value);
      if (value > block->LowerBound(i) + slack &&
          value < block->UpperBound(i) - slack) {
        continue;
      }
      ++count;
      blocks.insert(block->index());
    }
  }
  if (count == 0) return {};
  return Advice{
      "bounds", AdviceLevel::kHint, "Parameters are at their bounds",
      Format("%d coordinates of %d parameter blocks: %s.", count,
             static_cast<int>(blocks.size()), List(in, blocks).c_str()),
      "If a bound is a guess and not a fact, widen it with "
      "Problem::SetParameterLowerBound or SetParameterUpperBound. If it is a "
      "fact, the covariance does not hold for this parameter."};
}

MaybeAdvice DominatingBlocks(const AdviceInput& in) {
  const std::vector<double>& cost = in.scan.cost;
  if (cost.size() < 20) return {};
  const double total = std::accumulate(cost.begin(), cost.end(), 0.0);
  std::vector<int> order(cost.size());
  std::iota(order.begin(), order.end(), 0);
  const std::size_t count = std::max<std::size_t>(1, cost.size() / 100);
  std::partial_sort(order.begin(),
                    order.begin() + static_cast<std::ptrdiff_t>(count),
                    order.end(), [&](int a, int b) {
                      return cost[a] != cost[b] ? cost[a] > cost[b] : a < b;
                    });
  double sum = 0.0;
  for (std::size_t i = 0; i < count; ++i) sum += cost[order[i]];
  if (!(sum > 0.5 * total) || !(total > 0.0)) return {};
  // The residuals of an exact fit are rounding.
  if (total < kExactFit * in.summary.initial_cost) return {};
  const std::vector<ResidualBlock*>& blocks =
      in.problem->mutable_impl()->residual_blocks();
  // Blocks with most of the residuals have most of the cost, too.
  double num_residuals = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    num_residuals += blocks[order[i]]->num_residuals();
  }
  const double share_of_residuals =
      num_residuals / in.problem->mutable_impl()->num_residuals();
  if (sum < 5.0 * share_of_residuals * total) return {};
  const bool has_loss = blocks[order[0]]->has_loss_function();
  return Advice{
      "dominating_blocks", AdviceLevel::kWarning,
      "A few residual blocks dominate the cost",
      Format("%d of %d residual blocks have %.0f %% of the cost. The largest "
             "is residual block %d with %.0f %%.",
             static_cast<int>(count), static_cast<int>(cost.size()),
             100.0 * sum / total, order[0], 100.0 * cost[order[0]] / total),
      has_loss ? "Look at the worst blocks. If they are outliers, use a loss "
                 "function that grows more slowly, such as CauchyLoss or "
                 "TukeyLoss, or remove the blocks."
               : "Look at the worst blocks. If they are outliers, give the "
                 "residual blocks a LossFunction, such as HuberLoss."};
}

std::set<int> BlocksWithoutEffect(const AdviceInput& in) {
  std::set<int> blocks;
  const std::vector<double>& squared = in.scan.squared_column_norm;
  for (int c = 0; c < static_cast<int>(squared.size()); ++c) {
    if (squared[c] == 0.0) blocks.insert(BlockOfColumn(in, c));
  }
  return blocks;
}

MaybeAdvice UnusedParameters(const AdviceInput& in) {
  const std::set<int> blocks = BlocksWithoutEffect(in);
  if (blocks.empty()) return {};
  return Advice{
      "unused_parameters", AdviceLevel::kWarning,
      "Parameters have no effect on the residuals",
      Format("The Jacobian has columns of zeros for %d parameter blocks: %s.",
             static_cast<int>(blocks.size()), List(in, blocks).c_str()),
      "Hold them with Problem::SetParameterBlockConstant, or with a "
      "SubsetManifold, or add the residual blocks that they need."};
}

MaybeAdvice Rank(const AdviceInput& in) {
  const Eigen::MatrixXd& r = in.scan.scaled_r;
  if (r.size() == 0 || !r.allFinite()) return {};
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(r, Eigen::ComputeFullV);
  const Eigen::VectorXd& values = svd.singularValues();
  int deficiency = 0;
  std::set<int> blocks;
  for (Eigen::Index k = 0; k < values.size(); ++k) {
    if (values[k] > kRankTolerance * values[0]) continue;
    ++deficiency;
    const auto direction = svd.matrixV().col(k);
    const double largest = direction.cwiseAbs().maxCoeff();
    for (Eigen::Index c = 0; c < direction.size(); ++c) {
      if (std::abs(direction[c]) > 0.1 * largest) {
        blocks.insert(BlockOfColumn(in, static_cast<int>(c)));
      }
    }
  }
  // Columns of zeros have a rule of their own.
  const std::vector<double>& squared = in.scan.squared_column_norm;
  const auto num_zero = std::count(squared.begin(), squared.end(), 0.0);
  if (deficiency <= num_zero) return {};
  return Advice{
      "rank", AdviceLevel::kWarning,
      "The residuals do not determine all parameters",
      Format("The Jacobian has rank %d for %d columns. These parameters can "
             "change together without a change of the residuals: %s.",
             static_cast<int>(values.size()) - deficiency,
             static_cast<int>(values.size()), List(in, blocks).c_str()),
      "Hold a parameter block with Problem::SetParameterBlockConstant, or add "
      "a prior. Covariance needs Options::algorithm_type = DENSE_SVD."};
}

}  // namespace

std::vector<Advice> CollectAdvice(const AdviceInput& input) {
  std::vector<Advice> all;
  for (const auto rule :
       {NotConverged, RejectedSteps, Rank, UnusedParameters, Scaling,
        DominatingBlocks, AtBounds, BetterLinearSolver, LinearIterations,
        FewThreads, LittleWork}) {
    MaybeAdvice advice = rule(input);
    if (advice.has_value()) all.push_back(std::move(*advice));
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Advice& a, const Advice& b) {
                     return a.level == AdviceLevel::kWarning &&
                            b.level != AdviceLevel::kWarning;
                   });
  return all;
}

}  // namespace ceres::internal
