// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Times Diagnose beside a solve, on a BAL problem or a pose graph, and prints
// what it took, a name and a value per line, for scripts to read:
//
//   step_seconds        a Levenberg-Marquardt iteration, median of all times
//   diagnose_seconds    Diagnose, median of all times
//   ratio               diagnose_seconds / step_seconds
//   undetermined        the dimension of the null space
//   weak                the number of weak directions
//
// The two alternate. With --text, the text of the diagnosis follows.

#include <algorithm>
#include <chrono>
#include <iostream>
#include <string>
#include <vector>

#include "ceres/ceres.h"
#include "ceres/diagnosis.h"
#include "ceres/io/bal.h"
#include "ceres/io/g2o.h"
#include "gflags/gflags.h"
#include "slam/common/pose_graph_problem.h"
#include "snavely_reprojection_error.h"

DEFINE_string(input, "", "A BAL file, or a g2o file (its name ends in .g2o).");
DEFINE_bool(fix_first_pose, false,
            "Pose graphs: the first pose is constant, as the examples do it.");
DEFINE_int32(num_threads, 1, "");
DEFINE_int32(repetitions, 3, "How often both are timed.");
DEFINE_int32(num_iterations, 5, "Of each solve whose iterations are timed.");
DEFINE_bool(redundancy, false, "Compute redundancy numbers, too.");
DEFINE_bool(text, false, "Print the diagnosis.");

namespace ceres::examples {
namespace {

double SecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void BuildBundle(io::BalProblem* bal, Problem* problem) {
  for (int i = 0; i < bal->num_observations(); ++i) {
    problem->AddResidualBlock(
        SnavelyReprojectionError::Create(bal->observations[2 * i],
                                         bal->observations[2 * i + 1]),
        nullptr, bal->camera(bal->camera_index[i]),
        bal->point(bal->point_index[i]));
  }
}

// The median time of the iterations of a solve, whose values are then undone.
double StepSeconds(LinearSolverType linear_solver, Problem* problem) {
  Solver::Options options;
  options.linear_solver_type = linear_solver;
  options.max_num_iterations = FLAGS_num_iterations;
  options.num_threads = FLAGS_num_threads;
  options.logging_type = SILENT;
  Solver::Summary summary;
  std::vector<double*> blocks;
  problem->GetParameterBlocks(&blocks);
  std::vector<double> values;
  for (const double* block : blocks) {
    values.insert(values.end(), block,
                  block + problem->ParameterBlockSize(block));
  }
  Solve(options, problem, &summary);
  const double* from = values.data();
  for (double* block : blocks) {
    const int size = problem->ParameterBlockSize(block);
    std::copy_n(from, size, block);
    from += size;
  }
  std::vector<double> seconds;
  for (const IterationSummary& iteration : summary.iterations) {
    if (iteration.iteration > 0) {
      seconds.push_back(iteration.iteration_time_in_seconds);
    }
  }
  return Median(seconds);
}

}  // namespace
}  // namespace ceres::examples

int main(int argc, char** argv) {
  using namespace ceres;
  using namespace ceres::examples;
  gflags::ParseCommandLineFlags(&argc, &argv, true);
  io::BalProblem bal;
  io::PoseGraph graph;
  Problem problem;
  LinearSolverType linear_solver = SPARSE_SCHUR;
  std::string error;
  const std::string& input = FLAGS_input;
  if (input.size() > 4 && input.substr(input.size() - 4) == ".g2o") {
    if (!io::ReadG2o(input, io::G2oOptions(), &graph, &error)) {
      std::cerr << error << "\n";
      return 1;
    }
    linear_solver = SPARSE_NORMAL_CHOLESKY;
    BuildProblem(&graph, &problem);
    if (!FLAGS_fix_first_pose) {
      std::vector<double*> blocks;
      problem.GetParameterBlocks(&blocks);
      for (double* block : blocks) problem.SetParameterBlockVariable(block);
    }
  } else {
    if (!io::ReadBal(input, &bal, &error)) {
      std::cerr << error << "\n";
      return 1;
    }
    BuildBundle(&bal, &problem);
  }
  DiagnosisOptions options;
  options.num_threads = FLAGS_num_threads;
  options.compute_redundancy = FLAGS_redundancy;
  std::vector<double> steps;
  std::vector<double> diagnoses;
  Diagnosis diagnosis;
  for (int k = 0; k < FLAGS_repetitions; ++k) {
    const auto start = std::chrono::steady_clock::now();
    diagnosis = Diagnose(options, &problem);
    diagnoses.push_back(SecondsSince(start));
    steps.push_back(StepSeconds(linear_solver, &problem));
  }
  std::cout << "step_seconds " << Median(steps) << "\ndiagnose_seconds "
            << Median(diagnoses) << "\nratio "
            << Median(diagnoses) / Median(steps) << "\nundetermined "
            << diagnosis.undetermined.size() << "\nweak "
            << diagnosis.weak.size() << "\n";
  if (FLAGS_text) std::cout << diagnosis.ToString();
  return 0;
}
