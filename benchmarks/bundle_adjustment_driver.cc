// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Solves one bundle adjustment problem once and prints what it took, a name
// and a value per line, for scripts to read:
//
//   build_seconds       making the Problem and its ordering
//   solve_seconds       Solve(), preprocessing included
//   preprocess_seconds  Summary::preprocessor_time_in_seconds
//   iterations          minimizer iterations, the initial one not counted
//   successful_steps    those that moved; the others cost less
//   initial_cost        17 significant digits
//   final_cost          17 significant digits
//   parameters          a hash of the bits of all parameter blocks
//   peak_rss_kib        the largest resident set of the process
//
// Uses public headers only, so that it compiles against every library with
// this API. With Vesta it can also say from a trace how a solve would scale on
// a machine with more cpus (--forecast).

#include <sys/resource.h>

#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <iostream>
#include <memory>
#include <string>

#include "bal_file.h"
#include "bal_problem.h"
#include "ceres/ceres.h"
#include "generate_scene.h"
#include "gflags/gflags.h"
#include "parameter_hash.h"
#include "snavely_reprojection_error.h"

#if __has_include("ceres/parallel/trace_summary.h")
#define VESTA_HAVE_TRACE
#include "ceres/parallel/trace.h"
#include "ceres/parallel/trace_summary.h"
#endif

DEFINE_string(input, "", "BAL file to solve.");
DEFINE_string(generate, "",
              "CAMERAS,POINTS,SEED: solve a generated scene instead.");
DEFINE_string(write, "", "Write the problem to this BAL file, and end.");
DEFINE_string(linear_solver, "dense_schur", "A LinearSolverType.");
DEFINE_string(preconditioner, "schur_jacobi", "A PreconditionerType.");
DEFINE_string(dense_linear_algebra_library, "eigen", "eigen or lapack.");
DEFINE_string(sparse_linear_algebra_library, "",
              "suite_sparse, eigen_sparse, native_sparse (Vesta only); empty: "
              "the solver's default.");
DEFINE_bool(explicit_schur_complement, false,
            "Form the Schur complement in iterative_schur.");
DEFINE_int32(num_threads, 1, "");
DEFINE_int32(num_iterations, 20, "");
DEFINE_double(eta, 1e-2, "Forcing term of inexact steps.");
DEFINE_bool(normalize, true,
            "Bring the scene to unit size first, as bundle_adjuster does.");
DEFINE_bool(report, false, "Print the full report to stderr as well.");
DEFINE_string(forecast, "",
              "solve or iterations (all but set-up and the first evaluation): "
              "trace that and print work, span and the speed-up that they "
              "allow at 4, 16 and 64 threads to stderr (Vesta only).");

namespace ceres::examples {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

bool Load(BalProblem* bal, std::string* error) {
  if (FLAGS_generate.empty()) return ReadBal(FLAGS_input, bal, error);
  SceneOptions options;
  return ParseSceneOptions(FLAGS_generate, &options, error) &&
         GenerateScene(options, bal, error);
}

bool MakeOptions(Solver::Options* options) {
  options->num_threads = FLAGS_num_threads;
  options->max_num_iterations = FLAGS_num_iterations;
  options->eta = FLAGS_eta;
  options->use_explicit_schur_complement = FLAGS_explicit_schur_complement;
  // Both libraries are to run all iterations.
  options->function_tolerance = 0.0;
  options->gradient_tolerance = 0.0;
  options->parameter_tolerance = 0.0;
  return StringToLinearSolverType(FLAGS_linear_solver,
                                  &options->linear_solver_type) &&
         StringToPreconditionerType(FLAGS_preconditioner,
                                    &options->preconditioner_type) &&
         StringToDenseLinearAlgebraLibraryType(
             FLAGS_dense_linear_algebra_library,
             &options->dense_linear_algebra_library_type) &&
         (FLAGS_sparse_linear_algebra_library.empty() ||
          StringToSparseLinearAlgebraLibraryType(
              FLAGS_sparse_linear_algebra_library,
              &options->sparse_linear_algebra_library_type));
}

void Build(BalProblem* bal, Problem* problem, Solver::Options* options) {
  for (int i = 0; i < bal->num_observations(); ++i) {
    const double* pixel = &bal->observations[2 * static_cast<size_t>(i)];
    problem->AddResidualBlock(
        SnavelyReprojectionError::Create(pixel[0], pixel[1]), nullptr,
        bal->camera(bal->camera_index[i]), bal->point(bal->point_index[i]));
  }
  auto ordering = std::make_shared<ParameterBlockOrdering>();
  for (int i = 0; i < bal->num_points(); ++i) {
    if (problem->HasParameterBlock(bal->point(i)))
      ordering->AddElementToGroup(bal->point(i), 0);
  }
  for (int i = 0; i < bal->num_cameras(); ++i) {
    if (problem->HasParameterBlock(bal->camera(i)))
      ordering->AddElementToGroup(bal->camera(i), 1);
  }
  options->linear_solver_ordering = ordering;
}

#if defined(VESTA_HAVE_TRACE)
// Traces a solve, from its begin or from the end of iteration 0.
class Forecaster : public IterationCallback {
 public:
  void Attach(Solver::Options* options) {
    if (FLAGS_forecast == "solve") trace_.Start();
    if (FLAGS_forecast == "iterations") options->callbacks.push_back(this);
  }
  CallbackReturnType operator()(const IterationSummary& summary) override {
    if (summary.iteration == 0) trace_.Start();
    return SOLVER_CONTINUE;
  }
  void Print() {
    if (FLAGS_forecast.empty()) return;
    trace_.Stop();
    std::cerr << parallel::Summarize(trace_);
  }

 private:
  parallel::Trace trace_;
};
#else
struct Forecaster {
  void Attach(Solver::Options* /*options*/) {}
  void Print() {}
};
#endif

int Run() {
  Solver::Options options;
  if (!MakeOptions(&options)) {
    std::cerr << "A flag that names an enumerator has none of its values; see "
                 "--help.\n";
    return 1;
  }
  BalProblem bal;
  std::string error;
  if (!Load(&bal, &error)) {
    std::cerr << error << "\n";
    return 1;
  }
  if (!FLAGS_write.empty()) {
    if (WriteBal(bal, FLAGS_write, &error)) return 0;
    std::cerr << error << "\n";
    return 1;
  }
  if (FLAGS_normalize) Normalize(&bal);

  Clock::time_point start = Clock::now();
  Problem problem;
  Build(&bal, &problem, &options);
  const double build_seconds = SecondsSince(start);

  Forecaster forecaster;
  forecaster.Attach(&options);
  start = Clock::now();
  Solver::Summary summary;
  Solve(options, &problem, &summary);
  const double solve_seconds = SecondsSince(start);
  forecaster.Print();
  if (FLAGS_report) std::cerr << summary.FullReport() << "\n";
  if (!summary.IsSolutionUsable()) {
    std::cerr << summary.message << "\n";
    return 1;
  }

  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  std::printf("build_seconds %.6f\n", build_seconds);
  std::printf("solve_seconds %.6f\n", solve_seconds);
  std::printf("preprocess_seconds %.6f\n",
              summary.preprocessor_time_in_seconds);
  std::printf("iterations %d\n",
              static_cast<int>(summary.iterations.size()) - 1);
  std::printf("successful_steps %d\n", summary.num_successful_steps - 1);
  std::printf("initial_cost %.17g\n", summary.initial_cost);
  std::printf("final_cost %.17g\n", summary.final_cost);
  std::printf("parameters %016" PRIx64 "\n", HashParameters(problem));
  std::printf("peak_rss_kib %ld\n", usage.ru_maxrss);
  return 0;
}

}  // namespace
}  // namespace ceres::examples

int main(int argc, char** argv) {
  gflags::ParseCommandLineFlags(&argc, &argv, true);
  if (FLAGS_input.empty() == FLAGS_generate.empty()) {
    std::cerr
        << "Give one of --input=BAL_FILE and --generate=CAMERAS,POINTS,SEED.\n";
    return 1;
  }
  return ceres::examples::Run();
}
