// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SCHUR_VIEW_CLUSTERS_H_
#define CERES_INTERNAL_SCHUR_VIEW_CLUSTERS_H_

#include <vector>

#include "ceres/execution/execution.h"
#include "ceres/types.h"

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

// Returns the cluster of each view. Clusters are numbered by their first views
// and connected in the graph.
//
// CANONICAL_VIEWS: canonical views are chosen one after the other, always the
// view that adds most to
//
// clang-format off
//     sum over views v of max over chosen c of w_vc  -  kViewPenalty |chosen|
// clang-format on
//
// with w_vv = 1, until no view increases the sum. Each view then joins the
// canonical view most similar to it (Simon, Snavely, Seitz, Scene summarization
// for online image collections, ICCV 2007, section 3.2, without the term that
// separates canonical views). The gain of a view only shrinks, so it is
// computed again for the best view only (Minoux, Accelerated greedy algorithms,
// 1978).
//
// SINGLE_LINKAGE: the connected components of the graph of the edges of weight
// kLinkSimilarity or more.
//
// schur_tuning.h has the constants.
std::vector<int> ClusterViews(VisibilityClusteringType type,
                              const SimilarityGraph& graph);

// Chooses heavy edges that form disjoint paths: by descending weight each edge
// that closes no cycle and gives no view a third neighbour. Returns for each
// view its neighbours on its path, or kNoView.
inline constexpr int kNoView = -1;
struct PathNeighbors {
  int neighbor[2] = {kNoView, kNoView};
  bool Has(int view) const {
    return neighbor[0] == view || neighbor[1] == view;
  }
};
std::vector<PathNeighbors> FindHeavyPaths(const SimilarityGraph& graph);

// Disjoint sets of 0 ... n - 1 (union-find). One member represents each set.
class DisjointSets {
 public:
  explicit DisjointSets(int n);
  int Find(int i);
  // Returns false if i and j were in one set.
  bool Unite(int i, int j);

 private:
  std::vector<int> parent_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SCHUR_VIEW_CLUSTERS_H_
