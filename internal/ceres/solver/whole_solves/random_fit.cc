// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/solver/whole_solves/random_fit.h"

#include <cmath>

#include "ceres/solver/whole_solves/fit_shapes.h"

namespace ceres::internal {
namespace {

constexpr int kNumSamples = 20;
constexpr int kNumPoints = 8;
constexpr int kNumPositions = 6;

const char* const kNames[RandomFit::kNumKinds] = {
    "decay",  "peak",   "logistic", "wave", "cubic",    "robust line",
    "valley", "ranges", "network",  "pose", "alignment"};

}  // namespace

RandomFit::RandomFit(Kind kind, int seed, double noise)
    : kind(kind),
      seed(seed),
      noise(noise),
      random_(1000 * seed + static_cast<int>(kind)) {
  DrawTruth();
  DrawRows();
}

void RandomFit::DrawRows() {
  switch (kind) {
    case Kind::kDecay:
      return DrawCurve(Shape::kDecay);
    case Kind::kPeak:
      return DrawCurve(Shape::kPeak);
    case Kind::kLogistic:
      return DrawCurve(Shape::kLogistic);
    case Kind::kWave:
      return DrawCurve(Shape::kWave);
    case Kind::kCubic:
      return DrawCurve(Shape::kCubic);
    case Kind::kRobustLine:
      return DrawCurve(Shape::kLine);
    case Kind::kValley:
      AddRow(Shape::kValley, {0, 1}, 0.0);
      AddRow(Shape::kValley, {0, 1}, 1.0);
      return AddRow(Shape::kValley, {0, 1}, 1.0);
    case Kind::kAlignment:
      return DrawAlignment();
    default:
      return DrawPlane();
  }
}

double RandomFit::Draw(double low, double high) {
  constexpr double kUnit = 1.0 / (uint64_t{1} << 53);
  return low + (high - low) * (random_() >> 11) * kUnit;
}

// Nearly normal, with standard deviation 1.
double RandomFit::DrawError() {
  double sum = 0.0;
  for (int i = 0; i < 12; ++i) sum += Draw(-0.5, 0.5);
  return sum;
}

void RandomFit::DrawTruth() {
  switch (kind) {
    case Kind::kDecay:
      truth = {Draw(1.0, 2.0), Draw(-1.5, -0.5), Draw(0.0, 1.0)};
      break;
    case Kind::kPeak:
      truth = {Draw(1.0, 2.0), Draw(1.0, 2.0), Draw(0.3, 1.3)};
      break;
    case Kind::kLogistic:
      truth = {Draw(1.0, 2.0), Draw(1.0, 3.0), Draw(1.0, 2.0)};
      break;
    case Kind::kWave:
      truth = {Draw(1.0, 2.0), Draw(1.0, 2.0), Draw(0.0, 1.0), Draw(0.0, 1.0)};
      break;
    case Kind::kCubic:
      truth = {DrawError(), DrawError(), DrawError(), DrawError()};
      break;
    case Kind::kRobustLine:
    case Kind::kValley:
      truth = {Draw(0.5, 1.5), Draw(0.5, 1.5)};
      break;
    case Kind::kRanges:
      truth = {3.0 * DrawError(), 3.0 * DrawError()};
      break;
    case Kind::kNetwork:
      for (int i = 0; i < 2 * kNumPositions; ++i) {
        truth.push_back(3.0 * DrawError());
      }
      break;
    case Kind::kPose:
      truth = {DrawError(), DrawError(), Draw(-3.0, 3.0)};
      break;
    case Kind::kAlignment:
      for (int i = 0; i < 7; ++i) truth.push_back(DrawError());
      break;
  }
  // Close enough that all methods find the minimum near the truth: a wave has
  // one in every period.
  const bool has_lengths = kind >= Kind::kRanges;
  const double part = kind == Kind::kWave ? 0.1 : 0.2;
  for (const double value : truth) {
    start.push_back(has_lengths ? value + 0.5 * DrawError()
                                : value * (1.0 + part * DrawError()) +
                                      0.02 * DrawError());
  }
  if (kind == Kind::kValley) {
    truth[1] = truth[0] * truth[0];
    start = {-1.2, 1.0};
  }
  if (kind == Kind::kAlignment) {
    for (std::vector<double>* z : {&truth, &start}) {
      const double norm = std::sqrt((*z)[0] * (*z)[0] + (*z)[1] * (*z)[1] +
                                    (*z)[2] * (*z)[2] + (*z)[3] * (*z)[3]);
      for (int i = 0; i < 4; ++i) (*z)[i] /= norm;
    }
  }
}

void RandomFit::AddRow(Shape shape, const std::vector<int>& parameters,
                       double d0, double d1, double d2) {
  FitRow row = {shape, parameters, {d0, d1, d2}, 0.0};
  std::vector<double> z;
  for (const int j : parameters) z.push_back(truth[j]);
  row.target = EvaluateRow(row, z.data()) + noise * DrawError();
  rows.push_back(row);
}

void RandomFit::DrawCurve(Shape shape) {
  std::vector<int> all;
  for (int j = 0; j < num_parameters(); ++j) all.push_back(j);
  for (int i = 0; i < kNumSamples; ++i) {
    // Around 0 the columns of a cubic are far from collinear.
    const double begin = kind == Kind::kCubic ? -1.5 : 0.0;
    AddRow(shape, all, begin + 3.0 * i / kNumSamples);
    if (is_robust() && i % 6 == 4) rows.back().target += 2.0;
  }
}

void RandomFit::DrawPlane() {
  const int num_positions = kind == Kind::kNetwork ? kNumPositions : 1;
  for (int i = 0; i < num_positions; ++i) {
    for (int k = 0; k < kNumPoints; ++k) {
      const double x = 5.0 * DrawError();
      const double y = 5.0 * DrawError();
      if (kind == Kind::kPose) {
        AddRow(Shape::kForward, {0, 1, 2}, x, y);
        AddRow(Shape::kLeft, {0, 1, 2}, x, y);
      } else if (kind == Kind::kRanges || k < 3) {
        AddRow(Shape::kRange, {2 * i, 2 * i + 1}, x, y);
      }
    }
    for (int k = 0; k < i; ++k) {
      AddRow(Shape::kDistance, {2 * i, 2 * i + 1, 2 * k, 2 * k + 1}, 0.0);
    }
  }
}

void RandomFit::DrawAlignment() {
  const std::vector<int> all = {0, 1, 2, 3, 4, 5, 6};
  for (int k = 0; k < kNumPoints; ++k) {
    const double x = 2.0 * DrawError();
    const double y = 2.0 * DrawError();
    const double z = 2.0 * DrawError();
    AddRow(Shape::kRotatedX, all, x, y, z);
    AddRow(Shape::kRotatedY, all, x, y, z);
    AddRow(Shape::kRotatedZ, all, x, y, z);
  }
}

bool RandomFit::HasUnit(int parameter) const {
  if (kind == Kind::kPose) return parameter < 2;
  if (kind == Kind::kAlignment) return parameter >= 4;
  return true;
}

std::vector<double> RandomFit::Residuals(const std::vector<double>& z) const {
  std::vector<double> residuals;
  for (const FitRow& row : rows) {
    std::vector<double> of_row;
    for (const int j : row.parameters) of_row.push_back(z[j]);
    residuals.push_back(EvaluateRow(row, of_row.data()));
  }
  return residuals;
}

std::string RandomFit::Name() const {
  return std::string(kNames[static_cast<int>(kind)]) + " " +
         std::to_string(seed) + (noise > 0.0 ? "" : " without noise");
}

}  // namespace ceres::internal
