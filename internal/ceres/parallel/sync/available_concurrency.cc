// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/available_concurrency.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <thread>

#include "ceres/base/platform.h"
#include "ceres/parallel/sync/cgroup.h"
#include "ceres/parallel/sync/cpu_mask.h"

namespace ceres::parallel {
namespace {

using detail::kNoLimit;

int AffinityLimit() {
  const auto mask = detail::CpuMask::Of(detail::ThisThread());
  return mask ? mask->Count() : kNoLimit;
}

// Systems without control groups have no such file.
int GroupLimit() {
  std::ifstream file("/proc/self/cgroup");
  std::ostringstream text;
  text << file.rdbuf();
  return detail::CgroupCpuLimit(text.str(), "/sys/fs/cgroup");
}

int JobLimit() {
  const double quota = platform::JobCpuQuota();
  return quota > 0.0 ? static_cast<int>(std::ceil(quota)) : kNoLimit;
}

}  // namespace

int AvailableConcurrency() {
  const auto hardware = static_cast<int>(std::thread::hardware_concurrency());
  const int online = hardware > 0 ? hardware : kNoLimit;
  const int available =
      std::min({online, AffinityLimit(), GroupLimit(), JobLimit()});
  return available == kNoLimit ? 1 : std::max(1, available);
}

}  // namespace ceres::parallel
