// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Futures awaited inside tasks, which deadlocks pools whose waits only sleep:
// adaptive quadrature, where each interval waits for one of its halves. It
// works at any depth with any number of workers, none included.
//
// Prints: 0 workers: the integral of sqrt.x. from 0 to 1 is 0.666667
// Prints: 3 workers: the integral of sqrt.x. from 0 to 1 is 0.666667
// Prints: not after 1 ms, but later: 42
// Prints: failed: no such interval

#include <chrono>
#include <cmath>
#include <future>
#include <iostream>
#include <stdexcept>
#include <thread>

#include "ceres/parallel/future.h"
#include "ceres/parallel/thread_pool.h"

namespace parallel = ceres::parallel;

namespace {

double Simpson(double a, double b) {
  const double middle = 0.5 * (a + b);
  return (b - a) / 6.0 *
         (std::sqrt(a) + 4.0 * std::sqrt(middle) + std::sqrt(b));
}

// The integral of sqrt(x) from a to b.
double Integrate(parallel::ThreadPool& pool, double a, double b,
                 double tolerance) {
  if (!(a >= 0.0 && b >= a)) throw std::domain_error("no such interval");
  const double middle = 0.5 * (a + b);
  const double fine = Simpson(a, middle) + Simpson(middle, b);
  if (std::abs(fine - Simpson(a, b)) < tolerance) return fine;
  parallel::Future<double> left = parallel::Async(
      pool, [&] { return Integrate(pool, a, middle, 0.5 * tolerance); });
  const double right = Integrate(pool, middle, b, 0.5 * tolerance);
  // Runs the left half here if nobody has begun it.
  return left.get() + right;
}

}  // namespace

int main() {
  for (const int workers : {0, 3}) {
    parallel::ThreadPool pool(workers);
    std::cout << workers << " workers: the integral of sqrt(x) from 0 to 1 is "
              << Integrate(pool, 0.0, 1.0, 1e-9) << "\n";
  }

  parallel::ThreadPool pool(1);
  std::promise<void> begun;
  parallel::Future<int> answer = parallel::Async(pool, [&begun] {
    begun.set_value();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    return 42;
  });
  // A wait runs what nobody has begun, however long it takes; what has begun
  // elsewhere it leaves when the time is over.
  begun.get_future().wait();
  const bool early = answer.wait_for(std::chrono::milliseconds(1)) ==
                     std::future_status::ready;
  std::cout << (early ? "after" : "not after")
            << " 1 ms, but later: " << answer.get() << "\n";

  parallel::Future<double> failed =
      parallel::Async(pool, [&pool] { return Integrate(pool, 1, 0, 1e-9); });
  try {
    failed.get();
  } catch (const std::domain_error& error) {
    std::cout << "failed: " << error.what() << "\n";
  }
}
