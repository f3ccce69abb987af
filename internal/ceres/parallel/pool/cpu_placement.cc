// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/pool/cpu_placement.h"

namespace ceres::parallel::detail {
namespace {

std::unique_ptr<const CpuMask> MaskOfThisThread() {
  const auto mask = CpuMask::Of(ThisThread());
  return mask ? std::make_unique<const CpuMask>(*mask) : nullptr;
}

}  // namespace

CpuPlacement::CpuPlacement(const ThreadBudget& budget, bool pin)
    : budget_(budget), mask_to_pin_(pin ? MaskOfThisThread() : nullptr) {}

void CpuPlacement::PinThisThread(int index) const {
  if (mask_to_pin_ == nullptr) return;
  CpuMask mine;
  mine.Add(mask_to_pin_->At((index + 1) % mask_to_pin_->Count()));
  mine.ApplyTo(ThisThread());
}

void CpuPlacement::ExcludeCallerCpu(
    Worker* worker, const std::vector<std::unique_ptr<Worker>>& workers) {
  const int cpu = CurrentCpu();
  if (cpu < 0 || mask_to_pin_ != nullptr ||
      budget_.RunningLimit() > NumCpus()) {
    return;
  }
  CpuMask taken;
  taken.Add(cpu);
  for (const auto& other : workers) {
    const int of_other = other->cpu.load(std::memory_order_relaxed);
    if (of_other >= 0) taken.Add(of_other);
  }
  const auto mask = ExcludeCpus(taken, worker->thread.native_handle());
  if (!mask) return;
  num_exclusions_.fetch_add(1, std::memory_order_relaxed);
  // If the worker still has a mask to restore, the system refused it before.
  if (!worker->mask_to_restore) worker->mask_to_restore = mask;
}

void CpuPlacement::RestoreMask(Worker* worker) {
  if (worker->mask_to_restore &&
      worker->mask_to_restore->ApplyTo(ThisThread())) {
    worker->mask_to_restore.reset();
  }
  worker->NoteCpu();
}

}  // namespace ceres::parallel::detail
