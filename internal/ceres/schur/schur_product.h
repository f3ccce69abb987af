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

// y = S x. If the plan's matrix is kSchurComplement, S is formed; if it is
// kRemainingBlocks, the product is C x - sum over points of U'(U x).
//
// Block rows of the matrix are cut into chunks, by the pattern alone. A chunk
// reads each of its blocks once, for the block and for its mirror image, and
// adds into a partial sum of the part of y that it touches:
//
// clang-format off
//     chunk 0   | A B . C |      y_0 = A x_0 + B x_1 + C x_3
//               |         |      y_1 = B'x_0,  y_3 = C'x_0
//     chunk 1   |   D E . |      y_1 = D x_1 + E x_2,  y_2 = E'x_1
// clang-format on
//
// So does each merged chunk of points. One loop fills all partial sums; a
// second loop adds them up in order. The bits do not depend on the number of
// threads. Apply is not thread-safe.
//
// A product with a large S takes as long as reading S from memory. S is kept in
// two parts (kernels/split_panels.h). Apply reads both. ApplyRounded reads only
// the larger part, in half the time. The error E of the rounded S is small
// beside the damping in S, n being the elements of the fullest row:
//
// clang-format off
//     x'Sx >= sum d_i^2 x_i^2 >= m sum s_ii x_i^2,   m = min d_i^2 / s_ii
//     |x'Ex| <= 2^-29 n sum s_ii x_i^2
// clang-format on
//
// Independent errors add up to sqrt(n) instead of n (Higham and Mary, SIAM J.
// Sci. Comput. 41, 2019). If 2^-29 sqrt(n) exceeds a hundredth of m,
// ApplyRounded is Apply.
class SchurProductOperator final : public LinearOperator,
                                   private StagedProduct {
 public:
  // `plan` must outlive this.
  SchurProductOperator(const Execution& execution, const SchurPlan& plan);

  // Reads the matrix of the eliminator's last Eliminate. The eliminator must
  // keep U if the matrix is kRemainingBlocks, and must outlive the calls of
  // Apply.
  void Update(const SchurEliminator& eliminator);

  void Apply(const double* x, double* y) const override {
    Multiply(Parts::kBoth, x, y);
  }
  void ApplyRounded(const double* x, double* y) const override {
    Multiply(rounded(), x, y);
  }
  int size() const override { return plan_.pattern().size(); }
  // Null if S is not formed.
  const StagedProduct* staged() const override {
    return plan_.matrix() == ReducedMatrix::kSchurComplement ? this : nullptr;
  }

 private:
  enum class Parts { kWhole, kBoth };

  struct Chunk {
    int begin;  // block rows
    int end;
    int last_touched;  // block
    int64_t sum;       // place of its partial sum of y, from block `begin` on
  };

  void LayOut();
  void CutIntoChunks();
  void PlacePartialSums();
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
    return FillPartialSums(Parts::kBoth, x);
  }
  double BeginRounded(const double* x) const override {
    return FillPartialSums(rounded(), x);
  }
  void Finish(int begin, int end, double* y) const override;
  void Multiply(Parts parts, const double* x, double* y) const;
  double FillPartialSums(Parts parts, const double* x) const;
  void TakeVector(const double* x) const;
  double RunChunk(int chunk, Parts parts, double* scratch) const;
  void RunMergedChunk(int merged_chunk, double* scratch) const;

  const Execution execution_;
  const SchurPlan& plan_;
  std::vector<int> width_;
  std::vector<int> padded_offset_ = {0};  // by block, +1
  std::vector<int64_t> value_offset_ = {0};
  int uniform_width_ = 0;
  int fullest_row_ = 0;  // elements
  std::vector<Chunk> chunks_;
  // Partial sums of y: of the chunks, then of the merged chunks of points.
  int64_t sums_size_ = 0;
  std::vector<int64_t> merged_sum_;  // by merged chunk, +1
  std::vector<int> camera_x_;
  std::vector<int> camera_y_;  // from the begin of its partial sum
  // By block, +1: the places of its partial sums, in order. The places
  // of chunks, which are not scaled yet, come first.
  std::vector<int> first_source_;
  std::vector<int> first_point_source_;
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
  mutable AlignedBuffer x_;                      // for merged chunks
  mutable std::vector<double> chunk_curvature_;  // x'(its part of S)x
  mutable AlignedBuffer partial_sums_;
  mutable AlignedBuffer scratch_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SCHUR_SCHUR_PRODUCT_H_
