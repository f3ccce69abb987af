// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// For tests: a problem that random changes add blocks to and remove blocks
// from.

#ifndef CERES_INTERNAL_SOLVER_WHOLE_SOLVES_CHANGING_PROBLEM_H_
#define CERES_INTERNAL_SOLVER_WHOLE_SOLVES_CHANGING_PROBLEM_H_

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "ceres/evaluation/evaluation_test_utils.h"
#include "ceres/problem.h"

namespace ceres::internal {

// Nodes with a few parameter blocks each, and residual blocks between them:
//
//   pose graph   a node is a pose of two blocks (position, heading)
//   bundle       a node is a camera; points are nodes, too, which cameras see
//
// A new node gets the memory of the node that was removed last, so that
// addresses name several blocks one after another.
class ChangingProblem {
 public:
  enum class Kind { kPoseGraph, kBundle };

  ChangingProblem(Kind kind, int num_nodes, int seed,
                  const Problem::Options& options = Problem::Options())
      : kind_(kind), problem_(options), random_(seed) {
    for (int i = 0; i < num_nodes; ++i) AddNode();
  }

  Problem* problem() { return &problem_; }

  void AddNode() {
    const bool is_point = kind_ == Kind::kBundle && Draw(4) != 0;
    Node node = {TakeMemory(), is_point};
    nodes_.push_back(node);
    if (kind_ == Kind::kBundle && is_point) {
      const std::vector<int> cameras = Cameras();
      const int num_views = std::min<int>(3, static_cast<int>(cameras.size()));
      const int first = Draw(std::max<int>(1, num_views));
      for (int k = 0; k < num_views; ++k) {
        AddEdge(cameras[cameras.size() - 1 - (first + k) % cameras.size()],
                static_cast<int>(nodes_.size()) - 1);
      }
    }
    AddPrior(nodes_.back());
    if (kind_ == Kind::kPoseGraph && nodes_.size() > 1) {
      const int last = static_cast<int>(nodes_.size()) - 1;
      AddEdge(last - 1, last);
    }
  }

  // One random change of the structure.
  void Change() {
    const int what = Draw(10);
    if (what < 4 || nodes_.size() < 8) {
      AddNode();
    } else if (what < 6) {
      AddRandomEdge();
    } else if (what == 6) {
      RemoveRandomResidualBlock();
    } else if (what == 7) {
      RemoveRandomNode();
    } else if (what == 8) {
      double* const block = RandomBlock();
      if (NumVarying() > 8) problem_.SetParameterBlockConstant(block);
    } else {
      problem_.SetParameterBlockVariable(RandomBlock());
    }
  }

  void AddRandomEdge() {
    if (nodes_.size() < 2) return;
    const int a = Draw(static_cast<int>(nodes_.size()));
    int b = Draw(static_cast<int>(nodes_.size()) - 1);
    if (b >= a) ++b;
    AddEdge(a, b);
  }

  void RemoveRandomNode() {
    const int i = Draw(static_cast<int>(nodes_.size()));
    for (const auto& [block, size] : BlocksOf(nodes_[i])) {
      problem_.RemoveParameterBlock(block);
    }
    free_.push_back(nodes_[i].values);
    nodes_.erase(nodes_.begin() + i);
  }

  std::vector<double> Values() const {
    std::vector<double> values;
    for (const auto& memory : memory_) {
      values.insert(values.end(), memory.begin(), memory.end());
    }
    return values;
  }
  void SetValues(const std::vector<double>& values) {
    int next = 0;
    for (auto& memory : memory_) {
      for (double& value : memory) value = values[next++];
    }
  }

  // The same problem as another object, which has never been solved.
  std::unique_ptr<Problem> Copy() const {
    Problem::Options options = problem_.options();
    options.cost_function_ownership = DO_NOT_TAKE_OWNERSHIP;
    auto copy = std::make_unique<Problem>(options);
    std::vector<double*> blocks;
    problem_.GetParameterBlocks(&blocks);
    for (double* block : blocks) {
      copy->AddParameterBlock(block, problem_.ParameterBlockSize(block));
      if (problem_.IsParameterBlockConstant(block)) {
        copy->SetParameterBlockConstant(block);
      }
    }
    std::vector<ResidualBlockId> rows;
    problem_.GetResidualBlocks(&rows);
    for (const ResidualBlockId row : rows) {
      problem_.GetParameterBlocksForResidualBlock(row, &blocks);
      copy->AddResidualBlock(const_cast<CostFunction*>(
                                 problem_.GetCostFunctionForResidualBlock(row)),
                             nullptr, blocks);
    }
    return copy;
  }

 private:
  struct Node {
    double* values;
    bool is_point;
  };

  int Draw(int end) { return static_cast<int>(random_() % end); }

  double* TakeMemory() {
    double* values = nullptr;
    if (free_.empty()) {
      values = memory_.emplace_back().data();
    } else {
      values = free_.back();
      free_.pop_back();
    }
    for (int k = 0; k < 3; ++k) values[k] = 0.3 * Draw(100) / 100.0;
    return values;
  }

  // The parameter blocks of a node, and their sizes.
  std::vector<std::pair<double*, int>> BlocksOf(const Node& node) const {
    if (kind_ == Kind::kBundle) return {{node.values, node.is_point ? 2 : 3}};
    return {{node.values, 2}, {node.values + 2, 1}};
  }

  void AddResidualBlock(const std::vector<Node>& nodes, int num_residuals) {
    std::vector<double*> blocks;
    std::vector<int> sizes;
    for (const Node& node : nodes) {
      for (const auto& [block, size] : BlocksOf(node)) {
        blocks.push_back(block);
        sizes.push_back(size);
      }
    }
    problem_.AddResidualBlock(new SineCost(num_residuals, sizes, next_seed_++),
                              nullptr, blocks);
  }
  void AddPrior(const Node& node) { AddResidualBlock({node}, 2); }
  void AddEdge(int a, int b) { AddResidualBlock({nodes_[a], nodes_[b]}, 3); }

  std::vector<int> Cameras() const {
    std::vector<int> cameras;
    for (int i = 0; i < static_cast<int>(nodes_.size()); ++i) {
      if (!nodes_[i].is_point) cameras.push_back(i);
    }
    return cameras;
  }

  void RemoveRandomResidualBlock() {
    std::vector<ResidualBlockId> rows;
    problem_.GetResidualBlocks(&rows);
    problem_.RemoveResidualBlock(rows[Draw(static_cast<int>(rows.size()))]);
  }
  double* RandomBlock() {
    const auto blocks = BlocksOf(nodes_[Draw(static_cast<int>(nodes_.size()))]);
    return blocks[Draw(static_cast<int>(blocks.size()))].first;
  }
  int NumVarying() const {
    int num_varying = 0;
    std::vector<double*> blocks;
    problem_.GetParameterBlocks(&blocks);
    for (double* block : blocks) {
      num_varying += problem_.IsParameterBlockConstant(block) ? 0 : 1;
    }
    return num_varying;
  }

  const Kind kind_;
  std::deque<std::array<double, 3>> memory_;
  std::vector<double*> free_;
  std::vector<Node> nodes_;
  Problem problem_;
  std::mt19937 random_;
  int next_seed_ = 0;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SOLVER_WHOLE_SOLVES_CHANGING_PROBLEM_H_
