// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// For tests of what a line search must not depend on: random fits, and options
// whose tolerances have no units.

#ifndef CERES_INTERNAL_SOLVER_WHOLE_SOLVES_LINE_SEARCH_FIT_H_
#define CERES_INTERNAL_SOLVER_WHOLE_SOLVES_LINE_SEARCH_FIT_H_

#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "ceres/iteration_callback.h"
#include "ceres/types.h"

namespace ceres::internal {

constexpr int kNumParameters = 3;
constexpr int kNumFits = 40;
// Worse than the unchanged problem by more than this factor is a failure.
constexpr double kWorse = 1.001;

enum class Model { kDecay, kSaturation, kDistances, kRotation };
constexpr int kNumModels = 4;

// Data of a model with parameters near the start, with noise. Every fourth fit
// has a robust loss and an outlier.
struct Fit {
  explicit Fit(int seed)
      : model(static_cast<Model>(seed % kNumModels)),
        robust(seed / kNumModels % 4 == 3) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    double truth[kNumParameters];
    for (int j = 0; j < kNumParameters; ++j) {
      truth[j] = 2.0 + uniform(random);
      start[j] = truth[j] + 0.7 * uniform(random);
    }
    if (model == Model::kRotation) {
      for (int j = 0; j < kNumParameters; ++j) truth[j] -= 2.0;
      for (int j = 0; j < kNumParameters; ++j) start[j] -= 2.0;
    }
    constexpr int kNumData = 15;
    for (int i = 0; i < kNumData; ++i) {
      const double place[2] = {3.0 * (uniform(random) + 1.0),
                               3.0 * (uniform(random) + 1.0)};
      double value = 0.0;
      Predict(truth, place, &value);
      value += 0.05 * uniform(random);
      if (robust && i == 4) value += 3.0;
      data.push_back({place[0], place[1], value});
    }
  }

  template <typename T>
  void Predict(const T* z, const double* place, T* value) const {
    using std::cos;
    using std::exp;
    using std::sin;
    using std::sqrt;
    switch (model) {
      case Model::kDecay:
        *value = z[0] * exp(-0.3 * z[1] * place[0]) + z[2];
        break;
      case Model::kSaturation:
        *value = z[0] * place[0] / (z[1] * z[1] + place[0]) + z[2];
        break;
      case Model::kDistances: {
        const T x = z[0] - place[0];
        const T y = z[1] - place[1];
        *value = sqrt(x * x + y * y + 0.01) + z[2];
        break;
      }
      case Model::kRotation:
        *value = cos(z[0]) * (place[0] + z[1]) + sin(z[0]) * (place[1] + z[2]);
        break;
    }
  }

  Model model;
  bool robust;
  double start[kNumParameters];
  std::vector<std::array<double, 3>> data;
};

// The costs of all iterations, times `factor`.
inline std::vector<double> Costs(
    const std::vector<IterationSummary>& iterations, double factor) {
  std::vector<double> costs;
  for (const IterationSummary& iteration : iterations) {
    costs.push_back(factor * iteration.cost);
  }
  return costs;
}

// Bounds with units are 0: nothing else may end the solves.
template <typename Options>
void DropUnits(Options* options) {
  options->gradient_tolerance = 0.0;
  options->parameter_tolerance = 0.0;
  options->function_tolerance = 1e-8;
  options->max_num_iterations = 60;
  options->logging_type = SILENT;
}

// All combinations of directions, searches and interpolations.
template <typename Options>
std::vector<Options> AllSearches(Options base) {
  std::vector<Options> all;
  for (const auto type :
       {STEEPEST_DESCENT, NONLINEAR_CONJUGATE_GRADIENT, LBFGS, BFGS}) {
    base.line_search_direction_type = type;
    for (const bool flag : {false, true}) {
      base.use_approximate_eigenvalue_bfgs_scaling = flag;
      base.line_search_type = flag && type < LBFGS ? ARMIJO : WOLFE;
      base.line_search_interpolation_type = flag ? QUADRATIC : CUBIC;
      all.push_back(base);
    }
  }
  return all;
}

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SOLVER_WHOLE_SOLVES_LINE_SEARCH_FIT_H_
