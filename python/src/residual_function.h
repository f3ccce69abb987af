// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// A Python function of residuals, called with little overhead.

#ifndef VESTA_PYTHON_RESIDUAL_FUNCTION_H_
#define VESTA_PYTHON_RESIDUAL_FUNCTION_H_

#include <nanobind/nanobind.h>

#include <Eigen/Core>
#include <cstdint>
#include <string>

#include "common.h"
#include "difference_steps.h"

namespace vesta::python {

// residuals = fun(x, *args, **kwargs), or those of a model of data:
// residuals = (fun(*args, *x) - target) * weights.
class ResidualFunction {
 public:
  // convert(values) -> (float64 array, precision) takes results that are no
  // arrays of float64. target and weights are arrays or None; a target makes
  // `fun` a model.
  ResidualFunction(nb::object fun, nb::tuple args, nb::object kwargs,
                   std::string name, nb::object convert, nb::object target,
                   nb::object weights);

  void Evaluate(const Eigen::VectorXd& x, Eigen::VectorXd* residuals);
  // The Jacobian, which has the right size, by forward differences. Returns the
  // number of evaluations.
  int64_t Differences(const Eigen::VectorXd& x,
                      const Eigen::VectorXd& residuals,
                      const DifferenceRule& rule,
                      Eigen::Ref<Eigen::MatrixXd> jacobian);

  // Evaluate, which keeps the derivatives for the next call of Derivatives.
  void EvaluateWithDerivatives(const Eigen::VectorXd& x,
                               Eigen::VectorXd* residuals);
  // The Jacobian by vesta.autodiff.
  void Derivatives(const Eigen::VectorXd& x,
                   Eigen::Ref<Eigen::MatrixXd> jacobian);

  // The machine epsilon of the type that `fun` returned last.
  double precision() const { return precision_; }
  const std::string& name() const { return name_; }

 private:
  nb::object Call(const Eigen::VectorXd& x, bool with_derivatives = false);
  void Take(nb::handle values, Eigen::VectorXd* residuals);
  void SubtractTarget(Eigen::VectorXd* values) const;

  nb::object fun_;
  nb::tuple args_;
  nb::object kwargs_;
  std::string name_;
  nb::object convert_;
  bool is_model_;
  Eigen::VectorXd target_;
  Eigen::VectorXd weights_;
  double precision_;
  // The result with derivatives at a point, if there is one.
  nb::object latest_;
  Eigen::VectorXd latest_x_;
  nb::object own_x_;  // an array of the size of x, and its memory
  double* own_data_ = nullptr;
};

void BindResidualFunction(nb::module_& module);
void BindDifferenceSteps(nb::module_& module);

}  // namespace vesta::python

#endif  // VESTA_PYTHON_RESIDUAL_FUNCTION_H_
