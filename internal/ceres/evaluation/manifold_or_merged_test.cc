// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// The evaluator on uniform ranges of rows whose cost functions write no cell,
// as in pose graphs whose poses consist of several parameter blocks.

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ceres/evaluation/evaluation_test_utils.h"
#include "ceres/evaluation/evaluator.h"
#include "ceres/evaluation/merged_columns.h"
#include "ceres/manifold.h"
#include "ceres/problem.h"
#include "ceres/problem/problem_impl.h"
#include "ceres/product_manifold.h"
#include "ceres/sphere_manifold.h"
#include "ceres/types.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::HasSubstr;

// An angle in other units: its PlusJacobian is `scale`.
class ScaledAngle : public Manifold {
 public:
  explicit ScaledAngle(double scale) : scale_(scale) {}
  int AmbientSize() const override { return 1; }
  int TangentSize() const override { return 1; }
  bool Plus(const double* x, const double* delta,
            double* x_plus_delta) const override {
    *x_plus_delta = *x + scale_ * *delta;
    return true;
  }
  bool PlusJacobian(const double*, double* jacobian) const override {
    *jacobian = scale_;
    return true;
  }
  bool Minus(const double* y, const double* x,
             double* y_minus_x) const override {
    *y_minus_x = (*y - *x) / scale_;
    return true;
  }
  bool MinusJacobian(const double*, double* jacobian) const override {
    *jacobian = 1.0 / scale_;
    return true;
  }

 private:
  const double scale_;
};

// What a pose consists of.
struct Part {
  int size;
  Manifold* manifold;  // owned by the problem; null: none
  int period = 1;      // every how manieth pose has it
};

// A chain of poses with an edge from each to the next but one as well; the
// first is held.
class Chain {
 public:
  Chain(const std::vector<Part>& parts, int num_residuals) : parts_(parts) {
    poses_.resize(kPoses);
    for (int i = 0; i < kPoses; ++i) {
      for (const Part& part : parts) {
        for (int c = 0; c < part.size; ++c) {
          poses_[i].push_back(0.5 + 0.1 * ((i + c) % 5));
        }
      }
    }
    std::vector<int> sizes;
    for (int end = 0; end < 2; ++end) {
      for (const Part& part : parts) sizes.push_back(part.size);
    }
    for (int step = 1; step <= 2; ++step) {
      for (int i = 0; i + step < kPoses; ++i) {
        const int index = problem_.NumResidualBlocks();
        SineCost* sine = new SineCost(num_residuals, sizes, index);
        sines_.emplace_back(sine);
        std::vector<double*> arguments = Arguments(i);
        for (double* argument : Arguments(i + step)) {
          arguments.push_back(argument);
        }
        problem_.AddResidualBlock(
            new FunctionCost(num_residuals, sizes,
                             [this, sine, index](double const* const* p,
                                                 double* r, double** j) {
                               const bool ok = sine->Evaluate(p, r, j);
                               if (j != nullptr && index == spoiled_row) {
                                 j[spoiled_argument][0] = kImpossibleValue;
                               }
                               return ok && index != refused_row;
                             }),
            nullptr, arguments);
      }
    }
    for (int i = 0; i < kPoses; ++i) {
      const std::vector<double*> arguments = Arguments(i);
      for (size_t k = 0; k < parts.size(); ++k) {
        if (i == 0) problem_.SetParameterBlockConstant(arguments[k]);
        if (i > 0 && i % parts[k].period == 0 && parts[k].manifold != nullptr) {
          problem_.SetManifold(arguments[k], parts[k].manifold);
        }
      }
    }
    ProblemImpl& impl = *problem_.mutable_impl();
    std::vector<ParameterBlock*> varying;
    for (ParameterBlock* block : impl.parameter_blocks()) {
      if (!block->IsConstant()) varying.push_back(block);
    }
    program_.emplace(varying, 0, impl.residual_blocks());
    options_.merged_columns = FindMergedColumns(*program_, nullptr);
  }

  Evaluator::Result Evaluate() {
    Evaluator evaluator(*program_, options_);
    EXPECT_EQ(evaluator.structure().num_column_blocks(), kPoses - 1);
    BlockJacobian jacobian;
    jacobian.structure = &evaluator.structure();
    jacobian.values.Resize(jacobian.structure->num_values());
    state_.resize(program_->num_state());
    program_->ReadUserMemory(state_.data());
    gradient.resize(program_->num_delta());
    squared_norms.resize(program_->num_delta());
    return evaluator.EvaluateJacobian(state_.data(), true, &cost, &jacobian,
                                      gradient.data(), squared_norms.data());
  }

  // The expected outputs, from one cost function after the other.
  void EvaluatePlainly() {
    cost = 0.0;
    gradient.assign(program_->num_delta(), 0.0);
    squared_norms.assign(program_->num_delta(), 0.0);
    for (int row = 0; row < program_->num_row_blocks(); ++row) AddRow(row);
  }

  static constexpr int kPoses = 30;
  int spoiled_row = -1;
  int spoiled_argument = 0;
  int refused_row = -1;
  double cost = 0.0;
  std::vector<double> gradient, squared_norms;

 private:
  std::vector<double*> Arguments(int pose) {
    std::vector<double*> arguments;
    double* next = poses_[pose].data();
    for (const Part& part : parts_) {
      arguments.push_back(next);
      next += part.size;
    }
    return arguments;
  }

  void AddRow(int row) {
    const CostFunction& function = *program_->cost_functions()[row];
    const int m = function.num_residuals();
    const int first = program_->first_argument()[row];
    const int num_arguments = program_->first_argument()[row + 1] - first;
    std::vector<const double*> parameters;
    std::vector<std::vector<double>> jacobians(num_arguments);
    std::vector<double*> pointers;
    for (int k = 0; k < num_arguments; ++k) {
      parameters.push_back(program_->Values(first + k, state_.data()));
      jacobians[k].resize(m * function.parameter_block_sizes()[k]);
      pointers.push_back(jacobians[k].data());
    }
    std::vector<double> r(m);
    ASSERT_TRUE(
        function.Evaluate(parameters.data(), r.data(), pointers.data()));
    for (const double residual : r) cost += 0.5 * residual * residual;
    for (int k = 0; k < num_arguments; ++k) {
      const int column = program_->arguments()[first + k];
      if (column < 0) continue;
      const int ambient = program_->ambient_size(column);
      const int tangent = program_->tangent_size(column);
      std::vector<double> plus(ambient * tangent, 0.0);
      if (program_->manifolds()[column] == nullptr) {
        for (int c = 0; c < ambient; ++c) plus[c * tangent + c] = 1.0;
      } else {
        ASSERT_TRUE(program_->manifolds()[column]->PlusJacobian(parameters[k],
                                                                plus.data()));
      }
      for (int i = 0; i < m; ++i) {
        for (int c = 0; c < tangent; ++c) {
          double entry = 0.0;
          for (int a = 0; a < ambient; ++a) {
            entry += jacobians[k][i * ambient + a] * plus[a * tangent + c];
          }
          gradient[program_->delta_offset()[column] + c] += entry * r[i];
          squared_norms[program_->delta_offset()[column] + c] += entry * entry;
        }
      }
    }
  }

  const std::vector<Part> parts_;
  std::vector<std::vector<double>> poses_;
  std::vector<std::unique_ptr<SineCost>> sines_;
  Problem problem_;
  std::optional<Program> program_;
  Evaluator::Options options_;
  std::vector<double> state_;
};

template <typename M>
using QuaternionAnd = ProductManifold<QuaternionManifold, M>;

// Kinds of poses: in the plane and in space, with angles whose PlusJacobian is
// 1 and others, and with what has none that is kept.
std::vector<std::vector<Part>> KindsOfPoses() {
  return {{{1, nullptr}, {1, nullptr}, {1, nullptr}},
          {{1, nullptr}, {1, nullptr}, {1, new ScaledAngle(1.0)}},
          {{1, new ScaledAngle(57.0)}, {1, nullptr}, {1, nullptr}},
          {{3, nullptr}, {4, new QuaternionManifold}},
          {{2, nullptr}, {1, new ScaledAngle(1.0)}, {3, new SphereManifold<3>}},
          {{1, nullptr}, {2, new SubsetManifold(2, {1})}},
          // A quaternion first, alone and in a part; then, what has the sizes
          // of such, but another form.
          {{9, new ProductManifold<QuaternionManifold, EuclideanManifold<5>>}},
          {{2, nullptr}, {7, new QuaternionAnd<EuclideanManifold<3>>}},
          {{7, new QuaternionAnd<EuclideanManifold<3>>, 2}},
          {{7, new ProductManifold<EuclideanManifold<3>, QuaternionManifold>}},
          {{8, new QuaternionAnd<QuaternionManifold>}},
          {{8, new QuaternionAnd<SubsetManifold>(QuaternionManifold(),
                                                 SubsetManifold(4, {1}))}},
          {{5, new SphereManifold<5>, 2}}};
}

TEST(ManifoldOrMerged, EqualTheCostFunctionsTimesThePlusJacobians) {
  for (const int num_residuals : {2, 3, 6}) {
    for (const std::vector<Part>& parts : KindsOfPoses()) {
      Chain chain(parts, num_residuals);
      ASSERT_TRUE(chain.Evaluate());
      const double cost = chain.cost;
      const std::vector<double> gradient = chain.gradient;
      const std::vector<double> squared_norms = chain.squared_norms;
      chain.EvaluatePlainly();
      EXPECT_NEAR(cost, chain.cost, 1e-14 * cost);
      for (size_t i = 0; i < gradient.size(); ++i) {
        const double size = std::abs(chain.gradient[i]) + 1.0;
        EXPECT_NEAR(gradient[i], chain.gradient[i], 1e-13 * size);
        EXPECT_NEAR(squared_norms[i], chain.squared_norms[i],
                    1e-13 * (chain.squared_norms[i] + 1.0));
      }
    }
  }
}

TEST(ManifoldOrMerged, AnUnwrittenEntryIsFoundEvenBehindAPlusJacobianOfZero) {
  for (const double scale : {1.0, 57.0, 0.0}) {
    for (int k = 0; k < 6; ++k) {
      Chain chain({{1, nullptr}, {1, nullptr}, {1, new ScaledAngle(scale)}}, 3);
      chain.spoiled_row = 20;
      chain.spoiled_argument = k;
      const Evaluator::Result result = chain.Evaluate();
      EXPECT_FALSE(result) << scale << " " << k;
      EXPECT_THAT(result.message, HasSubstr("Residual block 20 "));
      EXPECT_THAT(result.message,
                  HasSubstr("of parameter block " + std::to_string(k) +
                            " was not written"));
    }
  }
}

TEST(ManifoldOrMerged, ACostFunctionThatRefusesIsTold) {
  Chain chain({{1, nullptr}, {2, nullptr}}, 3);
  chain.refused_row = 17;
  const Evaluator::Result result = chain.Evaluate();
  EXPECT_FALSE(result);
  EXPECT_THAT(result.message, HasSubstr("Residual block 17 "));
  EXPECT_THAT(result.message, HasSubstr("returned false"));
}

}  // namespace
}  // namespace ceres::internal
