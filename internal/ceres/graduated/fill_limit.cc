// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/graduated/fill_limit.h"

#include <algorithm>
#include <numeric>

namespace ceres::internal {
namespace {

// The automatic limit: for each scalar of J'J of the whole problem.
constexpr double kOperationsPerEntry = 1000.0;
// A round may take this multiple of the operations of the blocks that it must
// have.
constexpr double kOverRequired = 2.0;
// The search for the number of blocks ends at this relative precision.
constexpr double kPrecision = 0.1;

double AutomaticLimit(const FillCounter& counter, const ProblemImpl& problem) {
  return kOperationsPerEntry *
         counter.NumEntries({problem.residual_blocks().begin(),
                             problem.residual_blocks().end()});
}

}  // namespace

FillLimit::FillLimit(const ProblemImpl& problem,
                     const std::vector<ResidualBlock*>& uncertain,
                     double num_operations)
    : counter_(problem),
      uncertain_(uncertain),
      limit_(num_operations > 0.0 ? num_operations
                                  : AutomaticLimit(counter_, problem)),
      order_(uncertain.size()) {
  // Uncertain blocks have the order of the problem.
  std::size_t next = 0;
  for (const ResidualBlock* block : problem.residual_blocks()) {
    if (next < uncertain.size() && uncertain[next] == block) {
      ++next;
    } else {
      certain_.push_back(block);
    }
  }
}

int FillLimit::Apply(std::vector<double>* weights) {
  std::iota(order_.begin(), order_.end(), 0);
  std::stable_sort(order_.begin(), order_.end(), [weights](int a, int b) {
    return (*weights)[a] > (*weights)[b];
  });
  const auto count = [&](auto is_in) {
    return static_cast<int>(
        std::partition_point(order_.begin(), order_.end(), is_in) -
        order_.begin());
  };
  const int required = count([weights](int i) { return (*weights)[i] >= 0.5; });
  const int all = count([weights](int i) { return (*weights)[i] > 0.0; });
  const int number = FindNumber(required, all);
  for (int k = number; k < all; ++k) (*weights)[order_[k]] = 0.0;
  last_number_ = number;
  return all - number;
}

int FillLimit::FindNumber(int required, int all) {
  double of_required = -1.0;
  const auto fits = [&](int number) {
    const double operations = NumOperationsOfFirst(number);
    if (operations <= limit_) return true;
    if (of_required < 0.0) of_required = NumOperationsOfFirst(required);
    return operations <= kOverRequired * of_required;
  };
  // low fits. high does not, or exceeds all. The number of the round before is
  // near, and counts of few blocks take little time.
  int low = required;
  int high = all + 1;
  int next = std::clamp(last_number_, std::min(required + 1, all), all);
  while (low < all && high - low > 1 &&
         (high > all || high - low > kPrecision * low)) {
    (fits(next) ? low : high) = next;
    next = high > all ? std::min(std::max(2 * low, low + 16), all)
                      : low + (high - low) / 2;
  }
  return low;
}

double FillLimit::NumOperationsOfFirst(int num_uncertain) const {
  std::vector<const ResidualBlock*> blocks = certain_;
  for (int k = 0; k < num_uncertain; ++k) {
    blocks.push_back(uncertain_[order_[k]]);
  }
  return counter_.NumOperations(blocks);
}

double FillLimit::NumOperations(const std::vector<double>& weights) const {
  std::vector<const ResidualBlock*> blocks = certain_;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] > 0.0) blocks.push_back(uncertain_[i]);
  }
  return counter_.NumOperations(blocks);
}

}  // namespace ceres::internal
