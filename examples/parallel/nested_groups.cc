// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Groups within groups, and one group for several threads. A wait inside a task
// blocks no worker: it runs what its own group has left.
//
// Prints: 0 workers: size of a tree of 1093 folders: 5465
// Prints: 3 workers: size of a tree of 1093 folders: 5465
// Prints: letters from 4 readers: 400, each had its own: yes

#include <array>
#include <atomic>
#include <iostream>
#include <numeric>
#include <thread>
#include <vector>

#include "ceres/parallel/task_group.h"
#include "ceres/parallel/thread_pool.h"

namespace parallel = ceres::parallel;

namespace {

// The size of a folder needs those of its three subfolders, so each has a group
// of its own to wait for, inside a task of the group above.
int SizeOfFolder(parallel::ThreadPool& pool, int depth) {
  constexpr int kOwnSize = 5;
  if (depth == 0) return kOwnSize;
  std::array<int, 3> sizes;
  parallel::TaskGroup group(pool);
  for (int& size : sizes) {
    group.Run([&pool, &size, depth] { size = SizeOfFolder(pool, depth - 1); });
  }
  group.Wait();
  return std::accumulate(sizes.begin(), sizes.end(), kOwnSize);
}

// Threads that are not of the pool give tasks to one group, and each waits for
// it: when a wait returns, all that this thread has given are done. Meanwhile
// the threads help with the tasks of all.
void ShareGroup(parallel::ThreadPool& pool) {
  constexpr int kReaders = 4;
  constexpr int kLetters = 100;
  std::atomic<int> sorted{0};
  std::atomic<int> satisfied{0};
  parallel::TaskGroup group(pool);
  std::vector<std::thread> readers;
  readers.reserve(kReaders);
  for (int k = 0; k < kReaders; ++k) {
    readers.emplace_back([&] {
      std::atomic<int> own{0};
      for (int i = 0; i < kLetters; ++i) {
        group.Run([&] {
          ++sorted;
          ++own;
        });
      }
      group.Wait();
      if (own == kLetters) ++satisfied;
    });
  }
  for (std::thread& reader : readers) reader.join();
  std::cout << "letters from " << kReaders << " readers: " << sorted
            << ", each had its own: " << (satisfied == kReaders ? "yes" : "no")
            << "\n";
}

}  // namespace

int main() {
  for (const int workers : {0, 3}) {
    parallel::ThreadPool pool(workers);
    std::cout << workers << " workers: size of a tree of 1093 folders: "
              << SizeOfFolder(pool, 6) << "\n";
  }
  parallel::ThreadPool pool(2);
  ShareGroup(pool);
}
