// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef VESTA_PYTHON_INTERRUPT_GUARD_H_
#define VESTA_PYTHON_INTERRUPT_GUARD_H_

#include <atomic>
#include <csignal>

#include "ceres/parallel/cancellation.h"
#include "common.h"
#include "running.h"

namespace vesta::python {

// Ends a solve of the main thread when the user presses Ctrl-C, within an
// iteration.
//
// Python's own handler of SIGINT sets a flag that only Python code looks at.
// While a solve runs, a handler of ours cancels the solve's token. The second
// SIGINT goes to Python as well and so interrupts Python callables that do not
// return. Programs that have a handler of their own keep it.
class InterruptGuard {
 public:
  explicit InterruptGuard(ceres::parallel::CancellationSource* source) {
    const nb::module_ signal = nb::module_::import_("signal");
    if (!IsMainThread() || !signal.attr("getsignal")(SIGINT).is(
                               signal.attr("default_int_handler"))) {
      return;
    }
    outer_source_ = source_of_signal_.exchange(source);
    interrupted_.store(0);
    struct sigaction action = {};
    action.sa_handler = &InterruptGuard::Handle;
    sigemptyset(&action.sa_mask);
    struct sigaction previous = {};
    sigaction(SIGINT, &action, &previous);
    if (outer_source_ == nullptr) python_action_ = previous;
    previous_ = previous;
    active_ = true;
  }

  ~InterruptGuard() {
    if (!active_) return;
    sigaction(SIGINT, &previous_, nullptr);
    source_of_signal_.store(outer_source_);
  }

  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  bool interrupted() const { return active_ && interrupted_.load() > 0; }

 private:
  static void Handle(int number) {
    ceres::parallel::CancellationSource* const source =
        source_of_signal_.load();
    if (source != nullptr) source->Cancel();
    if (interrupted_.fetch_add(1) > 0 && python_action_.sa_handler != SIG_DFL &&
        python_action_.sa_handler != SIG_IGN) {
      python_action_.sa_handler(number);
    }
  }

  static inline std::atomic<ceres::parallel::CancellationSource*>
      source_of_signal_{nullptr};
  static inline std::atomic<int> interrupted_{0};
  static inline struct sigaction python_action_ = {};
  ceres::parallel::CancellationSource* outer_source_ = nullptr;
  struct sigaction previous_ = {};
  bool active_ = false;
};

}  // namespace vesta::python

#endif  // VESTA_PYTHON_INTERRUPT_GUARD_H_
