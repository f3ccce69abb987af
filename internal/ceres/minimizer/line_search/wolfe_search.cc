// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/minimizer/line_search/wolfe_search.h"

#include <algorithm>
#include <cmath>

#include "ceres/base/stopwatch.h"

namespace ceres::internal {
namespace {

// How near to its ends a bracket may be cut, in parts of its length.
constexpr double kMargin = 0.1;

// A sample, or a step size at which there is none.
struct Trial {
  LineSample sample;
  bool valid = false;
};

class WolfeSearch {
 public:
  WolfeSearch(const MinimizerOptions& options, const StepSizes& sizes,
              const LineSample& start,
              const std::function<bool(LineSample*)>& f)
      : options_(options), sizes_(sizes), start_(start), f_(f) {}

  LineSearchResult Run() {
    if (start_.slope < 0.0) {
      Bracket();
    }
    return result_;
  }

 private:
  bool IsExhausted() const {
    return result_.num_evaluations >=
           options_.max_num_line_search_step_size_iterations;
  }

  Trial Try(double step_size) {
    Trial trial;
    trial.sample.step_size = step_size;
    trial.valid = f_(&trial.sample);
    ++result_.num_evaluations;
    result_.num_iterations = result_.num_evaluations - 1;
    result_.last_step_size = step_size;
    return trial;
  }

  bool DecreasesEnough(const Trial& t) const {
    return t.valid &&
           t.sample.value <=
               start_.value +
                   options_.line_search_sufficient_function_decrease *
                       t.sample.step_size * start_.slope;
  }
  bool IsFlatEnough(const Trial& t) const {
    return std::abs(t.sample.slope) <=
           -options_.line_search_sufficient_curvature_decrease * start_.slope;
  }
  void Keep(const Trial& t) {
    result_.success = true;
    result_.step_size = t.sample.step_size;
    result_.satisfies_curvature = IsFlatEnough(t);
  }

  // Algorithm 3.5. Each step size that is kept is longer than the one before.
  void Bracket() {
    Trial previous = {start_, true};
    double step_size = sizes_.initial;
    while (!IsExhausted()) {
      const Trial current = Try(step_size);
      if (!DecreasesEnough(current) ||
          (result_.success && current.sample.value >= previous.sample.value)) {
        Zoom(previous, current);
        return;
      }
      Keep(current);
      if (result_.satisfies_curvature) return;
      if (current.sample.slope >= 0.0) {
        Zoom(current, previous);
        return;
      }
      step_size = LongerStep(previous.sample, current.sample);
      previous = current;
    }
  }

  double Interpolate(const LineSample& a, const LineSample& b) {
    const Stopwatch stopwatch;
    const double minimum =
        MinimizeInterpolant(options_.line_search_interpolation_type, a, b);
    result_.interpolation_seconds += stopwatch.Seconds();
    return minimum;
  }

  double LongerStep(const LineSample& a, const LineSample& b) {
    const double longest =
        options_.max_line_search_step_expansion * b.step_size;
    if (options_.line_search_interpolation_type == BISECTION) return longest;
    const double minimum = Interpolate(a, b);
    // The function is falling faster and faster: as far as allowed.
    if (!std::isfinite(minimum) || minimum <= b.step_size) return longest;
    const double shortest = b.step_size + kMargin * (b.step_size - a.step_size);
    return std::clamp(minimum, std::min(shortest, longest), longest);
  }

  // Algorithm 3.6: there are good step sizes between low, which has the lowest
  // value of all points that decrease enough and falls towards high, and high.
  void Zoom(Trial low, Trial high) {
    while (!IsExhausted()) {
      const double width =
          std::abs(high.sample.step_size - low.sample.step_size);
      if (width < sizes_.shortest) return;
      const Trial middle = Try(StepBetween(low, high, width));
      if (!DecreasesEnough(middle) || middle.sample.value >= low.sample.value) {
        high = middle;
        continue;
      }
      Keep(middle);
      if (result_.satisfies_curvature) return;
      if (middle.sample.slope *
              (high.sample.step_size - low.sample.step_size) >=
          0.0) {
        high = low;
      }
      low = middle;
    }
  }

  double StepBetween(const Trial& low, const Trial& high, double width) {
    const double begin = std::min(low.sample.step_size, high.sample.step_size);
    const double minimum =
        high.valid ? Interpolate(low.sample, high.sample) : begin + 0.5 * width;
    if (!std::isfinite(minimum)) return begin + 0.5 * width;
    return std::clamp(minimum, begin + kMargin * width,
                      begin + (1.0 - kMargin) * width);
  }

  const MinimizerOptions& options_;
  const StepSizes& sizes_;
  const LineSample& start_;
  const std::function<bool(LineSample*)>& f_;
  LineSearchResult result_;
};

}  // namespace

LineSearchResult SearchWolfe(const MinimizerOptions& options,
                             const StepSizes& sizes, const LineSample& start,
                             const std::function<bool(LineSample*)>& f) {
  return WolfeSearch(options, sizes, start, f).Run();
}

}  // namespace ceres::internal
