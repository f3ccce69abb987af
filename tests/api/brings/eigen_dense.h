// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Compiles behind a header that brings Eigen/Dense.

inline double LargestSingularValue(const Eigen::Matrix3d& a) {
  return Eigen::JacobiSVD<Eigen::Matrix3d>(a).singularValues()[0];
}
