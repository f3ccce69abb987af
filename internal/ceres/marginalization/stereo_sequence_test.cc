// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Windows with many landmarks, which leave in large groups: the priors are
// large, and blocks that share a prior are eliminated together.

#include "ceres/internal/eigen.h"
#include "ceres/marginalization/dense_marginal_test_utils.h"
#include "ceres/marginalization/stereo_sequence_test_utils.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

constexpr int kNumSeen = 60;
constexpr int kNumLost = 15;

// The information A'A and A'b of the priors of the frames, one below the other.
struct Priors {
  std::vector<Eigen::MatrixXd> roots;
  std::vector<MarginalizationSummary> summaries;
};

Priors Drive(const MarginalizationOptions& options, int num_seen, int num_lost,
             int num_frames) {
  StereoSequence sequence(options, num_seen, num_lost);
  Priors priors;
  for (int k = 0; k < num_frames; ++k) {
    sequence.AddFrame();
    EXPECT_TRUE(sequence.Advance());
    const MarginalizationSummary& summary =
        sequence.window.last_marginalization();
    if (summary.prior == nullptr) continue;
    const LinearizedPrior& prior = PriorOf(*sequence.window.problem(), summary);
    Eigen::MatrixXd root(prior.A().rows(), prior.A().cols() + 1);
    root << prior.A(), prior.b();
    priors.roots.push_back(root);
    priors.summaries.push_back(summary);
  }
  return priors;
}

TEST(StereoSequence, LeavesTheGaugeUndetermined) {
  const Priors priors = Drive({}, kNumSeen, kNumLost, 12);
  ASSERT_EQ(priors.summaries.size(), 7u);
  for (const MarginalizationSummary& summary : priors.summaries) {
    EXPECT_EQ(summary.neighbours.size(), 1u * (kNumSeen - kNumLost));
    EXPECT_EQ(summary.num_columns - summary.rank, 6);
    EXPECT_EQ(summary.eliminated_rank, summary.num_eliminated_columns);
  }
}

TEST(StereoSequence, HasTheSamePriorsByBothMethods) {
  MarginalizationOptions schur;
  schur.method = MarginalizationMethod::kSchurComplement;
  const Priors by_rows = Drive({}, kNumSeen, kNumLost, 8);
  const Priors by_normal = Drive(schur, kNumSeen, kNumLost, 8);
  ASSERT_EQ(by_rows.roots.size(), by_normal.roots.size());
  for (std::size_t k = 0; k < by_rows.roots.size(); ++k) {
    const Eigen::MatrixXd& a = by_rows.roots[k];
    const Eigen::MatrixXd& b = by_normal.roots[k];
    const int n = static_cast<int>(a.cols()) - 1;
    const Eigen::MatrixXd difference =
        (a.transpose() * a - b.transpose() * b).leftCols(n);
    EXPECT_LE(difference.norm(), 1e-8 * a.leftCols(n).squaredNorm()) << k;
  }
}

TEST(StereoSequence, HasTheSameBitsForAllThreads) {
  const Priors serial = Drive({}, kNumSeen, kNumLost, 7);
  for (const int num_threads : {2, 3, 4, 8}) {
    MarginalizationOptions options;
    options.num_threads = num_threads;
    const Priors parallel = Drive(options, kNumSeen, kNumLost, 7);
    ASSERT_EQ(parallel.roots.size(), serial.roots.size());
    for (std::size_t k = 0; k < serial.roots.size(); ++k) {
      EXPECT_EQ(parallel.roots[k], serial.roots[k]) << num_threads;
    }
  }
}

}  // namespace
}  // namespace ceres::internal
