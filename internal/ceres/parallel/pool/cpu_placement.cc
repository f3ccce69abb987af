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

CpuPlacement::CpuPlacement(bool pin)
    : mask_to_pin_(pin ? MaskOfThisThread() : nullptr) {}

void CpuPlacement::PinThisThread(int index) const {
  if (mask_to_pin_ == nullptr) return;
  CpuMask mine;
  mine.Add(mask_to_pin_->At((index + 1) % mask_to_pin_->Count()));
  mine.ApplyTo(ThisThread());
}

}  // namespace ceres::parallel::detail
