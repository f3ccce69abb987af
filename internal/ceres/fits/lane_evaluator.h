// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_FITS_LANE_EVALUATOR_H_
#define CERES_INTERNAL_FITS_LANE_EVALUATOR_H_

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "ceres/fit_many.h"
#include "ceres/lanes/lane_kernels.h"
#include "ceres/lanes/lane_numbers.h"
#include "ceres/lanes/lane_program.h"

namespace ceres::internal::lanes {
class Tape;
}  // namespace ceres::internal::lanes

namespace ceres::internal::fits {

using lanes::kBlockSamples;
using lanes::kLanes;
using lanes::LaneArray;
using lanes::LaneNumbers;
using lanes::PaddedSize;
using lanes::Program;
using lanes::ProgramMemory;
using lanes::Row;

// The samples of the fits in the lanes.
struct LaneSamples {
  int num_columns = 0;  // The weights, if there are some, are the last one.
  // What FunctionColumns computes.
  int num_function_columns = 0;
  std::int64_t capacity = 0;
  LaneArray columns;  // [num_columns + num_function_columns][capacity]
  // The number of samples of each lane; 0 for a lane without a fit.
  std::array<std::int64_t, kLanes> counts{};
};

// Evaluates a model in lanes: cost, J'J and J'r.
//
// A record of the model holds for the samples that take its decisions. The
// evaluator keeps a program for each combination of decisions that it has met.
// It runs all of them on a block, as long as samples are left that none of them
// fits, and keeps of each what belongs to it. A sample fits exactly one
// combination, so its numbers do not depend on the others or on the order of
// programs.
//
// Not thread-safe: one object per thread.
class LaneEvaluator {
 public:
  // The model and the loss outlive the evaluator. Without model.residuals, the
  // columns after those of samples are derivatives and residuals, as
  // FunctionColumns writes them. Derivatives by parameters that are fixed, if
  // it is not null, are zero.
  LaneEvaluator(const FitModel& model,
                const std::function<Traced(const Traced&)>& loss,
                int num_parameters, const bool* fixed, bool has_weights);

  // Entries of J'J and J'r, as AddProducts has them.
  int num_products() const { return padded_size_ * padded_size_; }

  // parameters: [num_parameters]. Sets the products and the costs of the lanes
  // that have samples; numbers of other lanes are undefined. If the model
  // cannot be evaluated in a lane, its cost is NaN.
  void Evaluate(const LaneSamples& samples, const LaneArray& parameters,
                LaneArray* products, LaneNumbers* costs);

 private:
  // Marks samples of a block: [sample][lane].
  using Marks = std::array<bool, kBlockSamples * kLanes>;
  struct Path {
    Program program;
    LaneArray uniforms;
    bool is_prepared = false;  // For the current parameters.
  };
  struct Block {
    const LaneSamples* samples = nullptr;
    const LaneArray* parameters = nullptr;
    std::int64_t first = 0;
    int size = 0;
  };

  void EvaluateBlock(const Block& block, LaneArray* products);
  void AddBlockOfSeveralPaths(const Block& block, bool is_full,
                              LaneArray* products);
  void AddPath(const Block& block, int sample, int lane);
  std::vector<int> RecordRows(const std::vector<Traced>& parameters,
                              const std::vector<Traced>& data,
                              const Traced& weight, lanes::Tape* tape) const;
  std::vector<int> FunctionRows(const LaneSamples& samples, std::int64_t sample,
                                int lane, const Traced& weight,
                                lanes::Tape* tape) const;
  void Run(const Block& block, Path* path);
  ProgramMemory MemoryOf(const Block& block, Path* path);
  int NumRows() const;
  void ListRows(const Block& block, Path* path);
  Marks Taken(const Block& block, Path* path, const Marks& pending);
  void TakeRows(const Block& block, Path* path, const Marks& taken);
  void MarkAsUndefined(int index);
  void AddRows(int num_samples, LaneArray* products);

  const FitModel& model_;
  const std::function<Traced(const Traced&)>& loss_;
  const int num_parameters_;
  const bool* const fixed_;
  const bool has_weights_;
  const int padded_size_;

  std::vector<Path> paths_;
  LaneArray registers_;
  int block_samples_ = kBlockSamples;
  // The rows of a block that is put together from several programs, with zeros
  // where a lane has no sample; last the shares in the loss.
  LaneArray rows_;
  std::vector<Row> row_list_, padded_rows_;
  LaneNumbers loss_sums_;
};

}  // namespace ceres::internal::fits

#endif  // CERES_INTERNAL_FITS_LANE_EVALUATOR_H_
