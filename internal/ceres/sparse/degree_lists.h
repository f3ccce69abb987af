// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SPARSE_DEGREE_LISTS_H_
#define CERES_INTERNAL_SPARSE_DEGREE_LISTS_H_

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ceres::internal {

// The nodes of a minimum degree ordering by degree, in doubly linked lists. Of
// the nodes of the least degree, the one that was added last comes first.
class DegreeLists {
 public:
  // Empties the lists; keeps their memory.
  void Clear(int num_nodes, std::int64_t max_degree) {
    head_.assign(max_degree + 1, kNone);
    next_.resize(num_nodes);
    previous_.resize(num_nodes);
    least_ = 0;
  }

  std::int64_t max_degree() const {
    return static_cast<std::int64_t>(head_.size()) - 1;
  }
  void Add(int node, int degree) {
    next_[node] = head_[degree];
    previous_[node] = -1 - degree;
    if (next_[node] != kNone) previous_[next_[node]] = node;
    head_[degree] = node;
    least_ = std::min(least_, degree);
  }
  void Remove(int node) {
    if (previous_[node] < 0) {
      head_[-1 - previous_[node]] = next_[node];
    } else {
      next_[previous_[node]] = next_[node];
    }
    if (next_[node] != kNone) previous_[next_[node]] = previous_[node];
  }
  // Removes and returns the first node of the least degree. There is one.
  int TakeLeast() {
    while (head_[least_] == kNone) ++least_;
    const int node = head_[least_];
    Remove(node);
    return node;
  }

 private:
  static constexpr int kNone = -1;

  std::vector<int> head_;             // by degree
  std::vector<int> next_, previous_;  // previous < 0: -1 - degree, the first
  int least_ = 0;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SPARSE_DEGREE_LISTS_H_
