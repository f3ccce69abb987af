// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// A generated bundle adjustment problem: the time and the memory to build and
// to solve it, with a batch that computes in SIMD lanes, with a batch that
// computes one row after the other, or with residual blocks.
//
//   batch_scene_driver lanes|batch|blocks
//       [OBSERVATIONS [ITERATIONS [THREADS [STORAGE [INSTRUCTION_SET]]]]]
//
// STORAGE: Solver::Options::jacobian_storage. INSTRUCTION_SET: the best one
// that may be used, AVX2 for example.
// Prints a name and a value per line. Each point is seen by 6 cameras of a
// window that moves along the points. Memory is resident, in bytes per
// observation, without the columns of the scene.

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ceres/autodiff_cost_function.h"
#include "ceres/factors/factor_batches.h"
#include "ceres/problem.h"
#include "ceres/residual_batch.h"
#include "ceres/rotation.h"
#include "ceres/solver.h"
#include "hwy/targets.h"

namespace ceres {
namespace {

constexpr int kViews = 6;
constexpr int kCamera = 9;
constexpr int kPoint = 3;

struct Reprojection {
  template <typename T>
  bool operator()(const T* camera, const T* point, T* residuals) const {
    T p[3];
    AngleAxisRotatePoint(camera, point, p);
    for (int k = 0; k < 3; ++k) p[k] += camera[3 + k];
    const T inverse_depth = -1.0 / p[2];
    const T x = p[0] * inverse_depth;
    const T y = p[1] * inverse_depth;
    const T r2 = x * x + y * y;
    const T scale = camera[6] * (1.0 + r2 * (camera[7] + r2 * camera[8]));
    residuals[0] = scale * x - pixel[0];
    residuals[1] = scale * y - pixel[1];
    return true;
  }
  double pixel[2];
};
using ReprojectionCost = AutoDiffCostFunction<Reprojection, 2, kCamera, kPoint>;

// One row after the other.
class Reprojections final : public ResidualBatch {
 public:
  explicit Reprojections(const std::vector<double>& pixels)
      : ResidualBatch(static_cast<std::int64_t>(pixels.size() / 2), 2,
                      {kCamera, kPoint}),
        pixels_(pixels.data()) {}
  int Evaluate(const BatchRows& rows,
               const BatchOutput& output) const override {
    for (int i = 0; i < rows.count; ++i) {
      Reprojection functor;
      std::memcpy(functor.pixel, pixels_ + 2 * rows.rows[i],
                  sizeof(functor.pixel));
      const ReprojectionCost cost(&functor, DO_NOT_TAKE_OWNERSHIP);
      const std::int64_t offset = i * output.stride;
      double* jacobians[2] = {};
      for (int k = 0; output.jacobians != nullptr && k < 2; ++k) {
        if (output.jacobians[k] != nullptr) {
          jacobians[k] = output.jacobians[k] + offset;
        }
      }
      if (!cost.Evaluate(rows.parameters + 2 * i, output.residuals + offset,
                         output.jacobians == nullptr ? nullptr : jacobians)) {
        return i;
      }
    }
    return rows.count;
  }

 private:
  const double* pixels_;
};

double Random() {
  static std::uint64_t state = 1;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return static_cast<double>(state >> 11) / 9007199254740992.0 - 0.5;
}

struct Scene {
  explicit Scene(int num_observations)
      : num_points(num_observations / kViews),
        num_cameras(20 + num_points / 200) {
    const std::size_t count = std::size_t{kViews} * num_points;
    points.reserve(std::size_t{kPoint} * num_points);
    pixels.reserve(2 * count);
    camera_of.reserve(count);
    point_of.reserve(count);
    for (int c = 0; c < num_cameras; ++c) {
      const double axis[] = {0.01 * Random(), 0.01 * Random(), 0.0};
      const double center[] = {0.1 * c, 0.1 * Random(), 10.0};
      double moved[3];
      AngleAxisRotatePoint(axis, center, moved);
      const std::array<double, kCamera> camera = {
          axis[0],   axis[1], axis[2], -moved[0], -moved[1],
          -moved[2], 500.0,   0.0,     0.0};
      cameras.insert(cameras.end(), camera.begin(), camera.end());
    }
    for (int p = 0; p < num_points; ++p) {
      const int first = static_cast<int>(static_cast<std::int64_t>(p) *
                                         (num_cameras - kViews) / num_points);
      const double point[kPoint] = {0.1 * first + Random(), 2.0 * Random(),
                                    2.0 * Random()};
      points.insert(points.end(), point, point + kPoint);
      for (int k = 0; k < kViews; ++k) {
        camera_of.push_back(first + k);
        point_of.push_back(p);
        double residuals[2];
        Reprojection{{0.0, 0.0}}(&cameras[kCamera * camera_of.back()], point,
                                 residuals);
        for (const double r : residuals) pixels.push_back(r + Random());
      }
    }
    for (double& coordinate : points) coordinate += 0.02 * Random();
  }

  int num_points, num_cameras;
  std::vector<double> cameras, points, pixels;
  std::vector<std::int32_t> camera_of, point_of;
};

void AddBatch(std::unique_ptr<ResidualBatch> batch, Scene* scene,
              Problem* problem) {
  const ParameterArray cameras = problem->AddParameterArray(
      scene->cameras.data(), scene->num_cameras, kCamera);
  const ParameterArray points = problem->AddParameterArray(
      scene->points.data(), scene->num_points, kPoint);
  problem->AddResidualBatch(
      std::move(batch), nullptr,
      {{cameras, scene->camera_of}, {points, scene->point_of}});
}

void AddBlocks(Scene* scene, Problem* problem) {
  for (std::size_t i = 0; i < scene->camera_of.size(); ++i) {
    problem->AddResidualBlock(
        new ReprojectionCost(
            new Reprojection{{scene->pixels[2 * i], scene->pixels[2 * i + 1]}}),
        nullptr, &scene->cameras[std::size_t{kCamera} * scene->camera_of[i]],
        &scene->points[std::size_t{kPoint} * scene->point_of[i]]);
  }
}

// VmRSS or VmHWM, in bytes.
double Memory(const std::string& name) {
  std::ifstream file("/proc/self/status");
  std::string word;
  while (file >> word) {
    if (word != name) continue;
    double kilobytes = 0.0;
    file >> kilobytes;
    return 1024.0 * kilobytes;
  }
  return 0.0;
}

double Now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

int Run(const std::string& way, int num_observations, int num_iterations,
        int num_threads, JacobianStorage storage) {
  Scene scene(num_observations);
  const double before = Memory("VmRSS:");
  double start = Now();
  auto problem = std::make_unique<Problem>();
  if (way == "lanes") {
    const auto count = static_cast<std::int64_t>(scene.pixels.size() / 2);
    AddBatch(std::make_unique<factors::SnavelyBatch>(
                 BatchColumns(scene.pixels.data(), count, 2)),
             &scene, problem.get());
  } else if (way == "batch") {
    AddBatch(std::make_unique<Reprojections>(scene.pixels), &scene,
             problem.get());
  } else {
    AddBlocks(&scene, problem.get());
  }
  const auto count = static_cast<double>(scene.camera_of.size());
  std::printf("observations %.0f\n", count);
  std::printf("build_ns %.1f\n", 1e9 * (Now() - start) / count);
  std::printf("build_bytes %.1f\n", (Memory("VmRSS:") - before) / count);
  Solver::Options options;
  options.linear_solver_type = ITERATIVE_SCHUR;
  options.preconditioner_type = SCHUR_JACOBI;
  options.max_linear_solver_iterations = 10;
  options.max_num_iterations = num_iterations;
  options.num_threads = num_threads;
  options.jacobian_storage = storage;
  options.logging_type = SILENT;
  Solver::Summary summary;
  Solve(options, problem.get(), &summary);
  std::printf("peak_bytes %.1f\n", (Memory("VmHWM:") - before) / count);
  std::printf("preprocess_ns %.1f\n",
              1e9 * summary.preprocessor_time_in_seconds / count);
  std::printf("jacobian_ns %.1f\n",
              1e9 * summary.jacobian_evaluation_time_in_seconds /
                  summary.num_jacobian_evaluations / count);
  std::printf("linear_ns %.1f\n", 1e9 * summary.linear_solver_time_in_seconds /
                                      summary.num_linear_solves / count);
  std::printf("cost_ns %.1f\n",
              1e9 * summary.residual_evaluation_time_in_seconds /
                  summary.num_residual_evaluations / count);
  std::printf("iteration_ns %.1f\n",
              1e9 * summary.minimizer_time_in_seconds /
                  std::max<std::size_t>(1, summary.iterations.size() - 1) /
                  count);
  std::printf("storage %s\n",
              JacobianStorageToString(summary.jacobian_storage_used));
  std::printf("solve_s %.2f\n", summary.total_time_in_seconds);
  std::printf("final_cost %.17g\n", summary.final_cost);
  start = Now();
  problem.reset();
  std::printf("destroy_ns %.1f\n", 1e9 * (Now() - start) / count);
  return summary.IsSolutionUsable() ? 0 : 1;
}

}  // namespace
}  // namespace ceres

// The instruction set of this name and those below it. Exits if there is none.
void AllowUpTo(const std::string& name) {
  std::int64_t allowed = 0;
  for (std::int64_t rest = hwy::SupportedTargets(); rest != 0;
       rest &= rest - 1) {
    const std::int64_t target = rest & -rest;
    // Better ones have lower bits.
    if (allowed != 0 || hwy::TargetName(target) == name) allowed |= target;
  }
  if (allowed == 0) {
    std::fprintf(stderr, "This machine has no %s.\n", name.c_str());
    std::exit(2);
  }
  hwy::SetSupportedTargetsForTest(allowed);
}

int main(int argc, char** argv) {
  const std::string way = argc > 1 ? argv[1] : "";
  ceres::JacobianStorage storage = ceres::JacobianStorage::DOUBLE;
  if ((way != "lanes" && way != "batch" && way != "blocks") ||
      (argc > 5 && !ceres::StringToJacobianStorage(argv[5], &storage))) {
    std::fprintf(stderr,
                 "batch_scene_driver lanes|batch|blocks [OBSERVATIONS "
                 "[ITERATIONS [THREADS [STORAGE [INSTRUCTION_SET]]]]]\n");
    return 2;
  }
  const auto number = [&](int i, int value) {
    return argc > i ? std::atoi(argv[i]) : value;
  };
  if (argc > 6) AllowUpTo(argv[6]);
  return ceres::Run(way, number(2, 2000000), number(3, 3), number(4, 1),
                    storage);
}
