// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef VESTA_TESTS_CLIENTS_SLIDING_WINDOW_VIO_SLIDING_WINDOW_H_
#define VESTA_TESTS_CLIENTS_SLIDING_WINDOW_VIO_SLIDING_WINDOW_H_

#include <ceres/ceres.h>

#include <Eigen/Core>
#include <map>
#include <set>
#include <vector>

#include "window_factors.h"

namespace vio {

struct Frame {
  double pose[7];
  double speed[6];
};

// The last frames of a trajectory and the landmarks they see, in one Problem
// that lives as long as the trajectory. The oldest frame and its landmarks are
// replaced by a linear prior on what they were connected with.
class SlidingWindow {
 public:
  explicit SlidingWindow(int size);

  // The first frame, known with the given standard deviation.
  void Start(const Frame& frame, double sigma);

  // Adds a frame that `measured` leads to, and what it sees.
  void AddFrame(const Preintegration& measured,
                const std::map<int, Eigen::Vector2d>& bearings, double sigma);

  // Returns the cost. Stops the program if the solver fails.
  double Solve();

  // Drops the oldest frame if the window is full.
  void Shrink();

  const Frame& newest() const { return frames_.rbegin()->second; }
  const ceres::Problem& problem() const { return problem_; }
  int num_removed_blocks() const { return num_removed_blocks_; }
  int num_prior_rows() const { return num_prior_rows_; }

 private:
  struct Sighting {
    int frame;
    Eigen::Vector2d bearing;
  };
  struct Landmark {
    double position[3];
  };
  struct Information {
    std::vector<double*> blocks;
    std::vector<int> offsets;
    Eigen::MatrixXd H;
    Eigen::VectorXd g;
  };

  void AddPose(double* pose) {
    problem_.AddParameterBlock(pose, 7, new PoseManifold);
  }
  void See(int landmark, const Sighting& sighting, double sigma);
  void Triangulate(const std::vector<Sighting>& track, double* position) const;
  std::vector<double*> BlocksOfOldest(std::set<int>* landmarks) const;
  Information Linearize(const std::vector<double*>& dropped) const;
  void AddPriorOn(const Information& information, int num_dropped);

  int size_;
  int next_frame_ = 0;
  int num_removed_blocks_ = 0;
  int num_prior_rows_ = 0;
  ceres::Problem problem_;
  ceres::LossFunction* loss_;
  std::map<int, Frame> frames_;
  std::map<int, Landmark> landmarks_;
  std::map<int, std::vector<Sighting>> tracks_;
  std::set<int> finished_;
};

}  // namespace vio

#endif  // VESTA_TESTS_CLIENTS_SLIDING_WINDOW_VIO_SLIDING_WINDOW_H_
