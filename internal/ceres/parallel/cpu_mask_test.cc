// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/cpu_mask.h"

#include <thread>

#include "gtest/gtest.h"

namespace ceres::parallel::detail {
namespace {

#if defined(__linux__)

// Masks belong to threads, so that each test has one of its own.
template <typename F>
void InThread(const F& f) {
  std::thread(f).join();
}

TEST(CpuMask, KnowsWhereThisThreadMayRun) {
  InThread([] {
    const auto mask = CpuMask::OfThisThread();
    ASSERT_TRUE(mask);
    EXPECT_GE(mask->Count(), 1);
    EXPECT_TRUE(mask->Has(CurrentCpu()));
    for (int k = 0; k < mask->Count(); ++k) EXPECT_TRUE(mask->Has(mask->At(k)));
  });
}

TEST(CpuMask, KeepsAThreadOnOneCpu) {
  InThread([] {
    const auto mask = CpuMask::OfThisThread();
    ASSERT_TRUE(mask);
    const int last = mask->At(mask->Count() - 1);
    CpuMask one;
    one.Add(last);
    ASSERT_TRUE(one.ApplyToThisThread());
    EXPECT_EQ(CurrentCpu(), last);
    EXPECT_EQ(CpuMask::OfThisThread(), one);
  });
}

TEST(CpuMask, IsASet) {
  CpuMask mask;
  EXPECT_EQ(mask.Count(), 0);
  for (const int cpu : {3, 3, 64, CpuMask::kMaxCpus - 1}) mask.Add(cpu);
  EXPECT_EQ(mask.Count(), 3);
  EXPECT_EQ(mask.At(0), 3);
  EXPECT_EQ(mask.At(1), 64);
  EXPECT_EQ(mask.At(2), CpuMask::kMaxCpus - 1);
  EXPECT_FALSE(mask.Has(4));
  CpuMask others;
  others.Add(64);
  others.Add(65);
  mask.Remove(others);
  EXPECT_EQ(mask.Count(), 2);
  EXPECT_FALSE(mask.Has(64));
}

TEST(CpuMask, AnEmptySetIsRefused) {
  InThread([] {
    const auto before = CpuMask::OfThisThread();
    ASSERT_TRUE(before);
    EXPECT_FALSE(CpuMask().ApplyToThisThread());
    EXPECT_EQ(CpuMask::OfThisThread(), before);
  });
}

TEST(LeaveCpus, MovesAndLeavesTheMaskAsItWas) {
  InThread([] {
    const auto mask = CpuMask::OfThisThread();
    ASSERT_TRUE(mask);
    if (mask->Count() == 1) GTEST_SKIP() << "There is one cpu only.";
    // The system may put the thread back at any time.
    bool is_elsewhere = false;
    for (int attempt = 0; attempt < 100 && !is_elsewhere; ++attempt) {
      const int before = CurrentCpu();
      CpuMask taken;
      taken.Add(before);
      ASSERT_TRUE(LeaveCpus(taken));
      is_elsewhere = CurrentCpu() != before;
      EXPECT_EQ(CpuMask::OfThisThread(), mask);
    }
    EXPECT_TRUE(is_elsewhere);
  });
}

TEST(LeaveCpus, StaysWhereNoCpuIsLeft) {
  InThread([] {
    const auto mask = CpuMask::OfThisThread();
    ASSERT_TRUE(mask);
    EXPECT_FALSE(LeaveCpus(*mask));
    EXPECT_EQ(CpuMask::OfThisThread(), mask);
  });
}

#else

TEST(CpuMask, IsNotKnown) {
  EXPECT_FALSE(CpuMask::OfThisThread());
  EXPECT_EQ(CurrentCpu(), -1);
  EXPECT_FALSE(LeaveCpus(CpuMask()));
}

#endif

}  // namespace
}  // namespace ceres::parallel::detail
