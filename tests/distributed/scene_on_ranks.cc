// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "scene_on_ranks.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "bal_file.h"
#include "ceres/distributed/hashing.h"
#include "ceres/problem/cost_function_batch.h"
#include "generate_scene.h"
#include "glog/logging.h"
#include "shared_data.h"
#include "snavely_reprojection_error.h"

namespace ceres::examples {
namespace {

int RankOf(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

int SizeOf(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}

std::vector<distributed::Observation> ObservationsOf(const BalProblem& scene) {
  std::vector<distributed::Observation> observations;
  for (int i = 0; i < scene.num_observations(); ++i) {
    observations.push_back({scene.camera_index[i], scene.point_index[i]});
  }
  return observations;
}

Problem::Options ProblemOptions() {
  Problem::Options options;
  options.loss_function_ownership = DO_NOT_TAKE_OWNERSHIP;
  return options;
}

std::unique_ptr<CostFunction> NewCost(const BalProblem& scene, int i) {
  return std::unique_ptr<CostFunction>(SnavelyReprojectionError::Create(
      scene.observations[2 * i], scene.observations[2 * i + 1]));
}

void AddObservation(BalProblem* scene, int i, LossFunction* loss,
                    Problem* problem) {
  problem->AddResidualBlock(NewCost(*scene, i).release(), loss,
                            scene->camera(scene->camera_index[i]),
                            scene->point(scene->point_index[i]));
}

void AddBatch(const std::vector<int>& observations, LossFunction* loss,
              BalProblem* scene, Problem* problem) {
  internal::CostFunctionBatch::Functions functions;
  std::vector<int> cameras, points;
  for (const int i : observations) {
    functions.push_back(NewCost(*scene, i));
    cameras.push_back(scene->camera_index[i]);
    points.push_back(scene->point_index[i]);
  }
  problem->AddResidualBatch(
      std::make_unique<internal::CostFunctionBatch>(
          2, std::vector<std::int32_t>{kAngleAxisCameraSize, kPointSize},
          std::move(functions)),
      loss,
      {{ParameterArray(scene->cameras.data(), scene->num_cameras(),
                       kAngleAxisCameraSize),
        cameras},
       {ParameterArray(scene->points.data(), scene->num_points(), kPointSize),
        points}});
}

}  // namespace

int RankOfWorld() { return RankOf(MPI_COMM_WORLD); }
int SizeOfWorld() { return SizeOf(MPI_COMM_WORLD); }

SceneOnRanks::SceneOnRanks(const BalProblem& scene, MPI_Comm comm,
                           const SceneSetup& setup)
    : scene_(scene), comm_(comm), problem_(ProblemOptions()) {
  if (setup.new_loss) loss_.reset(setup.new_loss());
  const int rank = RankOf(comm);
  const distributed::Partition partition = distributed::PartitionByPoints(
      ObservationsOf(scene_), SizeOf(comm), setup.num_leaves);
  std::vector<std::vector<int>> observations_of(scene_.num_points());
  for (int i = 0; i < scene_.num_observations(); ++i) {
    observations_of[scene_.point_index[i]].push_back(i);
  }
  std::vector<char> sees(scene_.num_cameras(), 0);
  for (int leaf = partition.first_leaf[rank];
       leaf < partition.first_leaf[rank + 1]; ++leaf) {
    shared_.BeginLeaf(leaf, problem_);
    std::vector<int> of_batch;
    for (int k = partition.first_point[leaf];
         k < partition.first_point[leaf + 1]; ++k) {
      const int p = partition.points[k];
      my_points_.push_back(p);
      for (const int i : observations_of[p]) {
        if (setup.with_batches) {
          of_batch.push_back(i);
          // In the order in which residual blocks would add them.
          problem_.AddParameterBlock(scene_.camera(scene_.camera_index[i]),
                                     kAngleAxisCameraSize);
          problem_.AddParameterBlock(scene_.point(p), kPointSize);
        } else {
          AddObservation(&scene_, i, loss_.get(), &problem_);
        }
        sees[scene_.camera_index[i]] = 1;
      }
      if (setup.on_point) setup.on_point(&problem_, scene_.point(p), p);
    }
    if (setup.with_batches) {
      AddBatch(of_batch, loss_.get(), &scene_, &problem_);
    }
  }
  for (int c = 0; c < scene_.num_cameras(); ++c) {
    if (sees[c] == 0) continue;
    shared_.Add(c, scene_.camera(c));
    if (setup.on_camera) setup.on_camera(&problem_, scene_.camera(c), c);
  }
}

distributed::Summary SceneOnRanks::Solve(const distributed::Options& options) {
  distributed::Summary summary;
  distributed::Solve(options, comm_, shared_, &problem_, &summary);
  return summary;
}

// Values of different blocks are added up as integers, so that the order of
// ranks does not matter. A camera counts on the first rank that has it.
std::uint64_t SceneOnRanks::HashOfResult() {
  const int rank = RankOf(comm_);
  std::vector<int> first_rank(scene_.num_cameras(), SizeOf(comm_));
  for (const auto& [id, values] : shared_.blocks()) first_rank[id] = rank;
  MPI_Allreduce(MPI_IN_PLACE, first_rank.data(), scene_.num_cameras(), MPI_INT,
                MPI_MIN, comm_);
  std::uint64_t hash = 0;
  const auto add = [&](int kind, int index, const double* values, int size) {
    hash += internal::Hash()
                .AddValue(kind)
                .AddValue(index)
                .Add(values, size * sizeof(double))
                .value();
  };
  for (const int p : my_points_) add(0, p, scene_.point(p), kPointSize);
  for (int c = 0; c < scene_.num_cameras(); ++c) {
    if (first_rank[c] == rank) add(1, c, scene_.camera(c), scene_.camera_size);
  }
  MPI_Allreduce(MPI_IN_PLACE, &hash, 1, MPI_UINT64_T, MPI_SUM, comm_);
  // Each copy of a camera must be that of the first rank.
  for (int c = 0; c < scene_.num_cameras(); ++c) {
    if (first_rank[c] == SizeOf(comm_)) continue;
    std::vector<double> values(scene_.camera(c),
                               scene_.camera(c) + scene_.camera_size);
    MPI_Bcast(values.data(), scene_.camera_size, MPI_DOUBLE, first_rank[c],
              comm_);
    const bool is_mine = problem_.HasParameterBlock(scene_.camera(c));
    CHECK(!is_mine ||
          std::equal(values.begin(), values.end(), scene_.camera(c)))
        << "Camera " << c << " differs between ranks.";
  }
  return hash;
}

Solver::Summary SolveInOneProcess(const Solver::Options& options,
                                  const SceneSetup& setup, BalProblem* scene) {
  Problem problem(ProblemOptions());
  std::unique_ptr<LossFunction> loss;
  if (setup.new_loss) loss.reset(setup.new_loss());
  for (int i = 0; i < scene->num_observations(); ++i) {
    AddObservation(scene, i, loss.get(), &problem);
  }
  for (int c = 0; setup.on_camera && c < scene->num_cameras(); ++c) {
    if (!problem.HasParameterBlock(scene->camera(c))) continue;
    setup.on_camera(&problem, scene->camera(c), c);
  }
  for (int p = 0; setup.on_point && p < scene->num_points(); ++p) {
    if (!problem.HasParameterBlock(scene->point(p))) continue;
    setup.on_point(&problem, scene->point(p), p);
  }
  Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  return summary;
}

BalProblem SmallScene(int num_cameras, int num_points) {
  SceneOptions options;
  options.num_cameras = num_cameras;
  options.num_points = num_points;
  BalProblem scene;
  std::string error;
  CHECK(GenerateScene(options, &scene, &error)) << error;
  return scene;
}

bool ReadSharedScene(const std::string& name, BalProblem* scene) {
  const std::optional<std::string> text =
      internal::ReadSharedData("bal/" + name);
  if (!text) return false;
  std::string error;
  CHECK(ParseBal(*text, name, scene, &error)) << error;
  return true;
}

}  // namespace ceres::examples
