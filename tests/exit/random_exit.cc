// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Processes that call exit() at a random point of a random program, on a pool
// with static lifetime, end with the exit code that they gave: in a loop, a
// task or a fork, or in a thread beside the program; also while allocations and
// starts of threads fail, and affinity masks change. Runs itself again and
// again, each time with another seed. Usage: random_exit [SEED]   without SEED:
// many processes, one after the other VESTA_STRESS_SECONDS sets for how long;
// VESTA_STRESS_SEED where it begins. EMULATOR is the program that starts it, if
// the kernel cannot.

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "ceres/base/testing/failing_allocations.h"
#include "ceres/parallel/future.h"
#include "ceres/parallel/testing/changing_masks.h"
#include "ceres/parallel/testing/random_program.h"
#include "ceres/parallel/thread_pool.h"

#if defined(__GLIBC__)
#include "ceres/parallel/testing/failing_threads.h"
#endif

namespace {

using ceres::parallel::Insist;
using ceres::parallel::RandomProgram;
using ceres::parallel::Sharing;
using ceres::parallel::ThreadPool;
using ceres::parallel::WithoutFailures;

std::uint64_t Setting(const char* name, std::uint64_t otherwise) {
  const char* const value = std::getenv(name);
  return value != nullptr ? std::strtoull(value, nullptr, 10) : otherwise;
}

int ExitCodeOf(std::uint64_t seed) { return static_cast<int>(seed % 100) + 1; }

void RunForEver(RandomProgram* program, std::uint64_t seed) {
  for (std::uint64_t n = 0;; ++n) {
    program->RunOutermost((seed * 1000003 + n) * 0x9E3779B97F4A7C15u);
  }
}

template <typename F>
std::thread StartThread(const F& main) {
  return WithoutFailures([&] { return std::thread(main); });
}

// Lets the system fail from now on, in a manner that depends on the seed.
void BreakSystem(std::uint64_t seed) {
  namespace testing = ceres::parallel::testing_internal;
  if (seed / 8 % 4 == 0) {
    // Never destroyed: it goes on while the process ends.
    new ceres::parallel::ChangingMasks(static_cast<unsigned>(seed));
  }
  if (seed / 32 % 2 == 0) testing::allocations.FailOneOf(10);
  if (seed / 64 % 2 == 0) testing::thread_starts.FailOneOf(3);
}

// Ends the process in a thread that is in no work, when the program is done.
void ExitBeside(RandomProgram* program, ThreadPool* host, std::uint64_t seed) {
  for (std::uint64_t k = 0; k < 2; ++k) {
    StartThread([=] { RunForEver(program, seed + (k << 32)); }).detach();
  }
  const auto wait_and_exit = [program, seed] {
    while (!program->IsDone()) std::this_thread::yield();
    if (program->num_failures() != 0) std::_Exit(120);
    std::exit(ExitCodeOf(seed));
  };
  switch (seed % 4) {
    case 0:
      wait_and_exit();
      break;
    case 1:
      StartThread(wait_and_exit).join();
      break;
    case 2:
      StartThread([&] {
        Insist([&] { return ceres::parallel::Async(*host, [] {}); }).Get();
        wait_and_exit();
      }).join();
      break;
    default:
      ceres::parallel::HelpUntil(*host, [&] {
        if (program->IsDone()) wait_and_exit();
        return false;
      });
  }
}

// Does not return.
void RunUntilExit(std::uint64_t seed) {
  constexpr int kLongest = 60;  // Seconds.
  alarm(kLongest);
  static ThreadPool pool(static_cast<int>(seed % 4));
  if (seed % 3 == 0) pool.SetSharing(Sharing::kAlways);
  pool.SetRunningLimit(64);
  ThreadPool& host = seed % 5 == 0 ? ThreadPool::Default() : pool;
  // Never destroyed: other threads are in the midst of it at the end.
  auto* const program = new RandomProgram(
      host, {}, 1 + static_cast<std::int64_t>(seed * 7919 % 300));
  BreakSystem(seed);
  if (seed / 4 % 2 == 0) ExitBeside(program, &host, seed);
  // Only one thread may call exit(); the pool may need the others meanwhile.
  WithoutFailures([&] {
    program->SetAtLastPiece([program, seed] {
      static std::atomic<bool> has_begun{false};
      if (program->num_failures() != 0) std::_Exit(120);
      if (!has_begun.exchange(true)) std::exit(ExitCodeOf(seed));
    });
  });
  RunForEver(program, seed);
}

void BecomeProcessOfSeed(const char* self, std::uint64_t seed) {
  const std::string argument = std::to_string(seed);
  const char* const emulator = std::getenv("EMULATOR");
  constexpr char* kEnd = nullptr;
  if (emulator != nullptr) {
    execl(emulator, emulator, self, argument.c_str(), kEnd);
  } else {
    execl("/proc/self/exe", self, argument.c_str(), kEnd);
  }
}

// Whether a process with this seed ends as it should.
bool EndsWithItsCode(const char* self, std::uint64_t seed) {
  const pid_t child = fork();
  if (child == 0) {
    BecomeProcessOfSeed(self, seed);
    _exit(121);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return false;
  if (WIFEXITED(status) && WEXITSTATUS(status) == ExitCodeOf(seed)) return true;
  std::fprintf(stderr, "random_exit %llu: status %#x, expected exit code %d\n",
               static_cast<unsigned long long>(seed), status, ExitCodeOf(seed));
  return false;
}

}  // namespace

// Asked by LeakSanitizer, if it is there: exit() leaves behind what threads
// were in the midst of.
extern "C" int __lsan_is_turned_off();  // NOLINT(bugprone-reserved-identifier)
extern "C" int __lsan_is_turned_off() { return 1; }

int main(int argc, char** argv) {
  if (argc > 1) RunUntilExit(std::strtoull(argv[1], nullptr, 10));
  const auto end = std::chrono::steady_clock::now() +
                   std::chrono::seconds(Setting("VESTA_STRESS_SECONDS", 5));
  const std::uint64_t first = Setting("VESTA_STRESS_SEED", 1);
  std::uint64_t seed = first;
  int failures = 0;
  while (std::chrono::steady_clock::now() < end && failures < 10) {
    if (!EndsWithItsCode(argv[0], seed)) ++failures;
    ++seed;
  }
  std::printf("%llu processes, %d failures\n",
              static_cast<unsigned long long>(seed - first), failures);
  return failures == 0 ? 0 : 1;
}
