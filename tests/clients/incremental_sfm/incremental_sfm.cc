// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Reconstructs a generated scene view by view. Two cameras with a lens each
// take turns on a circle around a cloud of points.

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cmath>
#include <vector>

#include "incremental_mapper.h"
#include "seeded_noise.h"

namespace {

constexpr int kNumViews = 16;
constexpr int kNumPoints = 300;
constexpr double kRadius = 8.0;

struct Scene {
  std::vector<sfm::Lens> lenses = {{800.0, -0.10, 0.02}, {650.0, 0.05, -0.01}};
  std::vector<sfm::Pose> poses;
  std::vector<Eigen::Vector3d> points;
  std::vector<sfm::Observation> observations;
  int num_outliers = 0;
};

// A camera on the circle, which looks at the center.
sfm::Pose PoseAt(double angle, double height) {
  const Eigen::Vector3d center(kRadius * std::cos(angle),
                               kRadius * std::sin(angle), height);
  const Eigen::Vector3d z = -center.normalized();
  const Eigen::Vector3d x = z.cross(Eigen::Vector3d::UnitZ()).normalized();
  Eigen::Matrix3d to_camera;
  to_camera.row(0) = x;
  to_camera.row(1) = z.cross(x);
  to_camera.row(2) = z;
  const Eigen::Quaterniond q(to_camera);
  const Eigen::Vector3d t = -(to_camera * center);
  return {q.w(), q.x(), q.y(), q.z(), t.x(), t.y(), t.z()};
}

Eigen::Vector3d InCamera(const sfm::Pose& pose, const Eigen::Vector3d& point) {
  return Eigen::Quaterniond(pose[0], pose[1], pose[2], pose[3]) * point +
         Eigen::Vector3d(pose[4], pose[5], pose[6]);
}

Scene MakeScene() {
  clients::SeededNoise noise(20240607);
  Scene scene;
  for (int i = 0; i < kNumViews; ++i) {
    scene.poses.push_back(PoseAt(0.35 * i, noise.Uniform(-1.0, 1.0)));
  }
  for (int i = 0; i < kNumPoints; ++i) {
    const double x = noise.Uniform(-2.0, 2.0);
    const double y = noise.Uniform(-2.0, 2.0);
    const double z = noise.Uniform(-2.0, 2.0);
    scene.points.emplace_back(x, y, z);
  }
  for (int view = 0; view < kNumViews; ++view) {
    const sfm::Lens& lens = scene.lenses[view % scene.lenses.size()];
    for (int point = 0; point < kNumPoints; ++point) {
      if (noise.Uniform(0.0, 1.0) > 0.5) continue;
      const Eigen::Vector3d p =
          InCamera(scene.poses[view], scene.points[point]);
      const Eigen::Vector2d xy = p.head<2>() / p.z();
      const double r2 = xy.squaredNorm();
      const double scale = lens[0] * (1.0 + r2 * (lens[1] + r2 * lens[2]));
      double u = scale * xy.x() + 0.5 * noise.Normal();
      const double v = scale * xy.y() + 0.5 * noise.Normal();
      if (noise.Uniform(0.0, 1.0) < 0.02) {
        u += noise.Uniform(20.0, 60.0);
        ++scene.num_outliers;
      }
      scene.observations.push_back({view, point, u, v});
    }
  }
  return scene;
}

// What a resection of the view would give.
sfm::Pose Guess(const sfm::Pose& truth, clients::SeededNoise* noise) {
  const double a = noise->Normal();
  const double b = noise->Normal();
  const Eigen::Vector3d axis(a, b, 1.0);
  const Eigen::Quaterniond turn(
      Eigen::AngleAxisd(0.01 * noise->Normal(), axis.normalized()));
  const Eigen::Quaterniond q =
      turn * Eigen::Quaterniond(truth[0], truth[1], truth[2], truth[3]);
  return {q.w(),
          q.x(),
          q.y(),
          q.z(),
          truth[4] + 0.03 * noise->Normal(),
          truth[5] + 0.03 * noise->Normal(),
          truth[6] + 0.03 * noise->Normal()};
}

void PrintErrors(const Scene& scene, const sfm::IncrementalMapper& mapper) {
  double turn = 0.0;
  double shift = 0.0;
  for (const auto& [view, pose] : mapper.poses()) {
    const sfm::Pose& truth = scene.poses[view];
    const Eigen::Quaterniond q(pose[0], pose[1], pose[2], pose[3]);
    const Eigen::Quaterniond p(truth[0], truth[1], truth[2], truth[3]);
    turn += std::pow(q.angularDistance(p), 2);
    shift += (InCamera(pose, Eigen::Vector3d::Zero()) -
              InCamera(truth, Eigen::Vector3d::Zero()))
                 .squaredNorm();
  }
  double distance = 0.0;
  for (const auto& [id, point] : mapper.points()) {
    distance +=
        (Eigen::Map<const Eigen::Vector3d>(point.data()) - scene.points[id])
            .squaredNorm();
  }
  clients::PrintFigure("rotation_rms_radians", std::sqrt(turn / kNumViews));
  clients::PrintFigure("translation_rms", std::sqrt(shift / kNumViews));
  clients::PrintFigure("point_rms",
                       std::sqrt(distance / mapper.points().size()));
}

}  // namespace

int main() {
  const Scene scene = MakeScene();
  sfm::IncrementalMapper mapper(scene.observations,
                                {{780.0, 0.0, 0.0}, {670.0, 0.0, 0.0}});
  mapper.SetInitialPair(scene.poses[0], scene.poses[1]);
  clients::SeededNoise noise(5);
  int outliers = 0;
  int usable = 0;
  for (int view = 2; view < kNumViews; ++view) {
    usable += mapper.AddView(view, Guess(scene.poses[view], &noise)).usable;
    if (view % 4 == 3) {
      usable += mapper.AdjustGlobally().usable;
      outliers += mapper.RemoveOutliers(10.0);
    }
  }
  const sfm::AdjustmentResult last = mapper.AdjustGlobally();

  clients::PrintFigure("usable_solutions", usable);
  clients::PrintFigure("views", static_cast<double>(mapper.poses().size()));
  clients::PrintFigure("points", static_cast<double>(mapper.points().size()));
  clients::PrintFigure("outliers_removed", outliers);
  clients::PrintFigure("outliers_made", scene.num_outliers);
  clients::PrintFigure("observations", mapper.NumObservations());
  clients::PrintFigure("final_cost", last.final_cost);
  clients::PrintFigure("callback_calls_beside_iterations",
                       last.callback_calls - last.iterations);
  clients::PrintFigure("stopped_by_callback", last.stopped_by_callback);
  clients::PrintFigure("focal_0", mapper.lenses()[0][0]);
  clients::PrintFigure("focal_1", mapper.lenses()[1][0]);
  clients::PrintFigure("distortion_0", mapper.lenses()[0][1]);
  clients::PrintFigure("distortion_1", mapper.lenses()[1][1]);
  PrintErrors(scene, mapper);
  return last.usable ? 0 : 1;
}
