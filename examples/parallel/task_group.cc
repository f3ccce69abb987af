// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// One pool for two levels: a group of images, and loops over the rows of each.
// All together never use more threads than the pool and the caller.
//
// Prints: 12 images of 64 rows, at most 4 threads at work: yes
// Prints: stopped at the broken image: image 5 cannot be read

#include "ceres/parallel/task_group.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "ceres/parallel/parallel_for.h"
#include "ceres/parallel/thread_pool.h"

namespace parallel = ceres::parallel;

namespace {

constexpr int kRows = 64;

// How many threads are in a row at once, and the most there ever were.
std::atomic<int> at_work{0};
std::atomic<int> most{0};

double ProcessRow(int row) {
  const int now = ++at_work;
  int before = most;
  while (before < now && !most.compare_exchange_weak(before, now)) {
  }
  double value = row;
  for (int k = 0; k < 5000; ++k) value = std::sqrt(value + 1.0);
  --at_work;
  return value;
}

void ProcessImage(parallel::ThreadPool& pool, std::vector<double>& image) {
  parallel::ParallelFor(pool, 0, kRows,
                        [&](int row) { image[row] = ProcessRow(row); });
}

}  // namespace

int main() {
  parallel::ThreadPool pool(3);
  std::vector<std::vector<double>> images(12, std::vector<double>(kRows, 0.0));
  parallel::TaskGroup group(pool);
  for (std::vector<double>& image : images) {
    group.Run(&ProcessImage, std::ref(pool), std::ref(image));
  }
  group.Wait();
  const auto complete = std::count_if(
      images.begin(), images.end(), [](const std::vector<double>& image) {
        return std::count(image.begin(), image.end(), 0.0) == 0;
      });
  std::cout << complete << " images of " << kRows
            << " rows, at most 4 threads at work: "
            << (most <= 4 ? "yes" : "no") << "\n";

  // The group is as new. The first exception cancels what has not begun.
  for (int k = 0; k < 12; ++k) {
    group.Run([k] {
      if (k == 5) {
        throw std::runtime_error("image " + std::to_string(k) +
                                 " cannot be read");
      }
    });
  }
  try {
    group.Wait();
  } catch (const std::runtime_error& error) {
    std::cout << "stopped at the broken image: " << error.what() << "\n";
  }
}
