// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/testing/stress_watchdog.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "ceres/parallel/future.h"
#include "ceres/parallel/parallel_for.h"
#include "ceres/parallel/pool/pool_state.h"
#include "ceres/parallel/testing/parallel_test_util.h"
#include "ceres/parallel/thread_pool.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::parallel {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string PrintedLogs() {
  std::FILE* const file = std::tmpfile();
  OperationLogs::Print(file);
  std::string text(static_cast<std::size_t>(std::ftell(file)), '\0');
  std::rewind(file);
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  return text;
}

void Nest(int levels, std::string* printed) {
  if (levels == 0) {
    *printed = PrintedLogs();
    return;
  }
  const Operation operation("nested", static_cast<std::uint64_t>(levels));
  Nest(levels - 1, printed);
}

TEST(OperationLogs, TellWhatHasBegunOutermostFirst) {
  std::string printed;
  {
    const Operation outer("outer", 0x1f);
    const Operation inner("inner", 2);
    { const Operation ended("ended", 3); }
    std::thread([&] {
      const Operation other("other", 4);
      printed = PrintedLogs();
    }).join();
  }
  EXPECT_THAT(printed, HasSubstr(", 2 deep: outer(1f) inner(2)\n"));
  EXPECT_THAT(printed, HasSubstr(", 1 deep: other(4)\n"));
  EXPECT_THAT(printed, Not(HasSubstr("ended")));
  // The other thread is gone, and has given its place back.
  EXPECT_THAT(PrintedLogs(), Not(HasSubstr("other")));
}

TEST(OperationLogs, CountWhatIsDeeperThanTheyHold) {
  constexpr int kLevels = OperationLog::kMaxDepth + 6;
  std::string printed;
  Nest(kLevels, &printed);
  EXPECT_THAT(printed, HasSubstr(std::to_string(kLevels) + " deep: nested("));
  EXPECT_THAT(printed, HasSubstr("nested(7)\n"));
  EXPECT_THAT(PrintedLogs(), HasSubstr(" 0 deep:\n"));
}

// Three threads meet in a loop and never leave it. Operations go on ending
// until they have met.
[[noreturn]] void Stall() {
  const auto pool = MakeEagerPool(2);
  const Watchdog watchdog(std::chrono::seconds(1),
                          [&] { return pool->state().DebugString(); });
  std::atomic<int> num_met{0};
  const Operation operation("loop", 0xabc);
  ParallelFor(*pool, 0, 3,
              [&](int i) {
                num_met.fetch_add(1);
                while (num_met < 3) {
                  const Operation meeting("meeting", 0);
                  std::this_thread::sleep_for(std::chrono::milliseconds(1));
                }
                const Operation stalled("stalled piece",
                                        0x10 + static_cast<std::uint64_t>(i));
                while (true) {
                  std::this_thread::sleep_for(std::chrono::seconds(1));
                }
              },
              {0, 1, Schedule::kStatic});
  std::abort();
}

TEST(WatchdogDeathTest, TellsWhatEveryThreadIsAtWhenNothingEnds) {
  if (kThreadSanitizer) {
    GTEST_SKIP()
        << "ThreadSanitizer ends a process that starts threads after a fork.";
  }
  EXPECT_DEATH(
      Stall(),
      AllOf(HasSubstr("Nothing has ended for 1 s."),
            HasSubstr(", 2 deep: loop(abc) stalled piece("),
            HasSubstr(", 1 deep: stalled piece("),
            HasSubstr("stalled piece(10)"), HasSubstr("stalled piece(11)"),
            HasSubstr("stalled piece(12)"),
            // And the pool.
            HasSubstr("2 workers, limit 4096, awake 2, busy 2"),
            HasSubstr("threads 2, parked 0, retired 0"),
            HasSubstr("worker 0: at work"), HasSubstr("worker 1: at work")));
}

// A worker's step from one state to the next takes it a while.
void ExpectToSay(ThreadPool& pool, const std::string& text) {
  std::string said;
  const auto says = [&] {
    said = pool.state().DebugString();
    return said.find(text) != std::string::npos;
  };
  EXPECT_TRUE(Eventually(says)) << text << " is not in\n" << said;
}

TEST(PoolDebugString, TellsWhatEachWorkerIsAt) {
  const auto pool = MakeEagerPool(2);
  ExpectToSay(*pool, "not started: 2 workers");
  std::atomic<int> begun{0};
  std::atomic<bool> may_end{false};
  for (int k = 0; k < 2; ++k) {
    Detach(*pool, [&] {
      begun.fetch_add(1);
      EXPECT_TRUE(Eventually([&] { return may_end.load(); }));
    });
  }
  ASSERT_TRUE(Eventually([&] { return begun == 2; }));
  ExpectToSay(*pool, "worker 0: at work");
  ExpectToSay(*pool, "worker 1: at work");
  pool->Resize(1);
  ExpectToSay(*pool, "retired worker 1: leaving");
  may_end = true;
  ExpectToSay(*pool, "worker 0: asleep");
  ExpectToSay(*pool, "retired worker 1: gone");
}

}  // namespace
}  // namespace ceres::parallel
