// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/covariance/front_tree.h"

#include <algorithm>
#include <utility>

#include "glog/logging.h"

namespace ceres::internal {
namespace {

// Two fronts become one if at most this part of its columns is zero in the rows
// of the first. Larger fronts gain little: a front costs by where its rows
// begin.
constexpr double kMaxZeroColumns = 0.02;

using Pattern = std::vector<int>;

std::vector<int> Inverse(const std::vector<int>& permutation) {
  std::vector<int> inverse(permutation.size());
  for (size_t k = 0; k < permutation.size(); ++k) inverse[permutation[k]] = k;
  return inverse;
}

int FirstPosition(const BlockJacobianStructure& s,
                  const std::vector<int>& position, int row) {
  int first = s.num_column_blocks();
  for (int c = s.first_cell[row]; c < s.first_cell[row + 1]; ++c) {
    first = std::min(first, position[s.cell_column[c]]);
  }
  return first;
}

// The blocks that the front of each single block touches, itself first: those
// of the rows that begin there and those of the children (George and Heath,
// Linear Algebra and its Applications 34, 1980).
std::vector<Pattern> Patterns(const BlockJacobianStructure& s,
                              const std::vector<int>& position) {
  const int n = s.num_column_blocks();
  std::vector<Pattern> patterns(n);
  for (int row = 0; row < s.num_row_blocks(); ++row) {
    const int first = FirstPosition(s, position, row);
    if (first == n) continue;
    for (int c = s.first_cell[row]; c < s.first_cell[row + 1]; ++c) {
      patterns[first].push_back(position[s.cell_column[c]]);
    }
  }
  for (int k = 0; k < n; ++k) {
    Pattern& pattern = patterns[k];
    pattern.push_back(k);
    std::sort(pattern.begin(), pattern.end());
    pattern.erase(std::unique(pattern.begin(), pattern.end()), pattern.end());
    if (pattern.size() < 2) continue;
    Pattern& parent = patterns[pattern[1]];
    parent.insert(parent.end(), pattern.begin() + 1, pattern.end());
  }
  return patterns;
}

int Parent(const Pattern& pattern) {
  return pattern.size() < 2 ? -1 : pattern[1];
}

// A postorder, children in ascending order: postorder[k] is the old position.
std::vector<int> Postorder(const std::vector<Pattern>& patterns) {
  const int n = static_cast<int>(patterns.size());
  std::vector<int> subtree_size(n, 1);
  for (int k = 0; k < n; ++k) {
    const int parent = Parent(patterns[k]);
    if (parent >= 0) subtree_size[parent] += subtree_size[k];
  }
  // Parents first: each subtree gets a contiguous piece of its parent's.
  std::vector<int> begin(n);
  std::vector<int> next_child(n);
  int next_root = n;
  std::vector<int> postorder(n);
  for (int k = n - 1; k >= 0; --k) {
    const int parent = Parent(patterns[k]);
    int& end = parent < 0 ? next_root : next_child[parent];
    begin[k] = end - subtree_size[k];
    postorder[end - 1] = k;
    next_child[k] = end - 1;
    end = begin[k];
  }
  return postorder;
}

int Columns(const std::vector<int>& scalar_offset, int block) {
  return scalar_offset[block + 1] - scalar_offset[block];
}

int Columns(const std::vector<int>& scalar_offset, const Pattern& pattern) {
  int sum = 0;
  for (const int block : pattern) sum += Columns(scalar_offset, block);
  return sum;
}

// Runs [first, end) of positions that make one front each, as their ends.
std::vector<int> EndsOfFronts(const std::vector<Pattern>& patterns,
                              const std::vector<int>& scalar_offset) {
  const int n = static_cast<int>(patterns.size());
  std::vector<int> ends;
  int first = 0;
  for (int k = 0; k < n; ++k) {
    bool merge = false;
    if (Parent(patterns[k]) == k + 1) {
      const int pivots = scalar_offset[k + 1] - scalar_offset[first];
      const int merged = pivots + Columns(scalar_offset, patterns[k + 1]);
      // What the first of the run touches.
      const int now = Columns(scalar_offset, patterns[first]);
      merge = merged - now <= kMaxZeroColumns * merged;
    }
    if (!merge) {
      ends.push_back(k + 1);
      first = k + 1;
    }
  }
  return ends;
}

}  // namespace

FrontTree::FrontTree(const BlockJacobianStructure& s,
                     const std::vector<int>& elimination_order) {
  const int n = s.num_column_blocks();
  CHECK_EQ(static_cast<int>(elimination_order.size()), n);
  for (const int k : Postorder(Patterns(s, Inverse(elimination_order)))) {
    block_at.push_back(elimination_order[k]);
  }
  position = Inverse(block_at);
  for (const int block : block_at) {
    scalar_offset.push_back(scalar_offset.back() + s.column_size(block));
  }

  const std::vector<Pattern> patterns = Patterns(s, position);
  front_of.resize(n);
  int first = 0;
  for (const int end : EndsOfFronts(patterns, scalar_offset)) {
    QrFront front;
    front.first_pivot = first;
    front.num_pivots = end - first;
    for (int k = first; k < end - 1; ++k) front.blocks.push_back(k);
    const Pattern& last = patterns[end - 1];
    front.blocks.insert(front.blocks.end(), last.begin(), last.end());
    front.offset.assign(1, 0);
    for (const int block : front.blocks) {
      front.offset.push_back(front.offset.back() +
                             Columns(scalar_offset, block));
    }
    std::fill(front_of.begin() + first, front_of.begin() + end,
              static_cast<int>(fronts.size()));
    fronts.push_back(std::move(front));
    first = end;
  }

  for (int row = 0; row < s.num_row_blocks(); ++row) {
    const int k = FirstPosition(s, position, row);
    if (k < n) fronts[front_of[k]].rows.push_back(row);
  }
  std::vector<int> height(fronts.size(), 0);
  for (size_t f = 0; f < fronts.size(); ++f) {
    QrFront& front = fronts[f];
    if (height[f] >= static_cast<int>(levels.size())) levels.emplace_back();
    levels[height[f]].push_back(static_cast<int>(f));
    if (front.num_pivots == static_cast<int>(front.blocks.size())) continue;
    front.parent = front_of[front.blocks[front.num_pivots]];
    fronts[front.parent].children.push_back(static_cast<int>(f));
    height[front.parent] = std::max(height[front.parent], height[f] + 1);
  }
}

}  // namespace ceres::internal
