// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/normal_prior.h"

#include <vector>

#include "ceres/internal/eigen.h"
#include "gtest/gtest.h"

namespace ceres {
namespace {

TEST(NormalPrior, IsAffineWithARectangularMatrix) {
  for (const int num_rows : {1, 2, 3, 5}) {
    const Matrix A = Matrix::Random(num_rows, 3);
    const Vector b = Vector::Random(3), x = Vector::Random(3);
    const NormalPrior prior(A, b);
    EXPECT_EQ(prior.num_residuals(), num_rows);
    EXPECT_EQ(prior.parameter_block_sizes(), std::vector<int32_t>({3}));
    Vector residuals(num_rows);
    Matrix jacobian = Matrix::Zero(num_rows, 3);
    const double* parameters = x.data();
    double* jacobians = jacobian.data();
    EXPECT_TRUE(prior.Evaluate(&parameters, residuals.data(), &jacobians));
    EXPECT_LE((residuals - A * (x - b)).norm(), 1e-15);
    EXPECT_EQ(jacobian, A);
    jacobians = nullptr;
    EXPECT_TRUE(prior.Evaluate(&parameters, residuals.data(), &jacobians));
    EXPECT_TRUE(prior.Evaluate(&parameters, residuals.data(), nullptr));
  }
}

TEST(NormalPriorDeathTest, SizesMustFit) {
  EXPECT_DEATH(NormalPrior(Matrix(2, 3), Vector(2)), "another size");
  EXPECT_DEATH(NormalPrior(Matrix(0, 3), Vector(3)), "has no rows");
  EXPECT_DEATH(NormalPrior(Matrix(2, 0), Vector(0)), "is empty");
}

}  // namespace
}  // namespace ceres
