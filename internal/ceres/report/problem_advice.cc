// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/report/problem_advice.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "ceres/base/format.h"
#include "ceres/base/number.h"
#include "ceres/problem/added_batch.h"
#include "ceres/problem/problem_impl.h"
#include "ceres/report/type_names.h"

namespace ceres::internal {
namespace {

constexpr double kMaxScaleRatio = 1e8;
// A final cost that is smaller, relative to the initial cost, is zero but for
// rounding.
constexpr double kExactFit = 1e-12;
constexpr std::size_t kMaxNames = 5;

const std::vector<ParameterBlock*>& ParameterBlocks(const AdviceInput& in) {
  return in.problem->mutable_impl()->parameter_blocks();
}

std::string NameOf(const AdviceInput& in, int block) {
  return in.names.OfParameterBlock(ParameterBlocks(in)[block]->user_state(),
                                   block);
}

// "a, b, c and 7 more".
std::string NumBlocks(const std::set<int>& blocks) {
  return CountOf(static_cast<std::int64_t>(blocks.size()), "parameter block");
}

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

// Parameter blocks whose residual blocks all have weight 0, as beyond the scale
// of TukeyLoss.
std::set<int> BlocksBeyondLosses(const AdviceInput& in) {
  if (!in.scan.ok()) return {};
  enum Mark : char { kUnused, kWithoutWeight, kWithWeight };
  std::vector<Mark> marks(ParameterBlocks(in).size(), kUnused);
  for (const ResidualBlock* residual_block :
       in.problem->mutable_impl()->residual_blocks()) {
    const double weight = in.scan.weight[residual_block->index()];
    for (int k = 0; k < residual_block->num_parameter_blocks(); ++k) {
      const ParameterBlock& block = *residual_block->parameter_blocks()[k];
      if (block.IsConstant()) continue;
      Mark& mark = marks[block.index()];
      mark = std::max(mark, weight > 0.0 ? kWithWeight : kWithoutWeight);
    }
  }
  std::set<int> blocks;
  for (int k = 0; k < static_cast<int>(marks.size()); ++k) {
    if (marks[k] == kWithoutWeight) blocks.insert(k);
  }
  return blocks;
}

std::set<int> BlocksWithoutEffect(const AdviceInput& in) {
  std::set<int> blocks;
  const std::vector<double>& squared = in.scan.squared_column_norm;
  for (int c = 0; c < static_cast<int>(squared.size()); ++c) {
    if (squared[c] == 0.0) blocks.insert(BlockOfColumn(in, c));
  }
  for (const int block : BlocksBeyondLosses(in)) blocks.erase(block);
  return blocks;
}

}  // namespace

MaybeAdvice NotEvaluable(const AdviceInput& in) {
  if (in.scan.ok()) return {};
  ResidualBlock* block =
      in.problem->mutable_impl()->residual_blocks()[in.scan.failed_block];
  std::set<int> blocks;
  for (int k = 0; k < block->num_parameter_blocks(); ++k) {
    blocks.insert(block->parameter_blocks()[k]->index());
  }
  const std::string kind =
      in.names.residual_block
          ? in.names.residual_block(block)
          : ReadableTypeName(TypeOfTerm(*block->cost_function()));
  return Advice{
      "not_evaluable", AdviceLevel::kWarning,
      "A residual block cannot be evaluated",
      Format("%s It is a %s and depends on %s. Other residual blocks may fail, "
             "too: this one is the first.",
             in.scan.error.c_str(), kind.c_str(), List(in, blocks).c_str()),
      "Check the data of the residual block, and the values of its parameters. "
      "If they are right, start where its residuals and derivatives are "
      "finite, and keep them so by bounds. The log has all values."};
}

MaybeAdvice LargeResiduals(const AdviceInput& in) {
  constexpr double kLarge = 10.0;
  constexpr int kLeastResiduals = 5;
  if (in.summary.termination_type != CONVERGENCE) return {};
  const ResidualKind* worst = nullptr;
  double largest = kLarge;
  for (const ResidualKind& kind : in.residuals.kinds) {
    if (kind.num_residuals < kLeastResiduals) continue;
    const double size =
        kind.after.median *
        std::sqrt(double{1} * kind.num_blocks / kind.num_residuals);
    if (!(size > largest)) continue;
    largest = size;
    worst = &kind;
  }
  if (worst == nullptr) return {};
  return Advice{
      "large_residuals", AdviceLevel::kWarning,
      "Most residuals are much larger than 1",
      Format("Half of the residual blocks of the kind %s, %d in all, have "
             "residuals of %.2g or more (root mean square). Residuals that are "
             "divided by "
             "their standard deviations are about 1.",
             worst->name.c_str(), worst->num_blocks, largest),
      "Divide each residual by the standard deviation of its measurement. If "
      "you do, the standard deviations are too small, or the model does not "
      "describe the measurements. Loss functions and covariances then are "
      "wrong, too."};
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
      CountOf(count, "coordinate") + " of " + NumBlocks(blocks) + ": " +
          List(in, blocks) + ".",
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
      Format("%d of %d residual blocks %s %.0f %% of the cost. The largest "
             "is residual block %d with %.0f %%.",
             static_cast<int>(count), static_cast<int>(cost.size()),
             count == 1 ? "has" : "have", 100.0 * sum / total, order[0],
             100.0 * cost[order[0]] / total),
      has_loss ? "Look at the worst blocks. If they are outliers, use a loss "
                 "function that grows more slowly, such as CauchyLoss or "
                 "TukeyLoss, or remove the blocks."
               : "Look at the worst blocks. If they are outliers, give the "
                 "residual blocks a LossFunction, such as HuberLoss."};
}

MaybeAdvice BeyondLosses(const AdviceInput& in) {
  const std::set<int> blocks = BlocksBeyondLosses(in);
  if (blocks.empty()) return {};
  const auto num_without_weight =
      std::count(in.scan.weight.begin(), in.scan.weight.end(), 0.0);
  return Advice{
      "beyond_losses", AdviceLevel::kWarning,
      "Loss functions leave parameters without any measurement",
      Format("Residual blocks with weight 0: %d of %d. No others depend on %s: "
             "%s.",
             static_cast<int>(num_without_weight),
             static_cast<int>(in.scan.weight.size()), NumBlocks(blocks).c_str(),
             List(in, blocks).c_str()),
      "Solve first with a loss function whose weight is never 0, such as "
      "HuberLoss or CauchyLoss, or with a larger scale. Start from that "
      "result."};
}

MaybeAdvice UnusedParameters(const AdviceInput& in) {
  const std::set<int> blocks = BlocksWithoutEffect(in);
  if (blocks.empty()) return {};
  return Advice{"unused_parameters", AdviceLevel::kWarning,
                "Parameters have no effect on the residuals",
                "The Jacobian has columns of zeros for " + NumBlocks(blocks) +
                    ": " + List(in, blocks) + ".",
                "Hold them with Problem::SetParameterBlockConstant, or with a "
                "SubsetManifold, or add the residual blocks that they need."};
}

MaybeAdvice Rank(const AdviceInput& in) {
  const DiagnosisSection& diagnosis = in.diagnosis;
  // Columns of zeros have rules of their own.
  const std::vector<double>& squared = in.scan.squared_column_norm;
  const auto num_zero =
      static_cast<int>(std::count(squared.begin(), squared.end(), 0.0));
  const int deficiency = diagnosis.num_undetermined - num_zero;
  if (deficiency <= 0) return {};
  return Advice{"rank", AdviceLevel::kWarning,
                "The residuals do not determine all parameters",
                Format("The Jacobian has rank %d for %s.",
                       static_cast<int>(diagnosis.num_coordinates) -
                           diagnosis.num_undetermined,
                       CountOf(diagnosis.num_coordinates, "column").c_str()),
                "See the section \"What is undetermined\", which says why and "
                "what to do. "
                "Covariance needs Options::algorithm_type = DENSE_SVD."};
}

}  // namespace ceres::internal
