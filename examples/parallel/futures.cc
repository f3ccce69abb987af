// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Futures awaited inside tasks, which deadlocks pools whose waits only sleep:
// adaptive quadrature, where each interval waits for one of its halves. It
// works at any depth with any number of workers, none included.
//
// Prints: 0 workers: the integral of sqrt.x. from 0 to 1 is 0.666667
// Prints: 3 workers: the integral of sqrt.x. from 0 to 1 is 0.666667
// Prints: after 1 ms: no, in time: no, in the end: 42
// Prints: cancelled: the task of the future was cancelled before it began
// Prints: failed: no such interval

#include <chrono>
#include <cmath>
#include <future>
#include <iostream>
#include <stdexcept>

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
  return left.Get() + right;
}

// A wait runs what nobody has begun, however long it takes; what has begun
// elsewhere it leaves when the time is over.
void WaitWithTimeout() {
  parallel::ThreadPool pool(1);
  std::promise<void> begun;
  std::promise<void> may_end;
  parallel::Future<int> answer = parallel::Async(pool, [&] {
    begun.set_value();
    may_end.get_future().wait();  // Stands for a long computation.
    return 42;
  });
  begun.get_future().wait();
  const bool after_1_ms = answer.WaitFor(std::chrono::milliseconds(1));
  // A point in time, of any clock, can be the end of many waits together.
  const auto deadline =
      std::chrono::system_clock::now() + std::chrono::milliseconds(10);
  const bool in_time = answer.WaitUntil(deadline);
  may_end.set_value();
  std::cout << "after 1 ms: " << (after_1_ms ? "yes" : "no")
            << ", in time: " << (in_time ? "yes" : "no")
            << ", in the end: " << answer.Get() << "\n";
}

// A future that is dropped before its task has begun cancels the task.
void CancelUnwanted() {
  parallel::ThreadPool pool(0);  // So nobody has begun it.
  parallel::Future<double> unwanted =
      parallel::Async(pool, [&pool] { return Integrate(pool, 0, 9, 1e-12); });
  if (!unwanted.Cancel()) std::cout << "it had begun\n";
  try {
    unwanted.Get();
  } catch (const parallel::TaskCancelled& error) {
    std::cout << "cancelled: " << error.what() << "\n";
  }
}

}  // namespace

int main() {
  for (const int workers : {0, 3}) {
    parallel::ThreadPool pool(workers);
    std::cout << workers << " workers: the integral of sqrt(x) from 0 to 1 is "
              << Integrate(pool, 0.0, 1.0, 1e-9) << "\n";
  }

  WaitWithTimeout();
  CancelUnwanted();

  // get() throws the exception of the task.
  parallel::ThreadPool pool(1);
  parallel::Future<double> failed =
      parallel::Async(pool, [&pool] { return Integrate(pool, 1, 0, 1e-9); });
  try {
    failed.Get();
  } catch (const std::domain_error& error) {
    std::cout << "failed: " << error.what() << "\n";
  }
}
