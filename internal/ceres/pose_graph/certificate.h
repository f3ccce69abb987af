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
// is. A shift of the rotations, delta W, is the same shift of both.
//
// The factorization of S + delta W is that of a matrix with rounding errors.
// They are relative to the diagonal of the matrix, which has positions in it.
// kLeastShift is larger than these errors are where poses are far apart.
class Certificate {
 public:
  struct Result {
    // S + delta W is positive definite on what is not a gauge freedom.
    double delta = 0.0;
    // trace(Lambda) - delta d trace(W).
    double lower_bound = 0.0;
    // If the bound is further from the cost than the tolerance allows: v and
    // v'Sv / v'Wv. Else empty.
    Eigen::VectorXd direction;
    double curvature = 0.0;
  };

  // The least shift that is tried.
  static constexpr double kLeastShift = 1e-13;

  Certificate(GraphPattern* pattern, const Execution& execution);

  // At poses of any rank. tolerance: of the difference between the cost and the
  // bound; no direction is computed if it is less.
  Result Certify(const Poses& X, double tolerance);

 private:
  bool Factorize(double delta);
  // The direction of least curvature, from the factor of S + delta W.
  void FindDirection(Result* result);
  // v'Sv and v'Wv.
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
