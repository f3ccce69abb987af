// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_IO_COLMAP_H_
#define CERES_PUBLIC_IO_COLMAP_H_

// Reads and writes sparse models of COLMAP (Schoenberger and Frahm,
// "Structure-from-Motion Revisited", 2016) as text, three files of a folder:
//
//   cameras.txt    CAMERA_ID MODEL WIDTH HEIGHT PARAMS...
//   images.txt     two lines per image:
//                  IMAGE_ID QW QX QY QZ TX TY TZ CAMERA_ID NAME
//                  X Y POINT3D_ID, once per key point; -1: no point
//   points3D.txt   POINT3D_ID X Y Z R G B ERROR, then IMAGE_ID POINT2D_IDX once
//                  per observation
//
// Lines that begin with '#' are comments. Functions return false on failure and
// then say in *error which file and line, what was expected and which token was
// found. They may be called by several threads at once, for different models.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "ceres/internal/export.h"
#include "ceres/parallel/detail/language.h"

namespace ceres::io {

// Cameras, images of them, and points. Ids are those of the files.
struct ColmapModel {
  // A camera, which several images may share.
  struct Camera {
    // An integer in [0, 2^64).
    std::uint64_t id = 0;
    // The name of the model, and its parameters, in pixels:
    //
    //   SIMPLE_PINHOLE   f, cx, cy
    //   PINHOLE          fx, fy, cx, cy
    //   SIMPLE_RADIAL    f, cx, cy, k
    //   RADIAL           f, cx, cy, k1, k2
    //   OPENCV           fx, fy, cx, cy, k1, k2, p1, p2
    //
    // Other models are refused.
    std::string model;
    std::vector<double> parameters;
    // The size of its images in pixels.
    std::int64_t width = 0;
    std::int64_t height = 0;
  };

  // A key point of an image.
  struct Observation {
    // Pixels, x to the right, y down.
    double x = 0.0;
    double y = 0.0;
    // Index into `points`, or -1.
    int point = -1;
  };

  // An image: where its camera was, and what it saw.
  struct Image {
    // An integer in [0, 2^64).
    std::uint64_t id = 0;
    // The file of the image.
    std::string name;
    // Index into `cameras`.
    int camera = 0;
    // Maps points of the world to the frame of the camera, R(q) p + t: the unit
    // quaternion w, x, y, z, then t. The camera looks along +z.
    std::array<double, 7> world_to_camera{1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    // The key points, in the order of the file.
    std::vector<Observation> observations;
  };

  // An observation of a point.
  struct View {
    int image = 0;        // Index into `images`.
    int observation = 0;  // Index into `observations` of the image.
  };

  // A point of the scene.
  struct Point {
    // An integer in [0, 2^64).
    std::uint64_t id = 0;
    // In the world.
    std::array<double, 3> position{};
    // Red, green and blue, in [0, 255].
    std::array<int, 3> color{};
    // The mean reprojection error in pixels; -1 if nobody has computed it.
    double error = -1.0;
    // Its track: all key points that name it.
    std::vector<View> views;
  };

  // In the order of the files.
  std::vector<Camera> cameras;
  std::vector<Image> images;
  std::vector<Point> points;
};

// The number of parameters of a camera model, or 0 if there is none of this
// name.
CERES_EXPORT int NumColmapParameters(const std::string& model);

// Reads the three files of a folder. *model is unchanged on failure. Every key
// point that names a point must be in the track of the point, and the other way
// round. Quaternions are normalized.
[[nodiscard]] CERES_EXPORT bool ReadColmap(const std::string& folder,
                                           ColmapModel* model,
                                           std::string* error);

// Writes the three files, by WriteFiles (ceres/io/text_file.h): if one cannot
// be written, all stay as they were. Makes the folder if there is none.
// Refuses numbers that are not finite.
[[nodiscard]] CERES_EXPORT bool WriteColmap(const ColmapModel& model,
                                            const std::string& folder,
                                            std::string* error);

}  // namespace ceres::io

#endif  // CERES_PUBLIC_IO_COLMAP_H_
