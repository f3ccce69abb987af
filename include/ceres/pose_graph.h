// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_POSE_GRAPH_H_
#define CERES_PUBLIC_POSE_GRAPH_H_

// Pose graphs: a start from nothing, a certificate of the global minimum, and
// the solve that looks for it. An extension: see
// docs/solving/global_pose_graphs.md.
//
// The chordal problem of a graph of poses (R_i, t_i) in dimension d is
//
//   F = sum_edges kappa |R_j - R_i R_ij|^2 + tau |t_j - t_i - R_i t_ij|^2
//
// with the Frobenius norm, and isotropic weights that follow from the
// information matrix of the edge, with blocks O_t and O_R on its diagonal:
//
//   tau = d / trace(O_t^-1),  kappa = O_R (plane), 3 / (2 trace(O_R^-1))
//   (space)
//
// A block that is singular has weight 0. Source: Rosen, Carlone, Bandeira and
// Leonard, "SE-Sync: A certifiably correct algorithm for synchronization over
// the special Euclidean group", International Journal of Robotics Research 38,
// 2019, sections 3 and 4. With kappa = 0 or tau = 0 for some edges the bounds
// remain valid.
//
// The geodesic problem of a graph is the sum of 1/2 r'Ir over all edges, with
// the information matrix I and the error r of ceres/io/pose_graph.h: the
// residuals of factors::BetweenFactor. It is what Solve minimizes.
//
// Graphs have poses and relative poses. Other vertices and edges, and more than
// one fixed pose in a connected part, are refused with a message. So are edges
// of a vertex with itself, values that are not finite, and information matrices
// that are not positive semidefinite. A graph may be disconnected, have several
// edges between two poses, or none. Of each connected part the fixed pose, or
// else the first one, keeps its value.
//
// Functions may be called by several threads at once, for different graphs.
// Results have the same bits for every number of threads.

#include <functional>
#include <string>
#include <vector>

#include "ceres/internal/disable_warnings.h"
#include "ceres/internal/export.h"
#include "ceres/io/pose_graph.h"
#include "ceres/problem.h"
#include "ceres/solver.h"
#include "ceres/types.h"

namespace ceres {

// The method that computes the initial poses of a graph.
enum class PoseGraphStart {
  // Rotations by the relaxation of the chordal problem to matrices, projected
  // to rotations, then translations: two linear solves. Needs no estimate.
  // Martinec and Pajdla, "Robust Rotation and Translation Estimation in
  // Multiview Reconstruction", CVPR 2007; Carlone, Tron, Daniilidis and
  // Dellaert, "Initialization Techniques for 3D SLAM", ICRA 2015.
  kChordal,
  // Compositions of measurements along a spanning tree, breadth first from the
  // pose that stays: the fewest measurements to each pose.
  kSpanningTree,
  // Compositions of measurements, edges in the order of the file
  // (io::InitializeVertices).
  kOdometry,
  // The estimate of IncrementalSolver, which gets poses in the order of the
  // vertices.
  kIncremental,
  // The values of the vertices.
  kCurrentValues,
  // The one of kChordal, kSpanningTree, kOdometry and kCurrentValues that has
  // the least chordal cost after PoseGraphOptions::num_trial_iterations.
  kAuto,
};

// The name of a start, such as "kChordal".
CERES_EXPORT const char* PoseGraphStartToString(PoseGraphStart start);

struct PoseGraphSummary;

// Options of the functions below.
struct CERES_EXPORT PoseGraphOptions {
  // Returns whether the options are valid. If not, `error` (not null) receives
  // the name of the first option that is not, its value and what is allowed.
  bool IsValid(std::string* error) const;

  // The options of the geodesic solve. num_threads, executor,
  // cancellation_token and max_solver_time_in_seconds hold for everything: the
  // time limit is that of the whole call.
  Solver::Options solver;

  // The start of InitializePoseGraph and SolvePoseGraphGlobally. kChordal needs
  // no estimate and two linear solves. Choose kCurrentValues if the graph has a
  // good map, and kAuto, which iterates from four starts, if results are bad.
  PoseGraphStart start = PoseGraphStart::kChordal;

  // kAuto: iterations on the chordal problem before costs are compared; >= 0.
  // More iterations tell good starts apart more surely, and cost that time for
  // each start.
  int num_trial_iterations = 3;

  // A point is certified if its chordal cost exceeds the lower bound by at most
  // this fraction of itself, or by an amount that rounding errors explain; > 0.
  // Raise it, to 1e-4 for example, if a map that is nearly the best is enough:
  // the gap of a graph with noisy rotations may not become smaller.
  double relative_gap = 1e-8;

  // CertifyPoseGraph: whether a point that is not certified is moved to the
  // stationary point of the chordal problem next to it, whose certificate then
  // gives the bound. A minimum of the geodesic problem is not stationary for
  // the chordal one, and has a weak bound of its own. Set false to judge the
  // point alone, without the time of a minimization.
  bool refine = true;

  // SolvePoseGraphGlobally: the largest rank of the relaxation; >= d. 0: d + 5.
  // Set d to leave out the staircase: a wrong map is then found out, but not
  // improved.
  int max_rank = 0;

  // The limit on iterations on the chordal problem, for each rank; >= 0. Raise
  // it if the statement is kNotStationary.
  int max_num_iterations = 200;

  // SolvePoseGraphGlobally: called with what the summary has so far, after the
  // start and after each step of the staircase, in the thread of the caller.
  // Null: not called. Solver::Options::cancellation_token stops the call.
  // Exceptions reach the caller, and leave the graph as it is.
  std::function<void(const PoseGraphSummary&)> progress;
};

// The result of InitializePoseGraph.
struct CERES_EXPORT PoseGraphInitialization {
  // One start that was tried.
  struct CERES_EXPORT Trial {
    // Which start it is.
    PoseGraphStart start = PoseGraphStart::kChordal;
    // The chordal cost, and the cost after the trial iterations of kAuto.
    double initial_cost = -1.0;
    double final_cost = -1.0;
  };

  // CONVERGENCE: the graph has the start. NO_CONVERGENCE: a deadline or a
  // cancellation ended the call. FAILURE: the message says why. The graph is
  // unchanged unless this is CONVERGENCE.
  TerminationType termination_type = FAILURE;
  std::string message = "ceres::InitializePoseGraph was not called.";
  // The start that was taken.
  PoseGraphStart start = PoseGraphStart::kChordal;
  // The starts that were tried, in the order of PoseGraphStart.
  std::vector<Trial> trials;
  // The chordal cost of the start: after the trial iterations for kAuto.
  double cost = -1.0;
  // The number of connected parts.
  int num_parts = 0;
  // Wall time.
  double total_time_in_seconds = -1.0;
};

// What a certificate says about a point.
enum class PoseGraphStatement {
  // The chordal cost of the point is within the gap of the global minimum.
  kCertified,
  // The stationary point next to it is certified, the point itself is not: its
  // own gap is larger than the tolerance.
  kNextToCertified,
  // The stationary point next to it has a direction of negative curvature in
  // the relaxation: it is not proven to be the global minimum, and mostly is
  // not.
  kNegativeCurvature,
  // Nothing is known: the point is not stationary and was not refined, or the
  // limit on iterations was reached.
  kNotStationary,
  // There is no result: see the message.
  kFailure,
};

// The name of a statement, such as "kCertified".
CERES_EXPORT const char* PoseGraphStatementToString(
    PoseGraphStatement statement);

// The result of CertifyPoseGraph. All costs are chordal.
struct CERES_EXPORT PoseGraphCertificate {
  // One sentence.
  std::string BriefReport() const;

  // The statement about the point, and an explanation. After
  // SolvePoseGraphGlobally the explanation of a point that is not certified
  // says whether a higher rank could raise the bound.
  PoseGraphStatement statement = PoseGraphStatement::kFailure;
  std::string message = "ceres::CertifyPoseGraph was not called.";

  // F at the point.
  double cost = -1.0;
  // F at the stationary point next to it; `cost` without refinement.
  double stationary_cost = -1.0;
  // No poses have a chordal cost below this bound, up to the rounding errors of
  // a factorization. Valid whatever the point is.
  double lower_bound = 0.0;
  // cost - lower_bound, or 0 if it is negative by rounding.
  double gap = -1.0;
  // stationary_cost - lower_bound, likewise.
  double stationary_gap = -1.0;

  // A bound, by a factorization, from below on the smallest eigenvalue l of
  // S v = l W v for the certificate matrix S of the stationary point and the
  // diagonal W, whose entries are the sums of kappa at each pose. No unit.
  double min_eigenvalue_bound = 0.0;
  // kNegativeCurvature: v'Sv / v'Wv for the direction v below.
  double direction_curvature = 0.0;
  // kNegativeCurvature: v, d + 1 numbers for each vertex: d for the rotation,
  // then one for the translation.
  std::vector<double> direction;

  // No poses have a geodesic cost below this bound. It follows from lower_bound
  // and the worst edge, so it is far from the minimum if information matrices
  // are anisotropic or differ in anisotropy. For the plane it is a quarter of
  // lower_bound at most: kappa counts rotations twice.
  double geodesic_lower_bound = 0.0;
  // Whether information matrices are anisotropic. Then the certificate is about
  // a neighbouring problem, and geodesic_lower_bound is what it implies.
  bool is_anisotropic = false;

  // Wall time.
  double total_time_in_seconds = -1.0;
};

// The result of SolvePoseGraphGlobally.
struct CERES_EXPORT PoseGraphSummary {
  // One step of the staircase.
  struct CERES_EXPORT Step {
    // The rank of the relaxation.
    int rank = 0;
    // Iterations, and the chordal cost after them.
    int num_iterations = 0;
    double cost = -1.0;
    // As in the certificate, of this rank.
    double lower_bound = 0.0;
    double min_eigenvalue_bound = 0.0;
    // Wall time.
    double time_in_seconds = 0.0;
  };

  // One line.
  std::string BriefReport() const;
  // True for CONVERGENCE, NO_CONVERGENCE and USER_SUCCESS: the graph has the
  // result. Otherwise it is unchanged.
  bool IsSolutionUsable() const;

  // That of the geodesic solve. NO_CONVERGENCE and an empty chordal_poses if a
  // deadline or a cancellation came before it: the graph is unchanged.
  TerminationType termination_type = FAILURE;
  std::string message = "ceres::SolvePoseGraphGlobally was not called.";

  // The start.
  PoseGraphInitialization initialization;
  // The ranks in order; the last one is the rank d if the staircase had to
  // climb: the point that was rounded back.
  std::vector<Step> steps;
  // The certificate of the chordal minimum that was found: kCertified or
  // kNegativeCurvature. Its gap is that of the minimum.
  PoseGraphCertificate certificate;
  // The poses of the chordal minimum, in the layout of vertices.
  std::vector<io::PoseGraph::Values> chordal_poses;

  // The geodesic solve from there, and the geodesic cost before it.
  Solver::Summary geodesic;
  // Wall time.
  double total_time_in_seconds = -1.0;
};

// Gives the poses of a graph a start. Errors: see the result. Aborts on null.
CERES_EXPORT PoseGraphInitialization
InitializePoseGraph(const PoseGraphOptions& options, io::PoseGraph* graph);

// Says whether the poses of a graph are a global minimum of the chordal
// problem.
//
// With M, for which F = trace(X M X') for poses X = [R_1 t_1 R_2 t_2 ...], and
// the symmetric matrix Lambda of blocks Lambda_i = sym(R_i' (X M)_i) on the
// diagonal, S = M - Lambda. Any block diagonal C of rotations for which S + C
// is positive semidefinite gives the lower bound trace(Lambda) - trace(C): a
// valid bound for all poses, stationary or not, since trace(R_i Lambda_i R_i')
// = trace(Lambda_i) for all rotations. If S without the rotations of the roots
// is positive definite, C has blocks at the roots only, and the gap is of
// second order in the gradient: a certificate holds to 1e-12 of F. Otherwise C
// is a multiple of W. A Cholesky factorization decides (Rump, "Verification of
// positive definiteness", BIT 46, 2006; here with a margin of 1e-13 W in place
// of the enclosure of its rounding errors). The direction of negative curvature
// is that of the Lanczos method on the inverse of S + delta W (Ericsson and
// Ruhe, "The spectral transformation Lanczos method", Mathematics of
// Computation 35, 1980).
CERES_EXPORT PoseGraphCertificate
CertifyPoseGraph(const PoseGraphOptions& options, const io::PoseGraph& graph);

// Looks for the global minimum: the start, the chordal minimum next to it, its
// certificate; while the certificate fails, poses of a higher rank, whose
// minimum is lower, along the direction of negative curvature; then back to
// rotations, with a certificate for the result; then the geodesic problem from
// there. Newton's method on products of Stiefel manifolds with our
// factorization. Source: Boumal, "A Riemannian low-rank method for optimization
// over semidefinite matrices with block-diagonal constraints", 2015; Rosen et
// al. 2019, section 4.2.
//
// The value of poses does not matter unless the start is kCurrentValues, kAuto
// or the result is a failure. Callbacks of the solver options see the geodesic
// solve. Aborts on null.
CERES_EXPORT void SolvePoseGraphGlobally(const PoseGraphOptions& options,
                                         io::PoseGraph* graph,
                                         PoseGraphSummary* summary);

// Reads the graph of a problem whose residual blocks are
// factors::BetweenFactor<SE2>, <SE3> or <EigenSE3>, one group for all, without
// loss functions. (*blocks)[i] is the parameter block of vertex i, in the order
// of Problem::GetParameterBlocks; constant blocks are fixed vertices. Returns
// false and says in *error which residual block is not of this kind, or that
// the problem has constraints.
[[nodiscard]] CERES_EXPORT bool PoseGraphOfProblem(const Problem& problem,
                                                   io::PoseGraph* graph,
                                                   std::vector<double*>* blocks,
                                                   std::string* error);

// Writes the poses of a graph into the parameter blocks of the problem that it
// was read from.
CERES_EXPORT void WritePosesToProblem(const io::PoseGraph& graph,
                                      const std::vector<double*>& blocks,
                                      const Problem& problem);

}  // namespace ceres

#include "ceres/internal/reenable_warnings.h"

#endif  // CERES_PUBLIC_POSE_GRAPH_H_
