// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_HTML_REPORT_H_
#define CERES_PUBLIC_HTML_REPORT_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ceres/internal/disable_warnings.h"
#include "ceres/internal/export.h"
#include "ceres/problem.h"
#include "ceres/report_scene.h"
#include "ceres/solver.h"

namespace ceres {

namespace parallel {
class Trace;
}  // namespace parallel

struct PoseGraphSummary;

namespace internal {
struct ReportStart;
}  // namespace internal

// Writes a solve as one HTML file: convergence, times, residuals, structure of
// the linear system, the scene before and after, the certificate of a pose
// graph, what the residuals leave undetermined (ceres/diagnosis.h), and advice.
// The file needs no network and no other file.
//
//   ceres::HtmlReport report({}, &problem);      // before the solve
//   ceres::Solver::Summary summary;
//   ceres::Solve(options, &problem, &summary);
//   std::string error;
//   if (!report.Write("report.html", options, summary, &error)) ...
//
// Cost. The constructor evaluates the residuals once. Write evaluates residuals
// and Jacobians once and computes one ordering, in the calling thread. Its
// diagnosis takes about as long as a covariance, uses the threads of the solve,
// and ends after 60 seconds. A solve without a report has no cost.
//
// Size. At most about 2 MB: what grows with the problem is sampled, evenly by
// index. The same problem gives the same samples.
//
// Thread safety. One thread at a time may use a report. The problem must not be
// solved or changed by another thread meanwhile.
class CERES_EXPORT HtmlReport {
 public:
  // The options of a report.
  struct CERES_EXPORT Options {
    // The heading of the page. UTF-8.
    std::string title = "Solve";

    // Returns the name of a parameter block, by the address of its values.
    // Null, or an empty name: the index of the block in the problem.
    std::function<std::string(const double*)> parameter_block_name;

    // Returns the kind of a residual block. Kinds have one histogram each.
    // Null: the type of the cost function. At most 12 kinds are shown; the
    // smallest ones are shown together.
    std::function<std::string(ResidualBlockId)> residual_block_tag;

    // Maps the current values of the parameters to a scene. Called by the
    // constructor and by Write. Null: the page has no scene. If the numbers of
    // points or poses differ between the calls, the page shows the second only.
    std::function<ReportScene()> scene;

    // Maps the complete page to the one that is written: for languages in which
    // options and functions have other names. Null: the page stays.
    std::function<std::string(const std::string&)> map_page;

    // Whether the page says what the residuals leave undetermined, and which
    // residual blocks nothing checks. `scene` is then called some more times,
    // while values are moved along each direction by small steps.
    // Motions of the whole scene get their names from it.
    bool diagnose = true;

    // What SolvePoseGraphGlobally did before the solve, for a section with its
    // certificate; may be null. If the constructor comes before that call, the
    // scene has the map before it and the map of the solve. Not owned; must
    // exist until Write has returned.
    const PoseGraphSummary* pose_graph = nullptr;

    // A trace of the solve, for the timeline of the threads; may be null. It
    // must have been stopped before Write. Not owned; must exist until Write
    // has returned.
    const parallel::Trace* trace = nullptr;

    // The largest number of points, of poses and of edges of the scene that are
    // drawn; > 0.
    int max_scene_samples = 12000;
  };

  // Captures the start: residuals and scene. `problem` is not owned and must
  // outlive the report; checks that it is not null. Exceptions of user code
  // reach the caller.
  HtmlReport(Options options, Problem* problem);
  ~HtmlReport();
  HtmlReport(const HtmlReport&) = delete;
  HtmlReport& operator=(const HtmlReport&) = delete;

  // Writes the page to `path`. An existing file is replaced when the page is
  // complete, so readers never see a part of a page. `options` and `summary`
  // are those of the solve. A solve that failed can be written, too.
  //
  // Returns false, with the path and the reason in `error` (not null), if the
  // file cannot be written or Options::max_scene_samples is out of range. If a
  // residual block cannot be evaluated, the page says so and lacks the sections
  // that need it. Exceptions of user code reach the caller.
  [[nodiscard]] bool Write(const std::string& path,
                           const Solver::Options& options,
                           const Solver::Summary& summary, std::string* error);

 private:
  std::unique_ptr<internal::ReportStart> start_;
};

}  // namespace ceres

#include "ceres/internal/reenable_warnings.h"

#endif  // CERES_PUBLIC_HTML_REPORT_H_
