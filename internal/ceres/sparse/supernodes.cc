// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/sparse/supernodes.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

namespace ceres::internal {
namespace {

// A supernode while they are merged, counted in scalars.
struct Candidate {
  int parent = -1;
  int64_t width = 0;
  int64_t below = 0;
  int64_t nonzeros = 0;  // of its columns, without the zeros of merging
};

int64_t StoredSize(int64_t width, int64_t below) {
  return width * (width + 1) / 2 + width * below;
}

// Whether a front of this width may store `zeros` zeros among `stored` entries.
bool IsWorthMerging(int64_t width, int64_t zeros, int64_t stored) {
  const double share = static_cast<double>(zeros) / static_cast<double>(stored);
  return share <= (width <= 12 ? 0.5 : width <= 32 ? 0.2 : 0.05);
}

// The children of each node of a forest, ascending.
class ChildLists {
 public:
  explicit ChildLists(const std::vector<int>& parent)
      : first_(parent.size() + 1, 0) {
    const int n = static_cast<int>(parent.size());
    int num_children = 0;
    for (const int p : parent) {
      if (p == -1) continue;
      ++first_[p];
      ++num_children;
    }
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    child_.resize(num_children);
    // From the last child to the first, each list from its end to its begin.
    for (int i = n - 1; i >= 0; --i) {
      if (parent[i] != -1) child_[--first_[parent[i]]] = i;
    }
  }
  int* begin(int node) { return child_.data() + first_[node]; }
  int* end(int node) { return child_.data() + first_[node + 1]; }

 private:
  std::vector<int> first_;
  std::vector<int> child_;
};

class SupernodeFinder {
 public:
  SupernodeFinder(const SymmetricGraph& graph, const std::vector<int>& weight,
                  const std::vector<int>& order)
      : graph_(graph) {
    Renumber(weight, order);
    FindFundamental();
    Merge();
  }

  Supernodes Take() {
    Number();
    FindRows();
    return std::move(result_);
  }

 private:
  // Postorders the nodes.
  void Renumber(const std::vector<int>& weight, const std::vector<int>& order) {
    const int n = graph_.num_nodes();
    const std::vector<int> tree = EliminationTree(graph_, order);
    const std::vector<int> postorder = Postorder(tree);
    const std::vector<int> new_position = InversePermutation(postorder);
    order_.resize(n);
    parent_.resize(n);
    weight_.resize(n);
    for (int k = 0; k < n; ++k) {
      const int old = postorder[k];
      order_[k] = order[old];
      weight_[k] = weight[order_[k]];
      parent_[k] = tree[old] == -1 ? -1 : new_position[tree[old]];
    }
    count_ = ColumnCounts(graph_, order_, parent_, weight_);
  }

  // Supernodes whose columns have exactly the same rows (Liu, Ng and Peyton, On
  // Finding Supernodes for Sparse Matrix Computations, SIAM J. Matrix Analysis
  // and Applications 14, 1993).
  void FindFundamental() {
    const int n = graph_.num_nodes();
    std::vector<int> num_children(n, 0);
    for (const int p : parent_) {
      if (p != -1) ++num_children[p];
    }
    supernode_of_.resize(n);
    for (int k = 0; k < n; ++k) {
      const bool continues = k > 0 && parent_[k - 1] == k &&
                             num_children[k] == 1 &&
                             count_[k - 1] == count_[k] + weight_[k];
      if (!continues) candidates_.emplace_back();
      supernode_of_[k] = static_cast<int>(candidates_.size()) - 1;
      Candidate& s = candidates_.back();
      s.width += weight_[k];
      s.below = count_[k];
      s.nonzeros +=
          int64_t{weight_[k]} * (weight_[k] + 1) / 2 + weight_[k] * count_[k];
    }
    for (int k = 0; k < n; ++k) {
      const int p = parent_[k];
      if (p != -1 && supernode_of_[p] != supernode_of_[k]) {
        candidates_[supernode_of_[k]].parent = supernode_of_[p];
      }
    }
  }

  // Into parents, children with the fewest zeros first. A merged child's
  // children become the parent's; they have had their chance.
  void Merge() {
    const int num = static_cast<int>(candidates_.size());
    merged_into_.resize(num);
    std::iota(merged_into_.begin(), merged_into_.end(), 0);
    std::vector<int> parent(num);
    for (int s = 0; s < num; ++s) parent[s] = candidates_[s].parent;
    ChildLists children(parent);
    const auto zeros_if_merged = [](const Candidate& c, const Candidate& p) {
      return StoredSize(c.width + p.width, p.below) - c.nonzeros - p.nonzeros;
    };
    for (int s = 0; s < num; ++s) {
      Candidate& p = candidates_[s];
      // An ascending list, so that the order of equal zeros is that of numbers.
      std::sort(children.begin(s), children.end(s), [&](int a, int b) {
        const int64_t zeros_a = zeros_if_merged(candidates_[a], p);
        const int64_t zeros_b = zeros_if_merged(candidates_[b], p);
        return zeros_a != zeros_b ? zeros_a < zeros_b : a < b;
      });
      for (const int* it = children.begin(s); it != children.end(s); ++it) {
        const int child = *it;
        const Candidate& c = candidates_[child];
        const int64_t width = c.width + p.width;
        if (!IsWorthMerging(width, zeros_if_merged(c, p),
                            StoredSize(width, p.below))) {
          continue;
        }
        p.width = width;
        p.nonzeros += c.nonzeros;
        merged_into_[child] = s;
      }
    }
    // Parents come later.
    for (int s = num - 1; s >= 0; --s) {
      merged_into_[s] = merged_into_[merged_into_[s]];
    }
  }

  // The final order: a postorder of the merged supernodes, in each the
  // positions as they were.
  void Number() {
    std::vector<int> number(candidates_.size(), -1), kept;
    for (size_t s = 0; s < candidates_.size(); ++s) {
      if (merged_into_[s] != static_cast<int>(s)) continue;
      number[s] = static_cast<int>(kept.size());
      kept.push_back(static_cast<int>(s));
    }
    std::vector<int> parent(kept.size());
    std::vector<double> subtree_weight(kept.size(), 0.0);
    for (size_t k = 0; k < kept.size(); ++k) {
      const Candidate& s = candidates_[kept[k]];
      parent[k] = s.parent == -1 ? -1 : number[merged_into_[s.parent]];
      const double rows = static_cast<double>(s.width + s.below);
      subtree_weight[k] += static_cast<double>(s.width) * rows * rows;
      if (parent[k] != -1) subtree_weight[parent[k]] += subtree_weight[k];
    }
    const std::vector<int> postorder = Postorder(parent, subtree_weight);
    const std::vector<int> place = InversePermutation(postorder);
    result_.parent.resize(kept.size());
    for (size_t k = 0; k < kept.size(); ++k) {
      result_.parent[place[k]] = parent[k] == -1 ? -1 : place[parent[k]];
    }
    const int n = graph_.num_nodes();
    std::vector<int> owner(n);
    result_.first_position.assign(kept.size() + 1, 0);
    for (int k = 0; k < n; ++k) {
      owner[k] = place[number[merged_into_[supernode_of_[k]]]];
      ++result_.first_position[owner[k] + 1];
    }
    std::partial_sum(result_.first_position.begin(),
                     result_.first_position.end(),
                     result_.first_position.begin());
    std::vector<int> next(result_.first_position.begin(),
                          result_.first_position.end() - 1);
    result_.order.resize(n);
    for (int k = 0; k < n; ++k) result_.order[next[owner[k]]++] = order_[k];
  }

  // Rows of the matrix and of the children.
  void FindRows() {
    const std::vector<int> position = InversePermutation(result_.order);
    ChildLists children(result_.parent);
    std::vector<int> seen_by(graph_.num_nodes(), -1);
    for (int s = 0; s < result_.size(); ++s) {
      const int end = result_.first_position[s + 1];
      const size_t first = result_.row.size();
      const auto add = [&](int row) {
        if (row < end || seen_by[row] == s) return;
        seen_by[row] = s;
        result_.row.push_back(row);
      };
      for (int k = result_.first_position[s]; k < end; ++k) {
        const int node = result_.order[k];
        for (int e = graph_.start[node]; e < graph_.start[node + 1]; ++e) {
          add(position[graph_.neighbor[e]]);
        }
      }
      for (const int* c = children.begin(s); c != children.end(s); ++c) {
        for (int e = result_.first_row[*c]; e < result_.first_row[*c + 1];
             ++e) {
          add(result_.row[e]);
        }
      }
      std::sort(result_.row.begin() + first, result_.row.end());
      result_.first_row.push_back(static_cast<int>(result_.row.size()));
    }
  }

  const SymmetricGraph& graph_;
  // By position in a postorder of the elimination tree.
  std::vector<int> order_, parent_, weight_;
  std::vector<int64_t> count_;
  std::vector<int> supernode_of_;
  std::vector<Candidate> candidates_;
  std::vector<int> merged_into_;
  Supernodes result_;
};

}  // namespace

Supernodes FindSupernodes(const SymmetricGraph& graph,
                          const std::vector<int>& weight,
                          const std::vector<int>& order) {
  return SupernodeFinder(graph, weight, order).Take();
}

}  // namespace ceres::internal
