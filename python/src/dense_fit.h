// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Fits of few variables with a dense Jacobian, in the calling thread.
//
// A solve of the library prepares blocks, orderings and threads, which takes
// longer than an entire fit of three parameters. This loop keeps nothing but
// vectors, and has the three methods that SciPy documents, with the meaning
// that SciPy gives to their tolerances.

#ifndef VESTA_PYTHON_DENSE_FIT_H_
#define VESTA_PYTHON_DENSE_FIT_H_

#include <Eigen/Core>
#include <cstdint>

#include "region.h"

namespace vesta::python {

enum class FitMethod { kLm, kTrf, kDogbox };

struct FitOptions {
  FitMethod method = FitMethod::kTrf;
  double ftol = 1e-8;
  double xtol = 1e-8;
  double gtol = 1e-8;
  int64_t max_evaluations = 100;
  // Of the first radius of the trust region. kLm: times the norm of the start
  // in scaled variables. Others: times the radius with which no variable
  // changes by more than 0.9 of its size.
  double factor = 1.0;
  // Typical sizes of the variables. Empty: 1 / |J e_j|, at the point so far
  // where it is least (More 1978, section 6).
  Eigen::VectorXd x_scale;
  // Whether the last call of Linearize is for the result, or for the point from
  // which the last step went to it.
  bool linearizes_result = true;
  Eigen::VectorXd lower;  // -infinity: no bound
  Eigen::VectorXd upper;
};

// The values of a function at a point.
struct FitPoint {
  Eigen::VectorXd x;
  Eigen::VectorXd residuals;
  // 0.5 |residuals|^2, or the robust cost. Not finite: the point is unusable.
  double cost = 0.0;
};

struct FitIteration {
  int64_t iteration = 0;
  double cost_change = 0.0;
  double step_norm = 0.0;
  double optimality = 0.0;
};

// What the loop minimizes.
class FitFunction {
 public:
  virtual ~FitFunction() = default;
  // Computes the residuals and the cost at point->x.
  virtual void Evaluate(FitPoint* point) = 0;
  // Computes the model at a point that Evaluate has seen.
  // False, and the model is undefined: the Jacobian is not finite.
  [[nodiscard]] virtual bool Linearize(const FitPoint& point,
                                       ReducedModel* model) = 0;
  // The number of evaluations that count for max_evaluations.
  virtual int64_t evaluations() const = 0;
  // Called at the start and after each iteration. False ends the fit.
  virtual bool Continue(const FitPoint& point,
                        const FitIteration& iteration) = 0;
};

// Why a fit ended, with the numbers of SciPy's `status`.
enum class FitStatus {
  kStopped = -2,
  kFailure = -1,
  kLimit = 0,
  kGradient = 1,
  kCost = 2,
  kStep = 3,
  kCostAndStep = 4
};

// Minimizes the cost from point->x, which must lie within the bounds; kTrf:
// strictly inside.
//
// kLm: Levenberg-Marquardt in an ellipsoid. More 1978. No bounds.
// kTrf: the ellipsoid is scaled by the distances to the bounds, and points stay
//   strictly inside. Branch, Coleman and Li, "A Subspace, Interior, and
//   Conjugate Gradient Method for Large-Scale Bound-Constrained Minimization
//   Problems", 1999. Without bounds it is kLm with other tolerances.
// kDogbox: a dogleg in a box of which the bounds cut off a part. Voglis and
//   Lagaris, "A Rectangular Trust Region Dogleg Approach for Unconstrained and
//   Bound Constrained Nonlinear Optimization", 2004.
FitStatus Fit(const FitOptions& options, FitFunction* function,
              FitPoint* point);

}  // namespace vesta::python

#endif  // VESTA_PYTHON_DENSE_FIT_H_
