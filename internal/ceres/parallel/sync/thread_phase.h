// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_SYNC_THREAD_PHASE_H_
#define CERES_INTERNAL_PARALLEL_SYNC_THREAD_PHASE_H_

namespace ceres::parallel::detail {

// The phase of a thread. A thread that ends, or calls exit(), destroys its
// thread-local objects first. Then it is ending, and runs destructors of
// thread-local or static objects. A thread that uses the runtime for the first
// time inside exit() is ending, too.
enum class ThreadPhase { kUnknown, kAlive, kEnding };
ThreadPhase PhaseOfThisThread();
// Makes the calling thread known: alive or ending.
void NoteThisThread();

// A function to be called when the thread of the object becomes ending. The
// object belongs to the thread, and may be destroyed by its function.
struct ThreadEndHook {
  void (*function)(ThreadEndHook* hook) = nullptr;
  ThreadEndHook* next = nullptr;
};
// For a thread that is alive. The function is called once.
void CallWhenThreadEnds(ThreadEndHook* hook);

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_SYNC_THREAD_PHASE_H_
