// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/pose_graph/geodesic_problem.h"

#include <algorithm>

#include "ceres/factors/relative_factors.h"
#include "ceres/logging/logging.h"

namespace ceres::internal {
namespace {

Problem::Options ProblemOptions(Context* context) {
  Problem::Options options;
  options.context = context;
  options.manifold_ownership = DO_NOT_TAKE_OWNERSHIP;
  return options;
}

// The matrix with its first `shift` coordinates moved behind the others.
Eigen::MatrixXd MoveToTheEnd(int shift, const Eigen::MatrixXd& A) {
  const auto n = A.rows();
  Eigen::MatrixXd result(n, n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      result(i, j) = A((i + shift) % n, (j + shift) % n);
    }
  }
  return result;
}

template <typename Group>
CostFunction* MakeFactor(const double* measured, const Eigen::MatrixXd& root) {
  std::string error;
  CostFunction* const factor =
      factors::BetweenFactor<Group>::Create(measured, root, &error);
  VESTA_CHECK(factor != nullptr) << error;
  return factor;
}

}  // namespace

void ToFactorLayout(int dimension, const io::PoseGraph::Values& pose,
                    double* block) {
  if (dimension == 2) {
    block[0] = pose[2];
    block[1] = pose[0];
    block[2] = pose[1];
    return;
  }
  const Eigen::Vector4d q =
      Eigen::Map<const Eigen::Vector4d>(pose.data() + 3).normalized();
  std::copy_n(q.data(), 4, block);
  std::copy_n(pose.data(), 3, block + 4);
}

io::PoseGraph::Values FromFactorLayout(int dimension, const double* block) {
  if (dimension == 2) return {block[1], block[2], block[0]};
  return {block[4], block[5], block[6], block[0], block[1], block[2], block[3]};
}

Eigen::MatrixXd RotationFirst(int dimension,
                              const Eigen::MatrixXd& information) {
  return MoveToTheEnd(dimension, information);
}

Eigen::MatrixXd PositionFirst(int dimension,
                              const Eigen::MatrixXd& information) {
  return MoveToTheEnd(dimension == 2 ? 1 : 3, information);
}

GeodesicProblem::GeodesicProblem(const io::PoseGraph& graph, Context* context)
    : graph_(graph),
      size_(graph.dimension == 2 ? 3 : 7),
      values_(size_ * graph.vertices.size()),
      problem_(ProblemOptions(context)) {
  if (graph.dimension == 2) {
    manifold_ = std::make_unique<factors::SE2Manifold>();
  } else {
    manifold_ = std::make_unique<factors::EigenSE3Manifold>();
  }
  for (std::size_t i = 0; i < graph.vertices.size(); ++i) {
    SetPose(static_cast<int>(i), graph.vertices[i].value);
  }
}

void GeodesicProblem::SetPose(int vertex, const io::PoseGraph::Values& pose) {
  ToFactorLayout(graph_.dimension, pose, Block(vertex));
}

io::PoseGraph::Values GeodesicProblem::Pose(int vertex) const {
  return FromFactorLayout(graph_.dimension, values_.data() + vertex * size_);
}

void GeodesicProblem::AddPose(int vertex) {
  if (problem_.HasParameterBlock(Block(vertex))) return;
  problem_.AddParameterBlock(Block(vertex), size_, manifold_.get());
}

void GeodesicProblem::Hold(int vertex) {
  AddPose(vertex);
  problem_.SetParameterBlockConstant(Block(vertex));
}

void GeodesicProblem::AddEdge(int edge) {
  const io::PoseGraph::Edge& e = graph_.edges[edge];
  const int n = graph_.ErrorSize(e);
  const Eigen::MatrixXd information = RotationFirst(
      graph_.dimension,
      Eigen::Map<const Eigen::MatrixXd>(e.information.data(), n, n));
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> root(
      n, n);
  VESTA_CHECK(io::SquareRootInformation(information.data(), n, root.data()))
      << "The graph was checked before.";
  double measured[7];
  ToFactorLayout(graph_.dimension, e.measurement, measured);
  AddPose(e.x);
  AddPose(e.y);
  problem_.AddResidualBlock(graph_.dimension == 2
                                ? MakeFactor<factors::SE2>(measured, root)
                                : MakeFactor<factors::EigenSE3>(measured, root),
                            nullptr, Block(e.x), Block(e.y));
}

}  // namespace ceres::internal
