// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_JET_FWD_H_
#define CERES_PUBLIC_JET_FWD_H_

// Declares Jet for headers that only name it; see ceres/jet.h.

#include "ceres/parallel/detail/language.h"

namespace ceres {

template <typename T, int N>
struct Jet;

}  // namespace ceres

#endif  // CERES_PUBLIC_JET_FWD_H_
