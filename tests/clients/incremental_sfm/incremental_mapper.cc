// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "incremental_mapper.h"

#include <ceres/ceres.h>
#include <ceres/rotation.h>

#include <Eigen/Core>
#include <Eigen/LU>
#include <cmath>

#include "rigid_motion_manifold.h"

namespace sfm {
namespace {

struct ReprojectionError {
  ReprojectionError(double u, double v) : u(u), v(v) {}

  template <typename T>
  bool operator()(const T* const pose, const T* const lens,
                  const T* const point, T* residuals) const {
    T p[3];
    ceres::UnitQuaternionRotatePoint(pose, point, p);
    for (int i = 0; i < 3; ++i) p[i] += pose[4 + i];
    if (p[2] < 1e-6) return false;
    const T x = p[0] / p[2];
    const T y = p[1] / p[2];
    const T r2 = x * x + y * y;
    const T scale = lens[0] * (1.0 + r2 * (lens[1] + r2 * lens[2]));
    residuals[0] = scale * x - u;
    residuals[1] = scale * y - v;
    return true;
  }

  static ceres::CostFunction* Create(double u, double v) {
    return new ceres::AutoDiffCostFunction<ReprojectionError, 2, 7, 3, 3>(
        new ReprojectionError(u, v));
  }

  double u, v;
};

// Ends an adjustment when a step changes the cost by less than a part of it.
class StopWhenStalled : public ceres::IterationCallback {
 public:
  explicit StopWhenStalled(double part) : part_(part) {}

  ceres::CallbackReturnType operator()(
      const ceres::IterationSummary& summary) override {
    ++calls;
    if (summary.iteration > 0 &&
        std::abs(summary.cost_change) < part_ * summary.cost) {
      return ceres::SOLVER_TERMINATE_SUCCESSFULLY;
    }
    return ceres::SOLVER_CONTINUE;
  }

  int calls = 0;

 private:
  double part_;
};

// The problems of this file borrow everything from the mapper.
ceres::Problem::Options Borrowing() {
  ceres::Problem::Options options;
  options.cost_function_ownership = ceres::DO_NOT_TAKE_OWNERSHIP;
  options.loss_function_ownership = ceres::DO_NOT_TAKE_OWNERSHIP;
  options.manifold_ownership = ceres::DO_NOT_TAKE_OWNERSHIP;
  return options;
}

AdjustmentResult Adjust(ceres::LinearSolverType solver, int max_iterations,
                        ceres::ParameterBlockOrdering* ordering,
                        ceres::Problem* problem) {
  StopWhenStalled stop(1e-10);
  ceres::Solver::Options options;
  options.linear_solver_type = solver;
  options.linear_solver_ordering.reset(ordering);
  options.max_num_iterations = max_iterations;
  options.function_tolerance = 0.0;
  options.gradient_tolerance = 0.0;
  options.parameter_tolerance = 0.0;
  options.num_threads = 2;
  options.logging_type = ceres::SILENT;
  options.callbacks.push_back(&stop);
  ceres::Solver::Summary summary;
  ceres::Solve(options, problem, &summary);

  AdjustmentResult result;
  result.usable = summary.IsSolutionUsable();
  result.final_cost = summary.final_cost;
  result.iterations =
      summary.num_successful_steps + summary.num_unsuccessful_steps;
  result.callback_calls = stop.calls;
  result.stopped_by_callback = summary.termination_type == ceres::USER_SUCCESS;
  return result;
}

}  // namespace

IncrementalMapper::IncrementalMapper(
    const std::vector<Observation>& observations,
    const std::vector<Lens>& lenses)
    : lenses_(lenses),
      loss_(new ceres::HuberLoss(2.0)),
      pose_manifold_(new RigidMotionManifold) {
  for (const Observation& observation : observations) {
    Measurement measurement;
    measurement.observation = observation;
    measurement.error.reset(
        ReprojectionError::Create(observation.u, observation.v));
    measurements_.push_back(std::move(measurement));
  }
}

IncrementalMapper::~IncrementalMapper() = default;

void IncrementalMapper::SetInitialPair(const Pose& first, const Pose& second) {
  poses_ = {{0, first}, {1, second}};
  fixed_views_ = {0, 1};
  Triangulate();
}

bool IncrementalMapper::InModel(const Measurement& measurement) const {
  return !measurement.removed &&
         poses_.count(measurement.observation.view) != 0 &&
         points_.count(measurement.observation.point) != 0;
}

void IncrementalMapper::AddTo(ceres::Problem* problem,
                              const Measurement& measurement) {
  const int view = measurement.observation.view;
  double* pose = poses_.at(view).data();
  if (!problem->HasParameterBlock(pose)) {
    problem->AddParameterBlock(pose, 7, pose_manifold_.get());
    if (fixed_views_.count(view) != 0) problem->SetParameterBlockConstant(pose);
  }
  problem->AddResidualBlock(measurement.error.get(), loss_.get(), pose,
                            LensOf(view).data(),
                            points_.at(measurement.observation.point).data());
}

AdjustmentResult IncrementalMapper::AddView(int view, const Pose& guess) {
  poses_[view] = guess;
  Triangulate();
  std::set<int> points;
  for (const Measurement& measurement : measurements_) {
    if (measurement.observation.view == view && InModel(measurement)) {
      points.insert(measurement.observation.point);
    }
  }
  ceres::Problem problem(Borrowing());
  auto* ordering = new ceres::ParameterBlockOrdering;
  for (const Measurement& measurement : measurements_) {
    if (!InModel(measurement) ||
        points.count(measurement.observation.point) == 0) {
      continue;
    }
    AddTo(&problem, measurement);
    ordering->AddElementToGroup(
        points_.at(measurement.observation.point).data(), 0);
  }
  for (auto& [id, pose] : poses_) {
    if (!problem.HasParameterBlock(pose.data())) continue;
    ordering->AddElementToGroup(pose.data(), 1);
    if (id + 3 < view) problem.SetParameterBlockConstant(pose.data());
  }
  for (Lens& lens : lenses_) {
    if (!problem.HasParameterBlock(lens.data())) continue;
    ordering->AddElementToGroup(lens.data(), 1);
    problem.SetParameterBlockConstant(lens.data());
  }
  return Adjust(ceres::DENSE_SCHUR, 15, ordering, &problem);
}

AdjustmentResult IncrementalMapper::AdjustGlobally() {
  ceres::Problem problem(Borrowing());
  auto* ordering = new ceres::ParameterBlockOrdering;
  for (const Measurement& measurement : measurements_) {
    if (!InModel(measurement)) continue;
    AddTo(&problem, measurement);
    double* point = points_.at(measurement.observation.point).data();
    ordering->AddElementToGroup(point, 0);
    ordering->AddElementToGroup(poses_.at(measurement.observation.view).data(),
                                1);
    ordering->AddElementToGroup(LensOf(measurement.observation.view).data(), 1);
  }
  return Adjust(ceres::SPARSE_SCHUR, 50, ordering, &problem);
}

int IncrementalMapper::RemoveOutliers(double max_pixels) {
  int removed = 0;
  for (Measurement& measurement : measurements_) {
    if (!InModel(measurement)) continue;
    const int view = measurement.observation.view;
    const double* blocks[] = {poses_.at(view).data(), LensOf(view).data(),
                              points_.at(measurement.observation.point).data()};
    double error[2];
    if (!measurement.error->Evaluate(blocks, error, nullptr) ||
        std::hypot(error[0], error[1]) > max_pixels) {
      measurement.removed = true;
      ++removed;
    }
  }
  return removed;
}

int IncrementalMapper::NumObservations() const {
  int count = 0;
  for (const Measurement& measurement : measurements_) {
    if (InModel(measurement)) ++count;
  }
  return count;
}

// Adds the points that two or more views of the model see.
void IncrementalMapper::Triangulate() {
  std::map<int, std::vector<const Measurement*>> seen;
  for (const Measurement& measurement : measurements_) {
    const Observation& observation = measurement.observation;
    if (!measurement.removed && poses_.count(observation.view) != 0 &&
        points_.count(observation.point) == 0) {
      seen[observation.point].push_back(&measurement);
    }
  }
  for (const auto& [id, measurements] : seen) {
    Point point;
    if (measurements.size() >= 2 && InitialPoint(measurements, &point)) {
      points_[id] = point;
    }
  }
}

// The point with the least sum of squared distances to all rays.
bool IncrementalMapper::InitialPoint(
    const std::vector<const Measurement*>& seen, Point* point) {
  Eigen::Matrix3d A = Eigen::Matrix3d::Zero();
  Eigen::Vector3d b = Eigen::Vector3d::Zero();
  for (const Measurement* measurement : seen) {
    const Observation& observation = measurement->observation;
    const Pose& pose = poses_.at(observation.view);
    const Lens& lens = LensOf(observation.view);
    const double to_world[4] = {pose[0], -pose[1], -pose[2], -pose[3]};
    const double minus_t[3] = {-pose[4], -pose[5], -pose[6]};
    const double ray[3] = {observation.u / lens[0], observation.v / lens[0],
                           1.0};
    Eigen::Vector3d center, direction;
    ceres::UnitQuaternionRotatePoint(to_world, minus_t, center.data());
    ceres::UnitQuaternionRotatePoint(to_world, ray, direction.data());
    direction.normalize();
    const Eigen::Matrix3d across =
        Eigen::Matrix3d::Identity() - direction * direction.transpose();
    A += across;
    b += across * center;
  }
  Eigen::Map<Eigen::Vector3d>(point->data()) = A.inverse() * b;
  for (const Measurement* measurement : seen) {
    const int view = measurement->observation.view;
    const double* blocks[] = {poses_.at(view).data(), LensOf(view).data(),
                              point->data()};
    double error[2];
    if (!measurement->error->Evaluate(blocks, error, nullptr)) return false;
  }
  return true;
}

}  // namespace sfm
