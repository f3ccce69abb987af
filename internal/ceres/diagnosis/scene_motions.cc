// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/diagnosis/scene_motions.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "Eigen/Geometry"
#include "Eigen/QR"
#include "Eigen/SVD"
#include "ceres/diagnosis/moved_values.h"

namespace ceres::internal {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr int kNumMotions = 7;  // Translations, rotations, scale.
// Velocities, relative to the largest ones, that count as zero. Much larger
// than the errors of central differences.
constexpr double kStill = 1e-5;

bool HasOrientation(const ReportScene::Pose& pose) {
  return std::any_of(pose.orientation.begin(), pose.orientation.end(),
                     [](double x) { return x != 0.0; });
}

Eigen::Quaterniond OrientationOf(const ReportScene::Pose& pose) {
  const std::array<double, 4>& q = pose.orientation;
  return Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized();
}

// Positions of points and poses, in that order.
std::vector<Vector3d> PositionsOf(const ReportScene& scene) {
  std::vector<Vector3d> positions;
  for (const auto& point : scene.points) positions.emplace_back(point.data());
  for (const ReportScene::Pose& pose : scene.poses) {
    positions.emplace_back(pose.position.data());
  }
  return positions;
}

// Six rows for each position: its velocity and, for poses with an orientation,
// the angular velocity. False: the scenes do not match.
bool Velocities(const ReportScene& ahead, const ReportScene& behind,
                double seconds, Eigen::Ref<VectorXd> velocities) {
  const std::vector<Vector3d> a = PositionsOf(ahead);
  const std::vector<Vector3d> b = PositionsOf(behind);
  const auto num_rows = static_cast<Index>(6 * a.size());
  if (ahead.points.size() != behind.points.size() || a.size() != b.size() ||
      num_rows != velocities.size()) {
    return false;
  }
  velocities.setZero();
  for (std::size_t i = 0; i < a.size(); ++i) {
    velocities.segment<3>(static_cast<Index>(6 * i)) = (a[i] - b[i]) / seconds;
  }
  for (std::size_t i = 0; i < ahead.poses.size(); ++i) {
    if (!HasOrientation(ahead.poses[i]) || !HasOrientation(behind.poses[i])) {
      continue;
    }
    // The turn from behind to ahead, in the frame of the scene.
    Eigen::Quaterniond turn = OrientationOf(ahead.poses[i]) *
                              OrientationOf(behind.poses[i]).conjugate();
    if (turn.w() < 0.0) turn.coeffs() *= -1.0;
    velocities.segment<3>(static_cast<Index>(6 * (ahead.points.size() + i)) +
                          3) = 2.0 * turn.vec() / seconds;
  }
  return velocities.allFinite();
}

// The velocities along the directions, one column each. Empty: unknown.
MatrixXd VelocitiesAlong(const std::function<ReportScene()>& scene,
                         const ProblemImpl& problem,
                         const std::vector<Direction>& directions,
                         Index num_rows) {
  MatrixXd all(num_rows, static_cast<Index>(directions.size()));
  for (std::size_t k = 0; k < directions.size(); ++k) {
    MovedValues moved(directions[k], problem);
    const double step = moved.Step();
    if (!moved.MoveBy(step)) return {};
    const ReportScene ahead = scene();
    if (!moved.MoveBy(-step)) return {};
    if (!Velocities(ahead, scene(), 2.0 * step,
                    all.col(static_cast<Index>(k)))) {
      return {};
    }
  }
  return all;
}

// Which positions, and which orientations, move along any direction. By row
// / 3.
std::vector<bool> MovingTriples(const MatrixXd& velocities) {
  const VectorXd largest = velocities.cwiseAbs().colwise().maxCoeff();
  std::vector<bool> moving(velocities.rows() / 3, false);
  for (std::size_t i = 0; i < moving.size(); ++i) {
    for (Index k = 0; k < velocities.cols(); ++k) {
      const double own = velocities.col(k)
                             .segment<3>(static_cast<Index>(3 * i))
                             .cwiseAbs()
                             .maxCoeff();
      moving[i] = moving[i] || own > kStill * largest(k);
    }
  }
  return moving;
}

// The velocities of the similarities about the middle, in units of the extent.
MatrixXd Similarities(const std::vector<Vector3d>& positions,
                      const std::vector<bool>& moving) {
  Vector3d middle = Vector3d::Zero();
  double count = 0.0;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    if (!moving[2 * i]) continue;
    middle += positions[i];
    count += 1.0;
  }
  middle /= std::max(1.0, count);
  double extent = 0.0;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    if (moving[2 * i])
      extent = std::max(extent, (positions[i] - middle).norm());
  }
  if (!(extent > 0.0)) extent = 1.0;
  MatrixXd g =
      MatrixXd::Zero(static_cast<Index>(6 * positions.size()), kNumMotions);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const auto row = static_cast<Index>(6 * i);
    const Vector3d x = (positions[i] - middle) / extent;
    for (int axis = 0; axis < 3; ++axis) {
      const Vector3d unit = Vector3d::Unit(axis);
      if (moving[2 * i]) {
        g.block<3, 1>(row, axis) = unit;
        g.block<3, 1>(row, 3 + axis) = unit.cross(x);
      }
      // In the same unit of time: velocities of positions are in units of the
      // extent, too.
      if (moving[2 * i + 1]) g.block<3, 1>(row + 3, 3 + axis) = unit / extent;
    }
    if (moving[2 * i]) g.block<3, 1>(row, 6) = x;
  }
  return g;
}

// Rows: coefficients of directions, then of the seven motions. Combines columns
// so that pure translations come first, then rotations, then the scale.
// Returns the number of columns in order; the others move nothing.
std::vector<GaugeKind> PutInOrder(Index num_coefficients, MatrixXd* columns) {
  MatrixXd& c = *columns;
  std::vector<GaugeKind> kinds;
  Index left = c.cols();
  // From the last motion to the first: what needs no later motion stays.
  for (int motion = kNumMotions - 1; motion >= 0 && left > 0; --motion) {
    const Index row = num_coefficients + motion;
    Index at = 0;
    const double size = c.row(row).head(left).cwiseAbs().maxCoeff(&at);
    if (!(size > kStill)) continue;
    --left;
    c.col(at).swap(c.col(left));
    c.col(left) /= c(row, left);
    for (Index other = 0; other < c.cols(); ++other) {
      if (other != left) c.col(other) -= c(row, other) * c.col(left);
    }
    kinds.push_back(motion == kNumMotions - 1 ? GaugeKind::kScale
                    : motion >= 3             ? GaugeKind::kRotation
                                              : GaugeKind::kTranslation);
  }
  const MatrixXd in_order = c.rightCols(c.cols() - left);
  c = in_order;
  std::reverse(kinds.begin(), kinds.end());
  return kinds;
}

}  // namespace

std::vector<SceneMotion> FindSceneMotions(
    const std::function<ReportScene()>& scene, const ProblemImpl& problem,
    const std::vector<Direction>& directions) {
  const std::vector<Vector3d> positions = PositionsOf(scene());
  const auto num_rows = static_cast<Index>(6 * positions.size());
  if (num_rows == 0 || directions.empty()) return {};
  const MatrixXd velocities =
      VelocitiesAlong(scene, problem, directions, num_rows);
  if (velocities.size() == 0) return {};
  const std::vector<bool> moving = MovingTriples(velocities);
  // Every motion of two positions is a similarity.
  if (std::count(moving.begin(), moving.end(), true) < 3) return {};
  const MatrixXd g = Similarities(positions, moving);
  // Directions in a unit in which the largest velocity is 1.
  VectorXd unit = velocities.colwise().norm().transpose();
  unit = (unit.array() > 0.0).select(unit, 1.0);
  const MatrixXd u = velocities * unit.cwiseInverse().asDiagonal();
  Eigen::ColPivHouseholderQR<MatrixXd> qr(g);
  qr.setThreshold(kStill);
  const MatrixXd range =
      qr.householderQ() * MatrixXd::Identity(num_rows, qr.rank());
  const MatrixXd outside = u - range * (range.transpose() * u);
  const Eigen::JacobiSVD<MatrixXd> svd(
      Eigen::HouseholderQR<MatrixXd>(outside)
          .matrixQR()
          .topRows(std::min(outside.rows(), outside.cols()))
          .triangularView<Eigen::Upper>()
          .toDenseMatrix(),
      Eigen::ComputeFullV);
  const Index num_outside = (svd.singularValues().array() > kStill).count();
  const MatrixXd inside = svd.matrixV().rightCols(u.cols() - num_outside);
  MatrixXd columns(u.cols() + kNumMotions, inside.cols());
  columns.topRows(u.cols()) = inside;
  columns.bottomRows(kNumMotions) = qr.solve(u * inside);
  const std::vector<GaugeKind> kinds = PutInOrder(u.cols(), &columns);
  std::vector<SceneMotion> motions;
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    motions.push_back({kinds[k], columns.col(static_cast<Index>(k))
                                     .head(u.cols())
                                     .cwiseQuotient(unit)});
  }
  return motions;
}

}  // namespace ceres::internal
