// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef VESTA_EXAMPLES_LIBMV_FILE_H_
#define VESTA_EXAMPLES_LIBMV_FILE_H_

#include <string>
#include <string_view>
#include <vector>

namespace ceres::examples {

// Indices into LibmvProblem::intrinsics.
enum LibmvIntrinsic {
  kFocalLength,
  kPrincipalPointX,
  kPrincipalPointY,
  kRadial1,
  kRadial2,
  kRadial3,
  kTangential1,
  kTangential2,
  kNumLibmvIntrinsics
};

// A bundle adjustment problem of Blender's libmv: one physical camera in many
// places. A point X is seen by a camera at p = P.xy / P.z, P = R X + t, which
// lens distortion (radial k1, k2, k3, tangential p1, p2), focal length and
// principal point then take to the marker.
struct LibmvProblem {
  struct Camera {
    int image;
    double pose[6];  // angle-axis of R, then t
  };
  struct Point {
    int track;
    double position[3];
  };
  struct Marker {
    int camera;  // index into cameras
    int point;   // index into points
    double x, y;
  };

  // Markers are in pixels, not on the plane z = 1 of an ideal camera.
  bool markers_in_pixels = false;
  double intrinsics[kNumLibmvIntrinsics];
  std::vector<Camera> cameras;
  std::vector<Point> points;
  std::vector<Marker> markers;
};

// Parses bytes that came from `name`, which appears in messages only:
//
//   'V' (big endian) or 'v' (little endian); 'P' (pixels) or 'N' (normalised)
//   8 floats: the intrinsics
//   int32 number of cameras; each int32 image, 9 floats R (column-major),
//     3 floats t
//   int32 number of points; each int32 track, 3 floats
//   int32 number of markers; each int32 image, int32 track, 2 floats
//
// Numbers of images and tracks may have gaps. Returns false on failure and then
// says in *error at which byte what was expected; *problem is unchanged.
[[nodiscard]] bool ParseLibmv(std::string_view bytes, const std::string& name,
                              LibmvProblem* problem, std::string* error);

// Reads a file.
[[nodiscard]] bool ReadLibmv(const std::string& path, LibmvProblem* problem,
                             std::string* error);

}  // namespace ceres::examples

#endif  // VESTA_EXAMPLES_LIBMV_FILE_H_
