// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// The back end of an incremental structure-from-motion pipeline. This header
// only declares the solver's classes, as a library does whose users should not
// need the solver's headers.

#ifndef VESTA_TESTS_CLIENTS_INCREMENTAL_SFM_INCREMENTAL_MAPPER_H_
#define VESTA_TESTS_CLIENTS_INCREMENTAL_SFM_INCREMENTAL_MAPPER_H_

#include <array>
#include <map>
#include <memory>
#include <set>
#include <vector>

namespace ceres {
class CostFunction;
class LossFunction;
class Manifold;
class Problem;
}  // namespace ceres

namespace sfm {

// A unit quaternion w, x, y, z and a translation: from the world to the camera.
using Pose = std::array<double, 7>;
// Focal length in pixels and two coefficients of radial distortion.
using Lens = std::array<double, 3>;
using Point = std::array<double, 3>;

struct Observation {
  int view;
  int point;
  double u;
  double v;
};

struct AdjustmentResult {
  bool usable = false;
  double final_cost = -1.0;
  int iterations = 0;
  int callback_calls = 0;
  bool stopped_by_callback = false;
};

class IncrementalMapper {
 public:
  // View i uses lens i % lenses.size().
  IncrementalMapper(const std::vector<Observation>& observations,
                    const std::vector<Lens>& lenses);
  ~IncrementalMapper();

  // The first two views stay where they are. They fix the gauge.
  void SetInitialPair(const Pose& first, const Pose& second);

  // Adds a view near `guess`, triangulates what is seen twice now, and adjusts
  // the view, its neighbours and their points.
  AdjustmentResult AddView(int view, const Pose& guess);

  // Adjusts all views, points and lenses.
  AdjustmentResult AdjustGlobally();

  // Removes the observations whose error is larger than `max_pixels`. Returns
  // their number.
  int RemoveOutliers(double max_pixels);

  int NumObservations() const;
  const std::map<int, Pose>& poses() const { return poses_; }
  const std::map<int, Point>& points() const { return points_; }
  const std::vector<Lens>& lenses() const { return lenses_; }

 private:
  struct Measurement {
    Observation observation;
    std::unique_ptr<ceres::CostFunction> error;
    bool removed = false;
  };

  void Triangulate();
  bool InitialPoint(const std::vector<const Measurement*>& seen, Point* point);
  Lens& LensOf(int view) { return lenses_[view % lenses_.size()]; }
  void AddTo(ceres::Problem* problem, const Measurement& measurement);
  bool InModel(const Measurement& measurement) const;

  std::vector<Measurement> measurements_;
  std::vector<Lens> lenses_;
  std::map<int, Pose> poses_;
  std::map<int, Point> points_;
  std::set<int> fixed_views_;
  std::unique_ptr<ceres::LossFunction> loss_;
  std::unique_ptr<ceres::Manifold> pose_manifold_;
};

}  // namespace sfm

#endif  // VESTA_TESTS_CLIENTS_INCREMENTAL_SFM_INCREMENTAL_MAPPER_H_
