// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Each rank measures the shared number x: rank r says r. The solution is the
// mean.

#include <mpi.h>

#include <cmath>
#include <cstdio>

#include "ceres/ceres.h"
#include "ceres/distributed.h"

struct Distance {
  double value;
  template <typename T>
  bool operator()(const T* x, T* residual) const {
    residual[0] = x[0] - value;
    return true;
  }
};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double x = 10.0;
  ceres::Problem problem;
  problem.AddResidualBlock(new ceres::AutoDiffCostFunction<Distance, 1, 1>(
                               new Distance{static_cast<double>(rank)}),
                           nullptr, &x);
  ceres::distributed::SharedBlocks shared;
  shared.Add(0, &x);
  ceres::distributed::Options options;
  options.logging_type = ceres::SILENT;
  ceres::distributed::Summary summary;
  ceres::distributed::Solve(options, MPI_COMM_WORLD, shared, &problem,
                            &summary);
  const double mean = 0.5 * (size - 1);
  const bool is_right = std::abs(x - mean) < 1e-6;
  std::printf("rank %d of %d: %g\n", rank, size, x);
  MPI_Finalize();
  return is_right ? 0 : 1;
}
