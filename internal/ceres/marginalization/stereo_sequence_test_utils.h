// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MARGINALIZATION_STEREO_SEQUENCE_TEST_UTILS_H_
#define CERES_INTERNAL_MARGINALIZATION_STEREO_SEQUENCE_TEST_UTILS_H_

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <random>
#include <unordered_set>
#include <vector>

#include "ceres/autodiff_cost_function.h"
#include "ceres/problem.h"
#include "ceres/rotation.h"
#include "ceres/sliding_window.h"

namespace ceres::internal {

// A landmark in the images of a pair of cameras, in focal lengths: left and
// right column, and row. A pose is the angle axis and the position of the left
// camera.
struct StereoSight {
  template <typename T>
  bool operator()(const T* pose, const T* landmark, T* r) const {
    const T back[3] = {-pose[0], -pose[1], -pose[2]};
    const T offset[3] = {landmark[0] - pose[3], landmark[1] - pose[4],
                         landmark[2] - pose[5]};
    T p[3];
    AngleAxisRotatePoint(back, offset, p);
    r[0] = (p[0] / p[2] - seen[0]) / sigma;
    r[1] = ((p[0] - baseline) / p[2] - seen[1]) / sigma;
    r[2] = (p[1] / p[2] - seen[2]) / sigma;
    return true;
  }

  static constexpr double baseline = 0.5;
  static constexpr double sigma = 1e-3;
  std::array<double, 3> seen;
};

// What happens to the oldest frame of a window, and its landmarks.
enum class LeavingLandmarks {
  // A landmark leaves with the last frame that saw it. The prior is on the
  // landmarks that are still seen.
  kWithLastFrame,
  // The same for each fifth landmark. The residual blocks of other landmarks
  // with the oldest frame are removed before. The prior is on fewer landmarks.
  kEachFifth,
  // The frame and its residual blocks are removed. The next frame is held.
  kDropped,
};

// A vehicle with stereo cameras drives along a curve. Each frame sees
// num_seen landmarks, of which num_lost, and those that come near, are not seen
// again; as many new ones take their place. The window has the last five frames
// and the landmarks that they saw. Values are the truth with noise.
class StereoSequence {
 public:
  StereoSequence(const MarginalizationOptions& options, int num_seen,
                 int num_lost,
                 LeavingLandmarks leaving = LeavingLandmarks::kWithLastFrame,
                 int seed = 41)
      : window(OptionsWith(options)),
        num_seen_(num_seen),
        num_lost_(num_lost),
        leaving_(leaving),
        random_(seed) {}

  // Adds the residual blocks of the next frame.
  void AddFrame() {
    const int k = num_frames++;
    double* const pose = poses.emplace_back().data();
    const std::array<double, 6> truth = Truth(k);
    for (int i = 0; i < 6; ++i) pose[i] = truth[i] + Noise(1e-3);
    tracks_.resize(k == 0 ? 0 : num_seen_ - num_lost_);
    tracks_.erase(std::remove_if(tracks_.begin(), tracks_.end(),
                                 [&](const Track& track) {
                                   return DepthOf(track.truth, truth) < 8.0;
                                 }),
                  tracks_.end());
    while (static_cast<int>(tracks_.size()) < num_seen_) AddLandmark(truth);
    for (const Track& track : tracks_) {
      StereoSight sight{{0.0, 0.0, 0.0}};
      std::array<double, 3> r;
      sight(truth.data(), track.truth.data(), r.data());
      for (int i = 0; i < 3; ++i) {
        sight.seen[i] = r[i] * StereoSight::sigma + Noise(StereoSight::sigma);
      }
      window.problem()->AddResidualBlock(
          new AutoDiffCostFunction<StereoSight, 3, 6, 3>(
              new StereoSight(sight)),
          nullptr, pose, track.landmark);
      window.Add(track.landmark, k);
    }
    window.Add(pose, k);
    std::shuffle(tracks_.begin(), tracks_.end(), random_);
  }

  // Removes what is more than five frames old.
  bool Advance() {
    if (leaving_ == LeavingLandmarks::kDropped) return DropOldest();
    if (leaving_ == LeavingLandmarks::kEachFifth) DropOthers();
    return window.Advance(num_frames - 1, kLag);
  }

  // The distance of the last pose from the truth.
  double LastError() const {
    const std::array<double, 6> truth = Truth(num_frames - 1);
    double square = 0.0;
    for (int i = 3; i < 6; ++i) {
      square += (poses.back()[i] - truth[i]) * (poses.back()[i] - truth[i]);
    }
    return std::sqrt(square);
  }

  SlidingWindow window;
  std::deque<std::array<double, 6>> poses;
  std::deque<std::array<double, 3>> landmarks;
  int num_frames = 0;

 private:
  struct Track {
    double* landmark = nullptr;
    std::array<double, 3> truth{};
  };

  static constexpr double kLag = 4.5;

  static SlidingWindow::Options OptionsWith(
      const MarginalizationOptions& marginalization) {
    SlidingWindow::Options options;
    options.marginalization = marginalization;
    options.solver.logging_type = SILENT;
    options.solver.linear_solver_type = SPARSE_NORMAL_CHOLESKY;
    options.solver.max_num_iterations = 10;
    return options;
  }
  double Noise(double size) {
    return size * 3.0 * (random_() / 4294967296.0 - 0.5);
  }

  static std::array<double, 6> Truth(int k) {
    return {0.0, 0.02 * k, 0.0, 0.01 * k * k, 0.0, 1.0 * k};
  }

  static double DepthOf(const std::array<double, 3>& point,
                        const std::array<double, 6>& pose) {
    const double back[3] = {-pose[0], -pose[1], -pose[2]};
    const double offset[3] = {point[0] - pose[3], point[1] - pose[4],
                              point[2] - pose[5]};
    double local[3];
    AngleAxisRotatePoint(back, offset, local);
    return local[2];
  }

  void AddLandmark(const std::array<double, 6>& pose) {
    const double depth = 30.0 + Noise(8.0);
    const double local[3] = {Noise(0.4) * depth, Noise(0.2) * depth, depth};
    Track& track = tracks_.emplace_back();
    AngleAxisRotatePoint(pose.data(), local, track.truth.data());
    track.landmark = landmarks.emplace_back().data();
    for (int i = 0; i < 3; ++i) {
      track.truth[i] += pose[3 + i];
      track.landmark[i] = track.truth[i] + Noise(1e-2);
    }
    if (landmarks.size() % 5 == 0) is_kept_.insert(track.landmark);
  }

  // Removes residual blocks of the oldest frame.
  void DropOthers() {
    const int oldest = num_frames - 6;
    if (oldest < 0) return;
    Problem& problem = *window.problem();
    std::vector<ResidualBlockId> blocks;
    problem.GetResidualBlocksForParameterBlock(poses[oldest].data(), &blocks);
    for (const ResidualBlockId block : blocks) {
      std::vector<double*> arguments;
      problem.GetParameterBlocksForResidualBlock(block, &arguments);
      if (arguments.size() == 2 && is_kept_.count(arguments[1]) == 0) {
        problem.RemoveResidualBlock(block);
      }
    }
  }

  bool DropOldest() {
    const int oldest = num_frames - 6;
    if (oldest < 0) return true;
    window.problem()->RemoveParameterBlock(poses[oldest].data());
    for (std::array<double, 3>& landmark : landmarks) {
      if (window.Has(landmark.data()) &&
          window.TimeOf(landmark.data()) == oldest) {
        window.problem()->RemoveParameterBlock(landmark.data());
      }
    }
    window.problem()->SetParameterBlockConstant(poses[oldest + 1].data());
    return true;
  }

  const int num_seen_;
  const int num_lost_;
  const LeavingLandmarks leaving_;
  std::mt19937 random_;
  std::vector<Track> tracks_;                  // seen by the last frame
  std::unordered_set<const double*> is_kept_;  // by kEachFifth
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MARGINALIZATION_STEREO_SEQUENCE_TEST_UTILS_H_
