// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/report/structure_section.h"

#include <algorithm>
#include <vector>

#include "ceres/autodiff_cost_function.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

struct Difference {
  template <typename T>
  bool operator()(const T* a, const T* b, T* residual) const {
    residual[0] = a[0] - b[0] - 1.0;
    return true;
  }
};

class StructureSectionTest : public testing::Test {
 protected:
  void Connect(double* a, double* b) {
    problem_.AddResidualBlock(
        new AutoDiffCostFunction<Difference, 1, 1, 1>(new Difference), nullptr,
        a, b);
  }
  StructureSection Collect(LinearSolverType type) {
    Solver::Options options;
    options.linear_solver_type = type;
    Solver::Summary summary;
    summary.linear_solver_type_used = type;
    return CollectStructure(options, summary, &problem_);
  }

  std::vector<double> x_ = std::vector<double>(1000, 0.0);
  Problem problem_;
};

TEST_F(StructureSectionTest, ChainIsTridiagonal) {
  for (int i = 0; i < 4; ++i) Connect(&x_[i], &x_[i + 1]);
  const StructureSection section = Collect(SPARSE_NORMAL_CHOLESKY);
  ASSERT_EQ(section.pictures.size(), 2);
  const StructurePicture& picture = section.pictures[0];
  EXPECT_EQ(picture.size, 5);
  EXPECT_EQ(picture.nonzeros, 5 + 2 * 4);
  EXPECT_EQ(picture.factor_nonzeros, 5 + 4);
  EXPECT_EQ(picture.cells,
            "99000"
            "99900"
            "09990"
            "00999"
            "00099");
  EXPECT_DOUBLE_EQ(section.normal_density, 13.0 / 25.0);
}

TEST_F(StructureSectionTest, OrderingReducesTheFill) {
  // An arrow that points the wrong way: the first block is in every row.
  for (int i = 1; i < 30; ++i) Connect(&x_[0], &x_[i]);
  const StructureSection section = Collect(SPARSE_NORMAL_CHOLESKY);
  ASSERT_EQ(section.pictures.size(), 2);
  EXPECT_EQ(section.pictures[0].factor_nonzeros, 30 * 31 / 2);
  EXPECT_EQ(section.pictures[1].factor_nonzeros, 30 + 29);
  EXPECT_EQ(section.pictures[0].nonzeros, section.pictures[1].nonzeros);
}

TEST_F(StructureSectionTest, SchurComplementHasTheCliquesOfPoints) {
  // Cameras 0, 1, 2; points 10 to 19 see 0 and 1, points 20 to 29 see 1 and 2.
  for (int p = 10; p < 30; ++p) {
    Connect(&x_[p < 20 ? 0 : 1], &x_[p]);
    Connect(&x_[p < 20 ? 1 : 2], &x_[p]);
  }
  const StructureSection section = Collect(SPARSE_SCHUR);
  ASSERT_EQ(section.pictures.size(), 4);
  EXPECT_TRUE(section.eliminates);
  EXPECT_EQ(section.num_eliminated_blocks, 20);
  EXPECT_EQ(section.num_remaining_columns, 3);
  EXPECT_DOUBLE_EQ(section.schur_density, 7.0 / 9.0);
  EXPECT_EQ(section.pictures[2].title, "S, order of the problem");
  EXPECT_EQ(section.pictures[2].size, 3);
  EXPECT_EQ(section.pictures[2].nonzeros, 7);
}

TEST_F(StructureSectionTest, DenseSchurHasNoFillReducingOrdering) {
  for (int p = 10; p < 30; ++p) {
    Connect(&x_[0], &x_[p]);
    Connect(&x_[1], &x_[p]);
  }
  const StructureSection section = Collect(DENSE_SCHUR);
  ASSERT_EQ(section.pictures.size(), 3);
  EXPECT_EQ(section.pictures[2].factor_nonzeros, -1);
}

TEST_F(StructureSectionTest, WithoutEliminationSHasSizesOnly) {
  for (int p = 10; p < 30; ++p) {
    Connect(&x_[0], &x_[p]);
    Connect(&x_[1], &x_[p]);
  }
  const StructureSection section = Collect(SPARSE_NORMAL_CHOLESKY);
  EXPECT_FALSE(section.eliminates);
  EXPECT_EQ(section.num_remaining_columns, 2);
  EXPECT_EQ(section.schur_density, 0.0);
}

TEST_F(StructureSectionTest, ConstantBlocksAreNoColumns) {
  for (int i = 0; i < 4; ++i) Connect(&x_[i], &x_[i + 1]);
  problem_.SetParameterBlockConstant(&x_[0]);
  EXPECT_EQ(Collect(DENSE_QR).num_columns, 4);
}

TEST_F(StructureSectionTest, ProblemWithoutVaryingBlocksHasANote) {
  Connect(&x_[0], &x_[1]);
  problem_.SetParameterBlockConstant(&x_[0]);
  problem_.SetParameterBlockConstant(&x_[1]);
  const StructureSection section = Collect(DENSE_QR);
  EXPECT_EQ(section.note, "No parameter block varies.");
  EXPECT_TRUE(section.pictures.empty());
}

TEST_F(StructureSectionTest, WrongOrderingHasANote) {
  Connect(&x_[0], &x_[1]);
  Solver::Options options;
  options.linear_solver_ordering = std::make_shared<ParameterBlockOrdering>();
  options.linear_solver_ordering->AddElementToGroup(&x_[0], 0);
  Solver::Summary summary;
  summary.linear_solver_type_used = DENSE_SCHUR;
  EXPECT_FALSE(CollectStructure(options, summary, &problem_).note.empty());
}

TEST_F(StructureSectionTest, LargeMatricesAreDownSampled) {
  for (int i = 0; i + 1 < 1000; ++i) Connect(&x_[i], &x_[i + 1]);
  const StructureSection section = Collect(SPARSE_NORMAL_CHOLESKY);
  EXPECT_LT(section.pictures[0].grid_size, 1000);
  EXPECT_EQ(section.pictures[0].cells.size(),
            section.pictures[0].grid_size * section.pictures[0].grid_size);
}

}  // namespace
}  // namespace ceres::internal
