// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// One pool for two levels: a group of images, and loops over the rows of each;
// and what becomes of a group that fails or is cancelled.
//
// Prints: 12 images of 64 rows, at most 2 in memory: yes
// Prints: stopped at the broken image: image 5 cannot be read
// Prints: cancelled: 0 of 12 images; the next time: 12 of 12

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

constexpr int kImages = 12;
constexpr int kRows = 64;

// How many images are in memory, and the most there ever were.
std::atomic<int> in_memory{0};
std::atomic<int> most{0};

double ProcessRow(int row) {
  double value = row;
  for (int k = 0; k < 5000; ++k) value = std::sqrt(value + 1.0);
  return value;
}

// The mean of each row.
void ProcessImage(parallel::ThreadPool& pool, std::vector<double>& means) {
  const int now = ++in_memory;
  int before = most;
  while (before < now && !most.compare_exchange_weak(before, now)) {
  }
  means.assign(kRows, 0.0);
  parallel::ParallelFor(pool, 0, kRows,
                        [&](int row) { means[row] = ProcessRow(row); });
  --in_memory;
}

// Images are large, so two threads at most are at work for the group; the loops
// over their rows have the whole pool.
void ProcessImages(parallel::ThreadPool& pool) {
  std::vector<std::vector<double>> images(kImages);
  parallel::TaskGroupOptions options;
  options.max_threads = 2;
  parallel::TaskGroup group(pool, options);
  for (std::vector<double>& image : images) {
    group.Run(&ProcessImage, std::ref(pool), std::ref(image));
  }
  group.Wait();
  const auto complete = std::count_if(
      images.begin(), images.end(), [](const std::vector<double>& image) {
        return std::count(image.begin(), image.end(), 0.0) == 0;
      });
  std::cout << complete << " images of " << kRows
            << " rows, at most 2 in memory: " << (most <= 2 ? "yes" : "no")
            << "\n";
}

// The first exception cancels what has not begun, and reaches who waits.
void StopAtBrokenImage(parallel::ThreadPool& pool) {
  parallel::TaskGroup group(pool);
  for (int k = 0; k < kImages; ++k) {
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

// Cancel drops what nobody has begun: here all, since the pool has no workers.
// After Wait the group is as new.
void CancelPreviews() {
  parallel::ThreadPool pool(0);
  parallel::TaskGroup group(pool);
  int shown = 0;
  for (int k = 0; k < kImages; ++k) group.Run([&shown] { ++shown; });
  group.Cancel();
  if (group.Wait() == parallel::Status::kCancelled) std::cout << "cancelled: ";
  std::cout << shown << " of " << kImages << " images";
  for (int k = 0; k < kImages; ++k) group.Run([&shown] { ++shown; });
  group.Wait();
  std::cout << "; the next time: " << shown << " of " << kImages << "\n";
}

}  // namespace

int main() {
  parallel::ThreadPool pool(3);
  pool.SetRunningLimit(4);  // Also where there are fewer cpus.
  ProcessImages(pool);
  StopAtBrokenImage(pool);
  CancelPreviews();
}
