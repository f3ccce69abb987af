// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Compiles behind a header that brings ceres/crs_matrix.h.

inline int NumEntries(const ceres::CRSMatrix& a) {
  return static_cast<int>(a.values.size());
}
