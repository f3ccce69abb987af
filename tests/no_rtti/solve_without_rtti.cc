// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// A program that is compiled with -fno-rtti -fno-exceptions, while the library
// is not, and gives the solver an object of each class that users derive from.

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "ceres/ceres.h"
#include "ceres/html_report.h"
#include "ceres/local_parameterization.h"
#include "ceres/marginalization.h"
#include "ceres/parallel/executor.h"

#if defined(__GXX_RTTI) || defined(__EXCEPTIONS)
#error "Compile this program with -fno-rtti -fno-exceptions."
#endif

namespace {

int num_failures = 0;

void Check(bool holds, const char* what) {
  if (holds) return;
  ++num_failures;
  std::fprintf(stderr, "wrong: %s\n", what);
}

class ThreadPerInvitation final : public ceres::parallel::Executor {
 public:
  ~ThreadPerInvitation() override {
    for (std::thread& thread : threads_) thread.join();
  }
  int MaxConcurrency() const override { return 2; }
  bool Invite(ceres::parallel::Invitation invitation) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (threads_.size() == 20) return false;
    threads_.emplace_back(invitation);
    return true;
  }

 private:
  std::mutex mutex_;
  std::vector<std::thread> threads_;
};

// r = x - y - 1, for x and y of two coordinates.
class Difference final : public ceres::SizedCostFunction<2, 2, 2> {
 public:
  bool Evaluate(double const* const* x, double* r,
                double** jacobians) const override {
    for (int i = 0; i < 2; ++i) r[i] = x[0][i] - x[1][i] - 1.0;
    if (jacobians == nullptr) return true;
    for (int k = 0; k < 2; ++k) {
      if (jacobians[k] == nullptr) continue;
      const double sign = k == 0 ? 1.0 : -1.0;
      for (int i = 0; i < 4; ++i) jacobians[k][i] = i % 3 == 0 ? sign : 0.0;
    }
    return true;
  }
};

// The functor of automatic derivatives: r = x - 3.
struct Anchor {
  template <typename T>
  bool operator()(const T* x, T* r) const {
    r[0] = x[0] - 3.0;
    r[1] = x[1] - 3.0;
    return true;
  }
};

class Plane final : public ceres::Manifold {
 public:
  int AmbientSize() const override { return 2; }
  int TangentSize() const override { return 2; }
  bool Plus(const double* x, const double* delta,
            double* x_plus_delta) const override {
    for (int i = 0; i < 2; ++i) x_plus_delta[i] = x[i] + delta[i];
    return true;
  }
  bool PlusJacobian(const double*, double* jacobian) const override {
    for (int i = 0; i < 4; ++i) jacobian[i] = i % 3 == 0 ? 1.0 : 0.0;
    return true;
  }
  bool Minus(const double* y, const double* x,
             double* y_minus_x) const override {
    for (int i = 0; i < 2; ++i) y_minus_x[i] = y[i] - x[i];
    return true;
  }
  bool MinusJacobian(const double* x, double* jacobian) const override {
    return PlusJacobian(x, jacobian);
  }
};

class PlaneParameterization final : public ceres::LocalParameterization {
 public:
  bool Plus(const double* x, const double* delta,
            double* x_plus_delta) const override {
    return Plane().Plus(x, delta, x_plus_delta);
  }
  bool ComputeJacobian(const double* x, double* jacobian) const override {
    return Plane().PlusJacobian(x, jacobian);
  }
  int GlobalSize() const override { return 2; }
  int LocalSize() const override { return 2; }
};

class Half final : public ceres::LossFunction {
 public:
  void Evaluate(double s, double out[3]) const override {
    out[0] = 0.5 * s;
    out[1] = 0.5;
    out[2] = 0.0;
  }
};

class CountIterations final : public ceres::IterationCallback {
 public:
  ceres::CallbackReturnType operator()(
      const ceres::IterationSummary&) override {
    ++count;
    return ceres::SOLVER_CONTINUE;
  }
  int count = 0;
};

class CountEvaluations final : public ceres::EvaluationCallback {
 public:
  void PrepareForEvaluation(bool, bool) override { ++count; }
  int count = 0;
};

// A chain of blocks: the first one is at 3, each is 1 above the next.
struct Chain {
  explicit Chain(ceres::Problem* problem) : x(2 * kBlocks, 0.0) {
    for (int k = 0; k < kBlocks; ++k) problem->AddParameterBlock(At(k), 2);
    problem->AddResidualBlock(
        new ceres::AutoDiffCostFunction<Anchor, 2, 2>(new Anchor), nullptr,
        At(0));
    for (int k = 1; k < kBlocks; ++k) {
      problem->AddResidualBlock(new Difference, k % 2 == 0 ? new Half : nullptr,
                                At(k - 1), At(k));
    }
    problem->SetManifold(At(1), new Plane);
    problem->SetParameterization(At(2), new PlaneParameterization);
    Check(!problem->HasParameterization(At(0)), "no parameterization");
    Check(!problem->HasParameterization(At(1)), "a manifold of the user");
    Check(problem->HasParameterization(At(2)), "a parameterization");
  }
  double* At(int k) { return x.data() + 2 * k; }
  bool IsSolved() {
    bool solved = true;
    for (int k = 0; k < kBlocks; ++k) {
      const double error = At(k)[1] - (3.0 - k);
      solved = solved && error < 1e-3 && error > -1e-3;
    }
    return solved;
  }
  static constexpr int kBlocks = 300;
  std::vector<double> x;
};

void Solve(ceres::parallel::Executor* executor, const std::string& file) {
  CountEvaluations evaluations;
  ceres::Problem::Options problem_options;
  problem_options.evaluation_callback = &evaluations;
  ceres::Problem problem(problem_options);
  Chain chain(&problem);
  ceres::HtmlReport report({}, &problem);
  CountIterations iterations;
  ceres::Solver::Options options;
  options.executor = executor;
  options.num_threads = 2;
  options.callbacks.push_back(&iterations);
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  Check(chain.IsSolved(), summary.message.c_str());
  Check(iterations.count > 0, "an iteration callback");
  Check(evaluations.count > 0, "an evaluation callback");
  std::string error;
  Check(report.Write(file, options, summary, &error), error.c_str());
  std::ifstream page(file);
  std::stringstream text;
  text << page.rdbuf();
  Check(text.str().find("class without type information") != std::string::npos,
        "the name of a class in the report");
}

void Marginalize() {
  ceres::Problem problem;
  Chain chain(&problem);
  ceres::Solver::Summary summary;
  ceres::Solve({}, &problem, &summary);
  ceres::MarginalizationSummary marginalization;
  const bool is_removed =
      ceres::Marginalize({}, {chain.At(0)}, &problem, &marginalization);
  Check(is_removed, marginalization.message.c_str());
  // Away from the linearization point of the prior.
  chain.At(1)[0] += 0.25;
  ceres::Solve({}, &problem, &summary);
  Check(chain.IsSolved(), "a solve with a prior");
}

}  // namespace

int main(int, char** argv) {
  const std::string file = std::string(argv[0]) + ".html";
  ThreadPerInvitation executor;
  Solve(&executor, file);
  Solve(nullptr, file);
  std::filesystem::remove(file);
  Marginalize();
  return num_failures;
}
