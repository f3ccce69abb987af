// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_EVALUATION_EXPENSIVE_BLOCKS_H_
#define CERES_INTERNAL_EVALUATION_EXPENSIVE_BLOCKS_H_

#include <array>
#include <functional>
#include <vector>

#include "ceres/base/clock.h"
#include "ceres/evaluation/evaluation_strategy.h"
#include "ceres/execution/execution.h"
#include "ceres/linear/block_jacobian.h"

namespace ceres::internal {

// The strategy of row blocks whose cost functions take long: simulations, ray
// casting, numeric derivatives of large functions. Row chunks are cut by the
// number of values, and a few hundred such rows make a single row chunk. So the
// clock watches row chunks. The rows of a row chunk that turns out to be
// expensive are deferred; after all row chunks, all threads evaluate the
// deferred rows, each row by one thread. Contributions are added up afterwards,
// in row order: which rows are deferred depends on time, results do not.
//
//   blocks.Begin(evaluation);
//   if (blocks.is_watching()) {      // most cheap evaluations are not watched
//     for each row chunk, by any thread:
//       ExpensiveBlocks::RowChunkWatch watch(&blocks, row chunk);
//       while rows are left:
//         watch.NextRows(row) > 0: evaluate as many by another strategy
//         watch.NextRows(row) == 0: blocks.Evaluate(the rows that are left)
//       watch.Stop();
//     if (blocks.HasDeferredRows()) {
//       blocks.EvaluateDeferredRows(...);
//       for each of blocks.deferred(): add up
//     }
//   }
class ExpensiveBlocks final : public EvaluationStrategy {
 public:
  // The last rows of a row chunk, which are deferred.
  struct DeferredRows {
    int row_chunk;
    int begin;
    int end;
    int first_index;  // of `begin`, among all deferred rows
  };

  // Whether several threads could share the rows of a problem.
  static bool Possible(const BlockJacobianStructure& structure,
                       const Execution& execution);

  // `structure` must outlive this.
  ExpensiveBlocks(const BlockJacobianStructure& structure,
                  const Execution& execution);

  // Chooses whether the evaluation is watched: not if the last ones were cheap.
  void Begin(const Evaluation& evaluation) override {
    is_watching_ = --plain_evaluations_ < 0;
    if (is_watching_) BeginWatching(evaluation);
  }
  bool is_watching() const { return is_watching_; }

  // Defers the rows of a batch, the last ones of their row chunk.
  Outcome Evaluate(const Evaluation& evaluation, const RowBatch& batch,
                   const Worker& worker, double* cost) override;

  // Measures how long the rows of one row chunk take. For one thread.
  class RowChunkWatch {
   public:
    // blocks: null if nothing is watched.
    RowChunkWatch(ExpensiveBlocks* blocks, int row_chunk)
        : blocks_(blocks), row_chunk_(row_chunk) {}

    bool is_on() const { return blocks_ != nullptr; }
    // How many rows to evaluate before the next call, when the rows before
    // `row` are done. 0: the rows from `row` on are expensive. For watches that
    // are on.
    int NextRows(int row);
    // Ends the measurement.
    void Stop();

   private:
    ExpensiveBlocks* const blocks_;
    const int row_chunk_;
    int batch_ = 0;  // the rows asked for last
    base::Ticks start_ = 0;
  };

  // After the watches have been stopped: whether rows are deferred.
  bool HasDeferredRows();
  // The threads for deferred rows. Made here if the solve has none so far.
  const Execution& Threads();
  // Calls evaluate(thread_id, row chunk, row, &cost) once for each deferred
  // row, in any order. thread_id: of Threads(). cost: where the cost of the row
  // is kept. Throws Stopped, and what `evaluate` throws.
  using EvaluateRow =
      std::function<void(int thread_id, int row_chunk, int row, double* cost)>;
  void EvaluateDeferredRows(const EvaluateRow& evaluate);
  // By row chunk.
  const std::vector<DeferredRows>& deferred() const { return deferred_; }
  double cost(const DeferredRows& rows, int row) const {
    return notes_[IndexOf(rows, row)].cost;
  }

 private:
  enum class Kind { kCost, kJacobian };
  // The state of a deferred row. Times are in nanoseconds.
  struct Note {
    double cost = 0.0;
    float time = 0.0f;
    bool is_long = false;
  };
  struct RowChunk {
    // In nanoseconds, of the last evaluation of each kind and of this one.
    // Negative: not known.
    std::array<float, 2> times;
    float time;
    int first_deferred;  // row
  };

  void BeginWatching(const Evaluation& evaluation);
  float LastTime(int row_chunk) const;
  bool IsKnownToBeExpensive(int row_chunk) const;
  bool IsExpensive(float time, int num_rows, bool is_large_share) const;
  bool TurnsOutToBeExpensive(int row_chunk, int num_done, float time) const;
  static int IndexOf(const DeferredRows& rows, int row) {
    return rows.first_index + row - rows.begin;
  }
  void ListDeferredRows();
  const DeferredRows* FindDeferredRow(int row) const;
  float PredictTime() const;
  void EvaluateIndex(const EvaluateRow& evaluate, int thread_id, int index);
  void FindLongRows(double total_time);
  void Learn();

  const BlockJacobianStructure& structure_;
  const Execution execution_;
  Execution threads_;  // execution_, or the threads made on demand
  const int num_threads_;
  int plain_evaluations_ = 0;  // before the next one that is watched
  bool is_watching_ = false;

  Kind kind_ = Kind::kCost;
  std::vector<RowChunk> row_chunks_;
  std::vector<DeferredRows> deferred_;
  std::vector<Note> notes_;  // by index
  // Rows that take so long that the evaluation would wait for them at its end
  // unless they are begun first.
  std::vector<int> long_rows_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_EVALUATION_EXPENSIVE_BLOCKS_H_
