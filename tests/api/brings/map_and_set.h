// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Compiles behind a header that brings map and set.

inline std::map<double*, std::set<int>> MakeMapOfSets() { return {}; }
