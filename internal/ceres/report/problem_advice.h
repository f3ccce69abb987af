// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_REPORT_PROBLEM_ADVICE_H_
#define CERES_INTERNAL_REPORT_PROBLEM_ADVICE_H_

#include <optional>

#include "ceres/report/advice.h"

namespace ceres::internal {

using MaybeAdvice = std::optional<Advice>;

// The rules of advice.h that look at parameters and residuals. The others,
// which look at options and at the course of the solve, are in advice.cc.
MaybeAdvice NotEvaluable(const AdviceInput& in);
MaybeAdvice LargeResiduals(const AdviceInput& in);
MaybeAdvice Scaling(const AdviceInput& in);
MaybeAdvice AtBounds(const AdviceInput& in);
MaybeAdvice DominatingBlocks(const AdviceInput& in);
MaybeAdvice BeyondLosses(const AdviceInput& in);
MaybeAdvice UnusedParameters(const AdviceInput& in);
MaybeAdvice Rank(const AdviceInput& in);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_REPORT_PROBLEM_ADVICE_H_
