// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/base/platform.h"

#if defined(CERES_SYSTEM_MACOS)

#include <pthread.h>

#include <algorithm>

// The calls that libc++'s std::atomic::wait uses. macOS 10.12 and later have
// them; their public successor, os_sync_wait_on_address, needs macOS 14.4.
extern "C" int __ulock_wait(std::uint32_t operation, void* address,
                            std::uint64_t value,
                            std::uint32_t timeout_in_microseconds);
extern "C" int __ulock_wake(std::uint32_t operation, void* address,
                            std::uint64_t wake_value);

namespace ceres::platform {

namespace {
constexpr std::uint32_t kCompareAndWait = 1;  // UL_COMPARE_AND_WAIT
constexpr std::uint32_t kWakeAll = 0x100;     // ULF_WAKE_ALL
}  // namespace

void WaitOnWord(std::atomic<std::uint32_t>* word, std::uint32_t expected,
                std::chrono::nanoseconds timeout) {
  // 0 stands for no timeout. Waits that are cut short return without a wake.
  std::uint32_t microseconds = 0;
  if (timeout.count() >= 0) {
    constexpr std::int64_t kLongest = 1'000'000'000;
    microseconds = static_cast<std::uint32_t>(
        std::clamp<std::int64_t>(timeout.count() / 1000, 1, kLongest));
  }
  __ulock_wait(kCompareAndWait, word, expected, microseconds);
}

void WakeAllOnWord(std::atomic<std::uint32_t>* word) {
  __ulock_wake(kCompareAndWait | kWakeAll, word, 0);
}

// macOS has no affinity masks.
bool GetAffinity(Thread, unsigned long*, std::size_t) { return false; }
bool SetAffinity(Thread, const unsigned long*, std::size_t) { return false; }
double JobCpuQuota() { return 0.0; }
bool RegisterForInterrupts() { return false; }
bool InterruptAllThreads() { return false; }

void NameThisThread(const char* name) { pthread_setname_np(name); }

std::string NameOfThisThread() {
  char name[64] = "";
  pthread_getname_np(pthread_self(), name, sizeof(name));
  return name;
}

StackBounds StackOfThisThread() {
  StackBounds bounds;
  bounds.end = reinterpret_cast<std::uintptr_t>(
      pthread_get_stackaddr_np(pthread_self()));
  bounds.begin = bounds.end - pthread_get_stacksize_np(pthread_self());
  return bounds;
}

bool CallOnOwnStack(std::size_t, void (*)(void*), void*) { return false; }
void AdviseHugePages(void*, std::size_t) {}

}  // namespace ceres::platform

#endif
