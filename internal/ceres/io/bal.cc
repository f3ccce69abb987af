// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/io/bal.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "ceres/base/all_finite.h"
#include "ceres/base/number.h"
#include "ceres/io/text_file.h"
#include "ceres/io/token_reader.h"
#include "ceres/rotation.h"

namespace ceres::io {
namespace {

// Reads the three counts and refuses those that the text cannot hold, before
// memory is reserved for them: a number takes at least two characters.
bool ReadHeader(size_t text_size, TokenReader* reader, int* num_cameras,
                int* num_points, int* num_observations) {
  constexpr int kMax = std::numeric_limits<int>::max();
  reader->SetContext("not a BAL file, or one that ends within the header: ");
  if (!reader->ReadInt("the number of cameras", 1, kMax, num_cameras) ||
      !reader->ReadInt("the number of points", 1, kMax, num_points) ||
      !reader->ReadInt("the number of observations", 1, kMax,
                       num_observations)) {
    return false;
  }
  reader->SetContext("");
  const double num_tokens =
      3.0 + 4.0 * *num_observations + 9.0 * *num_cameras + 3.0 * *num_points;
  const double max_tokens = 0.5 * (static_cast<double>(text_size) + 1.0);
  if (num_tokens <= max_tokens) return true;
  return reader->Fail(
      "expected " +
      internal::CountOf(static_cast<int64_t>(num_tokens), "number") +
      " for the counts read so far (4 per observation, 9 per camera, 3 "
      "per point), but the file has only " +
      internal::CountOf(static_cast<int64_t>(text_size), "byte") +
      ": it is truncated, or a count is wrong");
}

bool ReadBody(TokenReader* reader, int num_cameras, int num_points,
              int num_observations, BalProblem* problem) {
  problem->camera_index.resize(num_observations);
  problem->point_index.resize(num_observations);
  problem->observations.resize(2 * static_cast<size_t>(num_observations));
  for (int i = 0; i < num_observations; ++i) {
    double* pixel = &problem->observations[2 * static_cast<size_t>(i)];
    reader->SetContext("an observation has the index of no camera or point: ");
    if (!reader->ReadInt("a camera index", 0, num_cameras - 1,
                         &problem->camera_index[i]) ||
        !reader->ReadInt("a point index", 0, num_points - 1,
                         &problem->point_index[i])) {
      return false;
    }
    reader->SetContext("");
    if (!reader->ReadDouble("an observed x", &pixel[0]) ||
        !reader->ReadDouble("an observed y", &pixel[1])) {
      return false;
    }
  }
  problem->cameras.resize(static_cast<size_t>(num_cameras) *
                          kAngleAxisCameraSize);
  for (double& value : problem->cameras) {
    if (!reader->ReadDouble("a camera parameter", &value)) return false;
  }
  problem->points.resize(static_cast<size_t>(num_points) * kPointSize);
  for (double& value : problem->points) {
    if (!reader->ReadDouble("a point coordinate", &value)) return false;
  }
  return reader->ExpectEnd();
}

void AppendCamera(const BalProblem& problem, int i, std::string* text) {
  const double* camera = problem.camera(i);
  double numbers[kAngleAxisCameraSize];
  if (problem.camera_size == kQuaternionCameraSize) {
    QuaternionToAngleAxis(camera, numbers);
    std::copy_n(camera + 4, 6, numbers + 3);
  } else {
    std::copy_n(camera, kAngleAxisCameraSize, numbers);
  }
  for (const double number : numbers) AppendNumber(number, '\n', text);
}

}  // namespace

bool ParseBal(std::string_view text, const std::string& name,
              BalProblem* problem, std::string* error) {
  if (!StartText(name, &text, error)) return false;
  TokenReader reader(text, name);
  int num_cameras = 0;
  int num_points = 0;
  int num_observations = 0;
  BalProblem parsed;
  if (!ReadHeader(text.size(), &reader, &num_cameras, &num_points,
                  &num_observations) ||
      !ReadBody(&reader, num_cameras, num_points, num_observations, &parsed)) {
    *error = reader.error();
    return false;
  }
  *problem = std::move(parsed);
  return true;
}

bool ReadBal(const std::string& path, BalProblem* problem, std::string* error) {
  std::string text;
  return ReadFile(path, &text, error) && ParseBal(text, path, problem, error);
}

bool WriteBal(const BalProblem& problem, const std::string& path,
              std::string* error) {
  if (!internal::AllFinite(problem.observations) ||
      !internal::AllFinite(problem.cameras) ||
      !internal::AllFinite(problem.points)) {
    *error = path + ": cannot write it: a number is not finite";
    return false;
  }
  std::string text;
  AppendNumber(problem.num_cameras(), ' ', &text);
  AppendNumber(problem.num_points(), ' ', &text);
  AppendNumber(problem.num_observations(), '\n', &text);
  for (int i = 0; i < problem.num_observations(); ++i) {
    AppendNumber(problem.camera_index[i], ' ', &text);
    AppendNumber(problem.point_index[i], ' ', &text);
    AppendNumber(problem.observations[2 * static_cast<size_t>(i)], ' ', &text);
    AppendNumber(problem.observations[2 * static_cast<size_t>(i) + 1], '\n',
                 &text);
  }
  for (int i = 0; i < problem.num_cameras(); ++i) {
    AppendCamera(problem, i, &text);
  }
  for (const double value : problem.points) AppendNumber(value, '\n', &text);
  return WriteFile(text, path, error);
}

}  // namespace ceres::io
