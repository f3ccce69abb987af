// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Results that other code sets, and waits for all or any of several results.
//
// Prints: the other thread says 42
// Prints: all: 0 1 4 9 16
// Prints: the first that is ready: cache
// Prints: broken: yes

#include <future>
#include <iostream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ceres/parallel/future.h"
#include "ceres/parallel/promise.h"
#include "ceres/parallel/thread_pool.h"
#include "ceres/parallel/when.h"

namespace parallel = ceres::parallel;

int main() {
  parallel::ThreadPool pool(2);

  // Another thread, a callback or a network sets the value. Continuations run
  // on the pool.
  parallel::Promise<int> promise(pool);
  parallel::Future<std::string> text = promise.GetFuture().Then(
      [](int n) { return "the other thread says " + std::to_string(n); });
  std::thread other([&promise] { promise.SetValue(42); });
  std::cout << text.Get() << "\n";
  other.join();

  // All of several futures, each with its value or exception.
  std::vector<parallel::Future<int>> squares;
  for (int i = 0; i < 5; ++i) {
    squares.push_back(parallel::Async(pool, [i] { return i * i; }));
  }
  std::cout << "all:";
  for (parallel::Future<int>& square :
       parallel::WhenAll(std::move(squares)).Get()) {
    std::cout << " " << square.Get();
  }
  std::cout << "\n";

  // The first one of several. The others go on.
  parallel::Promise<std::string> network(pool);
  std::vector<parallel::Future<std::string>> sources;
  sources.push_back(network.GetFuture());
  sources.push_back(parallel::MakeReadyFuture(pool, std::string("cache")));
  auto any = parallel::WhenAny(std::move(sources)).Get();
  std::cout << "the first that is ready: " << any.futures[any.index].Get()
            << "\n";

  // A promise that ends without a value breaks its future.
  { const parallel::Promise<std::string> given_up = std::move(network); }
  bool broken = false;
  try {
    any.futures[0].Get();
  } catch (const std::future_error&) {
    broken = true;
  }
  std::cout << "broken: " << (broken ? "yes" : "no") << "\n";
}
