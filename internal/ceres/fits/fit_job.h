// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_FITS_FIT_JOB_H_
#define CERES_INTERNAL_FITS_FIT_JOB_H_

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <mutex>

#include "ceres/fit_many.h"

namespace ceres::internal::fits {

// One call of FitMany, shared by its threads.
//
// Concurrency: a fit belongs to the thread that has claimed it, which alone
// reads and writes its parameters and results. The counter of claims is atomic
// and orders nothing: what a thread reads was written before the call. The loop
// that runs the threads orders their writes before the end of the call.
class FitJob {
 public:
  // function: null, or what computes the residuals in place of model.residuals.
  FitJob(const FitModel& model, const FitFunction* function,
         const FitManyOptions& options, const FitData& data,
         const FitParameters& parameters, const FitResults& results)
      : model(model),
        function(function),
        options(options),
        data(data),
        parameters(parameters),
        results(results) {}

  // The next fit that nobody has claimed, or -1.
  std::int64_t Claim() {
    // Without the test the counter could overflow.
    if (next_.load(std::memory_order_relaxed) >= data.num_fits) return -1;
    const std::int64_t fit = next_.fetch_add(1, std::memory_order_relaxed);
    return fit < data.num_fits ? fit : -1;
  }

  // Lets Claim() find no more fits.
  void Abandon() { next_.store(data.num_fits, std::memory_order_relaxed); }

  // Writes how a fit has ended.
  void WriteStatus(std::int64_t fit, FitStatus status, int num_iterations) {
    if (results.statuses != nullptr) results.statuses[fit] = status;
    if (results.iterations != nullptr) results.iterations[fit] = num_iterations;
    counts_[static_cast<int>(status)].fetch_add(1, std::memory_order_relaxed);
    if (!options.progress || status == FitStatus::kNotRun) return;
    const std::lock_guard<std::mutex> lock(progress_mutex_);
    ++ended_;
    constexpr std::int64_t kCalls = 100;
    if (ended_ * kCalls / data.num_fits !=
        (ended_ - 1) * kCalls / data.num_fits) {
      options.progress(ended_, data.num_fits);
    }
  }

  // The end of a fit without a result.
  void WriteNoResult(std::int64_t fit, FitStatus status) {
    constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
    const std::int64_t entries =
        std::int64_t{parameters.size} * parameters.size;
    if (results.costs != nullptr) results.costs[fit] = kNaN;
    if (results.covariances != nullptr) {
      std::fill_n(results.covariances + fit * entries, entries, kNaN);
    }
    WriteStatus(fit, status, 0);
  }

  // When all threads have ended.
  FitManySummary Summary() const {
    const auto count = [this](FitStatus status) {
      return counts_[static_cast<int>(status)].load(std::memory_order_relaxed);
    };
    FitManySummary summary;
    summary.num_not_run = count(FitStatus::kNotRun);
    summary.num_converged = count(FitStatus::kConverged);
    summary.num_max_iterations = count(FitStatus::kMaxIterations);
    summary.num_stopped = count(FitStatus::kStopped);
    summary.num_failed = count(FitStatus::kFailed);
    return summary;
  }

  std::int64_t NumSamples(std::int64_t fit) const {
    return data.offsets == nullptr ? data.num_samples
                                   : data.offsets[fit + 1] - data.offsets[fit];
  }

  const FitModel& model;
  const FitFunction* const function;
  const FitManyOptions& options;
  const FitData& data;
  const FitParameters& parameters;
  const FitResults& results;

 private:
  std::atomic<std::int64_t> next_{0};
  static constexpr int kNumStatuses = 5;
  std::array<std::atomic<std::int64_t>, kNumStatuses> counts_{};
  std::mutex progress_mutex_;
  std::int64_t ended_ = 0;  // Guarded by progress_mutex_.
};

}  // namespace ceres::internal::fits

#endif  // CERES_INTERNAL_FITS_FIT_JOB_H_
