// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <cmath>
#include <iostream>
#include <string>
#include <vector>

#include "ceres/parallel/parallel.h"

namespace parallel = ceres::parallel;

// Stands for a call that takes a while.
std::string Load(const std::string& name) { return "<" + name + ">"; }

int main() {
  parallel::ThreadPool pool;

  // A loop: the body is called once for each index.
  const int n = 100000;
  std::vector<double> y(n);
  parallel::ParallelFor(pool, 0, n, [&](int i) { y[i] = std::sqrt(i); });
  std::cout << "y[81] = " << y[81] << "\n";

  // A sum has the same bits for every number of threads.
  std::cout << "sum = " << parallel::ParallelSum(pool, y) << "\n";

  // A task: the call runs while this thread goes on. Get() waits for the
  // result, and works meanwhile.
  parallel::Future<std::string> image =
      parallel::Async(pool, &Load, "street.png");
  std::cout << "image = " << image.Get() << "\n";
}
