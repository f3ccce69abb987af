// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/minimizer/parallel_tangents.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::ElementsAre;

class ParallelTangentsTest : public testing::Test {
 protected:
  static VectorView View(std::vector<double>* values) {
    return {values->data(), static_cast<int>(values->size())};
  }

  void Accept(double decrease, std::vector<double> step) {
    tangents_.Accept(decrease, View(&step));
  }

  // The proposed displacement, or empty.
  std::vector<double> Propose(double decrease, std::vector<double> step) {
    std::vector<double> displacement(step.size());
    const bool proposes =
        tangents_.Propose(decrease, View(&step), View(&displacement));
    return proposes ? displacement : std::vector<double>();
  }

  std::vector<double> memory_ = {0.0, 0.0};
  ParallelTangents tangents_{View(&memory_)};
};

TEST_F(ParallelTangentsTest, TwoStepsAreNeeded) {
  EXPECT_THAT(Propose(1.0, {1.0, 1.0}), ElementsAre());
  Accept(1.0, {1.0, 1.0});
  EXPECT_THAT(Propose(1.0, {1.0, 1.0}), ElementsAre(2.0, 2.0));
  tangents_.Forget();
  EXPECT_THAT(Propose(1.0, {1.0, 1.0}), ElementsAre());
}

TEST_F(ParallelTangentsTest, AlternatingComponentsCancel) {
  Accept(1.0, {0.25, 8.0});
  EXPECT_THAT(Propose(1.0, {0.25, -8.0}), ElementsAre(0.5, 0.0));
  Accept(1.0, {0.25, -8.0});
  EXPECT_THAT(Propose(1.0, {0.25, 8.0}), ElementsAre(0.5, 0.0));
}

TEST_F(ParallelTangentsTest, FastSequencesAreLeftAlone) {
  Accept(1.0, {1.0, 0.0});
  EXPECT_THAT(Propose(0.49, {1.0, 0.0}), ElementsAre());
  EXPECT_THAT(Propose(0.5, {1.0, 0.0}), ElementsAre(2.0, 0.0));
}

TEST_F(ParallelTangentsTest, SuccessDoublesAndFailureQuartersTheFactor) {
  Accept(1.0, {1.0, 0.0});
  tangents_.Judge(true);
  EXPECT_THAT(Propose(1.0, {1.0, 0.0}), ElementsAre(4.0, 0.0));
  tangents_.Judge(true);
  EXPECT_THAT(Propose(1.0, {1.0, 0.0}), ElementsAre(8.0, 0.0));
  tangents_.Judge(false);
  EXPECT_THAT(Propose(1.0, {1.0, 0.0}), ElementsAre(2.0, 0.0));
}

TEST_F(ParallelTangentsTest, TheFactorIsBounded) {
  Accept(1.0, {1.0, 0.0});
  for (int i = 0; i < 20; ++i) tangents_.Judge(true);
  EXPECT_THAT(Propose(1.0, {0.0, 0.0}), ElementsAre(64.0, 0.0));
  for (int i = 0; i < 20; ++i) tangents_.Judge(false);
  EXPECT_THAT(Propose(1.0, {0.0, 0.0}), ElementsAre(0.5, 0.0));
}

}  // namespace
}  // namespace ceres::internal
