// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/evaluation/merged_columns.h"

#include <vector>

#include "ceres/evaluation/evaluation_test_utils.h"
#include "ceres/evaluation/evaluator.h"
#include "ceres/loss_function.h"
#include "ceres/manifold.h"
#include "ceres/problem.h"
#include "ceres/problem/problem_impl.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Cameras of four blocks: a position, a rotation on a manifold, a scalar, and
// lens parameters of which one is held; points; some rows see two cameras.
class Cameras {
 public:
  Cameras() {
    for (int c = 0; c < kNumCameras; ++c) {
      Camera& camera = cameras_[c];
      problem_.AddParameterBlock(camera.position, 3);
      problem_.AddParameterBlock(camera.rotation, 4, new QuaternionManifold);
      problem_.AddParameterBlock(&camera.focal_length, 1);
      problem_.AddParameterBlock(camera.lens, 2, new SubsetManifold(2, {1}));
    }
    int seed = 0;
    for (int k = 0; k < 12; ++k, ++seed) {
      Camera& a = cameras_[k % kNumCameras];
      LossFunction* loss = k % 2 == 0 ? nullptr : new CauchyLoss(0.5);
      problem_.AddResidualBlock(new SineCost(2, {4, 3, 3, 1, 2}, seed), loss,
                                a.rotation, points_[k % kNumPoints], a.position,
                                &a.focal_length, a.lens);
    }
    for (int k = 0; k < 6; ++k, ++seed) {
      Camera& a = cameras_[k % kNumCameras];
      Camera& b = cameras_[(k + 1) % kNumCameras];
      problem_.AddResidualBlock(new SineCost(6, {3, 4, 1, 2, 3, 4, 1, 2}, seed),
                                nullptr, b.position, b.rotation,
                                &b.focal_length, b.lens, a.position, a.rotation,
                                &a.focal_length, a.lens);
    }
  }

  Problem& problem() { return problem_; }
  double* position(int camera) { return cameras_[camera].position; }
  double* rotation(int camera) { return cameras_[camera].rotation; }

  Program MakeProgram() {
    ProblemImpl& impl = *problem_.mutable_impl();
    std::vector<ParameterBlock*> varying;
    for (auto& point : points_)
      varying.push_back(impl.GetParameterBlock(point));
    for (ParameterBlock* block : impl.parameter_blocks()) {
      const bool is_point = block->user_state() >= points_[0] &&
                            block->user_state() <= points_[kNumPoints - 1];
      if (!is_point && !block->IsConstant()) varying.push_back(block);
    }
    return Program(varying, kNumPoints, impl.residual_blocks());
  }

  static constexpr int kNumCameras = 3;
  static constexpr int kNumPoints = 2;

 private:
  struct Camera {
    double position[3] = {0.1, -0.2, 0.3};
    double rotation[4] = {0.8, 0.0, 0.6, 0.0};
    double focal_length = 0.7;
    double lens[2] = {0.2, -0.4};
  };
  Camera cameras_[kNumCameras];
  double points_[kNumPoints][3] = {{0.3, 0.2, 0.1}, {-0.5, 0.4, 0.9}};
  Problem problem_;
};

TEST(MergedColumns, BlocksThatAlwaysOccurTogetherAreOneRun) {
  Cameras cameras;
  EXPECT_THAT(FindMergedColumns(cameras.MakeProgram(), nullptr),
              ElementsAre(0, 1, 2, 6, 10, 14));
}

TEST(MergedColumns, ARowThatTouchesPartOfABlockSeparatesIt) {
  Cameras cameras;
  cameras.problem().AddResidualBlock(new SineCost(1, {3}, 100), nullptr,
                                     cameras.position(1));
  EXPECT_THAT(FindMergedColumns(cameras.MakeProgram(), nullptr),
              ElementsAre(0, 1, 2, 6, 7, 10, 14));
}

TEST(MergedColumns, ConstantBlocksAreNoColumns) {
  Cameras cameras;
  cameras.problem().SetParameterBlockConstant(cameras.rotation(0));
  EXPECT_THAT(FindMergedColumns(cameras.MakeProgram(), nullptr),
              ElementsAre(0, 1, 2, 5, 9, 13));
}

TEST(MergedColumns, GroupsAreKeptApart) {
  Cameras cameras;
  const std::vector<int> group = {1, 1, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1};
  EXPECT_THAT(FindMergedColumns(cameras.MakeProgram(), &group),
              ElementsAre(0, 1, 2, 4, 6, 10, 14));
}

struct Outputs {
  double cost = 0.0;
  std::vector<double> jacobian;  // dense
  std::vector<double> gradient;
  std::vector<double> squared_norms;
};

Outputs EvaluateAll(const Program& program, const Evaluator::Options& options) {
  Evaluator evaluator(program, options);
  std::vector<double> state(program.num_state());
  program.ReadUserMemory(state.data());
  Outputs out;
  out.gradient.resize(program.num_delta());
  out.squared_norms.resize(program.num_delta());
  const BlockJacobianStructure& s = evaluator.structure();
  BlockJacobian jacobian;
  jacobian.structure = &s;
  jacobian.values.Resize(s.num_values());
  EXPECT_TRUE(evaluator.EvaluateJacobian(state.data(), true, &out.cost,
                                         &jacobian, out.gradient.data(),
                                         out.squared_norms.data()));
  out.jacobian.assign(size_t(s.num_rows()) * s.num_columns(), 0.0);
  for (int row = 0; row < s.num_row_blocks(); ++row) {
    for (int k = s.first_cell[row]; k < s.first_cell[row + 1]; ++k) {
      const int size = s.column_size(s.cell_column[k]);
      for (int i = 0; i < s.row_size(row) * size; ++i) {
        out.jacobian[(s.row_offset[row] + i / size) * s.num_columns() +
                     s.column_offset[s.cell_column[k]] + i % size] =
            jacobian.row_block(row)[s.cell_position[k] + i];
      }
    }
  }
  return out;
}

TEST(MergedColumns, EvaluateToTheSameNumbers) {
  Cameras cameras;
  const Program program = cameras.MakeProgram();
  Evaluator::Options merged;
  merged.merged_columns = FindMergedColumns(program, nullptr);
  const Outputs expected = EvaluateAll(program, {});
  const Outputs out = EvaluateAll(program, merged);
  EXPECT_EQ(out.cost, expected.cost);
  EXPECT_EQ(out.jacobian, expected.jacobian);
  // By kernels that may round differently.
  for (int j = 0; j < program.num_delta(); ++j) {
    EXPECT_NEAR(out.gradient[j], expected.gradient[j], 1e-14);
    EXPECT_NEAR(out.squared_norms[j], expected.squared_norms[j], 1e-14);
  }
}

TEST(MergedColumns, StructureHasOneColumnBlockForEachRun) {
  Cameras cameras;
  const Program program = cameras.MakeProgram();
  Evaluator::Options merged;
  merged.merged_columns = FindMergedColumns(program, nullptr);
  const Evaluator evaluator(program, merged);
  const BlockJacobianStructure& s = evaluator.structure();
  EXPECT_THAT(s.column_offset, ElementsAre(0, 3, 6, 14, 22, 30));
  EXPECT_EQ(s.cell_column.size(), 2u * s.num_row_blocks());
}

TEST(MergedColumns, AnUnwrittenEntryOfASharedCellIsFound) {
  double x = 1.0, y = 2.0;
  Problem problem;
  problem.AddResidualBlock(
      new FunctionCost(1, {1, 1},
                       [](double const* const* p, double* r, double** j) {
                         r[0] = p[0][0] + p[1][0];
                         if (j != nullptr) j[0][0] = 1.0;
                         return true;
                       }),
      nullptr, &x, &y);
  const ProblemImpl& impl = *problem.mutable_impl();
  const Program program(impl.parameter_blocks(), 0, impl.residual_blocks());
  Evaluator::Options merged;
  merged.merged_columns = FindMergedColumns(program, nullptr);
  ASSERT_THAT(merged.merged_columns, ElementsAre(0, 2));
  Evaluator evaluator(program, merged);
  BlockJacobian jacobian;
  jacobian.structure = &evaluator.structure();
  jacobian.values.Resize(jacobian.structure->num_values());
  const double state[] = {1.0, 2.0};
  double cost;
  const Evaluator::Result result = evaluator.EvaluateJacobian(
      state, true, &cost, &jacobian, nullptr, nullptr);
  EXPECT_FALSE(result);
  EXPECT_THAT(result.message, HasSubstr("not written"));
}

}  // namespace
}  // namespace ceres::internal
