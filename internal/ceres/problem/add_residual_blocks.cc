// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// ProblemImpl::AddResidualBlocks. A single addition mostly waits for memory:
// for the cost function, its list of sizes, the slot of each parameter block in
// the hash table, and the block. So the objects of the next residual blocks are
// fetched into the cache while one is added.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ceres/base/intrinsics.h"
#include "ceres/base/reserve_more.h"
#include "ceres/logging/logging.h"
#include "ceres/problem/problem_impl.h"

namespace ceres::internal {
namespace {

// How many residual blocks ahead each stage works. A stage reads what the stage
// before it has fetched.
constexpr std::size_t kCostFunctions = 48;
constexpr std::size_t kSlots = 24;
constexpr std::size_t kBlocks = 8;

// The arguments of a residual block in the list of all arguments.
struct Place {
  double* const* values;
  std::size_t num_values;
};

// Reads the lists ahead of the additions, and fetches what these will read.
class Lookahead {
 public:
  Lookahead(const std::vector<CostFunction*>& cost_functions,
            const std::vector<double*>& values, const ParameterMap& map)
      : cost_functions_(cost_functions), values_(values), map_(map) {}

  // Must be called before residual block i is added. Returns its arguments.
  Place Next(std::size_t i) {
    const std::size_t n = cost_functions_.size();
    if (i + kCostFunctions < n) {
      CERES_PREFETCH(cost_functions_[i + kCostFunctions]);
    }
    while (num_placed_ < n && num_placed_ <= i + kSlots) PlaceOne();
    if (i + kBlocks < n) {
      const Place& place = places_[(i + kBlocks) % places_.size()];
      for (std::size_t k = 0; k < place.num_values; ++k) {
        const auto* slot = map_.FirstSlot(AddressKey(place.values[k]));
        if (slot != nullptr) CERES_PREFETCH(slot->value);
      }
    }
    return places_[i % places_.size()];
  }

  // The number of arguments that were read so far.
  std::size_t num_values() const { return next_value_; }

 private:
  void PlaceOne() {
    const CostFunction* cost_function = cost_functions_[num_placed_];
    VESTA_CHECK(cost_function != nullptr)
        << "A residual block needs a cost function; number " << num_placed_
        << " of AddResidualBlocks is null.";
    const std::vector<int32_t>& sizes = cost_function->parameter_block_sizes();
    VESTA_CHECK_LE(sizes.size(), values_.size() - next_value_)
        << "AddResidualBlocks was given fewer parameter blocks than its cost "
        << "functions want: they end at cost function " << num_placed_ << ".";
    CERES_PREFETCH(sizes.data());
    const Place place = {values_.data() + next_value_, sizes.size()};
    for (std::size_t k = 0; k < place.num_values; ++k) {
      CERES_PREFETCH(map_.FirstSlot(AddressKey(place.values[k])));
    }
    places_[num_placed_++ % places_.size()] = place;
    next_value_ += place.num_values;
  }

  const std::vector<CostFunction*>& cost_functions_;
  const std::vector<double*>& values_;
  const ParameterMap& map_;
  std::array<Place, 2 * kSlots> places_;  // the latest
  std::size_t num_placed_ = 0;
  std::size_t next_value_ = 0;
};

}  // namespace

std::vector<ResidualBlock*> ProblemImpl::AddResidualBlocks(
    const std::vector<CostFunction*>& cost_functions,
    LossFunction* loss_function, const std::vector<double*>& values) {
  const std::size_t n = cost_functions.size();
  ReserveMore(n, &residual_blocks_);
  std::vector<ResidualBlock*> added;
  added.reserve(n);
  Lookahead lookahead(cost_functions, values, parameter_map_);
  const std::size_t num_residual_blocks = residual_blocks_.size();
  const std::size_t num_parameter_blocks = parameter_blocks_.size();
  try {
    for (std::size_t i = 0; i < n; ++i) {
      const Place place = lookahead.Next(i);
      added.push_back(AddResidualBlock(cost_functions[i], loss_function,
                                       place.values,
                                       static_cast<int>(place.num_values)));
    }
  } catch (...) {
    TakeBack(num_residual_blocks, num_parameter_blocks);
    throw;
  }
  VESTA_CHECK_EQ(lookahead.num_values(), values.size())
      << "AddResidualBlocks was given more parameter blocks (right) than its "
      << "cost functions want together (left).";
  return added;
}

}  // namespace ceres::internal
