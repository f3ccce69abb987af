// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_EXECUTION_SOLVE_WORKSPACE_H_
#define CERES_INTERNAL_EXECUTION_SOLVE_WORKSPACE_H_

#include <cstdint>
#include <optional>

#include "ceres/execution/aligned_buffer.h"
#include "ceres/execution/execution.h"

namespace ceres::internal {

// The arrays of a solve that share memory: phases, regions, the table of both,
// and the workspace that owns the memory.

// The phases of a solve, in the order of an iteration. A linear solve may leave
// out phases. kEliminate and kEvaluate may follow every phase.
enum class SolvePhase {
  kEvaluate,        // cost, Jacobian, gradient; the minimizer; callbacks
  kEliminate,       // the damping; elimination of points
  kAssemble,        // the reduced matrix and its right-hand side are summed up
  kFillFronts,      // the blocks of the matrix are copied to the sparse factor
  kFactorize,       // sparse factorization and triangular solves
  kBackSubstitute,  // values of the eliminated blocks
};

// A region is the array of one module. Contents of a region are lost when a
// phase begins in which it is not valid.
enum class WorkspaceRegion {
  kColumnSums,      // Evaluator: partial sums of gradient and column norms
  kPartialSums,     // SchurEliminator: partial sums of the reduced matrix
  kSparseFactor,    // NativeCholesky: columns of all fronts
  kBlockValues,     // DirectSystem, sparse: blocks of the reduced matrix
  kUpdateMatrices,  // NativeCholesky: update matrices of fronts
  kPointFactors,    // SchurEliminator: factors of the eliminated blocks
};

// The table of regions: the phases in which a region is valid, and the memory
// that it lies in. Regions with the same letter share memory; in each phase at
// most one of them is valid. kLargest: the region shares the largest memory of
// all, because no other region is valid together with it.
namespace workspace_table {

enum Memory { kA, kB, kC, kNumMemories, kLargest };

struct Row {
  WorkspaceRegion region;
  const char* name;
  Memory memory;
  // '#' in column 3 p + 1: valid in phase p.
  const char* valid;
};

// clang-format off
inline constexpr Row kRows[] = {
    //                               Evaluate, Eliminate, Assemble, FillFronts, Factorize, BackSubstitute
    //                                                               Ev El As FF Fa BS
    {WorkspaceRegion::kColumnSums,     "kColumnSums",     kLargest, " #  .  .  .  .  ."},
    {WorkspaceRegion::kPartialSums,    "kPartialSums",    kA,       " .  #  #  .  .  ."},
    {WorkspaceRegion::kSparseFactor,   "kSparseFactor",   kA,       " .  .  .  #  #  ."},
    {WorkspaceRegion::kBlockValues,    "kBlockValues",    kB,       " .  .  #  #  .  ."},
    {WorkspaceRegion::kUpdateMatrices, "kUpdateMatrices", kB,       " .  .  .  .  #  ."},
    {WorkspaceRegion::kPointFactors,   "kPointFactors",   kC,       " .  #  #  #  #  #"},
};
// clang-format on

inline constexpr int kNumRegions = sizeof(kRows) / sizeof(kRows[0]);
inline constexpr int kNumPhases = 6;

constexpr const Row& RowOf(WorkspaceRegion region) {
  return kRows[static_cast<int>(region)];
}
constexpr bool IsValidIn(WorkspaceRegion region, SolvePhase phase) {
  return RowOf(region).valid[3 * static_cast<int>(phase) + 1] == '#';
}
constexpr bool ShareMemory(WorkspaceRegion a, WorkspaceRegion b) {
  const Memory memory = RowOf(a).memory;
  const Memory other = RowOf(b).memory;
  return memory == other || memory == kLargest || other == kLargest;
}

}  // namespace workspace_table

// Whether this build checks phases: a debug build, or one with
// AddressSanitizer.
#if !defined(NDEBUG) || defined(__SANITIZE_ADDRESS__)
inline constexpr bool kChecksWorkspace = true;
#else
inline constexpr bool kChecksWorkspace = false;
#endif

// An array that is allocated when it is first used, as large as the largest
// size that was reserved before.
class LazyBuffer {
 public:
  // Doubles. `execution`: null, or the threads that touch the pages of a large
  // array when it is allocated.
  void Reserve(std::int64_t size, const Execution* execution);
  // On a cache line; null if the size is 0. The first call allocates, and
  // throws std::bad_alloc.
  double* data() {
    if (buffer_.data() == nullptr) Allocate();
    return buffer_.data();
  }
  bool is_allocated() const { return buffer_.size() > 0; }
  std::int64_t size() const { return size_; }

 private:
  void Allocate();

  AlignedBuffer buffer_;
  std::int64_t size_ = 0;
  std::optional<Execution> execution_;
};

// Owns the memory of all regions and knows the phase. A solve has one
// workspace. Modules register their regions when they are created (Reserve);
// memory is allocated when a region is first used (Get), and does not move.
//
// Builds that check phases (kChecksWorkspace) give each region memory of its
// own. Memory of a region that is not valid is filled with signalling NaN and,
// with AddressSanitizer, poisoned: a read in the wrong phase is reported. Get
// checks the phase, too. In other builds a phase is one number.
//
// For one thread at a time; pointers that Get has returned may be used by all
// threads.
class SolveWorkspace {
 public:
  SolveWorkspace() = default;
  ~SolveWorkspace();
  SolveWorkspace(const SolveWorkspace&) = delete;
  SolveWorkspace& operator=(const SolveWorkspace&) = delete;

  // Registers a region. Memory has the largest of the sizes that are reserved
  // for its regions; after the first Get of one of them a larger size is an
  // error. execution: see LazyBuffer::Reserve.
  void Reserve(WorkspaceRegion region, std::int64_t size,
               const Execution* execution = nullptr);

  // As many doubles as were reserved, on a cache line. The region must be valid
  // in the phase.
  double* Get(WorkspaceRegion region) {
    if constexpr (kChecksWorkspace) return GetChecked(region);
    return MemoryOf(region).data();
  }

  SolvePhase phase() const { return phase_; }
  void Enter(SolvePhase phase) {
    if constexpr (kChecksWorkspace) ChangeValidRegions(phase);
    phase_ = phase;
  }

  // The time of a linear solve: enters kEliminate, and at its end, by an
  // exception or not, kEvaluate.
  class LinearSolve {
   public:
    // workspace: may be null.
    explicit LinearSolve(SolveWorkspace* workspace) : workspace_(workspace) {
      if (workspace_ != nullptr) workspace_->Enter(SolvePhase::kEliminate);
    }
    ~LinearSolve() {
      if (workspace_ != nullptr) workspace_->Enter(SolvePhase::kEvaluate);
    }
    LinearSolve(const LinearSolve&) = delete;
    LinearSolve& operator=(const LinearSolve&) = delete;

   private:
    SolveWorkspace* const workspace_;
  };

 private:
  static constexpr int kNumBuffers = kChecksWorkspace
                                         ? workspace_table::kNumRegions
                                         : workspace_table::kNumMemories;

  // The memory of a region that is used, not only reserved.
  LazyBuffer& MemoryOf(WorkspaceRegion region) {
    if constexpr (kChecksWorkspace) return buffers_[static_cast<int>(region)];
    const workspace_table::Memory memory =
        workspace_table::RowOf(region).memory;
    return memory == workspace_table::kLargest ? Largest() : buffers_[memory];
  }
  LazyBuffer& Largest() {
    return largest_ != nullptr ? *largest_ : ChooseLargest();
  }
  LazyBuffer& ChooseLargest();
  double* GetChecked(WorkspaceRegion region);
  void ChangeValidRegions(SolvePhase next);

  SolvePhase phase_ = SolvePhase::kEvaluate;
  LazyBuffer buffers_[kNumBuffers];
  // The memory of the regions with kLargest, from their first use on, and the
  // largest of their sizes.
  LazyBuffer* largest_ = nullptr;
  std::int64_t size_in_largest_ = 0;
};

// Enters a phase of the workspace; without a workspace, does nothing.
inline void EnterPhase(SolveWorkspace* workspace, SolvePhase phase) {
  if (workspace != nullptr) workspace->Enter(phase);
}

// A module's array: a region of the workspace or, without a workspace, memory
// of its own. Allocated when it is first used.
class WorkspaceArray {
 public:
  WorkspaceArray(SolveWorkspace* workspace, WorkspaceRegion region)
      : workspace_(workspace), region_(region) {}

  void Reserve(std::int64_t size, const Execution* execution = nullptr) {
    if (workspace_ != nullptr) {
      workspace_->Reserve(region_, size, execution);
    } else {
      own_.Reserve(size, execution);
    }
  }
  double* data() {
    return workspace_ != nullptr ? workspace_->Get(region_) : own_.data();
  }

 private:
  SolveWorkspace* const workspace_;
  const WorkspaceRegion region_;
  LazyBuffer own_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_EXECUTION_SOLVE_WORKSPACE_H_
