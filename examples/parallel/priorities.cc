// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Priorities: urgent tasks first, and yet the others do not starve.
//
// Prints: the first was urgent: yes
// Prints: normal tasks waited for all urgent ones: no

#include <cstddef>
#include <iostream>
#include <string>

#include "ceres/parallel/future.h"
#include "ceres/parallel/task_options.h"
#include "ceres/parallel/thread_pool.h"

namespace parallel = ceres::parallel;

int main() {
  // Without workers, so that everything waits for WaitForAll, which then runs
  // the tasks one after the other in this thread.
  parallel::ThreadPool pool(0);
  std::string order;
  for (int i = 0; i < 10; ++i) {
    parallel::Detach(pool, [&order] { order += '.'; });
  }
  const parallel::TaskOptions urgent{parallel::Priority::kHigh, "urgent"};
  for (int i = 0; i < 40; ++i) {
    parallel::Detach(pool, urgent, [&order] { order += 'U'; });
  }
  pool.WaitForAll();

  std::cout << order << "\n";
  std::cout << "the first was urgent: " << (order.front() == 'U' ? "yes" : "no")
            << "\n";
  // Every eighth time a normal task goes first.
  const std::size_t last_urgent = order.rfind('U');
  const bool starved = order.find('.') > last_urgent;
  std::cout << "normal tasks waited for all urgent ones: "
            << (starved ? "yes" : "no") << "\n";
}
