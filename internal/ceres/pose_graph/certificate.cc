// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/pose_graph/certificate.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "Eigen/Eigenvalues"
#include "ceres/execution/loops.h"
#include "ceres/pose_graph/chordal_minimizer.h"

namespace ceres::internal {
namespace {

// In units of W. Rounding errors of a factorization are less: a factor of a
// hundred above those of graphs of ten thousand poses.
constexpr double kMargin = 1e-13;

// Relative, of a sum of squares.
constexpr double kRounding = 1e-13;

// A curvature that is no rounding error.
constexpr double kLeastCurvature = 1e-12;

// Numbers in (-1, 1) that are the same on every machine.
Eigen::VectorXd StartVector(int size) {
  Eigen::VectorXd v(size);
  std::uint64_t state = 0x9E3779B97F4A7C15u;
  for (int i = 0; i < size; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    v[i] = static_cast<double>(state >> 11) * 0x1p-52 - 1.0;
  }
  return v;
}

}  // namespace

Certificate::Certificate(GraphPattern* pattern, const Execution& execution)
    : pattern_(*pattern),
      graph_(pattern->graph()),
      execution_(execution),
      matrix_(pattern, pattern->graph().width(), execution) {}

bool Certificate::Factorize(double shift, bool holds_rotations) {
  const int d = graph_.dimension();
  ParallelFor(execution_, 0, pattern_.num_entries(), [&](int entry) {
    const int i = pattern_.row(entry);
    PoseMatrix S = pattern_.M(entry);
    if (i == pattern_.column(entry)) {
      S.topLeftCorner(d, d) -= multipliers_[i];
      S.diagonal().head(d).array() += shift * graph_.weights()[i];
    }
    matrix_.block(entry) = S;
  });
  for (int i = 0; i < graph_.num_poses(); ++i) {
    if (graph_.is_position_root(i)) matrix_.HoldCoordinate(i, d);
    // A pose without edges has no weight.
    const bool is_held =
        (holds_rotations && graph_.is_root(i)) || !(graph_.weights()[i] > 0.0);
    for (int k = 0; is_held && k < d; ++k) matrix_.HoldCoordinate(i, k);
  }
  return matrix_.Factorize();
}

Eigen::MatrixXd Certificate::TimesS(const Eigen::MatrixXd& V) const {
  const int d = graph_.dimension();
  const int w = graph_.width();
  Eigen::MatrixXd product = graph_.TimesM(V.transpose()).transpose();
  for (int i = 0; i < graph_.num_poses(); ++i) {
    product.middleRows(i * w, d) -= multipliers_[i] * V.middleRows(i * w, d);
  }
  return product;
}

Certificate::Result Certificate::Certify(const Poses& X, double tolerance) {
  Result result;
  const int w = graph_.width();
  const double cost = graph_.Cost(X);
  const Eigen::MatrixXd G = graph_.TimesM(X);
  multipliers_ = Multipliers(graph_, X, G);
  // trace(Lambda) = F - sum_i p_i' (X M)_i.
  double trace = cost;
  for (int i = 0; i < graph_.num_poses(); ++i) {
    trace -= X.col((i + 1) * w - 1).dot(G.col((i + 1) * w - 1));
  }
  if (Factorize(-kMargin, /*holds_rotations=*/true)) {
    BoundByRoots(X, trace, &result);
    return result;
  }
  BoundByShift(trace, &result);
  if (cost - result.lower_bound > tolerance) FindDirection(&result);
  return result;
}

void Certificate::BoundByRoots(const Poses& X, double trace, Result* result) {
  const int d = graph_.dimension();
  const int w = graph_.width();
  Eigen::MatrixXd u(X.cols(), d);
  for (int i = 0; i < graph_.num_poses(); ++i) {
    u.middleRows(i * w, w) = X.middleCols(i * w, w).transpose() *
                             X.middleCols(graph_.root(i) * w, d);
  }
  Eigen::MatrixXd g = TimesS(u);
  // trace(c) and the traces of its blocks.
  std::vector<double> c(graph_.num_poses(), 0.0);
  for (int i = 0; i < graph_.num_poses(); ++i) {
    c[graph_.root(i)] -=
        u.middleRows(i * w, w).cwiseProduct(g.middleRows(i * w, w)).sum();
    if (graph_.is_root(i)) g.middleRows(i * w, d).setZero();
    if (graph_.is_position_root(i)) g.row(i * w + d).setZero();
  }
  for (int k = 0; k < d; ++k) {
    const Eigen::VectorXd x = matrix_.Solve(g.col(k));
    for (int i = 0; i < graph_.num_poses(); ++i) {
      c[graph_.root(i)] += g.col(k).segment(i * w, w).dot(x.segment(i * w, w));
    }
  }
  double sum = 0.0;
  for (int i = 0; i < graph_.num_poses(); ++i) {
    if (!graph_.is_root(i) || !(graph_.weights()[i] > 0.0)) continue;
    sum += c[i];
    result->min_eigenvalue_bound =
        std::min(result->min_eigenvalue_bound, -c[i] / graph_.weights()[i]);
  }
  // The sum of squares F has rounding errors.
  result->lower_bound = trace - sum - kRounding * std::abs(trace);
}

void Certificate::BoundByShift(double trace, Result* result) {
  constexpr double kLeastShift = 1e-13;
  constexpr double kGrowth = 10.0;
  double delta = kLeastShift;
  while (!Factorize(delta, /*holds_rotations=*/false) &&
         delta < std::numeric_limits<double>::max() / kGrowth) {
    delta *= kGrowth;
  }
  result->min_eigenvalue_bound = -delta;
  result->lower_bound = trace - delta * graph_.total_weight();
}

Eigen::VectorXd Certificate::TimesW(const Eigen::VectorXd& v) const {
  const int w = graph_.width();
  Eigen::VectorXd result = Eigen::VectorXd::Zero(v.size());
  for (int i = 0; i < graph_.num_poses(); ++i) {
    result.segment(i * w, w - 1) =
        graph_.weights()[i] * v.segment(i * w, w - 1);
  }
  return result;
}

double Certificate::Curvature(const Eigen::VectorXd& v) const {
  const int d = graph_.dimension();
  const int w = graph_.width();
  double sum = graph_.Cost(v.transpose());
  for (int i = 0; i < graph_.num_poses(); ++i) {
    const auto v_i = v.segment(i * w, d);
    sum -= v_i.dot(multipliers_[i] * v_i);
  }
  return sum / v.dot(TimesW(v));
}

void Certificate::FindDirection(Result* result) {
  constexpr int kMaxSteps = 60;
  constexpr double kTolerance = 1e-3;
  const int n = matrix_.size();
  Eigen::MatrixXd basis(n, kMaxSteps + 1);
  Eigen::MatrixXd weighted(n, kMaxSteps + 1);
  Eigen::VectorXd diagonal(kMaxSteps);
  Eigen::VectorXd subdiagonal(kMaxSteps);
  Eigen::VectorXd q = matrix_.Solve(TimesW(StartVector(n)));
  double previous = 0.0;
  for (int k = 0; k < kMaxSteps; ++k) {
    Eigen::VectorXd Wq = TimesW(q);
    const double norm = std::sqrt(q.dot(Wq));
    if (k > 0) subdiagonal[k - 1] = norm;
    if (!(norm > 0.0)) return;
    basis.col(k) = q / norm;
    weighted.col(k) = Wq / norm;
    q = matrix_.Solve(weighted.col(k));
    diagonal[k] = q.dot(weighted.col(k));
    // Twice is enough (Giraud, Langou and Rozloznik, 2005).
    for (int pass = 0; pass < 2; ++pass) {
      const Eigen::VectorXd c = weighted.leftCols(k + 1).transpose() * q;
      q -= basis.leftCols(k + 1) * c;
    }
    Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> ritz;
    ritz.computeFromTridiagonal(diagonal.head(k + 1), subdiagonal.head(k));
    const double largest = ritz.eigenvalues()[k];
    const bool has_converged =
        std::abs(largest - previous) <= kTolerance * largest;
    previous = largest;
    if ((k < 5 || !has_converged) && k + 1 < kMaxSteps) continue;
    const Eigen::VectorXd v =
        basis.leftCols(k + 1) * ritz.eigenvectors().col(k);
    const double curvature = Curvature(v);
    if (curvature >= -kLeastCurvature) return;
    result->direction = v;
    result->curvature = curvature;
    return;
  }
}

}  // namespace ceres::internal
