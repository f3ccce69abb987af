// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/pose_graph/chordal_graph.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "Eigen/Cholesky"
#include "Eigen/Eigenvalues"
#include "Eigen/Geometry"
#include "Eigen/LU"
#include "Eigen/SVD"
#include "ceres/base/format.h"

namespace ceres::internal {
namespace {

using EdgeType = io::PoseGraph::EdgeType;
using Information =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6>;

// Sets that are joined. The least element of a set represents it.
class JoinedSets {
 public:
  explicit JoinedSets(int n) : parent_(n) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  int Find(int i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void Join(int i, int j) {
    i = Find(i);
    j = Find(j);
    parent_[std::max(i, j)] = std::min(i, j);
  }
  std::vector<int> Representatives() {
    std::vector<int> result;
    for (std::size_t i = 0; i < parent_.size(); ++i) {
      result.push_back(Find(static_cast<int>(i)));
    }
    return result;
  }

 private:
  std::vector<int> parent_;
};

// 1 / trace(A^-1), or 0 where A is singular to working precision.
double InverseOfInverseTrace(const Information& A) {
  // Scaled to a unit diagonal, so that units do not matter.
  const int n = static_cast<int>(A.rows());
  Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 6, 1> scale(n);
  for (int i = 0; i < n; ++i) {
    if (!(A(i, i) > 0.0)) return 0.0;
    scale[i] = 1.0 / std::sqrt(A(i, i));
  }
  if (A.isDiagonal(0.0)) return 1.0 / scale.cwiseAbs2().sum();
  const Information scaled = scale.asDiagonal() * A * scale.asDiagonal();
  const Eigen::LLT<Information> factor(scaled);
  if (factor.info() != Eigen::Success) return 0.0;
  const Information inverse = factor.solve(Information::Identity(n, n));
  const double trace = scale.cwiseAbs2().dot(inverse.diagonal());
  // The rounding errors of numbers with six digits can make a pivot of any
  // singular matrix.
  constexpr double kLargestInverse = 1e12;
  return inverse.diagonal().maxCoeff() < kLargestInverse ? 1.0 / trace : 0.0;
}

// The largest s with A >= s diag(b); b >= 0.
double LargestMultiple(const Information& A,
                       const Eigen::Matrix<double, 6, 1>& b) {
  const int n = static_cast<int>(A.rows());
  // A coordinate without weight adds a term that is not negative to r'Ar: it is
  // minimized over this coordinate, which the limit of a small b does.
  Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 6, 1> scale(n);
  bool has_weight = false;
  for (int i = 0; i < n; ++i) {
    has_weight = has_weight || b[i] > 0.0;
    const double floor = std::max(1e-12 * A(i, i), 1e-300);
    scale[i] = 1.0 / std::sqrt(std::max(b[i], floor));
  }
  if (!has_weight) return 1.0;
  if (A.isDiagonal(0.0)) {
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < n; ++i) {
      if (b[i] > 0.0) least = std::min(least, A(i, i) / b[i]);
    }
    return least;
  }
  const Information scaled = scale.asDiagonal() * A * scale.asDiagonal();
  const Eigen::SelfAdjointEigenSolver<Information> solver(
      scaled, Eigen::EigenvaluesOnly);
  return std::max(0.0, solver.eigenvalues()[0]);
}

bool IsFinite(const io::PoseGraph::Values& values) {
  return std::all_of(values.begin(), values.end(),
                     [](double v) { return std::isfinite(v); });
}

// Whether a quaternion has a direction.
bool HasRotation(int dimension, const io::PoseGraph::Values& pose) {
  return dimension == 2 ||
         Eigen::Map<const Eigen::Vector4d>(pose.data() + 3).norm() > 0.0;
}

std::string NameOfEdge(const io::PoseGraph& graph, int index) {
  const io::PoseGraph::Edge& edge = graph.edges[index];
  const int n = static_cast<int>(graph.vertices.size());
  if (edge.x < 0 || edge.x >= n || edge.y < 0 || edge.y >= n) {
    return Format("Edge %d", index);
  }
  return Format("Edge %d, between the vertices %llu and %llu,", index,
                static_cast<unsigned long long>(graph.vertices[edge.x].id),
                static_cast<unsigned long long>(graph.vertices[edge.y].id));
}

}  // namespace

PoseMatrix ToPoseMatrix(int dimension, const io::PoseGraph::Values& pose) {
  PoseMatrix T = PoseMatrix::Identity(dimension + 1, dimension + 1);
  for (int k = 0; k < dimension; ++k) T(k, dimension) = pose[k];
  if (dimension == 2) {
    const double c = std::cos(pose[2]);
    const double s = std::sin(pose[2]);
    T(0, 0) = T(1, 1) = c;
    T(1, 0) = s;
    T(0, 1) = -s;
  } else {
    T.topLeftCorner<3, 3>() =
        Eigen::Quaterniond(pose[6], pose[3], pose[4], pose[5])
            .normalized()
            .toRotationMatrix();
  }
  return T;
}

io::PoseGraph::Values FromPoseMatrix(const PoseMatrix& pose) {
  if (pose.rows() == 3) {
    return {pose(0, 2), pose(1, 2), std::atan2(pose(1, 0), pose(0, 0))};
  }
  const Eigen::Quaterniond q =
      Eigen::Quaterniond(Eigen::Matrix3d(pose.topLeftCorner<3, 3>()))
          .normalized();
  return {pose(0, 3), pose(1, 3), pose(2, 3), q.x(), q.y(), q.z(), q.w()};
}

PoseMatrix InversePose(const PoseMatrix& pose) {
  const auto d = pose.rows() - 1;
  PoseMatrix inverse = PoseMatrix::Identity(d + 1, d + 1);
  inverse.topLeftCorner(d, d) = pose.topLeftCorner(d, d).transpose();
  inverse.topRightCorner(d, 1) =
      -inverse.topLeftCorner(d, d) * pose.topRightCorner(d, 1);
  return inverse;
}

PoseMatrix NearestRotation(const PoseMatrix& A) {
  if (A.rows() == 2) {
    const double c = A(0, 0) + A(1, 1);
    const double s = A(1, 0) - A(0, 1);
    const double norm = std::hypot(c, s);
    PoseMatrix R = PoseMatrix::Identity(2, 2);
    if (norm > 0.0) {
      R(0, 0) = R(1, 1) = c / norm;
      R(1, 0) = s / norm;
      R(0, 1) = -R(1, 0);
    }
    return R;
  }
  const Eigen::JacobiSVD<Eigen::Matrix3d> svd(
      Eigen::Matrix3d(A), Eigen::ComputeFullU | Eigen::ComputeFullV);
  Eigen::Matrix3d U = svd.matrixU();
  if ((U * svd.matrixV().transpose()).determinant() < 0.0) {
    U.col(2) = -U.col(2);
  }
  return U * svd.matrixV().transpose();
}

bool ChordalGraph::CheckVertices(const io::PoseGraph& graph,
                                 std::string* error) const {
  if (graph.dimension != 2 && graph.dimension != 3) {
    *error = Format("The dimension of a pose graph is 2 or 3; this one has %d.",
                    graph.dimension);
    return false;
  }
  for (const io::PoseGraph::Vertex& vertex : graph.vertices) {
    const auto id = static_cast<unsigned long long>(vertex.id);
    if (vertex.is_landmark) {
      *error = Format(
          "Vertex %llu is a landmark: certificates are for graphs of poses. "
          "Remove the landmarks and their edges, or use ceres::Solve.",
          id);
      return false;
    }
    if (!IsFinite(vertex.value) ||
        !HasRotation(graph.dimension, vertex.value)) {
      *error = Format(
          "The value of vertex %llu is not a pose: its numbers must be finite, "
          "and its quaternion not zero.",
          id);
      return false;
    }
  }
  return true;
}

bool ChordalGraph::Create(const io::PoseGraph& graph, std::string* error) {
  if (!CheckVertices(graph, error)) return false;
  dimension_ = graph.dimension;
  num_poses_ = static_cast<int>(graph.vertices.size());
  weights_.assign(num_poses_, 0.0);
  for (int i = 0; i < static_cast<int>(graph.edges.size()); ++i) {
    if (!AddEdge(graph, i, error)) return false;
  }
  Connect(graph);
  for (int i = 0; i < num_poses_; ++i) {
    if (!graph.vertices[i].is_fixed) continue;
    if (root_[i] != i) {
      *error = Format(
          "The vertices %llu and %llu are fixed and connected: certificates "
          "are for graphs in which one pose of each part is fixed, or none.",
          static_cast<unsigned long long>(graph.vertices[root_[i]].id),
          static_cast<unsigned long long>(graph.vertices[i].id));
      return false;
    }
  }
  // Poses whose measurements have no rotations.
  std::vector<double> by_position(num_poses_, 0.0);
  for (const Edge& edge : edges_) {
    by_position[edge.x] +=
        edge.tau * edge.T.col(dimension_).head(dimension_).squaredNorm();
  }
  for (int i = 0; i < num_poses_; ++i) {
    if (!(weights_[i] > 0.0)) weights_[i] = by_position[i];
  }
  total_weight_ =
      dimension_ * std::accumulate(weights_.begin(), weights_.end(), 0.0);
  return true;
}

bool ChordalGraph::AddEdge(const io::PoseGraph& graph, int index,
                           std::string* error) {
  const io::PoseGraph::Edge& edge = graph.edges[index];
  const auto refuse = [&](const char* why) {
    *error = NameOfEdge(graph, index) + " " + why;
    return false;
  };
  if (edge.type != EdgeType::kRelativePose) {
    return refuse(
        "is not a relative pose: certificates are for graphs of relative "
        "poses. Remove it, or use ceres::Solve.");
  }
  if (edge.x < 0 || edge.x >= num_poses_ || edge.y < 0 ||
      edge.y >= num_poses_) {
    return refuse("has a vertex that the graph lacks.");
  }
  if (edge.x == edge.y) {
    return refuse("connects a vertex with itself: remove it.");
  }
  if (!IsFinite(edge.measurement) ||
      !HasRotation(dimension_, edge.measurement)) {
    return refuse(
        "has a measurement that is not a pose: its numbers must be finite, and "
        "its quaternion not zero.");
  }
  const int size = dimension_ == 2 ? 3 : 6;
  double root[36];
  if (!io::SquareRootInformation(edge.information.data(), size, root)) {
    return refuse(
        "has an information matrix that is not finite and positive "
        "semidefinite: look for a wrong sign or a wrong order of coordinates.");
  }
  const Information whole =
      Eigen::Map<const Eigen::MatrixXd>(edge.information.data(), size, size);
  const int d = dimension_;
  const int num_angles = size - d;
  Edge chordal{edge.x, edge.y, ToPoseMatrix(d, edge.measurement)};
  chordal.tau = d * InverseOfInverseTrace(whole.topLeftCorner(d, d));
  chordal.kappa =
      InverseOfInverseTrace(whole.bottomRightCorner(num_angles, num_angles)) *
      (d == 2 ? 1.0 : 1.5);
  // Information that has no isotropic part is left out.
  is_anisotropic_ = is_anisotropic_ ||
                    (!(chordal.tau > 0.0) && whole.topLeftCorner(d, d).any()) ||
                    (!(chordal.kappa > 0.0) &&
                     whole.bottomRightCorner(num_angles, num_angles).any());
  if (chordal.kappa <= 0.0 && chordal.tau <= 0.0) return true;
  Eigen::Matrix<double, 6, 1> isotropic;
  isotropic.head(d).setConstant(chordal.tau);
  isotropic.segment(d, num_angles).setConstant(2.0 * chordal.kappa);
  const double isotropy = LargestMultiple(whole, isotropic);
  isotropy_ = std::min(isotropy_, isotropy);
  // kappa counts rotations of the plane twice.
  if (d == 2) isotropic.segment(d, num_angles) *= 0.5;
  is_anisotropic_ =
      is_anisotropic_ || !(LargestMultiple(whole, isotropic) > 1.0 - 1e-6);
  weights_[edge.x] += chordal.kappa;
  weights_[edge.y] += chordal.kappa;
  edges_.push_back(std::move(chordal));
  return true;
}

void ChordalGraph::Connect(const io::PoseGraph& graph) {
  JoinedSets parts(num_poses_);
  JoinedSets by_rotation(num_poses_);
  JoinedSets by_position(num_poses_);
  for (const Edge& edge : edges_) {
    parts.Join(edge.x, edge.y);
    if (edge.kappa > 0.0) by_rotation.Join(edge.x, edge.y);
    if (edge.tau > 0.0) by_position.Join(edge.x, edge.y);
  }
  root_ = parts.Representatives();
  rotation_root_ = by_rotation.Representatives();
  position_root_ = by_position.Representatives();
  num_parts_ = 0;
  for (int i = 0; i < num_poses_; ++i) num_parts_ += root_[i] == i ? 1 : 0;
  // The first fixed pose represents its sets.
  std::vector<int> first(num_poses_, -1);
  for (int i = 0; i < num_poses_; ++i) {
    if (graph.vertices[i].is_fixed && first[root_[i]] < 0) first[root_[i]] = i;
  }
  for (std::vector<int>* roots : {&position_root_, &rotation_root_, &root_}) {
    std::vector<int> other(num_poses_);
    std::iota(other.begin(), other.end(), 0);
    for (int i = 0; i < num_poses_; ++i) {
      const int fixed = first[root_[i]];
      if (fixed == i) other[(*roots)[i]] = i;
    }
    for (int& root : *roots) root = other[root];
  }
}

double ChordalGraph::Cost(const Poses& X) const {
  const int w = width();
  double sum = 0.0;
  for (const Edge& edge : edges_) {
    const Eigen::MatrixXd error =
        X.middleCols(edge.y * w, w) - X.middleCols(edge.x * w, w) * edge.T;
    sum += edge.kappa * error.leftCols(w - 1).squaredNorm() +
           edge.tau * error.col(w - 1).squaredNorm();
  }
  return sum;
}

double ChordalGraph::Rounding(const Poses& X) const {
  constexpr double kError = 1e-14;
  const int w = width();
  double sum = 0.0;
  for (const Edge& edge : edges_) {
    const double lengths = X.col((edge.x + 1) * w - 1).squaredNorm() +
                           X.col((edge.y + 1) * w - 1).squaredNorm() +
                           edge.T.col(w - 1).squaredNorm();
    sum += edge.kappa * dimension_ + edge.tau * lengths;
  }
  return kError * kError * sum;
}

Eigen::MatrixXd ChordalGraph::TimesM(const Eigen::MatrixXd& X) const {
  const int w = width();
  Eigen::MatrixXd product = Eigen::MatrixXd::Zero(X.rows(), X.cols());
  Eigen::MatrixXd error(X.rows(), w);
  for (const Edge& edge : edges_) {
    error.noalias() =
        X.middleCols(edge.y * w, w) - X.middleCols(edge.x * w, w) * edge.T;
    error.leftCols(w - 1) *= edge.kappa;
    error.col(w - 1) *= edge.tau;
    product.middleCols(edge.y * w, w) += error;
    product.middleCols(edge.x * w, w).noalias() -= error * edge.T.transpose();
  }
  return product;
}

Poses ChordalGraph::ReadPoses(const io::PoseGraph& graph) const {
  const int w = width();
  Poses X(dimension_, w * num_poses_);
  for (int i = 0; i < num_poses_; ++i) {
    PoseMatrix pose = ToPoseMatrix(dimension_, graph.vertices[i].value);
    PoseMatrix root = ToPoseMatrix(dimension_, graph.vertices[root_[i]].value);
    // The difference of positions is exact where both are far from the origin.
    pose.topRightCorner(dimension_, 1) -= root.topRightCorner(dimension_, 1);
    root.topRightCorner(dimension_, 1).setZero();
    X.middleCols(i * w, w) = (InversePose(root) * pose).topRows(dimension_);
  }
  return X;
}

void ChordalGraph::WritePoses(const Poses& X, io::PoseGraph* graph) const {
  const int w = width();
  std::vector<PoseMatrix> moves(num_poses_);
  for (int i = 0; i < num_poses_; ++i) {
    if (!is_root(i)) continue;
    PoseMatrix at_root = PoseMatrix::Identity(w, w);
    at_root.topRows(dimension_) = X.middleCols(i * w, w);
    moves[i] = ToPoseMatrix(dimension_, graph->vertices[i].value) *
               InversePose(at_root);
  }
  for (int i = 0; i < num_poses_; ++i) {
    if (is_root(i)) continue;
    PoseMatrix pose = PoseMatrix::Identity(w, w);
    pose.topRows(dimension_) = X.middleCols(i * w, w);
    graph->vertices[i].value = FromPoseMatrix(moves[root_[i]] * pose);
  }
}

}  // namespace ceres::internal
