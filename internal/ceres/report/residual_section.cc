// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/report/residual_section.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <numeric>
#include <string>
#include <typeinfo>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ceres/base/format.h"
#include "ceres/problem/added_batch.h"
#include "ceres/problem/problem_impl.h"
#include "ceres/report/type_names.h"

namespace ceres::internal {
namespace {

constexpr int kMaxBins = 60;
constexpr int kMaxDecades = 12;
constexpr int kNumWeightBins = 20;

// The kind of each residual block, as an index into `names`.
struct KindOfBlocks {
  std::vector<std::string> names;
  std::vector<int> of_block;
};

KindOfBlocks NameKinds(const std::vector<ResidualBlock*>& blocks,
                       const ReportNames& report_names) {
  KindOfBlocks kinds;
  std::unordered_map<std::string, int> by_name;
  // A type may have several std::type_info objects, but has one name.
  std::unordered_map<const std::type_info*, int> by_type;
  const auto kind_of_name = [&](std::string name) {
    const auto [found, is_new] =
        by_name.emplace(name, static_cast<int>(kinds.names.size()));
    if (is_new) kinds.names.push_back(std::move(name));
    return found->second;
  };
  for (ResidualBlock* block : blocks) {
    if (report_names.residual_block) {
      kinds.of_block.push_back(
          kind_of_name(report_names.residual_block(block)));
      continue;
    }
    const std::type_info* const type = TypeOfTerm(*block->cost_function());
    const auto found = by_type.find(type);
    if (found != by_type.end()) {
      kinds.of_block.push_back(found->second);
      continue;
    }
    const int kind = kind_of_name(ReadableTypeName(type));
    by_type.emplace(type, kind);
    kinds.of_block.push_back(kind);
  }
  return kinds;
}

// Sorts the kinds by their number of blocks. Merges those beyond
// kMaxReportKinds into the last one.
KindOfBlocks SortKinds(const KindOfBlocks& kinds) {
  const int num_kinds = static_cast<int>(kinds.names.size());
  std::vector<int> count(num_kinds, 0);
  for (const int kind : kinds.of_block) ++count[kind];
  std::vector<int> order(num_kinds);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return count[a] > count[b]; });
  KindOfBlocks sorted;
  std::vector<int> place(num_kinds);
  for (int i = 0; i < num_kinds; ++i) {
    place[order[i]] = std::min(i, kMaxReportKinds - 1);
    if (i < kMaxReportKinds) sorted.names.push_back(kinds.names[order[i]]);
  }
  if (num_kinds > kMaxReportKinds) {
    sorted.names.back() =
        Format("%d other kinds", num_kinds - kMaxReportKinds + 1);
  }
  for (const int kind : kinds.of_block) sorted.of_block.push_back(place[kind]);
  return sorted;
}

struct NormRange {
  double smallest = 0.0;  // the smallest positive norm, or 0 if all are zero
  double largest = 0.0;
};

// The range of the norms without the smallest 1/500 of the positive ones. A few
// tiny norms would otherwise take half of the histogram.
NormRange RangeOf(std::vector<double> norms) {
  std::sort(norms.begin(), norms.end());
  const auto positive = std::upper_bound(norms.begin(), norms.end(), 0.0);
  if (positive == norms.end()) return {};
  return {*(positive + (norms.end() - positive) / 500), norms.back()};
}

// Chooses the bins of a histogram for norms in [smallest, largest]. smallest is
// 0 if all norms are zero.
void ChooseBins(double smallest, double largest, ResidualKind* kind) {
  const int last =
      largest > 0.0 ? static_cast<int>(std::floor(std::log10(largest))) : 0;
  const int first = smallest > 0.0
                        ? static_cast<int>(std::floor(std::log10(smallest)))
                        : last;
  kind->first_exponent = std::max(first, last - kMaxDecades + 1);
  const int decades = last - kind->first_exponent + 1;
  // The fewer blocks, the wider the bins.
  const int num_bins = std::min<int>(
      kMaxBins, static_cast<int>(2.0 * std::sqrt(kind->num_blocks)));
  kind->bins_per_decade = std::clamp(num_bins / decades, 1, 20);
}

int NumBins(const ResidualKind& kind, double largest) {
  const int last =
      largest > 0.0 ? static_cast<int>(std::floor(std::log10(largest))) : 0;
  return (last - kind.first_exponent + 1) * kind.bins_per_decade;
}

NormStatistics Summarize(const ResidualKind& kind, int num_bins,
                         std::vector<double> norms, double cost) {
  NormStatistics result;
  result.cost = cost;
  result.counts.assign(num_bins, 0);
  double sum_of_squares = 0.0;
  for (const double norm : norms) {
    sum_of_squares += norm * norm;
    const double exponent = norm > 0.0 ? std::log10(norm) : -1e3;
    const double bin =
        std::floor((exponent - kind.first_exponent) * kind.bins_per_decade);
    ++result.counts[static_cast<std::size_t>(
        std::clamp(bin, 0.0, num_bins - 1.0))];
  }
  std::sort(norms.begin(), norms.end());
  const std::size_t n = norms.size();
  result.rms = std::sqrt(sum_of_squares / static_cast<double>(n));
  result.median = norms[(n - 1) / 2];
  result.p95 = norms[(n - 1) * 95 / 100];
  result.max = norms.back();
  return result;
}

// Adds the blocks with loss functions of a kind, by the class of the loss.
void AddLosses(const std::vector<ResidualBlock*>& blocks,
               const std::vector<int>& members, const ProblemScan& scan,
               ResidualKind* kind) {
  std::map<std::string, LossStatistics> by_name;
  for (const int i : members) {
    if (!blocks[i]->has_loss_function()) continue;
    const LossFunction& loss_function = *blocks[i]->loss_function();
    LossStatistics& loss = by_name[ReadableTypeName(TypeOf(loss_function))];
    loss.weight_counts.resize(kNumWeightBins, 0);
    ++loss.num_blocks;
    // Divide by the weight of a zero residual: a loss that is multiplied by a
    // constant does not reduce the influence of outliers by that.
    double at_zero[3] = {0.0, 1.0, 0.0};
    loss_function.Evaluate(0.0, at_zero);
    const double scale =
        std::isfinite(at_zero[1]) && at_zero[1] > 0.0 ? at_zero[1] : 1.0;
    const double weight = scan.weight[i] / scale;
    loss.num_below_half += weight < 0.5 ? 1 : 0;
    loss.num_below_tenth += weight < 0.1 ? 1 : 0;
    loss.cost += scan.cost[i];
    loss.cost_without_loss += 0.5 * scale * scan.squared_norm[i];
    ++loss.weight_counts[std::clamp(
        static_cast<int>(std::clamp(weight, 0.0, 1.0) * kNumWeightBins), 0,
        kNumWeightBins - 1)];
  }
  for (auto& [name, loss] : by_name) {
    loss.name = name;
    kind->losses.push_back(std::move(loss));
  }
}

// The residual norms of the members of a kind.
std::vector<double> Norms(const ProblemScan& scan,
                          const std::vector<int>& members) {
  std::vector<double> norms;
  norms.reserve(members.size());
  for (const int i : members) norms.push_back(std::sqrt(scan.squared_norm[i]));
  return norms;
}

double Cost(const ProblemScan& scan, const std::vector<int>& members) {
  double cost = 0.0;
  for (const int i : members) cost += scan.cost[i];
  return cost;
}

ResidualKind CollectKind(const std::vector<ResidualBlock*>& blocks,
                         const std::vector<int>& members,
                         const ProblemScan* before, const ProblemScan& after) {
  ResidualKind kind;
  kind.num_blocks = static_cast<int>(members.size());
  double smallest = 0.0;
  double largest = 0.0;
  for (const ProblemScan* scan : {before, &after}) {
    if (scan == nullptr) continue;
    const NormRange range = RangeOf(Norms(*scan, members));
    largest = std::max(largest, range.largest);
    if (range.smallest > 0.0 &&
        (smallest == 0.0 || range.smallest < smallest)) {
      smallest = range.smallest;
    }
  }
  for (const int i : members) kind.num_residuals += blocks[i]->num_residuals();
  ChooseBins(smallest, largest, &kind);
  const int num_bins = NumBins(kind, largest);
  if (before != nullptr) {
    kind.has_before = true;
    kind.before = Summarize(kind, num_bins, Norms(*before, members),
                            Cost(*before, members));
  }
  kind.after =
      Summarize(kind, num_bins, Norms(after, members), Cost(after, members));
  AddLosses(blocks, members, after, &kind);
  return kind;
}

std::vector<WorstBlock> CollectWorst(const std::vector<ResidualBlock*>& blocks,
                                     const KindOfBlocks& kinds,
                                     const ProblemScan* before,
                                     const ProblemScan& after,
                                     const ReportNames& names) {
  std::vector<int> order(blocks.size());
  std::iota(order.begin(), order.end(), 0);
  const auto count = std::min<std::size_t>(order.size(), kNumWorstBlocks);
  const auto end = order.begin() + static_cast<std::ptrdiff_t>(count);
  std::partial_sort(order.begin(), end, order.end(), [&](int a, int b) {
    return after.squared_norm[a] != after.squared_norm[b]
               ? after.squared_norm[a] > after.squared_norm[b]
               : a < b;
  });
  std::vector<WorstBlock> worst;
  for (auto it = order.begin(); it != end; ++it) {
    const ResidualBlock& block = *blocks[*it];
    WorstBlock entry;
    entry.index = *it;
    entry.kind = kinds.of_block[*it];
    entry.norm = std::sqrt(after.squared_norm[*it]);
    entry.norm_before =
        before != nullptr ? std::sqrt(before->squared_norm[*it]) : entry.norm;
    entry.cost = after.cost[*it];
    entry.weight = after.weight[*it];
    const int num_names =
        std::min(block.num_parameter_blocks(), kMaxWorstNames);
    for (int i = 0; i < num_names; ++i) {
      const ParameterBlock& parameters = *block.parameter_blocks()[i];
      entry.parameter_blocks.push_back(
          names.OfParameterBlock(parameters.user_state(), parameters.index()));
    }
    if (block.num_parameter_blocks() > num_names) {
      entry.parameter_blocks.push_back(
          Format("%d more", block.num_parameter_blocks() - num_names));
    }
    worst.push_back(std::move(entry));
  }
  return worst;
}

}  // namespace

std::string ReportNames::OfParameterBlock(const double* values,
                                          int index) const {
  std::string name = parameter_block ? parameter_block(values) : "";
  return name.empty() ? Format("block %d", index) : name;
}

ResidualSection CollectResiduals(const ProblemScan& before,
                                 const ProblemScan& after,
                                 const ReportNames& names, Problem* problem) {
  ResidualSection section;
  section.error = after.error;
  const std::vector<ResidualBlock*>& blocks =
      problem->mutable_impl()->residual_blocks();
  section.num_blocks = static_cast<int>(blocks.size());
  if (!after.ok() || blocks.empty()) return section;
  section.cost = std::accumulate(after.cost.begin(), after.cost.end(), 0.0);

  const bool has_before =
      before.ok() && before.cost.size() == after.cost.size();
  const ProblemScan* before_or_null = has_before ? &before : nullptr;
  const KindOfBlocks kinds = SortKinds(NameKinds(blocks, names));
  std::vector<std::vector<int>> members(kinds.names.size());
  for (int i = 0; i < section.num_blocks; ++i) {
    members[kinds.of_block[i]].push_back(i);
  }
  for (std::size_t k = 0; k < members.size(); ++k) {
    section.kinds.push_back(
        CollectKind(blocks, members[k], before_or_null, after));
    section.kinds.back().name = kinds.names[k];
  }
  section.worst = CollectWorst(blocks, kinds, before_or_null, after, names);
  return section;
}

}  // namespace ceres::internal
