// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/sparse/front_plan.h"

#include <algorithm>
#include <numeric>

#include "ceres/sparse/sparse_tuning.h"

namespace ceres::internal {
namespace {

// The cost of a front, in multiplications with additions.
double FrontCost(const Front& front) {
  const double w = front.width, b = front.below;
  return w * w * w / 6.0 + w * w * b / 2.0 + w * b * b / 2.0 +
         sparse_tuning::kFrontPerUpdate * b * b / 2.0 +
         sparse_tuning::kFrontOpening;
}

// Children of each node, ascending.
void CollectChildren(std::vector<Front>* fronts, std::vector<int>* child) {
  const int n = static_cast<int>(fronts->size());
  std::vector<int> first(n + 1, 0);
  for (const Front& f : *fronts) {
    if (f.parent != -1) ++first[f.parent + 1];
  }
  std::partial_sum(first.begin(), first.end(), first.begin());
  child->resize(first.back());
  std::vector<int> next(first.begin(), first.end() - 1);
  for (int s = 0; s < n; ++s) {
    (*fronts)[s].first_child = first[s];
    (*fronts)[s].end_child = first[s + 1];
    if ((*fronts)[s].parent != -1) (*child)[next[(*fronts)[s].parent]++] = s;
  }
}

}  // namespace

template <typename T>
FrontPlan<T>::FrontPlan(const BlockSymmetricStructure& a,
                        const std::vector<int>& merged_into,
                        const Supernodes& supernodes, FrontEntries blocks) {
  const auto block_size = [&a](int b) {
    return a.block_offset[b + 1] - a.block_offset[b];
  };
  const int num_nodes = static_cast<int>(supernodes.order.size());
  const std::vector<int> weight = NodeWeights(a, merged_into, num_nodes);
  // Offsets of nodes by position, of blocks by block.
  std::vector<int> node_offset(num_nodes + 1, 0);
  std::vector<int> next(num_nodes);
  for (int k = 0; k < num_nodes; ++k) {
    next[supernodes.order[k]] = node_offset[k];
    node_offset[k + 1] = node_offset[k] + weight[supernodes.order[k]];
  }
  std::vector<int> block_place(a.num_blocks());
  permutation.resize(a.size());
  for (int b = 0; b < a.num_blocks(); ++b) {
    int& place = next[merged_into[b]];
    block_place[b] = place;
    for (int i = 0; i < block_size(b); ++i) {
      permutation[place++] = a.block_offset[b] + i;
    }
  }
  PlaceRows(supernodes, node_offset);
  if (blocks == FrontEntries::kPlaced) PlaceEntries(a, block_place);
  CutIntoTasks();
  CountUpdates();
}

template <typename T>
void FrontPlan<T>::PlaceRows(const Supernodes& supernodes,
                             const std::vector<int>& node_offset) {
  for (int s = 0; s < supernodes.size(); ++s) {
    Front front{};
    front.first_column = node_offset[supernodes.first_position[s]];
    front.width =
        node_offset[supernodes.first_position[s + 1]] - front.first_column;
    front.parent = supernodes.parent[s];
    front.row_begin = static_cast<int64_t>(row.size());
    for (int e = supernodes.first_row[s]; e < supernodes.first_row[s + 1];
         ++e) {
      const int node = supernodes.row[e];
      for (int i = node_offset[node]; i < node_offset[node + 1]; ++i) {
        row.push_back(i);
      }
    }
    front.below = static_cast<int>(row.size() - front.row_begin);
    front.columns_begin = columns_size;
    columns_size += kernels::FrontColumnsSize<T>(front.width, front.below);
    num_operations += FrontCost(front);
    fronts.push_back(front);
  }
  position.resize(row.size());
  CollectChildren(&fronts, &child);
  for (Front& front : fronts) MapToParent(&front);
}

template <typename T>
void FrontPlan<T>::MapToParent(Front* child_front) {
  Front& front = *child_front;
  front.first_segment = static_cast<int>(segments.size());
  if (front.parent != -1) {
    const Front& parent = fronts[front.parent];
    const int* const rows = row.data() + front.row_begin;
    int* const positions = position.data() + front.row_begin;
    // Both lists ascend.
    const int* in_parent = row.data() + parent.row_begin;
    for (int i = 0; i < front.below; ++i) {
      if (rows[i] < parent.first_column + parent.width) {
        positions[i] = rows[i] - parent.first_column;
        front.num_pivot_rows = i + 1;
      } else {
        while (*in_parent < rows[i]) ++in_parent;
        positions[i] =
            parent.width +
            static_cast<int>(in_parent - (row.data() + parent.row_begin));
      }
    }
    kernels::AppendFrontSegments<T>(positions, front.below, parent.width,
                                    &segments);
  }
  front.end_segment = static_cast<int>(segments.size());
}

template <typename T>
void FrontPlan<T>::PlaceEntries(const BlockSymmetricStructure& a,
                                const std::vector<int>& block_place) {
  const int num_fronts = static_cast<int>(fronts.size());
  std::vector<int> front_of(permutation.size());
  for (int s = 0; s < num_fronts; ++s) {
    std::fill_n(front_of.begin() + fronts[s].first_column, fronts[s].width, s);
  }
  const auto for_each_entry = [&](const auto& f) {
    for (int i = 0; i < a.num_blocks(); ++i) {
      for (int e = a.first_entry[i]; e < a.first_entry[i + 1]; ++e) {
        const int j = a.entry_column[e];
        // Blocks without scalars have no place.
        if (a.value_offset[e] == a.value_offset[e + 1]) continue;
        f(e, i, j, front_of[std::min(block_place[i], block_place[j])]);
      }
    }
  };
  std::vector<int> first(num_fronts + 1, 0);
  for_each_entry([&](int, int, int, int s) { ++first[s + 1]; });
  std::partial_sum(first.begin(), first.end(), first.begin());
  entries.resize(first.back());
  std::vector<int> next(first.begin(), first.end() - 1);
  for_each_entry([&](int e, int i, int j, int s) {
    const Front& front = fronts[s];
    FrontEntry& entry = entries[next[s]++];
    entry.source = a.value_offset[e];
    // Stored by rows, block (i, j) is block (j, i) by columns.
    entry.is_transposed = block_place[i] > block_place[j];
    const int row_block = entry.is_transposed ? i : j;
    const int column_block = entry.is_transposed ? j : i;
    entry.num_rows = a.block_offset[row_block + 1] - a.block_offset[row_block];
    entry.num_columns =
        a.block_offset[column_block + 1] - a.block_offset[column_block];
    const int w = front.width;
    const int column = block_place[column_block] - front.first_column;
    const int row_of_front = block_place[row_block] - front.first_column;
    if (row_of_front < w) {
      entry.target = kernels::PivotPosition<T>(w, row_of_front, column);
    } else {
      const auto begin = row.begin() + front.row_begin;
      const auto place =
          std::lower_bound(begin, begin + front.below, block_place[row_block]);
      entry.target =
          kernels::BelowPosition<T>(w, static_cast<int>(place - begin), column);
    }
  });
  for (int s = 0; s < num_fronts; ++s) {
    fronts[s].first_entry = first[s];
    fronts[s].end_entry = first[s + 1];
  }
}

// A task is one or several small sibling subtrees, or a front above them, or
// fronts above them that are a path of the tree.
template <typename T>
void FrontPlan<T>::CutIntoTasks() {
  const int num_fronts = static_cast<int>(fronts.size());
  std::vector<double> subtree_cost(num_fronts, 0.0);
  std::vector<int> first_of_subtree(num_fronts);
  for (int s = 0; s < num_fronts; ++s) {
    const Front& f = fronts[s];
    subtree_cost[s] += FrontCost(f);
    first_of_subtree[s] = f.first_child == f.end_child
                              ? s
                              : first_of_subtree[child[f.first_child]];
    if (f.parent != -1) subtree_cost[f.parent] += subtree_cost[s];
  }
  const double limit = std::max(sparse_tuning::kMinTaskCost,
                                num_operations / sparse_tuning::kNumTasks);
  const auto is_small = [&](int s) {
    return s != -1 && subtree_cost[s] <= limit;
  };
  std::vector<int> task_of(num_fronts, -1);
  std::vector<double> task_cost;
  const auto add_task = [&](int first, int s, double cost, bool is_wide) {
    tasks.push_back({first, s + 1, -1, is_wide});
    task_cost.push_back(cost);
  };
  for (int s = 0; s < num_fronts; ++s) {
    const int p = fronts[s].parent;
    if (is_small(s)) {
      if (is_small(p)) continue;
      const bool joins = !tasks.empty() &&
                         tasks.back().last == first_of_subtree[s] &&
                         is_small(tasks.back().last - 1) &&
                         fronts[tasks.back().last - 1].parent == p &&
                         task_cost.back() + subtree_cost[s] <= limit;
      if (joins) {
        tasks.back().last = s + 1;
        task_cost.back() += subtree_cost[s];
      } else {
        add_task(first_of_subtree[s], s, subtree_cost[s], false);
      }
      continue;
    }
    const double cost = FrontCost(fronts[s]);
    // The heaviest child is the first. Its path goes on with this front if the
    // other children are small and cost less than this front.
    const int below = fronts[s].first_child < fronts[s].end_child
                          ? child[fronts[s].first_child]
                          : -1;
    const int path = below == -1 ? -1 : task_of[below];
    const double added =
        below == -1 ? 0.0 : subtree_cost[s] - subtree_cost[below];
    const bool is_path = path != -1 && !tasks[path].has_wide_front &&
                         tasks[path].last == below + 1 && added <= 2 * cost &&
                         task_cost[path] + added <= limit;
    if (is_path) {
      tasks.resize(path + 1, {});
      task_cost.resize(path + 1);
      tasks[path].last = s + 1;
      task_cost[path] += added;
    } else {
      add_task(s, s, cost, cost > sparse_tuning::kWideFrontCost);
    }
    task_of[s] = static_cast<int>(tasks.size()) - 1;
  }
  for (FrontTask& task : tasks) {
    const int p = fronts[task.last - 1].parent;
    if (p != -1) task.parent = task_of[p];
    PlaceUpdates(task);
  }
}

// Fronts at even depths of a task put their update matrices on one stack, those
// at odd depths on the other. So the update matrices of the children are on top
// when they are added.
template <typename T>
void FrontPlan<T>::PlaceUpdates(const FrontTask& task) {
  for (int s = task.last - 1; s >= task.first; --s) {
    const int p = fronts[s].parent;
    const bool is_root = p == -1 || p >= task.last;
    fronts[s].depth = is_root ? 0 : fronts[p].depth + 1;
  }
  int64_t top[2] = {0, 0};
  for (int s = task.first; s < task.last; ++s) {
    Front& front = fronts[s];
    front.stack_begin = -1;
    if (front.depth > 0) {
      int64_t& own = top[front.depth % 2];
      front.stack_begin = own;
      own += kernels::UpdateSize<T>(front.below);
      int64_t& size = stack_size[front.depth % 2];
      size = std::max(size, own);
    }
    if (front.first_child < front.end_child &&
        child[front.first_child] >= task.first) {
      top[(front.depth + 1) % 2] = fronts[child[front.first_child]].stack_begin;
    }
  }
}

template <typename T>
void FrontPlan<T>::CountUpdates() {
  int64_t size = 0;
  const auto own_size = [](const Front& front) {
    return front.stack_begin < 0 ? kernels::UpdateSize<T>(front.below) : 0;
  };
  for (const Front& front : fronts) {
    updates_size += own_size(front);
    size += own_size(front);
    updates_peak = std::max(updates_peak, size);
    for (int k = front.first_child; k < front.end_child; ++k) {
      size -= own_size(fronts[child[k]]);
    }
  }
}

template struct FrontPlan<double>;
template struct FrontPlan<float>;

}  // namespace ceres::internal
