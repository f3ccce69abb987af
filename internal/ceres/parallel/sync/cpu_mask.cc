// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/sync/cpu_mask.h"

#include <bitset>

#include "ceres/base/platform.h"

namespace ceres::parallel::detail {

std::optional<CpuMask> CpuMask::Of(ThreadHandle thread) {
  CpuMask mask;
  if (!platform::GetAffinity(thread, mask.words_.data(), mask.words_.size())) {
    return std::nullopt;
  }
  return mask;
}

bool CpuMask::ApplyTo(ThreadHandle thread) const {
  return platform::SetAffinity(thread, words_.data(), words_.size());
}

ThreadHandle ThisThread() { return platform::ThisThread(); }

int CpuMask::Count() const {
  std::size_t count = 0;
  for (const Word word : words_) count += std::bitset<kWordBits>(word).count();
  return static_cast<int>(count);
}

int CpuMask::At(int k) const {
  int cpu = 0;
  while (!Has(cpu) || k-- > 0) ++cpu;
  return cpu;
}

bool CpuMask::Has(int cpu) const {
  const auto word = static_cast<std::size_t>(cpu / kWordBits);
  return word < words_.size() && (words_[word] & BitOf(cpu)) != 0;
}

}  // namespace ceres::parallel::detail
