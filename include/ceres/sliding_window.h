// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_SLIDING_WINDOW_H_
#define CERES_PUBLIC_SLIDING_WINDOW_H_

// A problem that moves along in time. An extension: see
// docs/solving/extensions.md.

#include <cstddef>
#include <map>
#include <unordered_map>
#include <vector>

#include "ceres/internal/disable_warnings.h"
#include "ceres/internal/export.h"
#include "ceres/marginalization.h"
#include "ceres/problem.h"
#include "ceres/solver.h"

namespace ceres {

// A problem whose parameter blocks have time stamps. Blocks that are too old
// are marginalized: fixed-lag smoothing (Dong-Si and Mourikis, "Motion Tracking
// with Fixed-lag Smoothing", ICRA 2011).
//
//   ceres::SlidingWindow window(options);
//   for each frame {
//     window.problem()->AddResidualBlock(..., pose_before, pose);
//     window.Add(pose, time);
//     window.Solve();
//     window.Advance(time, 3.0);  // keeps three seconds
//     // Memory of window.last_marginalization().removed_parameter_blocks may
//     // now be freed or used again.
//   }
//
// The window adds no model of its own: residual blocks, manifolds, constant
// blocks and bounds are set through problem(). Blocks without time stamp stay.
// Time and memory of a frame depend on the window, not on the frames before it,
// if manifolds are shared (a problem owns its manifolds until its end).
//
// Not thread-safe.
class CERES_EXPORT SlidingWindow {
 public:
  // The options of a window.
  struct CERES_EXPORT Options {
    // The options of Solve. keep_preprocessing is always set: two calls of
    // Solve without a change of blocks between them prepare once; after a
    // change, sparse solvers extend the elimination order.
    Solver::Options solver;
    // The options of the marginalization in Advance.
    MarginalizationOptions marginalization;
    // The options of the problem. enable_fast_removal is always set: the time
    // to remove a block does not depend on the size of the window.
    Problem::Options problem;
  };

  // An empty window.
  SlidingWindow();
  explicit SlidingWindow(const Options& options);
  SlidingWindow(const SlidingWindow&) = delete;
  SlidingWindow& operator=(const SlidingWindow&) = delete;

  // The problem, which belongs to the window.
  Problem* problem() { return &problem_; }

  // Sets the time stamp of a parameter block, or replaces it: a landmark that
  // is seen again gets the time of the last sight. Returns false, logs why and
  // leaves the time stamp as it is if the time is not a number. Checks that the
  // block is in the problem.
  bool Add(double* parameter_block, double time);

  // Marginalizes all blocks whose time stamp is less than time - lag. Returns
  // false, with last_marginalization().message, and leaves the window as it is
  // if Marginalize does, if the time is not a number, or if the lag is negative
  // or not a number. Does nothing if no block is too old. A block that the
  // program has removed from the problem loses its time stamp.
  bool Advance(double time, double lag);

  // What the last Advance did.
  const MarginalizationSummary& last_marginalization() const {
    return marginalization_;
  }

  // Solves the problem from the current values. The summary is valid until the
  // next call.
  const Solver::Summary& Solve();

  // The number of blocks with a time stamp.
  int num_blocks() const { return static_cast<int>(entry_of_.size()); }

  // Whether a block has a time stamp; and the time stamp, which it must have.
  bool Has(const double* parameter_block) const;
  double TimeOf(const double* parameter_block) const;

 private:
  using ByTime = std::multimap<double, double*>;

  const Options options_;
  Problem problem_;
  ByTime by_time_;
  std::unordered_map<const double*, ByTime::iterator> entry_of_;
  MarginalizationSummary marginalization_;
  Solver::Summary summary_;
};

}  // namespace ceres

#include "ceres/internal/reenable_warnings.h"

#endif  // CERES_PUBLIC_SLIDING_WINDOW_H_
