// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef VESTA_EXAMPLES_CURVE_FITTING_DATA_H_
#define VESTA_EXAMPLES_CURVE_FITTING_DATA_H_

namespace ceres::examples {

struct Sample {
  double x;
  double y;
};

inline constexpr Sample kCurveSamples[] = {
#include "curve_fitting_samples.inc"
};

inline constexpr int kNumCurveSamples =
    sizeof(kCurveSamples) / sizeof(kCurveSamples[0]);

}  // namespace ceres::examples

#endif  // VESTA_EXAMPLES_CURVE_FITTING_DATA_H_
