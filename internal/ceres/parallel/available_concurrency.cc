// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/available_concurrency.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <thread>

#include "ceres/parallel/cgroup.h"

#if defined(__linux__)
#include <sched.h>

#include <cerrno>
#endif

namespace ceres::parallel {
namespace {

using detail::kNoLimit;

#if defined(__linux__)

int AffinityLimit() {
  // The kernel's mask may be longer than cpu_set_t; then it says EINVAL.
  for (int cpus = 1024; cpus <= (1 << 16); cpus *= 2) {
    cpu_set_t* const mask = CPU_ALLOC(static_cast<std::size_t>(cpus));
    if (mask == nullptr) return kNoLimit;
    const std::size_t size = CPU_ALLOC_SIZE(static_cast<std::size_t>(cpus));
    const int result = sched_getaffinity(0, size, mask);
    const int count = result == 0 ? CPU_COUNT_S(size, mask) : 0;
    CPU_FREE(mask);
    if (result == 0) return count;
    if (errno != EINVAL) return kNoLimit;
  }
  return kNoLimit;
}

int QuotaLimit() {
  std::ifstream file("/proc/self/cgroup");
  std::ostringstream text;
  text << file.rdbuf();
  return detail::CgroupCpuLimit(text.str(), "/sys/fs/cgroup");
}

#else

int AffinityLimit() { return kNoLimit; }
int QuotaLimit() { return kNoLimit; }

#endif

}  // namespace

int AvailableConcurrency() {
  const auto hardware = static_cast<int>(std::thread::hardware_concurrency());
  const int online = hardware > 0 ? hardware : kNoLimit;
  const int available = std::min({online, AffinityLimit(), QuotaLimit()});
  return available == kNoLimit ? 1 : std::max(1, available);
}

}  // namespace ceres::parallel
