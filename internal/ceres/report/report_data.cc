// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/report/report_data.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ceres::internal {

std::vector<int> EvenSample(int count, int most) {
  const int n = std::min(count, most);
  std::vector<int> sample(n);
  for (int i = 0; i < n; ++i) {
    sample[i] =
        n == 1 ? 0 : static_cast<int>(std::int64_t{i} * (count - 1) / (n - 1));
  }
  return sample;
}

}  // namespace ceres::internal
