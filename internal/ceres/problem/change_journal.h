// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PROBLEM_CHANGE_JOURNAL_H_
#define CERES_INTERNAL_PROBLEM_CHANGE_JOURNAL_H_

#include <cstddef>
#include <utility>
#include <vector>

#include "ceres/base/reserve_more.h"

namespace ceres::internal {

class ParameterBlock;
class ResidualBlock;

// The changes of a problem's structure since a reader last took them, in order.
// An address may name several blocks one after another: blocks are removed, and
// their memory is used again. Not thread-safe.
class ChangeJournal {
 public:
  enum class Kind {
    kResidualBlockAdded,
    kResidualBlockRemoved,  // the block no longer exists
    // Constant, variable, a manifold or bounds. The block may not exist any
    // more when the change is read.
    kParameterBlockChanged,
  };
  struct Change {
    Kind kind;
    ResidualBlock* residual_block;          // null for kParameterBlockChanged
    const ParameterBlock* parameter_block;  // null for the others
  };

  // Makes room for `count` more changes, or throws std::bad_alloc.
  void Reserve(std::size_t count) { ReserveMore(count, &changes_); }
  void NoteAdded(ResidualBlock* block) {
    changes_.push_back({Kind::kResidualBlockAdded, block, nullptr});
  }
  void NoteRemoved(ResidualBlock* block) {
    changes_.push_back({Kind::kResidualBlockRemoved, block, nullptr});
  }
  void NoteChanged(const ParameterBlock* block) {
    changes_.push_back({Kind::kParameterBlockChanged, nullptr, block});
  }
  // The last change is the addition of a block that is taken back.
  void ForgetNewest() { changes_.pop_back(); }
  std::vector<Change> Take() { return std::exchange(changes_, {}); }

 private:
  std::vector<Change> changes_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_PROBLEM_CHANGE_JOURNAL_H_
