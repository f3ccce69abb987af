// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// A pool: how large it is, who is at work, and changing its size while it is.
//
// Prints: threads that can run here: .
// Prints: a worker below 3: true
// Prints: 3 workers, then 1, then 6; tasks done: 300 of 300
// Prints: from its own worker: ThreadPool::Resize

#include <atomic>
#include <future>
#include <iostream>
#include <stdexcept>
#include <string>

#include "ceres/parallel/available_concurrency.h"
#include "ceres/parallel/future.h"
#include "ceres/parallel/this_thread.h"
#include "ceres/parallel/thread_pool.h"

namespace parallel = ceres::parallel;

int main() {
  // Of the cpus that the affinity mask and the container's quota leave.
  std::cout << "threads that can run here: " << parallel::AvailableConcurrency()
            << "\n";

  parallel::ThreadPoolOptions options;
  options.num_workers = 3;   // By default one less than can run.
  options.name = "example";  // example-0, example-1, ... in a debugger.
  options.pin = false;       // true: worker k stays on one cpu.
  parallel::ThreadPool pool(options);

  // What runs in a task can ask where it is. (Future::get would not do here: it
  // may run the task in this thread.)
  std::promise<int> index;
  parallel::Detach(pool, [&] {
    const bool in_pool = parallel::this_thread::Pool() == &pool;
    index.set_value(in_pool ? parallel::this_thread::WorkerIndex() : -1);
  });
  const int worker = index.get_future().get();
  std::cout << "a worker below 3: " << std::boolalpha
            << (worker >= 0 && worker < 3) << "\n";

  // Tasks that are queued or running stay what they are.
  std::atomic<int> done{0};
  std::cout << pool.NumWorkers() << " workers";
  for (const int workers : {1, 6}) {
    for (int i = 0; i < 150; ++i) parallel::Detach(pool, [&done] { ++done; });
    pool.Resize(workers);
    std::cout << ", then " << pool.NumWorkers();
  }
  pool.WaitForAll();
  std::cout << "; tasks done: " << done << " of 300\n";

  // A worker cannot take its own pool apart.
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
