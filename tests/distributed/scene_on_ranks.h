// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef VESTA_TESTS_DISTRIBUTED_SCENE_ON_RANKS_H_
#define VESTA_TESTS_DISTRIBUTED_SCENE_ON_RANKS_H_

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bal_problem.h"
#include "ceres/ceres.h"
#include "ceres/distributed.h"

namespace ceres::examples {

int RankOfWorld();
int SizeOfWorld();

// Functions that change each camera and each point before a solve.
struct SceneSetup {
  std::function<LossFunction*()> new_loss;  // null: none
  std::function<void(Problem*, double* camera, int index)> on_camera;
  std::function<void(Problem*, double* point, int index)> on_point;
  int num_leaves = 8;
  // The observations of a leaf are one residual batch, with the same cost
  // functions.
  bool with_batches = false;
};

// A bundle adjustment problem of which this rank has its part. Cameras are
// shared; their ids are their indices.
class SceneOnRanks {
 public:
  // Copies the scene.
  SceneOnRanks(const BalProblem& scene, MPI_Comm comm, const SceneSetup& setup);

  // Solves over the ranks of the communicator.
  distributed::Summary Solve(const distributed::Options& options);

  // A hash of the bits of all cameras and points after a solve, the same on all
  // ranks if they agree about cameras. Collective.
  std::uint64_t HashOfResult();
  // The scene, with the parameters of this rank.
  BalProblem& scene() { return scene_; }
  Problem& problem() { return problem_; }
  distributed::SharedBlocks& shared() { return shared_; }

 private:
  BalProblem scene_;
  MPI_Comm comm_;
  std::unique_ptr<LossFunction> loss_;
  Problem problem_;
  distributed::SharedBlocks shared_;
  std::vector<int> my_points_;
};

// The whole scene in one problem, and its solve by ceres::Solve.
Solver::Summary SolveInOneProcess(const Solver::Options& options,
                                  const SceneSetup& setup, BalProblem* scene);

// A generated scene.
BalProblem SmallScene(int num_cameras, int num_points);

// Reads a file of ../shared/data/bal. False if it is absent.
bool ReadSharedScene(const std::string& name, BalProblem* scene);

}  // namespace ceres::examples

#endif  // VESTA_TESTS_DISTRIBUTED_SCENE_ON_RANKS_H_
