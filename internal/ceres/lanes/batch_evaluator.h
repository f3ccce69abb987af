// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_LANES_BATCH_EVALUATOR_H_
#define CERES_INTERNAL_LANES_BATCH_EVALUATOR_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "ceres/batch_columns.h"
#include "ceres/internal/traced_batch.h"
#include "ceres/lanes/batch_kernels.h"
#include "ceres/lanes/lane_kernels.h"
#include "ceres/lanes/lane_numbers.h"
#include "ceres/lanes/lane_program.h"
#include "ceres/lanes/tape.h"

namespace ceres::internal::lanes {

// Evaluates the rows of a TracedBatch.
//
// A record of the functor holds for the rows that take its decisions: its path.
// The evaluator keeps a program for each path that it has met. It runs one of
// them on all rows, the next one on the rows that are left, and so on. A row
// fits exactly one path, so its results do not depend on other rows or on the
// order of paths.
//
// Concurrency: a path does not change after it has been published by a store to
// num_paths_ with release order, which readers load with acquire order. Paths
// are added under mutex_, and never removed. favourite_ is a hint: any value
// gives the same results. Scratch memory belongs to the thread.
class BatchEvaluator {
 public:
  // The batch outlives the evaluator.
  BatchEvaluator(const TracedBatch& batch, BatchColumns data);

  // See ResidualBatch::Evaluate.
  int Evaluate(const BatchRows& rows, const BatchOutput& output);

 private:
  // Programs that are kept.
  static constexpr int kMaxPaths = 64;

  // A program, and the places of its numbers.
  struct PlacedProgram {
    FlatProgram code;
    std::vector<double> constants;
    // Places of results, and of conditions with their outcomes.
    std::vector<std::uint32_t> results;
    std::vector<std::pair<std::uint32_t, bool>> guards;
    // Doubles.
    std::ptrdiff_t memory_size = 0;
  };
  // Both programs are made from one record, so that residuals have the same
  // bits with and without Jacobians.
  struct Path {
    PlacedProgram residuals, jacobians;
    // Whether the functor returns false.
    bool fails = false;
  };
  // A call of the functor. Its results are the residuals, and then the
  // derivatives by each block, row by row.
  struct Recording {
    Tape tape{/*is_exact=*/true};
    std::vector<Traced> results;
    bool fails = false;
  };
  struct Call;
  struct Scratch;

  void Run(const Path& path, Call* call) const;
  void RunBlock(const Path& path, const int* indices, int count,
                Call* call) const;
  void Gather(const Call& call, const int* indices, int count,
              double* to) const;
  void Write(const PlacedProgram& program, const int* indices, int num_samples,
             const RowBits& fits, Call* call, RowBits* failed) const;
  void Record(const Call& call, int index, Recording* recording) const;
  void OrderResults(const std::vector<Traced>& residuals,
                    const std::vector<Traced>& derivatives,
                    Recording* recording) const;
  void AddPath(const Call& call, int num_known);
  PlacedProgram Place(const Program& program) const;
  void EvaluateAlone(int index, Call* call) const;

  const TracedBatch& batch_;
  const BatchColumns data_;
  const BatchColumns inputs_;  // the columns that rows do not share
  const int num_residuals_;
  std::vector<int> offsets_;  // Of blocks, and the end.
  int num_parameters_ = 0;

  std::array<std::unique_ptr<const Path>, kMaxPaths> paths_;
  std::atomic<int> num_paths_{0};
  std::atomic<int> favourite_{0};
  std::mutex mutex_;
};

}  // namespace ceres::internal::lanes

#endif  // CERES_INTERNAL_LANES_BATCH_EVALUATOR_H_
