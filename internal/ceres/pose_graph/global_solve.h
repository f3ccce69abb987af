// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_POSE_GRAPH_GLOBAL_SOLVE_H_
#define CERES_INTERNAL_POSE_GRAPH_GLOBAL_SOLVE_H_

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "ceres/context.h"
#include "ceres/pose_graph.h"
#include "ceres/pose_graph/certificate.h"
#include "ceres/pose_graph/chordal_graph.h"
#include "ceres/pose_graph/chordal_minimizer.h"
#include "ceres/pose_graph/graph_matrix.h"
#include "ceres/pose_graph/position_solver.h"
#include "ceres/problem.h"
#include "ceres/solver/thread_choice.h"

namespace ceres::internal {

// One call of a function of ceres/pose_graph.h: a graph that was accepted, its
// threads and its deadline. Functions throw Stopped at a deadline or a
// cancellation. For one thread.
class GlobalSolve {
 public:
  // graph: outlives this; read only.
  GlobalSolve(const PoseGraphOptions& options, const io::PoseGraph& graph);

  // The checks of options and graph. Call this first; if it returns false,
  // nothing else.
  [[nodiscard]] bool Begin(std::string* error);

  // The start, with its positions.
  Poses Start(PoseGraphInitialization* result);
  // Fills all of the result but the message and the time.
  void Certify(const Poses& X, PoseGraphCertificate* result);
  // From the start X to the chordal minimum, with its certificate.
  Poses Climb(Poses X, PoseGraphSummary* summary);
  // The geodesic solve from the poses of `graph`, which receives the result.
  void SolveGeodesic(io::PoseGraph* graph, PoseGraphSummary* summary);

  // Calls PoseGraphOptions::progress.
  void ReportProgress(const PoseGraphSummary& summary) const;

  const ChordalGraph& chordal() const { return chordal_; }
  double SecondsSinceStart() const;
  // Why the call was stopped.
  std::string StopMessage();

 private:
  Poses TrialPoses(PoseGraphStart start);
  Poses IncrementalPoses();
  // What F may be above the bound.
  double Tolerance(const Poses& X) const;
  void FillCertificate(const Certificate::Result& found, const Poses& X,
                       const Poses& stationary, bool is_stationary,
                       PoseGraphCertificate* result) const;
  // Poses of the next rank below X along the direction.
  Poses Escape(const Poses& X, const Eigen::VectorXd& direction) const;
  // Rotations near poses of a higher rank.
  Poses Round(const Poses& X);
  Solver::Options RemainingOptions() const;

  const PoseGraphOptions& options_;
  const io::PoseGraph& graph_;
  const std::chrono::steady_clock::time_point start_;
  // Owns the threads of all solves. The problem holds nothing.
  std::unique_ptr<Context> context_;
  std::unique_ptr<Problem> threads_;
  std::optional<SolveExecution> execution_;
  ChordalGraph chordal_;
  std::optional<GraphPattern> pattern_;
  std::optional<PositionSolver> positions_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_POSE_GRAPH_GLOBAL_SOLVE_H_
