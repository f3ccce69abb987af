// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/pose_graph/global_solve.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "Eigen/Eigenvalues"
#include "Eigen/LU"
#include "ceres/base/clock.h"
#include "ceres/base/format.h"
#include "ceres/incremental_solver.h"
#include "ceres/minimizer/stopping_rules.h"
#include "ceres/pose_graph/geodesic_problem.h"
#include "ceres/pose_graph/pose_graph_start.h"
#include "ceres/pose_graph/stiefel.h"

namespace ceres::internal {
namespace {

Problem::Options OptionsWith(Context* context) {
  Problem::Options options;
  options.context = context;
  return options;
}

}  // namespace

GlobalSolve::GlobalSolve(const PoseGraphOptions& options,
                         const io::PoseGraph& graph)
    : options_(options),
      graph_(graph),
      start_(parallel::detail::SteadyNow()),
      context_(Context::Create()),
      threads_(std::make_unique<Problem>(OptionsWith(context_.get()))) {}

bool GlobalSolve::Begin(std::string* error) {
  if (!options_.IsValid(error) || !chordal_.Create(graph_, error)) return false;
  if (options_.max_rank != 0 && options_.max_rank < graph_.dimension) {
    *error = Format(
        "PoseGraphOptions::max_rank = %d is less than the dimension of the "
        "graph, %d.",
        options_.max_rank, graph_.dimension);
    return false;
  }
  ProblemImpl* const problem = threads_->mutable_impl();
  execution_.emplace(ChooseThreads(options_.solver, problem), problem);
  execution_->stop().Set(
      options_.solver.cancellation_token,
      DeadlineOf(options_.solver.max_solver_time_in_seconds, start_));
  execution_->stop().LetDeadlineCount();
  CheckStop(execution_->get());
  pattern_.emplace(chordal_);
  positions_.emplace(&*pattern_, execution_->get());
  return true;
}

double GlobalSolve::SecondsSinceStart() const {
  return std::chrono::duration<double>(parallel::detail::SteadyNow() - start_)
      .count();
}

std::string GlobalSolve::StopMessage() {
  // The token may have stopped Begin.
  if (!execution_) return "Stopped before the start.";
  switch (execution_->stop().reason()) {
    case StopSignal::Reason::kSolverTime:
      return Format(
          "The time limit Solver::Options::max_solver_time_in_seconds = %g has "
          "passed.",
          options_.solver.max_solver_time_in_seconds);
    case StopSignal::Reason::kTokenDeadline:
      return "The deadline of Solver::Options::cancellation_token has passed.";
    default:
      return "Cancelled by Solver::Options::cancellation_token.";
  }
}

Poses GlobalSolve::IncrementalPoses() {
  GeodesicProblem problem(graph_, context_.get());
  IncrementalSolver::Options options;
  options.num_threads = options_.solver.num_threads;
  IncrementalSolver solver(options, problem.problem());
  const int n = chordal_.num_poses();
  std::vector<std::vector<int>> edges_of(n);
  for (int e = 0; e < static_cast<int>(graph_.edges.size()); ++e) {
    const io::PoseGraph::Edge& edge = graph_.edges[e];
    edges_of[std::max(edge.x, edge.y)].push_back(e);
  }
  for (int i = 0; i < n; ++i) {
    CheckStop(execution_->get());
    if (!edges_of[i].empty() && !chordal_.is_root(i)) {
      const io::PoseGraph::Edge& edge = graph_.edges[edges_of[i][0]];
      const PoseMatrix T = ToPoseMatrix(graph_.dimension, edge.measurement);
      const int other = std::min(edge.x, edge.y);
      problem.SetPose(i, FromPoseMatrix(ToPoseMatrix(graph_.dimension,
                                                     problem.Pose(other)) *
                                        (edge.y == i ? T : InversePose(T))));
    }
    if (chordal_.is_root(i)) problem.Hold(i);
    for (const int e : edges_of[i]) problem.AddEdge(e);
    if (edges_of[i].empty()) continue;
    IncrementalSolver::Summary summary;
    solver.Update(&summary);
  }
  io::PoseGraph estimate = graph_;
  for (int i = 0; i < n; ++i) estimate.vertices[i].value = problem.Pose(i);
  return chordal_.ReadPoses(estimate);
}

Poses GlobalSolve::TrialPoses(PoseGraphStart start) {
  CheckStop(execution_->get());
  switch (start) {
    case PoseGraphStart::kChordal: {
      Poses X = ChordalRotations(&*pattern_, execution_->get());
      positions_->Solve(&X);
      return X;
    }
    case PoseGraphStart::kSpanningTree:
      return SpanningTreePoses(chordal_);
    case PoseGraphStart::kOdometry: {
      io::PoseGraph composed = graph_;
      std::vector<bool> is_missing(chordal_.num_poses());
      for (int i = 0; i < chordal_.num_poses(); ++i) {
        is_missing[i] = !chordal_.is_root(i);
      }
      std::string error;
      // The graph has no landmarks: nothing else can fail.
      static_cast<void>(io::InitializeVertices(is_missing, &composed, &error));
      return chordal_.ReadPoses(composed);
    }
    case PoseGraphStart::kIncremental:
      return IncrementalPoses();
    case PoseGraphStart::kCurrentValues:
    case PoseGraphStart::kAuto:
      break;
  }
  return chordal_.ReadPoses(graph_);
}

Poses GlobalSolve::Start(PoseGraphInitialization* result) {
  std::vector<PoseGraphStart> starts = {options_.start};
  const bool is_auto = options_.start == PoseGraphStart::kAuto;
  if (is_auto) {
    starts = {PoseGraphStart::kChordal, PoseGraphStart::kSpanningTree,
              PoseGraphStart::kOdometry, PoseGraphStart::kCurrentValues};
  }
  std::optional<ChordalMinimizer> minimizer;
  if (is_auto) {
    minimizer.emplace(&*pattern_, chordal_.dimension(), execution_->get(),
                      &*positions_);
  }
  Poses best;
  for (const PoseGraphStart start : starts) {
    Poses X = TrialPoses(start);
    PoseGraphInitialization::Trial trial;
    trial.start = start;
    trial.initial_cost = chordal_.Cost(X);
    trial.final_cost =
        is_auto ? minimizer->Minimize(options_.num_trial_iterations, &X).cost
                : trial.initial_cost;
    if (result->trials.empty() || trial.final_cost < result->cost) {
      result->start = start;
      result->cost = trial.final_cost;
      best = std::move(X);
    }
    result->trials.push_back(trial);
  }
  result->num_parts = chordal_.num_parts();
  result->termination_type = CONVERGENCE;
  result->message = Format("Start: %s, chordal cost %.6e.",
                           PoseGraphStartToString(result->start), result->cost);
  return best;
}

double GlobalSolve::Tolerance(const Poses& X) const {
  return std::max(options_.relative_gap * chordal_.Cost(X),
                  chordal_.Rounding(X));
}

void GlobalSolve::FillCertificate(const Certificate::Result& found,
                                  const Poses& X, const Poses& stationary,
                                  bool is_stationary,
                                  PoseGraphCertificate* result) const {
  const double cost = chordal_.Cost(X);
  const double stationary_cost = chordal_.Cost(stationary);
  result->cost = cost;
  result->stationary_cost = stationary_cost;
  result->lower_bound = std::max({0.0, found.lower_bound, result->lower_bound});
  result->gap = std::max(0.0, cost - result->lower_bound);
  result->stationary_gap = std::max(0.0, stationary_cost - result->lower_bound);
  result->min_eigenvalue_bound = found.min_eigenvalue_bound;
  result->geodesic_lower_bound =
      0.5 * chordal_.isotropy() * result->lower_bound;
  result->is_anisotropic = chordal_.is_anisotropic();
  if (result->gap <= Tolerance(X)) {
    result->statement = PoseGraphStatement::kCertified;
  } else if (result->stationary_gap <= Tolerance(stationary)) {
    result->statement = PoseGraphStatement::kNextToCertified;
  } else if (is_stationary && found.direction.size() > 0) {
    result->statement = PoseGraphStatement::kNegativeCurvature;
    result->direction_curvature = found.curvature;
    result->direction.assign(found.direction.begin(), found.direction.end());
  } else {
    result->statement = PoseGraphStatement::kNotStationary;
  }
  result->message = result->BriefReport();
}

void GlobalSolve::Certify(const Poses& X, PoseGraphCertificate* result) {
  Poses stationary = X;
  bool is_stationary = false;
  if (options_.refine) {
    ChordalMinimizer minimizer(&*pattern_, chordal_.dimension(),
                               execution_->get(), &*positions_);
    is_stationary = minimizer.Minimize(options_.max_num_iterations, &stationary)
                        .has_converged;
  }
  Certificate certificate(&*pattern_, execution_->get());
  FillCertificate(certificate.Certify(stationary, Tolerance(stationary)), X,
                  stationary, is_stationary, result);
}

Poses GlobalSolve::Escape(const Poses& X,
                          const Eigen::VectorXd& direction) const {
  const int w = chordal_.width();
  const auto rank = X.rows() + 1;
  Poses lifted = Poses::Zero(rank, X.cols());
  lifted.topRows(rank - 1) = X;
  double largest = 0.0;
  for (int i = 0; i < chordal_.num_poses(); ++i) {
    largest = std::max(largest, direction.segment(i * w, w - 1).squaredNorm());
  }
  const double scale = largest > 0.0 ? 1.0 / std::sqrt(largest) : 1.0;
  Poses best = lifted;
  double best_cost = chordal_.Cost(lifted);
  // The cost decreases by the square of a small step; the best of a few.
  Eigen::MatrixXd V = Eigen::MatrixXd::Zero(rank, w);
  for (double step = 2.0; step > 1e-6; step *= 0.5) {
    Poses moved = lifted;
    for (int i = 0; i < chordal_.num_poses(); ++i) {
      V.row(rank - 1) = step * scale * direction.segment(i * w, w).transpose();
      moved.middleCols(i * w, w) = Retract(lifted.middleCols(i * w, w), V);
    }
    const double cost = chordal_.Cost(moved);
    if (cost < best_cost) {
      best_cost = cost;
      best = std::move(moved);
    } else if (best_cost < chordal_.Cost(lifted)) {
      break;
    }
  }
  return best;
}

Poses GlobalSolve::Round(const Poses& X) {
  const int d = chordal_.dimension();
  const int w = chordal_.width();
  const int n = chordal_.num_poses();
  // The subspace of each part that has most of its rotations.
  std::vector<Eigen::MatrixXd> gram(n,
                                    Eigen::MatrixXd::Zero(X.rows(), X.rows()));
  for (int i = 0; i < n; ++i) {
    const auto Y = X.middleCols(i * w, d);
    gram[chordal_.root(i)] += Y * Y.transpose();
  }
  std::vector<Eigen::MatrixXd> bases(n);
  std::vector<int> num_reflections(n, 0);
  Poses rounded(d, X.cols());
  const auto project = [&](int i) {
    rounded.middleCols(i * w, w) =
        bases[chordal_.root(i)].transpose() * X.middleCols(i * w, w);
  };
  for (int i = 0; i < n; ++i) {
    if (!chordal_.is_root(i)) continue;
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(gram[i]);
    bases[i] = solver.eigenvectors().rightCols(d);
  }
  for (int i = 0; i < n; ++i) {
    project(i);
    const PoseMatrix Y = rounded.middleCols(i * w, d);
    num_reflections[chordal_.root(i)] += Y.determinant() < 0.0 ? 1 : -1;
  }
  for (int i = 0; i < n; ++i) {
    if (num_reflections[i] > 0) bases[i].col(0) = -bases[i].col(0);
  }
  for (int i = 0; i < n; ++i) {
    project(i);
    rounded.middleCols(i * w, d) =
        NearestRotation(rounded.middleCols(i * w, d));
  }
  positions_->Solve(&rounded);
  return rounded;
}

void GlobalSolve::ReportProgress(const PoseGraphSummary& summary) const {
  if (options_.progress) options_.progress(summary);
}

Poses GlobalSolve::Climb(Poses X, PoseGraphSummary* summary) {
  const int d = chordal_.dimension();
  const int max_rank = options_.max_rank == 0 ? d + 5 : options_.max_rank;
  Certificate certificate(&*pattern_, execution_->get());
  PoseGraphCertificate& result = summary->certificate;
  const auto take_step = [&](Poses* poses, bool* has_converged) {
    const double start = SecondsSinceStart();
    PoseGraphSummary::Step step;
    step.rank = static_cast<int>(poses->rows());
    ChordalMinimizer minimizer(&*pattern_, step.rank, execution_->get(),
                               &*positions_);
    const ChordalMinimizer::Result found =
        minimizer.Minimize(options_.max_num_iterations, poses);
    const Certificate::Result bound =
        certificate.Certify(*poses, Tolerance(*poses));
    step.num_iterations = found.num_iterations;
    step.cost = found.cost;
    step.lower_bound = bound.lower_bound;
    step.min_eigenvalue_bound = bound.min_eigenvalue_bound;
    step.time_in_seconds = SecondsSinceStart() - start;
    summary->steps.push_back(step);
    ReportProgress(*summary);
    *has_converged = found.has_converged;
    return bound;
  };
  bool has_converged = false;
  Certificate::Result bound = take_step(&X, &has_converged);
  const double cost = summary->steps.back().cost;
  FillCertificate(bound, X, X, has_converged, &result);
  Poses lifted = X;
  while (bound.direction.size() > 0 && lifted.rows() < max_rank) {
    lifted = Escape(lifted, bound.direction);
    bool ignored = false;
    bound = take_step(&lifted, &ignored);
    result.lower_bound = std::max(result.lower_bound, bound.lower_bound);
  }
  if (lifted.rows() == d) return X;
  const bool is_bound_best =
      summary->steps.back().cost - bound.lower_bound <= Tolerance(lifted);
  Poses rounded = Round(lifted);
  bound = take_step(&rounded, &has_converged);
  // The relaxation may not be tight.
  if (summary->steps.back().cost < cost) X = std::move(rounded);
  FillCertificate(bound, X, X, has_converged, &result);
  if (is_bound_best && result.statement != PoseGraphStatement::kCertified) {
    result.message += Format(
        " The minimum of the relaxation was found, at rank %d: no higher rank "
        "raises the bound.",
        static_cast<int>(lifted.rows()));
  }
  return X;
}

Solver::Options GlobalSolve::RemainingOptions() const {
  Solver::Options options = options_.solver;
  options.max_solver_time_in_seconds =
      std::max(0.0, options.max_solver_time_in_seconds - SecondsSinceStart());
  return options;
}

void GlobalSolve::SolveGeodesic(io::PoseGraph* graph,
                                PoseGraphSummary* summary) {
  GeodesicProblem problem(*graph, context_.get());
  for (int i = 0; i < chordal_.num_poses(); ++i) {
    if (chordal_.is_root(i)) problem.Hold(i);
  }
  for (std::size_t e = 0; e < graph->edges.size(); ++e) {
    problem.AddEdge(static_cast<int>(e));
  }
  Solve(RemainingOptions(), problem.problem(), &summary->geodesic);
  if (!summary->geodesic.IsSolutionUsable()) return;
  for (int i = 0; i < chordal_.num_poses(); ++i) {
    if (!chordal_.is_root(i)) graph->vertices[i].value = problem.Pose(i);
  }
}

}  // namespace ceres::internal
