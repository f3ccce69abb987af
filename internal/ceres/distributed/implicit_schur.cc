// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/distributed/implicit_schur.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ceres/base/format.h"
#include "ceres/distributed/added_time.h"

namespace ceres::internal {
namespace {

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

}  // namespace

ImplicitSchur::ImplicitSchur(const SchurSolverOptions& options,
                             const RankParts& parts)
    : SchurOverRanks(parts),
      options_(options),
      vector_sum_(parts.ranks, parts.layout->tree, parts.layout->local_leaves,
                  RemainingOf(*parts.leaves), VectorPlaces(*parts.layout),
                  parts.execution),
      rhs_(parts.layout->size()) {
  if (options.preconditioner == IDENTITY) return;
  diagonal_sum_.emplace(parts.ranks, parts.layout->tree,
                        parts.layout->local_leaves, RemainingOf(*parts.leaves),
                        DiagonalPlaces(*parts.layout), parts.execution);
  inverse_.emplace(parts.execution, parts.layout->block_offset);
}

void ImplicitSchur::MultiplyLeaves(const double* x) {
  const std::vector<int>& offset = parts_.layout->block_offset;
  const Fault mine = RunPart([&] {
    vector_sum_.SumLocal([&](int k, double* values) {
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
}

Fault ImplicitSchur::EliminateLeaves(const SolveOptions& options) {
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
void ImplicitSchur::CopyDiagonal(LeafSystem& leaf) {
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
bool ImplicitSchur::UpdatePreconditioner(LinearSolverSummary* summary) {
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
      "Diagonal block %d of the preconditioner, for block %d of the reduced "
      "system, is not positive definite.",
      failed, failed);
  return false;
}

LinearSolverSummary ImplicitSchur::SolveReduced(const SolveOptions& options,
                                                double* z) {
  const AddedTime time(&reduced_seconds_);
  LinearSolverSummary summary;
  vector_sum_.Combine(Phase::kReducedSystem, TreeSum::Destination::kAll,
                      rhs_.data());
  if (!UpdatePreconditioner(&summary)) return summary;
  std::fill_n(z, parts_.layout->size(), 0.0);
  return RunKrylov(options, z);
}

}  // namespace ceres::internal
