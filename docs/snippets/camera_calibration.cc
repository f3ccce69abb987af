// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Calibrates a camera from images of a flat chessboard.

#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include "Eigen/Core"
#include "Eigen/Geometry"
#include "Eigen/SVD"
#include "ceres/ceres.h"
#include "ceres/rotation.h"
#include "noise.h"

namespace {

// [cost]
// Intrinsics: focal length, principal point x, y (pixels), distortion k1, k2.
// The image of a point p in the frame of the camera, with r the distance of
// (p_x, p_y) / p_z from the axis:
//
//   pixel = f (1 + k1 r^2 + k2 r^4) (p_x, p_y) / p_z + principal point
//
// View: angle axis and translation from the board's frame to the camera's.
template <typename T>
void Project(const T* intrinsics, const T* view, double x, double y, T* pixel) {
  const T corner[3] = {T(x), T(y), T(0)};
  T p[3];
  ceres::AngleAxisRotatePoint(view, corner, p);
  for (int i = 0; i < 3; ++i) p[i] += view[3 + i];
  const T u = p[0] / p[2], v = p[1] / p[2];
  const T r2 = u * u + v * v;
  const T scale =
      intrinsics[0] * (1.0 + r2 * (intrinsics[3] + r2 * intrinsics[4]));
  pixel[0] = scale * u + intrinsics[1];
  pixel[1] = scale * v + intrinsics[2];
}

struct CornerError {
  template <typename T>
  bool operator()(const T* intrinsics, const T* view, T* residual) const {
    Project(intrinsics, view, x, y, residual);
    residual[0] = (residual[0] - column) / sigma;
    residual[1] = (residual[1] - row) / sigma;
    return true;
  }

  double x, y;         // The corner on the board, metres.
  double column, row;  // Its image, pixels.
  double sigma;        // Standard deviation of a detected corner, pixels.
};
// [/cost]

// [homography]
// The H with (pixel - centre, 1) ~ H (x, y, 1) for the corners of a view, by
// the direct linear transformation.
Eigen::Matrix3d Homography(const std::vector<CornerError>& corners,
                           const double* centre) {
  Eigen::MatrixXd A(2 * corners.size(), 9);
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const CornerError& c = corners[i];
    const double u = c.column - centre[0], v = c.row - centre[1];
    A.row(2 * i) << c.x, c.y, 1, 0, 0, 0, -u * c.x, -u * c.y, -u;
    A.row(2 * i + 1) << 0, 0, 0, c.x, c.y, 1, -v * c.x, -v * c.y, -v;
  }
  // Columns of length 1, so that units do not matter.
  const Eigen::VectorXd scale = A.colwise().norm();
  A = A * scale.cwiseInverse().asDiagonal();
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(A, Eigen::ComputeThinV);
  const Eigen::VectorXd h = svd.matrixV().col(8).cwiseQuotient(scale);
  return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(
      h.data());
}

// The focal length for which the axes of the board are perpendicular and of
// one length in all views, by least squares. NaN if no view is tilted.
double FocalLength(const std::vector<Eigen::Matrix3d>& homographies) {
  double ab = 0.0, bb = 0.0;
  for (const Eigen::Matrix3d& unscaled : homographies) {
    const Eigen::Matrix3d H = unscaled / unscaled.norm();
    const double a[2] = {
        H(0, 0) * H(0, 1) + H(1, 0) * H(1, 1),
        H.col(0).head(2).squaredNorm() - H.col(1).head(2).squaredNorm()};
    const double b[2] = {H(2, 0) * H(2, 1),
                         H(2, 0) * H(2, 0) - H(2, 1) * H(2, 1)};
    for (int k = 0; k < 2; ++k) {
      ab -= a[k] * b[k];
      bb += b[k] * b[k];
    }
  }
  return std::sqrt(ab / bb);
}

// The pose of the board, in front of the camera.
std::array<double, 6> View(const Eigen::Matrix3d& homography, double f) {
  Eigen::Matrix3d M = homography;
  M.topRows(2) /= f;
  M *= (M(2, 2) < 0.0 ? -2.0 : 2.0) / (M.col(0).norm() + M.col(1).norm());
  Eigen::Matrix3d R;
  R << M.col(0), M.col(1), M.col(0).cross(M.col(1));
  const Eigen::JacobiSVD<Eigen::Matrix3d> svd(
      R, Eigen::ComputeFullU | Eigen::ComputeFullV);
  R = svd.matrixU() * svd.matrixV().transpose();  // The nearest rotation.
  std::array<double, 6> view = {0, 0, 0, M(0, 2), M(1, 2), M(2, 2)};
  ceres::RotationMatrixToAngleAxis(R.data(), view.data());
  return view;
}
// [/homography]

}  // namespace

int main() {
  const double truth[5] = {820.0, 331.0, 236.0, -0.21, 0.06};
  const double sigma = 0.2;
  Noise noise;

  // Eight views of a board of 9 x 6 corners, 3 cm apart, from all sides.
  std::vector<std::vector<CornerError>> corners;
  for (int i = 0; i < 8; ++i) {
    const std::array<double, 6> view = {0.45 * std::sin(0.8 * i),
                                        0.45 * std::cos(0.8 * i),
                                        0.3 * i,
                                        -0.02 + 0.02 * std::sin(1.7 * i),
                                        -0.02 * std::cos(2.3 * i),
                                        0.42 + 0.03 * (i % 3)};
    corners.emplace_back();
    for (int c = 0; c < 9; ++c) {
      for (int r = 0; r < 6; ++r) {
        const double x = 0.03 * (c - 4), y = 0.03 * (r - 2.5);
        double pixel[2];
        Project(truth, view.data(), x, y, pixel);
        corners.back().push_back({x, y, pixel[0] + noise.Normal(sigma),
                                  pixel[1] + noise.Normal(sigma), sigma});
      }
    }
  }

  // [start]
  // The centre of the image, no distortion.
  double intrinsics[5] = {0.0, 320.0, 240.0, 0.0, 0.0};
  std::vector<Eigen::Matrix3d> homographies;
  for (const auto& view : corners) {
    homographies.push_back(Homography(view, &intrinsics[1]));
  }
  intrinsics[0] = FocalLength(homographies);
  std::vector<std::array<double, 6>> views;
  for (const Eigen::Matrix3d& H : homographies) {
    views.push_back(View(H, intrinsics[0]));
  }
  // [/start]
  const double start = intrinsics[0];

  // [solve]
  using Cost = ceres::AutoDiffCostFunction<CornerError, 2, 5, 6>;
  ceres::Problem problem;
  for (std::size_t i = 0; i < views.size(); ++i) {
    for (const CornerError& corner : corners[i]) {
      problem.AddResidualBlock(new Cost(new CornerError(corner)), nullptr,
                               intrinsics, views[i].data());
    }
  }
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_SCHUR;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  // [/solve]

  // [covariance]
  ceres::Covariance covariance(ceres::Covariance::Options{});
  double c[25];
  const std::vector<const double*> blocks = {intrinsics};
  if (!covariance.Compute(blocks, &problem)) return 1;
  covariance.GetCovarianceBlock(intrinsics, intrinsics, c);
  // [/covariance]

  // With residuals in standard deviations, the mean square is near 1. Each
  // estimated coordinate takes away one residual.
  const double sigma0 =
      std::sqrt(2.0 * summary.final_cost /
                (summary.num_residuals - summary.num_effective_parameters));
  std::printf("focal length at the start: %.0f\n", start);
  std::printf("%s\n", summary.IsSolutionUsable() ? "solved" : "failed");
  std::printf("residuals / expected noise: %.2f\n", sigma0);
  std::printf("                 true    estimate     sigma\n");
  const char* const names[5] = {"focal length", "centre x", "centre y", "k1",
                                "k2"};
  for (int i = 0; i < 5; ++i) {
    std::printf("%-12s %8.3f    %8.3f  %8.3f\n", names[i], truth[i],
                intrinsics[i], std::sqrt(c[6 * i]));
  }
  std::printf("reprojection errors of view 0 in pixels\n");
  for (const CornerError& corner : corners[0]) {
    double r[2];
    corner(intrinsics, views[0].data(), r);
    std::printf("%7.1f %7.1f  %6.2f %6.2f\n", corner.column, corner.row,
                sigma * r[0], sigma * r[1]);
  }
}
