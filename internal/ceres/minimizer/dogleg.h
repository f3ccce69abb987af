// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MINIMIZER_DOGLEG_H_
#define CERES_INTERNAL_MINIMIZER_DOGLEG_H_

#include <vector>

#include "Eigen/Core"
#include "ceres/minimizer/trust_region_strategy.h"
#include "ceres/types.h"

namespace ceres::internal {

// Dogleg methods. The trust region is the ellipsoid |D step| <= radius with
//
//   D_j^2 = clamp(s_j^2 diag(J'J)_j, min_diagonal, max_diagonal) / s_j^2,
//
// where s are the column scales. In the variables y = D step, with the gradient
// g = D^-1 J'r, the step is a combination of two vectors:
//
//   Cauchy        c = -(|g|^2 / |J D^-1 g|^2) g     minimum along -g
//   Gauss-Newton  n = argmin |J D^-1 y + r|         from the linear solver
//
// Neither depends on the radius. Therefore a rejected step needs no new
// factorization.
//
//   TRADITIONAL_DOGLEG  the point where the path 0 -> c -> n leaves the region
//   SUBSPACE_DOGLEG     the minimizer in the intersection of the region and the
//                       plane of g and n (two_dimensional_model.h)
//
// J may be rank deficient. Therefore n is the solution of a damped problem,
// min |J D^-1 y + r|^2 + mu |y|^2, with mu = 1e-8. If the factorization fails,
// mu grows tenfold until it succeeds, at most to 1.
//
// M. Powell, A Hybrid Method for Nonlinear Equations, 1970. K. Madsen, H.
// Nielsen, O. Tingleff, Methods for Non-Linear Least Squares Problems, 2004,
// section 3.3. R. Byrd, R. Schnabel, G. Schultz, Approximate Solution of the
// Trust Region Problem by Minimization over Two-Dimensional Subspaces, Math.
// Prog. 40, 1988.
class Dogleg final : public TrustRegionStrategy {
 public:
  // options: must outlive this. num_columns: the number of columns of the
  // Jacobian.
  Dogleg(const MinimizerOptions& options, int num_columns);

  TrustRegionStep ComputeStep(const LinearModel& model,
                              const LinearSolver::SolveOptions& limits,
                              double* step) override;
  void Accept(double quality) override;
  void Reject() override;
  void Invalidate() override;
  void ForgetModel() override { is_prepared_ = false; }
  double radius() const override { return radius_; }
  void TransferState(StateArchive* archive) override {
    archive->Value(&radius_);
    archive->Value(&mu_);
  }

 private:
  // The stages. All vectors are in the variables y.
  void ComputeDiagonal(const LinearModel& model);
  TrustRegionStep ComputeGaussNewton(const LinearModel& model,
                                     const LinearSolver::SolveOptions& limits);
  void ComputeGradient(const LinearModel& model);
  void ComputeSubspace(const LinearModel& model);
  void FollowDogleg(const LinearModel& model, double* y) const;
  void MinimizeInSubspace(double* y) const;

  // Computes D^-1 y in `tangent`, and returns its values.
  const double* Unscale(const std::vector<double>& y,
                        std::vector<double>* tangent) const;

  const MinimizerOptions& options_;
  const int num_columns_;
  double radius_;
  double mu_;
  bool is_prepared_ = false;  // the vectors below belong to the current model
  double step_norm_ = 0.0;    // |y| of the last step

  std::vector<double> diagonal_;
  std::vector<double> gradient_;
  std::vector<double> gauss_newton_;
  double gradient_norm_ = 0.0;
  double gauss_newton_norm_ = 0.0;
  double cauchy_length_ = 0.0;  // |c|; infinite if J D^-1 g = 0

  // Orthonormal basis of the plane of g and n, with basis_[0] = g / |g|. In
  // this basis the model is 1/2 z'B z + |g| z_0.
  bool has_plane_ = false;
  std::vector<double> basis_[2];
  Eigen::Matrix2d plane_hessian_;

  // Intermediate results.
  std::vector<double> damping_;
  std::vector<double> tangent_[2];
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MINIMIZER_DOGLEG_H_
