// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// The trial steps of a dense fit: an ellipsoid, or a box, around a point.

#ifndef VESTA_PYTHON_TRIAL_STEPS_H_
#define VESTA_PYTHON_TRIAL_STEPS_H_

#include <Eigen/Core>
#include <memory>

#include "region.h"

namespace vesta::python {

struct TrialStep {
  Eigen::VectorXd p;
  // The norm of the step in the variables of the region.
  double norm = 0.0;
  // The decrease of the cost that the model predicts; its second part, which
  // the bounds add, is `barrier`.
  double predicted = 0.0;
  double barrier = 0.0;
  // The step is the minimizer of the model, which the radius did not shorten.
  bool inside = false;
};

// The box, and sizes of variables: x_j / scale_j has no unit.
struct FitBox {
  Eigen::VectorXd lower;
  Eigen::VectorXd upper;
  bool bounded = false;
};

class TrialSteps {
 public:
  virtual ~TrialSteps() = default;
  // Sets the point. The model must stay unchanged while Compute is called.
  virtual void Set(const ReducedModel& model, const Eigen::VectorXd& x,
                   const Eigen::VectorXd& scale) = 0;
  virtual TrialStep Compute(double radius) = 0;
  // x + step.p within the bounds.
  virtual Eigen::VectorXd Move(const Eigen::VectorXd& x,
                               const TrialStep& step) const = 0;
  // The norm of x in the variables of the region, at the point.
  virtual double Norm(const Eigen::VectorXd& x) const = 0;
  // The largest component of the gradient; bounds scale it, or remove
  // components.
  virtual double optimality() const = 0;
  // The root of twice the decrease of the cost that the model promises.
  virtual double promise() const = 0;
};

// Levenberg-Marquardt steps; with bounds those of Branch, Coleman and Li.
std::unique_ptr<TrialSteps> EllipsoidSteps(const FitBox& box);
// Dogleg steps in a box.
std::unique_ptr<TrialSteps> BoxSteps(const FitBox& box);

}  // namespace vesta::python

#endif  // VESTA_PYTHON_TRIAL_STEPS_H_
