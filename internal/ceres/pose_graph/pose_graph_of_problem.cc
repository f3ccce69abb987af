// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "Eigen/Core"
#include "ceres/autodiff_cost_function.h"
#include "ceres/base/format.h"
#include "ceres/base/number.h"
#include "ceres/base/type_of.h"
#include "ceres/factors/relative_factors.h"
#include "ceres/logging/logging.h"
#include "ceres/pose_graph.h"
#include "ceres/pose_graph/geodesic_problem.h"
#include "ceres/problem/constraint.h"

namespace ceres {
namespace internal {
namespace {

// Reads residual blocks of one group. Its poses are kSize numbers.
template <typename Group, int kDimension>
struct FactorsOf {
  static constexpr int kSize = Group::kAmbientSize;
  using Factor = factors::BetweenFactor<Group>;
  using Cost = AutoDiffCostFunction<Factor, Factor::kSize, kSize, kSize>;

  static bool Are(const CostFunction& cost) { return HasType<Cost>(cost); }

  // The pose in the layout of EigenSE3, or of SE2.
  static void Reorder(const double* block, double* reordered) {
    std::copy_n(block, kSize, reordered);
    if constexpr (std::is_same_v<Group, factors::SE3>) {
      std::rotate(reordered, reordered + 1, reordered + 4);
    }
  }
  static io::PoseGraph::Values Pose(const double* block) {
    double reordered[kSize];
    Reorder(block, reordered);
    return FromFactorLayout(kDimension, reordered);
  }
  static void Write(const io::PoseGraph::Values& pose, double* block) {
    ToFactorLayout(kDimension, pose, block);
    if constexpr (std::is_same_v<Group, factors::SE3>) {
      std::rotate(block, block + 3, block + 4);
    }
  }

  static io::PoseGraph::Edge Edge(const CostFunction& cost) {
    const Factor& factor = static_cast<const Cost&>(cost).functor();
    io::PoseGraph::Edge edge;
    edge.measurement = Pose(factor.measured());
    const Eigen::MatrixXd W = factor.square_root_information();
    const Eigen::MatrixXd information =
        PositionFirst(kDimension, W.transpose() * W);
    std::copy_n(information.data(), information.size(),
                edge.information.data());
    return edge;
  }
};

using PlanarFactors = FactorsOf<factors::SE2, 2>;
using SpatialFactors = FactorsOf<factors::SE3, 3>;
using EigenFactors = FactorsOf<factors::EigenSE3, 3>;

// Reads a problem whose factors are all of one kind.
template <typename Factors>
bool Read(const Problem& problem, io::PoseGraph* graph,
          std::vector<double*>* blocks, std::string* error) {
  problem.GetParameterBlocks(blocks);
  std::unordered_map<const double*, int> vertex_of;
  for (const double* block : *blocks) {
    if (problem.ParameterBlockSize(block) != Factors::kSize) {
      *error = Format(
          "The parameter block at %p is not a pose: it has size %d, and the "
          "poses of the factors have size %d.",
          static_cast<const void*>(block), problem.ParameterBlockSize(block),
          Factors::kSize);
      return false;
    }
    if (problem.ParameterBlockTangentSize(block) < Factors::Factor::kSize &&
        !problem.IsParameterBlockConstant(block)) {
      *error = Format(
          "The manifold of the parameter block at %p has %s: certificates are "
          "for poses that move freely, or not at all.",
          static_cast<const void*>(block),
          internal::CountOf(problem.ParameterBlockTangentSize(block),
                            "degree of freedom", "degrees of freedom")
              .c_str());
      return false;
    }
    io::PoseGraph::Vertex vertex;
    vertex.id = graph->vertices.size();
    vertex.value = Factors::Pose(block);
    vertex.is_fixed = problem.IsParameterBlockConstant(block);
    vertex_of[block] = static_cast<int>(vertex.id);
    graph->vertices.push_back(vertex);
  }
  std::vector<ResidualBlockId> ids;
  problem.GetResidualBlocks(&ids);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const CostFunction& cost = *problem.GetCostFunctionForResidualBlock(ids[i]);
    if (!Factors::Are(cost)) {
      *error = Format(
          "Residual block %d is not the BetweenFactor of SE2, SE3 or EigenSE3 "
          "that the first one is, or was compiled without run-time type "
          "information.",
          static_cast<int>(i));
      return false;
    }
    if (problem.GetLossFunctionForResidualBlock(ids[i]) != nullptr) {
      *error = Format(
          "Residual block %d has a loss function: certificates are for least "
          "squares. Remove outliers first, by ceres::SolveGraduated.",
          static_cast<int>(i));
      return false;
    }
    io::PoseGraph::Edge edge = Factors::Edge(cost);
    std::vector<double*> ends;
    problem.GetParameterBlocksForResidualBlock(ids[i], &ends);
    edge.x = vertex_of[ends[0]];
    edge.y = vertex_of[ends[1]];
    graph->edges.push_back(edge);
  }
  return true;
}

}  // namespace
}  // namespace internal

bool PoseGraphOfProblem(const Problem& problem, io::PoseGraph* graph,
                        std::vector<double*>* blocks, std::string* error) {
  std::vector<ResidualBlockId> ids;
  problem.GetResidualBlocks(&ids);
  if (ids.empty()) {
    *error = "The problem has no residual blocks.";
    return false;
  }
  std::vector<ConstraintId> constraints;
  problem.GetConstraints(&constraints);
  if (!constraints.empty()) {
    *error = internal::Format(
        "PoseGraphOfProblem does not support constraints "
        "(Problem::AddEqualityConstraint), and the problem has some, \"%s\" "
        "for "
        "example.",
        constraints[0]->Label().c_str());
    return false;
  }
  const CostFunction& first = *problem.GetCostFunctionForResidualBlock(ids[0]);
  io::PoseGraph result;
  std::vector<double*> vertices;
  bool is_read = false;
  if (internal::PlanarFactors::Are(first)) {
    result.dimension = 2;
    is_read = internal::Read<internal::PlanarFactors>(problem, &result,
                                                      &vertices, error);
  } else if (internal::EigenFactors::Are(first)) {
    result.dimension = 3;
    is_read = internal::Read<internal::EigenFactors>(problem, &result,
                                                     &vertices, error);
  } else {
    result.dimension = 3;
    is_read = internal::Read<internal::SpatialFactors>(problem, &result,
                                                       &vertices, error);
  }
  if (!is_read) return false;
  *graph = std::move(result);
  *blocks = std::move(vertices);
  return true;
}

void WritePosesToProblem(const io::PoseGraph& graph,
                         const std::vector<double*>& blocks,
                         const Problem& problem) {
  VESTA_CHECK(blocks.size() == graph.vertices.size())
      << "The number of vertices of the graph, " << graph.vertices.size()
      << ", is not the number of parameter blocks, " << blocks.size() << ".";
  std::vector<ResidualBlockId> ids;
  problem.GetResidualBlocks(&ids);
  if (ids.empty()) return;
  const bool is_quaternion_w_first = internal::SpatialFactors::Are(
      *problem.GetCostFunctionForResidualBlock(ids[0]));
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (graph.vertices[i].is_fixed) continue;
    const io::PoseGraph::Values& pose = graph.vertices[i].value;
    if (is_quaternion_w_first) {
      internal::SpatialFactors::Write(pose, blocks[i]);
    } else {
      internal::ToFactorLayout(graph.dimension, pose, blocks[i]);
    }
  }
}

}  // namespace ceres
