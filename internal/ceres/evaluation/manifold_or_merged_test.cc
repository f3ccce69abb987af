// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// The evaluator on uniform ranges of rows whose cost functions write no cell,
// as in pose graphs whose poses consist of several parameter blocks.

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "Eigen/Core"
#include "ceres/evaluation/evaluation_test_utils.h"
#include "ceres/evaluation/evaluator_test_utils.h"
#include "ceres/manifold.h"
#include "ceres/product_manifold.h"
#include "ceres/sphere_manifold.h"
#include "ceres/types.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// A parameter block of each pose.
struct Part {
  int size;
  Manifold* manifold;  // owned by the problem; may be null
  int period = 1;      // one in `period` poses has it
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
    evaluator_ = std::make_unique<ProblemEvaluator>(
        &problem_, Evaluator::Options(), std::vector<double*>(),
        ProblemEvaluator::Columns::kMerged);
    EXPECT_EQ(evaluator_->structure.num_column_blocks(), kPoses - 1);
  }

  ProblemEvaluator& evaluator() { return *evaluator_; }

  // The expected cost and sums, from one cost function after the other.
  Outputs EvaluatePlainly() {
    const Program& program = evaluator_->program;
    Outputs out;
    out.cost = 0.0;
    out.gradient.resize(program.num_delta());
    out.squared_norms.resize(program.num_delta());
    for (int row = 0; row < program.num_row_blocks(); ++row) AddRow(row, &out);
    return out;
  }

  static constexpr int kPoses = 30;
  int spoiled_row = -1;
  int spoiled_argument = 0;
  int refused_row = -1;

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

  using Matrix =
      Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  void AddRow(int row, Outputs* out) {
    const Program& program = evaluator_->program;
    const CostFunction& function = *program.cost_functions()[row];
    const int m = function.num_residuals();
    const int first = program.first_argument()[row];
    std::vector<const double*> parameters;
    std::vector<Matrix> jacobians;
    std::vector<double*> pointers;
    for (const int size : function.parameter_block_sizes()) {
      const int argument = first + static_cast<int>(parameters.size());
      parameters.push_back(program.Values(argument, evaluator_->state.data()));
      jacobians.emplace_back(m, size);
      pointers.push_back(jacobians.back().data());
    }
    Eigen::VectorXd r(m);
    ASSERT_TRUE(
        function.Evaluate(parameters.data(), r.data(), pointers.data()));
    out->cost += 0.5 * r.squaredNorm();
    for (size_t k = 0; k < jacobians.size(); ++k) {
      const int column = program.arguments()[first + k];
      if (column < 0) continue;
      Matrix plus = Matrix::Identity(program.ambient_size(column),
                                     program.tangent_size(column));
      if (program.manifolds()[column] != nullptr) {
        ASSERT_TRUE(program.manifolds()[column]->PlusJacobian(parameters[k],
                                                              plus.data()));
      }
      const Matrix cell = jacobians[k] * plus;
      const int offset = program.delta_offset()[column];
      Eigen::Map<Eigen::VectorXd>(&out->gradient[offset], cell.cols()) +=
          cell.transpose() * r;
      Eigen::Map<Eigen::VectorXd>(&out->squared_norms[offset], cell.cols()) +=
          cell.colwise().squaredNorm().transpose();
    }
  }

  const std::vector<Part> parts_;
  std::vector<std::vector<double>> poses_;
  std::vector<std::unique_ptr<SineCost>> sines_;
  Problem problem_;
  std::unique_ptr<ProblemEvaluator> evaluator_;
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
      const Outputs out = chain.evaluator().EvaluateAll();
      ASSERT_TRUE(out.result);
      const Outputs plain = chain.EvaluatePlainly();
      EXPECT_NEAR(out.cost, plain.cost, 1e-14 * plain.cost);
      for (size_t i = 0; i < plain.gradient.size(); ++i) {
        EXPECT_NEAR(out.gradient[i], plain.gradient[i],
                    1e-13 * (std::abs(plain.gradient[i]) + 1.0));
        EXPECT_NEAR(out.squared_norms[i], plain.squared_norms[i],
                    1e-13 * (plain.squared_norms[i] + 1.0));
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
      EXPECT_THAT(chain.evaluator().MessageOfJacobian(),
                  AllOf(HasSubstr("Residual block 20 "),
                        HasSubstr("of parameter block " + std::to_string(k) +
                                  " was not written")))
          << scale;
    }
  }
}

TEST(ManifoldOrMerged, ACostFunctionThatRefusesIsTold) {
  Chain chain({{1, nullptr}, {2, nullptr}}, 3);
  chain.refused_row = 17;
  EXPECT_THAT(
      chain.evaluator().MessageOfJacobian(),
      AllOf(HasSubstr("Residual block 17 "), HasSubstr("returned false")));
}

}  // namespace
}  // namespace ceres::internal
