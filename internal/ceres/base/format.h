// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_BASE_FORMAT_H_
#define CERES_INTERNAL_BASE_FORMAT_H_

#include <string>

#include "ceres/base/intrinsics.h"
#include "ceres/parallel/detail/export.h"

namespace ceres::internal {

// Returns what printf prints.
CERES_PARALLEL_EXPORT std::string Format(const char* format, ...)
    CERES_PRINTF(1, 2);

// Appends what printf prints.
CERES_PARALLEL_EXPORT void AppendFormat(std::string* output, const char* format,
                                        ...) CERES_PRINTF(2, 3);

// Appends what %e prints of the value. Faster than printf.
CERES_PARALLEL_EXPORT void AppendScientific(double value, std::string* output);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_BASE_FORMAT_H_
