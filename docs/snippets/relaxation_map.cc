// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// A map of relaxation times from a series of images.

#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

#include "ceres/fit_many.h"
#include "noise.h"

namespace {

constexpr int kSize = 32;    // Pixels of a row and of a column.
constexpr int kImages = 16;  // Echoes, 10 ms apart.

// [functor]
// Signal of an echo: density exp(-t / T2). A sample is {t in ms, signal}.
struct Echo {
  template <typename T, typename D>
  bool operator()(const T* p, const D* sample, T* residual) const {
    residual[0] = p[0] * exp(-sample[0] / p[1]) - sample[1];
    return true;
  }
};
// [/functor]

// The truth in ms: a disc of 80 with a spot of 140 and one of 45; 0 outside.
double TrueT2(int row, int column) {
  const auto is_near = [&](double r, double c, double radius) {
    return std::hypot(row - r, column - c) < radius;
  };
  if (!is_near(15.5, 15.5, 14.0)) return 0.0;
  if (is_near(11.0, 10.0, 4.0)) return 140.0;
  return is_near(20.0, 20.0, 5.0) ? 45.0 : 80.0;
}

}  // namespace

int main() {
  Noise noise;
  // Image after image, as scanners write them.
  std::vector<float> images(kImages * kSize * kSize);
  std::vector<double> times;
  for (int i = 0; i < kImages; ++i) {
    times.push_back(10.0 * (i + 1));
    for (int pixel = 0; pixel < kSize * kSize; ++pixel) {
      const double t2 = TrueT2(pixel / kSize, pixel % kSize);
      const double signal = t2 > 0.0 ? std::exp(-times[i] / t2) : 0.0;
      images[i * kSize * kSize + pixel] =
          static_cast<float>(signal + noise.Normal(0.02));
    }
  }

  // [fit]
  // Pixels with a signal in the first image.
  const int num_pixels = kSize * kSize;
  const auto mask = std::make_unique<bool[]>(num_pixels);
  for (int p = 0; p < num_pixels; ++p) mask[p] = images[p] > 0.3f;

  ceres::FitData data;
  data.num_fits = num_pixels;
  data.num_samples = kImages;
  // A pixel's samples are num_pixels numbers apart: no array is turned around.
  data.columns = {ceres::FitColumn(times.data(), 0),
                  ceres::FitColumn(images.data(), 1, num_pixels)};
  data.mask = ceres::FitColumn(mask.get(), 1, 0);

  std::vector<double> map(2 * num_pixels);
  for (int p = 0; p < num_pixels; ++p) {
    map[2 * p] = 1.0;       // Density.
    map[2 * p + 1] = 60.0;  // T2 in ms.
  }
  const double lower[] = {0.0, 1.0}, upper[] = {10.0, 1000.0};
  ceres::FitParameters unknowns;
  unknowns.size = 2;
  unknowns.values = map.data();
  unknowns.lower = lower;
  unknowns.upper = upper;
  std::vector<ceres::FitStatus> statuses(num_pixels);
  ceres::FitResults results;
  results.statuses = statuses.data();
  const ceres::FitManySummary summary =
      ceres::FitMany<Echo>(ceres::FitManyOptions(), data, unknowns, results);
  // [/fit]

  std::printf("%d pixels fitted, %d outside\n",
              static_cast<int>(summary.num_converged),
              static_cast<int>(summary.num_failed));
  for (int p = 0; p < num_pixels; ++p) {
    const bool is_fitted = statuses[p] == ceres::FitStatus::kConverged;
    std::printf("%.0f%c", is_fitted ? map[2 * p + 1] : 0.0,
                p % kSize == kSize - 1 ? '\n' : ' ');
  }
  return 0;
}
