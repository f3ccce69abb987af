// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SCHUR_VIEW_CLUSTERS_H_
#define CERES_INTERNAL_SCHUR_VIEW_CLUSTERS_H_

#include <vector>

#include "ceres/schur/view_similarity.h"
#include "ceres/types.h"

namespace ceres::internal {

// The cluster of each view, numbered by their first views. Clusters are
// connected in the graph.
//
// CANONICAL_VIEWS: views are chosen one after the other, always the one that
// adds most to
//
//     sum over views v of max over chosen c of w_vc  -  kViewPenalty |chosen|
//
// (w_vv = 1), until none adds anything; each view then joins the chosen one
// most similar to it (Simon, Snavely, Seitz, Scene summarization for online
// image collections, ICCV 2007, section 3.2, without the term that keeps chosen
// views apart: what is like a chosen view adds little anyway). As what a view
// adds only shrinks, it is computed again for the best one only (Minoux, 1978).
//
// SINGLE_LINKAGE: the connected parts of the graph of the edges of at least
// kLinkSimilarity.
//
// Both constants are ours. Iterations of conjugate gradients in ten steps of
// BAL problems, eta 1e-3 (SCHUR_JACOBI: 934 and 373):
//
//                       CLUSTER_JACOBI           CLUSTER_TRIDIAGONAL
//                       49-7776     21-11315     49-7776     21-11315
//   CANONICAL_VIEWS         327           20          97           20
//   links of 0.7            925          373         626          300
//            0.5            159          332          20          280
//            0.3            159          149          20          109
//
// (20: a single cluster or path, which leaves nothing to iterate over. Lower
// bounds put large scenes into one cluster, which costs a factorization of S.)
inline constexpr double kViewPenalty = 3.0;
inline constexpr double kLinkSimilarity = 0.5;
std::vector<int> ClusterViews(VisibilityClusteringType type,
                              const SimilarityGraph& graph);

// Heavy edges that form disjoint paths: by descending weight each edge that
// closes no cycle and gives no view a third neighbour. By view: its neighbours
// on its path, or kNoView.
inline constexpr int kNoView = -1;
struct PathNeighbors {
  int neighbor[2] = {kNoView, kNoView};
  bool Has(int view) const {
    return neighbor[0] == view || neighbor[1] == view;
  }
};
std::vector<PathNeighbors> FindHeavyPaths(const SimilarityGraph& graph);

// Disjoint sets of 0 ... n - 1, each known by one of its members.
class DisjointSets {
 public:
  explicit DisjointSets(int n);
  int Find(int i);
  // False: they were one set.
  bool Unite(int i, int j);

 private:
  std::vector<int> parent_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SCHUR_VIEW_CLUSTERS_H_
