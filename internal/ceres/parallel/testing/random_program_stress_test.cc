// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Random programs (random_program.h) on pools that are resized, and made and
// destroyed, meanwhile, with foreign hosts, from several threads, and in the
// children of forks. Made to be run under sanitizers.
//
// VESTA_STRESS_SECONDS sets how long each test runs (default: a few seconds);
// VESTA_STRESS_SEED where it begins.

#include "ceres/base/platform.h"

#if defined(CERES_SYSTEM_POSIX)
#include <sys/wait.h>
#include <unistd.h>
#endif

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <random>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

#include "ceres/parallel/pool/pool_state.h"
#include "ceres/parallel/testing/parallel_test_util.h"
#include "ceres/parallel/testing/random_program.h"
#include "ceres/parallel/testing/test_hosts.h"
#include "gtest/gtest.h"

namespace ceres::parallel {
namespace {

using Clock = std::chrono::steady_clock;

std::int64_t Setting(const char* name, std::int64_t otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr ? std::atoll(value) : otherwise;
}

Clock::time_point EndOfTest() {
  return Clock::now() +
         std::chrono::seconds(Setting("VESTA_STRESS_SECONDS", 5));
}

// Odd, so that programs of several threads and rounds do not repeat.
std::uint64_t SeedOf(std::uint64_t thread, std::uint64_t round) {
  const auto first =
      static_cast<std::uint64_t>(Setting("VESTA_STRESS_SEED", 1));
  return ((first * 64 + thread) * 0x100000001b3u + round) * 0x9E3779B97F4A7C15u;
}

std::unique_ptr<Watchdog> Watch(ThreadPool& pool) {
  return std::make_unique<Watchdog>(
      std::chrono::seconds(kThreadSanitizer ? 150 : 60),
      [&pool] { return pool.state().DebugString(); });
}

// Changes the pool from outside until the program is done.
void Disturb(ThreadPool* pool, const RandomProgram& program) {
  std::mt19937 random(1);
  while (!program.IsDone()) {
    pool->Resize(static_cast<int>(random() % 7));
    if (random() % 4 == 0) {
      pool->EnsureMinimumWorkers(static_cast<int>(random() % 5));
    }
    if (random() % 4 == 0) {
      pool->SetRunningLimit(random() % 2 == 0 ? 0 : 64);
      pool->SetSharing(random() % 2 == 0 ? Sharing::kAlways
                                         : Sharing::kWhenItPays);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(300));
  }
}

TEST(RandomPrograms, OfSeveralThreadsOnAPoolThatIsResized) {
  constexpr std::int64_t kPieces = kThreadSanitizer ? 2000 : 10000;
  const Clock::time_point end = EndOfTest();
  for (std::uint64_t round = 0; Clock::now() < end && !HasFailure(); ++round) {
    RefusingHost refusing;
    InlineHost inline_host;
    ThreadPool pool(3);
    const auto watchdog = Watch(pool);
    ForwardingHost forwarding(pool);
    {
      UnreliableHost threads;
      RandomProgram program(
          pool, {&refusing, &inline_host, &threads, &forwarding}, kPieces);
      program.SetForwarding(&forwarding);
      std::vector<std::thread> callers;
      for (std::uint64_t k = 0; k < 3; ++k) {
        callers.emplace_back([&program, k, round] {
          for (std::uint64_t n = 0; !program.IsDone(); ++n) {
            program.RunOutermost(SeedOf(k, (round << 32) + n));
          }
        });
      }
      Disturb(&pool, program);
      for (std::thread& caller : callers) caller.join();
      program.Finish();
      EXPECT_EQ(program.num_failures(), 0) << "round " << round;
      EXPECT_GT(program.num_thrown(), 0);
    }
  }
}

TEST(RandomPrograms, OnPoolsThatAreMadeAndDestroyed) {
  const Clock::time_point end = EndOfTest();
  for (std::uint64_t round = 0; Clock::now() < end && !HasFailure(); ++round) {
    std::vector<std::thread> callers;
    std::atomic<int> failures{0};
    for (std::uint64_t k = 0; k < 2; ++k) {
      callers.emplace_back([&failures, k, round] {
        ThreadPool pool(static_cast<int>((round + k) % 5));
        if (round % 3 == 0) {
          pool.SetRunningLimit(64);
          pool.SetSharing(Sharing::kAlways);
        }
        const auto watchdog = Watch(pool);
        RandomProgram program(pool, {}, 40);
        for (std::uint64_t n = 0; !program.IsDone(); ++n) {
          program.RunOutermost(SeedOf(k, (round << 32) + n));
        }
        program.Finish();
        failures.fetch_add(program.num_failures());
      });
    }
    for (std::thread& caller : callers) caller.join();
    EXPECT_EQ(failures, 0) << "round " << round;
  }
}

#if defined(CERES_SYSTEM_POSIX)
// In a child: the pool of the parent, one of its own, and the default one.
int ProgramOfChild(ThreadPool* pool, std::uint64_t seed) {
  alarm(kThreadSanitizer ? 120 : 60);
  ThreadPool own(2);
  int failures = 0;
  for (ThreadPool* each : {pool, &own, &ThreadPool::Default()}) {
    RandomProgram program(*each, {}, 30);
    for (std::uint64_t n = 0; !program.IsDone(); ++n) {
      program.RunOutermost(SeedOf(9, seed + n));
    }
    program.Finish();
    failures += program.num_failures();
  }
  return failures == 0 ? 0 : 1;
}

// The allocator of AddressSanitizer leaves locked to the child what another
// thread held (GCC 12): there, nobody may allocate while the process forks.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kForksInSilence = true;
#else
constexpr bool kForksInSilence = false;
#endif

TEST(RandomPrograms, GoOnInParentAndChildOfAFork) {
  if (kThreadSanitizer) {
    GTEST_SKIP()
        << "ThreadSanitizer ends a process that starts threads after a fork.";
  }
  const Clock::time_point end = EndOfTest();
  ThreadPool pool(3);
  pool.SetRunningLimit(64);
  const auto watchdog = Watch(pool);
  RandomProgram program(pool, {}, std::int64_t{1} << 40);
  std::atomic<bool> stop{false};
  std::shared_mutex silence;
  std::atomic<bool> hush{false};  // Readers go before writers.
  std::vector<std::thread> callers;
  for (std::uint64_t k = 0; k < 2; ++k) {
    callers.emplace_back([&, k] {
      for (std::uint64_t n = 0; !stop; ++n) {
        while (hush) std::this_thread::yield();
        const std::shared_lock<std::shared_mutex> lock(silence);
        program.RunOutermost(SeedOf(k, n));
      }
    });
  }
  for (std::uint64_t round = 0; Clock::now() < end && !HasFailure(); ++round) {
    std::unique_lock<std::shared_mutex> lock(silence, std::defer_lock);
    if (kForksInSilence) {
      hush = true;
      lock.lock();
      hush = false;
      pool.WaitForAll();
    }
    const pid_t child = fork();
    if (child == 0) _exit(ProgramOfChild(&pool, round << 32));
    if (lock.owns_lock()) lock.unlock();
    EXPECT_GT(child, 0);
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0)
        << "status " << status << " in round " << round;
  }
  stop = true;
  for (std::thread& caller : callers) caller.join();
  program.Finish();
  EXPECT_EQ(program.num_failures(), 0);
}
#endif

}  // namespace
}  // namespace ceres::parallel
