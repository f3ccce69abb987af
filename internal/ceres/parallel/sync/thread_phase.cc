// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/sync/thread_phase.h"

#include <utility>

#include "ceres/base/platform.h"

namespace ceres::parallel::detail {
namespace {

thread_local ThreadPhase thread_phase = ThreadPhase::kUnknown;

// The thread-local object whose destructor marks the end of a thread.
class EndOfThread {
 public:
  EndOfThread() { thread_phase = ThreadPhase::kAlive; }
  ~EndOfThread() {
    thread_phase = ThreadPhase::kEnding;
    while (hooks_ != nullptr) {
      ThreadEndHook* const hook = std::exchange(hooks_, hooks_->next);
      hook->function(hook);
    }
  }
  EndOfThread(const EndOfThread&) = delete;
  EndOfThread& operator=(const EndOfThread&) = delete;

  void Add(ThreadEndHook* hook) {
    hook->next = hooks_;
    hooks_ = hook;
  }
  void Touch() const {}

 private:
  ThreadEndHook* hooks_ = nullptr;
};

EndOfThread& EndOfThisThread() {
  return platform::ObjectOfThisThread<EndOfThread>();
}

}  // namespace

ThreadPhase PhaseOfThisThread() { return thread_phase; }

void NoteThisThread() {
  if (thread_phase != ThreadPhase::kUnknown) return;
  if (platform::IsInExit()) {
    thread_phase = ThreadPhase::kEnding;
  } else {
    EndOfThisThread().Touch();
  }
}

void CallWhenThreadEnds(ThreadEndHook* hook) { EndOfThisThread().Add(hook); }

}  // namespace ceres::parallel::detail
