// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/sync/cpu_mask.h"

#include <thread>

#include "ceres/base/platform.h"
#include "gtest/gtest.h"

#if defined(CERES_SYSTEM_LINUX)
#include <sched.h>
#endif

namespace ceres::parallel::detail {
namespace {

TEST(CpuMask, IsASet) {
  CpuMask mask;
  EXPECT_EQ(mask.Count(), 0);
  for (const int cpu : {3, 3, 64, CpuMask::kMaxCpus - 1}) mask.Add(cpu);
  EXPECT_EQ(mask.Count(), 3);
  EXPECT_EQ(mask.At(0), 3);
  EXPECT_EQ(mask.At(1), 64);
  EXPECT_EQ(mask.At(2), CpuMask::kMaxCpus - 1);
  EXPECT_FALSE(mask.Has(4));
}

#if defined(CERES_SYSTEM_LINUX)

// Masks belong to threads, so that each test has one of its own.
template <typename F>
void InThread(const F& f) {
  std::thread(f).join();
}

TEST(CpuMask, KnowsWhereThisThreadMayRun) {
  InThread([] {
    const auto mask = CpuMask::Of(ThisThread());
    ASSERT_TRUE(mask);
    EXPECT_GE(mask->Count(), 1);
    EXPECT_TRUE(mask->Has(sched_getcpu()));
    for (int k = 0; k < mask->Count(); ++k) EXPECT_TRUE(mask->Has(mask->At(k)));
  });
}

TEST(CpuMask, KeepsAThreadOnOneCpu) {
  InThread([] {
    const auto mask = CpuMask::Of(ThisThread());
    ASSERT_TRUE(mask);
    const int last = mask->At(mask->Count() - 1);
    CpuMask one;
    one.Add(last);
    ASSERT_TRUE(one.ApplyTo(ThisThread()));
    EXPECT_EQ(sched_getcpu(), last);
    EXPECT_EQ(CpuMask::Of(ThisThread()), one);
  });
}

TEST(CpuMask, AnEmptySetIsRefused) {
  InThread([] {
    const auto before = CpuMask::Of(ThisThread());
    ASSERT_TRUE(before);
    EXPECT_FALSE(CpuMask().ApplyTo(ThisThread()));
    EXPECT_EQ(CpuMask::Of(ThisThread()), before);
  });
}

#elif defined(CERES_SYSTEM_WINDOWS)

TEST(CpuMask, KeepsThisThreadOnOneCpu) {
  std::thread([] {
    const auto mask = CpuMask::Of(ThisThread());
    ASSERT_TRUE(mask);
    ASSERT_GE(mask->Count(), 1);
    CpuMask one;
    one.Add(mask->At(mask->Count() - 1));
    ASSERT_TRUE(one.ApplyTo(ThisThread()));
    EXPECT_EQ(CpuMask::Of(ThisThread()), one);
  }).join();
}

#else

TEST(CpuMask, IsNotKnown) {
  EXPECT_FALSE(CpuMask::Of(ThisThread()));
  EXPECT_FALSE(CpuMask().ApplyTo(ThisThread()));
}

#endif

}  // namespace
}  // namespace ceres::parallel::detail
