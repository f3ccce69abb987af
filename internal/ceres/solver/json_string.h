// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SOLVER_JSON_STRING_H_
#define CERES_INTERNAL_SOLVER_JSON_STRING_H_

#include <string>

namespace ceres::internal {

// The text as a JSON string (RFC 8259, section 7), quotes included. Bytes that
// are not UTF-8 (RFC 3629), which a message may have from user code, become the
// replacement character U+FFFD, each.
std::string JsonString(const std::string& text);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SOLVER_JSON_STRING_H_
