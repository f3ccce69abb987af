// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/fit_many.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "ceres/kernels/every_target.h"
#include "ceres/parallel/thread_pool.h"
#include "gtest/gtest.h"

namespace ceres {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// p0 exp(-t / p1) + p2.
struct Decay {
  template <typename T, typename D>
  bool operator()(const T* p, const D* sample, T* residual) const {
    using std::exp;
    residual[0] = p[0] * exp(-sample[0] / p[1]) + p[2] - sample[1];
    return true;
  }
};

struct Line {
  template <typename T, typename D>
  bool operator()(const T* p, const D* sample, T* residual) const {
    residual[0] = p[0] + p[1] * sample[0] - sample[1];
    return true;
  }
};

// Fits of a model to samples (t, y), with the memory of their results.
struct Fits {
  Fits(std::int64_t num_fits, int num_samples, int size)
      : t(num_samples),
        y(num_fits * num_samples),
        x(num_fits * size),
        costs(num_fits),
        covariances(num_fits * size * size),
        statuses(num_fits),
        iterations(num_fits) {
    data.num_fits = num_fits;
    data.num_samples = num_samples;
    data.columns = {FitColumn(t.data(), 0), FitColumn(y.data(), num_samples)};
    parameters.size = size;
    parameters.values = x.data();
    results = {costs.data(), covariances.data(), statuses.data(),
               iterations.data()};
  }
  Fits(const Fits&) = delete;

  template <typename Functor>
  FitManySummary Run(const Functor& functor) {
    return FitMany(functor, options, data, parameters, results);
  }

  std::vector<double> t, y, x, costs, covariances;
  std::vector<FitStatus> statuses;
  std::vector<std::int32_t> iterations;
  FitManyOptions options;
  FitData data;
  FitParameters parameters;
  FitResults results;
};

// Noisy decays, each with its own truth, starts 20 % off.
void MakeDecays(Fits* fits, double noise, double unit_t = 1.0,
                double unit_y = 1.0, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  std::normal_distribution<double> normal;
  const int n = static_cast<int>(fits->data.num_samples);
  for (int i = 0; i < n; ++i) fits->t[i] = 5.0 * i / n * unit_t;
  for (std::int64_t f = 0; f < fits->data.num_fits; ++f) {
    const double truth[3] = {(1.0 + uniform(random)) * unit_y,
                             (0.5 + uniform(random)) * unit_t,
                             0.2 * uniform(random) * unit_y};
    for (int i = 0; i < n; ++i) {
      fits->y[f * n + i] = truth[0] * std::exp(-fits->t[i] / truth[1]) +
                           truth[2] + noise * unit_y * normal(random);
    }
    for (int k = 0; k < 3; ++k) {
      fits->x[f * 3 + k] = truth[k] * (0.8 + 0.4 * uniform(random));
    }
  }
}

bool SameBits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

TEST(FitMany, FindsTheParametersOfExactData) {
  Fits fits(37, 20, 3);
  MakeDecays(&fits, 0.0, 1.0, 1.0, 5);
  std::vector<double> start = fits.x;
  const FitManySummary summary = fits.Run(Decay());
  EXPECT_EQ(summary.num_converged, 37);
  for (int f = 0; f < 37; ++f) {
    EXPECT_LT(fits.costs[f], 1e-24) << f;
    const double* x = &fits.x[3 * f];
    for (int i = 0; i < 20; ++i) {
      EXPECT_NEAR(x[0] * std::exp(-fits.t[i] / x[1]) + x[2],
                  fits.y[20 * f + i], 1e-11);
    }
  }
}

// Normal equations of a straight line in closed form.
TEST(FitMany, GivesTheClosedFormOfALineAndItsCovariance) {
  const int n = 12;
  Fits fits(11, n, 2);
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (int i = 0; i < n; ++i) fits.t[i] = 0.3 * i - 1.0;
  for (double& y : fits.y) y = normal(random);
  EXPECT_EQ(fits.Run(Line()).num_converged, 11);
  double st = 0.0, stt = 0.0;
  for (const double t : fits.t) {
    st += t;
    stt += t * t;
  }
  const double determinant = n * stt - st * st;
  for (int f = 0; f < 11; ++f) {
    const double* y = &fits.y[f * n];
    double sy = 0.0, sty = 0.0;
    for (int i = 0; i < n; ++i) {
      sy += y[i];
      sty += fits.t[i] * y[i];
    }
    const double a = (stt * sy - st * sty) / determinant;
    const double b = (n * sty - st * sy) / determinant;
    double cost = 0.0;
    for (int i = 0; i < n; ++i) {
      cost += 0.5 * std::pow(a + b * fits.t[i] - y[i], 2);
    }
    EXPECT_NEAR(fits.x[2 * f], a, 1e-9);
    EXPECT_NEAR(fits.x[2 * f + 1], b, 1e-9);
    EXPECT_NEAR(fits.costs[f], cost, 1e-12);
    const double variance = 2.0 * cost / (n - 2);
    const double* covariance = &fits.covariances[4 * f];
    EXPECT_NEAR(covariance[0], variance * stt / determinant, 1e-9);
    EXPECT_NEAR(covariance[1], -variance * st / determinant, 1e-9);
    EXPECT_EQ(covariance[1], covariance[2]);
    EXPECT_NEAR(covariance[3], variance * n / determinant, 1e-9);
  }
}

}  // namespace
}  // namespace ceres
