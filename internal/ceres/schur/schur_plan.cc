// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/schur/schur_plan.h"

#include <algorithm>

#include "ceres/logging/logging.h"
#include "ceres/schur/schur_tuning.h"

namespace ceres::internal {

SchurPlan::SchurPlan(const Execution& execution,
                     const BlockJacobianStructure& structure,
                     ReducedMatrix matrix, kernels::PointDiagonal diagonal,
                     SchurFormation formation, SchurPlaces places)
    : structure_(structure),
      matrix_(matrix),
      diagonal_(diagonal),
      sizes_(structure),
      remaining_(structure, diagonal),
      cliques_(execution, structure, matrix),
      row_chunks_(CutIntoSchurChunks(structure)),
      merged_chunks_(execution, structure, cliques_, remaining_, row_chunks_),
      gathers_by_row_(ShouldGatherByRow(formation)),
      storage_(structure) {
  if (gathers_by_row_) merged_chunks_.MergeAll(execution);
  AppendUniformRanges(cliques_, &row_chunks_, &ranges_);
  AppendUniformRanges(cliques_, merged_chunks_.mutable_chunks(), &ranges_);
  merged_chunks_.LayOut();
  PlanBatches(execution);
  if (places == SchurPlaces::kNotInBatches && AllIsInBatches()) {
    cliques_.FreePlacesOfCells();
  } else {
    PlanPlaces(execution);
  }
  reduced_.emplace(remaining_, merged_chunks_);
  merged_chunks_.FreeBlocks();
}

bool SchurPlan::ShouldGatherByRow(SchurFormation formation) const {
  if (matrix_ != ReducedMatrix::kSchurComplement) return false;
  if (formation != SchurFormation::kChoose) {
    return formation == SchurFormation::kGatherByRow;
  }
  return merged_chunks_.size() <
         std::min(kFewPartialSums, static_cast<int>(row_chunks_.size()));
}

// Batches are for points whose products go to S alone.
void SchurPlan::PlanBatches(const Execution& execution) {
  if (matrix_ == ReducedMatrix::kSchurComplement &&
      diagonal_ == kernels::PointDiagonal::kFused && !gathers_by_row_) {
    batches_.emplace(execution, View(), cliques_, remaining_, merged_chunks_,
                     ranges_);
  } else {
    batches_.emplace(ranges_.size());
  }
}

bool SchurPlan::AllIsInBatches() const {
  if (gathers_by_row_ || cliques_.has_row_cliques()) return false;
  for (const SchurChunk& chunk : merged_chunks_.chunks()) {
    for (int k = chunk.first_range; k < chunk.end_range; ++k) {
      const SchurBatches::Range& batches = batches_->range(k);
      if (batches.first_batch == batches.end_batch) return false;
    }
  }
  return true;
}

// Places of single products and of U.
void SchurPlan::PlanPlaces(const Execution& execution) {
  destinations_ =
      ProductDestinations(execution, cliques_, remaining_, merged_chunks_);
  // The chunks that run in parallel while U is formed.
  storage_.PlaceU(structure_, cliques_,
                  gathers_by_row_ ? row_chunks_ : merged_chunks_.chunks());
  if (gathers_by_row_) {
    gather_.emplace(structure_, cliques_, remaining_, merged_chunks_,
                    destinations_, storage_);
  }
}

const GatherPlan& SchurPlan::gather() const {
  VESTA_CHECK(gathers_by_row_) << "The plan forms partial sums.";
  return *gather_;
}

namespace {

template <typename T>
kernels::PeriodicView<T> ViewOf(const PeriodicArray<T>& array) {
  const auto view = array.view();
  return {view.table, view.mask, view.step};
}

}  // namespace

kernels::SchurView SchurPlan::View() const {
  kernels::SchurView view;
  view.row_block_offset = ViewOf(structure_.row_block_offset);
  view.row_offset = ViewOf(structure_.row_offset);
  view.first_cell = ViewOf(structure_.first_cell);
  view.cell_column = structure_.cell_column.data();
  view.cell_position = ViewOf(structure_.cell_position);
  view.column_offset = structure_.column_offset.data();
  view.eliminated_first_row = structure_.eliminated_first_row.data();
  view.first_camera = cliques_.first_camera().data();
  view.camera_column = cliques_.camera_column().data();
  view.camera_offset = cliques_.camera_offset().data();
  view.cell_camera = cliques_.cell_camera().data();
  view.first_destination = destinations_.first().data();
  view.destination = destinations_.lines().data();
  view.row_clique =
      cliques_.has_row_cliques() ? cliques_.row_clique().data() : nullptr;
  view.camera_cell = cliques_.camera_cell().data();
  view.factor_offset = storage_.factor_offset().data();
  view.u_offset = storage_.u_offset().data();
  return view;
}

}  // namespace ceres::internal
