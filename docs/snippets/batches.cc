// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Five ways to add many measurements.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

#include "ceres/autodiff_batch.h"
#include "ceres/ceres.h"
#include "ceres/residual_batch.h"

namespace {

// [residual]
struct Sample {
  double t, y;
};

struct SampleError {
  template <typename T>
  bool operator()(const T* amplitude, const T* rate, T* residual) const {
    residual[0] = amplitude[0] * exp(rate[0] * sample.t) - sample.y;
    return true;
  }

  Sample sample;
};
using Cost = ceres::AutoDiffCostFunction<SampleError, 1, 1, 1>;
// [/residual]

// [autodiff_batch]
// D is the type of the data: T is a type that carries derivatives.
struct SampleModel {
  template <typename T, typename D>
  bool operator()(const T* amplitude, const T* rate, const D* sample,
                  T* residual) const {
    using std::exp;
    residual[0] = amplitude[0] * exp(rate[0] * sample[0]) - sample[1];
    return true;
  }
};
using Lanes = ceres::AutoDiffBatch<SampleModel, 1, 1, 1>;
// [/autodiff_batch]

// [batch]
// Row i of the batch is sample i.
class SampleBatch : public ceres::ResidualBatch {
 public:
  explicit SampleBatch(std::vector<Sample> samples)
      : ResidualBatch(static_cast<std::int64_t>(samples.size()),
                      /*num_residuals=*/1, /*parameter_block_sizes=*/{1, 1}),
        samples_(std::move(samples)) {}

  int Evaluate(const ceres::BatchRows& rows,
               const ceres::BatchOutput& output) const override {
    for (int i = 0; i < rows.count; ++i) {
      const Sample& sample = samples_[rows.rows[i]];
      const double amplitude = rows.parameters[2 * i][0];
      const double rate = rows.parameters[2 * i + 1][0];
      const double growth = std::exp(rate * sample.t);
      const std::int64_t at = i * output.stride;
      output.residuals[at] = amplitude * growth - sample.y;
      if (output.jacobians == nullptr) continue;
      if (output.jacobians[0] != nullptr) output.jacobians[0][at] = growth;
      if (output.jacobians[1] != nullptr) {
        output.jacobians[1][at] = amplitude * sample.t * growth;
      }
    }
    return rows.count;
  }

 private:
  const std::vector<Sample> samples_;
};
// [/batch]

// [many_residuals]
// All samples in one residual block. Refers to the samples.
struct AllSamplesError {
  template <typename T>
  bool operator()(const T* amplitude, const T* rate, T* residuals) const {
    for (const Sample& sample : samples) {
      *residuals++ = amplitude[0] * exp(rate[0] * sample.t) - sample.y;
    }
    return true;
  }

  const std::vector<Sample>& samples;
};
// [/many_residuals]

void SolveAndPrint(const char* what, const double& amplitude,
                   const double& rate, ceres::Problem* problem) {
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_QR;
  ceres::Solver::Summary summary;
  ceres::Solve(options, problem, &summary);
  std::printf("%-20s %5d %9d   %.3f %6.3f\n", what,
              problem->NumResidualBlocks(), problem->NumResiduals(), amplitude,
              rate);
}

}  // namespace

int main() {
  std::vector<Sample> samples;
  for (int i = 0; i < 1000; ++i) {
    const double t = 0.002 * i;
    samples.push_back({t, 3.0 * std::exp(-0.8 * t)});
  }
  std::printf("                    blocks residuals   result\n");
  {
    double amplitudes[2] = {1.0, 1.0}, rate = 0.0;
    ceres::Problem problem;
    // [add_batch]
    // Two sensors take turns. Each has its amplitude; the rate is common.
    std::vector<std::int32_t> sensor_of;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      sensor_of.push_back(static_cast<std::int32_t>(i % 2));
    }
    const ceres::ParameterArray sensors =
        problem.AddParameterArray(amplitudes, /*count=*/2, /*size=*/1);
    const ceres::ResidualBatchId batch =
        problem.AddResidualBatch(std::make_unique<SampleBatch>(samples),
                                 nullptr, {{sensors, sensor_of}, &rate});
    // [/add_batch]
    SolveAndPrint("as a batch", amplitudes[0], rate, &problem);
    // [change_batch]
    const std::vector<double> weights(samples.size(), 1.0 / 0.05);  // 1 / sigma
    problem.SetResidualBatchWeights(batch, weights.data());
    problem.SetRowActive(batch, 17, false);
    // [/change_batch]
    SolveAndPrint("  weighted", amplitudes[0], rate, &problem);
  }
  {
    double amplitudes[2] = {1.0, 1.0}, rate = 0.0;
    const std::vector<std::int32_t> sensor_of(samples.size(), 0);
    ceres::Problem problem;
    const ceres::ParameterArray sensors =
        problem.AddParameterArray(amplitudes, /*count=*/2, /*size=*/1);
    // [add_lanes]
    // The columns of row i: samples[i].t, samples[i].y.
    const ceres::BatchColumns columns(
        &samples[0].t, static_cast<std::int64_t>(samples.size()), 2);
    problem.AddResidualBatch(std::make_unique<Lanes>(columns), nullptr,
                             {{sensors, sensor_of}, &rate});
    // [/add_lanes]
    SolveAndPrint("in lanes", amplitudes[0], rate, &problem);
  }
  {
    double amplitude = 1.0, rate = 0.0;
    ceres::Problem problem;
    // [one_by_one]
    for (const Sample& sample : samples) {
      problem.AddResidualBlock(new Cost(new SampleError{sample}), nullptr,
                               &amplitude, &rate);
    }
    // [/one_by_one]
    SolveAndPrint("one by one", amplitude, rate, &problem);
  }
  {
    double amplitude = 1.0, rate = 0.0;
    ceres::Problem problem;
    // [bulk]
    std::vector<ceres::CostFunction*> costs;
    std::vector<double*> parameters;  // In the order of the cost functions.
    for (const Sample& sample : samples) {
      costs.push_back(new Cost(new SampleError{sample}));
      parameters.push_back(&amplitude);
      parameters.push_back(&rate);
    }
    const std::vector<ceres::ResidualBlockId> ids =
        problem.AddResidualBlocks(costs, nullptr, parameters);
    // [/bulk]
    SolveAndPrint("in bulk", amplitude, rate, &problem);
    if (ids.size() != samples.size()) return 1;
  }
  {
    double amplitude = 1.0, rate = 0.0;
    ceres::Problem problem;
    // [one_block]
    problem.AddResidualBlock(
        new ceres::AutoDiffCostFunction<AllSamplesError, ceres::DYNAMIC, 1, 1>(
            new AllSamplesError{samples}, static_cast<int>(samples.size())),
        nullptr, &amplitude, &rate);
    // [/one_block]
    SolveAndPrint("in one block", amplitude, rate, &problem);
  }
}
