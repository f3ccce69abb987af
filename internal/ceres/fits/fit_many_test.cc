// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/fit_many.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "Eigen/Dense"
#include "ceres/kernels/every_target.h"
#include "ceres/loss_function.h"
#include "ceres/parallel/thread_pool.h"
#include "ceres/tiny_solver.h"
#include "ceres/tiny_solver_autodiff_function.h"
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
  const FitManySummary summary = fits.Run(Decay());
  EXPECT_EQ(summary.num_converged, 37);
  for (int f = 0; f < 37; ++f) {
    EXPECT_LT(fits.costs[f], 1e-24) << f;
    const double* x = &fits.x[3 * f];
    for (int i = 0; i < 20; ++i) {
      EXPECT_NEAR(x[0] * std::exp(-fits.t[i] / x[1]) + x[2], fits.y[20 * f + i],
                  1e-11);
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
  fits.options.function_tolerance = 1e-18;
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
    EXPECT_NEAR(fits.x[2 * f], a, 1e-7);
    EXPECT_NEAR(fits.x[2 * f + 1], b, 1e-7);
    EXPECT_NEAR(fits.costs[f], cost, 1e-12);
    const double variance = 2.0 * cost / (n - 2);
    const double* covariance = &fits.covariances[4 * f];
    EXPECT_NEAR(covariance[0], variance * stt / determinant, 1e-9);
    EXPECT_NEAR(covariance[1], -variance * st / determinant, 1e-9);
    EXPECT_EQ(covariance[1], covariance[2]);
    EXPECT_NEAR(covariance[3], variance * n / determinant, 1e-9);
  }
}

struct WholeDecay {
  template <typename T>
  bool operator()(const T* p, T* residuals) const {
    for (int i = 0; i < 20; ++i) {
      const double sample[2] = {t[i], y[i]};
      Decay()(p, sample, residuals + i);
    }
    return true;
  }
  const double *t, *y;
};

TEST(FitMany, ReachesTheCostsOfTinySolver) {
  using Function = TinySolverAutoDiffFunction<WholeDecay, 20, 3>;
  Fits fits(200, 20, 3);
  MakeDecays(&fits, 0.02);
  const std::vector<double> start = fits.x;
  EXPECT_EQ(fits.Run(Decay()).num_converged, 200);
  for (int f = 0; f < 200; ++f) {
    const WholeDecay decay = {fits.t.data(), &fits.y[20 * f]};
    const Function function(decay);
    TinySolver<Function> solver;
    solver.options.function_tolerance = 1e-14;
    TinySolver<Function>::Parameters x(start[3 * f], start[3 * f + 1],
                                       start[3 * f + 2]);
    const double cost = solver.Solve(function, &x).final_cost;
    EXPECT_NEAR(fits.costs[f], cost, 1e-9 * cost) << f;
    EXPECT_NEAR(fits.x[3 * f + 1], x[1], 1e-3) << f;
  }
}

// Units of the data and of the parameters change results by their factors.
TEST(FitMany, DoesNotDependOnUnits) {
  Fits fits(20, 20, 3);
  MakeDecays(&fits, 0.02);
  EXPECT_EQ(fits.Run(Decay()).num_converged, 20);
  for (const double unit_t : {1e-12, 1e-3, 1e12}) {
    for (const double unit_y : {1e-12, 1e5, 1e12}) {
      Fits other(20, 20, 3);
      MakeDecays(&other, 0.02, unit_t, unit_y);
      EXPECT_EQ(other.Run(Decay()).num_converged, 20);
      for (int f = 0; f < 20; ++f) {
        EXPECT_NEAR(other.costs[f] / unit_y / unit_y, fits.costs[f],
                    1e-9 * fits.costs[f]);
        EXPECT_NEAR(other.x[3 * f] / unit_y, fits.x[3 * f], 1e-4);
        EXPECT_NEAR(other.x[3 * f + 1] / unit_t, fits.x[3 * f + 1], 1e-4);
        const double variance = fits.covariances[9 * f + 4];
        EXPECT_NEAR(other.covariances[9 * f + 4] / unit_t / unit_t, variance,
                    1e-3 * variance);
        EXPECT_NEAR(other.covariances[9 * f + 1] / unit_t / unit_y,
                    fits.covariances[9 * f + 1], 1e-3 * variance);
      }
    }
  }
}

// Everything that a fit returns, for fits in the given order.
std::vector<double> ResultsOf(const Fits& fits, const std::vector<int>& order) {
  const int size = fits.parameters.size;
  std::vector<double> results;
  for (const int f : order) {
    results.push_back(fits.costs[f]);
    results.push_back(static_cast<double>(fits.statuses[f]));
    results.push_back(fits.iterations[f]);
    results.insert(results.end(), &fits.x[f * size], &fits.x[f * size] + size);
    results.insert(results.end(), &fits.covariances[f * size * size],
                   &fits.covariances[f * size * size] + size * size);
  }
  return results;
}

std::vector<int> FirstIntegers(int n) {
  std::vector<int> list(n);
  std::iota(list.begin(), list.end(), 0);
  return list;
}

// p0 exp(-((t - p1) / p2)^2).
struct Peak {
  template <typename T, typename D>
  bool operator()(const T* p, const D* sample, T* residual) const {
    using std::exp;
    const T z = (sample[0] - p[1]) / p[2];
    residual[0] = p[0] * exp(-z * z) - sample[1];
    return true;
  }
};

// The distance to the origin of a place says nothing about how exactly it must
// be found. Powers of two, so that the data are the same.
TEST(FitMany, FindsAPeakFarFromTheOrigin) {
  const int n = 48, num_fits = 20;
  std::vector<double> costs;
  for (const double origin : {0.0, 0x1p20, 0x1p30, 0x1p35}) {
    Fits fits(num_fits, n, 3);
    std::mt19937 random(4);
    std::normal_distribution<double> normal;
    for (int i = 0; i < n; ++i) fits.t[i] = origin + (i - 24) / 8.0;
    for (int f = 0; f < num_fits; ++f) {
      for (int i = 0; i < n; ++i) {
        const double z = (i - 24) / 8.0 - 0.3;
        fits.y[f * n + i] = 2.0 * std::exp(-z * z) + 0.02 * normal(random);
      }
      const double start[] = {1.6, origin, 1.2};
      std::copy_n(start, 3, &fits.x[3 * f]);
    }
    EXPECT_EQ(fits.Run(Peak()).num_converged, num_fits);
    if (costs.empty()) costs = fits.costs;
    for (int f = 0; f < num_fits; ++f) {
      EXPECT_NEAR(fits.costs[f], costs[f], 1e-7 * costs[f]) << origin;
    }
  }
}

TEST(FitMany, GivesTheSameBitsForAnyNumberOfThreads) {
  parallel::ThreadPoolOptions pool_options;
  pool_options.num_workers = 7;
  parallel::ThreadPool pool(pool_options);
  pool.SetRunningLimit(8);
  std::vector<double> first;
  for (const int num_threads : {1, 2, 3, 4, 8}) {
    Fits fits(300, 20, 3);
    MakeDecays(&fits, 0.1);
    fits.y[55] = kNaN;
    fits.options.num_threads = num_threads;
    fits.options.executor = &pool;
    fits.Run(Decay());
    const std::vector<double> results = ResultsOf(fits, FirstIntegers(300));
    if (first.empty()) first = results;
    EXPECT_TRUE(SameBits(results, first)) << num_threads;
  }
}

TEST(FitMany, GivesAFitTheSameBitsAloneAndAmongOthers) {
  internal::kernels::ForEachTarget([] {
    Fits all(50, 20, 3);
    MakeDecays(&all, 0.1);
    const std::vector<double> start = all.x;
    // Neighbours that fail in several ways.
    all.y[20 * 3 + 2] = kNaN;
    all.x[3 * 11] = kInfinity;
    all.x[3 * 20 + 1] = 0.0;
    EXPECT_EQ(all.Run(Decay()).num_failed, 3);
    for (const int f : {0, 2, 4, 10, 12, 21, 49}) {
      Fits one(1, 20, 3);
      one.t = all.t;
      std::copy_n(&all.y[20 * f], 20, one.y.begin());
      std::copy_n(&start[3 * f], 3, one.x.begin());
      EXPECT_EQ(one.Run(Decay()).num_converged, 1);
      EXPECT_TRUE(SameBits(ResultsOf(one, {0}), ResultsOf(all, {f}))) << f;
    }
  });
}

TEST(FitMany, FailsAloneAndKeepsTheStart) {
  Fits fits(20, 20, 3);
  MakeDecays(&fits, 0.05);
  fits.y[7 * 20 + 19] = kNaN;
  const std::vector<double> start = fits.x;
  const FitManySummary summary = fits.Run(Decay());
  EXPECT_EQ(summary.num_failed, 1);
  EXPECT_EQ(summary.num_converged, 19);
  for (int f = 0; f < 20; ++f) {
    EXPECT_EQ(fits.statuses[f],
              f == 7 ? FitStatus::kFailed : FitStatus::kConverged);
    EXPECT_EQ(std::isnan(fits.costs[f]), f == 7);
    EXPECT_EQ(std::isnan(fits.covariances[9 * f + 4]), f == 7);
    EXPECT_EQ(fits.x[3 * f] == start[3 * f], f == 7);
  }
}

TEST(FitMany, LeavesOutNaNAndMaskedSamplesAsIfTheyWereNotThere) {
  Fits complete(9, 16, 3), gaps(9, 20, 3), masked(9, 20, 3);
  MakeDecays(&gaps, 0.05);
  complete.x = masked.x = gaps.x;
  masked.t = gaps.t;
  std::vector<double> t(9 * 16), all_t(9 * 20);
  const auto mask = std::make_unique<bool[]>(9 * 20);
  for (int f = 0; f < 9; ++f) {
    int place = 16 * f;
    for (int i = 0; i < 20; ++i) {
      const bool is_missing = (i + f) % 5 == 1;
      const int index = 20 * f + i;
      mask[index] = !is_missing;
      masked.y[index] = gaps.y[index];
      all_t[index] = gaps.t[i];
      if (is_missing) {
        // In any of the columns.
        (i % 2 == 0 ? gaps.y[index] : all_t[index]) = kNaN;
      } else {
        t[place] = gaps.t[i];
        complete.y[place++] = gaps.y[index];
      }
    }
  }
  complete.data.columns[0] = FitColumn(t.data(), 16);
  gaps.data.columns[0] = FitColumn(all_t.data(), 20);
  gaps.options.skip_nan = true;
  masked.data.mask = FitColumn(mask.get(), 20);
  const std::vector<int> order = FirstIntegers(9);
  EXPECT_EQ(complete.Run(Decay()).num_converged, 9);
  gaps.Run(Decay());
  masked.Run(Decay());
  EXPECT_TRUE(SameBits(ResultsOf(complete, order), ResultsOf(gaps, order)));
  EXPECT_TRUE(SameBits(ResultsOf(complete, order), ResultsOf(masked, order)));
}

TEST(FitMany, TakesFitsOfDifferentSizes) {
  const std::vector<std::int64_t> offsets = {0,   5,   5,   6,   40,  140,
                                             150, 170, 171, 190, 210, 230};
  const int n = static_cast<int>(offsets.size()) - 1;
  Fits fits(n, 0, 2);
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  std::vector<double> t(230), y(230);
  for (int i = 0; i < 230; ++i) {
    t[i] = normal(random);
    y[i] = 1.0 + 2.0 * t[i] + 0.1 * normal(random);
  }
  fits.data.offsets = offsets.data();
  fits.data.columns = {FitColumn(t.data(), 1), FitColumn(y.data(), 1)};
  fits.Run(Line());
  for (int f = 0; f < n; ++f) {
    const int count = static_cast<int>(offsets[f + 1] - offsets[f]);
    if (count == 0) {
      EXPECT_EQ(fits.statuses[f], FitStatus::kFailed);
      continue;
    }
    Fits one(1, count, 2);
    one.data.columns = {FitColumn(&t[offsets[f]], 0),
                        FitColumn(&y[offsets[f]], 0)};
    one.Run(Line());
    EXPECT_TRUE(SameBits(ResultsOf(one, {0}), ResultsOf(fits, {f}))) << f;
    EXPECT_EQ(fits.statuses[f], FitStatus::kConverged) << f;
    // A sample does not determine two parameters, and two leave no noise.
    EXPECT_EQ(std::isinf(fits.covariances[4 * f]), count <= 2) << f;
  }
}

TEST(FitMany, DoesNothingForNoFits) {
  Fits fits(0, 20, 3);
  int calls = 0;
  fits.options.progress = [&calls](std::int64_t, std::int64_t) { ++calls; };
  const FitManySummary summary = fits.Run(Decay());
  EXPECT_EQ(summary.num_converged + summary.num_failed + summary.num_not_run,
            0);
  EXPECT_EQ(calls, 0);
}

// y = p0 + p1 t + p2 t^2.
struct Parabola {
  template <typename T, typename D>
  bool operator()(const T* p, const D* sample, T* residual) const {
    residual[0] = p[0] + sample[0] * (p[1] + sample[0] * p[2]) - sample[1];
    return true;
  }
};

// The least cost over all choices of parameters on bounds: each of 3 parameters
// is free, on its lower bound, or on its upper bound.
double LeastCostInBox(const double* t, const double* y, int n,
                      const double* lower, const double* upper) {
  double least = kInfinity;
  for (int choice = 0; choice < 27; ++choice) {
    const int where[3] = {choice % 3, choice / 3 % 3, choice / 9};
    Eigen::MatrixXd a(n, 0);
    Eigen::VectorXd b = Eigen::Map<const Eigen::VectorXd>(y, n);
    Eigen::Vector3d x = Eigen::Vector3d::Zero();
    std::vector<int> free;
    for (int k = 0; k < 3; ++k) {
      Eigen::VectorXd column(n);
      for (int i = 0; i < n; ++i) column[i] = std::pow(t[i], k);
      if (where[k] == 0) {
        free.push_back(k);
        a.conservativeResize(n, a.cols() + 1);
        a.col(a.cols() - 1) = column;
      } else {
        x[k] = where[k] == 1 ? lower[k] : upper[k];
        b -= x[k] * column;
      }
    }
    const Eigen::VectorXd solution =
        free.empty() ? Eigen::VectorXd() : a.colPivHouseholderQr().solve(b);
    bool is_inside = true;
    for (std::size_t j = 0; j < free.size(); ++j) {
      x[free[j]] = solution[j];
      is_inside = is_inside && x[free[j]] >= lower[free[j]] &&
                  x[free[j]] <= upper[free[j]];
    }
    if (!is_inside) continue;
    double cost = 0.0;
    for (int i = 0; i < n; ++i) {
      cost += 0.5 * std::pow(x[0] + t[i] * (x[1] + t[i] * x[2]) - y[i], 2);
    }
    least = std::min(least, cost);
  }
  return least;
}

TEST(FitMany, FindsTheBestPointOfABox) {
  const int n = 12, num_fits = 200;
  Fits fits(num_fits, n, 3);
  std::mt19937 random(8);
  std::normal_distribution<double> normal;
  for (int i = 0; i < n; ++i) fits.t[i] = 0.2 * i - 1.1;
  for (double& y : fits.y) y = 2.0 * normal(random);
  std::vector<double> lower(3 * num_fits), upper(3 * num_fits);
  for (int i = 0; i < 3 * num_fits; ++i) {
    lower[i] = normal(random) - 0.5;
    // Some boxes are flat.
    upper[i] = lower[i] + (i % 11 == 0 ? 0.0 : std::abs(normal(random)));
    fits.x[i] = normal(random);
  }
  fits.parameters.lower = lower.data();
  fits.parameters.upper = upper.data();
  fits.parameters.bounds_stride = 3;
  fits.options.function_tolerance = 1e-14;
  EXPECT_EQ(fits.Run(Parabola()).num_converged, num_fits);
  for (int f = 0; f < num_fits; ++f) {
    const double least = LeastCostInBox(fits.t.data(), &fits.y[n * f], n,
                                        &lower[3 * f], &upper[3 * f]);
    EXPECT_NEAR(fits.costs[f], least, 1e-9 * least) << f;
    for (int k = 3 * f; k < 3 * f + 3; ++k) {
      EXPECT_GE(fits.x[k], lower[k]);
      EXPECT_LE(fits.x[k], upper[k]);
    }
  }
}

TEST(FitMany, RefusesBoundsThatExcludeEachOtherInOneFit) {
  Fits fits(3, 12, 3);
  MakeDecays(&fits, 0.01);
  std::vector<double> lower(9, -kInfinity), upper(9, kInfinity);
  lower[4] = 2.0;
  upper[4] = 1.0;
  fits.parameters.lower = lower.data();
  fits.parameters.upper = upper.data();
  fits.parameters.bounds_stride = 3;
  fits.Run(Decay());
  EXPECT_EQ(fits.statuses[0], FitStatus::kConverged);
  EXPECT_EQ(fits.statuses[1], FitStatus::kFailed);
  EXPECT_EQ(fits.statuses[2], FitStatus::kConverged);
}

TEST(FitMany, HoldsFixedParameters) {
  const int n = 12;
  Fits fits(10, n, 2);
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (int i = 0; i < n; ++i) fits.t[i] = 0.3 * i;
  for (double& y : fits.y) y = normal(random);
  for (int f = 0; f < 10; ++f) fits.x[2 * f] = 0.1 * f;
  const bool fixed[2] = {true, false};
  fits.parameters.fixed = fixed;
  fits.options.function_tolerance = 1e-18;
  EXPECT_EQ(fits.Run(Line()).num_converged, 10);
  for (int f = 0; f < 10; ++f) {
    double sty = 0.0, stt = 0.0;
    for (int i = 0; i < n; ++i) {
      sty += fits.t[i] * (fits.y[f * n + i] - 0.1 * f);
      stt += fits.t[i] * fits.t[i];
    }
    EXPECT_EQ(fits.x[2 * f], 0.1 * f);
    EXPECT_NEAR(fits.x[2 * f + 1], sty / stt, 1e-8);
    EXPECT_EQ(fits.covariances[4 * f], 0.0);
    EXPECT_EQ(fits.covariances[4 * f + 1], 0.0);
    EXPECT_NEAR(fits.covariances[4 * f + 3],
                2.0 * fits.costs[f] / (n - 1) / stt, 1e-12);
  }
}

// p0 t + sqrt(p1), which has no derivative by p1 at 0.
struct LineAboveRoot {
  template <typename T, typename D>
  bool operator()(const T* p, const D* sample, T* residual) const {
    using std::sqrt;
    residual[0] = p[0] * sample[0] + sqrt(p[1]) - sample[1];
    return true;
  }
};

TEST(FitMany, NeedsNoDerivativesByFixedParameters) {
  Fits fits(10, 12, 2);
  for (int i = 0; i < 12; ++i) fits.t[i] = 0.3 * i;
  for (int i = 0; i < 120; ++i) fits.y[i] = 2.0 * fits.t[i % 12];
  EXPECT_EQ(fits.Run(LineAboveRoot()).num_failed, 10);
  const bool fixed[2] = {false, true};
  fits.parameters.fixed = fixed;
  EXPECT_EQ(fits.Run(LineAboveRoot()).num_converged, 10);
  for (int f = 0; f < 10; ++f) EXPECT_NEAR(fits.x[2 * f], 2.0, 1e-12);
}

TEST(FitMany, MultipliesResidualsByWeights) {
  Fits weighted(10, 20, 3), repeated(10, 40, 3);
  MakeDecays(&weighted, 0.05);
  repeated.x = weighted.x;
  // A weight of the root of 2 is a sample that is there twice.
  std::vector<double> weights(20, std::sqrt(2.0));
  for (int i = 0; i < 40; ++i) repeated.t[i] = weighted.t[i / 2];
  for (int i = 0; i < 400; ++i) repeated.y[i] = weighted.y[i / 2];
  weighted.data.weights = FitColumn(weights.data(), 0);
  weighted.options.scale_covariance = repeated.options.scale_covariance = false;
  EXPECT_EQ(weighted.Run(Decay()).num_converged, 10);
  EXPECT_EQ(repeated.Run(Decay()).num_converged, 10);
  for (int f = 0; f < 10; ++f) {
    EXPECT_NEAR(weighted.costs[f], repeated.costs[f], 1e-9 * repeated.costs[f]);
    const double variance = repeated.covariances[9 * f];
    EXPECT_NEAR(weighted.covariances[9 * f], variance, 1e-4 * variance);
  }
}

TEST(FitMany, ReadsFloatsAndStrides) {
  Fits plain(6, 20, 3), other(6, 20, 3);
  MakeDecays(&plain, 0.05);
  other.x = plain.x;
  // Samples of all fits beside each other, backwards, with float values.
  std::vector<float> y(6 * 20);
  std::vector<double> t(20);
  for (int i = 0; i < 20; ++i) {
    t[19 - i] = plain.t[i];
    for (int f = 0; f < 6; ++f) {
      y[(19 - i) * 6 + f] = static_cast<float>(plain.y[20 * f + i]);
      plain.y[20 * f + i] = y[(19 - i) * 6 + f];
    }
  }
  other.data.columns = {FitColumn(&t[19], 0, -1), FitColumn(&y[19 * 6], 1, -6)};
  EXPECT_EQ(plain.Run(Decay()).num_converged, 6);
  other.Run(Decay());
  const std::vector<int> order = FirstIntegers(6);
  EXPECT_TRUE(SameBits(ResultsOf(plain, order), ResultsOf(other, order)));
}

struct Point {
  static constexpr int kNumResiduals = 2;
  template <typename T, typename D>
  bool operator()(const T* p, const D* sample, T* residuals) const {
    residuals[0] = p[0] * cos(sample[0]) - sample[1];
    residuals[1] = p[1] * sin(sample[0]) - sample[2];
    return true;
  }
};

TEST(FitMany, TakesSeveralResidualsOfASample) {
  const int n = 15;
  Fits fits(10, n, 2);
  std::vector<double> x(10 * n), y(10 * n);
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (int i = 0; i < n; ++i) fits.t[i] = 0.4 * i;
  for (int i = 0; i < 10 * n; ++i) {
    x[i] = 3.0 * std::cos(fits.t[i % n]) + 0.1 * normal(random);
    y[i] = 2.0 * std::sin(fits.t[i % n]) + 0.1 * normal(random);
  }
  fits.data.columns = {FitColumn(fits.t.data(), 0), FitColumn(x.data(), n),
                       FitColumn(y.data(), n)};
  fits.options.function_tolerance = 1e-18;
  EXPECT_EQ(fits.Run(Point()).num_converged, 10);
  for (int f = 0; f < 10; ++f) {
    double cc = 0.0, cx = 0.0, ss = 0.0, sy = 0.0;
    for (int i = 0; i < n; ++i) {
      const double c = std::cos(fits.t[i]), s = std::sin(fits.t[i]);
      cc += c * c;
      cx += c * x[f * n + i];
      ss += s * s;
      sy += s * y[f * n + i];
    }
    EXPECT_NEAR(fits.x[2 * f], cx / cc, 1e-8);
    EXPECT_NEAR(fits.x[2 * f + 1], sy / ss, 1e-8);
    // 2 n residuals.
    EXPECT_NEAR(fits.covariances[4 * f], 2.0 * fits.costs[f] / (2 * n - 2) / cc,
                1e-9);
  }
}

// The robust cost at p, by the loss functions of the solver.
double RobustCost(const LossFunction& loss, const Fits& fits, int f,
                  const double* p) {
  double cost = 0.0;
  const int n = static_cast<int>(fits.data.num_samples);
  for (int i = 0; i < n; ++i) {
    const double sample[2] = {fits.t[i], fits.y[f * n + i]};
    double r, rho[3];
    Line()(p, sample, &r);
    loss.Evaluate(r * r, rho);
    cost += 0.5 * rho[0];
  }
  return cost;
}

TEST(FitMany, MinimizesRobustCosts) {
  const double a = 0.2;
  const HuberLoss huber(a);
  const SoftLOneLoss soft(a);
  const CauchyLoss cauchy(a);
  const ArctanLoss arctan(a * a);
  const TukeyLoss tukey(3 * a);
  const std::vector<
      std::pair<const LossFunction*, std::function<Traced(const Traced&)>>>
      losses = {{&huber, FitLoss::Huber(a)},
                {&soft, FitLoss::SoftLOne(a)},
                {&cauchy, FitLoss::Cauchy(a)},
                {&arctan, FitLoss::Arctan(a)},
                {&tukey, FitLoss::Tukey(3 * a)}};
  for (const auto& [loss, recorded] : losses) {
    Fits fits(30, 40, 2);
    std::mt19937 random(4);
    std::normal_distribution<double> normal;
    for (int i = 0; i < 40; ++i) fits.t[i] = 0.1 * i;
    for (int i = 0; i < 30 * 40; ++i) {
      fits.y[i] = 1.0 + 0.5 * fits.t[i % 40] + 0.1 * normal(random);
      if (i % 5 == 0) fits.y[i] += 3.0;
    }
    for (int f = 0; f < 30; ++f) fits.x[2 * f] = 1.0;
    fits.options.loss = recorded;
    EXPECT_EQ(fits.Run(Line()).num_converged, 30);
    for (int f = 0; f < 30; ++f) {
      const double* const p = &fits.x[2 * f];
      const double cost = RobustCost(*loss, fits, f, p);
      EXPECT_NEAR(fits.costs[f], cost, 1e-12 * cost);
      for (const double step : {-1e-3, 1e-3}) {
        for (int k = 0; k < 2; ++k) {
          double q[2] = {p[0], p[1]};
          q[k] += step;
          EXPECT_GT(RobustCost(*loss, fits, f, q), cost);
        }
      }
    }
  }
}

// Functions with decisions: |t - p0| below and above a limit, by `if`.
struct Branches {
  template <typename T, typename D>
  bool operator()(const T* p, const D* sample, T* residual) const {
    T model = p[1] + p[2] * sample[0];
    if (sample[0] < p[0]) {
      model += p[2] * (p[0] - sample[0]);
    } else if (sample[0] > 3.0) {
      model += exp(-p[1] * sample[0]);
    }
    residual[0] = model - sample[1];
    return true;
  }
};

struct Selections {
  template <typename T, typename D>
  bool operator()(const T* p, const D* sample, T* residual) const {
    const T model = p[1] + p[2] * sample[0];
    residual[0] =
        Select(sample[0] < p[0], model + p[2] * (p[0] - sample[0]),
               Select(sample[0] > 3.0, model + exp(-p[1] * sample[0]), model)) -
        sample[1];
    return true;
  }
};

TEST(FitMany, DecisionsHaveTheBitsOfSelections) {
  internal::kernels::ForEachTarget([] {
    Fits branches(40, 25, 3), selections(40, 25, 3);
    std::mt19937 random(4);
    std::normal_distribution<double> normal;
    for (int i = 0; i < 25; ++i) branches.t[i] = 0.2 * i;
    for (int i = 0; i < 40 * 25; ++i) {
      branches.y[i] = std::max(1.0, branches.t[i % 25]) + 0.1 * normal(random);
    }
    for (int f = 0; f < 40; ++f) {
      branches.x[3 * f] = 0.7 + 0.02 * f;
      branches.x[3 * f + 1] = 0.5;
      branches.x[3 * f + 2] = 1.2;
    }
    selections.t = branches.t;
    selections.y = branches.y;
    selections.x = branches.x;
    EXPECT_GE(branches.Run(Branches()).num_converged, 35);
    selections.Run(Selections());
    const std::vector<int> order = FirstIntegers(40);
    EXPECT_TRUE(
        SameBits(ResultsOf(branches, order), ResultsOf(selections, order)));
  });
}

// As many records as there are samples: a loop of sample[0] additions.
struct ManyRecords {
  template <typename T, typename D>
  bool operator()(const T* p, const D* sample, T* residual) const {
    T model = p[1];
    for (D i = D(0.0); i < sample[0]; i += 1.0) model += p[0];
    residual[0] = model - sample[1];
    return true;
  }
};

TEST(FitMany, TakesMoreCombinationsOfDecisionsThanItKeeps) {
  const int n = 150;
  Fits loops(10, n, 2), line(10, n, 2);
  std::mt19937 random(4);
  std::normal_distribution<double> normal;
  for (int i = 0; i < n; ++i) loops.t[i] = line.t[i] = i;
  for (int i = 0; i < 10 * n; ++i) {
    loops.y[i] = line.y[i] = 0.1 * (i % n) + 0.1 * normal(random);
  }
  EXPECT_EQ(loops.Run(ManyRecords()).num_converged, 10);
  EXPECT_EQ(line.Run(Line()).num_converged, 10);
  for (int f = 0; f < 10; ++f) {
    EXPECT_NEAR(loops.x[2 * f], line.x[2 * f + 1], 1e-6);
    EXPECT_NEAR(loops.costs[f], line.costs[f], 1e-9 * line.costs[f]);
  }
}

// Is not there for p0 <= 0; the start of odd fits.
struct LogOfPositive {
  template <typename T, typename D>
  bool operator()(const T* p, const D* sample, T* residual) const {
    if (p[0] <= 0.0) return false;
    residual[0] = log(p[0]) - sample[0];
    return true;
  }
};

TEST(FitMany, RejectsStepsToWhereTheFunctorFails) {
  Fits fits(20, 5, 1);
  std::vector<double> y(20 * 5);
  for (int i = 0; i < 100; ++i) y[i] = -3.0 + 0.001 * i;
  for (int f = 0; f < 20; ++f) fits.x[f] = f % 2 == 0 ? 1.0 : -1.0;
  fits.data.columns = {FitColumn(y.data(), 5)};
  const FitManySummary summary = fits.Run(LogOfPositive());
  EXPECT_EQ(summary.num_failed, 10);
  EXPECT_EQ(summary.num_converged, 10);
  for (int f = 0; f < 20; f += 2) {
    EXPECT_NEAR(std::log(fits.x[f]), y[5 * f + 2], 1e-6);
  }
}

// Only the sum of p0 and p1 matters, and p2 does not.
struct Undetermined {
  template <typename T, typename D>
  bool operator()(const T* p, const D* sample, T* residual) const {
    residual[0] = p[0] + p[1] + 0.0 * p[2] - sample[0];
    return true;
  }
};

TEST(FitMany, EndsWhereTheDataDoNotDetermineTheParameters) {
  Fits fits(9, 8, 3);
  std::mt19937 random(4);
  std::normal_distribution<double> normal;
  std::vector<double> y(9 * 8);
  for (double& value : y) value = normal(random);
  fits.data.columns = {FitColumn(y.data(), 8)};
  fits.options.function_tolerance = 1e-18;
  EXPECT_EQ(fits.Run(Undetermined()).num_converged, 9);
  for (int f = 0; f < 9; ++f) {
    double mean = 0.0;
    for (int i = 0; i < 8; ++i) mean += y[8 * f + i] / 8.0;
    EXPECT_NEAR(fits.x[3 * f] + fits.x[3 * f + 1], mean, 1e-6);
    EXPECT_EQ(fits.x[3 * f + 2], 0.0);
    EXPECT_EQ(fits.covariances[9 * f], kInfinity);
  }
}

TEST(FitMany, SaysThatStepsAreUsedUp) {
  Fits fits(10, 20, 3);
  MakeDecays(&fits, 0.05);
  const std::vector<double> start = fits.x;
  fits.options.max_num_iterations = 2;
  EXPECT_EQ(fits.Run(Decay()).num_max_iterations, 10);
  for (int f = 0; f < 10; ++f) {
    EXPECT_EQ(fits.iterations[f], 2);
    EXPECT_NE(fits.x[3 * f], start[3 * f]);
    EXPECT_TRUE(std::isfinite(fits.costs[f]));
  }
  fits.x = start;
  fits.options.max_num_iterations = 0;
  EXPECT_EQ(fits.Run(Decay()).num_max_iterations, 10);
  EXPECT_EQ(fits.x, start);
}

TEST(FitMany, DoesNotBeginAfterACancellationOrADeadline) {
  parallel::CancellationSource cancelled;
  cancelled.Cancel();
  const parallel::CancellationSource late(std::chrono::seconds(-1));
  for (const auto& token : {cancelled.token(), late.token()}) {
    Fits fits(100, 20, 3);
    MakeDecays(&fits, 0.05);
    const std::vector<double> start = fits.x;
    fits.options.num_threads = 3;
    fits.options.cancellation_token = token;
    EXPECT_EQ(fits.Run(Decay()).num_not_run, 100);
    EXPECT_EQ(fits.x, start);
    for (int f = 0; f < 100; ++f) {
      EXPECT_EQ(fits.statuses[f], FitStatus::kNotRun);
      EXPECT_TRUE(std::isnan(fits.costs[f]));
    }
  }
}

TEST(FitMany, StopsInTheMiddleAndCountsWhatHasEnded) {
  Fits fits(1000, 20, 3);
  MakeDecays(&fits, 0.05);
  parallel::CancellationSource source;
  fits.options.cancellation_token = source.token();
  std::int64_t last = 0;
  fits.options.progress = [&](std::int64_t ended, std::int64_t all) {
    EXPECT_EQ(all, 1000);
    EXPECT_GT(ended, last);
    last = ended;
    if (ended >= 300) source.Cancel();
  };
  const FitManySummary summary = fits.Run(Decay());
  EXPECT_GE(summary.num_converged, 300);
  EXPECT_LE(summary.num_converged, 330);
  EXPECT_GT(summary.num_stopped + summary.num_not_run, 600);
  EXPECT_LE(summary.num_stopped, 8);
  std::int64_t converged = 0;
  for (const FitStatus status : fits.statuses) {
    converged += status == FitStatus::kConverged ? 1 : 0;
  }
  EXPECT_EQ(converged, summary.num_converged);
}

TEST(FitMany, CallsProgressAHundredTimesAndLastForAll) {
  Fits fits(250, 20, 3);
  MakeDecays(&fits, 0.05);
  fits.options.num_threads = 4;
  std::vector<std::int64_t> calls;
  fits.options.progress = [&](std::int64_t ended, std::int64_t) {
    calls.push_back(ended);
  };
  fits.Run(Decay());
  EXPECT_EQ(calls.size(), 100u);
  EXPECT_TRUE(std::is_sorted(calls.begin(), calls.end()));
  EXPECT_EQ(calls.back(), 250);
}

struct Throwing {
  template <typename T, typename D>
  bool operator()(const T* p, const D* sample, T* residual) const {
    if (p[0] > 100.0) throw std::runtime_error("too large");
    residual[0] = p[0] - sample[0];
    return true;
  }
};

TEST(FitMany, PassesExceptionsOn) {
  for (const int num_threads : {1, 4}) {
    Fits fits(500, 4, 1);
    for (int f = 0; f < 500; ++f) fits.x[f] = f == 321 ? 200.0 : 1.0;
    fits.data.columns = {FitColumn(fits.y.data(), 4)};
    fits.options.num_threads = num_threads;
    EXPECT_THROW(fits.Run(Throwing()), std::runtime_error);
  }
}

TEST(FitMany, WritesOnlyWhatIsWanted) {
  Fits fits(20, 20, 3), all(20, 20, 3);
  MakeDecays(&fits, 0.05);
  MakeDecays(&all, 0.05);
  fits.results = FitResults();
  EXPECT_EQ(fits.Run(Decay()).num_converged, 20);
  all.Run(Decay());
  EXPECT_TRUE(SameBits(fits.x, all.x));
}

// A functor as a function that is not recorded.
template <typename Functor>
FitFunction FunctionOf(int num_columns, int num_residuals = 1) {
  FitFunction function;
  function.num_residuals = num_residuals;
  function.residuals = [=](const FitSamples& samples, const double* p,
                           double* residuals) {
    std::vector<double> sample(num_columns);
    for (std::int64_t i = 0; i < samples.size; ++i) {
      for (int c = 0; c < num_columns; ++c) {
        sample[c] = samples.columns[c * samples.size + i];
      }
      if (!Functor()(p, sample.data(), residuals + i * num_residuals)) {
        return false;
      }
    }
    return true;
  };
  return function;
}

void ExpectEqualFits(const Fits& a, const Fits& b, double tolerance) {
  EXPECT_EQ(a.statuses, b.statuses);
  for (std::size_t f = 0; f < a.costs.size(); ++f) {
    EXPECT_NEAR(a.costs[f], b.costs[f], 1e-10 * b.costs[f] + 1e-24) << f;
  }
  for (std::size_t i = 0; i < a.x.size(); ++i) {
    EXPECT_NEAR(a.x[i], b.x[i], tolerance) << i;
  }
  const int size = a.parameters.size;
  for (std::size_t i = 0; i < a.covariances.size(); ++i) {
    const std::size_t first = i / (size * size) * (size * size);
    const std::size_t row = i % (size * size) / size, column = i % size;
    const double scale = std::sqrt(b.covariances[first + row * (size + 1)] *
                                   b.covariances[first + column * (size + 1)]);
    EXPECT_NEAR(a.covariances[i], b.covariances[i], 1e-5 * scale) << i;
  }
}

TEST(FitManyFunction, FindsWhatARecordedModelFinds) {
  const std::int64_t offsets[] = {0, 20, 32, 32, 60, 100};
  const std::vector<double> weights(100, 0.5);
  std::unique_ptr<bool[]> mask(new bool[100]);
  for (int i = 0; i < 100; ++i) mask[i] = i % 7 != 3;
  for (const bool is_robust : {false, true}) {
    Fits recorded(5, 20, 3), function(5, 20, 3);
    for (Fits* fits : {&recorded, &function}) {
      MakeDecays(fits, 0.05);
      fits->t.resize(100);
      for (int i = 20; i < 100; ++i) fits->t[i] = fits->t[i - 20];
      fits->data.columns = {FitColumn(fits->t.data(), 20),
                            FitColumn(fits->y.data(), 20)};
      fits->data.offsets = offsets;
      fits->data.weights = FitColumn(weights.data(), 20);
      fits->data.mask = FitColumn(mask.get(), 20);
      if (is_robust) fits->options.loss = FitLoss::Cauchy(0.03);
      fits->options.function_tolerance = 1e-14;
    }
    recorded.Run(Decay());
    function.Run(FunctionOf<Decay>(2));
    EXPECT_EQ(function.statuses[2], FitStatus::kFailed);
    for (int i = 18; i < 27; ++i) {
      EXPECT_TRUE(std::isnan(function.covariances[i]));
      function.covariances[i] = recorded.covariances[i] = 0.0;
    }
    EXPECT_TRUE(std::isnan(function.costs[2]));
    function.costs[2] = recorded.costs[2] = 0.0;
    ExpectEqualFits(function, recorded, 1e-4);
  }
}

TEST(FitManyFunction, TakesDerivatives) {
  Fits recorded(30, 20, 3), function(30, 20, 3);
  MakeDecays(&recorded, 0.05);
  MakeDecays(&function, 0.05);
  FitFunction decay = FunctionOf<Decay>(2);
  int num_calls = 0;
  decay.jacobian = [&num_calls](const FitSamples& samples, const double* p,
                                double* jacobian) {
    ++num_calls;
    for (std::int64_t i = 0; i < samples.size; ++i, jacobian += 3) {
      const double t = samples.columns[i], e = std::exp(-t / p[1]);
      jacobian[0] = e;
      jacobian[1] = p[0] * e * t / (p[1] * p[1]);
      jacobian[2] = 1.0;
    }
    return num_calls != 1;
  };
  // The first fit has no derivatives at its start.
  recorded.x[0] = kNaN;
  recorded.Run(Decay());
  function.Run(decay);
  EXPECT_EQ(function.statuses[0], FitStatus::kFailed);
  for (Fits* fits : {&recorded, &function}) {
    EXPECT_TRUE(std::isnan(fits->costs[0]));
    fits->costs[0] = fits->x[0] = 0.0;
    std::fill_n(fits->covariances.begin(), 9, 0.0);
  }
  ExpectEqualFits(function, recorded, 1e-5);
}

TEST(FitManyFunction, TakesSeveralResidualsOfASample) {
  const int n = 15;
  Fits recorded(10, n, 2), function(10, n, 2);
  std::vector<double> x(10 * n), y(10 * n);
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 10 * n; ++i) {
    x[i] = 3.0 + normal(random);
    y[i] = 2.0 + normal(random);
  }
  for (Fits* fits : {&recorded, &function}) {
    for (int i = 0; i < n; ++i) fits->t[i] = 0.4 * i;
    fits->data.columns = {FitColumn(fits->t.data(), 0), FitColumn(x.data(), n),
                          FitColumn(y.data(), n)};
  }
  recorded.Run(Point());
  function.Run(FunctionOf<Point>(3, 2));
  ExpectEqualFits(function, recorded, 1e-5);
}

// Differences must neither leave a box nor need room in it.
TEST(FitManyFunction, FindsTheBestPointOfABox) {
  const int n = 12, num_fits = 200;
  Fits recorded(num_fits, n, 3), function(num_fits, n, 3);
  std::vector<double> lower(3 * num_fits), upper(3 * num_fits);
  for (Fits* fits : {&recorded, &function}) {
    std::mt19937 random(8);
    std::normal_distribution<double> normal;
    for (int i = 0; i < n; ++i) fits->t[i] = 0.2 * i - 1.1;
    for (double& y : fits->y) y = 2.0 * normal(random);
    for (int i = 0; i < 3 * num_fits; ++i) {
      lower[i] = normal(random) - 0.5;
      upper[i] = lower[i] + (i % 11 == 0   ? 0.0
                             : i % 13 == 0 ? 1e-10
                                           : std::abs(normal(random)));
      fits->x[i] = normal(random);
    }
    fits->parameters.lower = lower.data();
    fits->parameters.upper = upper.data();
    fits->parameters.bounds_stride = 3;
    fits->options.function_tolerance = 1e-14;
  }
  recorded.Run(Parabola());
  FitFunction parabola = FunctionOf<Parabola>(2);
  std::set<int> outside;
  parabola.residuals = [&, f = parabola.residuals](const FitSamples& samples,
                                                   const double* p,
                                                   double* residuals) {
    for (int k = 0; k < num_fits; ++k) {
      if (samples.columns[n] != function.y[n * k]) continue;
      for (int j = 0; j < 3; ++j) {
        const int i = 3 * k + j;
        if (p[j] < lower[i] || p[j] > upper[i]) outside.insert(i);
      }
    }
    return f(samples, p, residuals);
  };
  EXPECT_EQ(function.Run(parabola).num_converged, num_fits);
  ExpectEqualFits(function, recorded, 1e-5);
  for (const int i : outside) EXPECT_LE(upper[i] - lower[i], 1e-9);
}

TEST(FitManyFunction, GivesTheSameBitsForAnyNumberOfThreads) {
  std::vector<double> first;
  for (const int num_threads : {1, 2, 3, 4, 8}) {
    Fits fits(100, 20, 3);
    MakeDecays(&fits, 0.1);
    fits.y[55] = kNaN;
    fits.options.num_threads = num_threads;
    EXPECT_EQ(fits.Run(FunctionOf<Decay>(2)).num_failed, 1);
    const std::vector<double> results = ResultsOf(fits, FirstIntegers(100));
    if (first.empty()) first = results;
    EXPECT_TRUE(SameBits(results, first)) << num_threads;
  }
  Fits one(1, 20, 3), all(100, 20, 3);
  MakeDecays(&all, 0.1);
  one.t = all.t;
  std::copy_n(&all.y[20 * 77], 20, one.y.begin());
  std::copy_n(&all.x[3 * 77], 3, one.x.begin());
  one.Run(FunctionOf<Decay>(2));
  all.Run(FunctionOf<Decay>(2));
  EXPECT_TRUE(SameBits(ResultsOf(one, {0}), ResultsOf(all, {77})));
}

// A start may have the wrong size, and the unit of a parameter may be any.
TEST(FitManyFunction, FindsStepsOfDifferencesFromAnyStart) {
  for (const double unit : {1.0, 1e-9, 1e9}) {
    for (const double start : {0.0, 1e-300, 1e-12, 1e-6, 1e6, 1e12}) {
      Fits fits(10, 20, 2);
      for (int i = 0; i < 20; ++i) fits.t[i] = (0.3 * i - 2.0) / unit;
      for (int i = 0; i < 200; ++i) {
        fits.y[i] = 2.0 + 3.0 * unit * fits.t[i % 20] + 0.01 * (i % 3);
      }
      for (int f = 0; f < 10; ++f) {
        fits.x[2 * f] = start;
        fits.x[2 * f + 1] = start * unit;
      }
      Fits recorded(10, 20, 2);
      recorded.t = fits.t;
      recorded.y = fits.y;
      fits.options.function_tolerance = 1e-14;
      recorded.options.function_tolerance = 1e-14;
      EXPECT_EQ(fits.Run(FunctionOf<Line>(2)).num_converged, 10);
      EXPECT_EQ(recorded.Run(Line()).num_converged, 10);
      for (int i = 0; i < 20; ++i) {
        EXPECT_NEAR(fits.x[i], recorded.x[i], 1e-4 * std::abs(recorded.x[i]))
            << unit << " " << start;
      }
    }
  }
}

TEST(FitManyFunction, HoldsFixedParametersWithoutDerivativesByThem) {
  Fits recorded(10, 20, 3), function(10, 20, 3);
  const bool fixed[3] = {false, true, false};
  for (Fits* fits : {&recorded, &function}) {
    MakeDecays(fits, 0.05);
    fits->parameters.fixed = fixed;
  }
  recorded.Run(Decay());
  FitFunction decay = FunctionOf<Decay>(2);
  std::set<double> seen;
  decay.residuals = [&seen, f = decay.residuals](const FitSamples& samples,
                                                 const double* p,
                                                 double* residuals) {
    seen.insert(p[1]);
    return f(samples, p, residuals);
  };
  function.Run(decay);
  ExpectEqualFits(function, recorded, 1e-5);
  EXPECT_EQ(seen.size(), 10u);
}

TEST(FitManyFunction, PassesExceptionsOn) {
  for (const int num_threads : {1, 4}) {
    Fits fits(500, 20, 3);
    MakeDecays(&fits, 0.05);
    fits.options.num_threads = num_threads;
    std::atomic<int> num_calls{0};
    FitFunction decay = FunctionOf<Decay>(2);
    decay.residuals = [&num_calls, f = decay.residuals](
                          const FitSamples& samples, const double* p,
                          double* residuals) {
      if (++num_calls == 3000) throw std::runtime_error("enough");
      return f(samples, p, residuals);
    };
    EXPECT_THROW(fits.Run(decay), std::runtime_error);
  }
}

TEST(FitManyFunctionDeathTest, NeedsAFunction) {
  Fits fits(2, 20, 3);
  EXPECT_DEATH(fits.Run(FitFunction()), "needs a function");
}

TEST(FitManyDeathTest, RefusesWrongArgumentsByName) {
  Fits fits(2, 20, 3);
  fits.options.num_threads = 0;
  EXPECT_DEATH(fits.Run(Decay()), "num_threads is 0");
  fits.options.num_threads = 1;
  fits.data.columns[1] = FitColumn();
  EXPECT_DEATH(fits.Run(Decay()), "column");
  fits.data.columns.pop_back();
  fits.parameters.size = 0;
  EXPECT_DEATH(fits.Run(Decay()), "parameter");
  const std::int64_t offsets[] = {0, 5, 3};
  fits.parameters.size = 3;
  fits.data.offsets = offsets;
  EXPECT_DEATH(fits.Run(Decay()), "decreases after fit 1");
}

}  // namespace
}  // namespace ceres
