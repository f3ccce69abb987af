// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_REPORT_REPORT_DATA_H_
#define CERES_INTERNAL_REPORT_REPORT_DATA_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ceres/html_report.h"
#include "ceres/iteration_callback.h"
#include "ceres/pose_graph.h"

// The data of a report, one struct per section. One function per section
// collects it (convergence_section.h, ...), and report_json.h writes it. All
// times in seconds.

namespace ceres::internal {

struct ConvergenceSection {
  // At most kMaxReportIterations, evenly sampled; the first and the last are
  // among them.
  std::vector<IterationSummary> iterations;
  int num_iterations = 0;  // as in Summary::BriefReport
  bool is_line_search = false;
  bool is_iterative = false;  // the linear solver
};

struct TimeStage {
  std::string name;
  double seconds = 0.0;
};

struct TimelineThread {
  std::string name;
  double busy = 0.0;
  double waiting = 0.0;
  double waking = 0.0;
  double idle = 0.0;
  // For each interval of the trace, the part of it that the thread worked: '0'
  // (none) to '9' (all).
  std::string activity;
};

struct TimeSection {
  double total = 0.0;
  // The stages of the solve, in their order; together `total`.
  std::vector<TimeStage> stages;
  int num_threads_used = 0;
  int num_cpus = 0;  // that the process may use
  // Empty without a trace.
  std::vector<TimelineThread> threads;
  double trace_duration = 0.0;
  double parallelism = 0.0;  // of the trace; 0: no trace
  std::int64_t num_dropped = 0;
};

// Statistics of the norms |f| of the residual blocks of a kind.
struct NormStatistics {
  double median = 0.0;
  double p95 = 0.0;
  double max = 0.0;
  double rms = 0.0;
  double cost = 0.0;        // with the loss functions
  std::vector<int> counts;  // by bin of the histogram
};

struct LossStatistics {
  std::string name;
  int num_blocks = 0;
  // The weight is rho'(s) / rho'(0), so that the factor of ScaledLoss is none.
  int num_below_half = 0;   // weight < 0.5
  int num_below_tenth = 0;  // weight < 0.1
  double cost = 0.0;
  double cost_without_loss = 0.0;  // if all weights were 1
  std::vector<int> weight_counts;  // in 20 bins of [0, 1]
};

struct ResidualKind {
  std::string name;
  int num_blocks = 0;
  int num_residuals = 0;
  // Bin i has the norms of [10^(first_exponent + i / bins_per_decade), ...).
  // The first bin has all smaller norms, too.
  int first_exponent = 0;
  int bins_per_decade = 1;
  bool has_before = false;
  NormStatistics before;
  NormStatistics after;
  std::vector<LossStatistics> losses;
};

struct WorstBlock {
  int index = 0;  // in the problem
  int kind = 0;   // into ResidualSection::kinds
  double norm_before = 0.0;
  double norm = 0.0;
  double cost = 0.0;
  double weight = 1.0;  // rho'
  // Of the diagnosis (ResidualCheck); -1: not known.
  double redundancy = -1.0;
  double standardized = -1.0;
  // At most kMaxWorstNames names, then "<n> more".
  std::vector<std::string> parameter_blocks;
};

struct ResidualSection {
  std::string error;  // why there are no data; else empty
  int num_blocks = 0;
  double cost = 0.0;
  std::vector<ResidualKind> kinds;  // most blocks first
  std::vector<WorstBlock> worst;    // largest norm first
};

// A symmetric matrix as a grid of densities.
struct StructurePicture {
  std::string title;
  std::string caption;
  int num_blocks = 0;
  int size = 0;                       // scalar rows
  std::int64_t nonzeros = 0;          // scalars, both triangles
  std::int64_t factor_nonzeros = -1;  // of its Cholesky factor; -1: not known
  int grid_size = 0;
  // Row by row, a digit per cell: '0' empty, '1' to '9' by the logarithm of the
  // density.
  std::string cells;
};

struct StructureSection {
  std::string note;  // why pictures are missing; else empty
  std::vector<StructurePicture> pictures;
  // J'J.
  int num_column_blocks = 0;
  int num_columns = 0;
  double normal_density = 0.0;
  // The solve's own elimination, or, if it eliminates nothing, that of a
  // maximal independent set.
  bool eliminates = false;
  int num_eliminated_blocks = 0;
  int num_eliminated_columns = 0;
  int num_remaining_columns = 0;
  double schur_density = 0.0;  // 0: not computed
};

struct SceneSection {
  int num_points = 0;
  int num_poses = 0;
  int num_edges = 0;
  // Sampled.
  ReportScene before;
  ReportScene after;
};

// What SolvePoseGraphGlobally did (ceres/pose_graph.h).
struct PoseGraphSection {
  bool is_made = false;
  std::string message;  // why the call failed; else empty
  std::string start;
  std::string statement;
  std::string explanation;  // of the statement
  bool is_certified = false;
  bool is_anisotropic = false;
  double start_cost = 0.0;  // chordal
  double cost = 0.0;        // chordal
  double lower_bound = 0.0;
  double gap = 0.0;
  std::vector<PoseGraphSummary::Step> steps;
  double geodesic_initial_cost = 0.0;
  double geodesic_final_cost = 0.0;
};

// A direction in which the parameters can move, as ceres::Direction.
struct DiagnosedDirection {
  std::string kind;
  double ratio = 0.0;  // 0: undetermined
  std::string cause;
  std::string remedy;
  int num_entries = 0;
  std::vector<std::string> entries;  // those that matter most
  // Of DiagnosisSection::positions; the longest has length 1. Empty: nothing
  // moves, or there is no scene.
  std::vector<std::array<double, 3>> motions;
};

// A coordinate of a constraint at the end of the solve.
struct ReportedConstraint {
  std::string name;  // of the constraint; with the coordinate if there are more
  double value = 0.0;
  double lower = 0.0;
  double upper = 0.0;
  double multiplier = 0.0;
  bool is_active = false;
  double violation = 0.0;  // in units of the value
};

struct ConstraintSection {
  int num_constraints = 0;
  int num_coordinates = 0;
  int num_active = 0;  // coordinates
  // At most kMaxReportConstraints: active ones first, large multipliers first.
  std::vector<ReportedConstraint> coordinates;
};

struct DiagnosisSection {
  bool is_made = false;
  std::string message;  // why data are missing; else empty
  std::string rank_statement;
  std::int64_t num_coordinates = 0;
  int num_undetermined = 0;
  int num_weak = 0;
  // At most kMaxReportDirections: undetermined ones, then weak ones.
  std::vector<DiagnosedDirection> directions;
  // Sampled points and poses of the scene, if there are directions.
  std::vector<std::array<double, 3>> positions;
  // Residual blocks whose redundancy is known, and those that nothing checks.
  int num_checked = 0;
  int num_unchecked = 0;
};

enum class AdviceLevel { kHint, kWarning };

struct Advice {
  std::string rule;  // a short name, for tests and links
  AdviceLevel level = AdviceLevel::kHint;
  std::string title;
  std::string evidence;
  std::string action;  // names the option or function to change
};

struct ReportData {
  std::string title;
  std::string full_report;  // Summary::FullReport
  std::string termination;
  std::string message;
  bool is_usable = false;
  double initial_cost = 0.0;
  double final_cost = 0.0;
  int num_parameter_blocks = 0;
  int num_parameters = 0;
  int num_residual_blocks = 0;
  int num_residuals = 0;
  std::string linear_solver;
  ConvergenceSection convergence;
  TimeSection time;
  ResidualSection residuals;
  StructureSection structure;
  SceneSection scene;
  PoseGraphSection pose_graph;
  ConstraintSection constraints;
  DiagnosisSection diagnosis;
  std::vector<Advice> advice;
};

inline constexpr int kMaxReportIterations = 1000;
inline constexpr int kMaxReportKinds = 12;
inline constexpr int kNumWorstBlocks = 50;
inline constexpr std::size_t kMaxReportDirections = 12;
inline constexpr std::size_t kMaxReportConstraints = 200;
// Names of parameter blocks of each of the worst blocks.
inline constexpr int kMaxWorstNames = 20;

// Indices of at most `most` of `count` elements, evenly spaced, ascending, the
// first and the last among them if most > 1.
std::vector<int> EvenSample(int count, int most);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_REPORT_REPORT_DATA_H_
