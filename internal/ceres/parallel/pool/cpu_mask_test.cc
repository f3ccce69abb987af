// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/pool/cpu_mask.h"

#include <chrono>
#include <future>
#include <thread>

#include "ceres/base/platform.h"
#include "gtest/gtest.h"

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
  CpuMask others;
  others.Add(64);
  others.Add(65);
  mask.Remove(others);
  EXPECT_EQ(mask.Count(), 2);
  EXPECT_FALSE(mask.Has(64));
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
    EXPECT_TRUE(mask->Has(CurrentCpu()));
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
    EXPECT_EQ(CurrentCpu(), last);
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

// A thread that sleeps until it is to tell where it woke.
class Sleeper {
 public:
  Sleeper() { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }
  ThreadHandle handle() { return thread_.native_handle(); }

  int WakeAndTellCpu() {
    wake_.set_value();
    thread_.join();
    return cpu_;
  }

 private:
  std::promise<void> wake_;
  int cpu_ = -1;
  std::thread thread_{[this] {
    wake_.get_future().wait();
    cpu_ = CurrentCpu();
  }};
};

TEST(ExcludeCpus, ASleeperWakesElsewhere) {
  const auto mine = CpuMask::Of(ThisThread());
  ASSERT_TRUE(mine);
  if (mine->Count() == 1) GTEST_SKIP() << "There is one cpu only.";
  for (int k = 0; k < mine->Count(); ++k) {
    Sleeper sleeper;
    CpuMask all_but_one = *mine;
    CpuMask one;
    one.Add(mine->At(k));
    all_but_one.Remove(one);
    const auto before = ExcludeCpus(all_but_one, sleeper.handle());
    EXPECT_EQ(before, mine);
    EXPECT_EQ(CpuMask::Of(sleeper.handle()), one);
    EXPECT_EQ(sleeper.WakeAndTellCpu(), mine->At(k));
  }
}

TEST(ExcludeCpus, WhereNoneIsLeftNothingChanges) {
  const auto mine = CpuMask::Of(ThisThread());
  ASSERT_TRUE(mine);
  Sleeper sleeper;
  EXPECT_FALSE(ExcludeCpus(*mine, sleeper.handle()));
  EXPECT_EQ(CpuMask::Of(sleeper.handle()), mine);
  EXPECT_GE(sleeper.WakeAndTellCpu(), 0);
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
  EXPECT_FALSE(ExcludeCpus(CpuMask(), ThisThread()));
  EXPECT_EQ(CurrentCpu(), -1);
}

#endif

}  // namespace
}  // namespace ceres::parallel::detail
