// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// bicubic_interpolation with derivatives written by hand: BiCubicInterpolator
// gives those of the image by row and column.
//
// Prints: Final   shift: 1.25 -0.7 pixels

#include <iostream>

#include "bicubic_interpolation.h"
#include "ceres/ceres.h"

namespace {

using ceres::examples::Interpolator;
using ceres::examples::Pixel;

// residual = image(pixel + shift) - value.
class GreyDifference final : public ceres::SizedCostFunction<1, 2> {
 public:
  GreyDifference(const Interpolator* image, const Pixel& pixel)
      : image_(image), pixel_(pixel) {}

  bool Evaluate(double const* const* parameters, double* residuals,
                double** jacobians) const override {
    const double* shift = parameters[0];
    double by_row = 0.0;
    double by_column = 0.0;
    image_->Evaluate(pixel_.row + shift[0], pixel_.column + shift[1], residuals,
                     &by_row, &by_column);
    residuals[0] -= pixel_.value;
    if (jacobians != nullptr && jacobians[0] != nullptr) {
      jacobians[0][0] = by_row;
      jacobians[0][1] = by_column;
    }
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
    problem.AddResidualBlock(new GreyDifference(&interpolator, pixel), nullptr,
                             shift);
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
