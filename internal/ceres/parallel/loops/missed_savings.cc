// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/loops/missed_savings.h"

#include "ceres/parallel/loops/loop_tuning.h"

namespace ceres::parallel::detail {
namespace {

struct Account {
  float sum = 0.0f;
  base::Ticks last_end = 0;
};
thread_local Account account;

}  // namespace

void NoteMissedSaving(PoolState& pool, float saving, base::Ticks start,
                      base::Ticks end) {
  if (saving <= 0.0f) return;
  if (base::Nanoseconds(start - account.last_end) > kSpinTime)
    account.sum = 0.0f;
  account.sum += saving;
  account.last_end = end;
  if (account.sum > kWakeCost) {
    account.sum = 0.0f;
    pool.WakeWorker();
  }
}

}  // namespace ceres::parallel::detail
