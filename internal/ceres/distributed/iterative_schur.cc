// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ceres/base/format.h"
#include "ceres/distributed/added_time.h"
#include "ceres/distributed/schur_over_ranks.h"
#include "ceres/distributed/tree_sum.h"
#include "ceres/linear/conjugate_gradients.h"
#include "ceres/sparse/block_symmetric.h"

namespace ceres::internal {
namespace {

std::vector<std::vector<int>> RemainingOf(const RankParts& parts) {
  std::vector<std::vector<int>> entries;
  for (const auto& leaf : *parts.leaves) entries.push_back(leaf->remaining());
  return entries;
}

// By column block, +1: the places of vectors, and of diagonal blocks.
std::vector<std::int64_t> VectorPlaces(const SharedLayout& layout) {
  return std::vector<std::int64_t>(layout.block_offset.begin(),
                                   layout.block_offset.end());
}
std::vector<std::int64_t> DiagonalPlaces(const SharedLayout& layout) {
  std::vector<std::int64_t> first = {0};
  for (int i = 0; i < layout.num_blocks(); ++i) {
    const std::int64_t width =
        layout.block_offset[i + 1] - layout.block_offset[i];
    first.push_back(first.back() + width * width);
  }
  return first;
}

// y = S x, for vectors of the whole reduced system that all ranks have. Apply
// is collective. It throws what Agreement::Settle throws.
class ProductOverRanks final : public LinearOperator {
 public:
  ProductOverRanks(const RankParts& parts, TreeSum* sum)
      : parts_(parts), sum_(*sum) {}

  void Apply(const double* x, double* y) const override {
    const std::vector<int>& offset = parts_.layout->block_offset;
    const Fault mine = RunPart([&] {
      sum_.SumLocal([&](int k, double* values) {
        const LeafSystem& leaf = *(*parts_.leaves)[k];
        if (!leaf.forms_products()) return;
        CheckStop(parts_.execution);
        leaf_x_.clear();
        for (const int number : leaf.remaining()) {
          leaf_x_.insert(leaf_x_.end(), x + offset[number],
                         x + offset[number + 1]);
        }
        leaf.product().Apply(leaf_x_.data(), values);
      });
      return Fault();
    });
    (void)parts_.agreement->Settle(Phase::kStep, mine);
    sum_.Combine(Phase::kStep, TreeSum::Destination::kAll, y);
  }
  int size() const override { return parts_.layout->size(); }

 private:
  const RankParts& parts_;
  TreeSum& sum_;
  mutable std::vector<double> leaf_x_;
};

// All ranks run the same conjugate gradients on the whole reduced system.
class IterativeSchur final : public SchurOverRanks {
 public:
  IterativeSchur(const SchurSolverOptions& options, const RankParts& parts)
      : SchurOverRanks(parts),
        options_(options),
        vector_sum_(parts.ranks, parts.layout->tree, parts.layout->local_leaves,
                    RemainingOf(parts), VectorPlaces(*parts.layout),
                    parts.execution),
        product_(parts_, &vector_sum_),
        rhs_(parts.layout->size()) {
    if (options.preconditioner != IDENTITY) {
      diagonal_sum_.emplace(parts.ranks, parts.layout->tree,
                            parts.layout->local_leaves, RemainingOf(parts),
                            DiagonalPlaces(*parts.layout), parts.execution);
      inverse_.emplace(parts.execution, parts.layout->block_offset);
    }
  }

 private:
  Fault EliminateLeaves(const SolveOptions& options) override {
    diagonal_values_.clear();
    Fault fault;
    vector_sum_.SumLocal([&](int k, double* values) {
      LeafSystem& leaf = *(*parts_.leaves)[k];
      if (fault.kind != Fault::kNone) return;
      if (!leaf.Eliminate(options.damping, &fault.message)) {
        fault.kind = Fault::kRejected;
        return;
      }
      if (!leaf.forms_products()) return;
      leaf.eliminator().AssembleRhs(values);
      leaf.UpdateProduct();
      if (diagonal_sum_) CopyDiagonal(leaf);
    });
    return fault;
  }

  // Appends the diagonal blocks of a leaf to diagonal_values_.
  void CopyDiagonal(LeafSystem& leaf) {
    const std::size_t begin = diagonal_values_.size();
    std::vector<std::int64_t> offset;
    std::int64_t size = 0;
    for (const int number : leaf.remaining()) {
      const std::int64_t width = parts_.layout->block_offset[number + 1] -
                                 parts_.layout->block_offset[number];
      offset.push_back(size);
      size += width * width;
    }
    diagonal_values_.resize(begin + size);
    leaf.eliminator().AssembleDiagonal(
        options_.preconditioner == JACOBI
            ? SchurEliminator::Diagonal::kRemaining
            : SchurEliminator::Diagonal::kSchurComplement,
        offset.data(), diagonal_values_.data() + begin);
  }

  // Returns false if a diagonal block is not positive definite.
  bool UpdatePreconditioner(LinearSolverSummary* summary) {
    if (!diagonal_sum_) return true;
    std::size_t begin = 0;
    diagonal_sum_->SumLocal([&](int k, double* values) {
      std::copy_n(diagonal_values_.begin() + begin, diagonal_sum_->leaf_size(k),
                  values);
      begin += diagonal_sum_->leaf_size(k);
    });
    diagonal_sum_->Combine(Phase::kReducedSystem, TreeSum::Destination::kAll,
                           inverse_->blocks());
    const int failed = inverse_->Invert();
    if (failed < 0) return true;
    summary->termination = LinearSolverTermination::kFailure;
    summary->message = Format(
        "diagonal block %d of the preconditioner, for block %d of the reduced "
        "system, is not positive definite",
        failed, failed);
    return false;
  }

  LinearSolverSummary SolveReduced(const SolveOptions& options,
                                   double* z) override {
    const AddedTime time(&reduced_seconds_);
    LinearSolverSummary summary;
    vector_sum_.Combine(Phase::kReducedSystem, TreeSum::Destination::kAll,
                        rhs_.data());
    if (!UpdatePreconditioner(&summary)) return summary;
    std::fill_n(z, parts_.layout->size(), 0.0);
    ConjugateGradientsOptions cg;
    cg.min_iterations = options_.min_iterations;
    cg.max_iterations = options_.max_iterations;
    cg.q_tolerance = options.q_tolerance;
    cg.r_tolerance = options.r_tolerance;
    // The limit of time is checked by the stop signal, on all ranks together.
    Execution execution = parts_.execution;
    execution.stop = nullptr;
    return ConjugateGradients(cg, execution, product_,
                              inverse_ ? &*inverse_ : nullptr, rhs_.data(), z,
                              &scratch_);
  }

  const SchurSolverOptions options_;
  TreeSum vector_sum_;
  std::optional<TreeSum> diagonal_sum_;  // with a preconditioner
  ProductOverRanks product_;
  std::vector<double> rhs_;
  std::vector<double> diagonal_values_;  // of the local leaves
  std::optional<BlockDiagonalInverse> inverse_;
  ConjugateGradientsScratch scratch_;
};

}  // namespace

std::unique_ptr<SchurOverRanks> CreateIterativeSchur(
    const SchurSolverOptions& options, const RankParts& parts) {
  return std::make_unique<IterativeSchur>(options, parts);
}

}  // namespace ceres::internal
