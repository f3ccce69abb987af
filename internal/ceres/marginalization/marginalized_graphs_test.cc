// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Marginalization in nonlinear problems: gauge freedom and manifolds.

#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "Eigen/Core"
#include "ceres/autodiff_cost_function.h"
#include "ceres/linear/dense_test_utils.h"
#include "ceres/manifold.h"
#include "ceres/marginalization.h"
#include "ceres/marginalization/dense_marginal_test_utils.h"
#include "ceres/problem.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using internal::DenseInverse;
using internal::LinearizeAll;

int RankOf(const MatrixXd& j) {
  const VectorXd values =
      internal::SymmetricEigenvalues(MatrixXd(j.transpose() * j));
  int rank = 0;
  for (const double value : values) rank += value > 1e-12 * values.maxCoeff();
  return rank;
}

// The position of b in the frame of pose a (x, y, heading), and the turn.
struct Odometry {
  template <typename T>
  bool operator()(const T* a, const T* b, T* r) const {
    using std::cos;
    using std::sin;
    const T dx = b[0] - a[0], dy = b[1] - a[1];
    r[0] = cos(a[2]) * dx + sin(a[2]) * dy - 1.0;
    r[1] = -sin(a[2]) * dx + cos(a[2]) * dy - 0.1;
    r[2] = b[2] - a[2] - 0.2;
    return true;
  }
};

// The position of a landmark in the frame of a pose.
struct Sight {
  template <typename T>
  bool operator()(const T* a, const T* l, T* r) const {
    using std::cos;
    using std::sin;
    const T dx = l[0] - a[0], dy = l[1] - a[1];
    r[0] = cos(a[2]) * dx + sin(a[2]) * dy - 2.0;
    r[1] = -sin(a[2]) * dx + cos(a[2]) * dy + 1.0;
    return true;
  }
};

// Three poses in the plane, each sees two landmarks. Nothing is fixed.
class FreeGraph {
 public:
  FreeGraph() {
    for (int i = 0; i < 3; ++i) poses[i] = {1.0 * i, 0.1 * i, 0.2 * i};
    landmarks = {{{2.0, -1.0}, {2.5, 1.0}}};
    for (int i = 0; i < 3; ++i) {
      if (i > 0) {
        problem.AddResidualBlock(
            new AutoDiffCostFunction<Odometry, 3, 3, 3>(new Odometry), nullptr,
            poses[i - 1].data(), poses[i].data());
      }
      for (auto& landmark : landmarks) {
        problem.AddResidualBlock(
            new AutoDiffCostFunction<Sight, 2, 3, 2>(new Sight), nullptr,
            poses[i].data(), landmark.data());
      }
    }
  }
  int Deficiency(const std::vector<double*>& blocks) {
    MatrixXd j;
    VectorXd r;
    LinearizeAll(&problem, blocks, &j, &r);
    return static_cast<int>(j.cols()) - RankOf(j);
  }
  std::vector<double*> Rest() {
    return {poses[1].data(), poses[2].data(), landmarks[0].data(),
            landmarks[1].data()};
  }

  std::array<std::array<double, 3>, 3> poses;
  std::array<std::array<double, 2>, 2> landmarks;
  Problem problem;
};

TEST(MarginalizeTest, TheGaugeKeepsItsFreedom) {
  for (const auto method : {MarginalizationMethod::kBlockQr,
                            MarginalizationMethod::kSchurComplement}) {
    FreeGraph graph;
    std::vector<double*> all = graph.Rest();
    all.push_back(graph.poses[0].data());
    EXPECT_EQ(graph.Deficiency(all), 3);
    MarginalizationOptions options;
    options.method = method;
    MarginalizationSummary summary;
    ASSERT_TRUE(Marginalize(options, {graph.poses[0].data()}, &graph.problem,
                            &summary));
    // The pose, 3 coordinates, takes away 3 of 7 residuals.
    EXPECT_EQ(summary.num_columns, 7);
    EXPECT_EQ(summary.rank, 4);
    EXPECT_EQ(graph.Deficiency(graph.Rest()), 3);
  }
}

// Later measurements at other values of the poses give information about the
// gauge that is not there, unless Jacobians are those of the first estimates
// (Huang, Mourikis and Roumeliotis 2010).
TEST(MarginalizeTest, FirstEstimatesKeepTheGaugeOfAMovedGraph) {
  for (const bool first_estimates : {false, true}) {
    FreeGraph graph;
    MarginalizationOptions options;
    options.first_estimate_jacobians = first_estimates;
    MarginalizationSummary summary;
    ASSERT_TRUE(Marginalize(options, {graph.poses[0].data()}, &graph.problem,
                            &summary));
    double shift = 0.05;
    for (double* block : graph.Rest()) {
      block[0] += shift;
      block[1] -= 2.0 * shift;
      shift *= -1.5;
    }
    graph.poses[1][2] += 0.1;
    if (first_estimates) {
      // A pose that is not in the prior is linearized at its values.
      EXPECT_EQ(graph.problem.GetLinearizationPoint(graph.poses[2].data()),
                nullptr);
      EXPECT_EQ(graph.problem.GetLinearizationPoint(graph.poses[1].data())[2],
                0.2);
    }
    EXPECT_EQ(graph.Deficiency(graph.Rest()), first_estimates ? 3 : 2);
  }
}

// A relative rotation.
struct Turn {
  template <typename T>
  bool operator()(const T* a, const T* b, T* r) const {
    for (int i = 0; i < 3; ++i) {
      r[i] = a[0] * b[i + 1] - b[0] * a[i + 1] - 0.1 * (i + 1);
    }
    r[0] += a[3] * b[2] - a[2] * b[3];
    r[1] += a[1] * b[3] - a[3] * b[1];
    r[2] += a[2] * b[1] - a[1] * b[2];
    return true;
  }
};

TEST(MarginalizeTest, ManifoldsAreThoseOfTheProblem) {
  std::array<std::array<double, 4>, 3> q = {
      {{1, 0, 0, 0}, {0.8, 0.6, 0, 0}, {0.5, 0.5, 0.5, -0.5}}};
  Problem problem;
  auto* manifold = new QuaternionManifold;
  for (const auto& [a, b] : {std::pair(0, 1), std::pair(0, 2)}) {
    problem.AddResidualBlock(new AutoDiffCostFunction<Turn, 3, 4, 4>(new Turn),
                             nullptr, q[a].data(), q[b].data());
  }
  for (auto& each : q) problem.SetManifold(each.data(), manifold);
  MatrixXd j;
  VectorXd r;
  LinearizeAll(&problem, {q[0].data(), q[1].data(), q[2].data()}, &j, &r);
  const MatrixXd h = j.transpose() * j;
  const VectorXd g = j.transpose() * r;
  const MatrixXd gain =
      h.bottomLeftCorner(6, 3) * DenseInverse(h.topLeftCorner(3, 3));
  MarginalizationSummary summary;
  ASSERT_TRUE(Marginalize({}, {q[0].data()}, &problem, &summary));
  LinearizeAll(&problem, {q[1].data(), q[2].data()}, &j, &r);
  EXPECT_LT((j.transpose() * j -
             (h.bottomRightCorner(6, 6) - gain * h.topRightCorner(3, 6)))
                .norm(),
            1e-13);
  EXPECT_LT((j.transpose() * r - (g.tail(6) - gain * g.head(3))).norm(), 1e-13);
}

}  // namespace
}  // namespace ceres
