// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SOLVER_WHOLE_SOLVES_RANDOM_FIT_H_
#define CERES_INTERNAL_SOLVER_WHOLE_SOLVES_RANDOM_FIT_H_

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "ceres/ceres.h"

namespace ceres::internal {

// What a residual computes from its parameters z and its data d.
enum class Shape {
  kDecay,     // z_0 exp(z_1 d_0) + z_2
  kPeak,      // z_0 exp(-(d_0 - z_1)^2 / (2 z_2^2))
  kLogistic,  // z_0 / (1 + exp(-z_1 (d_0 - z_2)))
  kWave,      // z_0 sin(z_1 d_0 + z_2) + z_3
  kCubic,     // z_0 + z_1 d_0 + z_2 d_0^2 + z_3 d_0^3
  kLine,      // z_0 + z_1 d_0
  kValley,    // 10 (z_1 - z_0^2) if d_0 = 0, otherwise z_0
  kRange,     // |(z_0, z_1) - (d_0, d_1)|
  kDistance,  // |(z_0, z_1) - (z_2, z_3)|
  kForward,   // coordinate 0 of (d_0, d_1), seen from the pose (z_0, z_1), z_2
  kLeft,      // coordinate 1
  kRotatedX,  // coordinate 0 of d, rotated by (z_0, ..., z_3), moved by z_4...
  kRotatedY,
  kRotatedZ,
};

// weight (shape(z) - target). parameters: the indices of z in the fit.
struct FitRow {
  Shape shape;
  std::vector<int> parameters;
  double data[3];
  double target;
  double weight = 1.0;
};

// For tests: a small random fit in natural coordinates: parameters z and
// residuals are numbers near 1.
//
// A seed draws the same numbers on every platform. Uses public headers only, so
// that it compiles against every library with this API.
struct RandomFit {
  enum class Kind {
    kDecay,
    kPeak,
    kLogistic,
    kWave,
    kCubic,
    kRobustLine,  // with outliers and CauchyLoss
    kValley,      // Rosenbrock's
    kRanges,      // a position in the plane from its distances to known points
    kNetwork,     // six positions from distances
    kPose,        // position and heading from known points
    kAlignment,   // quaternion and translation from pairs of points
  };
  static constexpr int kNumKinds = 11;

  // noise: the size of the error of the data. 0: the minimum is 0.
  RandomFit(Kind kind, int seed, double noise);

  bool is_robust() const { return kind == Kind::kRobustLine; }
  int num_parameters() const { return static_cast<int>(start.size()); }
  // Whether the parameter is a length, or another quantity that has a unit and
  // an origin which a user chooses.
  bool HasUnit(int parameter) const;
  // The residuals at z, without loss functions.
  std::vector<double> Residuals(const std::vector<double>& z) const;
  std::string Name() const;

  Kind kind;
  int seed;
  double noise;
  std::vector<double> truth;
  std::vector<double> start;
  std::vector<FitRow> rows;
  // The scale of CauchyLoss.
  double loss_scale = 0.1;

 private:
  double Draw(double low, double high);
  double DrawError();
  void DrawTruth();
  void DrawRows();
  void DrawCurve(Shape shape);
  void DrawPlane();
  void DrawAlignment();
  void AddRow(Shape shape, const std::vector<int>& parameters, double d0,
              double d1 = 0.0, double d2 = 0.0);

  std::mt19937_64 random_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SOLVER_WHOLE_SOLVES_RANDOM_FIT_H_
