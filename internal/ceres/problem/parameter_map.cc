// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/problem/parameter_map.h"

#include <utility>

namespace ceres::internal {

void ParameterMap::Grow() {
  constexpr int kLogInitialSize = 4;
  const PagedVector<Slot> old = std::move(slots_);
  shift_ = old.empty() ? 64 - kLogInitialSize : shift_ - 1;
  slots_.assign(std::size_t{1} << (64 - shift_), Slot());
  for (const Slot& slot : old) {
    if (slot.values != nullptr) slots_[SlotOf(slot.values)] = slot;
  }
}

void ParameterMap::Erase(const double* values) {
  if (slots_.empty()) return;
  const std::size_t mask = slots_.size() - 1;
  std::size_t hole = SlotOf(values);
  if (slots_[hole].values == nullptr) return;
  --size_;
  // Moves entries behind the hole into it if probing would no longer reach
  // them: if their home slot is not cyclically in (hole, i].
  for (std::size_t i = (hole + 1) & mask; slots_[i].values != nullptr;
       i = (i + 1) & mask) {
    const std::size_t home = HomeOf(slots_[i].values);
    if (((i - home) & mask) >= ((i - hole) & mask)) {
      slots_[hole] = slots_[i];
      hole = i;
    }
  }
  slots_[hole] = Slot();
}

}  // namespace ceres::internal
