// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_POSE_GRAPH_CERTIFICATE_H_
#define CERES_INTERNAL_POSE_GRAPH_CERTIFICATE_H_

#include <vector>

#include "Eigen/Core"
#include "ceres/execution/execution.h"
#include "ceres/pose_graph/chordal_graph.h"
#include "ceres/pose_graph/graph_matrix.h"

namespace ceres::internal {

// The certificate matrix S = M - Lambda at a point, see CertifyPoseGraph.
//
// The matrix over rotations and positions is sparse; positions are not
// eliminated from it, as in Rosen et al. 2019, because this would fill it. By
// the Schur complement one is positive semidefinite if and only if the other
// is.
//
// S is singular at a minimum: S X' = 0. Let the rows and columns of the
// rotations of all roots be those with index r, and p the others, which have
// the positions without their gauge freedom. With u = X' Y_root, whose block of
// the root is I if the rank is d, and S u = g,
//
//   S_rr - S_rp S_pp^-1 S_pr = u'g - g_p' S_pp^-1 g_p =: -c,
//
// a block for each root. If S_pp is positive definite, S plus c at the roots is
// positive semidefinite, and the bound is
//
//   trace(Lambda) - trace(c) = F - trace(g_p' S_pp^-1 g_p)     (rank d).
//
// So the gap is of second order in the gradient, and relative to F, however
// small F is. A Cholesky factorization of S_pp - kMargin W decides; the margin
// is above its rounding errors.
//
// If S_pp is not positive definite, S + delta W is factored for a growing
// delta, which gives the bound trace(Lambda) - delta d trace(W).
class Certificate {
 public:
  struct Result {
    double lower_bound = 0.0;
    // From below, of S v = l W v.
    double min_eigenvalue_bound = 0.0;
    // If S has a direction of negative curvature: v and v'Sv / v'Wv. Else
    // empty.
    Eigen::VectorXd direction;
    double curvature = 0.0;
  };

  Certificate(GraphPattern* pattern, const Execution& execution);

  // At poses of any rank whose positions are those of least F. No direction is
  // looked for if the bound is at most `tolerance` below F(X).
  Result Certify(const Poses& X, double tolerance);

 private:
  // Factors S + shift W, with the rotations of roots held, or without.
  bool Factorize(double shift, bool holds_rotations);
  // S times the columns of V.
  Eigen::MatrixXd TimesS(const Eigen::MatrixXd& V) const;
  // From the factor of S_pp.
  void BoundByRoots(const Poses& X, double trace, Result* result);
  // Factors S + delta W.
  void BoundByShift(double trace, Result* result);
  // The direction of least curvature, from the factor of S + delta W.
  void FindDirection(Result* result);
  // v'Sv / v'Wv.
  double Curvature(const Eigen::VectorXd& v) const;
  Eigen::VectorXd TimesW(const Eigen::VectorXd& v) const;

  GraphPattern& pattern_;
  const ChordalGraph& graph_;
  const Execution execution_;
  GraphMatrix matrix_;
  std::vector<PoseMatrix> multipliers_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_POSE_GRAPH_CERTIFICATE_H_
