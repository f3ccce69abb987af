// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SPARSE_INCREMENTAL_CLIQUE_MINIMUM_DEGREE_H_
#define CERES_INTERNAL_SPARSE_INCREMENTAL_CLIQUE_MINIMUM_DEGREE_H_

#include <cstdint>
#include <vector>

#include "ceres/sparse/degree_lists.h"

namespace ceres::internal {

// A symmetric matrix as a union of cliques: clique c couples the nodes
// members[first_member[c] .. first_member[c + 1]), at least one, each once.
struct CliqueGraph {
  void Clear();
  void AddNode(int size, bool is_last);
  // The clique of all members that were appended since the last call.
  void EndClique() { first_member.push_back(static_cast<int>(members.size())); }
  int num_nodes() const { return static_cast<int>(size.size()); }
  int num_cliques() const { return static_cast<int>(first_member.size()) - 1; }

  std::vector<int> size;      // by node: scalars
  std::vector<char> is_last;  // by node: eliminated after all other nodes
  std::vector<int> first_member{0};
  std::vector<int> members;
};

// The fronts of a multifrontal factorization, children before parents. Front f
// eliminates pivots[first_pivot[f] .. first_pivot[f + 1]), in this order. The
// nodes below have the order in which they are eliminated.
struct CliqueForest {
  int num_fronts() const { return static_cast<int>(parent.size()); }

  std::vector<int> parent;  // -1: a root
  std::vector<int> first_pivot, pivots;
  std::vector<int> first_below, below;
  // By clique: the front that eliminates its first node.
  std::vector<int> front_of_clique;
};

// The scalars of the pivots of a front, and of its rows below.
struct FrontShape {
  int width = 0, below = 0;
};
FrontShape ShapeOfFront(const CliqueGraph& graph, const CliqueForest& forest,
                        int front);

// Orders nodes by minimum degree, with the approximate external degrees of
// Amestoy, Davis and Duff (SIAM J. Matrix Analysis and Applications 17, 1996,
// section 4), on a quotient graph that has elements alone: the cliques, and the
// elements of eliminated nodes. An element is a front, and the elements that it
// absorbs are its children (Liu, SIAM Review 34, 1992, section 3). There is no
// aggressive absorption: an element is absorbed only by a front that eliminates
// one of its nodes.
//
// Fronts with few scalars are merged with their parents. No front has more than
// kMaxFrontWidth scalars of pivots, unless one node has more. Nodes that are
// last share no front with others.
//
// The object keeps its work space. Time and space of a call depend on the graph
// alone. Not thread-safe.
class CliqueMinimumDegree {
 public:
  void Order(const CliqueGraph& graph, CliqueForest* forest);

  // Order in pieces: Begin, then Advance until it returns true, then Finish.
  // The graph must not change meanwhile. Advance eliminates nodes until it has
  // visited `most` members of elements or more. Returns whether all nodes are
  // eliminated.
  void Begin(const CliqueGraph& graph);
  bool Advance(int64_t most);
  // Members that the last Advance visited.
  int64_t num_visits() const { return num_visits_; }
  void Finish(CliqueForest* forest);

 private:
  bool IsHeld(int i) const { return graph_->is_last[i] && !last_is_released_; }
  void Start();
  void ReleaseLast();
  void Eliminate(int p);
  void FormElement(int p, int step);
  void MeasureOthers(int first);
  void UpdateNodes(int p, int step, int first);
  void MergeFronts();
  void Emit(CliqueForest* forest);

  const CliqueGraph* graph_ = nullptr;
  int num_left_ = 0;        // nodes that are not eliminated
  int num_first_left_ = 0;  // those that are not last
  bool last_is_released_ = false;
  int64_t num_visits_ = 0;

  DegreeLists lists_;

  // By node.
  std::vector<int> degree_, mark_, step_of_node_;
  std::vector<int> first_element_, num_elements_, elements_;
  int stamp_ = 0;

  // By element: the cliques, then the steps of the elimination.
  std::vector<int> begin_, end_, absorbed_by_, element_mark_;
  std::vector<int64_t> weight_, outside_;
  std::vector<int> nodes_;  // of all elements
  int64_t element_weight_ = 0;

  // By step.
  std::vector<int> first_node_, width_, merged_into_, next_position_;
  std::vector<int> eliminated_;  // nodes in the order of elimination
  std::vector<int> position_;    // by node
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SPARSE_INCREMENTAL_CLIQUE_MINIMUM_DEGREE_H_
