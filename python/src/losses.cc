// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <nanobind/stl/array.h>
#include <nanobind/trampoline.h>

#include <array>

#include "ceres/loss_function.h"
#include "common.h"

namespace vesta::python {
namespace {

using ceres::LossFunction;

// A loss that Python defines: a subclass with evaluate(s).
class PythonLoss : public LossFunction {
 public:
  NB_TRAMPOLINE(LossFunction, 1);

  void Evaluate(double sq_norm, double out[3]) const override {
    const nb::gil_scoped_acquire gil;
    const nb::object self = nb::find(static_cast<const LossFunction*>(this));
    const nb::object rho = self.attr("evaluate")(sq_norm);
    std::array<double, 3> values;
    if (!nb::try_cast(rho, values)) {
      RaiseTypeError(
          "LossFunction.evaluate: expected a result of three "
          "numbers rho(s), rho'(s), rho''(s), got " +
          std::string(nb::repr(rho).c_str()) + ".");
    }
    std::copy(values.begin(), values.end(), out);
  }
};

void CheckScale(double value, const char* name) {
  if (!(value > 0.0)) {
    RaiseValueError(std::string(name) + ": expected a number > 0.");
  }
}

template <typename Loss>
void BindScaled(nb::module_& module, const char* name, const char* doc) {
  nb::class_<Loss, LossFunction>(module, name, doc)
      .def(
          "__init__",
          [](Loss* self, double a) {
            CheckScale(a, "a");
            new (self) Loss(a);
          },
          nb::arg("a"));
}

}  // namespace

void BindLosses(nb::module_& module) {
  nb::class_<LossFunction, PythonLoss>(
      module, "LossFunction",
      "A loss rho(s) of a squared norm s: a residual block adds rho(s) / 2 to "
      "the cost. A subclass defines evaluate(s), which returns rho(s), "
      "rho'(s) and rho''(s). Losses of the package are evaluated without the "
      "GIL, losses of subclasses with it.")
      .def(nb::init<>())
      .def(
          "evaluate",
          [](const LossFunction& self, double s) {
            if (dynamic_cast<const PythonLoss*>(&self) != nullptr) {
              RaiseTypeError(
                  "A subclass of LossFunction must define "
                  "evaluate(s).");
            }
            std::array<double, 3> rho;
            self.Evaluate(s, rho.data());
            return nb::make_tuple(rho[0], rho[1], rho[2]);
          },
          nb::arg("s"), "rho(s), rho'(s), rho''(s).",
          nb::sig("def evaluate(self, s: float) -> tuple[float, float, "
                  "float]"));
  nb::class_<ceres::TrivialLoss, LossFunction>(module, "TrivialLoss",
                                               "rho(s) = s.")
      .def(nb::init<>());
  BindScaled<ceres::HuberLoss>(
      module, "HuberLoss",
      "rho(s) = s for s <= a^2, 2 a sqrt(s) - a^2 beyond.");
  BindScaled<ceres::SoftLOneLoss>(module, "SoftLOneLoss",
                                  "rho(s) = 2 a^2 (sqrt(1 + s / a^2) - 1).");
  BindScaled<ceres::CauchyLoss>(module, "CauchyLoss",
                                "rho(s) = a^2 log(1 + s / a^2).");
  BindScaled<ceres::ArctanLoss>(
      module, "ArctanLoss",
      "rho(s) = a atan(s / a). The scale a has the unit of s.");
  BindScaled<ceres::TukeyLoss>(
      module, "TukeyLoss",
      "rho(s) = a^2 / 3 (1 - (1 - s / a^2)^3) for s <= a^2, a^2 / 3 beyond.");
  nb::class_<ceres::TolerantLoss, LossFunction>(
      module, "TolerantLoss",
      "rho(s) = b log(1 + exp((s - a) / b)) - b log(1 + exp(-a / b)).")
      .def(
          "__init__",
          [](ceres::TolerantLoss* self, double a, double b) {
            if (!(a >= 0.0)) RaiseValueError("a: expected a number >= 0.");
            CheckScale(b, "b");
            new (self) ceres::TolerantLoss(a, b);
          },
          nb::arg("a"), nb::arg("b"));
  nb::class_<ceres::ScaledLoss, LossFunction>(module, "ScaledLoss",
                                              "The loss a rho(s).")
      .def(
          "__init__",
          [](ceres::ScaledLoss* self, const LossFunction* rho, double a) {
            new (self) ceres::ScaledLoss(rho, a, ceres::DO_NOT_TAKE_OWNERSHIP);
          },
          nb::arg("rho").none(), nb::arg("a"), nb::keep_alive<1, 2>(),
          "rho = None stands for rho(s) = s.");
  nb::class_<ceres::ComposedLoss, LossFunction>(module, "ComposedLoss",
                                                "The loss f(g(s)).")
      .def(
          "__init__",
          [](ceres::ComposedLoss* self, const LossFunction* f,
             const LossFunction* g) {
            new (self) ceres::ComposedLoss(f, ceres::DO_NOT_TAKE_OWNERSHIP, g,
                                           ceres::DO_NOT_TAKE_OWNERSHIP);
          },
          nb::arg("f"), nb::arg("g"), nb::keep_alive<1, 2>(),
          nb::keep_alive<1, 3>());
  nb::class_<ceres::LossFunctionWrapper, LossFunction>(
      module, "LossFunctionWrapper",
      "A loss that can be exchanged between solves.")
      .def(
          "__init__",
          [](ceres::LossFunctionWrapper* self, LossFunction* rho) {
            new (self)
                ceres::LossFunctionWrapper(rho, ceres::DO_NOT_TAKE_OWNERSHIP);
          },
          nb::arg("rho").none(), nb::keep_alive<1, 2>())
      .def(
          "reset",
          [](ceres::LossFunctionWrapper& self, LossFunction* rho) {
            self.Reset(rho, ceres::DO_NOT_TAKE_OWNERSHIP);
          },
          nb::arg("rho").none(), nb::keep_alive<1, 2>(),
          "Replaces the loss. Not during a solve.");
}

}  // namespace vesta::python
