// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef VESTA_EXAMPLES_BAL_SLICE_H_
#define VESTA_EXAMPLES_BAL_SLICE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "bal_problem.h"

namespace ceres::examples {

// The part of a bundle adjustment problem that one of several ranks solves: the
// points of its leaves, their observations, and the cameras that see them.
struct BalSlice {
  // Cameras and points are numbered within the slice. Observations are sorted
  // by leaf, then by point.
  BalProblem scene;
  std::vector<int>
      camera_ids;  // by camera of the slice: its index in the scene
  std::vector<int> point_ids;
  // Leaf first_leaf + k has the observations first_observation[k] ..
  // first_observation[k + 1] - 1.
  int first_leaf = 0;
  std::vector<int> first_observation;

  // The sizes of the whole scene.
  int num_cameras = 0;
  int num_points = 0;
  std::int64_t num_observations = 0;
};

// Which part of a scene a slice is. The leaves do not depend on num_ranks.
struct SliceChoice {
  int rank = 0;
  int num_ranks = 1;
  int num_leaves = 8;  // at least num_ranks
};

// Reads a slice of a text file in the format of Bundle Adjustment in the Large
// (ceres/io/bal.h). Reads the file twice, as a stream: memory is needed for the
// slice, and 16 bytes for each point of the scene. Points are sorted by the
// mean of the cameras that see them, and leaves have about the same number of
// observations. Returns false, with an error that names the place, if the file
// cannot be read.
[[nodiscard]] bool ReadBalSlice(const std::string& path,
                                const SliceChoice& choice, BalSlice* slice,
                                std::string* error);

// The slice that ReadBalSlice would read if `scene` was in a file.
BalSlice TakeSlice(const BalProblem& scene, const SliceChoice& choice);

// Writes the cameras and points of a slice, a line each: "camera", its index in
// the scene, and its 9 values; "point", index, 3 values.
[[nodiscard]] bool WriteSlice(const BalSlice& slice, const std::string& path,
                              std::string* error);

}  // namespace ceres::examples

#endif  // VESTA_EXAMPLES_BAL_SLICE_H_
