// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// The sources of row blocks that an evaluator makes.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "ceres/evaluation/evaluator.h"
#include "ceres/evaluation/evaluator_test_utils.h"
#include "ceres/loss_function.h"
#include "ceres/manifold.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

// Rows of many shapes: more than one row chunk.
class ManyRows {
 public:
  // r_i = sum_j weight_ij x_j^2 - target.
  class Powers final : public CostFunction {
   public:
    Powers(int num_residuals, const std::vector<std::int32_t>& sizes,
           double target)
        : target_(target) {
      set_num_residuals(num_residuals);
      *mutable_parameter_block_sizes() = sizes;
    }
    bool Evaluate(double const* const* x, double* r,
                  double** jacobians) const override {
      for (int i = 0; i < num_residuals(); ++i) {
        r[i] = -target_;
        for (std::size_t k = 0; k < parameter_block_sizes().size(); ++k) {
          for (int j = 0; j < parameter_block_sizes()[k]; ++j) {
            const double weight = 0.1 * (1 + i) + 0.01 * j;
            r[i] += weight * x[k][j] * x[k][j];
            if (jacobians != nullptr && jacobians[k] != nullptr) {
              jacobians[k][parameter_block_sizes()[k] * i + j] =
                  2.0 * weight * x[k][j];
            }
          }
        }
      }
      return true;
    }

   private:
    const double target_;
  };

  ManyRows() : x_(7 * kBlocks) {
    for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = 0.1 + 0.01 * (i % 37);
    for (int i = 0; i < kRows; ++i) {
      double* const a = &x_[7 * (i % kBlocks)];
      double* const b = &x_[7 * ((i * 5 + 1) % kBlocks)];
      if (a == b || i % 3 == 0) {
        problem.AddResidualBlock(new Powers(3, {7}, 0.1 * i), nullptr, a);
      } else {
        problem.AddResidualBlock(new Powers(2, {7, 7}, 0.1 * i),
                                 i % 4 == 0 ? new HuberLoss(0.5) : nullptr, a,
                                 b);
      }
    }
    problem.SetManifold(&x_[7], new SubsetManifold(7, {2}));
    problem.SetParameterBlockConstant(&x_[14]);
  }

  Problem problem;

 private:
  static constexpr int kBlocks = 23;
  static constexpr int kRows = 3000;

  std::vector<double> x_;
};

class RowSources : public testing::Test {
 protected:
  struct All {
    BlockJacobian jacobian;
    double cost = 0.0;
    std::vector<double> gradient, squared_norms;
  };

  RowSources() {
    Evaluator::Options options;
    options.execution = Threads(2);
    expected_from_.emplace(&scene_.problem, options);
    from_.emplace(&scene_.problem, options);
    EXPECT_GT(from_->structure.num_row_chunks(), 1);
  }

  static All Evaluate(ProblemEvaluator* from, JacobianStorage storage) {
    from->evaluator.SetStorage(storage);
    EXPECT_EQ(from->evaluator.storage(), storage);
    All all;
    all.gradient.resize(from->program.num_delta());
    all.squared_norms.resize(from->program.num_delta());
    from->evaluator.Allocate(&all.jacobian);
    EXPECT_TRUE(from->evaluator.EvaluateJacobian(
        from->state.data(), true, &all.cost, &all.jacobian, all.gradient.data(),
        all.squared_norms.data()));
    return all;
  }

  ManyRows scene_;
  std::optional<ProblemEvaluator> expected_from_, from_;
};

// Reads rows in random parts. expected: by value.
template <typename Expect>
void ReadInParts(const BlockJacobian& jacobian, const Expect& expect) {
  const BlockJacobianStructure& s = *jacobian.structure;
  std::mt19937 random(5);
  std::vector<double> part;
  for (int begin = 0; begin < s.num_row_blocks();) {
    const int end = std::min(s.num_row_blocks(),
                             begin + 1 + static_cast<int>(random() % 70));
    const std::int64_t first = s.row_block_offset[begin];
    part.assign(s.row_block_offset[end] - first, -1.0);
    jacobian.source->Read(1, begin, end, part.data());
    for (std::size_t i = 0; i < part.size(); ++i) {
      expect(first + static_cast<std::int64_t>(i), part[i]);
    }
    begin = end;
  }
}

TEST_F(RowSources, RecomputedRowsHaveTheBitsOfStoredRows) {
  const All expected = Evaluate(&*expected_from_, JacobianStorage::DOUBLE);
  const All actual = Evaluate(&*from_, JacobianStorage::RECOMPUTE);
  EXPECT_EQ(actual.cost, expected.cost);
  EXPECT_EQ(actual.gradient, expected.gradient);
  EXPECT_EQ(actual.squared_norms, expected.squared_norms);
  EXPECT_EQ(actual.jacobian.values.size(), 0u);
  // Costs at another point change nothing.
  std::vector<double> other = from_->state;
  for (double& value : other) value += 0.3;
  double cost = 0.0;
  EXPECT_TRUE(
      from_->evaluator.EvaluateCost(other.data(), true, &cost, nullptr));
  ReadInParts(actual.jacobian, [&](std::int64_t i, double value) {
    ASSERT_EQ(value, expected.jacobian.values.data()[i]) << i;
  });
  EXPECT_EQ(actual.jacobian.source->failure(), "");
}

TEST_F(RowSources, FloatRowsRoundCellsAndKeepResiduals) {
  const All expected = Evaluate(&*expected_from_, JacobianStorage::DOUBLE);
  const All actual = Evaluate(&*from_, JacobianStorage::FLOAT);
  // Sums are of unrounded values.
  EXPECT_EQ(actual.cost, expected.cost);
  EXPECT_EQ(actual.gradient, expected.gradient);
  EXPECT_EQ(actual.squared_norms, expected.squared_norms);
  const BlockJacobianStructure& s = from_->structure;
  std::vector<bool> is_residual(s.num_values(), false);
  for (int row = 0; row < s.num_row_blocks(); ++row) {
    for (int i = 0; i < s.row_size(row); ++i) {
      is_residual[s.row_block_offset[row] + i] = true;
    }
  }
  ReadInParts(actual.jacobian, [&](std::int64_t i, double value) {
    const double exact = expected.jacobian.values.data()[i];
    ASSERT_EQ(value, is_residual[i]
                         ? exact
                         : static_cast<double>(static_cast<float>(exact)))
        << i;
  });
}

TEST_F(RowSources, ASmallJacobianIsStored) {
  double x = 1.0;
  Problem small;
  small.AddResidualBlock(new ManyRows::Powers(1, {1}, 0.5), nullptr, &x);
  ProblemEvaluator from(&small);
  Evaluator& evaluator = from.evaluator;
  evaluator.SetStorage(JacobianStorage::RECOMPUTE);
  EXPECT_EQ(evaluator.storage(), JacobianStorage::DOUBLE);
  BlockJacobian jacobian;
  evaluator.Allocate(&jacobian);
  EXPECT_EQ(jacobian.source, nullptr);
  EXPECT_EQ(static_cast<std::int64_t>(jacobian.values.size()),
            evaluator.structure().num_values());
}

}  // namespace
}  // namespace ceres::internal
