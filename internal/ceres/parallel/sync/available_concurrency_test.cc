// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/available_concurrency.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "ceres/base/platform.h"
#include "ceres/parallel/sync/cgroup.h"
#include "gtest/gtest.h"

#if defined(CERES_SYSTEM_LINUX)
#include <sched.h>
#endif

namespace ceres::parallel {
namespace {

using detail::CgroupCpuLimit;
using detail::kNoLimit;

// A folder that stands for /sys/fs/cgroup.
class CgroupTest : public ::testing::Test {
 protected:
  CgroupTest() {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    root_ = std::filesystem::path(::testing::TempDir()) /
            (std::string("vesta_cgroup_") + info->name());
    std::filesystem::remove_all(root_);
    std::filesystem::create_directories(root_);
  }
  ~CgroupTest() override { std::filesystem::remove_all(root_); }

  void Write(const std::string& path, const std::string& text) {
    const std::filesystem::path file = root_ / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }

  int Limit(const std::string& proc_self_cgroup) const {
    return CgroupCpuLimit(proc_self_cgroup, root_.string());
  }

 private:
  std::filesystem::path root_;
};

TEST_F(CgroupTest, Version2QuotaIsRoundedUp) {
  Write("app/cpu.max", "150000 100000\n");
  EXPECT_EQ(Limit("0::/app\n"), 2);
}

TEST_F(CgroupTest, Version2WholeQuotaIsNotRoundedFurther) {
  Write("app/cpu.max", "300000 100000\n");
  EXPECT_EQ(Limit("0::/app\n"), 3);
}

TEST_F(CgroupTest, SmallQuotaLeavesOneCpu) {
  Write("app/cpu.max", "5000 100000\n");
  EXPECT_EQ(Limit("0::/app\n"), 1);
}

TEST_F(CgroupTest, Version2MaxDoesNotLimit) {
  Write("app/cpu.max", "max 100000\n");
  EXPECT_EQ(Limit("0::/app\n"), kNoLimit);
}

TEST_F(CgroupTest, GroupsAboveLimitToo) {
  Write("a/b/c/cpu.max", "max 100000\n");
  Write("a/b/cpu.max", "800000 100000\n");
  Write("a/cpu.max", "400000 100000\n");
  EXPECT_EQ(Limit("0::/a/b/c\n"), 4);
}

TEST_F(CgroupTest, RootOfContainerLimits) {
  Write("cpu.max", "200000 100000\n");
  EXPECT_EQ(Limit("0::/\n"), 2);
  EXPECT_EQ(Limit("0::/not/visible/here\n"), 2);
}

TEST_F(CgroupTest, Version1Quota) {
  Write("cpu,cpuacct/docker/1/cpu.cfs_quota_us", "250000\n");
  Write("cpu,cpuacct/docker/1/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(Limit("5:memory:/docker/1\n4:cpu,cpuacct:/docker/1\n"), 3);
}

TEST_F(CgroupTest, Version1FolderMayBearOneName) {
  Write("cpu/x/cpu.cfs_quota_us", "100000\n");
  Write("cpu/x/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(Limit("4:cpu,cpuacct:/x\n"), 1);
}

TEST_F(CgroupTest, Version1WithoutQuotaDoesNotLimit) {
  Write("cpu/cpu.cfs_quota_us", "-1\n");
  Write("cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(Limit("1:cpu:/\n"), kNoLimit);
}

TEST_F(CgroupTest, Version1OtherControllersDoNotLimit) {
  Write("cpuset/x/cpu.cfs_quota_us", "100000\n");
  Write("cpuset/x/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(Limit("3:cpuset:/x\n"), kNoLimit);
}

TEST_F(CgroupTest, UnreadableTextDoesNotLimit) {
  Write("app/cpu.max", "many 100000\n");
  EXPECT_EQ(Limit("0::/app\n"), kNoLimit);
  EXPECT_EQ(Limit(""), kNoLimit);
  EXPECT_EQ(Limit("nonsense\n::\n:"), kNoLimit);
  EXPECT_EQ(Limit("0::/absent\n"), kNoLimit);
}

TEST(AvailableConcurrency, IsBetweenOneAndTheHardware) {
  EXPECT_GE(AvailableConcurrency(), 1);
  const int hardware = static_cast<int>(std::thread::hardware_concurrency());
  EXPECT_TRUE(hardware == 0 || AvailableConcurrency() <= hardware);
}

#if defined(CERES_SYSTEM_LINUX)
TEST(AvailableConcurrency, RespectsTheAffinityMask) {
  std::thread([] {
    cpu_set_t mask;
    ASSERT_EQ(sched_getaffinity(0, sizeof(mask), &mask), 0);
    int cpu = 0;
    while (!CPU_ISSET(cpu, &mask)) ++cpu;
    CPU_ZERO(&mask);
    CPU_SET(cpu, &mask);
    ASSERT_EQ(sched_setaffinity(0, sizeof(mask), &mask), 0);
    EXPECT_EQ(AvailableConcurrency(), 1);
  }).join();
}
#endif

}  // namespace
}  // namespace ceres::parallel
