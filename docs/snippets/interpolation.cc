// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Uses a table, an image and a map of distances in cost functions.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "ceres/ceres.h"
#include "ceres/cubic_interpolation.h"
#include "noise.h"

namespace {

// [grid]
// Samples at 0, 1, 2, ... that continue along straight lines at both ends.
class LinearEnds {
 public:
  enum { DATA_DIMENSION = 1 };
  explicit LinearEnds(const std::vector<double>& samples) : samples_(samples) {}

  // The sample at any integer n.
  void GetValue(int n, double* f) const {
    const int last = static_cast<int>(samples_.size()) - 1;
    *f = samples_[std::clamp(n, 0, last)];
    if (n < 0) *f += n * (samples_[1] - samples_[0]);
    if (n > last) *f += (n - last) * (samples_[last] - samples_[last - 1]);
  }

 private:
  const std::vector<double>& samples_;
};
// [/grid]

template <typename Interpolator>
void PrintBorder(const char* name, const Interpolator& interpolator) {
  std::printf("%s\n", name);
  for (double x : {-2.0, -0.5, 0.0, 0.5, 1.0}) {
    double f, dfdx;
    interpolator.Evaluate(x, &f, &dfdx);
    std::printf("  x %4.1f  f %6.3f  df/dx %5.2f\n", x, f, dfdx);
  }
}

void ShowBorder() {
  // [border]
  const std::vector<double> samples = {0.0, 2.0, 4.0, 6.0, 8.0};
  const ceres::Grid1D<double> grid(samples.data(), 0, 5);
  PrintBorder("Grid1D", ceres::CubicInterpolator(grid));
  const LinearEnds line(samples);
  PrintBorder("LinearEnds", ceres::CubicInterpolator(line));
  // [/border]
}

// [image]
using Image = ceres::Grid2D<unsigned char>;  // Rows of gray values.

// The difference of a pixel of the second image and the first image, moved.
struct PixelError {
  template <typename T>
  bool operator()(const T* shift, T* residual) const {
    image->Evaluate(row + shift[0], column + shift[1], residual);
    residual[0] -= gray;
    return true;
  }

  const ceres::BiCubicInterpolator<Image>* image;
  double row, column, gray;
};
// [/image]

constexpr int kSize = 40;  // Pixels of a side.

// A picture of two waves, seen by a camera that has moved.
std::vector<unsigned char> TakePicture(double move_rows, double move_columns) {
  std::vector<unsigned char> pixels;
  for (int i = 0; i < kSize * kSize; ++i) {
    const double row = i / kSize + move_rows;
    const double column = i % kSize + move_columns;
    pixels.push_back(static_cast<unsigned char>(
        std::lround(128.0 + 60.0 * std::sin(0.3 * row + 0.1 * column) +
                    60.0 * std::cos(0.4 * column))));
  }
  return pixels;
}

void RegisterImages() {
  const std::vector<unsigned char> first = TakePicture(0.0, 0.0);
  const std::vector<unsigned char> second = TakePicture(1.3, -0.7);
  // [register]
  const Image grid(first.data(), 0, kSize, 0, kSize);
  const ceres::BiCubicInterpolator<Image> image(grid);
  double shift[2] = {0.0, 0.0};
  ceres::Problem problem;
  const int margin = 4;  // Moved pixels stay inside of the image.
  for (int row = margin; row < kSize - margin; ++row) {
    for (int column = margin; column < kSize - margin; ++column) {
      const double gray = second[row * kSize + column];
      problem.AddResidualBlock(
          new ceres::AutoDiffCostFunction<PixelError, 1, 2>(
              new PixelError{&image, 1.0 * row, 1.0 * column, gray}),
          nullptr, shift);
    }
  }
  ceres::Solver::Summary summary;
  ceres::Solve(ceres::Solver::Options(), &problem, &summary);
  // [/register]
  std::printf("the camera moved by %.2f rows, %.2f columns\n", shift[0],
              shift[1]);
}

// Distance to the nearest wall of a room of 10 m x 6 m with a round pillar.
// Negative inside of walls.
double DistanceToWall(double x, double y) {
  return std::min({x, 10.0 - x, y, 6.0 - y, std::hypot(x - 7, y - 2) - 0.5});
}

// [map]
// Distances to the nearest wall, at points that are `cell` meters apart. Sample
// (row 0, column 0) is at (x0, y0). x grows with the column, y with the row.
struct DistanceMap {
  static constexpr double cell = 0.1, x0 = -1.0, y0 = -1.0;
  static constexpr int rows = 81, columns = 121;
  using Grid = ceres::Grid2D<float>;

  template <typename T>
  T DistanceAt(const T& x, const T& y) const {
    T distance;
    interpolator.Evaluate((y - y0) / cell, (x - x0) / cell, &distance);
    return distance;
  }

  std::vector<float> samples;
  Grid grid{samples.data(), 0, rows, 0, columns};
  ceres::BiCubicInterpolator<Grid> interpolator{grid};
};

// A point that a laser scanner has seen on a wall. The pose is {x, y, heading}.
struct ScanError {
  template <typename T>
  bool operator()(const T* pose, T* residual) const {
    const T c = cos(pose[2]), s = sin(pose[2]);
    residual[0] = map->DistanceAt(c * x - s * y + pose[0],
                                  s * x + c * y + pose[1]) /
                  0.02;  // Standard deviation of a range.
    return true;
  }

  const DistanceMap* map;
  double x, y;  // Coordinates of the scanner.
};
// [/map]

std::vector<float> SampleRoom() {
  std::vector<float> samples;
  for (int i = 0; i < DistanceMap::rows * DistanceMap::columns; ++i) {
    const int row = i / DistanceMap::columns, column = i % DistanceMap::columns;
    samples.push_back(static_cast<float>(
        DistanceToWall(DistanceMap::x0 + DistanceMap::cell * column,
                       DistanceMap::y0 + DistanceMap::cell * row)));
  }
  return samples;
}

// The range that a scanner measures without noise: goes along the ray by the
// distance to the nearest wall until it is there.
double CastRay(double x, double y, double direction) {
  double range = 0.0, distance = 1.0;
  while (distance > 1e-9) {
    distance = DistanceToWall(x + range * std::cos(direction),
                              y + range * std::sin(direction));
    range += distance;
  }
  return range;
}

void Localize() {
  const double truth[3] = {3.0, 2.5, 0.4};
  const DistanceMap map{SampleRoom()};
  Noise noise;
  // [localize]
  double pose[3] = {2.6, 2.8, 0.25};  // From the odometry.
  ceres::Problem problem;
  for (int i = 0; i < 90; ++i) {
    const double angle = 0.07 * i;
    const double range =
        CastRay(truth[0], truth[1], truth[2] + angle) + noise.Normal(0.02);
    problem.AddResidualBlock(
        new ceres::AutoDiffCostFunction<ScanError, 1, 3>(new ScanError{
            &map, range * std::cos(angle), range * std::sin(angle)}),
        new ceres::HuberLoss(2.0), pose);
  }
  ceres::Solver::Summary summary;
  ceres::Solve(ceres::Solver::Options(), &problem, &summary);
  // [/localize]
  std::printf("pose: x %.2f m, y %.2f m, heading %.2f rad\n", pose[0], pose[1],
              pose[2]);
}

}  // namespace

int main() {
  ShowBorder();
  RegisterImages();
  Localize();
}
