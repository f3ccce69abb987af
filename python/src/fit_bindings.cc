// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Dense fits of Python functions.

#include <nanobind/stl/string.h>

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "common.h"
#include "dense_fit.h"
#include "difference_steps.h"
#include "dual.h"
#include "eigen_arrays.h"
#include "residual_function.h"
#include "running.h"

namespace vesta::python {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// A matrix in memory that is cheap to get again.
class LargeMatrix {
 public:
  Eigen::Map<MatrixXd>& Resized(Index rows, Index cols) {
    if (!memory_ || map_.rows() != rows || map_.cols() != cols) {
      memory_ = NewDoubles(rows * cols);
      new (&map_) Eigen::Map<MatrixXd>(memory_.get(), rows, cols);
    }
    return map_;
  }
  const Eigen::Map<MatrixXd>& map() const { return map_; }

 private:
  std::shared_ptr<double> memory_;
  Eigen::Map<MatrixXd> map_{nullptr, 0, 0};
};

void CopyMatrix(const StridedArray& from, Eigen::Map<MatrixXd>* to) {
  for (Index j = 0; j < to->cols(); ++j) {
    for (Index i = 0; i < to->rows(); ++i) {
      (*to)(i, j) = *reinterpret_cast<const double*>(
          from.data + i * from.strides[0] + j * from.strides[1]);
    }
  }
}

// A Python function, its Jacobian and its loss.
//
// jac(x, f) returns (m, n), or is None: forward differences, or "autodiff".
// robust(f), if not None, returns the cost, the residuals and factors of rows
// whose model is that of the robust cost.
// monitor(x, nfev, iteration, cost, change, step, optimality), if not None,
// says False to end the fit.
class PythonFit final : public FitFunction {
 public:
  PythonFit(ResidualFunction* function, nb::handle arguments,
            const FitOptions& options)
      : function_(*function),
        jac_(arguments["jac"]),
        robust_(arguments["robust"]),
        monitor_(arguments["monitor"]),
        rule_(StepRule(arguments, options)),
        counts_differences_(nb::cast<bool>(arguments["counts_differences"])),
        min_residuals_(options.method == FitMethod::kLm ? options.lower.size()
                                                        : 0) {
    expects_linearize_ = nb::isinstance<nb::str>(jac_);
    const nb::object start = nb::object(arguments["start"]);
    if (!start.is_none()) start_ = FromArray(start, "start");
  }

  void Evaluate(FitPoint* point) override {
    if (evaluations_ == 0 && start_.size() > 0) {
      point->residuals = std::exchange(start_, VectorXd());
    } else if (expects_linearize_) {
      function_.EvaluateWithDerivatives(point->x, &point->residuals);
      // Not again, until a step has been taken.
      expects_linearize_ = false;
    } else {
      function_.Evaluate(point->x, &point->residuals);
    }
    ++evaluations_;
    if (first_size_ < 0) CheckStart(point->residuals);
    if (point->residuals.size() != first_size_) {
      RaiseValueError("`" + function_.name() +
                      "`: the number of residuals changed from " +
                      std::to_string(first_size_) + " to " +
                      std::to_string(point->residuals.size()) + ".");
    }
    point->cost =
        robust_.is_none()
            ? 0.5 * point->residuals.squaredNorm()
            : nb::cast<double>(nb::object(Robust(point->residuals)[0]));
  }

  bool Linearize(const FitPoint& point, ReducedModel* model) override {
    ++jacobians_;
    Eigen::Map<MatrixXd>& jacobian =
        jacobian_.Resized(point.residuals.size(), point.x.size());
    if (jac_.is_none()) {
      evaluations_by_differences_ +=
          function_.Differences(point.x, point.residuals, rule_, jacobian);
    } else if (nb::isinstance<nb::str>(jac_)) {
      function_.Derivatives(point.x, jacobian);
      expects_linearize_ = true;
    } else {
      TakeJacobian(point, &jacobian);
    }
    if (!jacobian.allFinite()) return false;
    if (robust_.is_none()) {
      model->Reduce(jacobian, point.residuals);
      return true;
    }
    const nb::object parts = Robust(point.residuals);
    const VectorXd residuals =
        FromArray(nb::object(parts[1]), "the robust residuals");
    const VectorXd factors = FromArray(nb::object(parts[2]), "the factors");
    model->Reduce(factors.asDiagonal() * jacobian, residuals);
    // The loss nearly removes residuals, but not the sizes of the variables.
    model->column_norms = jacobian.colwise().norm();
    return true;
  }

  int64_t evaluations() const override {
    return evaluations_ +
           (counts_differences_ ? evaluations_by_differences_ : 0);
  }

  bool Continue(const FitPoint& point, const FitIteration& step) override {
    if (InterpreterExits()) return false;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (monitor_.is_none()) return true;
    const nb::object answer =
        monitor_(ToArray(point.x), evaluations(), step.iteration, point.cost,
                 step.cost_change, step.step_norm, step.optimality);
    return answer.ptr() != Py_False;
  }

  // The Jacobian of the residuals, row by row as in NumPy, at the latest point.
  nb::object Jacobian() const {
    using RowMajor =
        Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const Eigen::Map<MatrixXd>& jacobian = jacobian_.map();
    double* to;
    nb::object array = NewArray({jacobian.rows(), jacobian.cols()}, &to);
    Eigen::Map<RowMajor>(to, jacobian.rows(), jacobian.cols()) = jacobian;
    return array;
  }

  int64_t jacobians() const { return jacobians_; }

 private:
  static DifferenceRule StepRule(nb::handle arguments,
                                 const FitOptions& options) {
    DifferenceRule rule;
    rule.lower = options.lower;
    rule.upper = options.upper;
    rule.sizes = options.x_scale;
    const nb::object relative = nb::object(arguments["diff_step"]);
    if (!relative.is_none()) rule.relative = FromArray(relative, "diff_step");
    return rule;
  }

  void CheckStart(const VectorXd& residuals) {
    first_size_ = residuals.size();
    if (!residuals.allFinite()) {
      RaiseValueError("`" + function_.name() +
                      "`: the residuals at the initial point are not finite.");
    }
    if (first_size_ < min_residuals_) {
      RaiseValueError("Method 'lm' needs as many residuals as variables, got " +
                      std::to_string(first_size_) + " and " +
                      std::to_string(min_residuals_) + ".");
    }
  }

  nb::object Robust(const VectorXd& residuals) const {
    return robust_(ToArray(residuals));
  }

  void TakeJacobian(const FitPoint& point, Eigen::Map<MatrixXd>* jacobian) {
    const nb::object value = jac_(ToArray(point.x), ToArray(point.residuals));
    const Index m = point.residuals.size();
    const Index n = point.x.size();
    const StridedArray array = ReadableStrided(value, {m, n}, "jac");
    CopyMatrix(array, jacobian);
  }

  ResidualFunction& function_;
  nb::object jac_;
  nb::object robust_;
  nb::object monitor_;
  DifferenceRule rule_;
  bool counts_differences_;
  int64_t min_residuals_;
  // Derivatives of the next point will be wanted, for most steps are taken:
  // one call gives values and derivatives.
  bool expects_linearize_ = false;
  VectorXd start_;  // the residuals at the start, if they are known
  LargeMatrix jacobian_;
  int64_t first_size_ = -1;
  int64_t evaluations_ = 0;
  int64_t evaluations_by_differences_ = 0;
  int64_t jacobians_ = 0;
};

FitMethod ToMethod(const std::string& name) {
  if (name == "lm") return FitMethod::kLm;
  return name == "dogbox" ? FitMethod::kDogbox : FitMethod::kTrf;
}

// (J'J)^-1 of a Jacobian, or its pseudo-inverse, and the rank, which does not
// depend on the units of the variables.
nb::object InverseNormal(nb::handle jacobian, int64_t m, int64_t n) {
  const StridedArray array = ReadableStrided(jacobian, {m, n}, "jacobian");
  LargeMatrix memory;
  Eigen::Map<MatrixXd>& j = memory.Resized(m, n);
  CopyMatrix(array, &j);
  ReducedModel model;
  model.Reduce(j, VectorXd::Zero(m));
  const VectorXd scale = (model.column_norms.array() > 0.0)
                             .select(model.column_norms.cwiseInverse(), 1.0);
  const Eigen::JacobiSVD<MatrixXd> svd(model.r * scale.asDiagonal(),
                                       Eigen::ComputeFullV);
  const VectorXd& s = svd.singularValues();
  const double least = std::numeric_limits<double>::epsilon() *
                       static_cast<double>(std::max(m, n)) * s[0];
  const int64_t rank = (s.array() > least).count();
  const MatrixXd root = scale.asDiagonal() * svd.matrixV().leftCols(rank) *
                        s.head(rank).cwiseInverse().asDiagonal();
  const MatrixXd inverse = root * root.transpose();
  return nb::make_tuple(ToArray(inverse.data(), {n, n}), rank);
}

// The arguments are checked in Python.
nb::object RunFit(ResidualFunction& function, nb::handle x0,
                  nb::dict arguments) {
  const auto number = [&](const char* name) {
    return nb::cast<double>(nb::object(arguments[name]));
  };
  FitOptions options;
  options.method = ToMethod(nb::cast<std::string>(arguments["method"]));
  options.ftol = number("ftol");
  options.xtol = number("xtol");
  options.gtol = number("gtol");
  options.max_evaluations = static_cast<int64_t>(number("max_nfev"));
  options.factor = number("factor");
  options.linearizes_result =
      nb::cast<bool>(nb::object(arguments["linearizes_result"]));
  options.lower = FromArray(nb::object(arguments["lower"]), "lower");
  options.upper = FromArray(nb::object(arguments["upper"]), "upper");
  const nb::object scale = nb::object(arguments["x_scale"]);
  if (!scale.is_none()) options.x_scale = FromArray(scale, "x_scale");

  const Running running;
  FitPoint point;
  point.x = FromArray(x0, "x0");
  PythonFit fit(&function, arguments, options);
  const FitStatus status = Fit(options, &fit, &point);
  return nb::make_tuple(static_cast<int>(status), ToArray(point.x),
                        ToArray(point.residuals), fit.Jacobian(), point.cost,
                        fit.evaluations(), fit.jacobians());
}

}  // namespace

void BindFits(nb::module_& module) {
  BindResidualFunction(module);
  BindDifferenceSteps(module);
  module.def("_inverse_normal", &InverseNormal, nb::arg("jacobian"),
             nb::arg("m"), nb::arg("n"));
  module.def("_fit", &RunFit, nb::arg("function"), nb::arg("x0"),
             nb::arg("arguments"));
}

}  // namespace vesta::python
