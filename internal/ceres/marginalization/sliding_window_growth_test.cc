// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Work and memory of a frame of a SlidingWindow, by counts.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

#include "ceres/manifold.h"
#include "ceres/marginalization/drive_test_utils.h"
#include "ceres/problem.h"
#include "ceres/sliding_window.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

// Counts the bytes of memory in use. Each piece has its size in front.
std::atomic<long> bytes_in_use{0};
constexpr std::size_t kFront = 16;

void* operator new(std::size_t size) {
  void* memory = std::malloc(size + kFront);
  if (memory == nullptr) throw std::bad_alloc();
  *static_cast<std::size_t*>(memory) = size;
  bytes_in_use += static_cast<long>(size);
  return static_cast<char*>(memory) + kFront;
}
void operator delete(void* memory) noexcept {
  if (memory == nullptr) return;
  void* const front = static_cast<char*>(memory) - kFront;
  bytes_in_use -= static_cast<long>(*static_cast<std::size_t*>(front));
  std::free(front);
}
void operator delete(void* memory, std::size_t) noexcept {
  operator delete(memory);
}

namespace ceres {
namespace {

using internal::Drive;

TEST(SlidingWindowGrowthTest, WorkAndMemoryOfAFrameDoNotGrow) {
  for (const bool first_estimates : {false, true}) {
    MarginalizationOptions options;
    options.first_estimate_jacobians = first_estimates;
    Drive drive(options);
    for (int k = 0; k < 100; ++k) ASSERT_TRUE(drive.NextFrame());
    Problem* const problem = drive.window.problem();
    const int num_parameter_blocks = problem->NumParameterBlocks();
    const int num_residual_blocks = problem->NumResidualBlocks();
    const int num_residuals = problem->NumResiduals();
    const int rank = drive.window.last_marginalization().rank;
    long most_calls = 0;
    for (int k = 0; k < 100; ++k) {
      const long before = drive.num_calls;
      ASSERT_TRUE(drive.NextFrame());
      most_calls = std::max(most_calls, drive.num_calls - before);
    }
    const long bytes_before = bytes_in_use;
    for (int k = 0; k < 2000; ++k) {
      const long before = drive.num_calls;
      ASSERT_TRUE(drive.NextFrame());
      EXPECT_LE(drive.num_calls - before, most_calls) << k;
      EXPECT_EQ(problem->NumParameterBlocks(), num_parameter_blocks);
      EXPECT_EQ(problem->NumResidualBlocks(), num_residual_blocks);
      EXPECT_EQ(problem->NumResiduals(), num_residuals);
      EXPECT_EQ(drive.window.last_marginalization().rank, rank);
      ASSERT_FALSE(testing::Test::HasFailure());
    }
    // Containers may have grown; a frame leaves nothing behind.
    EXPECT_LE(bytes_in_use, bytes_before + 8192);
    // The drive is along the x axis. Nothing has drifted away.
    EXPECT_NEAR(drive.poses.back()[0], drive.frame - 1.0, 5.0);
  }
}

TEST(SlidingWindowGrowthTest, ManifoldsThatAreSharedTakeNoMemoryOfAFrame) {
  SlidingWindow window;
  auto* a = new SubsetManifold(2, {0});
  auto* b = new SubsetManifold(2, {1});
  double x[2], y[2];
  long before = 0;
  for (int k = 0; k < 20000; ++k) {
    if (k == 10000) before = bytes_in_use;
    window.problem()->AddParameterBlock(x, 2, a);
    window.problem()->AddParameterBlock(y, 2, b);
    window.Add(x, k);
    window.Add(y, k);
    ASSERT_TRUE(window.Advance(k + 1, 0.5));
  }
  EXPECT_LE(bytes_in_use, before);
}

}  // namespace
}  // namespace ceres
