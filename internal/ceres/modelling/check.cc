// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/internal/check.h"

#include <string>

#include "ceres/logging/logging.h"

namespace ceres::internal {

void FailCheck(std::initializer_list<CheckMessagePart> message) {
  std::string text;
  for (const CheckMessagePart& part : message) {
    text +=
        part.text() != nullptr ? part.text() : std::to_string(part.number());
  }
  VESTA_FATAL() << "Check failed: " << text;
}

}  // namespace ceres::internal
