// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// The image of the two bicubic_interpolation examples, and a shifted copy.

#ifndef VESTA_EXAMPLES_BICUBIC_INTERPOLATION_H_
#define VESTA_EXAMPLES_BICUBIC_INTERPOLATION_H_

#include <cmath>
#include <vector>

#include "ceres/cubic_interpolation.h"

namespace ceres::examples {

using Grid = Grid2D<double>;
using Interpolator = BiCubicInterpolator<Grid>;

// Smooth hills of grey, kSize by kSize pixels.
class Image {
 public:
  static constexpr int kSize = 32;

  Image() : values_(Values()), grid_(values_.data(), 0, kSize, 0, kSize) {}
  // The grid points to the values.
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;

  const Grid& grid() const { return grid_; }

 private:
  static std::vector<double> Values() {
    std::vector<double> values;
    for (int row = 0; row < kSize; ++row) {
      for (int column = 0; column < kSize; ++column) {
        values.push_back(std::sin(0.21 * row) * std::cos(0.17 * column) +
                         0.02 * row);
      }
    }
    return values;
  }

  std::vector<double> values_;
  Grid grid_;
};

struct Pixel {
  double row;
  double column;
  double value;
};

// The inner pixels of an image that shows at (row, column) what the other one
// shows at (row, column) + (1.25, -0.7).
inline std::vector<Pixel> ShiftedPixels(const Interpolator& image) {
  constexpr double kShift[2] = {1.25, -0.7};
  constexpr int kMargin = 4;
  std::vector<Pixel> pixels;
  for (int row = kMargin; row < Image::kSize - kMargin; ++row) {
    for (int column = kMargin; column < Image::kSize - kMargin; ++column) {
      Pixel pixel{1.0 * row, 1.0 * column, 0.0};
      image.Evaluate(row + kShift[0], column + kShift[1], &pixel.value);
      pixels.push_back(pixel);
    }
  }
  return pixels;
}

}  // namespace ceres::examples

#endif  // VESTA_EXAMPLES_BICUBIC_INTERPOLATION_H_
