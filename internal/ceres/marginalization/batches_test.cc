// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Linearize, Diagnose, Marginalize and SlidingWindow take rows of residual
// batches as the residual blocks in whose place they stand.

#include <cstdint>
#include <memory>
#include <vector>

#include "ceres/crs_matrix.h"
#include "ceres/diagnosis.h"
#include "ceres/evaluation/batch_pair.h"
#include "ceres/linearization.h"
#include "ceres/marginalization.h"
#include "ceres/sliding_window.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

BatchPair::Features WithoutBounds() {
  BatchPair::Features features = BatchPair::All();
  features.with_bounds = false;
  return features;
}

class Batches : public testing::TestWithParam<int> {
 protected:
  BatchPair pair_{static_cast<unsigned>(GetParam()), WithoutBounds()};
};
INSTANTIATE_TEST_SUITE_P(Seeds, Batches, testing::Range(0, 6));

TEST_P(Batches, AreLinearized) {
  CRSMatrix jacobian[2];
  Vector residuals[2];
  int i = 0;
  for (BatchPair::Side* side : {&pair_.batched, &pair_.plain}) {
    Linearization linearization;
    ASSERT_TRUE(side->problem.Linearize({}, {}, &linearization));
    jacobian[i] = linearization.Jacobian();
    residuals[i] = linearization.Residuals();
    ++i;
  }
  EXPECT_EQ(residuals[0], residuals[1]);
  EXPECT_EQ(jacobian[0].values, jacobian[1].values);
}

TEST_P(Batches, AreDiagnosed) {
  const Diagnosis batched = Diagnose({}, &pair_.batched.problem);
  const Diagnosis plain = Diagnose({}, &pair_.plain.problem);
  EXPECT_EQ(batched.status, Diagnosis::Status::kComplete);
  EXPECT_EQ(batched.ToJson(), plain.ToJson());
}

TEST_P(Batches, AreMarginalized) {
  MarginalizationSummary summary[2];
  double cost[2];
  int i = 0;
  for (BatchPair::Side* side : {&pair_.batched, &pair_.plain}) {
    std::vector<double*> points = pair_.Points(side);
    points.resize(2);
    ASSERT_TRUE(Marginalize({}, points, &side->problem, &summary[i]))
        << summary[i].message;
    ASSERT_TRUE(
        side->problem.Evaluate({}, &cost[i], nullptr, nullptr, nullptr));
    ++i;
  }
  EXPECT_EQ(summary[0].num_removed_residual_blocks,
            summary[1].num_removed_residual_blocks);
  EXPECT_EQ(summary[0].removed_cost, summary[1].removed_cost);
  EXPECT_EQ(summary[0].rank, summary[1].rank);
  EXPECT_EQ(cost[0], cost[1]);
}

// x_i - target.
class Targets : public ResidualBatch {
 public:
  explicit Targets(std::int64_t num_rows) : ResidualBatch(num_rows, 1, {1}) {}
  int Evaluate(const BatchRows& rows,
               const BatchOutput& output) const override {
    for (int i = 0; i < rows.count; ++i) {
      output.residuals[i * output.stride] =
          rows.parameters[i][0] - static_cast<double>(rows.rows[i]);
      if (output.jacobians != nullptr && output.jacobians[0] != nullptr) {
        output.jacobians[0][i * output.stride] = 1.0;
      }
    }
    return rows.count;
  }
};

TEST(BatchesInAWindow, LeaveWithTheirParameterBlocks) {
  constexpr int kFrames = 8;
  double x[kFrames] = {};
  SlidingWindow::Options options;
  options.solver.logging_type = SILENT;
  SlidingWindow window(options);
  for (int frame = 0; frame < kFrames; ++frame) {
    window.problem()->AddResidualBatch(std::make_unique<Targets>(5), nullptr,
                                       {&x[frame]});
    ASSERT_TRUE(window.Add(&x[frame], frame));
    EXPECT_TRUE(window.Solve().IsSolutionUsable());
    EXPECT_NEAR(x[frame], 2.0, 1e-3);
    ASSERT_TRUE(window.Advance(frame, 3.0))
        << window.last_marginalization().message;
  }
  EXPECT_EQ(window.problem()->NumParameterBlocks(), 4);
  EXPECT_EQ(window.problem()->NumResidualBlocks(), 4 * 5);
}

}  // namespace
}  // namespace ceres::internal
