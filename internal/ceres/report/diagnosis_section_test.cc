// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/report/diagnosis_section.h"

#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "ceres/autodiff_cost_function.h"
#include "ceres/manifold.h"
#include "ceres/problem.h"
#include "ceres/report/report_data.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// The difference of two positions in the plane.
struct Difference {
  template <typename T>
  bool operator()(const T* a, const T* b, T* residual) const {
    residual[0] = b[0] - a[0] - dx;
    residual[1] = b[1] - a[1];
    return true;
  }
  double dx;
};

// Three positions of which two measure each other twice, and the third hangs on
// one measurement. All of them can be shifted.
class Map {
 public:
  Map() {
    Measure(0, 1);
    Measure(0, 1);
    Measure(1, 2);
    options.scene = [this] {
      ReportScene scene;
      for (const std::array<double, 2>& p : x) {
        scene.points.push_back({p[0], p[1], 0.0});
      }
      return scene;
    };
  }

  void Measure(int a, int b) {
    problem.AddResidualBlock(
        new AutoDiffCostFunction<Difference, 2, 2, 2>(new Difference{1.0}),
        nullptr, x[a].data(), x[b].data());
  }

  std::array<std::array<double, 2>, 3> x = {
      {{0.0, 0.0}, {1.0, 0.1}, {7.0, 3.0}}};
  Problem problem;
  HtmlReport::Options options;
};

TEST(DiagnosisSection, SceneMovesAlongDirections) {
  Map map;
  const auto before = map.x;
  ResidualSection residuals;
  const DiagnosisSection section =
      CollectDiagnosis(map.options, 1, &map.problem, &residuals);
  EXPECT_TRUE(section.is_made);
  EXPECT_EQ(section.message, "");
  EXPECT_EQ(section.num_coordinates, 6);
  EXPECT_EQ(section.num_undetermined, 2);
  ASSERT_EQ(section.directions.size(), 2u);
  ASSERT_EQ(section.positions.size(), 3u);
  for (int axis = 0; axis < 2; ++axis) {
    const DiagnosedDirection& direction = section.directions[axis];
    EXPECT_EQ(direction.kind, "kGaugeTranslation");
    EXPECT_EQ(direction.num_entries, 3);
    EXPECT_FALSE(direction.cause.empty());
    ASSERT_EQ(direction.motions.size(), 3u);
    for (const std::array<double, 3>& motion : direction.motions) {
      EXPECT_NEAR(std::abs(motion[axis]), 1.0, 1e-9);
      EXPECT_NEAR(motion[1 - axis], 0.0, 1e-9);
    }
  }
  EXPECT_EQ(map.x, before);
}

TEST(DiagnosisSection, ValuesAreRestoredIfTheSceneThrows) {
  Map map;
  const auto before = map.x;
  map.options.scene = []() -> ReportScene {
    throw std::runtime_error("scene");
  };
  ResidualSection residuals;
  EXPECT_THROW(CollectDiagnosis(map.options, 1, &map.problem, &residuals),
               std::runtime_error);
  EXPECT_EQ(map.x, before);
}

TEST(DiagnosisSection, MovesOnManifolds) {
  std::array<double, 4> q = {1.0, 0.0, 0.0, 0.0};
  Problem problem;
  problem.AddParameterBlock(q.data(), 4, new QuaternionManifold());
  HtmlReport::Options options;
  options.scene = [&q] {
    // |q| = 1: the position shows whether the values stay on the manifold.
    ReportScene scene;
    scene.points.push_back(
        {q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3],
         q[1] + q[2] + q[3], 0.0});
    return scene;
  };
  ResidualSection residuals;
  const DiagnosisSection section =
      CollectDiagnosis(options, 1, &problem, &residuals);
  ASSERT_EQ(section.directions.size(), 3u);
  for (const DiagnosedDirection& direction : section.directions) {
    EXPECT_EQ(direction.kind, "kNoResiduals");
    ASSERT_EQ(direction.motions.size(), 1u);
    EXPECT_NEAR(direction.motions[0][0], 0.0, 1e-9);
    EXPECT_NEAR(std::abs(direction.motions[0][1]), 1.0, 1e-9);
  }
}

TEST(DiagnosisSection, WorstResidualBlocksHaveTheirRedundancy) {
  Map map;
  ResidualSection residuals;
  residuals.worst.resize(3);
  residuals.worst[0].index = 2;
  residuals.worst[1].index = 0;
  residuals.worst[2].index = 99;
  map.options.scene = nullptr;
  const DiagnosisSection section =
      CollectDiagnosis(map.options, 2, &map.problem, &residuals);
  EXPECT_EQ(section.num_checked, 3);
  EXPECT_EQ(section.num_unchecked, 1);
  EXPECT_NEAR(residuals.worst[0].redundancy, 0.0, 1e-12);
  EXPECT_NEAR(residuals.worst[1].redundancy, 1.0, 1e-12);
  EXPECT_EQ(residuals.worst[2].redundancy, -1.0);
  EXPECT_GT(residuals.worst[1].standardized, 0.0);
  EXPECT_THAT(section.positions, IsEmpty());
  EXPECT_THAT(section.directions[0].motions, IsEmpty());
}

TEST(DiagnosisSection, UsesNamesOfParameterBlocks) {
  Map map;
  map.options.parameter_block_name = [&map](const double* block) {
    return block == map.x[1].data() ? std::string("tower") : std::string();
  };
  ResidualSection residuals;
  const DiagnosisSection section =
      CollectDiagnosis(map.options, 1, &map.problem, &residuals);
  // The tower has most measurements, so its motion has the largest effect.
  EXPECT_THAT(section.directions[0].entries,
              ElementsAre("tower[0] +1", "block 0[0] +1", "block 2[0] +1"));
}

TEST(DiagnosisSection, SaysThatAResidualBlockCannotBeEvaluated) {
  Map map;
  map.x[0][0] = std::numeric_limits<double>::quiet_NaN();
  ResidualSection residuals;
  const DiagnosisSection section =
      CollectDiagnosis(map.options, 1, &map.problem, &residuals);
  EXPECT_THAT(section.message, HasSubstr("esidual block 0"));
  EXPECT_THAT(section.directions, IsEmpty());
}

}  // namespace
}  // namespace ceres::internal
