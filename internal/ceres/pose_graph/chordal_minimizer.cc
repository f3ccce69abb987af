// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/pose_graph/chordal_minimizer.h"

#include <algorithm>
#include <cmath>

#include "ceres/execution/loops.h"
#include "ceres/pose_graph/stiefel.h"

namespace ceres::internal {
namespace {

// S x I_r times a matrix of columns of r width numbers.
Eigen::MatrixXd TimesKronecker(const PoseMatrix& S, int r,
                               const Eigen::MatrixXd& B) {
  const int w = static_cast<int>(S.rows());
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(B.rows(), B.cols());
  for (int i = 0; i < w; ++i) {
    for (int j = 0; j < w; ++j) {
      result.middleRows(i * r, r) += S(i, j) * B.middleRows(j * r, r);
    }
  }
  return result;
}

}  // namespace

std::vector<PoseMatrix> Multipliers(const ChordalGraph& graph, const Poses& X,
                                    const Eigen::MatrixXd& G) {
  const int d = graph.dimension();
  const int w = graph.width();
  std::vector<PoseMatrix> result(graph.num_poses());
  for (int i = 0; i < graph.num_poses(); ++i) {
    const PoseMatrix product =
        X.middleCols(i * w, d).transpose() * G.middleCols(i * w, d);
    result[i] = 0.5 * (product + product.transpose());
  }
  return result;
}

ChordalMinimizer::ChordalMinimizer(GraphPattern* pattern, int rank,
                                   const Execution& execution)
    : pattern_(*pattern),
      graph_(pattern->graph()),
      rank_(rank),
      execution_(execution),
      hessian_(pattern, TangentSize(rank, pattern->graph().dimension()),
               execution),
      bases_(graph_.num_poses()),
      gradient_(hessian_.size()),
      diagonal_(hessian_.size()) {}

void ChordalMinimizer::Linearize(const Poses& X) {
  const int w = graph_.width();
  const int p = hessian_.block_size();
  const Eigen::MatrixXd G = graph_.TimesM(X);
  multipliers_ = Multipliers(graph_, X, G);
  ParallelFor(execution_, 0, graph_.num_poses(), [&](int i) {
    bases_[i] = TangentBasis(X.middleCols(i * w, w));
    const Eigen::Map<const Eigen::VectorXd> G_i(G.data() + i * w * rank_,
                                                w * rank_);
    gradient_.segment(i * p, p) = bases_[i].transpose() * G_i;
    const PoseMatrix& M = pattern_.M(pattern_.diagonal(i));
    diagonal_.segment(i * p, p) =
        bases_[i]
            .cwiseProduct(TimesKronecker(M, rank_, bases_[i]))
            .colwise()
            .sum()
            .transpose();
    for (int k = i * p; k < (i + 1) * p; ++k) {
      if (!(diagonal_[k] > 0.0)) diagonal_[k] = 1.0;
    }
    // What stays has no step.
    if (graph_.is_root(i)) gradient_.segment(i * p, p).setZero();
    if (graph_.is_position_root(i)) {
      gradient_.segment((i + 1) * p - rank_, rank_).setZero();
    }
  });
}

bool ChordalMinimizer::FactorizeHessian(bool is_newton, double mu) {
  const int d = graph_.dimension();
  const int p = hessian_.block_size();
  ParallelFor(execution_, 0, pattern_.num_entries(), [&](int entry) {
    const int i = pattern_.row(entry);
    const int j = pattern_.column(entry);
    PoseMatrix S = pattern_.M(entry);
    if (is_newton && i == j) S.topLeftCorner(d, d) -= multipliers_[i];
    hessian_.block(entry) =
        bases_[i].transpose() * TimesKronecker(S, rank_, bases_[j]);
    if (i != j) return;
    hessian_.block(entry).diagonal() += mu * diagonal_.segment(i * p, p);
  });
  for (int i = 0; i < graph_.num_poses(); ++i) {
    for (int k = 0; k < p; ++k) {
      if (graph_.is_root(i) || (k >= p - rank_ && graph_.is_position_root(i))) {
        hessian_.HoldCoordinate(i, k);
      }
    }
  }
  return hessian_.Factorize();
}

double ChordalMinimizer::Step(double mu, Eigen::VectorXd* s) {
  *s = -hessian_.Solve(gradient_);
  // F + 2 g's + s'Hs, with (H + mu D) s = -g.
  return -gradient_.dot(*s) + mu * s->dot(diagonal_.cwiseProduct(*s));
}

Poses ChordalMinimizer::Move(const Poses& X, const Eigen::VectorXd& s) const {
  const int w = graph_.width();
  const int p = hessian_.block_size();
  Poses moved(X.rows(), X.cols());
  ParallelFor(execution_, 0, graph_.num_poses(), [&](int i) {
    const Eigen::VectorXd v = bases_[i] * s.segment(i * p, p);
    moved.middleCols(i * w, w) =
        Retract(X.middleCols(i * w, w),
                Eigen::Map<const Eigen::MatrixXd>(v.data(), rank_, w));
  });
  return moved;
}

ChordalMinimizer::Result ChordalMinimizer::Minimize(int max_num_iterations,
                                                    Poses* X) {
  // Predicted decreases below this part of the cost are rounding errors of it.
  constexpr double kConverged = 1e-15;
  constexpr double kMaxDamping = 1e10;
  // With no damping the matrix is singular where the relaxation has a family of
  // minima.
  constexpr double kMinDamping = 1e-14;
  Result result;
  result.cost = graph_.Cost(*X);
  double mu = 1e-5;
  double growth = 2.0;
  Linearize(*X);
  while (result.num_iterations < max_num_iterations) {
    ++result.num_iterations;
    bool is_newton = num_without_newton_ == 0;
    bool is_definite = FactorizeHessian(is_newton, mu);
    if (!is_definite && is_newton) {
      is_newton = false;
      num_without_newton_ = 3;
      is_definite = FactorizeHessian(is_newton, mu);
    }
    if (!is_newton) --num_without_newton_;
    Eigen::VectorXd s;
    double predicted = 0.0;
    double change = 0.0;
    if (is_definite) {
      predicted = Step(mu, &s);
      const Poses candidate = Move(*X, s);
      const double cost = graph_.Cost(candidate);
      change = result.cost - cost;
      const bool is_small = predicted <= kConverged * result.cost;
      if (change > 1e-3 * predicted || (is_small && change >= 0.0)) {
        *X = candidate;
        result.cost = cost;
      }
      if (is_small && (is_newton || mu <= 1e-5)) {
        result.has_converged = true;
        break;
      }
    }
    if (is_definite && change > 1e-3 * predicted) {
      Linearize(*X);
      const double ratio = change / predicted;
      mu = std::max(kMinDamping,
                    mu * std::max(0.1, 1.0 - std::pow(2.0 * ratio - 1.0, 3)));
      growth = 2.0;
    } else {
      mu *= growth;
      growth *= 2.0;
      if (mu > kMaxDamping) {
        result.has_converged = true;
        break;
      }
    }
  }
  return result;
}

}  // namespace ceres::internal
