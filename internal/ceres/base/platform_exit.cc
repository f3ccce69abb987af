// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <cstdlib>

#include "ceres/base/platform.h"

#if !defined(CERES_EXIT_CAN_BE_UNWOUND)

namespace ceres::platform {

namespace {

thread_local bool is_in_exit = false;

}  // namespace

bool IsInExit() { return is_in_exit; }

// exit() calls functions and destructors in the reverse order of their
// registration, in the thread that has called it. If there is no memory for the
// registration, exit() stays unknown.
void ExpectExit() {
  (void)std::atexit([] { is_in_exit = true; });
}

}  // namespace ceres::platform

#endif
