// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SCHUR_VIEW_SIMILARITY_H_
#define CERES_INTERNAL_SCHUR_VIEW_SIMILARITY_H_

#include <vector>

#include "ceres/execution/execution.h"

namespace ceres::internal {

// The views that see each point: point p is seen by the views [first_view[p],
// first_view[p + 1]) of `view`, each once.
struct Visibility {
  int num_views = 0;
  std::vector<int> first_view = {0};
  std::vector<int> view;
};

// The similarity of views. For views i and j that see the sets of points V_i
// and V_j, the weight of edge (i, j) is
//
// clang-format off
//     w_ij = |V_i and V_j| / sqrt(|V_i| |V_j|)
// clang-format on
//
// (Kushal and Agarwal, Visibility based preconditioning for bundle adjustment,
// CVPR 2012, section 4). There is an edge if w_ij > 0.
struct SimilarityGraph {
  struct Edge {
    int view;
    double weight;  // in (0, 1]
  };
  // By view: its edges to other views, ascending. An edge is listed at both
  // ends.
  std::vector<std::vector<Edge>> edges;
  int num_views() const { return static_cast<int>(edges.size()); }
};

// Time: one count for each pair of views and each point that they share.
SimilarityGraph ComputeSimilarity(const Execution& execution,
                                  const Visibility& visibility);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SCHUR_VIEW_SIMILARITY_H_
