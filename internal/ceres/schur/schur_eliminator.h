// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SCHUR_SCHUR_ELIMINATOR_H_
#define CERES_INTERNAL_SCHUR_SCHUR_ELIMINATOR_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ceres/execution/aligned_buffer.h"
#include "ceres/execution/execution.h"
#include "ceres/kernels/schur_kernels.h"
#include "ceres/linear/block_jacobian.h"
#include "ceres/schur/dense_system.h"
#include "ceres/schur/schur_plan.h"

namespace ceres::internal {

// The numerical half of Schur elimination (see SchurPlan for the symbolic one,
// kernels/schur_kernels.h for the formulas). With the normal equations of the
// damped problem split into eliminated and remaining blocks,
//
//     [ B   E'F ] [ y ]     [ E'r ]        S = C - F'E B^-1 E'F
//     [ F'E C   ] [ z ] = - [ F'r ] ,      S z = - (F'r - F'E B^-1 E'r)
//
// (B = E'E + D^2, C = F'F + D^2), a step is
//
//     Eliminate           one pass over the row blocks: B^-1 and the products
//     of
//                         every group, in the group's copy; where owners
//                         compute, B^-1 and U in a first pass, and the products
//                         of every block row in a second one
//     Assemble...         the sum of the copies: S (or C), right hand side
//     (the caller solves for z)
//     BackSubstitute      one pass over the row blocks: y, and the decrease of
//     the
//                         model
//
// Not thread-safe. The bits of all results are the same for every number of
// threads.
class SchurEliminator final : public DenseSource {
 public:
  // What else to keep of the points: their U for products, or nothing.
  enum class KeepU { kNo, kYes };

  // `plan` must outlive this.
  SchurEliminator(const Execution& execution, const SchurPlan& plan,
                  KeepU keep);

  const SchurPlan& plan() const { return plan_; }
  const Execution& execution() const override { return execution_; }

  // `damping`: D by column, or null; it and the Jacobian must live until the
  // step is complete. False, with a message that names the eliminated block,
  // where B is not positive definite.
  [[nodiscard]] bool Eliminate(const BlockJacobian& jacobian,
                               const double* damping, std::string* message);

  // The right hand side - (F'r - F'E B^-1 E'r), num_remaining values.
  void AssembleRhs(double* rhs) const override;
  // The reduced matrix, damping included, and everything else zero: dense (both
  // the upper triangle by rows, row-major, and whole diagonal blocks), with the
  // plan's pattern(), and in panel layout at `value_offset` with zeros as
  // padding, split (kernels/split_panels.h).
  void AssembleDense(double* matrix) const override;
  void AssembleBlocks(double* values) const;
  // The lower triangle as the pivot rows of one front (kernels/front_layout.h).
  void AssembleFront(double* front) const override;
  struct SplitPanels {
    const int64_t* value_offset;  // by entry: of its block in both parts
    const int* scale_offset;      // by block row
    const double* scale;          // as SplitPanelBlock takes them
    int32_t* whole;
    float* rest;
  };
  // False if not all blocks could be split.
  [[nodiscard]] bool AssemblePanels(const SplitPanels& panels) const;
  // Block `entry` of the pattern alone, in block row `row`; row-major. May run
  // in several threads.
  void AssembleEntry(int row, int entry, double* block) const;
  // The diagonal blocks of C, and where points add to a second block (kSplit)
  // or to the first (kFused) those of S; row-major, block i at offset[i].
  enum class Diagonal { kRemaining, kSchurComplement };
  void AssembleDiagonal(Diagonal which, const int64_t* offset,
                        double* blocks) const;

  // With z in the remaining part of `step`, fills in y and returns the decrease
  // of the model 1/2 |J x + r|^2 from x = 0 to the step.
  double BackSubstitute(double* step);

  // D of the last Eliminate, by column; null: none.
  const double* damping() const { return damping_; }

  // U of the last Eliminate, kept; its doubles are all finite where the input
  // was.
  const double* u() const { return u_.data(); }

  // The memory of the copies, made larger where that is less than `size`
  // doubles, which is possible before the first Eliminate: for what is needed
  // from the time when everything is assembled until the next Eliminate.
  double* LendCopies(int64_t size);
  int64_t copies_size() const { return static_cast<int64_t>(copies_.size()); }

  kernels::SchurView View() const;

 private:
  kernels::SchurTarget Target(int thread_id);
  int EliminateGroup(int thread_id, int group, const kernels::SchurView& view);
  int FormRowChunk(int thread_id, int row_chunk,
                   const kernels::SchurView& view);
  void GatherRows(const kernels::SchurView& view);
  // Sums the contributions to entry k, `size` doubles from `position` on within
  // each, into `sum`.
  void SumSources(int entry, int position, int size, double* sum) const;
  // A whole entry, damping and second block included.
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
  AlignedBuffer copies_;
  AlignedBuffer factor_;
  AlignedBuffer u_;                         // if kept
  AlignedBuffer w_;                         // L^-1 E'r, where owners compute
  int64_t thread_scratch_size_ = 0;         // doubles, a multiple of 8
  int64_t thread_u_size_ = 0;               // the part of it for U
  AlignedBuffer scratch_;                   // by thread
  std::vector<int> failed_point_;           // by group (row chunk), -1: none
  std::vector<double> row_chunk_decrease_;  // by row chunk
  std::vector<int64_t> assembly_cost_;      // by block row, cumulative
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SCHUR_SCHUR_ELIMINATOR_H_
