// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_MODELS_TASK_SET_MODEL_STATE_H_
#define CERES_INTERNAL_PARALLEL_MODELS_TASK_SET_MODEL_STATE_H_

#include <cstdint>

// The states of the model of a task set (task_set_model.h), and the rules of
// the protocol that it can be made to break.

namespace ceres::parallel::testing_internal::task_set_model {

enum class Mutant {
  kNone,
  // Completion.
  kFinishBeforeNext,  // A helper discounts its task, then claims another.
  // The task queue.
  kEnqueueAgain,        // A set is enqueued although it is enqueued.
  kNoDequeue,           // The claim of the last task leaves the set enqueued.
  kDequeueWithBatches,  // A set whose tasks are all in batches is dequeued.
  // Batches.
  kLookSkipsBatches,    // The owner sleeps although there are batches.
  kLeaveRegistered,     // A thread leaves its batch where others find it.
  kPutBackWithoutLock,  // Putting back does not take the batch's lock.
  kTakeOutWithoutLock,  // Nor does the batch's thread.
  kLeaveTasks,          // A thread leaves, and does not put its tasks back.
};

inline constexpr int kOwner = 0;
inline constexpr int kNumThreads = 3;
inline constexpr int kNumTasks = 4;
inline constexpr int kNumPushedFirst = 3;
inline constexpr int kSleeper = 128;  // In the word of pending tasks.
inline constexpr int kNobody = 255;

enum Step : std::uint8_t {
  // Pushing tasks.
  kCount,
  kPutIn,
  kLookForSleeper,
  kChangeWord,
  kRouse,
  // Running tasks.
  kRun,
  kTakeOut,
  kTakeOutLate,  // For kTakeOutWithoutLock.
  kDecide,
  kClaimNext,
  kLeave,
  kFinish,
  kWake,
  // With the lock held.
  kPutBack,
  kPutBackLate,  // For kPutBackWithoutLock.
  kClaimLocked,
  kLookLocked,
  kLeaveLocked,
  // The owner.
  kIsQuiet,
  kClaimOwn,
  kSetBit,
  kLastLook,
  kFallAsleep,
  kAsleep,
  kDelete,
  // A helper.
  kSeek,
  kGone
};

struct Thread {
  Step step = kSeek;
  Step then = kGone;         // After kPutBack.
  std::uint8_t running = 0;  // The task; 0: none.
  std::uint8_t count = 0;    // Run since the last Finish.
  std::uint8_t expected = 0;
  std::uint8_t copy = 0;   // Read without a lock.
  std::uint8_t batch = 0;  // A bit for each task in its batch.
  std::uint8_t registered = 0;
  std::uint8_t registered_before = 0;
  std::uint8_t leaves = 0;
};
struct State {
  Thread threads[kNumThreads];
  std::uint8_t pending = 0;
  std::uint8_t queue = 0;  // A bit for each task in the set's list.
  std::uint8_t enqueued = 0;
  std::uint8_t lock = kNobody;
  // What no thread can see.
  std::uint8_t deleted = 0;
  std::uint8_t runs[kNumTasks + 1] = {};
};

}  // namespace ceres::parallel::testing_internal::task_set_model

#endif  // CERES_INTERNAL_PARALLEL_MODELS_TASK_SET_MODEL_STATE_H_
