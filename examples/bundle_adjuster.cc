// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Adjusts a bundle adjustment problem with any of the solver's options:
//
//   bundle_adjuster --input=problem-16-22106-pre.txt --num_iterations=20
//   bundle_adjuster --generate=100,20000,1 --final_ply=after.ply
//   bundle_adjuster --generate=100,20000,1 --report=report.html
//   bundle_adjuster --input=bundle.out --final_bundler=adjusted.out
//   bundle_adjuster --input=sparse/0 --final_colmap=adjusted/0
//
// The problem comes from a BAL file, a scene of Bundler, or from a generated
// scene. It is normalised, perturbed if asked for, solved, and brought back to
// the coordinates it came in before anything is written. A folder is a model of
// COLMAP as text, which is solved as it is.
//
// Prints: Initial *2.138664e.05
// Prints: Final *1.575936e.03

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bal_file.h"
#include "bal_problem.h"
#include "ceres/autodiff_batch.h"
#include "ceres/ceres.h"
#include "ceres/factors/factor_batches.h"
#include "ceres/html_report.h"
#include "ceres/io/bundler.h"
#include "ceres/io/colmap.h"
#include "ceres/io/text_file.h"
#include "ceres/rotation.h"
#include "colmap_problem.h"
#include "generate_scene.h"
#include "gflags/gflags.h"
#include "parse_flag.h"
#include "quaternion_camera_manifold.h"
#include "report_flags.h"
#include "snavely_reprojection_error.h"

// The peer that Debian ships, Ceres 2.1, lacks a few of our options.
#define VESTA_HAVE_CERES_2_2_OPTIONS \
  (CERES_VERSION_MAJOR > 2 ||        \
   (CERES_VERSION_MAJOR == 2 && CERES_VERSION_MINOR >= 2))

DEFINE_string(input, "",
              "What to adjust: a BAL file, a Bundler file, or the folder of a "
              "COLMAP model.");
DEFINE_string(
    generate, "",
    "CAMERAS,POINTS,SEED: adjust a generated scene instead of a file.");
VESTA_DEFINE_ENUM_FLAG(trust_region_strategy, TrustRegionStrategyType,
                       ::ceres::LEVENBERG_MARQUARDT);
VESTA_DEFINE_ENUM_FLAG(dogleg, DoglegType, ::ceres::TRADITIONAL_DOGLEG);
DEFINE_bool(inner_iterations, false, "Refine each step block by block.");
DEFINE_string(blocks_for_inner_iterations, "automatic",
              "automatic, cameras, points, cameras,points or points,cameras.");
VESTA_DEFINE_ENUM_FLAG(linear_solver, LinearSolverType, ::ceres::SPARSE_SCHUR);
DEFINE_bool(explicit_schur_complement, false,
            "Form the Schur complement in iterative_schur.");
VESTA_DEFINE_ENUM_FLAG(preconditioner, PreconditionerType, ::ceres::JACOBI);
VESTA_DEFINE_ENUM_FLAG(visibility_clustering, VisibilityClusteringType,
                       ::ceres::CANONICAL_VIEWS);
DEFINE_bool(
    use_spse_initialization, false,
    "Start the conjugate gradients of iterative_schur from a power series.");
VESTA_DEFINE_ENUM_FLAG(
    sparse_linear_algebra_library, SparseLinearAlgebraLibraryType,
    ::ceres::Solver::Options().sparse_linear_algebra_library_type);
VESTA_DEFINE_ENUM_FLAG(
    dense_linear_algebra_library, DenseLinearAlgebraLibraryType,
    ::ceres::Solver::Options().dense_linear_algebra_library_type);
#if VESTA_HAVE_CERES_2_2_OPTIONS
VESTA_DEFINE_ENUM_FLAG(ordering_type, LinearSolverOrderingType, ::ceres::AMD);
#endif
DEFINE_string(linear_solver_ordering, "user",
              "user: points are eliminated first, then cameras; else the "
              "solver decides.");
DEFINE_bool(use_quaternions, false,
            "Camera rotations are quaternions instead of angle-axes.");
DEFINE_bool(use_manifolds, false,
            "Quaternions stay on their manifold; needs --use_quaternions.");
DEFINE_bool(robustify, false, "Huber loss of 1 pixel instead of squares.");
DEFINE_bool(per_block, false,
            "One cost function for each observation instead of one residual "
            "batch for all: slower, and takes more memory.");
DEFINE_double(eta, 1e-2, "Forcing term of inexact steps.");
DEFINE_int32(num_threads, -1, "-1 for as many as the hardware runs at once.");
DEFINE_int32(num_iterations, 5, "Most iterations of the minimizer.");
DEFINE_double(function_tolerance, 1e-16,
              "Converged if a step changes the cost by less, relative to it.");
DEFINE_int32(max_linear_solver_iterations, 500,
             "Most iterations of an iterative linear solve.");
DEFINE_double(spse_tolerance, 0.1, "Where the power series may end.");
DEFINE_int32(max_num_spse_iterations, 5, "Most terms of the power series.");
DEFINE_double(max_solver_time, 1e32, "Seconds.");
DEFINE_bool(nonmonotonic_steps, false, "Allow steps that increase the cost.");
DEFINE_double(rotation_sigma, 0.0, "Noise added to initial rotations.");
DEFINE_double(translation_sigma, 0.0, "Noise added to initial translations.");
DEFINE_double(point_sigma, 0.0, "Noise added to initial points.");
DEFINE_int32(random_seed, 38401, "Seed of that noise.");
DEFINE_bool(line_search, false, "Line search instead of trust region.");
DEFINE_bool(mixed_precision_solves, false, "Factorize in single precision.");
DEFINE_int32(max_num_refinement_iterations, 0,
             "Refinements of each linear solve.");
DEFINE_string(initial_ply, "",
              "Write the initial cameras and points to this PLY file.");
DEFINE_string(final_ply, "",
              "Write the adjusted cameras and points to this PLY file.");
DEFINE_string(final_bal, "", "Write the adjusted problem to this BAL file.");
DEFINE_string(final_bundler, "",
              "Write the adjusted problem to this Bundler file.");
DEFINE_string(final_colmap, "",
              "Write the adjusted COLMAP model to this folder.");

namespace ceres::examples {
namespace {

bool SetLinearSolver(Solver::Options* options) {
  options->max_linear_solver_iterations = FLAGS_max_linear_solver_iterations;
  options->use_explicit_schur_complement = FLAGS_explicit_schur_complement;
  options->use_mixed_precision_solves = FLAGS_mixed_precision_solves;
  options->max_num_refinement_iterations = FLAGS_max_num_refinement_iterations;
#if VESTA_HAVE_CERES_2_2_OPTIONS
  options->use_spse_initialization = FLAGS_use_spse_initialization;
  options->spse_tolerance = FLAGS_spse_tolerance;
  options->max_num_spse_iterations = FLAGS_max_num_spse_iterations;
  if (!ParseFlag("ordering_type", FLAGS_ordering_type,
                 StringToLinearSolverOrderingType,
                 &options->linear_solver_ordering_type)) {
    return false;
  }
#endif
  return ParseFlag("linear_solver", FLAGS_linear_solver,
                   StringToLinearSolverType, &options->linear_solver_type) &&
         ParseFlag("preconditioner", FLAGS_preconditioner,
                   StringToPreconditionerType, &options->preconditioner_type) &&
         ParseFlag("visibility_clustering", FLAGS_visibility_clustering,
                   StringToVisibilityClusteringType,
                   &options->visibility_clustering_type) &&
         ParseFlag("sparse_linear_algebra_library",
                   FLAGS_sparse_linear_algebra_library,
                   StringToSparseLinearAlgebraLibraryType,
                   &options->sparse_linear_algebra_library_type) &&
         ParseFlag("dense_linear_algebra_library",
                   FLAGS_dense_linear_algebra_library,
                   StringToDenseLinearAlgebraLibraryType,
                   &options->dense_linear_algebra_library_type);
}

bool SetMinimizer(Solver::Options* options) {
  options->minimizer_progress_to_stdout = true;
  options->max_num_iterations = FLAGS_num_iterations;
  options->max_solver_time_in_seconds = FLAGS_max_solver_time;
  options->use_nonmonotonic_steps = FLAGS_nonmonotonic_steps;
  options->eta = FLAGS_eta;
  options->function_tolerance = FLAGS_function_tolerance;
  options->gradient_tolerance = 1e-16;
  options->parameter_tolerance = 1e-16;
  if (FLAGS_line_search) options->minimizer_type = LINE_SEARCH;
  if (FLAGS_num_threads != -1 && FLAGS_num_threads < 1) {
    std::cerr << "--num_threads must be -1 or at least 1.\n";
    return false;
  }
  options->num_threads =
      FLAGS_num_threads > 0
          ? FLAGS_num_threads
          : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return ParseFlag("trust_region_strategy", FLAGS_trust_region_strategy,
                   StringToTrustRegionStrategyType,
                   &options->trust_region_strategy_type) &&
         ParseFlag("dogleg", FLAGS_dogleg, StringToDoglegType,
                   &options->dogleg_type);
}

// Groups that are eliminated in ascending order; -1 leaves a kind of block out.
// With --per_block, a camera or point that nothing observes is not in the
// problem.
std::shared_ptr<ParameterBlockOrdering> MakeOrdering(const Problem& problem,
                                                     int camera_group,
                                                     int point_group,
                                                     BalProblem* bal) {
  auto ordering = std::make_shared<ParameterBlockOrdering>();
  for (int i = 0; i < bal->num_points() && point_group >= 0; ++i) {
    if (problem.HasParameterBlock(bal->point(i))) {
      ordering->AddElementToGroup(bal->point(i), point_group);
    }
  }
  for (int i = 0; i < bal->num_cameras() && camera_group >= 0; ++i) {
    if (problem.HasParameterBlock(bal->camera(i))) {
      ordering->AddElementToGroup(bal->camera(i), camera_group);
    }
  }
  return ordering;
}

bool SetOrderings(const Problem& problem, BalProblem* bal,
                  Solver::Options* options) {
  if (FLAGS_linear_solver_ordering == "user") {
    options->linear_solver_ordering = MakeOrdering(problem, 1, 0, bal);
  }
  options->use_inner_iterations = FLAGS_inner_iterations;
  if (!FLAGS_inner_iterations) return true;
  const std::string& blocks = FLAGS_blocks_for_inner_iterations;
  if (blocks == "cameras") {
    options->inner_iteration_ordering = MakeOrdering(problem, 0, -1, bal);
  } else if (blocks == "points") {
    options->inner_iteration_ordering = MakeOrdering(problem, -1, 0, bal);
  } else if (blocks == "cameras,points") {
    options->inner_iteration_ordering = MakeOrdering(problem, 0, 1, bal);
  } else if (blocks == "points,cameras") {
    options->inner_iteration_ordering = MakeOrdering(problem, 1, 0, bal);
  } else if (blocks != "automatic") {
    std::cerr << "--blocks_for_inner_iterations=" << blocks
              << " is none of its values; see --help.\n";
    return false;
  }
  return true;
}

// The row of a batch for a camera with a quaternion, as
// SnavelyReprojectionErrorWithQuaternions.
struct QuaternionReprojection {
  template <typename T, typename D>
  bool operator()(const T* camera, const T* point, const D* observed,
                  T* residuals) const {
    T p[3];
    QuaternionRotatePoint(camera, point, p);
    for (int k = 0; k < 3; ++k) p[k] += camera[4 + k];
    SnavelyResidual(p, camera + 7, observed[0], observed[1], residuals);
    return true;
  }
};
using QuaternionBatch =
    AutoDiffBatch<QuaternionReprojection, 2, kQuaternionCameraSize, kPointSize>;

// All observations as one batch, which reads the arrays of `bal`.
void AddBatch(BalProblem* bal, LossFunction* loss, Problem* problem) {
  const BatchColumns observed(bal->observations.data(), bal->num_observations(),
                              2);
  std::unique_ptr<ResidualBatch> batch;
  if (FLAGS_use_quaternions) {
    batch = std::make_unique<QuaternionBatch>(observed);
  } else {
    batch = std::make_unique<factors::SnavelyBatch>(observed);
  }
  const ParameterArray cameras = problem->AddParameterArray(
      bal->cameras.data(), bal->num_cameras(), bal->camera_size);
  const ParameterArray points = problem->AddParameterArray(
      bal->points.data(), bal->num_points(), kPointSize);
  problem->AddResidualBatch(
      std::move(batch), loss,
      {{cameras, bal->camera_index}, {points, bal->point_index}});
}

// The observations one by one, as a program for Ceres adds them.
void AddBlocks(BalProblem* bal, LossFunction* loss, Problem* problem) {
  for (int i = 0; i < bal->num_observations(); ++i) {
    const double x = bal->observations[2 * static_cast<size_t>(i)];
    const double y = bal->observations[2 * static_cast<size_t>(i) + 1];
    CostFunction* cost =
        FLAGS_use_quaternions
            ? SnavelyReprojectionErrorWithQuaternions::Create(x, y)
            : SnavelyReprojectionError::Create(x, y);
    problem->AddResidualBlock(cost, loss, bal->camera(bal->camera_index[i]),
                              bal->point(bal->point_index[i]));
  }
}

void BuildProblem(BalProblem* bal, Problem* problem) {
  // The problem owns these and deletes each once, however often it is used.
  LossFunction* loss = FLAGS_robustify ? new HuberLoss(1.0) : nullptr;
  (FLAGS_per_block ? AddBlocks : AddBatch)(bal, loss, problem);
  if (!FLAGS_use_manifolds) return;
  Manifold* manifold = new QuaternionCameraManifold;
  bool used = false;
  for (int i = 0; i < bal->num_cameras(); ++i) {
    if (!problem->HasParameterBlock(bal->camera(i))) continue;
    problem->SetManifold(bal->camera(i), manifold);
    used = true;
  }
  if (!used) delete manifold;
}

// Position and orientation of a camera in the world.
ReportScene::Pose CameraPose(const BalProblem& bal, int camera) {
  ReportScene::Pose pose;
  CameraCenter(bal, camera, pose.position.data());
  double* q = pose.orientation.data();
  if (bal.camera_size == kAngleAxisCameraSize) {
    AngleAxisToQuaternion(bal.camera(camera), q);
  } else {
    std::copy_n(bal.camera(camera), 4, q);
  }
  // The camera stores the rotation from the world to its own frame.
  for (int k = 1; k < 4; ++k) q[k] = -q[k];
  return pose;
}

ReportScene MakeScene(const BalProblem& bal) {
  ReportScene scene;
  for (int i = 0; i < bal.num_points(); ++i) {
    const double* p = bal.point(i);
    scene.points.push_back({p[0], p[1], p[2]});
  }
  for (int i = 0; i < bal.num_cameras(); ++i) {
    scene.poses.push_back(CameraPose(bal, i));
  }
  return scene;
}

std::string BlockName(const BalProblem& bal, const double* block) {
  const std::less<const double*> is_before;
  const double* first = bal.cameras.data();
  const double* end = first + bal.cameras.size();
  return !is_before(block, first) && is_before(block, end)
             ? "camera " + std::to_string((block - first) / bal.camera_size)
             : "point " +
                   std::to_string((block - bal.points.data()) / kPointSize);
}

HtmlReport::Options ReportOptions(const BalProblem& bal) {
  HtmlReport::Options options;
  options.title =
      "Bundle adjustment: " +
      (FLAGS_input.empty() ? "generated scene " + FLAGS_generate
                           : FLAGS_input.substr(FLAGS_input.rfind('/') + 1));
  options.parameter_block_name = [&bal](const double* block) {
    return BlockName(bal, block);
  };
  options.scene = [&bal] { return MakeScene(bal); };
  return options;
}

// Colors and keys are empty unless the scene is from Bundler.
bool LoadProblem(io::BundlerScene* scene, std::string* error) {
  if (FLAGS_generate.empty()) {
    std::string text;
    if (!io::ReadFile(FLAGS_input, &text, error)) return false;
    return text.find("# Bundle") < 4
               ? io::ParseBundler(text, FLAGS_input, scene, error)
               : ParseBal(text, FLAGS_input, &scene->problem, error);
  }
  SceneOptions options;
  return ParseSceneOptions(FLAGS_generate, &options, error) &&
         GenerateScene(options, &scene->problem, error);
}

// Cameras that nothing observes get back their numbers: normalization rounds
// the zeros of those that Bundler could not place.
void RestoreUnobservedCameras(const std::vector<double>& cameras,
                              BalProblem* bal) {
  std::vector<char> is_observed(bal->num_cameras(), 0);
  for (const int camera : bal->camera_index) is_observed[camera] = 1;
  for (int i = 0; i < bal->num_cameras(); ++i) {
    if (is_observed[i] != 0) continue;
    std::copy_n(&cameras[static_cast<size_t>(i) * kAngleAxisCameraSize],
                kAngleAxisCameraSize, bal->camera(i));
  }
}

bool WriteResults(const std::vector<double>& cameras, io::BundlerScene* scene,
                  std::string* error) {
  UseAngleAxis(&scene->problem);
  RestoreUnobservedCameras(cameras, &scene->problem);
  return (FLAGS_final_bal.empty() ||
          WriteBal(scene->problem, FLAGS_final_bal, error)) &&
         (FLAGS_final_bundler.empty() ||
          io::WriteBundler(*scene, FLAGS_final_bundler, error)) &&
         (FLAGS_final_ply.empty() ||
          WritePly(scene->problem, FLAGS_final_ply, error));
}

int RunColmap(Solver::Options options) {
  io::ColmapModel model;
  std::string error;
  if (!io::ReadColmap(FLAGS_input, &model, &error)) {
    std::cerr << error << "\n";
    return 1;
  }
  std::cout << "Model: " << model.cameras.size() << " cameras, "
            << model.images.size() << " images, " << model.points.size()
            << " points.\n";
  Problem problem;
  BuildColmapProblem(FLAGS_robustify ? new HuberLoss(1.0) : nullptr, &model,
                     &problem);
  if (FLAGS_linear_solver_ordering == "user") {
    options.linear_solver_ordering = std::make_shared<ParameterBlockOrdering>();
    OrderColmapBlocks(&model, options.linear_solver_ordering.get());
  }
  options.use_inner_iterations = FLAGS_inner_iterations;
  Solver::Summary summary;
  Solve(options, &problem, &summary);
  std::cout << summary.FullReport() << "\n";
  UpdateColmapErrors(&model);
  if (!FLAGS_final_colmap.empty() &&
      !io::WriteColmap(model, FLAGS_final_colmap, &error)) {
    std::cerr << error << "\n";
    return 1;
  }
  return summary.IsSolutionUsable() ? 0 : 1;
}

// The exit status.
int Run() {
  if (FLAGS_use_manifolds && !FLAGS_use_quaternions) {
    std::cerr << "--use_manifolds needs --use_quaternions.\n";
    return 1;
  }
  Solver::Options options;
  if (!SetLinearSolver(&options) || !SetMinimizer(&options)) return 1;
  if (std::filesystem::is_directory(FLAGS_input)) return RunColmap(options);

  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  io::BundlerScene scene;
  BalProblem& bal = scene.problem;
  std::string error;
  if (!LoadProblem(&scene, &error) ||
      (!FLAGS_initial_ply.empty() &&
       !WritePly(bal, FLAGS_initial_ply, &error))) {
    std::cerr << error << "\n";
    return 1;
  }
  std::cout << "Problem: " << bal.num_cameras() << " cameras, "
            << bal.num_points() << " points, " << bal.num_observations()
            << " observations.\n";

  const std::vector<double> cameras = bal.cameras;
  const Normalization normalization = Normalize(&bal);
  PerturbationOptions perturbation;
  perturbation.rotation_sigma = FLAGS_rotation_sigma;
  perturbation.translation_sigma = FLAGS_translation_sigma;
  perturbation.point_sigma = FLAGS_point_sigma;
  perturbation.seed = static_cast<uint64_t>(FLAGS_random_seed);
  Perturb(perturbation, &bal);
  if (FLAGS_use_quaternions) UseQuaternions(&bal);

  Problem problem;
  BuildProblem(&bal, &problem);
  if (!SetOrderings(problem, &bal, &options)) return 1;
  const std::chrono::duration<double> setup = Clock::now() - start;
  Solver::Summary summary;
  const bool is_reported =
      SolveAndReport(options, ReportOptions(bal), &problem, &summary);
  std::cout << summary.FullReport() << "\nSeconds from the file to the "
            << "solution: " << setup.count() + summary.total_time_in_seconds
            << " (" << setup.count() << " to read and build the problem)\n";

  Denormalize(normalization, &bal);
  if (!WriteResults(cameras, &scene, &error)) {
    std::cerr << error << "\n";
    return 1;
  }
  return is_reported && summary.IsSolutionUsable() ? 0 : 1;
}

}  // namespace
}  // namespace ceres::examples

int main(int argc, char** argv) {
  gflags::SetUsageMessage("bundle_adjuster --input=FILE [flags]");
  gflags::ParseCommandLineFlags(&argc, &argv, true);
  if (FLAGS_input.empty() == FLAGS_generate.empty()) {
    std::cerr
        << "Usage: bundle_adjuster --input=FILE_OR_FOLDER [flags]\n"
           "       bundle_adjuster --generate=CAMERAS,POINTS,SEED [flags]\n"
           "--help lists the flags.\n";
    return 1;
  }
  return ceres::examples::Run();
}
