// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/sparse/tree_balance.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "ceres/sparse/elimination_tree.h"
#include "ceres/sparse/sparse_tuning.h"

namespace ceres::internal {
namespace {

using sparse_tuning::kWorthRooting;
using sparse_tuning::kWorthSharing;

constexpr int kNone = -1;

class TreeBalancer {
 public:
  TreeBalancer(const Supernodes& supernodes, const std::vector<int>& weight)
      : s_(supernodes), parent_(supernodes.parent) {
    FindCosts(weight);
    FindPaths();
  }

  std::vector<int> Order() {
    if (work_ < kWorthSharing) return {};
    // The best root of each tree, by its old one.
    std::vector<int> root(s_.size()), best(s_.size());
    bool is_changed = false;
    for (int s = s_.size() - 1; s >= 0; --s) {
      root[s] = s_.parent[s] == kNone ? s : root[s_.parent[s]];
      if (root[s] == s || Height(s) < Height(best[root[s]])) {
        best[root[s]] = s;
      }
    }
    std::vector<int> new_child(s_.size(), kNone);
    for (int s = 0; s < s_.size(); ++s) {
      if (root[s] != s || Height(best[s]) > kWorthRooting * Height(s)) continue;
      Reroot(best[s], &new_child);
      is_changed = true;
    }
    return is_changed ? Collect(new_child) : std::vector<int>();
  }

 private:
  void FindCosts(const std::vector<int>& weight) {
    cost_.resize(s_.size());
    for (int s = 0; s < s_.size(); ++s) {
      double w = 0.0, b = 0.0;
      for (int k = s_.first_position[s]; k < s_.first_position[s + 1]; ++k) {
        w += weight[s_.order[k]];
      }
      for (int e = s_.first_row[s]; e < s_.first_row[s + 1]; ++e) {
        b += weight[s_.order[s_.row[e]]];
      }
      cost_[s] = w * w * w / 6.0 + w * w * b / 2.0 + w * b * b / 2.0;
      work_ += cost_[s];
    }
  }

  // The costliest paths that go on from each supernode, without it: down, by
  // two of its children, and up.
  void FindPaths() {
    down_.assign(s_.size(), 0.0);
    second_down_.assign(s_.size(), 0.0);
    up_.assign(s_.size(), 0.0);
    for (int s = 0; s < s_.size(); ++s) {
      const int p = s_.parent[s];
      if (p == kNone) continue;
      const double path = cost_[s] + down_[s];
      second_down_[p] = std::max(second_down_[p], std::min(path, down_[p]));
      down_[p] = std::max(down_[p], path);
    }
    for (int s = s_.size() - 1; s >= 0; --s) {
      const int p = s_.parent[s];
      if (p == kNone) continue;
      const bool is_costliest = cost_[s] + down_[s] >= down_[p];
      up_[s] = cost_[p] +
               std::max(up_[p], is_costliest ? second_down_[p] : down_[p]);
    }
  }

  // The height of the tree if it were rooted there.
  double Height(int s) const { return cost_[s] + std::max(up_[s], down_[s]); }

  // Turns the path to the old root round. new_child: the old child that is the
  // parent now.
  void Reroot(int s, std::vector<int>* new_child) {
    int child = kNone;
    while (s != kNone) {
      const int next = s_.parent[s];
      parent_[s] = child;
      (*new_child)[s] = child == kNone ? s : child;
      child = s;
      s = next;
    }
  }

  // The nodes of each clique that are not in its parent's.
  std::vector<int> Collect(const std::vector<int>& new_child) const {
    std::vector<int> order, clique, rest;
    order.reserve(s_.order.size());
    for (const int s : Postorder(parent_)) {
      clique.clear();
      for (int k = s_.first_position[s]; k < s_.first_position[s + 1]; ++k) {
        clique.push_back(k);
      }
      if (new_child[s] != kNone) {
        clique.insert(clique.end(), s_.row.begin() + s_.first_row[s],
                      s_.row.begin() + s_.first_row[s + 1]);
      }
      const int c = new_child[s];
      rest.clear();
      if (c == kNone || c == s) {
        rest = clique;
      } else {
        std::set_difference(
            clique.begin(), clique.end(), s_.row.begin() + s_.first_row[c],
            s_.row.begin() + s_.first_row[c + 1], std::back_inserter(rest));
        // The node that was eliminated last has the fewest neighbours from
        // here.
        std::reverse(rest.begin(), rest.end());
      }
      for (const int k : rest) order.push_back(s_.order[k]);
    }
    return order;
  }

  const Supernodes& s_;
  std::vector<int> parent_;  // in the trees as they are rooted now
  std::vector<double> cost_, down_, second_down_, up_;
  double work_ = 0.0;
};

}  // namespace

std::vector<int> BalancedOrder(const Supernodes& supernodes,
                               const std::vector<int>& weight) {
  return TreeBalancer(supernodes, weight).Order();
}

}  // namespace ceres::internal
