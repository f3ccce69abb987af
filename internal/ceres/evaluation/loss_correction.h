// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_EVALUATION_LOSS_CORRECTION_H_
#define CERES_INTERNAL_EVALUATION_LOSS_CORRECTION_H_

#include <cmath>

namespace ceres::internal {

// The correction of a residual block for its loss function. The cost 1/2 rho(s)
// with s = |r|^2 becomes 1/2 |r~|^2, whose Gauss-Newton model has the gradient
// of the robust cost, and, if rho'' > 0, its second-order term along r:
//
//   r~ = sqrt(rho') / (1 - alpha) r,
//   J~ = sqrt(rho') (J - alpha / s r (r'J)),
//   where  1/2 alpha^2 - alpha - rho'' / rho' s = 0.
//
// Source: Triggs, McLauchlan, Hartley and Fitzgibbon, "Bundle Adjustment - A
// Modern Synthesis", 2000, section 4.3.
//
// If rho'' <= 0 or s = 0, alpha is 0. For rho'' < 0, which outliers have, the
// second-order term would reduce the curvature along r and could make the model
// indefinite. For every alpha the gradient J~'r~ is rho' J'r.
class LossCorrection {
 public:
  // rho = {rho(s), rho'(s), rho''(s)}, rho' >= 0.
  LossCorrection(double s, const double rho[3])
      : is_identity_(rho[1] == 1.0 && !(s > 0.0 && rho[2] > 0.0)) {
    if (is_identity_) return;
    jacobian_scale_ = residual_scale_ = std::sqrt(rho[1]);
    if (s == 0.0 || rho[2] <= 0.0 || rho[1] == 0.0) return;
    const double alpha = 1.0 - std::sqrt(1.0 + 2.0 * s * rho[2] / rho[1]);
    residual_scale_ = jacobian_scale_ / (1.0 - alpha);
    alpha_by_s_ = alpha / s;
  }

  // Nothing changes, as for the inliers of HuberLoss.
  bool is_identity() const { return is_identity_; }

  // Whether r~ and J~ are r and J times one number.
  bool is_scaling() const { return alpha_by_s_ == 0.0; }
  double scale() const { return jacobian_scale_; }

  // J (num_rows x num_columns, row-major) becomes J~. r is the residual before
  // its own correction.
  void CorrectJacobian(int num_rows, int num_columns, const double* r,
                       double* jacobian) const {
    if (alpha_by_s_ == 0.0) {
      for (int i = 0; i < num_rows * num_columns; ++i) {
        jacobian[i] *= jacobian_scale_;
      }
      return;
    }
    for (int c = 0; c < num_columns; ++c) {
      double r_dot_column = 0.0;
      for (int i = 0; i < num_rows; ++i) {
        r_dot_column += r[i] * jacobian[i * num_columns + c];
      }
      for (int i = 0; i < num_rows; ++i) {
        double& entry = jacobian[i * num_columns + c];
        entry = jacobian_scale_ * (entry - alpha_by_s_ * r[i] * r_dot_column);
      }
    }
  }

  // r becomes r~.
  void CorrectResiduals(int num_rows, double* r) const {
    for (int i = 0; i < num_rows; ++i) r[i] *= residual_scale_;
  }

 private:
  bool is_identity_;
  double jacobian_scale_ = 1.0;
  double residual_scale_ = 1.0;
  double alpha_by_s_ = 0.0;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_EVALUATION_LOSS_CORRECTION_H_
