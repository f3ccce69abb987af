// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_POOL_CPU_PLACEMENT_H_
#define CERES_INTERNAL_PARALLEL_POOL_CPU_PLACEMENT_H_

#include <memory>

#include "ceres/parallel/sync/cpu_mask.h"

namespace ceres::parallel::detail {

// On which CPUs the workers of a pool run: with ThreadPoolOptions::pin, on one
// each; otherwise where the system puts them. The mask of a thread is written
// at most once, by the thread itself when it begins: so what the user, or a
// tool, does to masks later stays as it is.
class CpuPlacement {
 public:
  // pin: worker k runs on CPU (k + 1) modulo n of the n CPUs on which the
  // calling thread may run.
  explicit CpuPlacement(bool pin);

  // In worker `index`, when it begins.
  void PinThisThread(int index) const;

 private:
  // The mask of the thread that made the pool. Null: workers are not pinned, or
  // the system does not tell. (A new thread has the mask of the thread that
  // starts it, which may be a pinned worker.)
  const std::unique_ptr<const CpuMask> mask_to_pin_;
};

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_POOL_CPU_PLACEMENT_H_
