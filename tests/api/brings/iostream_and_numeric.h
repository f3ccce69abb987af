// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Compiles behind a header that brings iostream and numeric.

inline void PrintSum(const double* begin, const double* end) {
  std::cout << std::accumulate(begin, end, 0.0) << std::endl;
}
