// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Adjusts a bundle adjustment problem on several processes, each of which has a
// slice of the points:
//
//   mpirun -n 4 distributed_bundle_adjuster --input=problem-1778-993923-pre.txt
//   mpirun -n 4 distributed_bundle_adjuster --generate=100,20000,1
//
// Each rank reads its own slice of the file. With --slices=FOLDER/adjusted,
// rank r writes its cameras and points to FOLDER/adjusted.r.txt.

#include <mpi.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bal_slice.h"
#include "ceres/ceres.h"
#include "ceres/distributed.h"
#include "generate_scene.h"
#include "gflags/gflags.h"
#include "parse_flag.h"
#include "snavely_reprojection_error.h"

DEFINE_string(input, "", "BAL file to adjust.");
DEFINE_string(
    generate, "",
    "CAMERAS,POINTS,SEED: adjust a generated scene instead of a file.");
DEFINE_int32(
    num_leaves, 0,
    "Leaves of the sums, at least the number of ranks. The result does "
    "not depend on the number of ranks for one number of leaves. 0: "
    "8, or more if there are more ranks.");
VESTA_DEFINE_ENUM_FLAG(linear_solver, LinearSolverType, ::ceres::SPARSE_SCHUR);
VESTA_DEFINE_ENUM_FLAG(preconditioner, PreconditionerType, ::ceres::JACOBI);
DEFINE_string(reduced_solver, "automatic",
              "automatic, gathered, replicated_cg, petsc_cg_block_jacobi, "
              "petsc_cg_gamg, petsc_cg_shell or petsc_mumps.");
DEFINE_double(eta, 1e-2, "Forcing sequence of iterative linear solvers.");
DEFINE_bool(robustify, false, "Use a Huber loss of one pixel.");
DEFINE_int32(num_threads, 1, "Threads of each rank.");
DEFINE_int32(num_iterations, 5, "Largest number of iterations.");
DEFINE_string(checkpoint, "",
              "File of checkpoints, from which the solve goes on.");
DEFINE_int32(checkpoint_period, 10, "Iterations between checkpoints.");
DEFINE_string(slices, "", "Prefix of the files of results, one for each rank.");
DEFINE_bool(memory, false,
            "Print the memory of each rank before and at the peak of the solve "
            "(Linux).");
DEFINE_bool(json, false, "Print the summary as JSON instead of a report.");

namespace ceres::examples {
namespace {

struct World {
  World() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
  }
  int rank = 0;
  int size = 1;
};

bool LoadSlice(const World& world, BalSlice* slice, std::string* error) {
  SliceChoice choice;
  choice.rank = world.rank;
  choice.num_ranks = world.size;
  choice.num_leaves = FLAGS_num_leaves;
  if (choice.num_leaves == 0) {
    choice.num_leaves = 8;
    while (choice.num_leaves < world.size) choice.num_leaves *= 2;
  }
  if (choice.num_leaves < world.size) {
    *error = "--num_leaves must be at least the number of ranks.";
    return false;
  }
  if (!FLAGS_input.empty()) {
    return ReadBalSlice(FLAGS_input, choice, slice, error);
  }
  SceneOptions scene_options;
  BalProblem scene;
  if (!ParseSceneOptions(FLAGS_generate, &scene_options, error) ||
      !GenerateScene(scene_options, &scene, error)) {
    return false;
  }
  *slice = TakeSlice(scene, choice);
  return true;
}

bool ParseOptions(distributed::Options* options) {
  const std::pair<const char*, distributed::ReducedSolver> solvers[] = {
      {"automatic", distributed::ReducedSolver::AUTOMATIC},
      {"gathered", distributed::ReducedSolver::GATHERED},
      {"replicated_cg", distributed::ReducedSolver::REPLICATED_CG},
      {"petsc_cg_block_jacobi",
       distributed::ReducedSolver::PETSC_CG_BLOCK_JACOBI},
      {"petsc_cg_gamg", distributed::ReducedSolver::PETSC_CG_GAMG},
      {"petsc_cg_shell", distributed::ReducedSolver::PETSC_CG_SHELL},
      {"petsc_mumps", distributed::ReducedSolver::PETSC_MUMPS}};
  const auto* const found = std::find_if(
      std::begin(solvers), std::end(solvers),
      [](const auto& solver) { return solver.first == FLAGS_reduced_solver; });
  if (found == std::end(solvers)) {
    std::cerr << "--reduced_solver: unknown value '" << FLAGS_reduced_solver
              << "'\n";
    return false;
  }
  options->reduced_solver = found->second;
  options->num_threads = FLAGS_num_threads;
  options->max_num_iterations = FLAGS_num_iterations;
  options->eta = FLAGS_eta;
  options->checkpoint_path = FLAGS_checkpoint;
  options->checkpoint_period = FLAGS_checkpoint_period;
  options->minimizer_progress_to_stdout = !FLAGS_json;
  return ParseFlag("linear_solver", FLAGS_linear_solver,
                   StringToLinearSolverType, &options->linear_solver_type) &&
         ParseFlag("preconditioner", FLAGS_preconditioner,
                   StringToPreconditionerType, &options->preconditioner_type);
}

// A size of this process in MB, from /proc/self/status; 0 where there is none.
double MegabytesOf(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind(name, 0) == 0) {
      return std::stod(line.substr(name.size())) / 1024.0;
    }
  }
  return 0.0;
}

// The memory of this process now, and its peak from now on (Linux).
class PeakMemory {
 public:
  PeakMemory() : before_(MegabytesOf("VmRSS:")) {
    std::ofstream("/proc/self/clear_refs") << 5;  // The peak counts anew.
  }
  // Rank 0 prints "memory RANK BEFORE to PEAK MB" for each rank.
  void Print(const World& world) const {
    const double mine[] = {before_, MegabytesOf("VmHWM:")};
    std::vector<double> all(2 * static_cast<std::size_t>(world.size));
    MPI_Gather(mine, 2, MPI_DOUBLE, all.data(), 2, MPI_DOUBLE, 0,
               MPI_COMM_WORLD);
    for (int rank = 0; world.rank == 0 && rank < world.size; ++rank) {
      std::cerr << "memory " << rank << ' ' << all[2 * rank] << " to "
                << all[2 * rank + 1] << " MB\n";
    }
  }

 private:
  const double before_;
};

// [build]
// Adds the observations of the slice, leaf by leaf, and declares that other
// ranks have the cameras too.
void Build(BalSlice* slice, LossFunction* loss, Problem* problem,
           distributed::SharedBlocks* shared) {
  BalProblem& scene = slice->scene;
  const int num_leaves = static_cast<int>(slice->first_observation.size()) - 1;
  for (int k = 0; k < num_leaves; ++k) {
    shared->BeginLeaf(slice->first_leaf + k, *problem);
    for (int i = slice->first_observation[k];
         i < slice->first_observation[k + 1]; ++i) {
      problem->AddResidualBlock(
          SnavelyReprojectionError::Create(scene.observations[2 * i],
                                           scene.observations[2 * i + 1]),
          loss, scene.camera(scene.camera_index[i]),
          scene.point(scene.point_index[i]));
    }
  }
  for (int c = 0; c < scene.num_cameras(); ++c) {
    shared->Add(slice->camera_ids[c], scene.camera(c));
  }
}
// [/build]

int Run() {
  const World world;
  distributed::Options options;
  BalSlice slice;
  std::string error;
  if (FLAGS_input.empty() == FLAGS_generate.empty()) {
    error = "Give either --input or --generate.";
  } else if (ParseOptions(&options)) {
    (void)LoadSlice(world, &slice, &error);
  } else {
    error = "A flag is wrong.";
  }
  if (!error.empty()) {
    std::cerr << "Rank " << world.rank << ": " << error << '\n';
    MPI_Abort(MPI_COMM_WORLD, 1);
  }

  // [solve]
  Problem::Options problem_options;
  problem_options.loss_function_ownership = DO_NOT_TAKE_OWNERSHIP;
  Problem problem(problem_options);
  const std::unique_ptr<LossFunction> loss(FLAGS_robustify ? new HuberLoss(1.0)
                                                           : nullptr);
  distributed::SharedBlocks shared;
  Build(&slice, loss.get(), &problem, &shared);
  const PeakMemory memory;
  distributed::Summary summary;
  distributed::Solve(options, MPI_COMM_WORLD, shared, &problem, &summary);
  // [/solve]
  if (world.rank == 0) {
    std::cout << (FLAGS_json ? summary.ToJson() : summary.FullReport());
  }
  if (FLAGS_memory) memory.Print(world);
  if (!FLAGS_slices.empty()) {
    const std::string path =
        FLAGS_slices + "." + std::to_string(world.rank) + ".txt";
    if (!WriteSlice(slice, path, &error)) {
      std::cerr << error << '\n';
      return 1;
    }
  }
  return summary.IsSolutionUsable() ? 0 : 1;
}

}  // namespace
}  // namespace ceres::examples

int main(int argc, char** argv) {
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  GFLAGS_NAMESPACE::ParseCommandLineFlags(&argc, &argv, true);
  const int result = ceres::examples::Run();
  MPI_Finalize();
  return result;
}
