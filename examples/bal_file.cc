// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "bal_file.h"

#include <cstdint>

#include "ceres/io/text_file.h"

namespace ceres::examples {
namespace {

void AppendVertex(const double position[3], const char* color,
                  std::string* text) {
  for (int k = 0; k < 3; ++k) io::AppendNumber(position[k], ' ', text);
  text->append(color);
  text->push_back('\n');
}

}  // namespace

bool WritePly(const BalProblem& problem, const std::string& path,
              std::string* error) {
  std::string text =
      "ply\nformat ascii 1.0\nelement vertex " +
      std::to_string(static_cast<int64_t>(problem.num_cameras()) +
                     problem.num_points()) +
      "\nproperty float x\nproperty float y\nproperty float z\n"
      "property uchar red\nproperty uchar green\nproperty uchar "
      "blue\nend_header\n";
  for (int i = 0; i < problem.num_cameras(); ++i) {
    double center[3];
    CameraCenter(problem, i, center);
    AppendVertex(center, "0 255 0", &text);
  }
  for (int i = 0; i < problem.num_points(); ++i) {
    AppendVertex(problem.point(i), "255 255 255", &text);
  }
  return io::WriteFile(text, path, error);
}

}  // namespace ceres::examples
