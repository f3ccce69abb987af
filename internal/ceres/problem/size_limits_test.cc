// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/problem/size_limits.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "ceres/cost_function.h"
#include "ceres/manifold.h"
#include "ceres/problem.h"
#include "ceres/problem/problem_impl.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::int64_t kMost = std::numeric_limits<int>::max();

// A cost function that is never evaluated: its sizes are all that counts.
class SizesOnly : public CostFunction {
 public:
  SizesOnly(int num_residuals, const std::vector<int>& sizes) {
    set_num_residuals(num_residuals);
    mutable_parameter_block_sizes()->assign(sizes.begin(), sizes.end());
  }
  bool Evaluate(double const* const*, double*, double**) const override {
    ADD_FAILURE() << "Sizes are checked before anything is evaluated.";
    return false;
  }
};

class SizeLimits : public testing::Test {
 protected:
  void Add(int num_residuals, std::vector<double*> blocks,
           const std::vector<int>& sizes) {
    problem_.AddResidualBlock(new SizesOnly(num_residuals, sizes), nullptr,
                              blocks);
  }
  const std::vector<ResidualBlock*>& blocks() {
    return problem_.mutable_impl()->residual_blocks();
  }
  JacobianSizes Sizes() { return JacobianSizes::Of(blocks()); }

  std::vector<double> large_ = std::vector<double>(1 << 10);
  double x_[3] = {};
  double y_[2] = {};
  Problem problem_;
};

TEST_F(SizeLimits, CountVaryingBlocksInTangentCoordinates) {
  Add(4, {x_, y_}, {3, 2});
  Add(5, {y_}, {2});
  EXPECT_EQ(Sizes().num_residuals, 9);
  EXPECT_EQ(Sizes().num_cells, 3);
  EXPECT_EQ(Sizes().num_entries, 4 * 5 + 5 * 2);
  EXPECT_EQ(Sizes().largest_block, 4 * (1 + 5));
  problem_.SetManifold(x_, new SubsetManifold(3, {0}));
  problem_.SetParameterBlockConstant(y_);
  EXPECT_EQ(Sizes().num_cells, 1);
  EXPECT_EQ(Sizes().num_entries, 4 * 2);
  EXPECT_EQ(Sizes().largest_block, 4 * (1 + 2));
}

TEST_F(SizeLimits, OneResidualBlockHasAtMostAnIntOfPlaces) {
  constexpr int kColumns = 1 << 10;
  constexpr int kRows =
      (1 << 21) - 2047;  // (1 + 1024) rows is just below 2^31.
  Add(kRows, {large_.data()}, {kColumns});
  EXPECT_THAT(SizeError(Sizes()), IsEmpty());
  Add(kRows + 1, {large_.data()}, {kColumns});
  EXPECT_THAT(SizeError(Sizes()),
              HasSubstr("in one residual block. At most 2147483647"));
}

// Jacobians of more entries are solved.
TEST_F(SizeLimits, AllResidualBlocksMayHaveMoreEntriesThanAnIntCounts) {
  for (int k = 0; k < 4; ++k) Add(1 << 20, {large_.data()}, {1 << 10});
  EXPECT_EQ(Sizes().num_entries, std::int64_t{1} << 32);
  EXPECT_THAT(SizeError(Sizes()), IsEmpty());
  EXPECT_THAT(CrsSizeError(Sizes()),
              HasSubstr("4294967296 entries in its Jacobian"));
}

TEST_F(SizeLimits, BoundsGiveTheAnswerOfTheBlocks) {
  for (int k = 0; k < 3; ++k) Add(1 << 20, {large_.data(), y_}, {1 << 10, 2});
  const RowSizeBounds known = {1 << 20, 1 << 20, 2, 2, 0};
  EXPECT_THAT(SizeError(blocks(), known, 1 << 10), IsEmpty());
  EXPECT_THAT(SizeError(blocks(), RowSizeBounds(), 1 << 10), IsEmpty());
  Add(1 << 21, {large_.data(), y_}, {1 << 10, 2});
  const RowSizeBounds larger = {1 << 20, 1 << 21, 2, 2, 0};
  EXPECT_THAT(SizeError(blocks(), larger, 1 << 10),
              HasSubstr("Use several residual blocks"));
}

TEST(SizeError, CountsResidualsAndUses) {
  JacobianSizes sizes;
  sizes.num_residuals = kMost;
  sizes.num_cells = kMost;
  EXPECT_THAT(SizeError(sizes), IsEmpty());
  sizes.num_cells = kMost + 1;
  EXPECT_THAT(SizeError(sizes), HasSubstr("2147483648 uses of parameter"));
  sizes.num_residuals = kMost + 1;
  EXPECT_THAT(SizeError(sizes), HasSubstr("2147483648 residuals."));
}

TEST(ProblemDeathTest, RefusesMoreResidualsThanAnIntCounts) {
  double x = 0.0;
  Problem problem;
  problem.AddResidualBlock(new SizesOnly(1 << 30, {1}), nullptr, &x);
  EXPECT_EQ(problem.NumResiduals(), 1 << 30);
  EXPECT_DEATH(
      problem.AddResidualBlock(new SizesOnly(1 << 30, {1}), nullptr, &x),
      "2147483648 residuals");
}

}  // namespace
}  // namespace ceres::internal
