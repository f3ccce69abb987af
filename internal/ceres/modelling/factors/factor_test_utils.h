// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MODELLING_FACTORS_FACTOR_TEST_UTILS_H_
#define CERES_INTERNAL_MODELLING_FACTORS_FACTOR_TEST_UTILS_H_

#include <memory>
#include <vector>

#include "Eigen/Core"
#include "ceres/cost_function.h"
#include "ceres/manifold.h"
#include "gtest/gtest.h"

namespace ceres::factors {

// A parameter block: its value, and its manifold or null.
struct Block {
  std::vector<double> value;
  const Manifold* manifold = nullptr;
};

using DynamicMatrix =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// The residuals and the Jacobian along the manifolds, all blocks side by side.
struct Evaluation {
  bool succeeded = false;
  Eigen::VectorXd residuals;
  DynamicMatrix jacobian;
};

inline Evaluation EvaluateBlocks(const CostFunction& cost,
                                 const std::vector<Block>& blocks) {
  const int num_rows = cost.num_residuals();
  std::vector<const double*> parameters;
  std::vector<DynamicMatrix> ambient;
  std::vector<double*> jacobians;
  int num_cols = 0;
  for (const Block& block : blocks) {
    const int size = static_cast<int>(block.value.size());
    parameters.push_back(block.value.data());
    ambient.emplace_back(num_rows, size);
    num_cols += block.manifold ? block.manifold->TangentSize() : size;
  }
  for (DynamicMatrix& matrix : ambient) jacobians.push_back(matrix.data());
  Evaluation result;
  result.residuals.resize(num_rows);
  result.succeeded = cost.Evaluate(parameters.data(), result.residuals.data(),
                                   jacobians.data());
  result.jacobian.resize(num_rows, num_cols);
  int col = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    DynamicMatrix tangent = ambient[i];
    if (const Manifold* manifold = blocks[i].manifold) {
      tangent.resize(num_rows, manifold->TangentSize());
      manifold->RightMultiplyByPlusJacobian(parameters[i], num_rows,
                                            ambient[i].data(), tangent.data());
    }
    result.jacobian.middleCols(col, tangent.cols()) = tangent;
    col += static_cast<int>(tangent.cols());
  }
  return result;
}

// Expects the same residuals and derivatives, relative to the largest, and the
// same residuals and Jacobians where only one Jacobian, or none, is asked for.
inline void ExpectSameFunction(const CostFunction& cost,
                               const CostFunction& reference,
                               const std::vector<Block>& blocks,
                               double tolerance) {
  ASSERT_EQ(cost.num_residuals(), reference.num_residuals());
  ASSERT_EQ(cost.parameter_block_sizes(), reference.parameter_block_sizes());
  const Evaluation a = EvaluateBlocks(cost, blocks);
  const Evaluation b = EvaluateBlocks(reference, blocks);
  ASSERT_TRUE(a.succeeded);
  ASSERT_TRUE(b.succeeded);
  const double residual_size = 1.0 + b.residuals.norm();
  EXPECT_LE((a.residuals - b.residuals).norm(), tolerance * residual_size);
  EXPECT_LE((a.jacobian - b.jacobian).norm(), tolerance * b.jacobian.norm())
      << a.jacobian << "\n\n"
      << b.jacobian;

  std::vector<const double*> parameters;
  for (const Block& block : blocks) parameters.push_back(block.value.data());
  Eigen::VectorXd residuals(cost.num_residuals());
  EXPECT_TRUE(cost.Evaluate(parameters.data(), residuals.data(), nullptr));
  EXPECT_LE((a.residuals - residuals).norm(), tolerance * residual_size);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    std::vector<double*> one(blocks.size(), nullptr);
    DynamicMatrix computed(cost.num_residuals(), blocks[i].value.size());
    one[i] = computed.data();
    EXPECT_TRUE(cost.Evaluate(parameters.data(), residuals.data(), one.data()));
    std::vector<DynamicMatrix> all;
    std::vector<double*> pointers;
    for (const Block& block : blocks) {
      all.emplace_back(cost.num_residuals(), block.value.size());
    }
    for (DynamicMatrix& matrix : all) pointers.push_back(matrix.data());
    EXPECT_TRUE(
        cost.Evaluate(parameters.data(), residuals.data(), pointers.data()));
    EXPECT_EQ(computed, all[i]);
  }
}

// The Jacobian along the manifolds by central differences.
inline DynamicMatrix NumericJacobian(const CostFunction& cost,
                                     const std::vector<Block>& blocks,
                                     double step) {
  std::vector<Eigen::VectorXd> columns;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const Manifold* manifold = blocks[i].manifold;
    const int size = manifold ? manifold->TangentSize()
                              : static_cast<int>(blocks[i].value.size());
    for (int k = 0; k < size; ++k) {
      Eigen::VectorXd sides[2];
      for (int side = 0; side < 2; ++side) {
        std::vector<Block> moved = blocks;
        Eigen::VectorXd delta = Eigen::VectorXd::Zero(size);
        delta[k] = side == 0 ? step : -step;
        if (manifold) {
          manifold->Plus(blocks[i].value.data(), delta.data(),
                         moved[i].value.data());
        } else {
          moved[i].value[k] += delta[k];
        }
        std::vector<const double*> parameters;
        for (const Block& b : moved) parameters.push_back(b.value.data());
        sides[side].resize(cost.num_residuals());
        EXPECT_TRUE(
            cost.Evaluate(parameters.data(), sides[side].data(), nullptr));
      }
      columns.push_back((sides[0] - sides[1]) / (2.0 * step));
    }
  }
  DynamicMatrix result(cost.num_residuals(), columns.size());
  for (std::size_t k = 0; k < columns.size(); ++k) result.col(k) = columns[k];
  return result;
}

// Expects the Jacobian of central differences.
inline void ExpectDerivatives(const CostFunction& cost,
                              const std::vector<Block>& blocks,
                              double tolerance) {
  const Evaluation e = EvaluateBlocks(cost, blocks);
  ASSERT_TRUE(e.succeeded);
  const DynamicMatrix numeric = NumericJacobian(cost, blocks, 1e-5);
  EXPECT_LE((e.jacobian - numeric).norm(), tolerance * numeric.norm())
      << e.jacobian << "\n\n"
      << numeric;
}

// The element of a group with this tangent.
template <typename Group>
std::vector<double> Element(const std::vector<double>& tangent) {
  std::vector<double> x(Group::kAmbientSize);
  Group::Exp(tangent.data(), x.data());
  return x;
}

}  // namespace ceres::factors

#endif  // CERES_INTERNAL_MODELLING_FACTORS_FACTOR_TEST_UTILS_H_
