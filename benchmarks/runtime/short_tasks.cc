// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Tasks of a few nanoseconds, of which few are ready at a time.
// Chain: each task runs the next one in its group. Futures: each future
// continues the one before it (the peers: a chain of tasks). Mostly idle: 10
// tasks and a wait, again and again, with a pause in between in which the
// workers find nothing. A runtime does well if it leaves such work to the
// thread that adds it.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "bars.h"
#include "runtimes.h"
#include "timing.h"

namespace vesta_benchmarks {
namespace {

constexpr std::int64_t kTasks = 10'000;

void CheckCount(std::int64_t count) {
  if (count == kTasks) return;
  std::fprintf(stderr, "%lld tasks of %lld ran\n",
               static_cast<long long>(count), static_cast<long long>(kTasks));
  std::abort();
}

// ----- A chain: a task counts, then adds the next one

template <typename Run>
struct Link {
  Run run;
  std::int64_t* count;
  void operator()() const {
    if (++*count < kTasks) run(*this);
  }
};
template <typename Run>
void StartChain(std::int64_t* count, const Run& run) {
  run(Link<Run>{run, count});
}

struct Chain {
  static std::string Name() { return "a chain of tasks in a group"; }

  std::int64_t operator()(Vesta& runtime) const {
    std::int64_t count = 0;
    ceres::parallel::TaskGroup group(runtime.pool());
    StartChain(&count, [&group](const auto& link) { group.Run(link); });
    group.Wait();
    return count;
  }
#if defined(VESTA_HAVE_TBB)
  std::int64_t operator()(Tbb& /*runtime*/) const {
    std::int64_t count = 0;
    tbb::task_group group;
    StartChain(&count, [&group](const auto& link) { group.run(link); });
    group.wait();
    return count;
  }
#endif
#if defined(_OPENMP)
  static void Add(std::int64_t* count) {
#pragma omp task firstprivate(count)
    if (++*count < kTasks) Add(count);
  }
  std::int64_t operator()(OpenMp& /*runtime*/) const {
    std::int64_t count = 0;
#pragma omp taskgroup
    Add(&count);
    return count;
  }
#endif
};

struct FutureChain {
  static std::string Name() { return "a chain of futures"; }

  std::int64_t operator()(Vesta& runtime) const {
    auto future =
        ceres::parallel::Async(runtime.pool(), [] { return std::int64_t{1}; });
    for (std::int64_t k = 1; k < kTasks; ++k) {
      future = std::move(future).Then([](std::int64_t n) { return n + 1; });
    }
    return future.Get();
  }
  template <typename Peer>
  std::int64_t operator()(Peer& runtime) const {
    return Chain()(runtime);
  }
};

// ----- Few tasks, then a pause

template <typename R>
void RunBursts(R& runtime, double pause) {
  constexpr std::int64_t kInBurst = 10;
  for (std::int64_t k = 0; k < kTasks; k += kInBurst) {
    runtime.SpawnAll(kInBurst, [](std::int64_t) {});
    WorkByClock(pause);
  }
}

// ----- Judging

template <typename R, typename Body>
Contestant Entered(R& runtime, const Body& body) {
  return [&runtime, body](std::int64_t calls) {
    runtime.Enter([&] {
      for (std::int64_t call = 0; call < calls; ++call) body(runtime);
    });
  };
}

std::string Label(const std::string& what, int threads) {
  return what + ", " + std::to_string(threads) +
         (threads == 1 ? " thread" : " threads");
}

// Times the body on all runtimes in turns, and judges it beside oneTBB if there
// is a limit (> 0).
// `floor`: nanoseconds of a call that are not the runtime's.
template <typename Body>
void Judge(BarTable& table, const std::string& what, int threads, double limit,
           double floor, const Body& body) {
  Vesta vesta(threads);
  std::vector<Contestant> contestants = {Entered(vesta, body)};
  std::vector<const char*> names = {Vesta::kName};
#if defined(VESTA_HAVE_TBB)
  Tbb tbb(threads);
  contestants.push_back(Entered(tbb, body));
  names.push_back(Tbb::kName);
#endif
#if defined(_OPENMP)
  OpenMp openmp(threads);
  contestants.push_back(Entered(openmp, body));
  names.push_back(OpenMp::kName);
#endif
  TurnsOptions options;
  options.is_judged = limit > 0.0;
  std::vector<double> times = TimeInTurns(contestants, options);
  for (double& time : times) time = (time - floor) / kTasks;
#if defined(VESTA_HAVE_TBB)
  const std::string label = Label(what + ", time over oneTBB", threads);
  if (limit > 0.0) {
    table.AtMost(label, times[0] / times[1], limit, "x");
  } else {
    table.Tell(label, times[0] / times[1], "x");
  }
#endif
  for (std::size_t k = 0; k < times.size(); ++k) {
    table.Tell(std::string("a task, ") + names[k], times[k], "ns");
  }
}

void JudgeShortTasks(BarTable& table) {
  constexpr double kLimit = 1.2;
  for (const int threads : {1, 2, 4, 8}) {
    Judge(table, Chain::Name(), threads, kLimit, /*floor=*/0.0,
          [](auto& runtime) { CheckCount(Chain()(runtime)); });
  }
  for (const int threads : {1, 2, 8}) {
    Judge(table, FutureChain::Name(), threads, /*limit=*/0.0, /*floor=*/0.0,
          [](auto& runtime) { CheckCount(FutureChain()(runtime)); });
  }
  constexpr double kPause = 5e3;
  constexpr double kPauses = kPause * kTasks / 10;
  for (const int threads : {1, 2, 4, 8}) {
    Judge(table, "mostly idle: bursts of 10 tasks", threads, kLimit, kPauses,
          [](auto& runtime) { RunBursts(runtime, kPause); });
  }
}

}  // namespace

const Case kShortTasks = {"short_tasks", JudgeShortTasks};

}  // namespace vesta_benchmarks
