// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Compiles behind a header that brings Eigen/Dense and Eigen/StdVector.

EIGEN_DEFINE_STL_VECTOR_SPECIALIZATION(Eigen::Vector4f)

inline double Determinant(const Eigen::Matrix3d& a) {
  return Eigen::FullPivLU<Eigen::Matrix3d>(a).determinant();
}
