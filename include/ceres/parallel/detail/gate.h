// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_DETAIL_GATE_H_
#define CERES_PUBLIC_PARALLEL_DETAIL_GATE_H_

#include <chrono>
#include <cstdint>

#include "ceres/parallel/detail/export.h"
#include "ceres/parallel/detail/gate_state.h"
#include "ceres/parallel/detail/task_set.h"

namespace ceres::parallel::detail {

// Holds back the task of WhenAll or WhenAny (the held task) until enough of its
// inputs have ended. Belongs to the closure of the held task and to the inputs
// that have not ended. gate.cc has the protocol.
class CERES_PARALLEL_EXPORT Gate {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  // Waits for the inputs at `inputs` until the deadline, and meanwhile runs
  // them. Returns whether the held task may run.
  using AwaitInputs = bool (*)(Gate& gate, void* inputs, TimePoint deadline);

  // Has one reference, the caller's.
  static Gate* New(AwaitInputs await_inputs);
  void Unref() noexcept;
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  // --- In the thread that makes the held task. ---

  // The inputs, at their place in the closure of the held task. The gate opens
  // after `missing` signals. Before the held task is launched.
  void SetInputs(void* inputs, int missing) {
    inputs_ = inputs;
    missing_ = missing;
  }
  // Input `index` will come from this set.
  void NoteInput(TaskSet* set);
  // Adds a reference, for an input that signals.
  void Ref() { state_.Ref(); }

  // --- In a thread that has ended an input. ---

  // The input has ended. The last access to the gate.
  void Signal(std::uint32_t index) noexcept;

  // --- In the thread that owns the future of the held task. ---

  using Help = GateHelp;
  Help HelpInputs(TimePoint deadline);
  // Takes the held task from the gate, for the caller to drop it. Returns false
  // if the gate is open.
  bool Take() noexcept;
  // The future of the held task is dropped. If inputs are on an executor, which
  // may have refused them, begins those. Returns whether the caller runs the
  // held task.
  bool BeginInputs() noexcept;

  // --- In AwaitInputs. ---

  // Sleeps until an input has ended, or the deadline has passed. If an input is
  // the future of a Promise, runs work of the pool meanwhile.
  void AwaitSignal(TimePoint deadline);
  // The input that ended first. There has been a signal.
  std::uint32_t FirstIndex() const { return state_.First() - 1; }

 private:
  friend class TaskSet;

  explicit Gate(AwaitInputs await_inputs) : await_inputs_(await_inputs) {}
  ~Gate() = default;
  void Hold(TaskSet* held, PoolState* pool);
  // A held task that has become claimable; no task if the handle is 0.
  struct Opened {
    std::uint64_t handle = 0;
    Executor* executor = nullptr;
  };
  Opened Open(TaskSet* held) noexcept;
  void Launch(const Opened& opened) noexcept;

  const AwaitInputs await_inputs_;
  void* inputs_ = nullptr;
  int missing_ = 0;            // Signals, when the held task is launched.
  PoolState* pool_ = nullptr;  // Of the held task.
  // Constant when the held task is launched.
  bool needs_any_work_ = false;  // An input is the future of a Promise.
  bool has_executor_ = false;    // An input is on a foreign executor.
  BasicGateState<TaskSet, GateAtomics> state_;
};

}  // namespace ceres::parallel::detail

#endif  // CERES_PUBLIC_PARALLEL_DETAIL_GATE_H_
