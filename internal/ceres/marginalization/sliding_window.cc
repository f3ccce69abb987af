// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/sliding_window.h"

#include <cmath>
#include <utility>
#include <vector>

#include "ceres/base/format.h"
#include "ceres/logging/logging.h"

namespace ceres {
namespace {

SlidingWindow::Options Complete(SlidingWindow::Options options) {
  options.solver.keep_preprocessing = true;
  options.problem.enable_fast_removal = true;
  return options;
}

}  // namespace

SlidingWindow::SlidingWindow() : SlidingWindow(Options()) {}

SlidingWindow::SlidingWindow(const Options& options)
    : options_(Complete(options)), problem_(options_.problem) {}

bool SlidingWindow::Add(double* parameter_block, double time) {
  VESTA_CHECK(problem_.HasParameterBlock(parameter_block))
      << "SlidingWindow::Add: the problem has no parameter block at "
      << parameter_block << ". Add it, or a residual block with it, to "
      << "problem() first.";
  if (std::isnan(time)) {
    VESTA_LOG(kError) << "SlidingWindow::Add: the time of the parameter block "
                         "at "
                      << parameter_block
                      << " is not a number. The block keeps what it had.";
    return false;
  }
  const ByTime::iterator place = by_time_.emplace(time, parameter_block);
  try {
    const auto [entry, is_new] = entry_of_.emplace(parameter_block, place);
    if (!is_new) by_time_.erase(std::exchange(entry->second, place));
  } catch (...) {
    by_time_.erase(place);
    throw;
  }
  return true;
}

bool SlidingWindow::Advance(double time, double lag) {
  marginalization_ = MarginalizationSummary();
  if (std::isnan(time) || !(lag >= 0.0)) {
    marginalization_.message = internal::Format(
        "SlidingWindow::Advance: the time is %g and the lag is %g. Pass a time "
        "that is a number, and a lag that is not negative.",
        time, lag);
    return false;
  }
  std::vector<double*> old;
  const ByTime::iterator end = by_time_.lower_bound(time - lag);
  for (auto it = by_time_.begin(); it != end;) {
    if (problem_.HasParameterBlock(it->second)) {
      old.push_back(it->second);
      ++it;
    } else {
      entry_of_.erase(it->second);
      it = by_time_.erase(it);
    }
  }
  if (old.empty()) return true;
  if (!Marginalize(options_.marginalization, old, &problem_,
                   &marginalization_)) {
    return false;
  }
  for (double* block : old) {
    const auto found = entry_of_.find(block);
    by_time_.erase(found->second);
    entry_of_.erase(found);
  }
  return true;
}

const Solver::Summary& SlidingWindow::Solve() {
  summary_ = Solver::Summary();
  ceres::Solve(options_.solver, &problem_, &summary_);
  return summary_;
}

bool SlidingWindow::Has(const double* parameter_block) const {
  return entry_of_.count(parameter_block) > 0;
}

double SlidingWindow::TimeOf(const double* parameter_block) const {
  const auto found = entry_of_.find(parameter_block);
  VESTA_CHECK(found != entry_of_.end())
      << "SlidingWindow::TimeOf: the parameter block at " << parameter_block
      << " has no time stamp.";
  return found->second->first;
}

}  // namespace ceres
