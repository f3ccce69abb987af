// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Exceptions: the first one of a loop, a group or a graph stops the rest and
// reaches whoever waits; what a detached task throws goes to a handler.
//
// Prints: loop: index 700 is bad
// Prints: future: no value
// Prints: graph: step 2 failed, and step 3 was not begun
// Prints: handler: nobody waits for me

#include <atomic>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>

#include "ceres/parallel/future.h"
#include "ceres/parallel/parallel_for.h"
#include "ceres/parallel/task_graph.h"
#include "ceres/parallel/thread_pool.h"

namespace parallel = ceres::parallel;

namespace {

void PrintError(const char* where, const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& exception) {
    std::cout << where << ": " << exception.what();
  }
}

template <typename F>
void PrintErrorOf(const char* where, const F& f) {
  try {
    f();
  } catch (...) {
    PrintError(where, std::current_exception());
  }
}

}  // namespace

int main() {
  parallel::ThreadPoolOptions options;
  options.num_workers = 2;
  options.exception_handler = [](std::exception_ptr error) {
    PrintError("handler", error);
    std::cout << "\n";
  };
  parallel::ThreadPool pool(options);

  PrintErrorOf("loop", [&pool] {
    parallel::ParallelFor(pool, 0, 1000, [](int i) {
      if (i == 700) {
        throw std::out_of_range("index " + std::to_string(i) + " is bad");
      }
    });
  });
  std::cout << "\n";

  parallel::Future<int> future = parallel::Async(
      pool, []() -> int { throw std::runtime_error("no value"); });
  PrintErrorOf("future", [&future] { future.Get(); });
  std::cout << "\n";

  bool has_begun = false;
  parallel::TaskGraph graph;
  graph.Add([] { throw std::runtime_error("step 2 failed"); })
      .Precede(graph.Add([&has_begun] { has_begun = true; }));
  PrintErrorOf("graph", [&] { graph.Run(pool); });
  std::cout << ", and step 3 was " << (has_begun ? "" : "not ") << "begun\n";

  parallel::Detach(pool,
                   [] { throw std::runtime_error("nobody waits for me"); });
  pool.WaitForAll();
}
