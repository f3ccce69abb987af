// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PROGRESS_DISPLAY_H_
#define CERES_PUBLIC_PROGRESS_DISPLAY_H_

#include <cstdio>
#include <string>

#include "ceres/internal/disable_warnings.h"
#include "ceres/internal/export.h"
#include "ceres/iteration_callback.h"
#include "ceres/solver.h"

namespace ceres {

// Shows the progress of a solve as one line of a terminal, which each iteration
// overwrites:
//
//   iteration 12 of at most 50, cost 1.234567e+04, 3.2 s, at most 9.8 s left
//
//   ceres::ProgressDisplay progress(options);
//   options.callbacks.push_back(&progress);
//   ceres::Solve(options, &problem, &summary);
//   progress.Finish();
//
// The remaining time is an upper bound: until the limit of iterations, at the
// mean time of the iterations so far, or until the time limit. The solve ends
// earlier if it converges. If the stream is not a terminal, nothing is written.
//
// Thread safety: one thread at a time.
class CERES_EXPORT ProgressDisplay : public IterationCallback {
 public:
  // The condition under which lines are written.
  enum class Output {
    kIfTerminal,  // Write if the stream is a terminal.
    kAlways,      // Write always.
  };

  // Reads the limits of `options`. The stream is not owned and outlives the
  // display; not null.
  explicit ProgressDisplay(const Solver::Options& options,
                           std::FILE* stream = stderr,
                           Output output = Output::kIfTerminal);
  // Calls Finish().
  ~ProgressDisplay() override;
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;

  // Returns true if lines are written.
  bool is_active() const { return is_active_; }

  // Writes the line, at most ten times in a second of the solve. Returns
  // SOLVER_CONTINUE. Errors of the stream are ignored.
  CallbackReturnType operator()(const IterationSummary& summary) override;

  // Writes the last line in full and ends it. Does nothing the second time.
  void Finish();

 private:
  // The line without the control characters, cut to the width of the terminal.
  std::string Line() const;
  void Show();

  const int max_num_iterations_;
  const double max_seconds_;
  std::FILE* const stream_;
  const bool is_active_;
  IterationSummary last_;
  bool has_line_ = false;
  double shown_at_ = 0.0;  // cumulative time of the line, in seconds
};

}  // namespace ceres

#include "ceres/internal/reenable_warnings.h"

#endif  // CERES_PUBLIC_PROGRESS_DISPLAY_H_
