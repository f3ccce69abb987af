// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_POSE_GRAPH_CHORDAL_MINIMIZER_H_
#define CERES_INTERNAL_POSE_GRAPH_CHORDAL_MINIMIZER_H_

#include <vector>

#include "Eigen/Core"
#include "ceres/execution/execution.h"
#include "ceres/pose_graph/chordal_graph.h"
#include "ceres/pose_graph/graph_matrix.h"
#include "ceres/pose_graph/position_solver.h"

namespace ceres::internal {

// The blocks Lambda_i = sym(Y_i' G_i) of the multipliers, for G = X M: d x d.
std::vector<PoseMatrix> Multipliers(const ChordalGraph& graph, const Poses& X,
                                    const Eigen::MatrixXd& G);

// Minimizes the chordal problem over poses of one rank by Newton's method with
// the damping of Levenberg and Marquardt. With an orthonormal basis B of the
// tangent space at X, a step solves
//
//   (B' (S x I_r) B + mu D) s = -B' vec(X M),   S = M - Lambda,
//
// where the first matrix is half the Riemannian Hessian (Absil et al. 2008,
// section 5.3; Rosen et al. 2019, equation 35), D the diagonal of B' (M x I_r)
// B, and the roots of all parts stay. D has the units of the positions, so that
// results do not depend on them. While steps decrease the cost much, M takes
// the place of S: the method of Gauss and Newton, whose matrix is never
// indefinite.
//
// After each step the positions are those of least F for the rotations. So a
// step is one of the problem in the rotations alone, and turns long chains of
// poses far: Golub and Pereyra, "The differentiation of pseudo-inverses and
// nonlinear least squares problems whose variables separate", 1973.
class ChordalMinimizer {
 public:
  struct Result {
    int num_iterations = 0;
    // The predicted decrease of the cost was below rounding, or no step
    // decreased it any more.
    bool has_converged = false;
    double cost = 0.0;
  };

  // pattern and positions outlive this.
  ChordalMinimizer(GraphPattern* pattern, int rank, const Execution& execution,
                   PositionSolver* positions);

  Result Minimize(int max_num_iterations, Poses* X);

 private:
  // Fills and factors the matrix at X_. Returns whether it is positive
  // definite.
  bool FactorizeHessian(bool is_newton, double mu);
  // At a new point: bases, gradient, multipliers.
  void Linearize(const Poses& X);
  // The step in the basis, and the decrease that the model predicts.
  double Step(double mu, Eigen::VectorXd* s);
  Poses Move(const Poses& X, const Eigen::VectorXd& s);

  GraphPattern& pattern_;
  const ChordalGraph& graph_;
  const int rank_;
  const Execution execution_;
  PositionSolver& positions_;
  GraphMatrix hessian_;
  std::vector<Eigen::MatrixXd> bases_;
  std::vector<PoseMatrix> multipliers_;
  Eigen::VectorXd gradient_;
  Eigen::VectorXd diagonal_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_POSE_GRAPH_CHORDAL_MINIMIZER_H_
