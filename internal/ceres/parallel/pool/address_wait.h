// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_POOL_ADDRESS_WAIT_H_
#define CERES_INTERNAL_PARALLEL_POOL_ADDRESS_WAIT_H_

#include <atomic>
#include <chrono>
#include <cstdint>

// Sleeping until a word changes: a futex on Linux, elsewhere a table of
// condition variables. (C++20 calls it atomic::wait.)

namespace ceres::parallel::detail {

// Sleeps if *word still has the value `expected`, until a wake on the same
// address. May return without one: call it in a loop over the condition. The
// comparison and falling asleep are one step with respect to a wake, so a
// thread that changes the word and then wakes is never missed.
void WaitOnAddress(std::atomic<std::uint32_t>* word, std::uint32_t expected);
// The same, until the deadline at the latest; max() means no deadline.
void WaitOnAddress(std::atomic<std::uint32_t>* word, std::uint32_t expected,
                   std::chrono::steady_clock::time_point deadline);

// Wakes all threads that sleep on `word`. Only the address is used, the word
// may mean something else by now.
void WakeAddress(std::atomic<std::uint32_t>* word);

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_POOL_ADDRESS_WAIT_H_
