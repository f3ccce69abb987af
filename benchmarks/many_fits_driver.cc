// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Many fits of a sum of two exponentials and a constant, by FitMany and by a
// loop over TinySolver. scripts/many_fits.sh describes the problem.
//
//   many_fits_driver [NUM_FITS [NUM_THREADS [ROUNDS [FILE]]]]
//
// Prints a name and a value per line: the medians of the rounds, in which both
// take turns, in microseconds per fit; the ratio of the medians; and how their
// costs compare. With FILE, reads the measurements from there and writes the
// costs of FitMany to FILE.costs: doubles, first 50 times, then for each fit 5
// start values and 50 samples.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "ceres/fit_many.h"
#include "ceres/parallel/parallel_for.h"
#include "ceres/parallel/thread_pool.h"
#include "ceres/tiny_solver.h"
#include "ceres/tiny_solver_autodiff_function.h"

namespace ceres {
namespace {

constexpr int kSamples = 50;
constexpr int kParameters = 5;

struct TwoDecays {
  template <typename T, typename D>
  bool operator()(const T* p, const D* sample, T* residual) const {
    using std::exp;
    residual[0] = p[0] * exp(-sample[0] / p[1]) +
                  p[2] * exp(-sample[0] / p[3]) + p[4] - sample[1];
    return true;
  }
};

// The same residuals for TinySolver.
struct WholeFit {
  template <typename T>
  bool operator()(const T* p, T* residuals) const {
    for (int i = 0; i < kSamples; ++i) {
      const double sample[2] = {t[i], y[i]};
      TwoDecays()(p, sample, residuals + i);
    }
    return true;
  }
  const double* t;
  const double* y;
};

struct Problem {
  std::vector<double> t, y, start;
};

Problem MakeProblem(int num_fits) {
  Problem problem;
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  std::normal_distribution<double> normal;
  for (int i = 0; i < kSamples; ++i) problem.t.push_back(0.1 * i);
  for (int f = 0; f < num_fits; ++f) {
    const double truth[kParameters] = {
        1.0 + uniform(random), 0.3 + 0.2 * uniform(random),
        1.0 + uniform(random), 1.5 + uniform(random), 0.2 * uniform(random)};
    for (int k = 0; k < kParameters; ++k) {
      problem.start.push_back(truth[k] * (uniform(random) < 0.5 ? 0.8 : 1.2));
    }
    for (const double t : problem.t) {
      problem.y.push_back(truth[0] * std::exp(-t / truth[1]) +
                          truth[2] * std::exp(-t / truth[3]) + truth[4] +
                          0.01 * normal(random));
    }
  }
  return problem;
}

Problem ReadProblem(const std::string& name, int num_fits) {
  Problem problem;
  problem.t.resize(kSamples);
  problem.start.resize(kParameters * num_fits);
  problem.y.resize(kSamples * num_fits);
  std::ifstream file(name, std::ios::binary);
  const auto read = [&file](double* to, int count) {
    file.read(reinterpret_cast<char*>(to), count * sizeof(double));
  };
  read(problem.t.data(), kSamples);
  for (int f = 0; f < num_fits; ++f) {
    read(&problem.start[kParameters * f], kParameters);
    read(&problem.y[kSamples * f], kSamples);
  }
  if (!file) {
    std::fprintf(stderr, "%s is too short\n", name.c_str());
    std::exit(1);
  }
  return problem;
}

double Median(std::vector<double> values) {
  const auto middle = values.begin() + values.size() / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

template <typename F>
double Seconds(const F& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

void FitInLanes(const Problem& problem, int num_threads, std::vector<double>* x,
                std::vector<double>* costs) {
  FitManyOptions options;
  options.num_threads = num_threads;
  FitData data;
  data.num_fits = static_cast<int>(costs->size());
  data.num_samples = kSamples;
  data.columns = {FitColumn(problem.t.data(), 0),
                  FitColumn(problem.y.data(), kSamples)};
  FitParameters parameters;
  parameters.size = kParameters;
  parameters.values = x->data();
  FitResults results;
  results.costs = costs->data();
  FitMany<TwoDecays>(options, data, parameters, results);
}

void FitOneByOne(const Problem& problem, int num_threads,
                 std::vector<double>* x, std::vector<double>* costs) {
  using Function = TinySolverAutoDiffFunction<WholeFit, kSamples, kParameters>;
  parallel::LoopOptions options;
  options.max_threads = num_threads;
  parallel::ParallelFor(
      0, static_cast<int>(costs->size()),
      [&](int f) {
        const WholeFit fit = {problem.t.data(), &problem.y[kSamples * f]};
        const Function function(fit);
        TinySolver<Function> solver;
        // A tolerance of the sum of squares, which is about 5e-3: as good as
        // the defaults of FitMany.
        solver.options.function_tolerance = 5e-13;
        solver.options.max_num_iterations = 100;
        TinySolver<Function>::Parameters p =
            Eigen::Map<const TinySolver<Function>::Parameters>(
                &(*x)[kParameters * f]);
        (*costs)[f] = solver.Solve(function, &p).final_cost;
        std::copy_n(p.data(), kParameters, &(*x)[kParameters * f]);
      },
      options);
}

}  // namespace
}  // namespace ceres

int main(int argc, char** argv) {
  using namespace ceres;
  const int num_fits = argc > 1 ? std::atoi(argv[1]) : 100000;
  const int num_threads = argc > 2 ? std::atoi(argv[2]) : 2;
  const int rounds = argc > 3 ? std::atoi(argv[3]) : 5;
  const Problem problem =
      argc > 4 ? ReadProblem(argv[4], num_fits) : MakeProblem(num_fits);
  std::vector<double> lanes_seconds, loop_seconds, x;
  std::vector<double> lanes_costs(num_fits), loop_costs(num_fits);
  for (int round = 0; round < rounds; ++round) {
    x = problem.start;
    lanes_seconds.push_back(
        Seconds([&] { FitInLanes(problem, num_threads, &x, &lanes_costs); }));
    x = problem.start;
    loop_seconds.push_back(
        Seconds([&] { FitOneByOne(problem, num_threads, &x, &loop_costs); }));
  }
  int equal = 0, lower = 0, higher = 0;
  for (int f = 0; f < num_fits; ++f) {
    const double difference = lanes_costs[f] - loop_costs[f];
    if (std::abs(difference) <= 1e-8 * loop_costs[f]) {
      ++equal;
    } else {
      ++(difference < 0.0 ? lower : higher);
    }
  }
  const double lanes = Median(lanes_seconds), loop = Median(loop_seconds);
  std::printf("fit_many_microseconds %.3f\n", lanes / num_fits * 1e6);
  std::printf("tiny_solver_microseconds %.3f\n", loop / num_fits * 1e6);
  std::printf("ratio %.2f\n", loop / lanes);
  std::printf("equal_costs %.6f\n", static_cast<double>(equal) / num_fits);
  std::printf("lower_costs %d\nhigher_costs %d\n", lower, higher);
  if (argc > 4) {
    std::ofstream file(std::string(argv[4]) + ".costs", std::ios::binary);
    file.write(reinterpret_cast<const char*>(lanes_costs.data()),
               num_fits * static_cast<int>(sizeof(double)));
  }
  return 0;
}
