// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_LOOPS_LOOP_TUNING_H_
#define CERES_INTERNAL_PARALLEL_LOOPS_LOOP_TUNING_H_

#include <cstdint>

#include "ceres/parallel/parking/pool_tuning.h"

// The constants of loops and forks that were chosen by measurement. None of
// them changes a result. Times are nanoseconds unless the type says otherwise.
//
// To measure again, on a machine that does nothing else:
//   [cross]   scripts/measure.sh runtime --bars=crossover
//   [fork]    scripts/measure.sh runtime --bars=fibonacci
//   [nested]  scripts/measure.sh runtime --bars=nested_loops
//   [count]   scripts/measure.sh instructions
// Each constant names the command whose figures it changes.

namespace ceres::parallel::detail {

// --- What sharing costs. ---

// Sharing work with a worker that is awake. Sharing pays from this saving on:
// with a second thread, work of twice this time takes as long alone as shared.
// [cross]
inline constexpr float kSharingCost = 500.0f;
// Waking a sleeping thread: the time of the caller, and what its loops lose
// until the thread arrives. [cross]
inline constexpr float kWakeCost = 25e3f;
// An Executor of the user wakes its threads at a cost that is not known.
inline constexpr float kExecutorCost = 15e3f;

// --- Plain loops: run without the clock. ---

// The longest plain loop, in function calls: about a microsecond. Two threads,
// of which the second is awake, take 0.9 of the time of one for a loop of this
// length on quiet cores, and more than the time of one on busy cores. [cross]
inline constexpr float kPlainCalls = 1000.0f;
// The time that a call of the body adds to a block, in function calls.
inline constexpr float kCallsPerBlock = 8.0f;
// An element that takes less than this part of a function call calls no
// function.
inline constexpr float kPlainShare = 0.7f;
// A thread that runs plain loops reads the clock once in kCallsPerCheck
// function calls, about 2 us, and at least once in kRunsPerCheck loops, on
// average. A reading takes some 20 ns in all. [count]
inline constexpr float kCallsPerCheck = 2000.0f;
inline constexpr float kRunsPerCheck = 512.0f;
// The chunks of a plain loop end at 1, 4, 16, ... indices: while other threads
// are about to join it, the caller runs at most three quarters of what is left.
// A chunk takes some 2 ns. [count]
inline constexpr std::int64_t kPlainChunkGrowth = 4;
// If more function calls than these, about 10 us, have passed since the last
// reading, the next loop is timed, which takes some 150 ns.
inline constexpr float kMostCallsPerCheck = 10e3f;

// --- Which runs are timed. ---

// One run in this many to 1.5 times as many is timed, of loops that are not
// plain:
// of hosts with one thread, whose loops need the clock only to become plain,
inline constexpr float kRunsPerSampleAlone = 48.0f;
// of loops below kRarelyTimedLoop while all workers sleep (reading the clock
// twice is 3 % of a microsecond),
inline constexpr float kRunsPerSampleAsleep = 4.0f;
inline constexpr float kRarelyTimedLoop = 4000.0f;
// and of short loops that all participants have joined.
inline constexpr float kRunsPerSampleShared = 8.0f;

// --- How a loop is cut into blocks (loop_cut.h). ---

// The predicted time of a loop about which nothing is known. [cross]
inline constexpr float kUnknownLoop = 200e3f;
// A published loop that takes less is divided at once, as is one that takes
// less than kVeryShortLoop, without further claims. [cross]
inline constexpr float kShortLoop = 20e3f;
inline constexpr float kVeryShortLoop = 12e3f;
// The times of the blocks of a long and of a short loop. [cross]
inline constexpr float kBlockTime = 1500.0f;
inline constexpr float kShortBlockTime = 300.0f;
inline constexpr int kMinBlocksPerParticipant = 8;
inline constexpr int kMaxBlocksPerParticipant = 64;
// A helper that is awake begins this much later than the owner, its end being
// seen included. [cross]
inline constexpr float kHelperDelay = 450.0f;
// The most threads that take blocks of a dynamic loop from one counter.
inline constexpr int kMaxDynamicParticipants = 256;

// --- A caller that works alone. ---

// The time of the blocks that the caller runs without reading the clock.
// [cross]
inline constexpr float kChunkTime = 2000.0f;
// The caller takes at most this many times as many blocks as before.
inline constexpr int kBlockGrowth = 8;
// A rest below this number of function calls is taken at once: the loop may be
// plain, which is to be timed as a whole.
inline constexpr float kRestAtOnce = 128.0f;
// On an Executor of the user: the remaining work of a dynamic loop from which
// its threads are called.
inline constexpr float kDynamicWorthInviting = 30e3f;
// How often a loop with a token looks at it. [cross]
inline constexpr float kTokenLookInterval = 50e3f;

// --- Forks (fork.cc). ---

// A fork that takes less than kShortFork raises the sequential cutoff above its
// own depth. One that takes longer than kLongFork, with no fork entered within
// it, lowers the cutoff. [fork]
inline constexpr float kShortFork = 1500.0f;
inline constexpr float kLongFork = 4.0f * kShortFork;
// While a thread searches for work, one in this many forks below the cutoff is
// entered. [fork]
inline constexpr int kForksPerCheck = 64;
// How often a thread publishes a fork although no thread searches for work.
inline constexpr float kHeartbeat = kWorthWaking;

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_LOOPS_LOOP_TUNING_H_
