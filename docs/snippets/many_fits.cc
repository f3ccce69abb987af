// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Fits 10000 decays of 30 samples in one call.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "ceres/fit_many.h"
#include "noise.h"

namespace {

// [functor]
// amplitude exp(-t / tau) + offset. A sample is {t, y}.
struct Decay {
  template <typename T, typename D>
  bool operator()(const T* p, const D* sample, T* residual) const {
    residual[0] = p[0] * exp(-sample[0] / p[1]) + p[2] - sample[1];
    return true;
  }
};
// [/functor]

// [branches]
// A decay that begins at the time p[2], in two ways.
struct ByIf {
  template <typename T, typename D>
  bool operator()(const T* p, const D* sample, T* residual) const {
    T model = p[0];
    if (sample[0] > p[2]) model = p[0] * exp(-(sample[0] - p[2]) / p[1]);
    residual[0] = model - sample[1];
    return true;
  }
};
struct BySelect {
  template <typename T, typename D>
  bool operator()(const T* p, const D* sample, T* residual) const {
    const T model = ceres::Select(sample[0] > p[2],
                                  p[0] * exp(-(sample[0] - p[2]) / p[1]), p[0]);
    residual[0] = model - sample[1];
    return true;
  }
};
// [/branches]

// [function]
// amplitude curve(t / tau) + offset, where the curve is a table with points at
// 0, 0.01, 0.02, ...
ceres::FitFunction ByTable(const std::vector<double>& table) {
  ceres::FitFunction function;
  function.residuals = [&table](const ceres::FitSamples& samples,
                                const double* p, double* residuals) {
    const double* const t = samples.columns;
    const double* const y = t + samples.size;
    for (std::int64_t i = 0; i < samples.size; ++i) {
      const double u = 100.0 * t[i] / p[1];
      if (!(u >= 0.0 && u < table.size() - 2.0)) return false;
      const std::size_t k = static_cast<std::size_t>(u);
      const double curve = table[k] + (u - k) * (table[k + 1] - table[k]);
      residuals[i] = p[0] * curve + p[2] - y[i];
    }
    return true;
  };
  return function;
}
// [/function]

}  // namespace

int main() {
  const int num_fits = 10000, num_samples = 30;
  std::vector<double> times, values, parameters;
  Noise noise;
  for (int i = 0; i < num_samples; ++i) times.push_back(0.1 * i);
  for (int f = 0; f < num_fits; ++f) {
    const double tau = 0.4 + 0.8 * f / num_fits;
    for (const double t : times) {
      values.push_back(2.0 * std::exp(-t / tau) + 0.1 + noise.Normal(0.02));
    }
    parameters.insert(parameters.end(), {1.0, 1.0, 0.0});
  }

  // [fit]
  ceres::FitData data;
  data.num_fits = num_fits;
  data.num_samples = num_samples;
  data.columns = {
      ceres::FitColumn(times.data(), 0),             // The same for all fits.
      ceres::FitColumn(values.data(), num_samples),  // Fit after fit.
  };
  ceres::FitParameters unknowns;
  unknowns.size = 3;
  unknowns.values = parameters.data();  // The starts; then the results.
  std::vector<double> covariances(num_fits * 9);
  std::vector<ceres::FitStatus> statuses(num_fits);
  ceres::FitResults results;
  results.covariances = covariances.data();
  results.statuses = statuses.data();
  ceres::FitManyOptions options;
  options.num_threads = 2;
  const ceres::FitManySummary summary =
      ceres::FitMany(Decay(), options, data, unknowns, results);
  // [/fit]
  std::printf("converged %d of %d\n", static_cast<int>(summary.num_converged),
              num_fits);
  for (const int f : {0, 5000, 9999}) {
    std::printf("fit %4d: tau %.2f +- %.2f\n", f, parameters[3 * f + 1],
                std::sqrt(covariances[9 * f + 4]));
  }

  unknowns.size = 3;
  std::vector<double> by_if, by_select;
  for (int f = 0; f < num_fits; ++f) {
    by_if.insert(by_if.end(), {2.0, 0.8, 0.05});
  }
  by_select = by_if;
  unknowns.values = by_if.data();
  ceres::FitMany<ByIf>(options, data, unknowns, results);
  unknowns.values = by_select.data();
  ceres::FitMany<BySelect>(options, data, unknowns, results);
  std::printf("the same bits by if and by Select: %s\n",
              by_if == by_select ? "yes" : "no");

  std::vector<double> table, by_table;
  for (int k = 0; k < 2000; ++k) table.push_back(std::exp(-0.01 * k));
  for (int f = 0; f < num_fits; ++f) {
    by_table.insert(by_table.end(), {1.0, 1.0, 0.0});
  }
  unknowns.values = by_table.data();
  ceres::FitMany(ByTable(table), options, data, unknowns, results);
  std::printf("by a table: tau of fit 5000 is %.2f\n", by_table[3 * 5000 + 1]);
  return 0;
}
