// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/io/bundler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "Eigen/Core"
#include "Eigen/LU"
#include "ceres/base/all_finite.h"
#include "ceres/base/number.h"
#include "ceres/io/text_file.h"
#include "ceres/io/token_reader.h"
#include "ceres/rotation.h"

namespace ceres::io {
namespace {

constexpr int kMax = std::numeric_limits<int>::max();
using Matrix3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

bool ReadTitle(TokenReader* reader) {
  for (const std::string_view expected : {"#", "Bundle", "file", "v0.3"}) {
    std::string_view word;
    if (!reader->ReadWord("\"# Bundle file v0.3\"", &word)) return false;
    if (word != expected) {
      return reader->Fail("expected \"# Bundle file v0.3\", found " +
                          QuoteToken(word));
    }
  }
  return true;
}

// Numbers of a file take two characters each.
bool FitsInto(std::size_t text_size, double num_numbers) {
  return num_numbers <= 0.5 * (static_cast<double>(text_size) + 1.0);
}

bool ReadCamera(TokenReader* reader, std::vector<double>* cameras) {
  double numbers[15];  // f, k1, k2, R, t
  for (double& number : numbers) {
    if (!reader->ReadDouble("a number of a camera", &number)) return false;
  }
  double camera[kAngleAxisCameraSize] = {};
  const Eigen::Map<const Matrix3> R(numbers + 3);
  // Bundler writes zeros for an image that it could not place.
  if (!R.isZero(0.0)) {
    constexpr double kTolerance = 1e-3;
    const double error = (R * R.transpose() - Matrix3::Identity()).norm();
    if (!(error <= kTolerance) || !(R.determinant() > 0.0)) {
      return reader->Fail(
          "expected a camera whose 3 x 3 matrix is a rotation, found one with "
          "|R R' - I| = " +
          std::to_string(error));
    }
    RotationMatrixToAngleAxis(RowMajorAdapter3x3(R.data()), camera);
  }
  std::copy_n(numbers + 12, 3, camera + 3);
  std::copy_n(numbers, 3, camera + 6);
  cameras->insert(cameras->end(), camera, camera + kAngleAxisCameraSize);
  return true;
}

bool ReadView(int point, TokenReader* reader, BundlerScene* scene) {
  int camera = 0;
  int key = 0;
  double pixel[2];
  if (!reader->ReadInt("the index of a camera", 0,
                       scene->problem.num_cameras() - 1, &camera) ||
      !reader->ReadInt("the index of a key point", 0, kMax, &key) ||
      !reader->ReadDouble("an observed x", &pixel[0]) ||
      !reader->ReadDouble("an observed y", &pixel[1])) {
    return false;
  }
  const double* focal_length = scene->problem.camera(camera) + 6;
  if (!(*focal_length != 0.0)) {
    return reader->Fail("a view names camera " + std::to_string(camera) +
                        ", which has the focal length 0");
  }
  scene->problem.camera_index.push_back(camera);
  scene->problem.point_index.push_back(point);
  scene->problem.observations.insert(scene->problem.observations.end(), pixel,
                                     pixel + 2);
  scene->keys.push_back(key);
  return true;
}

bool ReadPoint(int point, std::size_t text_size, TokenReader* reader,
               BundlerScene* scene) {
  double position[3];
  std::array<int, 3> color{};
  int num_views = 0;
  for (double& coordinate : position) {
    if (!reader->ReadDouble("a point coordinate", &coordinate)) return false;
  }
  for (int& channel : color) {
    if (!reader->ReadInt("a color", 0, 255, &channel)) return false;
  }
  if (!reader->ReadInt("the number of views of a point", 0, kMax, &num_views)) {
    return false;
  }
  if (!FitsInto(text_size, 4.0 * num_views)) {
    return reader->Fail("the file is too short for " +
                        internal::CountOf(num_views, "view") +
                        ": it is truncated, or a count is wrong");
  }
  scene->problem.points.insert(scene->problem.points.end(), position,
                               position + 3);
  scene->colors.push_back(color);
  for (int i = 0; i < num_views; ++i) {
    if (!ReadView(point, reader, scene)) return false;
  }
  return true;
}

bool ReadScene(std::size_t text_size, TokenReader* reader,
               BundlerScene* scene) {
  int num_cameras = 0;
  int num_points = 0;
  if (!reader->ReadInt("the number of cameras", 1, kMax, &num_cameras) ||
      !reader->ReadInt("the number of points", 0, kMax, &num_points)) {
    return false;
  }
  if (!FitsInto(text_size, 15.0 * num_cameras + 7.0 * num_points)) {
    return reader->Fail("the file is too short for " +
                        internal::CountOf(num_cameras, "camera") + " and " +
                        internal::CountOf(num_points, "point") +
                        ": it is truncated, or a count is wrong");
  }
  for (int i = 0; i < num_cameras; ++i) {
    if (!ReadCamera(reader, &scene->problem.cameras)) return false;
  }
  for (int i = 0; i < num_points; ++i) {
    if (!ReadPoint(i, text_size, reader, scene)) return false;
  }
  return reader->ExpectEnd();
}

void AppendCamera(const double* camera, std::string* text) {
  for (int k = 6; k < 9; ++k) {
    AppendNumber(camera[k], k < 8 ? ' ' : '\n', text);
  }
  Matrix3 R = Matrix3::Zero();
  const bool is_placed =
      std::any_of(camera, camera + 9, [](double x) { return x != 0.0; });
  if (is_placed)
    AngleAxisToRotationMatrix(camera, RowMajorAdapter3x3(R.data()));
  for (int k = 0; k < 9; ++k) {
    AppendNumber(R.data()[k], k % 3 < 2 ? ' ' : '\n', text);
  }
  for (int k = 3; k < 6; ++k) {
    AppendNumber(camera[k], k < 5 ? ' ' : '\n', text);
  }
}

// The observations of each point.
std::vector<std::vector<int>> ViewsOfPoints(const BalProblem& problem) {
  std::vector<std::vector<int>> views(problem.num_points());
  for (int i = 0; i < problem.num_observations(); ++i) {
    views[problem.point_index[i]].push_back(i);
  }
  return views;
}

std::string Format(const BundlerScene& scene) {
  const BalProblem& problem = scene.problem;
  std::string text = "# Bundle file v0.3\n";
  AppendNumber(problem.num_cameras(), ' ', &text);
  AppendNumber(problem.num_points(), '\n', &text);
  for (int i = 0; i < problem.num_cameras(); ++i) {
    AppendCamera(problem.camera(i), &text);
  }
  const std::vector<std::vector<int>> views = ViewsOfPoints(problem);
  for (int i = 0; i < problem.num_points(); ++i) {
    for (int k = 0; k < 3; ++k) {
      AppendNumber(problem.point(i)[k], k < 2 ? ' ' : '\n', &text);
    }
    for (int k = 0; k < 3; ++k) {
      AppendNumber(scene.colors.empty() ? 0 : scene.colors[i][k],
                   k < 2 ? ' ' : '\n', &text);
    }
    AppendNumber(views[i].size(), views[i].empty() ? '\n' : ' ', &text);
    for (const int view : views[i]) {
      AppendNumber(problem.camera_index[view], ' ', &text);
      AppendNumber(scene.keys.empty() ? 0 : scene.keys[view], ' ', &text);
      AppendNumber(problem.observations[2 * std::size_t(view)], ' ', &text);
      AppendNumber(problem.observations[2 * std::size_t(view) + 1],
                   view == views[i].back() ? '\n' : ' ', &text);
    }
  }
  return text;
}

}  // namespace

bool ParseBundler(std::string_view text, const std::string& name,
                  BundlerScene* scene, std::string* error) {
  if (!StartText(name, &text, error)) return false;
  TokenReader reader(text, name);
  BundlerScene parsed;
  if (!ReadTitle(&reader) || !ReadScene(text.size(), &reader, &parsed)) {
    *error = reader.error();
    return false;
  }
  *scene = std::move(parsed);
  return true;
}

bool ReadBundler(const std::string& path, BundlerScene* scene,
                 std::string* error) {
  std::string text;
  return ReadFile(path, &text, error) && ParseBundler(text, path, scene, error);
}

bool WriteBundler(const BundlerScene& scene, const std::string& path,
                  std::string* error) {
  const BalProblem& problem = scene.problem;
  const bool has_colors =
      scene.colors.size() == static_cast<std::size_t>(problem.num_points());
  const bool has_keys =
      scene.keys.size() == static_cast<std::size_t>(problem.num_observations());
  if (problem.camera_size != kAngleAxisCameraSize ||
      (!has_colors && !scene.colors.empty()) ||
      (!has_keys && !scene.keys.empty()) ||
      !internal::AllFinite(problem.cameras) ||
      !internal::AllFinite(problem.points) ||
      !internal::AllFinite(problem.observations)) {
    *error = path +
             ": cannot write it: expected angle-axis cameras, as many colors "
             "as points and keys as observations, and finite numbers";
    return false;
  }
  return WriteFile(Format(scene), path, error);
}

}  // namespace ceres::io
