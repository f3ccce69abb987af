// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/io/pose_graph.h"

#include <algorithm>
#include <cmath>

#include "Eigen/Core"
#include "Eigen/QR"

namespace ceres::io {
namespace {

constexpr int kMaxSize = 6;

// The upper Cholesky factor in the order of the matrix.
bool Factor(const double* a, int n, double* w) {
  std::fill_n(w, n * n, 0.0);
  for (int row = 0; row < n; ++row) {
    double pivot = a[row * n + row];
    for (int k = 0; k < row; ++k) pivot -= w[k * n + row] * w[k * n + row];
    if (!(pivot > 0.0) || !std::isfinite(pivot)) return false;
    w[row * n + row] = std::sqrt(pivot);
    for (int col = row + 1; col < n; ++col) {
      double sum = a[row * n + col];
      for (int k = 0; k < row; ++k) sum -= w[k * n + row] * w[k * n + col];
      w[row * n + col] = sum / w[row * n + row];
      if (!std::isfinite(w[row * n + col])) return false;
    }
  }
  return true;
}

// The triangular factor of W, with a diagonal that is not negative: R'R = W'W.
void MakeUpperTriangular(int n, double* w) {
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic,
                               Eigen::RowMajor, kMaxSize, kMaxSize>;
  Eigen::Map<Matrix> W(w, n, n);
  Matrix R = Eigen::HouseholderQR<Matrix>(W).matrixQR();
  for (int i = 0; i < n; ++i) {
    R.row(i).head(i).setZero();
    if (R(i, i) < 0.0) R.row(i) = -R.row(i);
  }
  W = R;
}

// The factor of a singular matrix A: with D = the square roots of A's diagonal,
// S = D^-1 A D^-1 has a unit diagonal. Each step takes the largest remaining
// pivot. What remains when no pivot exceeds the tolerance must be zero.
bool FactorSemidefinite(const double* a, int n, double* w) {
  // Numbers with five digits: errors of a few 1e-5 in S.
  constexpr double kTolerance = 1e-4;
  double scale[kMaxSize], s[kMaxSize][kMaxSize];
  for (int i = 0; i < n; ++i) {
    const double diagonal = a[i * n + i];
    if (!(diagonal >= 0.0) || !std::isfinite(diagonal)) return false;
    scale[i] = std::sqrt(diagonal);
  }
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const double size = scale[i] * scale[j];
      s[i][j] = size > 0.0 ? a[i * n + j] / scale[i] / scale[j] : 0.0;
      // A zero on the diagonal has a row of zeros.
      if ((size == 0.0 && a[i * n + j] != 0.0) || !std::isfinite(s[i][j])) {
        return false;
      }
    }
  }
  std::fill_n(w, n * n, 0.0);
  bool is_done[kMaxSize] = {};
  for (int step = 0; step < n; ++step) {
    int p = -1;
    for (int i = 0; i < n; ++i) {
      if (!is_done[i] && (p < 0 || s[i][i] > s[p][p])) p = i;
    }
    if (!(s[p][p] > kTolerance)) break;
    is_done[p] = true;
    const double root = std::sqrt(s[p][p]);
    w[step * n + p] = root * scale[p];
    for (int j = 0; j < n; ++j) {
      if (!is_done[j]) w[step * n + j] = s[p][j] / root * scale[j];
    }
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n && !is_done[i]; ++j) {
        if (!is_done[j]) s[i][j] -= s[p][i] * s[p][j] / (root * root);
      }
    }
  }
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const bool remains = !is_done[i] && !is_done[j];
      if (remains && !(std::abs(s[i][j]) <= kTolerance)) return false;
    }
  }
  MakeUpperTriangular(n, w);
  return true;
}

}  // namespace

int PoseGraph::ErrorSize(const Edge& edge) const {
  switch (edge.type) {
    case EdgeType::kRelativePose:
    case EdgeType::kPose:
      return dimension == 2 ? 3 : 6;
    case EdgeType::kLandmark:
    case EdgeType::kPosition:
      return dimension;
    case EdgeType::kBearing:
      return 1;
    case EdgeType::kBearingAndRange:
      return 2;
  }
  return 0;
}

bool SquareRootInformation(const double* information, int n, double* W) {
  return Factor(information, n, W) || FactorSemidefinite(information, n, W);
}

}  // namespace ceres::io
