// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/sparse/incremental/fill_reference.h"

#include <algorithm>

#include "ceres/kernels/front_layout.h"
#include "ceres/sparse/sparse_tuning.h"

namespace ceres::internal {

void FillReference::Begin() {
  ordering_.Begin(graph_);
  is_searching_ = true;
}

int64_t FillReference::Advance(int64_t most) {
  const bool ended = ordering_.Advance(
      std::max<int64_t>(1, most / sparse_tuning::kOrderingVisit));
  if (ended) {
    CliqueForest forest;
    ordering_.Finish(&forest);
    Measure(forest);
    is_searching_ = false;
  }
  return sparse_tuning::kOrderingVisit * ordering_.num_visits();
}

void FillReference::Measure(const CliqueForest& forest) {
  int64_t entries = 0, scalars = 0;
  for (int f = 0; f < forest.num_fronts(); ++f) {
    const FrontShape shape = ShapeOfFront(graph_, forest, f);
    entries += kernels::FrontColumnsSize<double>(shape.width, shape.below);
    scalars += shape.width;
  }
  fill_ = static_cast<double>(entries) /
          static_cast<double>(std::max<int64_t>(1, scalars));
}

}  // namespace ceres::internal
