// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// The extension module vesta._core. The package `vesta` is what users import.

#include "ceres/parallel/available_concurrency.h"
#include "ceres/types.h"
#include "ceres/version.h"
#include "common.h"

namespace vesta::python {

void BindRuntime(nb::module_& module) {
  module.def("available_concurrency", &ceres::parallel::AvailableConcurrency,
             "The number of CPUs that this process may use: affinity mask and "
             "cgroup quota.");
  module.attr("ceres_version") = CERES_VERSION_STRING;
}

}  // namespace vesta::python

NB_MODULE(_core, module) {
  using namespace vesta::python;
  // Objects of a module live until the process ends; that is no leak.
  nb::set_leak_warnings(false);
  module.doc() = "The extension module of the package vesta.";
  BindEnums(module);
  BindOptions(module);
  BindSummary(module);
  BindLosses(module);
  BindManifolds(module);
  BindCostFunctions(module);
  BindProblem(module);
  BindReadyMadeCosts(module);
  BindSolve(module);
  BindCovariance(module);
  BindDiagnosis(module);
  BindFileFormats(module);
  BindPoseGraphs(module);
  BindDuals(module);
  BindFits(module);
  BindManyFits(module);
  BindRunning(module);
  BindLogging(module);
  BindRuntime(module);
}
