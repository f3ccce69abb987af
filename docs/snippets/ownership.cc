// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Who deletes cost functions, losses and manifolds; calls from several threads.

#include <atomic>
#include <cstdio>
#include <vector>

#include "ceres/ceres.h"

namespace {

// [functor]
struct Difference {
  template <typename T>
  bool operator()(const T* x, T* residual) const {
    num_calls->fetch_add(1);  // Several threads call this object.
    residual[0] = x[0] - value;
    return true;
  }

  double value;
  std::atomic<int>* num_calls;
};
using Cost = ceres::AutoDiffCostFunction<Difference, 1, 1>;
// [/functor]

// A loss that tells when it is deleted.
class LoudLoss : public ceres::LossFunction {
 public:
  explicit LoudLoss(const char* name) : name_(name) {}
  ~LoudLoss() override { std::printf("  %s is deleted\n", name_); }
  void Evaluate(double s, double out[3]) const override {
    out[0] = s;
    out[1] = 1.0;
    out[2] = 0.0;
  }

 private:
  const char* name_;
};

}  // namespace

int main() {
  std::atomic<int> num_calls{0};
  std::printf("the problem owns everything\n");
  {
    // [owned]
    double x = 0.0;
    ceres::Problem problem;
    auto* const shared = new LoudLoss("shared loss");
    for (int i = 0; i < 1000; ++i) {
      problem.AddResidualBlock(new Cost(new Difference{1.0, &num_calls}),
                               shared, &x);
    }
    ceres::Solver::Options options;
    options.num_threads = 2;
    ceres::Solver::Summary summary;
    ceres::Solve(options, &problem, &summary);
    // [/owned]
    std::printf("  x = %.3f, functors were called: %s\n", x,
                num_calls >= 1000 ? "yes" : "no");
    std::printf("  end of the problem\n");
  }

  std::printf("the program owns everything\n");
  {
    // [borrowed]
    double x = 0.0;
    LoudLoss loss("loss of the program");
    std::vector<Difference> functors(10, Difference{2.0, &num_calls});
    std::vector<Cost> costs;
    for (Difference& functor : functors) {
      costs.emplace_back(&functor, ceres::DO_NOT_TAKE_OWNERSHIP);
    }
    {
      ceres::Problem::Options problem_options;
      problem_options.cost_function_ownership = ceres::DO_NOT_TAKE_OWNERSHIP;
      problem_options.loss_function_ownership = ceres::DO_NOT_TAKE_OWNERSHIP;
      ceres::Problem problem(problem_options);
      for (Cost& cost : costs) problem.AddResidualBlock(&cost, &loss, &x);
      ceres::Solver::Summary summary;
      ceres::Solve(ceres::Solver::Options(), &problem, &summary);
    }
    std::printf("  x = %.3f, end of the problem\n", x);
    // [/borrowed]
  }
}
