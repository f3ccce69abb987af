// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Aligns two images: finds the shift (rows, columns) at which one image, read
// between its pixels by BiCubicInterpolator, has the grey values of the other.
//
// Prints: Final   shift: 1.25 -0.7 pixels

#include "bicubic_interpolation.h"

#include <iostream>

#include "ceres/ceres.h"

namespace {

using ceres::examples::Interpolator;
using ceres::examples::Pixel;

// residual = image(pixel + shift) - value.
class GreyDifference {
 public:
  GreyDifference(const Interpolator* image, const Pixel& pixel)
      : image_(image), pixel_(pixel) {}

  template <typename T>
  bool operator()(const T* shift, T* residual) const {
    image_->Evaluate(pixel_.row + shift[0], pixel_.column + shift[1], residual);
    residual[0] -= pixel_.value;
    return true;
  }

 private:
  const Interpolator* image_;
  Pixel pixel_;
};

}  // namespace

int main() {
  const ceres::examples::Image image;
  const Interpolator interpolator(image.grid());
  double shift[2] = {0.0, 0.0};
  ceres::Problem problem;
  for (const Pixel& pixel : ceres::examples::ShiftedPixels(interpolator)) {
    problem.AddResidualBlock(
        new ceres::AutoDiffCostFunction<GreyDifference, 1, 2>(
            new GreyDifference(&interpolator, pixel)),
        nullptr, shift);
  }

  ceres::Solver::Options options;
  options.minimizer_progress_to_stdout = true;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);

  std::cout << summary.BriefReport() << "\n";
  std::cout << "Initial shift: 0 0\n";
  std::cout << "Final   shift: " << shift[0] << " " << shift[1] << " pixels\n";
  return summary.IsSolutionUsable() ? 0 : 1;
}
