// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Starts, certificates and global minima of pose graphs for
// vesta/pose_graph.py.

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>
#include <vector>

#include "ceres/parallel/available_concurrency.h"
#include "ceres/pose_graph.h"
#include "common.h"
#include "file_formats.h"
#include "options.h"
#include "python_text.h"
#include "running.h"

namespace vesta::python {
namespace {

ceres::PoseGraphOptions ToOptions(const nb::dict& given) {
  const SolverOptions& solver = nb::cast<SolverOptions&>(given["solver"]);
  if (solver.python_callbacks.size() > 0 || !solver.linear_ordering.is_none() ||
      !solver.inner_ordering.is_none()) {
    RaiseValueError(
        "options: callbacks and orderings name blocks of a problem; a pose "
        "graph has none.");
  }
  ceres::PoseGraphOptions options;
  options.solver = solver;
  if (options.solver.num_threads == -1) {
    options.solver.num_threads = ceres::parallel::AvailableConcurrency();
  }
  options.start =
      static_cast<ceres::PoseGraphStart>(nb::cast<int>(given["start"]));
  options.relative_gap = nb::cast<double>(given["relative_gap"]);
  options.refine = nb::cast<bool>(given["refine"]);
  options.max_rank = nb::cast<int>(given["max_rank"]);
  options.max_num_iterations = nb::cast<int>(given["max_num_iterations"]);
  std::string error;
  if (!options.IsValid(&error)) RaiseValueError(error);
  return options;
}

nb::bytes ValuesToBytes(const ceres::io::PoseGraph& graph) {
  std::vector<double> values;
  for (const auto& vertex : graph.vertices) Append(vertex.value, &values);
  return ToBytes(values);
}

nb::dict ToDict(const ceres::PoseGraphCertificate& certificate) {
  nb::dict result;
  result["statement"] =
      ceres::PoseGraphStatementToString(certificate.statement);
  result["message"] = PythonText(certificate.message);
  result["cost"] = certificate.cost;
  result["stationary_cost"] = certificate.stationary_cost;
  result["lower_bound"] = certificate.lower_bound;
  result["gap"] = certificate.gap;
  result["stationary_gap"] = certificate.stationary_gap;
  result["min_eigenvalue_bound"] = certificate.min_eigenvalue_bound;
  result["direction_curvature"] = certificate.direction_curvature;
  result["direction"] = ToBytes(certificate.direction);
  result["geodesic_lower_bound"] = certificate.geodesic_lower_bound;
  result["is_anisotropic"] = certificate.is_anisotropic;
  return result;
}

nb::dict Initialize(const nb::dict& dict, const nb::dict& given) {
  ceres::io::PoseGraph graph = GraphFromDict(dict);
  const ceres::PoseGraphOptions options = ToOptions(given);
  ceres::PoseGraphInitialization start;
  {
    const WithoutGil released;
    start = ceres::InitializePoseGraph(options, &graph);
  }
  FlushLog();
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
  if (start.termination_type == ceres::FAILURE) RaiseValueError(start.message);
  nb::dict result;
  result["values"] = ValuesToBytes(graph);
  result["start"] = ceres::PoseGraphStartToString(start.start);
  result["cost"] = start.cost;
  result["message"] = PythonText(start.message);
  return result;
}

nb::dict Certify(const nb::dict& dict, const nb::dict& given) {
  const ceres::io::PoseGraph graph = GraphFromDict(dict);
  const ceres::PoseGraphOptions options = ToOptions(given);
  ceres::PoseGraphCertificate certificate;
  {
    const WithoutGil released;
    certificate = ceres::CertifyPoseGraph(options, graph);
  }
  FlushLog();
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
  if (certificate.statement == ceres::PoseGraphStatement::kFailure) {
    RaiseValueError(certificate.message);
  }
  return ToDict(certificate);
}

nb::dict SolveGlobally(const nb::dict& dict, const nb::dict& given) {
  ceres::io::PoseGraph graph = GraphFromDict(dict);
  const ceres::PoseGraphOptions options = ToOptions(given);
  ceres::PoseGraphSummary summary;
  {
    const WithoutGil released;
    ceres::SolvePoseGraphGlobally(options, &graph, &summary);
  }
  FlushLog();
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
  if (summary.termination_type == ceres::FAILURE) {
    RaiseValueError(summary.message);
  }
  nb::list steps;
  for (const ceres::PoseGraphSummary::Step& step : summary.steps) {
    steps.append(nb::make_tuple(step.rank, step.num_iterations, step.cost,
                                step.lower_bound));
  }
  nb::dict result;
  result["values"] = ValuesToBytes(graph);
  result["message"] = PythonText(summary.message);
  result["steps"] = steps;
  result["certificate"] = ToDict(summary.certificate);
  result["geodesic"] = nb::cast(summary.geodesic);
  return result;
}

}  // namespace

void BindPoseGraphs(nb::module_& module) {
  module.def("_initialize_pose_graph", &Initialize, nb::arg("graph"),
             nb::arg("options"));
  module.def("_certify_pose_graph", &Certify, nb::arg("graph"),
             nb::arg("options"));
  module.def("_solve_pose_graph_globally", &SolveGlobally, nb::arg("graph"),
             nb::arg("options"));
}

}  // namespace vesta::python
