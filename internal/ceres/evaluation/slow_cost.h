// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_EVALUATION_SLOW_COST_H_
#define CERES_INTERNAL_EVALUATION_SLOW_COST_H_

#include <atomic>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "ceres/base/testing/fake_clock.h"
#include "ceres/evaluation/evaluation_test_utils.h"

namespace ceres::internal {

// Tells slow cost functions whether two of them run at a time. Each
// takes a fifth of a millisecond by the fake clock that a rendezvous installs.
// Some wait until two have met, or for ten seconds of real time at most.
class Rendezvous {
 public:
  // For a cost function. An evaluation begins alone: the first do not wait.
  void Attend() {
    constexpr int kAlone = 8;
    clock_.Advance(std::chrono::microseconds(200));
    if (num_calls_.fetch_add(1) < kAlone || met_ || given_up_) return;
    num_inside_.fetch_add(1);
    const auto deadline =
        std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (num_inside_ < 2 && !met_ && !given_up_) {
      if (std::chrono::steady_clock::now() > deadline) given_up_ = true;
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    if (num_inside_ >= 2) met_ = true;
    num_inside_.fetch_sub(1);
  }

  bool met() const { return met_; }
  // Begins anew; with several threads cost functions wait for each other.
  void Begin(int num_threads) {
    num_calls_ = 0;
    met_ = false;
    given_up_ = num_threads == 1;
  }

  // For cost functions that take longer.
  parallel::FakeClock& clock() { return clock_; }

 private:
  parallel::FakeClock clock_;
  std::atomic<int> num_calls_{0};
  std::atomic<int> num_inside_{0};
  std::atomic<bool> met_{false};
  std::atomic<bool> given_up_{true};
};

// SineCost that attends a rendezvous.
class SlowCost final : public CostFunction {
 public:
  SlowCost(Rendezvous* rendezvous, int num_residuals,
           const std::vector<int>& sizes, int seed)
      : rendezvous_(rendezvous), function_(num_residuals, sizes, seed) {
    set_num_residuals(num_residuals);
    *mutable_parameter_block_sizes() = function_.parameter_block_sizes();
  }
  bool Evaluate(double const* const* parameters, double* residuals,
                double** jacobians) const override {
    rendezvous_->Attend();
    return function_.Evaluate(parameters, residuals, jacobians);
  }

 private:
  Rendezvous* const rendezvous_;
  SineCost function_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_EVALUATION_SLOW_COST_H_
