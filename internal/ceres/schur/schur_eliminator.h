// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SCHUR_SCHUR_ELIMINATOR_H_
#define CERES_INTERNAL_SCHUR_SCHUR_ELIMINATOR_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ceres/execution/aligned_buffer.h"
#include "ceres/execution/execution.h"
#include "ceres/execution/solve_workspace.h"
#include "ceres/kernels/schur_kernels.h"
#include "ceres/linear/block_jacobian.h"
#include "ceres/schur/direct_system.h"
#include "ceres/schur/schur_plan.h"

namespace ceres::internal {

// The numerical phase of Schur elimination. SchurPlan is the symbolic phase;
// kernels/schur_kernels.h has the formulas for one point. With the normal
// equations of the damped problem split into eliminated and remaining blocks,
//
// clang-format off
//     [ B   E'F ] [ y ]     [ E'r ]        S = C - F'E B^-1 E'F
//     [ F'E C   ] [ z ] = - [ F'r ] ,      S z = - (F'r - F'E B^-1 E'r)
//
//     B = E'E + D^2    block diagonal, eliminated     C = F'F + D^2
//
// a step is
//
//     phase              call             passes over the row blocks
//     kEliminate         Eliminate        one: B^-1, the partial sum of each merged chunk
//                                         gather by row: B^-1 and U, then each block row of S
//     kAssemble          Assemble...      none: S (or C) and the right-hand side are the
//                                         sums of the partial sums in order of merged chunks
//                        (the caller solves S z = ...)
//     kBackSubstitute    BackSubstitute   one: y, and the decrease of the model
// clang-format on
//
// The partial sums lie in WorkspaceRegion::kPartialSums, the factors L of the
// points in kPointFactors. Not thread-safe.
// Results have the same bits for every number of threads.
class SchurEliminator final : public SystemSource {
 public:
  // Whether U of all points is kept, for products with S.
  enum class KeepU { kNo, kYes };

  // `plan` and `workspace` must outlive this. workspace: null, or that of the
  // solve, whose phases the caller enters.
  SchurEliminator(const Execution& execution, const SchurPlan& plan, KeepU keep,
                  SolveWorkspace* workspace = nullptr);

  const SchurPlan& plan() const { return plan_; }
  const Execution& execution() const override { return execution_; }
  const BlockSymmetricStructure& pattern() const override {
    return plan_.pattern();
  }

  // damping: D by column, or null. Damping and Jacobian must live until the
  // step is complete. False, with a message that names the eliminated block, if
  // B is not positive definite.
  [[nodiscard]] bool Eliminate(const BlockJacobian& jacobian,
                               const double* damping, std::string* message);

  // The right hand side - (F'r - F'E B^-1 E'r), num_remaining values.
  void AssembleRhs(double* rhs) override;
  // The reduced matrix, damping included. Entries outside its pattern are zero.
  // AssembleDense: row-major, the upper triangle and whole diagonal blocks.
  // AssembleBlocks: the values of the plan's pattern().
  // AssemblePanels: blocks in panel layout, split (kernels/split_panels.h),
  // with zeros as padding.
  void AssembleDense(double* matrix) override;
  void AssembleBlocks(double* values) const;
  const double* Blocks(WorkspaceArray* memory) override;
  // The lower triangle as the pivot rows of one front (kernels/front_layout.h).
  void AssembleFront(double* front) override;
  struct SplitPanels {
    const int64_t* value_offset;  // by entry: of its block in both parts
    const int* scale_offset;      // by block row
    const double* scale;          // see SplitPanelBlock
    int32_t* whole;
    float* rest;
  };
  // False if not all blocks could be split.
  [[nodiscard]] bool AssemblePanels(const SplitPanels& panels) const;
  // Block `entry` of the pattern, which is in block row `row`; row-major.
  // Thread-safe.
  void AssembleEntry(int row, int entry, double* block) const;
  // Diagonal blocks of C (kRemaining) or of S, damping included; row-major,
  // block i at offset[i]. Not checked: for C the plan's diagonal must not be
  // kFused, for S it must not be kNone.
  enum class Diagonal { kRemaining, kSchurComplement };
  void AssembleDiagonal(Diagonal which, const int64_t* offset,
                        double* blocks) const;

  // Computes y from z, which is in the remaining part of `step`. Returns the
  // decrease of the model 1/2 |J x + r|^2 from x = 0 to the step; NaN if the
  // source of the Jacobian has failed.
  double BackSubstitute(double* step);

  // The damping of the last Eliminate, by column, or null.
  const double* damping() const { return damping_; }

  // U of the last Eliminate, if kept. All its doubles are finite if the input
  // was.
  const double* u() const { return u_.data(); }

  // L of the points of the last Eliminate (kernels::SchurTarget::factor), at
  // plan().storage().factor_offset().
  const double* factor() const { return factor_; }

  kernels::SchurView View() const;

 private:
  template <typename F>
  void ForPoints(int thread_id, const kernels::SchurView& view, int begin,
                 int end, const F& f);
  template <typename F>
  void ForRows(int thread_id, const kernels::SchurView& view, int begin,
               int end, const F& f);
  kernels::SchurView ReadRows(int thread_id, const kernels::SchurView& view,
                              int begin, int end);
  kernels::SchurTarget Target(int thread_id);
  int EliminateMergedChunk(int thread_id, int m,
                           const kernels::SchurView& view);
  int EliminateBatches(int thread_id, const kernels::SchurView& view,
                       const kernels::SchurTarget& target, int m,
                       kernels::SchurShape shape,
                       const SchurBatches::Range& range);
  int EliminatePoints(int thread_id, const kernels::SchurView& view,
                      const kernels::SchurTarget& target,
                      const UniformRange& range);
  int FormRowChunk(int thread_id, int row_chunk,
                   const kernels::SchurView& view);
  void GatherRows(const kernels::SchurView& view);
  // sum = the sum of the partial sums of an entry: of each, `size` doubles from
  // `position` on.
  void SumSources(int entry, int position, int size, double* sum) const;
  // The value of an entry, damping and second block included.
  void SumEntry(int row, int entry, double* panel_block) const;
  void AddDamping(int block, double* panel_block) const;
  void AddSecondBlock(int block, double* panel_block) const;
  template <typename F>
  void ForEachEntry(const F& f) const;

  const Execution execution_;
  const SchurPlan& plan_;
  const KeepU keep_;
  const BlockJacobian* jacobian_ = nullptr;
  const double* damping_ = nullptr;
  WorkspaceArray partial_sums_memory_;
  double* partial_sums_ = nullptr;  // from the first Eliminate on
  WorkspaceArray factor_memory_;
  double* factor_ = nullptr;         // from the first Eliminate on
  AlignedBuffer u_;                  // if kept
  AlignedBuffer w_;                  // L^-1 E'r, if gathered by row
  int64_t thread_scratch_size_ = 0;  // doubles, a multiple of 8
  int64_t thread_u_size_ = 0;        // doubles of it for U
  AlignedBuffer scratch_;            // by thread
  // If the Jacobian has a source: by thread, the row blocks of a part.
  std::vector<AlignedBuffer> parts_;
  std::vector<int> failed_point_;  // by merged chunk (row chunk), -1: none
  std::vector<double> row_chunk_decrease_;  // by row chunk
  std::vector<int64_t> assembly_cost_;      // by block row, cumulative
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SCHUR_SCHUR_ELIMINATOR_H_
