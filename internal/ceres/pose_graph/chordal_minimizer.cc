// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/pose_graph/chordal_minimizer.h"

#include <algorithm>
#include <cmath>
#include <utility>

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

// The damping mu. Madsen, Nielsen and Tingleff, "Methods for Non-Linear Least
// Squares Problems", 2004, section 3.2; and a rule for matrices that are not
// positive definite.
class Damping {
 public:
  double mu() const { return mu_; }

  // ratio: of the decrease of the cost to the prediction.
  void Lower(double ratio) {
    const double least = was_indefinite_ ? 0.3 : 0.03;
    mu_ = std::max(kMin,
                   mu_ * std::max(least, 1.0 - std::pow(2.0 * ratio - 1.0, 3)));
    growth_ = 2.0;
    was_indefinite_ = false;
  }
  // Return false if the damping is at its limit.
  bool Raise() {
    mu_ *= growth_;
    growth_ *= 2.0;
    return mu_ < kMax;
  }
  bool RaiseUntilDefinite() {
    was_indefinite_ = true;
    mu_ = std::max(3.0 * mu_, 1e-7);
    return mu_ < kMax;
  }

 private:
  // Without damping the matrix is singular where there is a family of minima.
  static constexpr double kMin = 1e-14;
  static constexpr double kMax = 1e10;

  double mu_ = 1e-5;
  double growth_ = 2.0;
  bool was_indefinite_ = false;
};

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
                                   const Execution& execution,
                                   PositionSolver* positions)
    : pattern_(*pattern),
      graph_(pattern->graph()),
      rank_(rank),
      execution_(execution),
      positions_(*positions),
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

Poses ChordalMinimizer::Move(const Poses& X, const Eigen::VectorXd& s) {
  const int w = graph_.width();
  const int p = hessian_.block_size();
  Poses moved(X.rows(), X.cols());
  ParallelFor(execution_, 0, graph_.num_poses(), [&](int i) {
    const Eigen::VectorXd v = bases_[i] * s.segment(i * p, p);
    moved.middleCols(i * w, w) =
        Retract(X.middleCols(i * w, w),
                Eigen::Map<const Eigen::MatrixXd>(v.data(), rank_, w));
  });
  positions_.Solve(&moved);
  return moved;
}

ChordalMinimizer::Result ChordalMinimizer::Minimize(int max_num_iterations,
                                                    Poses* X) {
  // Predicted decreases below this part of the cost are rounding errors of it.
  constexpr double kConverged = 1e-15;
  constexpr double kRounding = 1e-13;
  // A step that decreases the cost by less than this part ends the first phase.
  constexpr double kSlow = 0.1;
  // The part of the predicted decrease that a step must reach.
  constexpr double kSufficient = 1e-3;
  Result result;
  positions_.Solve(X);
  result.cost = graph_.Cost(*X);
  bool is_newton = false;
  Damping damping;
  Linearize(*X);
  while (result.num_iterations < max_num_iterations) {
    ++result.num_iterations;
    while (!FactorizeHessian(is_newton, damping.mu())) {
      if (!damping.RaiseUntilDefinite()) return result;
    }
    Eigen::VectorXd s;
    const double predicted = Step(damping.mu(), &s);
    Poses candidate = Move(*X, s);
    const double cost = graph_.Cost(candidate);
    const double change = result.cost - cost;
    const bool is_last =
        predicted <= std::max(kConverged * result.cost, graph_.Rounding(*X));
    const bool is_accepted = is_last ? change >= -kRounding * result.cost
                                     : change > kSufficient * predicted;
    if (is_accepted) {
      *X = std::move(candidate);
      result.cost = cost;
      if (!is_last || !is_newton) Linearize(*X);
    }
    if (is_last && is_newton) {
      result.has_converged = true;
      break;
    }
    if (is_last || (!is_newton && is_accepted && change < kSlow * cost)) {
      is_newton = true;
      damping = Damping();
    } else if (is_accepted) {
      damping.Lower(change / predicted);
    } else if (!damping.Raise()) {
      // No step decreases the cost: what is left is rounding.
      result.has_converged = true;
      break;
    }
  }
  return result;
}

}  // namespace ceres::internal
