// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/pool/address_wait.h"

#include <algorithm>

#include "ceres/base/clock.h"

#if defined(__linux__)
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <ctime>
#else
#include <condition_variable>
#include <mutex>
#endif

namespace ceres::parallel::detail {
namespace {

// How long to sleep before looking again. A clock that a test advances is
// looked at every fraction of a millisecond.
std::chrono::nanoseconds SleepTime(
    std::chrono::steady_clock::time_point deadline) {
  constexpr std::chrono::nanoseconds kLookAtFakeClock(200'000);
  const std::chrono::nanoseconds left = deadline - SteadyNow();
  const bool is_fake =
      clock_source.load(std::memory_order_relaxed) == ClockSource::kFake;
  return is_fake ? std::min(left, kLookAtFakeClock) : left;
}

}  // namespace

#if defined(__linux__)

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t),
              "a futex is a plain word");

void WaitOnAddress(std::atomic<std::uint32_t>* word, std::uint32_t expected) {
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(word), FUTEX_WAIT_PRIVATE,
          expected, nullptr, nullptr, 0);
}

void WaitOnAddress(std::atomic<std::uint32_t>* word, std::uint32_t expected,
                   std::chrono::steady_clock::time_point deadline) {
  if (deadline == std::chrono::steady_clock::time_point::max()) {
    WaitOnAddress(word, expected);
    return;
  }
  const std::int64_t left = SleepTime(deadline).count();
  if (left <= 0) return;
  constexpr std::int64_t kSecond = 1000000000;
  timespec timeout{};
  timeout.tv_sec = static_cast<std::time_t>(left / kSecond);
  timeout.tv_nsec = static_cast<decltype(timeout.tv_nsec)>(left % kSecond);
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(word), FUTEX_WAIT_PRIVATE,
          expected, &timeout, nullptr, 0);
}

void WakeAddress(std::atomic<std::uint32_t>* word) {
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(word), FUTEX_WAKE_PRIVATE,
          INT_MAX, nullptr, nullptr, 0);
}

#else

namespace {

struct WaitQueue {
  std::mutex mutex;
  std::condition_variable condition;
};

// Words that share a queue wake each other; waiters look at their word again.
// Never destroyed: threads may still sleep while the process exits.
WaitQueue& QueueOf(const void* address) {
  constexpr std::uintptr_t kNumQueues = 64;
  static WaitQueue* const queues = new WaitQueue[kNumQueues];
  return queues[(reinterpret_cast<std::uintptr_t>(address) >> 6) % kNumQueues];
}

}  // namespace

void WaitOnAddress(std::atomic<std::uint32_t>* word, std::uint32_t expected) {
  WaitQueue& queue = QueueOf(word);
  std::unique_lock<std::mutex> lock(queue.mutex);
  if (word->load(std::memory_order_relaxed) == expected) {
    queue.condition.wait(lock);
  }
}

void WaitOnAddress(std::atomic<std::uint32_t>* word, std::uint32_t expected,
                   std::chrono::steady_clock::time_point deadline) {
  if (deadline == std::chrono::steady_clock::time_point::max()) {
    WaitOnAddress(word, expected);
    return;
  }
  WaitQueue& queue = QueueOf(word);
  std::unique_lock<std::mutex> lock(queue.mutex);
  if (word->load(std::memory_order_relaxed) == expected) {
    queue.condition.wait_for(lock, SleepTime(deadline));
  }
}

void WakeAddress(std::atomic<std::uint32_t>* word) {
  WaitQueue& queue = QueueOf(word);
  { const std::lock_guard<std::mutex> lock(queue.mutex); }
  queue.condition.notify_all();
}

#endif

}  // namespace ceres::parallel::detail
