// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Waits until two threads have a core each, for scripts that time two threads
// on a machine that others use, too. Exit code 1: in vain.
//
//   wait_for_two_cores [SECONDS]

#include <cstdlib>

#include "free_cpus.h"

int main(int argc, char** argv) {
  constexpr double kDefaultSeconds = 5.0;
  const double seconds =
      argc > 1 ? std::strtod(argv[1], nullptr) : kDefaultSeconds;
  return vesta_benchmarks::WaitForTwoCores(seconds) ? 0 : 1;
}
