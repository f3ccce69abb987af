// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/pose_graph/certificate.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "Eigen/Eigenvalues"
#include "ceres/execution/loops.h"
#include "ceres/pose_graph/chordal_minimizer.h"

namespace ceres::internal {
namespace {

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

bool Certificate::Factorize(double delta) {
  const int d = graph_.dimension();
  ParallelFor(execution_, 0, pattern_.num_entries(), [&](int entry) {
    const int i = pattern_.row(entry);
    PoseMatrix S = pattern_.M(entry);
    if (i == pattern_.column(entry)) {
      S.topLeftCorner(d, d) -= multipliers_[i];
      S.diagonal().head(d).array() += delta * graph_.weights()[i];
    }
    matrix_.block(entry) = S;
  });
  for (int i = 0; i < graph_.num_poses(); ++i) {
    if (graph_.is_position_root(i)) matrix_.HoldCoordinate(i, d);
    // A pose without edges.
    if (graph_.weights()[i] > 0.0) continue;
    for (int k = 0; k < d; ++k) matrix_.HoldCoordinate(i, k);
  }
  return matrix_.Factorize();
}

Certificate::Result Certificate::Certify(const Poses& X, double tolerance) {
  Result result;
  const double cost = graph_.Cost(X);
  const Eigen::MatrixXd G = graph_.TimesM(X);
  multipliers_ = Multipliers(graph_, X, G);
  // trace(Lambda) = F - sum_i p_i' (X M)_i.
  double trace = cost;
  const int w = graph_.width();
  for (int i = 0; i < graph_.num_poses(); ++i) {
    trace -= X.col((i + 1) * w - 1).dot(G.col((i + 1) * w - 1));
  }
  // S + 2 W is positive semidefinite: |Lambda_i| is at most |G_i|, ...
  double delta = kLeastShift;
  const double growth = 10.0;
  while (!Factorize(delta) && delta < 1e6) delta *= growth;
  result.delta = delta;
  result.lower_bound = trace - delta * graph_.total_weight();
  if (cost - result.lower_bound <= tolerance) return result;
  FindDirection(&result);
  return result;
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
    if (curvature >= 0.0) return;
    result->direction = v;
    result->curvature = curvature;
    return;
  }
}

}  // namespace ceres::internal
