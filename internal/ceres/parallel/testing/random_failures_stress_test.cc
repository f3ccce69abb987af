// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Random programs (random_program.h) while the system fails: allocations throw
// std::bad_alloc, threads do not start, another thread changes the affinity
// masks, and all of this at once. A program repeats each call that has no
// memory; nothing may be lost, run twice, or hang.
//
// VESTA_STRESS_SECONDS sets how long each test runs (default: a few seconds);
// VESTA_STRESS_SEED where it begins.

#include "ceres/base/platform.h"

#if defined(CERES_SYSTEM_LINUX) && defined(__GLIBC__)

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "ceres/base/testing/failing_allocations.h"
#include "ceres/parallel/pool/pool_state.h"
#include "ceres/parallel/testing/changing_masks.h"
#include "ceres/parallel/testing/failing_threads.h"
#include "ceres/parallel/testing/parallel_test_util.h"
#include "ceres/parallel/testing/random_program.h"
#include "ceres/parallel/testing/test_hosts.h"
#include "gtest/gtest.h"

namespace ceres::parallel {
namespace {

using testing_internal::allocations;
using testing_internal::thread_starts;

std::int64_t Setting(const char* name, std::int64_t otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr ? std::atoll(value) : otherwise;
}

using Clock = std::chrono::steady_clock;

Clock::time_point EndOfTest() {
  return Clock::now() +
         std::chrono::seconds(Setting("VESTA_STRESS_SECONDS", 2));
}

struct System {
  const char* name;
  unsigned allocation_period;  // One in this number fails; 0: none.
  unsigned thread_period;
  bool changes_masks;
  std::size_t stack_of_callers;  // 0: the default.
};

// Smaller stacks are half used now and then: then a wait goes on on another
// one. Sanitizers need more stack, and do not allow another one.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr std::size_t kSmallStack = 0;
#else
constexpr std::size_t kSmallStack = 96 << 10;
#endif

constexpr System kSystems[] = {
    {"LittleMemory", 20, 0, false, 0},
    {"HardlyAnyMemory", 3, 0, false, 0},
    {"FewThreads", 0, 3, false, 0},
    {"NoThreads", 0, 1, false, kSmallStack},
    {"OtherMasks", 0, 0, true, 0},
    {"SmallStacks", 10, 2, false, kSmallStack},
    {"EverythingAtOnce", 6, 3, true, kSmallStack},
};

// A thread with a stack of this size.
class Caller {
 public:
  Caller(std::size_t stack, std::function<void()> main)
      : main_(std::move(main)) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    if (stack > 0) pthread_attr_setstacksize(&attributes, stack);
    EXPECT_EQ(pthread_create(&thread_, &attributes, &Main, this), 0);
    pthread_attr_destroy(&attributes);
  }
  ~Caller() { pthread_join(thread_, nullptr); }
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;

 private:
  static void* Main(void* caller) {
    static_cast<Caller*>(caller)->main_();
    return nullptr;
  }
  const std::function<void()> main_;
  pthread_t thread_ = 0;
};

class RandomFailures : public ::testing::TestWithParam<System> {
 protected:
  ~RandomFailures() override { Repair(); }

  static void Break() {
    allocations.FailOneOf(GetParam().allocation_period);
    thread_starts.FailOneOf(GetParam().thread_period);
  }
  static void Repair() {
    allocations.FailOneOf(0);
    thread_starts.FailOneOf(0);
  }

  // What the test itself makes has memory.
  struct World {
    RefusingHost refusing;
    InlineHost inline_host;
    UnreliableHost threads;
    std::vector<std::unique_ptr<Caller>> callers;
  };

  void RunRound(std::uint64_t round, std::int64_t pieces);
};
INSTANTIATE_TEST_SUITE_P(Systems, RandomFailures, ::testing::ValuesIn(kSystems),
                         [](const ::testing::TestParamInfo<System>& info)
                             -> std::string { return info.param.name; });

// Changes the pool from outside until the program is done.
void Disturb(ThreadPool* pool, const RandomProgram& program,
             std::uint64_t seed) {
  std::mt19937_64 random(seed);
  while (!program.IsDone()) {
    Insist([&] { pool->Resize(static_cast<int>(random() % 7)); });
    Insist([&] { pool->EnsureMinimumWorkers(static_cast<int>(random() % 5)); });
    pool->SetRunningLimit(random() % 2 == 0 ? 0 : 64);
    pool->SetSharing(random() % 2 == 0 ? Sharing::kAlways
                                       : Sharing::kWhenItPays);
    Insist([] { const ThreadPool other(2); });
    std::this_thread::sleep_for(std::chrono::microseconds(300));
  }
}

void RandomFailures::RunRound(std::uint64_t round, std::int64_t pieces) {
  const auto seed =
      static_cast<std::uint64_t>(Setting("VESTA_STRESS_SEED", 1)) * 1000003 +
      round;
  World world;
  std::optional<ChangingMasks> masks;
  if (GetParam().changes_masks) masks.emplace(static_cast<unsigned>(seed));
  Break();
  std::optional<ThreadPool> pool;
  Insist([&] { pool.emplace(static_cast<int>(round % 4)); });
  std::optional<Watchdog> watchdog;
  std::optional<RandomProgram> program;
  WithoutFailures([&] {
    watchdog.emplace(std::chrono::seconds(kThreadSanitizer ? 150 : 60),
                     [&state = pool->state()] { return state.DebugString(); });
    program.emplace(*pool,
                    std::vector<Executor*>{&world.refusing, &world.inline_host,
                                           &world.threads},
                    pieces);
    for (std::uint64_t k = 0; k < 3; ++k) {
      world.callers.push_back(std::make_unique<Caller>(
          GetParam().stack_of_callers, [&program, k, seed] {
            std::mt19937_64 random(seed * 64 + k);
            while (!program->IsDone()) program->RunOutermost(random());
          }));
    }
  });
  Disturb(&*pool, *program, seed);
  world.callers.clear();
  program->Finish();
  pool.reset();
  Repair();
  EXPECT_EQ(program->num_failures(), 0) << "round " << round;
  if (masks) {
    EXPECT_EQ(masks->Stop(), 0) << "round " << round;
  }
}

TEST_P(RandomFailures, LoseNothing) {
  // Counting CPUs takes many allocations, once in a process.
  const ThreadPool first(1);
  const auto end = EndOfTest();
  const std::int64_t failed = allocations.num_failed();
  const std::int64_t not_started = thread_starts.num_failed();
  std::uint64_t round = 0;
  do {
    RunRound(round++, kThreadSanitizer ? 300 : 1000);
  } while (Clock::now() < end && !HasFailure());
  std::printf("%d rounds, %lld allocations and %lld threads failed\n",
              static_cast<int>(round),
              static_cast<long long>(allocations.num_failed() - failed),
              static_cast<long long>(thread_starts.num_failed() - not_started));
  EXPECT_EQ(allocations.num_failed() > failed,
            GetParam().allocation_period > 0);
  EXPECT_EQ(thread_starts.num_failed() > not_started,
            GetParam().thread_period > 0);
}

#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
// In a child of a fork, where memory and threads still fail: the pool of the
// parent, and one of its own. (The default pool would count the CPUs.)
int ProgramOfChild(ThreadPool* pool, std::uint64_t seed) {
  alarm(60);
  std::optional<ThreadPool> own;
  Insist([&] { own.emplace(2); });
  std::mt19937_64 random(seed);
  int failures = 0;
  for (ThreadPool* each : {pool, &*own}) {
    RandomProgram program(*each, {}, 30);
    while (!program.IsDone()) program.RunOutermost(random());
    program.Finish();
    failures += program.num_failures();
  }
  return failures == 0 ? 0 : 1;
}

TEST(RandomFailuresOfChildren, LoseNothingAfterAFork) {
  const auto seed = static_cast<std::uint64_t>(Setting("VESTA_STRESS_SEED", 1))
                    << 32;
  // A child would wait for the guard of a variable that another thread makes.
  OperationLogs::OfThisThread();
  ThreadPool pool(3);
  pool.SetRunningLimit(64);
  RandomProgram program(pool, {}, std::int64_t{1} << 40);
  std::atomic<bool> stop{false};
  std::vector<std::thread> callers;
  for (std::uint64_t k = 0; k < 2; ++k) {
    callers.emplace_back([&, k] {
      std::mt19937_64 random(seed + k);
      while (!stop) program.RunOutermost(random());
    });
  }
  const auto end = EndOfTest();
  int bad_status = 0;
  for (std::uint64_t round = 0; bad_status == 0 && Clock::now() < end;
       ++round) {
    allocations.FailOneOf(10);
    thread_starts.FailOneOf(3);
    const pid_t child = fork();
    if (child == 0) _exit(ProgramOfChild(&pool, seed + 100 + round));
    int status = -1;
    if (child > 0) waitpid(child, &status, 0);
    bad_status = status;
  }
  allocations.FailOneOf(0);
  thread_starts.FailOneOf(0);
  EXPECT_EQ(bad_status, 0);
  stop = true;
  for (std::thread& caller : callers) caller.join();
  program.Finish();
  EXPECT_EQ(program.num_failures(), 0);
}
#endif

}  // namespace
}  // namespace ceres::parallel

#endif
