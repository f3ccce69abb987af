// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// ProblemImpl::AddResidualBlocks. A single addition mostly waits for memory:
// the cost function, its list of sizes, the slot of each parameter block in the
// hash table and the block. Of many, those that come next are fetched while one
// is added.

#include <cstddef>
#include <vector>

#include "ceres/problem/problem_impl.h"
#include "glog/logging.h"

namespace ceres::internal {
namespace {

// A reader of the lists that runs ahead of the additions.
class Lookahead {
 public:
  Lookahead(const std::vector<CostFunction*>& cost_functions,
            const std::vector<double*>& values)
      : cost_functions_(cost_functions), values_(values) {}

  // Calls visit(cost function, its first value, number of values) for the
  // residual blocks up to `end`, where they are there.
  template <typename Visit>
  void AdvanceTo(std::size_t end, const Visit& visit) {
    for (; next_ < end && next_ < cost_functions_.size(); ++next_) {
      const CostFunction* cost_function = cost_functions_[next_];
      CHECK(cost_function != nullptr)
          << "A residual block needs a cost function; number " << next_
          << " of AddResidualBlocks is null.";
      const std::size_t n = cost_function->parameter_block_sizes().size();
      CHECK_LE(n, values_.size() - next_value_)
          << "AddResidualBlocks was given fewer parameter blocks than its cost "
          << "functions want: they end at cost function " << next_ << ".";
      visit(*cost_function, values_.data() + next_value_, n);
      next_value_ += n;
    }
  }

  std::size_t next_value() const { return next_value_; }

 private:
  const std::vector<CostFunction*>& cost_functions_;
  const std::vector<double*>& values_;
  std::size_t next_ = 0;
  std::size_t next_value_ = 0;
};

// How far ahead, in residual blocks, each stage reads what the one before has
// fetched.
constexpr std::size_t kCostFunctions = 48;
constexpr std::size_t kSlots = 24;
constexpr std::size_t kBlocks = 8;

}  // namespace

std::vector<ResidualBlock*> ProblemImpl::AddResidualBlocks(
    const std::vector<CostFunction*>& cost_functions,
    LossFunction* loss_function, const std::vector<double*>& values) {
  std::vector<ResidualBlock*> added;
  added.reserve(cost_functions.size());
  Lookahead slots(cost_functions, values);
  Lookahead blocks(cost_functions, values);
  Lookahead current(cost_functions, values);
  for (std::size_t i = 0; i < cost_functions.size(); ++i) {
    if (i + kCostFunctions < cost_functions.size()) {
      __builtin_prefetch(cost_functions[i + kCostFunctions]);
    }
    slots.AdvanceTo(i + kSlots, [this](const CostFunction& cost_function,
                                       double* const* x, std::size_t n) {
      __builtin_prefetch(cost_function.parameter_block_sizes().data());
      for (std::size_t k = 0; k < n; ++k) parameter_map_.PrefetchSlot(x[k]);
    });
    blocks.AdvanceTo(i + kBlocks, [this](const CostFunction&, double* const* x,
                                         std::size_t n) {
      for (std::size_t k = 0; k < n; ++k) parameter_map_.PrefetchBlock(x[k]);
    });
    current.AdvanceTo(
        i + 1, [&](const CostFunction&, double* const* x, std::size_t n) {
          added.push_back(AddResidualBlock(cost_functions[i], loss_function, x,
                                           static_cast<int>(n)));
        });
  }
  CHECK_EQ(current.next_value(), values.size())
      << "AddResidualBlocks was given more parameter blocks (right) than its "
      << "cost functions want together (left).";
  return added;
}

}  // namespace ceres::internal
