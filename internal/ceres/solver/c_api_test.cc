// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/c_api.h"

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "ceres/loss_function.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using ::testing::HasSubstr;

struct FreeProblem {
  void operator()(ceres_problem_t* problem) const {
    ceres_free_problem(problem);
  }
};
using ProblemPointer = std::unique_ptr<ceres_problem_t, FreeProblem>;

struct FreeLoss {
  void operator()(void* data) const {
    ceres_free_stock_loss_function_data(data);
  }
};
using LossData = std::unique_ptr<void, FreeLoss>;

// r = (x0 + 2 x1 - d0, 3 x0 - y - d1) for blocks x of size 2 and y of size 1
// and user data d: its Jacobians show every place of the layout.
int LinearCost(void* user_data, double** parameters, double* residuals,
               double** jacobians) {
  const auto* d = static_cast<const double*>(user_data);
  const double* x = parameters[0];
  const double* y = parameters[1];
  residuals[0] = x[0] + 2.0 * x[1] - d[0];
  residuals[1] = 3.0 * x[0] - y[0] - d[1];
  if (jacobians == nullptr) return 1;
  if (jacobians[0] != nullptr) {
    jacobians[0][0] = 1.0;
    jacobians[0][1] = 2.0;
    jacobians[0][2] = 3.0;
    jacobians[0][3] = 0.0;
  }
  if (jacobians[1] != nullptr) {
    jacobians[1][0] = 0.0;
    jacobians[1][1] = -1.0;
  }
  return 1;
}

// r = x - d.
int DifferenceCost(void* user_data, double** parameters, double* residuals,
                   double** jacobians) {
  residuals[0] = parameters[0][0] - *static_cast<const double*>(user_data);
  if (jacobians != nullptr && jacobians[0] != nullptr) jacobians[0][0] = 1.0;
  return 1;
}

int FailingCost(void*, double**, double*, double**) { return 0; }

ceres_residual_block_id_t* AddDifference(ceres_problem_t* problem,
                                         double* target, double* x,
                                         ceres_loss_function_t loss = nullptr,
                                         void* loss_data = nullptr) {
  int size = 1;
  return ceres_problem_add_residual_block(problem, DifferenceCost, target, loss,
                                          loss_data, 1, 1, &size, &x);
}

// Returns the text that a solve prints.
std::string SolveOutput(ceres_problem_t* problem) {
  ::testing::internal::CaptureStdout();
  ceres_solve(problem);
  return ::testing::internal::GetCapturedStdout();
}

TEST(CApi, MinimizesOverSeveralBlocksAndPrintsTheReport) {
  const ProblemPointer problem(ceres_create_problem());
  double x[2] = {0.0, 0.0};
  double y = 0.0;
  double linear_data[2] = {5.0, 1.0};
  double y_data = 2.0;
  int sizes[2] = {2, 1};
  double* parameters[2] = {x, &y};
  EXPECT_NE(ceres_problem_add_residual_block(problem.get(), LinearCost,
                                             linear_data, nullptr, nullptr, 2,
                                             2, sizes, parameters),
            nullptr);
  // Copied: the caller's arrays may change.
  sizes[0] = -1;
  parameters[0] = nullptr;
  EXPECT_NE(AddDifference(problem.get(), &y_data, &y), nullptr);
  const std::string output = SolveOutput(problem.get());
  // All residuals vanish: y = 2, 3 x0 = 1 + y, x0 + 2 x1 = 5.
  EXPECT_NEAR(y, 2.0, 1e-6);
  EXPECT_NEAR(x[0], 1.0, 1e-6);
  EXPECT_NEAR(x[1], 2.0, 1e-6);
  EXPECT_THAT(output, HasSubstr("iter"));
  EXPECT_THAT(output, HasSubstr("DENSE_QR"));
  EXPECT_THAT(output, HasSubstr("CONVERGENCE"));
}

TEST(CApi, CostFunctionThatFailsLeavesTheParametersAlone) {
  const ProblemPointer problem(ceres_create_problem());
  double x = 7.0;
  double* parameters = &x;
  int size = 1;
  ceres_problem_add_residual_block(problem.get(), FailingCost, nullptr, nullptr,
                                   nullptr, 1, 1, &size, &parameters);
  EXPECT_THAT(SolveOutput(problem.get()), HasSubstr("FAILURE"));
  EXPECT_EQ(x, 7.0);
}

TEST(CApi, StockLossFunctionsAreThoseOfCpp) {
  const struct {
    void* data;
    std::unique_ptr<LossFunction> expected;
  } losses[] = {{ceres_create_huber_loss_function_data(0.7),
                 std::make_unique<HuberLoss>(0.7)},
                {ceres_create_softl1_loss_function_data(0.7),
                 std::make_unique<SoftLOneLoss>(0.7)},
                {ceres_create_cauchy_loss_function_data(0.7),
                 std::make_unique<CauchyLoss>(0.7)},
                {ceres_create_arctan_loss_function_data(0.7),
                 std::make_unique<ArctanLoss>(0.7)},
                {ceres_create_tolerant_loss_function_data(0.7, 0.4),
                 std::make_unique<TolerantLoss>(0.7, 0.4)}};
  for (const auto& loss : losses) {
    const LossData data(loss.data);
    for (const double s : {0.0, 0.3, 1.1, 50.0}) {
      double out[3];
      double expected[3];
      ceres_stock_loss_function(data.get(), s, out);
      loss.expected->Evaluate(s, expected);
      for (int i = 0; i < 3; ++i) EXPECT_EQ(out[i], expected[i]) << s;
    }
  }
}

// Two samples at 0 and one at 10, far beyond the scale of Huber's loss.
TEST(CApi, OneLossMayServeSeveralResidualBlocks) {
  constexpr double kScale = 0.5;
  const LossData data(ceres_create_huber_loss_function_data(kScale));
  const ProblemPointer problem(ceres_create_problem());
  double inlier = 0.0;
  double outlier = 10.0;
  double x = 3.0;
  for (double* target : {&inlier, &inlier, &outlier}) {
    AddDifference(problem.get(), target, &x, ceres_stock_loss_function,
                  data.get());
  }
  SolveOutput(problem.get());
  // The outlier pulls with force a, the inliers with x each: 2 x = a.
  EXPECT_NEAR(x, kScale / 2.0, 1e-3);
}

// rho(s) = weight s, which counts its calls.
struct Weight {
  double weight;
  int num_calls;
};

void WeightLoss(void* user_data, double squared_norm, double out[3]) {
  auto* weight = static_cast<Weight*>(user_data);
  ++weight->num_calls;
  out[0] = weight->weight * squared_norm;
  out[1] = weight->weight;
  out[2] = 0.0;
}

TEST(CApi, CallsALossFunctionOfTheUserWithItsData) {
  const ProblemPointer problem(ceres_create_problem());
  Weight weight = {3.0, 0};
  double a = 1.0;
  double b = 5.0;
  double x = 0.0;
  AddDifference(problem.get(), &a, &x, WeightLoss, &weight);
  AddDifference(problem.get(), &b, &x);
  SolveOutput(problem.get());
  EXPECT_NEAR(x, (3.0 * a + b) / 4.0, 1e-3);
  EXPECT_GT(weight.num_calls, 0);
}

TEST(CApi, DoesNotCrashWhenNullIsFreedOrInitRepeated) {
  ceres_free_problem(nullptr);
  ceres_free_stock_loss_function_data(nullptr);
  ceres_init();
  ceres_init();
}

TEST(CApiDeathTest, RefusesWhatIsMissing) {
  const ProblemPointer problem(ceres_create_problem());
  double x = 0.0;
  double* parameters = &x;
  int size = 1;
  const auto add = [&](ceres_cost_function_t cost, int num_residuals,
                       int num_blocks, int* sizes) {
    ceres_problem_add_residual_block(problem.get(), cost, &x, nullptr, nullptr,
                                     num_residuals, num_blocks, sizes,
                                     &parameters);
  };
  EXPECT_DEATH(add(nullptr, 1, 1, &size), "cost function must not be null");
  EXPECT_DEATH(add(DifferenceCost, 0, 1, &size), "needs residuals");
  EXPECT_DEATH(add(DifferenceCost, 1, 0, &size), "needs parameter blocks");
  EXPECT_DEATH(add(DifferenceCost, 1, 1, nullptr), "sizes .* must not be null");
  EXPECT_DEATH(ceres_solve(nullptr), "problem must not be null");
  double out[3];
  EXPECT_DEATH(ceres_stock_loss_function(nullptr, 1.0, out), "needs the data");
}

}  // namespace
}  // namespace ceres::internal
