// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/graduated/graduated_weights.h"

#include <cmath>

#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

constexpr GraduatedLoss kLosses[] = {GraduatedLoss::kTruncatedSquares,
                                     GraduatedLoss::kGemanMcClure};

// rho_mu(z).
double Surrogate(GraduatedLoss loss, double mu, double z) {
  if (loss == GraduatedLoss::kGemanMcClure) return mu * z / (mu + z);
  if (z <= mu / (mu + 1.0)) return z;
  if (z >= (mu + 1.0) / mu) return 1.0;
  return 2.0 * std::sqrt(mu * (mu + 1.0) * z) - mu * (1.0 + z);
}

TEST(GraduatedWeights, WeightIsTheDerivativeOfTheSurrogate) {
  for (const GraduatedLoss loss : kLosses) {
    GraduatedWeights weights(loss, 400.0);
    for (int round = 0; round < 25; ++round) {
      for (const double z : {1e-4, 0.01, 0.3, 0.95, 1.2, 3.0, 17.0, 390.0}) {
        const double h = 1e-6 * z;
        const double mu = weights.control();
        const double difference =
            (Surrogate(loss, mu, z + h) - Surrogate(loss, mu, z - h)) /
            (2.0 * h);
        EXPECT_NEAR(weights.Weight(z), difference, 1e-7)
            << weights.control() << " " << z;
      }
      weights.Advance(1.4);
    }
  }
}

TEST(GraduatedWeights, WeightsBecomeThoseOfTheLoss) {
  for (const double z : {0.0, 0.4, 0.999, 1.001, 5.0, 1e6}) {
    GraduatedWeights truncated(GraduatedLoss::kTruncatedSquares, 1e6);
    GraduatedWeights geman_mcclure(GraduatedLoss::kGemanMcClure, 1e6);
    for (int i = 0; i < 100; ++i) {
      EXPECT_FALSE(truncated.IsAtLoss());
      truncated.Advance(1.5);
      geman_mcclure.Advance(1.5);
    }
    EXPECT_EQ(truncated.Weight(z), z < 1.0 ? 1.0 : 0.0);
    EXPECT_TRUE(geman_mcclure.IsAtLoss());
    EXPECT_DOUBLE_EQ(geman_mcclure.Weight(z), std::pow(1.0 + z, -2.0));
  }
}

TEST(GraduatedWeights, FirstWeightsRejectNothing) {
  for (const GraduatedLoss loss : kLosses) {
    for (const double max_z : {0.0, 0.5, 0.9, 2.0, 1e8}) {
      const GraduatedWeights weights(loss, max_z);
      EXPECT_GT(weights.Weight(max_z), 0.0) << max_z;
      EXPECT_LE(weights.Weight(max_z), 1.0) << max_z;
      EXPECT_EQ(weights.Weight(0.0), 1.0) << max_z;
    }
  }
}

TEST(GraduatedWeights, WeightsOfInliersAreOneFromTheStart) {
  GraduatedWeights weights(GraduatedLoss::kTruncatedSquares, 0.3);
  EXPECT_EQ(weights.Weight(0.3), 1.0);
}

}  // namespace
}  // namespace ceres::internal
