// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_EVALUATION_EXPENSIVE_BLOCKS_H_
#define CERES_INTERNAL_EVALUATION_EXPENSIVE_BLOCKS_H_

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "ceres/base/clock.h"
#include "ceres/execution/execution.h"
#include "ceres/linear/block_jacobian.h"

namespace ceres::internal {

// Rows whose cost functions take long: simulations, ray casting, numeric
// derivatives of something large. Row chunks are cut by numbers of values, and
// a few hundred such rows make a single one. So the clock watches evaluations,
// and the rows of a row chunk that turns out to be expensive are left to all
// threads, each row to one. What rows add to is added up afterwards, in their
// order: which row chunks are left depends on timing, results do not.
//
//   if (rows.Watch(kind)) {          // most cheap evaluations are not watched
//     for each row chunk, by any thread:
//       ExpensiveBlocks::RowChunkWatch watch(&rows, row chunk);
//       while rows are left and watch.NextRows() > 0: evaluate so many
//       watch.Stop(first row that is left);
//     if (rows.HasRest()) {
//       rows.EvaluateRest(...);
//       for each of rows.rest(): add up
//     }
//   }
class ExpensiveBlocks {
 public:
  enum class Kind { kCost, kJacobian };
  // Rows of a row chunk that are left to EvaluateRest; the row chunk's last
  // ones.
  struct Rest {
    int row_chunk;
    int begin;
    int end;
    int first_index;  // of `begin`, among all rows that are left
  };

  // Whether several threads could share the rows of a problem.
  static bool Possible(const BlockJacobianStructure& structure,
                       const Execution& execution);

  // `structure` must outlive this.
  ExpensiveBlocks(const BlockJacobianStructure& structure,
                  const Execution& execution);

  // Begins an evaluation. False: it need not be watched, because the last ones
  // were cheap.
  bool Watch(Kind kind) {
    if (--plain_evaluations_ >= 0) return false;
    Begin(kind);
    return true;
  }

  // How long the rows of one row chunk take. For one thread.
  class RowChunkWatch {
   public:
    // `rows` may be null: then nothing is watched.
    RowChunkWatch(ExpensiveBlocks* rows, int row_chunk)
        : rows_(rows), row_chunk_(row_chunk) {}

    bool is_on() const { return rows_ != nullptr; }
    // How many rows to evaluate before asking again, when those before `row`
    // are done; 0: none, leave the rest.
    int NextRows(int row);
    // The rows before `row` are done; the others of the row chunk are left.
    void Stop(int row);

   private:
    ExpensiveBlocks* const rows_;
    const int row_chunk_;
    int batch_ = 0;  // the rows asked for last
    parallel::detail::Ticks start_ = 0;
  };

  // When the watches have been stopped: whether a row chunk was left.
  bool HasRest();
  // Threads for the rest. Made here if the solve has none so far.
  const Execution& ThreadsForRest();
  // Calls evaluate(thread_id, row chunk, row, &cost) for all rows that are
  // left, each once, in any order; thread_id is that of ThreadsForRest(), and
  // cost where the row's may be kept. Lets exceptions through, and Stopped if
  // the evaluation is to stop.
  using EvaluateRow =
      std::function<void(int thread_id, int row_chunk, int row, double* cost)>;
  void EvaluateRest(const EvaluateRow& evaluate);
  // By row chunk.
  const std::vector<Rest>& rest() const { return rest_; }

  double cost(const Rest& rest, int row) const {
    return notes_[IndexOf(rest, row)].cost;
  }

 private:
  // Of a row that was left.
  struct Note {
    double cost = 0.0;
    float time = 0.0f;
    bool is_long = false;
  };
  struct RowChunk {
    // Nanoseconds, the last by Kind and now; negative: not known.
    std::array<float, 2> times;
    float time;
    int first_left;  // row
  };

  void Begin(Kind kind);
  float LastTime(int row_chunk) const;
  bool IsKnownToBeExpensive(int row_chunk) const;
  bool IsExpensive(float time, int num_rows, bool is_large_share) const;
  bool TurnsOutToBeExpensive(int row_chunk, int num_done, float time) const;
  static int IndexOf(const Rest& rest, int row) {
    return rest.first_index + row - rest.begin;
  }
  void ListRest();
  const Rest* FindRest(int row) const;
  float PredictRest() const;
  void EvaluateIndex(const EvaluateRow& evaluate, int thread_id, int index);
  void FindLongRows(double total_time);
  void Learn();

  const BlockJacobianStructure& structure_;
  const Execution execution_;
  Execution threads_;  // where execution_ has none
  const int num_threads_;
  int plain_evaluations_ = 0;  // until the next one is watched

  Kind kind_ = Kind::kCost;
  std::vector<RowChunk> row_chunks_;
  std::vector<Rest> rest_;
  std::vector<Note> notes_;  // by index
  // Those that take so long that the others should not wait for them in the
  // end: they are begun with.
  std::vector<int> long_rows_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_EVALUATION_EXPENSIVE_BLOCKS_H_
