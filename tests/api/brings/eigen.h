// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Compiles behind a header that brings Eigen/Core and the types of
// ceres/internal/eigen.h.

inline double Norm(const ceres::Vector& v) {
  return Eigen::Map<const Eigen::VectorXd>(v.data(), v.size()).norm();
}
