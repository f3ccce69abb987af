// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/base/platform.h"

#if defined(CERES_SYSTEM_OTHER)

#include <condition_variable>
#include <mutex>

namespace ceres::platform {

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

// Made when the program is loaded, not while another thread forks.
[[maybe_unused]] const WaitQueue& queue_at_load = QueueOf(nullptr);

}  // namespace

void WaitOnWord(std::atomic<std::uint32_t>* word, std::uint32_t expected,
                std::chrono::nanoseconds timeout) {
  WaitQueue& queue = QueueOf(word);
  std::unique_lock<std::mutex> lock(queue.mutex);
  if (word->load(std::memory_order_relaxed) != expected) return;
  if (timeout.count() < 0) {
    queue.condition.wait(lock);
  } else {
    queue.condition.wait_for(lock, timeout);
  }
}

void WakeAllOnWord(std::atomic<std::uint32_t>* word) {
  WaitQueue& queue = QueueOf(word);
  { const std::lock_guard<std::mutex> lock(queue.mutex); }
  queue.condition.notify_all();
}

bool GetAffinity(Thread, unsigned long*, std::size_t) { return false; }
bool SetAffinity(Thread, const unsigned long*, std::size_t) { return false; }
double JobCpuQuota() { return 0.0; }
bool RegisterForInterrupts() { return false; }
bool InterruptAllThreads() { return false; }
void NameThisThread(const char*) {}
std::string NameOfThisThread() { return ""; }
StackBounds StackOfThisThread() { return {}; }
bool CallOnOwnStack(std::size_t, void (*)(void*), void*) { return false; }
void AdviseHugePages(void*, std::size_t) {}
double MemoryLimit() { return 0.0; }

}  // namespace ceres::platform

#endif
