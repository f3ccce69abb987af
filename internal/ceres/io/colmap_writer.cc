// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <cmath>
#include <cstddef>
#include <filesystem>
#include <string>

#include "ceres/base/all_finite.h"
#include "ceres/io/colmap.h"
#include "ceres/io/text_file.h"

namespace ceres::io {
namespace {

bool CheckModel(const ColmapModel& model, std::string* error) {
  const auto fail = [error](const char* what, std::uint64_t id) {
    *error = std::string(what) + " " + std::to_string(id) +
             " has a number that is not finite, an index out of range, or the "
             "wrong number of parameters";
    return false;
  };
  const int num_cameras = static_cast<int>(model.cameras.size());
  const int num_images = static_cast<int>(model.images.size());
  const int num_points = static_cast<int>(model.points.size());
  for (const ColmapModel::Camera& camera : model.cameras) {
    const auto count =
        static_cast<std::size_t>(NumColmapParameters(camera.model));
    if (camera.parameters.size() != count || count == 0 ||
        !internal::AllFinite(camera.parameters)) {
      return fail("camera", camera.id);
    }
  }
  for (const ColmapModel::Image& image : model.images) {
    bool good = internal::AllFinite(image.world_to_camera) &&
                image.camera >= 0 && image.camera < num_cameras;
    for (const ColmapModel::Observation& seen : image.observations) {
      good = good && std::isfinite(seen.x) && std::isfinite(seen.y) &&
             seen.point >= -1 && seen.point < num_points;
    }
    if (!good) return fail("image", image.id);
  }
  for (const ColmapModel::Point& point : model.points) {
    bool good =
        internal::AllFinite(point.position) && std::isfinite(point.error);
    for (const ColmapModel::View& view : point.views) {
      good = good && view.image >= 0 && view.image < num_images;
    }
    if (!good) return fail("point", point.id);
  }
  return true;
}

template <typename Number>
void Append(Number number, std::string* text) {
  AppendNumber(number, ' ', text);
}

// Turns the space at the end into the end of the line.
void EndLine(std::string* text) { text->back() = '\n'; }

std::string FormatCameras(const ColmapModel& model) {
  std::string text = "# CAMERA_ID MODEL WIDTH HEIGHT PARAMS...\n";
  for (const ColmapModel::Camera& camera : model.cameras) {
    Append(camera.id, &text);
    text += camera.model + ' ';
    Append(camera.width, &text);
    Append(camera.height, &text);
    for (const double parameter : camera.parameters) Append(parameter, &text);
    EndLine(&text);
  }
  return text;
}

std::string FormatImages(const ColmapModel& model) {
  std::string text =
      "# IMAGE_ID QW QX QY QZ TX TY TZ CAMERA_ID NAME\n"
      "# X Y POINT3D_ID, once per key point\n";
  for (const ColmapModel::Image& image : model.images) {
    Append(image.id, &text);
    for (const double number : image.world_to_camera) Append(number, &text);
    Append(model.cameras[image.camera].id, &text);
    text += image.name + '\n';
    for (const ColmapModel::Observation& seen : image.observations) {
      Append(seen.x, &text);
      Append(seen.y, &text);
      text +=
          seen.point < 0 ? "-1" : std::to_string(model.points[seen.point].id);
      text += ' ';
    }
    if (image.observations.empty()) text += ' ';
    EndLine(&text);
  }
  return text;
}

std::string FormatPoints(const ColmapModel& model) {
  std::string text =
      "# POINT3D_ID X Y Z R G B ERROR, then IMAGE_ID POINT2D_IDX once per "
      "observation\n";
  for (const ColmapModel::Point& point : model.points) {
    Append(point.id, &text);
    for (const double coordinate : point.position) Append(coordinate, &text);
    for (const int channel : point.color) Append(channel, &text);
    Append(point.error, &text);
    for (const ColmapModel::View& view : point.views) {
      Append(model.images[view.image].id, &text);
      Append(view.observation, &text);
    }
    EndLine(&text);
  }
  return text;
}

}  // namespace

bool WriteColmap(const ColmapModel& model, const std::string& folder,
                 std::string* error) {
  if (!CheckModel(model, error)) {
    *error = folder + ": cannot write it: " + *error;
    return false;
  }
  std::error_code code;
  const std::filesystem::path path(folder);
  std::filesystem::create_directories(path, code);
  return WriteFiles({{(path / "cameras.txt").string(), FormatCameras(model)},
                     {(path / "images.txt").string(), FormatImages(model)},
                     {(path / "points3D.txt").string(), FormatPoints(model)}},
                    error);
}

}  // namespace ceres::io
