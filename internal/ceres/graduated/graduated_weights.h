// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_GRADUATED_GRADUATED_WEIGHTS_H_
#define CERES_INTERNAL_GRADUATED_GRADUATED_WEIGHTS_H_

#include "ceres/graduated_solver.h"

namespace ceres::internal {

// The surrogates rho_mu of a loss for graduated non-convexity, and the weights
// that Black and Rangarajan's duality derives from them. Norms are relative: z
// = s / c^2, with s the squared norm of a residual block and c^2 the largest s
// of an inlier.
//
// clang-format off
//
//   loss          rho_mu(z)                              w_mu(z)
//   ------------  -------------------------------------  ---------------------------
//   truncated     z                       z <= m/(m+1)   1
//                 2 sqrt(m (m+1) z) - m (1+z)    between   sqrt(m (m+1) / z) - m
//                 1                       z >= (m+1)/m   0
//   Geman-McClure m z / (m + z)                          (m / (m + z))^2
//
// clang-format on
//
// where m is the control parameter mu. The truncated loss is approached for mu
// -> infinity, and Geman-McClure's for mu -> 1. The first mu is 1 / (2 max_z -
// 1), or 2 max_z.
//
// Source: Yang, Antonante, Tzoumas, Carlone 2020 (see
// ceres/graduated_solver.h), propositions 3 and 4 and remark 5.
class GraduatedWeights {
 public:
  // Starts at the first control parameter for squared norms up to max_z.
  GraduatedWeights(GraduatedLoss loss, double max_z);

  double control() const { return control_; }

  // w_mu(z).
  double Weight(double z) const;

  // Goes on to the next control parameter. factor > 1.
  void Advance(double factor);

  // Whether the surrogate is the loss itself. Never true of the truncated loss.
  bool IsAtLoss() const;

 private:
  const GraduatedLoss loss_;
  double control_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_GRADUATED_GRADUATED_WEIGHTS_H_
