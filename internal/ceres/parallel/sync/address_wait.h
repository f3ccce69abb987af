// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_SYNC_ADDRESS_WAIT_H_
#define CERES_INTERNAL_PARALLEL_SYNC_ADDRESS_WAIT_H_

#include <atomic>
#include <chrono>
#include <cstdint>

// Sleeps until a word changes (platform.h), with deadlines that tests advance.
// (C++20 has std::atomic::wait.)

namespace ceres::parallel::detail {

// Sleeps until a wake on the same address, if *word has the value `expected`.
// May return without a wake: call it in a loop over the condition. With respect
// to a wake, comparing and falling asleep are one step. So a thread that
// changes the word and then wakes is never missed.
void WaitOnAddress(std::atomic<std::uint32_t>* word, std::uint32_t expected);
// The same, until the deadline at the latest; max() means no deadline.
void WaitOnAddress(std::atomic<std::uint32_t>* word, std::uint32_t expected,
                   std::chrono::steady_clock::time_point deadline);

// Wakes all threads that sleep on `word`. Only the address is used: the memory
// may have another meaning by now.
void WakeAddress(std::atomic<std::uint32_t>* word);

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_SYNC_ADDRESS_WAIT_H_
