// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/fit_many.h"

#include <algorithm>

#include "ceres/fits/fit_group.h"
#include "ceres/fits/fit_job.h"
#include "ceres/logging/logging.h"
#include "ceres/parallel/parallel_for.h"
#include "ceres/parallel/thread_pool.h"

namespace ceres {
namespace {

void CheckArguments(bool has_function, int num_residuals,
                    const FitManyOptions& options, const FitData& data,
                    const FitParameters& parameters) {
  VESTA_CHECK(has_function && num_residuals >= 1)
      << "FitMany: the model needs a function and at least one residual.";
  VESTA_CHECK(options.num_threads >= 1)
      << "FitMany: num_threads is " << options.num_threads
      << "; it must be at least 1.";
  VESTA_CHECK(data.num_fits >= 0 && data.num_samples >= 0)
      << "FitMany: num_fits and num_samples must not be negative.";
  VESTA_CHECK(parameters.size >= 1)
      << "FitMany: a fit needs at least one parameter.";
  VESTA_CHECK(parameters.values != nullptr || data.num_fits == 0)
      << "FitMany: FitParameters::values is null.";
  for (const FitColumn& column : data.columns) {
    VESTA_CHECK(!column.empty() || data.num_fits == 0)
        << "FitMany: a column of FitData::columns is null.";
  }
  for (std::int64_t i = 0; data.offsets != nullptr && i < data.num_fits; ++i) {
    VESTA_CHECK(data.offsets[i] <= data.offsets[i + 1])
        << "FitMany: FitData::offsets decreases after fit " << i << ".";
  }
}

FitManySummary Run(const FitModel& model, const FitFunction* function,
                   const FitManyOptions& options, const FitData& data,
                   const FitParameters& parameters, const FitResults& results) {
  internal::fits::FitJob job(model, function, options, data, parameters,
                             results);
  // More groups than this would have empty lanes.
  const std::int64_t most_groups =
      (data.num_fits + internal::lanes::kLanes - 1) / internal::fits::kLanes;
  const int num_groups = static_cast<int>(
      std::min<std::int64_t>(options.num_threads, most_groups));
  const auto run = [&](int) {
    try {
      internal::fits::FitGroup(&job).Run();
    } catch (...) {
      job.Abandon();
      throw;
    }
  };
  parallel::LoopOptions loop;
  loop.max_threads = num_groups;
  loop.schedule = parallel::Schedule::kDynamic;
  loop.name = "FitMany";
  if (num_groups <= 1) {
    if (num_groups == 1) run(0);
  } else if (options.executor != nullptr) {
    parallel::ParallelFor(*options.executor, 0, num_groups, run, loop);
  } else {
    parallel::ParallelFor(parallel::ThreadPool::Default(), 0, num_groups, run,
                          loop);
  }
  // What a cancellation has left over.
  for (std::int64_t fit = job.Claim(); fit >= 0; fit = job.Claim()) {
    job.WriteNoResult(fit, FitStatus::kNotRun);
  }
  return job.Summary();
}

}  // namespace

FitManySummary FitMany(const FitModel& model, const FitManyOptions& options,
                       const FitData& data, const FitParameters& parameters,
                       const FitResults& results) {
  CheckArguments(model.residuals != nullptr, model.num_residuals, options, data,
                 parameters);
  return Run(model, nullptr, options, data, parameters, results);
}

FitManySummary FitMany(const FitFunction& function,
                       const FitManyOptions& options, const FitData& data,
                       const FitParameters& parameters,
                       const FitResults& results) {
  CheckArguments(function.residuals != nullptr, function.num_residuals, options,
                 data, parameters);
  FitModel model;
  model.num_residuals = function.num_residuals;
  return Run(model, &function, options, data, parameters, results);
}

}  // namespace ceres
