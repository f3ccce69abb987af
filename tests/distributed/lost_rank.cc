// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// A solve in which rank 1 receives the signal that the argument names, KILL or
// STOP, in an evaluation. The other ranks must not wait for ever.

#include <mpi.h>

#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "ceres/ceres.h"
#include "ceres/distributed.h"

namespace {

class Raises final : public ceres::SizedCostFunction<1, 1> {
 public:
  explicit Raises(int signal) : signal_(signal) {}
  bool Evaluate(double const* const* x, double* residuals,
                double** jacobians) const override {
    if (signal_ != 0 && ++num_evaluations_ == 2) std::raise(signal_);
    residuals[0] = std::exp(x[0][0]) - 2.0;
    if (jacobians != nullptr && jacobians[0] != nullptr) {
      jacobians[0][0] = std::exp(x[0][0]);
    }
    return true;
  }

 private:
  const int signal_;
  mutable int num_evaluations_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int signal =
      argc > 1 && std::strcmp(argv[1], "KILL") == 0 ? SIGKILL : SIGSTOP;
  double x = 3.0;
  ceres::Problem problem;
  problem.AddResidualBlock(new Raises(rank == 1 ? signal : 0), nullptr, &x);
  ceres::distributed::SharedBlocks shared;
  shared.Add(0, &x);
  ceres::distributed::Options options;
  options.communication_timeout_in_seconds = 3.0;
  ceres::distributed::Summary summary;
  ceres::distributed::Solve(options, MPI_COMM_WORLD, shared, &problem,
                            &summary);
  std::printf("Solve returned on rank %d: %s\n", rank, summary.message.c_str());
  MPI_Finalize();
  return 0;
}
