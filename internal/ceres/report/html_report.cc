// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/html_report.h"

#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "ceres/base/format.h"
#include "ceres/base/staged_files.h"
#include "ceres/logging/logging.h"
#include "ceres/report/advice.h"
#include "ceres/report/constraint_section.h"
#include "ceres/report/convergence_section.h"
#include "ceres/report/diagnosis_section.h"
#include "ceres/report/html_page.h"
#include "ceres/report/pose_graph_section.h"
#include "ceres/report/problem_scan.h"
#include "ceres/report/report_data.h"
#include "ceres/report/report_json.h"
#include "ceres/report/residual_section.h"
#include "ceres/report/scene_section.h"
#include "ceres/report/structure_section.h"
#include "ceres/report/time_section.h"

namespace ceres {
namespace internal {

struct ReportStart {
  HtmlReport::Options options;
  Problem* problem = nullptr;
  ProblemScan scan;
  ReportScene scene;
};

namespace {

void CollectOverview(const Solver::Summary& summary, ReportData* report) {
  report->full_report = summary.FullReport();
  report->termination = TerminationTypeToString(summary.termination_type);
  report->message = summary.message;
  report->is_usable = summary.IsSolutionUsable();
  report->initial_cost = summary.initial_cost;
  report->final_cost = summary.final_cost;
  report->num_parameter_blocks = summary.num_parameter_blocks;
  report->num_parameters = summary.num_parameters;
  report->num_residual_blocks = summary.num_residual_blocks;
  report->num_residuals = summary.num_residuals;
  report->linear_solver =
      summary.minimizer_type == LINE_SEARCH
          ? LineSearchDirectionTypeToString(summary.line_search_direction_type)
          : LinearSolverTypeToString(summary.linear_solver_type_used);
}

ReportData CollectReport(const ReportStart& start,
                         const Solver::Options& options,
                         const Solver::Summary& summary) {
  const ReportNames names = {start.options.parameter_block_name,
                             start.options.residual_block_tag};
  const ProblemScan end =
      ScanProblem(start.problem, ScanContents::kResidualsAndJacobians);
  ReportData report;
  report.title = start.options.title;
  CollectOverview(summary, &report);
  report.convergence = CollectConvergence(summary);
  report.time = CollectTime(summary, start.options.trace);
  report.residuals = CollectResiduals(start.scan, end, names, start.problem);
  report.structure = CollectStructure(options, summary, start.problem);
  if (start.options.scene) {
    report.scene = CollectScene(start.scene, start.options.scene(),
                                start.options.max_scene_samples);
  }
  if (start.options.pose_graph != nullptr) {
    report.pose_graph = CollectPoseGraph(*start.options.pose_graph);
  }
  report.constraints = CollectConstraints(start.problem);
  if (start.options.diagnose) {
    report.diagnosis = CollectDiagnosis(start.options, options.num_threads,
                                        start.problem, &report.residuals);
  }
  report.advice =
      CollectAdvice({options, summary, end, report.structure, report.time,
                     report.residuals, report.diagnosis, names, start.problem});
  return report;
}

}  // namespace
}  // namespace internal

HtmlReport::HtmlReport(Options options, Problem* problem)
    : start_(std::make_unique<internal::ReportStart>()) {
  VESTA_CHECK(problem != nullptr) << "HtmlReport: the problem is null.";
  start_->options = std::move(options);
  start_->problem = problem;
  start_->scan =
      internal::ScanProblem(problem, internal::ScanContents::kResiduals);
  if (start_->options.scene) start_->scene = start_->options.scene();
}

HtmlReport::~HtmlReport() = default;

bool HtmlReport::Write(const std::string& path, const Solver::Options& options,
                       const Solver::Summary& summary, std::string* error) {
  if (start_->options.max_scene_samples <= 0) {
    *error = internal::Format(
        "HtmlReport::Options::max_scene_samples is %d; it must be > 0.",
        start_->options.max_scene_samples);
    return false;
  }
  const internal::ReportData report =
      internal::CollectReport(*start_, options, summary);
  std::string page =
      internal::HtmlPage(report.title, internal::ReportToJson(report));
  if (start_->options.map_page) page = start_->options.map_page(page);
  internal::StagedFiles files;
  return files.Write(
             path,
             [&](std::FILE* file) {
               std::fwrite(page.data(), 1, page.size(), file);
             },
             error) &&
         files.Publish(error);
}

}  // namespace ceres
