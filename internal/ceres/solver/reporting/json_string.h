// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SOLVER_REPORTING_JSON_STRING_H_
#define CERES_INTERNAL_SOLVER_REPORTING_JSON_STRING_H_

#include <string>

namespace ceres::internal {

// Returns the text as a JSON string (RFC 8259, section 7), with quotes. Each
// byte that is not part of a UTF-8 sequence (RFC 3629) becomes the replacement
// character U+FFFD; messages of user code may contain such bytes.
std::string JsonString(const std::string& text);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SOLVER_REPORTING_JSON_STRING_H_
