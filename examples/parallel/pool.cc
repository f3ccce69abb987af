// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// A pool: how large it is, who is at work, on which cpus, and changing its size
// or how many threads may run while it is at work.
//
// Prints: threads that can run here: .
// Prints: a worker below 3: true
// Prints: cpus of a pinned worker: 1
// Prints: 3 workers, then 1, then 6; tasks done: 300 of 300
// Prints: from its own worker: ThreadPool::Resize
// Prints: 7 threads, of which at most 2 at once: true

#include <atomic>
#include <cmath>
#include <future>
#include <iostream>
#include <stdexcept>
#include <string>

#include "ceres/parallel/available_concurrency.h"
#include "ceres/parallel/future.h"
#include "ceres/parallel/parallel_for.h"
#include "ceres/parallel/this_thread.h"
#include "ceres/parallel/thread_pool.h"

namespace parallel = ceres::parallel;

namespace {

// A task can ask which worker runs it. (Future::get would not do here: it may
// run the task in this thread.)
void AskWhereATaskRuns(parallel::ThreadPool& pool) {
  std::promise<int> index;
  parallel::Detach(pool, [&] {
    const bool in_pool = parallel::this_thread::Pool() == &pool;
    index.set_value(in_pool ? parallel::this_thread::WorkerIndex() : -1);
  });
  const int worker = index.get_future().get();
  std::cout << "a worker below 3: " << (worker >= 0 && worker < 3) << "\n";
}

// Worker k stays on one cpu, the (k + 1)-th of those that the process may use:
// for a pool that has the machine to itself, and caches that are worth it.
void PinWorkers() {
  parallel::ThreadPoolOptions options;
  options.num_workers = 1;
  options.pin = true;
  parallel::ThreadPool pool(options);
  std::promise<int> cpus;
  parallel::Detach(
      pool, [&cpus] { cpus.set_value(parallel::AvailableConcurrency()); });
  std::cout << "cpus of a pinned worker: " << cpus.get_future().get() << "\n";
}

// Tasks that are queued or running stay what they are.
void ResizeAtWork(parallel::ThreadPool& pool) {
  std::atomic<int> done{0};
  std::cout << pool.NumWorkers() << " workers";
  for (const int workers : {1, 6}) {
    for (int i = 0; i < 150; ++i) parallel::Detach(pool, [&done] { ++done; });
    pool.Resize(workers);
    std::cout << ", then " << pool.NumWorkers();
  }
  pool.WaitForAll();
  std::cout << "; tasks done: " << done << " of 300\n";
}

// A worker cannot take its own pool apart.
void ResizeInAWorker(parallel::ThreadPool& pool) {
  std::promise<std::string> answer;
  parallel::Detach(pool, [&] {
    try {
      pool.Resize(2);
      answer.set_value("it went well");
    } catch (const std::logic_error& error) {
      answer.set_value(error.what());
    }
  });
  std::cout << "from its own worker: " << answer.get_future().get() << "\n";
}

// Leaves cpus to others for a while, without ending any threads: the caller and
// one worker run, the other workers sleep. 0 brings back the default.
void LimitRunning(parallel::ThreadPool& pool) {
  std::atomic<int> at_work{0};
  std::atomic<int> most{0};
  pool.SetRunningLimit(2);
  parallel::ParallelFor(pool, 0, 1000, [&](int i) {
    const int now = ++at_work;
    int before = most;
    while (before < now && !most.compare_exchange_weak(before, now)) {
    }
    double value = i;
    for (int k = 0; k < 2000; ++k) value = std::sqrt(value + 1.0);
    --at_work;
  });
  pool.SetRunningLimit(0);
  std::cout << pool.MaxConcurrency()
            << " threads, of which at most 2 at once: " << (most <= 2) << "\n";
}

}  // namespace

int main() {
  // CPUs that the affinity mask and the container's quota leave.
  std::cout << "threads that can run here: " << parallel::AvailableConcurrency()
            << "\n";

  parallel::ThreadPoolOptions options;
  options.num_workers = 3;   // By default one less than can run.
  options.name = "example";  // example-0, example-1, ... in a debugger.
  parallel::ThreadPool pool(options);
  std::cout << std::boolalpha;
  AskWhereATaskRuns(pool);
  PinWorkers();
  ResizeAtWork(pool);
  ResizeInAWorker(pool);
  LimitRunning(pool);
}
