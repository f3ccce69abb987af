// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Steps of finite differences for the differences that Python computes.

#include <nanobind/stl/string.h>

#include <string>

#include "difference_steps.h"
#include "eigen_arrays.h"
#include "residual_function.h"

namespace vesta::python {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

DifferenceScheme ToScheme(const std::string& name) {
  if (name == "2-point") return DifferenceScheme::kForward;
  return name == "cs" ? DifferenceScheme::kComplex : DifferenceScheme::kCentral;
}

// The steps at x, and whether they are two-sided.
nb::object DifferenceSteps(nb::handle x, nb::handle lower, nb::handle upper,
                           const std::string& scheme, double precision,
                           nb::handle relative, nb::handle sizes) {
  DifferenceRule rule;
  rule.lower = FromArray(lower, "lower");
  rule.upper = FromArray(upper, "upper");
  if (!relative.is_none()) rule.relative = FromArray(relative, "diff_step");
  if (!sizes.is_none()) rule.sizes = FromArray(sizes, "x_scale");
  const VectorXd point = FromArray(x, "x");
  VectorXd steps(point.size());
  VectorXd two_sided(point.size());
  for (Index j = 0; j < point.size(); ++j) {
    const DifferenceStep step =
        StepOf(rule, ToScheme(scheme), precision, j, point[j]);
    steps[j] = step.h;
    two_sided[j] = step.two_sided ? 1.0 : 0.0;
  }
  return nb::make_tuple(ToArray(steps), ToArray(two_sided));
}

// The forward difference of one variable, as in ResidualFunction.
struct Search {
  Search(double x, double lower, double upper, double precision,
         nb::handle relative, nb::handle size)
      : rule(RuleOf(lower, upper, relative, size)),
        search(rule, precision, 0, x) {}

  static DifferenceRule RuleOf(double lower, double upper, nb::handle relative,
                               nb::handle size) {
    DifferenceRule rule;
    rule.lower.setConstant(1, lower);
    rule.upper.setConstant(1, upper);
    if (!relative.is_none()) {
      rule.relative.setConstant(1, nb::cast<double>(relative));
    }
    if (!size.is_none()) rule.sizes.setConstant(1, nb::cast<double>(size));
    return rule;
  }

  DifferenceRule rule;
  DifferenceSearch search;
};

}  // namespace

void BindDifferenceSteps(nb::module_& module) {
  nb::class_<Search>(module, "_DifferenceSearch")
      .def(nb::init<double, double, double, double, nb::handle, nb::handle>(),
           nb::arg("x"), nb::arg("lower"), nb::arg("upper"),
           nb::arg("precision"), nb::arg("relative").none(),
           nb::arg("size").none())
      .def_prop_ro("h", [](const Search& self) { return self.search.h(); })
      .def("is_large_enough", [](Search& self, double change, double value) {
        return self.search.IsLargeEnough(change, value);
      });
  module.def("_difference_steps", &DifferenceSteps, nb::arg("x"),
             nb::arg("lower"), nb::arg("upper"), nb::arg("scheme"),
             nb::arg("precision"), nb::arg("relative").none(),
             nb::arg("sizes").none());
}

}  // namespace vesta::python
