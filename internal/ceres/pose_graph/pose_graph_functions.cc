// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <string>
#include <utility>

#include "ceres/base/format.h"
#include "ceres/logging/logging.h"
#include "ceres/pose_graph.h"
#include "ceres/pose_graph/global_solve.h"
#include "ceres/solver/option_checker.h"

namespace ceres {
namespace {

using internal::Format;
using internal::GlobalSolve;
using internal::Poses;

}  // namespace

const char* PoseGraphStartToString(PoseGraphStart start) {
  switch (start) {
    case PoseGraphStart::kChordal:
      return "kChordal";
    case PoseGraphStart::kSpanningTree:
      return "kSpanningTree";
    case PoseGraphStart::kOdometry:
      return "kOdometry";
    case PoseGraphStart::kIncremental:
      return "kIncremental";
    case PoseGraphStart::kCurrentValues:
      return "kCurrentValues";
    case PoseGraphStart::kAuto:
      return "kAuto";
  }
  return "UNKNOWN";
}

const char* PoseGraphStatementToString(PoseGraphStatement statement) {
  switch (statement) {
    case PoseGraphStatement::kCertified:
      return "kCertified";
    case PoseGraphStatement::kNextToCertified:
      return "kNextToCertified";
    case PoseGraphStatement::kNegativeCurvature:
      return "kNegativeCurvature";
    case PoseGraphStatement::kNotStationary:
      return "kNotStationary";
    case PoseGraphStatement::kFailure:
      return "kFailure";
  }
  return "UNKNOWN";
}

bool PoseGraphOptions::IsValid(std::string* error) const {
  const internal::OptionChecker check("PoseGraphOptions", error);
  const bool names_blocks =
      solver.linear_solver_ordering != nullptr ||
      solver.inner_iteration_ordering != nullptr ||
      !solver.residual_blocks_for_subset_preconditioner.empty();
  return solver.IsValid(error) &&
         check.HasNoConflict(
             names_blocks
                 ? "PoseGraphOptions::solver has an ordering or residual "
                   "blocks, which are of another problem: leave "
                   "linear_solver_ordering, inner_iteration_ordering and "
                   "residual_blocks_for_subset_preconditioner empty."
                 : "") &&
         check.AtLeast(CERES_OPTION(*this, num_trial_iterations), 0.0) &&
         check.Greater(CERES_OPTION(*this, relative_gap), 0.0) &&
         check.AtLeast(CERES_OPTION(*this, max_rank), 0.0) &&
         check.AtLeast(CERES_OPTION(*this, max_num_iterations), 0.0);
}

std::string PoseGraphCertificate::BriefReport() const {
  switch (statement) {
    case PoseGraphStatement::kCertified:
      return Format(
          "Global minimum: chordal cost %.9e, lower bound %.9e, gap %.1e.",
          cost, lower_bound, gap);
    case PoseGraphStatement::kNextToCertified:
      return Format(
          "Near the global minimum: chordal cost %.9e, the stationary point "
          "next to it has %.9e and is certified with the gap %.1e; lower bound "
          "%.9e.",
          cost, stationary_cost, stationary_gap, lower_bound);
    case PoseGraphStatement::kNegativeCurvature:
      return Format(
          "Not certified: the stationary point of chordal cost %.9e has a "
          "direction of curvature %.3e in the relaxation; lower bound %.9e, "
          "gap "
          "%.1e.",
          stationary_cost, direction_curvature, lower_bound, stationary_gap);
    case PoseGraphStatement::kNotStationary:
      return Format(
          "Not certified: no stationary point was reached; chordal cost %.9e, "
          "lower bound %.9e, gap %.1e.",
          stationary_cost, lower_bound, stationary_gap);
    case PoseGraphStatement::kFailure:
      break;
  }
  return message;
}

std::string PoseGraphSummary::BriefReport() const {
  return Format(
      "Pose graph: Steps: %d, Statement: %s, Chordal cost: %e, Gap: %.1e, "
      "Geodesic cost: %e, Termination: %s",
      static_cast<int>(steps.size()),
      PoseGraphStatementToString(certificate.statement), certificate.cost,
      certificate.gap, geodesic.final_cost,
      TerminationTypeToString(termination_type));
}

bool PoseGraphSummary::IsSolutionUsable() const {
  return termination_type == CONVERGENCE ||
         termination_type == NO_CONVERGENCE || termination_type == USER_SUCCESS;
}

PoseGraphInitialization InitializePoseGraph(const PoseGraphOptions& options,
                                            io::PoseGraph* graph) {
  VESTA_CHECK(graph != nullptr)
      << "InitializePoseGraph needs a graph; it was given null.";
  PoseGraphInitialization result;
  GlobalSolve solve(options, *graph);
  try {
    std::string error;
    if (solve.Begin(&error)) {
      const Poses X = solve.Start(&result);
      solve.chordal().WritePoses(X, graph);
    } else {
      result.message = std::move(error);
    }
  } catch (const internal::Stopped&) {
    result.termination_type = NO_CONVERGENCE;
    result.message = solve.StopMessage();
  } catch (const internal::FatalFactorization& failure) {
    result.termination_type = FAILURE;
    result.message = failure.message;
  }
  result.total_time_in_seconds = solve.SecondsSinceStart();
  return result;
}

PoseGraphCertificate CertifyPoseGraph(const PoseGraphOptions& options,
                                      const io::PoseGraph& graph) {
  PoseGraphCertificate result;
  GlobalSolve solve(options, graph);
  try {
    std::string error;
    if (solve.Begin(&error)) {
      solve.Certify(solve.chordal().ReadPoses(graph), &result);
    } else {
      result.message = std::move(error);
    }
  } catch (const internal::Stopped&) {
    result.message = solve.StopMessage();
  } catch (const internal::FatalFactorization& failure) {
    result.message = failure.message;
  }
  result.total_time_in_seconds = solve.SecondsSinceStart();
  return result;
}

namespace {

// The stages of SolvePoseGraphGlobally.
void RunStages(GlobalSolve* solve, io::PoseGraph* graph,
               PoseGraphSummary* summary) {
  io::PoseGraph result = *graph;
  Poses X = solve->Start(&summary->initialization);
  solve->ReportProgress(*summary);
  X = solve->Climb(std::move(X), summary);
  solve->chordal().WritePoses(X, &result);
  for (const io::PoseGraph::Vertex& vertex : result.vertices) {
    summary->chordal_poses.push_back(vertex.value);
  }
  solve->SolveGeodesic(&result, summary);
  summary->termination_type = summary->geodesic.termination_type;
  summary->message = summary->geodesic.message;
  if (summary->IsSolutionUsable()) *graph = std::move(result);
}

}  // namespace

void SolvePoseGraphGlobally(const PoseGraphOptions& options,
                            io::PoseGraph* graph, PoseGraphSummary* summary) {
  VESTA_CHECK(graph != nullptr)
      << "SolvePoseGraphGlobally needs a graph; it was given null.";
  VESTA_CHECK(summary != nullptr)
      << "SolvePoseGraphGlobally needs a summary; it was given null.";
  *summary = PoseGraphSummary();
  GlobalSolve solve(options, *graph);
  try {
    std::string error;
    if (solve.Begin(&error)) {
      RunStages(&solve, graph, summary);
    } else {
      summary->message = std::move(error);
    }
  } catch (const internal::Stopped&) {
    summary->termination_type = NO_CONVERGENCE;
    summary->message = solve.StopMessage();
  } catch (const internal::FatalFactorization& failure) {
    summary->message = failure.message;
  }
  summary->total_time_in_seconds = solve.SecondsSinceStart();
}

}  // namespace ceres
