// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/c_api.h"

#include <cmath>
#include <type_traits>

#include "gtest/gtest.h"

namespace {

// r = 10 - x
int DistanceToTen(void* /*user_data*/, double** parameters, double* residuals,
                  double** jacobians) {
  residuals[0] = 10.0 - parameters[0][0];
  if (jacobians != nullptr && jacobians[0] != nullptr) jacobians[0][0] = -1.0;
  return 1;
}

TEST(CApiH, StockLossFunctionsHaveTheirFormulas) {
  const auto expect_rho = [](void* data, double expected) {
    double rho[3];
    ceres_stock_loss_function(data, 9.0, rho);
    EXPECT_DOUBLE_EQ(rho[0], expected);
    ceres_free_stock_loss_function_data(data);
  };
  expect_rho(ceres_create_huber_loss_function_data(2.0), 8.0);
  expect_rho(ceres_create_softl1_loss_function_data(1.0),
             2.0 * (std::sqrt(10.0) - 1.0));
  expect_rho(ceres_create_cauchy_loss_function_data(2.0),
             4.0 * std::log1p(2.25));
  expect_rho(ceres_create_arctan_loss_function_data(2.0), 2.0 * std::atan(4.5));
  expect_rho(
      ceres_create_tolerant_loss_function_data(1.0, 2.0),
      2.0 * std::log1p(std::exp(4.0)) - 2.0 * std::log1p(std::exp(-0.5)));
}

TEST(CApiH, Solves) {
  static_assert(std::is_same_v<ceres_problem_t, struct ceres_problem_s>);
  static_assert(std::is_same_v<ceres_residual_block_id_t,
                               struct ceres_residual_block_id_s>);
  ceres_init();
  ceres_problem_t* problem = ceres_create_problem();
  double x = 0.5;
  double* parameters[] = {&x};
  int sizes[] = {1};
  const ceres_cost_function_t cost = DistanceToTen;
  const ceres_loss_function_t no_loss = nullptr;
  EXPECT_NE(ceres_problem_add_residual_block(problem, cost, nullptr, no_loss,
                                             nullptr, 1, 1, sizes, parameters),
            nullptr);
  ceres_solve(problem);
  EXPECT_NEAR(x, 10.0, 1e-6);
  ceres_free_problem(problem);
}

}  // namespace
