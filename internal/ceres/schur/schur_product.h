// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SCHUR_SCHUR_PRODUCT_H_
#define CERES_INTERNAL_SCHUR_SCHUR_PRODUCT_H_

#include <cstdint>
#include <vector>

#include "ceres/execution/aligned_buffer.h"
#include "ceres/kernels/schur_kernels.h"
#include "ceres/linear/conjugate_gradients.h"
#include "ceres/schur/schur_eliminator.h"
#include "ceres/schur/schur_plan.h"

namespace ceres::internal {

// y = S x, with S formed (a plan of ReducedMatrix::kSchurComplement), or as
// C x - sum over points of U'(U x) (kRemainingBlocks).
//
// Block rows of the matrix are cut into chunks, a function of the pattern
// alone. Each chunk reads its blocks once, for themselves and for their mirror
// images, and adds into its own copy of the part of y that it touches; so does
// each group of points. One loop runs over chunks and groups, a second one sums
// the copies in order: it is the second stage where S is formed. Apply is not
// thread-safe.
//
// Products with a large S take as long as reading it from memory. S is kept in
// two parts (kernels/split_panels.h), of which ApplyRounded reads the larger,
// in half the time; Apply reads both. What ApplyRounded leaves out, E, is small
// against what damping adds to S: with n the elements of the fullest row,
//
//     x'Sx >= sum d_i^2 x_i^2 >= m sum s_ii x_i^2,   m = min d_i^2 / s_ii
//     |x'Ex| <= 2^-29 n sum s_ii x_i^2
//
// The second is reached where all n errors of a row conspire; such as are
// independent add up to the root of n (Higham and Mary, SIAM J. Sci. Comput.
// 41, 2019). Where 2^-29 sqrt(n) is more than a hundredth of m, ApplyRounded is
// Apply.
class SchurProductOperator final : public LinearOperator,
                                   private StagedProduct {
 public:
  // `plan` must outlive it.
  SchurProductOperator(const Execution& execution, const SchurPlan& plan);

  // Takes the matrix of the eliminator's last Eliminate, which must have kept U
  // for kRemainingBlocks, and must outlive the next calls of Apply.
  void Update(const SchurEliminator& eliminator);

  void Apply(const double* x, double* y) const override {
    Multiply(Parts::kBoth, x, y);
  }
  void ApplyRounded(const double* x, double* y) const override {
    Multiply(rounded(), x, y);
  }
  int size() const override { return plan_.pattern().size(); }
  // Null where S is not formed.
  const StagedProduct* staged() const override {
    return plan_.matrix() == ReducedMatrix::kSchurComplement ? this : nullptr;
  }

 private:
  enum class Parts { kWhole, kBoth };
  static constexpr int kMaxChunks = 16;
  static constexpr int64_t kMinChunkValues = 12288;

  struct Chunk {
    int begin;  // block rows
    int end;
    int last_touched;  // block
    int64_t copy;      // where its copy of y starts, from block `begin` on
  };

  void LayOut();
  void CutIntoChunks();
  void AddGroupCopies();
  void FindScales();
  void FindFullestRow();
  bool IsDampedEnoughToRound() const;
  int padded_size(int begin, int end) const {
    return padded_offset_[end] - padded_offset_[begin];
  }
  Parts rounded() const { return may_round_ ? Parts::kWhole : Parts::kBoth; }
  const std::vector<int>& row_blocks() const override {
    return plan_.pattern().block_offset;
  }
  double Begin(const double* x) const override {
    return FillCopies(Parts::kBoth, x);
  }
  double BeginRounded(const double* x) const override {
    return FillCopies(rounded(), x);
  }
  void Finish(int begin, int end, double* y) const override;
  void Multiply(Parts parts, const double* x, double* y) const;
  double FillCopies(Parts parts, const double* x) const;
  void TakeVector(const double* x) const;
  double RunChunk(int chunk, Parts parts, double* scratch) const;
  void RunGroup(int group, double* scratch) const;

  const Execution execution_;
  const SchurPlan& plan_;
  std::vector<int> width_;
  std::vector<int> padded_offset_ = {0};  // by block, +1
  std::vector<int64_t> value_offset_ = {0};
  int uniform_width_ = 0;
  int fullest_row_ = 0;  // elements
  std::vector<Chunk> chunks_;
  // Copies of y: those of the chunks, then those of the groups of points.
  int64_t copies_size_ = 0;
  std::vector<int64_t> group_copy_;  // by group, +1
  std::vector<int> slot_x_;
  std::vector<int> slot_y_;  // from the start of the group's copy
  // By block, +1: the places of its copies, in order; those of chunks, which
  // are still to be scaled, come first.
  std::vector<int> first_source_;
  std::vector<int> first_group_source_;
  std::vector<int64_t> sources_;
  int64_t thread_scratch_size_ = 0;

  const SchurEliminator* eliminator_ = nullptr;
  int32_t* whole() const { return reinterpret_cast<int32_t*>(parts_.data()); }
  float* rest() const {
    return reinterpret_cast<float*>(whole() + value_offset_.back());
  }
  mutable AlignedBuffer parts_;  // whole(), then rest()
  bool may_round_ = false;
  // By padded element: d of split_panels.h and its reciprocal.
  AlignedBuffer scale_;
  AlignedBuffer inverse_scale_;
  std::vector<int64_t> diagonal_offset_ = {0};  // by block, +1
  AlignedBuffer diagonal_;
  mutable AlignedBuffer scaled_x_;
  mutable AlignedBuffer x_;                      // where groups read it
  mutable std::vector<double> chunk_curvature_;  // x'(its part of S)x
  mutable AlignedBuffer copies_;
  mutable AlignedBuffer scratch_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SCHUR_SCHUR_PRODUCT_H_
