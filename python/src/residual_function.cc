// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "residual_function.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "dual.h"
#include "eigen_arrays.h"

namespace vesta::python {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr double kDoublePrecision = std::numeric_limits<double>::epsilon();

VectorXd VectorOf(nb::handle object, const char* name) {
  return object.is_none() ? VectorXd() : FromArray(object, name);
}

// Copies an array of float64 with contiguous memory. False: it is none.
bool CopyDoubles(PyObject* object, int max_dimensions, VectorXd* values) {
  if (PyObject_CheckBuffer(object) == 0) return false;
  Py_buffer view;
  if (PyObject_GetBuffer(object, &view, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS) !=
      0) {
    PyErr_Clear();
    return false;
  }
  const bool fits = view.format != nullptr &&
                    std::strcmp(view.format, "d") == 0 &&
                    view.ndim <= max_dimensions;
  if (fits) {
    const Index size = view.len / static_cast<Index>(sizeof(double));
    values->resize(size);
    std::memcpy(values->data(), view.buf, static_cast<size_t>(view.len));
  }
  PyBuffer_Release(&view);
  return fits;
}

}  // namespace

ResidualFunction::ResidualFunction(nb::object fun, nb::tuple args,
                                   nb::object kwargs, std::string name,
                                   nb::object convert, nb::object target,
                                   nb::object weights)
    : fun_(std::move(fun)),
      args_(std::move(args)),
      kwargs_(std::move(kwargs)),
      name_(std::move(name)),
      convert_(std::move(convert)),
      is_model_(!target.is_none()),
      target_(VectorOf(target, "target")),
      weights_(VectorOf(weights, "weights")),
      precision_(kDoublePrecision) {}

nb::object ResidualFunction::Call(const VectorXd& x, bool with_derivatives) {
  // Copying an array is the fastest way to a new one.
  if (!own_x_.is_valid()) own_x_ = NewArray({x.size()}, &own_data_);
  std::copy_n(x.data(), x.size(), own_data_);
  const nb::object array = own_x_.attr("copy")();
  std::vector<nb::object> numbers;
  std::vector<PyObject*> arguments;
  const auto add_args = [&] {
    for (nb::handle argument : args_) arguments.push_back(argument.ptr());
  };
  if (is_model_) {
    add_args();
    nb::object values = array;
    if (with_derivatives) values = ScalarVariables(x.data(), x.size());
    for (Index i = 0; i < x.size(); ++i) {
      numbers.push_back(nb::steal(PySequence_GetItem(values.ptr(), i)));
      arguments.push_back(numbers.back().ptr());
    }
  } else {
    numbers.push_back(with_derivatives ? VectorOfVariables(array) : array);
    arguments.push_back(numbers.back().ptr());
    add_args();
  }
  if (!kwargs_.is_none()) {
    nb::list list;
    for (PyObject* argument : arguments) list.append(nb::handle(argument));
    return fun_(*list, **nb::borrow<nb::dict>(kwargs_));
  }
  nb::object values = nb::steal(PyObject_Vectorcall(
      fun_.ptr(), arguments.data(), arguments.size(), nullptr));
  if (!values.is_valid()) throw nb::python_error();
  return values;
}

void ResidualFunction::Take(nb::handle values, VectorXd* residuals) {
  // A model may return any shape.
  constexpr int kAnyDimensions = 64;
  precision_ = kDoublePrecision;
  // A subclass of ndarray may have a mask.
  const bool is_plain = Py_TYPE(values.ptr()) == Py_TYPE(own_x_.ptr());
  if (is_plain &&
      CopyDoubles(values.ptr(), is_model_ ? kAnyDimensions : 1, residuals)) {
    return;
  }
  const nb::object converted = convert_(values);
  *residuals = VectorOf(nb::object(converted[0]), "residuals");
  precision_ = nb::cast<double>(nb::object(converted[1]));
}

void ResidualFunction::SubtractTarget(VectorXd* values) const {
  if (values->size() == target_.size()) {
    *values -= target_;
  } else if (values->size() == 1) {
    *values = VectorXd::Constant(target_.size(), (*values)[0]) - target_;
  } else if (target_.size() == 1) {
    values->array() -= target_[0];
  } else {
    RaiseValueError("`" + name_ + "`: expected " +
                    std::to_string(target_.size()) + " values, as many as " +
                    "`ydata` has, got " + std::to_string(values->size()) + ".");
  }
  if (weights_.size() == 1) {
    *values *= weights_[0];
  } else if (weights_.size() > 0) {
    values->array() *= weights_.array();
  }
}

void ResidualFunction::Evaluate(const VectorXd& x, VectorXd* residuals) {
  Take(Call(x), residuals);
  if (is_model_) SubtractTarget(residuals);
}

void ResidualFunction::EvaluateWithDerivatives(const VectorXd& x,
                                               VectorXd* residuals) {
  latest_.reset();
  latest_ = ToDual(Call(x, true));
  latest_x_ = x;
  Take(nb::object(latest_.attr("value")), residuals);
  if (is_model_) SubtractTarget(residuals);
}

void ResidualFunction::Derivatives(const VectorXd& x,
                                   Eigen::Ref<Eigen::MatrixXd> jacobian) {
  const Index num_residuals = jacobian.rows();
  nb::object values = std::move(latest_);
  if (!values.is_valid() || latest_x_ != x) values = ToDual(Call(x, true));
  const Dual& dual = *DualOf(values);
  const Index size = dual.value.size();
  if (size != num_residuals && size != 1) {
    RaiseValueError(
        "`" + name_ + "`: expected " + std::to_string(num_residuals) +
        " values with derivatives, got " + std::to_string(size) + ".");
  }
  if (size == num_residuals) {
    CopyDerivatives(dual, x.size(), jacobian.data());
  } else {
    Eigen::RowVectorXd row(x.size());
    CopyDerivatives(dual, x.size(), row.data());
    jacobian = row.replicate(num_residuals, 1);
  }
  if (weights_.size() == 1) jacobian *= weights_[0];
  if (weights_.size() > 1) {
    jacobian.array().colwise() *= weights_.array();
  }
}

int64_t ResidualFunction::Differences(const VectorXd& x,
                                      const VectorXd& residuals,
                                      const DifferenceRule& rule,
                                      Eigen::Ref<Eigen::MatrixXd> jacobian) {
  const double precision = precision_;
  int64_t evaluations = 0;
  VectorXd moved = x;
  VectorXd values;
  for (Index j = 0; j < x.size(); ++j) {
    DifferenceSearch search(rule, precision, j, x[j]);
    do {
      moved[j] = x[j] + search.h();
      Evaluate(moved, &values);
      ++evaluations;
      if (values.size() != residuals.size()) {
        RaiseValueError("`" + name_ + "`: the number of residuals changed.");
      }
      jacobian.col(j) = (values - residuals) / (moved[j] - x[j]);
    } while (
        !search.IsLargeEnough((values - residuals).lpNorm<Eigen::Infinity>(),
                              residuals.lpNorm<Eigen::Infinity>()));
    moved[j] = x[j];
  }
  return evaluations;
}

void BindResidualFunction(nb::module_& module) {
  nb::class_<ResidualFunction>(module, "_ResidualFunction")
      .def(nb::init<nb::object, nb::tuple, nb::object, std::string, nb::object,
                    nb::object, nb::object>(),
           nb::arg("fun"), nb::arg("args"), nb::arg("kwargs").none(),
           nb::arg("name"), nb::arg("convert"), nb::arg("target").none(),
           nb::arg("weights").none())
      .def_prop_ro("precision", &ResidualFunction::precision);
}

}  // namespace vesta::python
