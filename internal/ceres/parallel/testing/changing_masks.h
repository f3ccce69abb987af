// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_TESTING_CHANGING_MASKS_H_
#define CERES_INTERNAL_PARALLEL_TESTING_CHANGING_MASKS_H_

#include <sched.h>
#include <sys/types.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "ceres/base/testing/injected_failures.h"

// For tests on Linux: the affinity masks of all threads of the process, as a
// tool like taskset sees and writes them.

namespace ceres::parallel {

inline std::vector<pid_t> ThreadsOfProcess() {
  std::vector<pid_t> threads;
  for (const auto& entry :
       std::filesystem::directory_iterator("/proc/self/task")) {
    threads.push_back(std::stoi(entry.path().filename().string()));
  }
  return threads;
}

// Empty: the thread has ended.
inline std::vector<int> CpusOf(pid_t thread) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  std::vector<int> cpus;
  if (sched_getaffinity(thread, sizeof(mask), &mask) != 0) return cpus;
  for (int k = 0; k < CPU_SETSIZE; ++k) {
    if (CPU_ISSET(k, &mask)) cpus.push_back(k);
  }
  return cpus;
}

inline void SetCpusOf(pid_t thread, const std::vector<int>& cpus) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  for (const int k : cpus) CPU_SET(k, &mask);
  sched_setaffinity(thread, sizeof(mask), &mask);
}

// Gives all threads of the process these CPUs. A new thread has the mask of the
// thread that starts it. So no thread has another mask if none has started one
// between the list of threads and its turn in the list. (A list may lack a
// thread if another thread ends meanwhile: hence two lists.)
inline void SetCpusOfAll(const std::vector<int>& cpus) {
  for (int lists_without_change = 0; lists_without_change < 2;) {
    bool changed = false;
    for (const pid_t thread : ThreadsOfProcess()) {
      const std::vector<int> present = CpusOf(thread);
      if (present.empty() || present == cpus) continue;
      SetCpusOf(thread, cpus);
      changed = true;
    }
    lists_without_change = changed ? 0 : lists_without_change + 1;
  }
}

// Changes masks at random, from a thread of its own, while it exists. Now and
// then it restricts all threads to some CPUs, and counts the threads whose
// masks are wider afterwards: nobody else may widen a mask. The end gives all
// threads all CPUs again.
class ChangingMasks {
 public:
  explicit ChangingMasks(unsigned seed)
      : all_(CpusOf(0)), random_(seed), thread_([this] { Main(); }) {}
  ~ChangingMasks() { Stop(); }
  ChangingMasks(const ChangingMasks&) = delete;
  ChangingMasks& operator=(const ChangingMasks&) = delete;

  // Returns the number of masks that somebody has widened.
  int Stop() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
    return num_widened_;
  }

 private:
  void Main() {
    const testing_internal::NoFailures none;
    while (!stop_) {
      for (int k = 0; k < 20 && !stop_; ++k) {
        for (const pid_t thread : ThreadsOfProcess()) {
          if (random_() % 2 == 0) SetCpusOf(thread, SomeCpus());
        }
        Pause();
      }
      RestrictAndLook();
      SetCpusOfAll(all_);
    }
    SetCpusOfAll(all_);
  }

  void RestrictAndLook() {
    const std::vector<int> few = SomeCpus();
    SetCpusOfAll(few);
    for (int k = 0; k < 5; ++k) {
      Pause();
      for (const pid_t thread : ThreadsOfProcess()) {
        const std::vector<int> cpus = CpusOf(thread);
        if (!std::includes(few.begin(), few.end(), cpus.begin(), cpus.end())) {
          ++num_widened_;
        }
      }
    }
  }

  std::vector<int> SomeCpus() {
    std::vector<int> some;
    for (const int cpu : all_) {
      if (random_() % 2 == 0) some.push_back(cpu);
    }
    if (some.empty()) some.push_back(all_[random_() % all_.size()]);
    return some;
  }

  static void Pause() {
    std::this_thread::sleep_for(std::chrono::microseconds(300));
  }

  const std::vector<int> all_;
  std::mt19937 random_;
  std::atomic<bool> stop_{false};
  std::atomic<int> num_widened_{0};
  std::thread thread_;
};

}  // namespace ceres::parallel

#endif  // CERES_INTERNAL_PARALLEL_TESTING_CHANGING_MASKS_H_
