// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// A job with checkpoints of which rank 1 is killed in an iteration, and is
// started again. Usage: killed_job PATH ITERATION, ITERATION 0: it is not
// killed. Prints the number of iterations and the bits of the result.

#include <mpi.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <deque>

#include "ceres/ceres.h"
#include "ceres/distributed.h"

namespace {

// The valley of Rosenbrock's function, with a coordinate of its own.
struct Valley {
  double factor;
  template <typename T>
  bool operator()(const T* shared, const T* own, T* residuals) const {
    residuals[0] = 10.0 * (own[0] - factor * shared[0] * shared[0]);
    residuals[1] = 1.0 - shared[0];
    return true;
  }
};

class KillsAt final : public ceres::IterationCallback {
 public:
  explicit KillsAt(int iteration) : iteration_(iteration) {}
  ceres::CallbackReturnType operator()(
      const ceres::IterationSummary& summary) override {
    if (iteration_ > 0 && summary.iteration == iteration_) std::raise(SIGKILL);
    return ceres::SOLVER_CONTINUE;
  }

 private:
  const int iteration_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double shared_value = -1.2;
  std::deque<double> own;
  ceres::Problem problem;
  for (int i = 0; i < 20; ++i) {
    own.push_back(1.0 + 0.1 * i);
    problem.AddResidualBlock(new ceres::AutoDiffCostFunction<Valley, 2, 1, 1>(
                                 new Valley{1.0 + 0.05 * (i + 20 * rank)}),
                             nullptr, &shared_value, &own.back());
  }
  ceres::distributed::SharedBlocks shared;
  shared.Add(0, &shared_value);
  ceres::distributed::Options options;
  options.logging_type = ceres::SILENT;
  options.initial_trust_region_radius = 1.0;
  options.function_tolerance = 1e-16;
  options.max_num_iterations = 30;
  options.communication_timeout_in_seconds = 20.0;
  options.checkpoint_path = argv[1];
  options.checkpoint_period = 2;
  KillsAt kills(rank == 1 ? std::atoi(argv[2]) : 0);
  options.callbacks.push_back(&kills);
  ceres::distributed::Summary summary;
  ceres::distributed::Solve(options, MPI_COMM_WORLD, shared, &problem,
                            &summary);
  if (rank == 0) {
    std::printf("result: %d iterations, cost %a, shared %a, own %a\n",
                static_cast<int>(summary.iterations.size()), summary.final_cost,
                shared_value, own[7]);
    std::printf("continued from iteration %d\n",
                summary.continued_from_iteration);
  }
  MPI_Finalize();
  return summary.IsSolutionUsable() ? 0 : 1;
}
