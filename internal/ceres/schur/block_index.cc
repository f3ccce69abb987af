// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/schur/block_index.h"

#include <algorithm>

namespace ceres::internal {
namespace {

constexpr int64_t kFree = -1;

}  // namespace

BlockIndex::BlockIndex(int num_rows, int64_t max_table_size)
    : num_rows_(num_rows) {
  if (num_rows_ * num_rows_ <= max_table_size) {
    numbers_.assign(num_rows_ * num_rows_, kNone);
    return;
  }
  log_size_ = 10;
  places_.assign(size_t{1} << log_size_, kFree);
  numbers_.assign(places_.size(), kNone);
}

// The place of a block that was added, or is about to be.
int64_t BlockIndex::PlaceOf(int64_t key) {
  // 2^64 divided by the golden ratio.
  constexpr uint64_t kMultiplier = 0x9E3779B97F4A7C15u;
  const uint64_t mask = places_.size() - 1;
  uint64_t place =
      (static_cast<uint64_t>(key) * kMultiplier) >> (64 - log_size_);
  while (places_[place] != key && places_[place] != kFree) {
    place = (place + 1) & mask;
  }
  return static_cast<int64_t>(place);
}

void BlockIndex::AppendKey(int64_t key) {
  keys_.push_back(key);
  if (is_table()) return;
  places_[PlaceOf(key)] = key;
  if (2 * keys_.size() > places_.size()) Grow();
}

void BlockIndex::Grow() {
  std::vector<int> numbers;
  numbers.reserve(keys_.size());
  for (const int64_t key : keys_) numbers.push_back(NumberOf(key));
  ++log_size_;
  places_.assign(size_t{1} << log_size_, kFree);
  numbers_.assign(places_.size(), kNone);
  for (size_t k = 0; k < keys_.size(); ++k) {
    const int64_t place = PlaceOf(keys_[k]);
    places_[place] = keys_[k];
    numbers_[place] = numbers[k];
  }
}

void BlockIndex::SortKeys() { std::sort(keys_.begin(), keys_.end()); }

void BlockIndex::Clear() {
  if (is_table()) {
    for (const int64_t key : keys_) numbers_[key] = kNone;
  } else {
    std::fill(places_.begin(), places_.end(), kFree);
    std::fill(numbers_.begin(), numbers_.end(), kNone);
  }
  keys_.clear();
}

}  // namespace ceres::internal
