// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Prints the bytes of memory that a problem with a million residual blocks
// takes: the counterpart in C++ of the Python program in compare.py.

#include <unistd.h>

#include <cstdio>
#include <vector>

#include "ceres/ceres.h"
#include "snavely_reprojection_error.h"

namespace {

// Bytes of resident memory.
long Resident() {
  long size = 0;
  long resident = 0;
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr) return 0;
  if (std::fscanf(file, "%ld %ld", &size, &resident) != 2) resident = 0;
  std::fclose(file);
  return resident * sysconf(_SC_PAGESIZE);
}

}  // namespace

int main() {
  constexpr int kBlocks = 1000000;
  std::vector<double> cameras(9 * 1000, 1.0);
  std::vector<double> points(3 * (kBlocks / 4), 1.0);
  const long before = Resident();
  ceres::Problem problem;
  for (int i = 0; i < kBlocks; ++i) {
    problem.AddResidualBlock(
        ceres::examples::SnavelyReprojectionError::Create(0.0, 0.0), nullptr,
        &cameras[9 * static_cast<size_t>(i % 1000)],
        &points[3 * static_cast<size_t>(i / 4)]);
  }
  std::printf("%ld\n", Resident() - before);
  return 0;
}
