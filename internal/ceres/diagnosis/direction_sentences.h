// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_DIAGNOSIS_DIRECTION_SENTENCES_H_
#define CERES_INTERNAL_DIAGNOSIS_DIRECTION_SENTENCES_H_

#include <map>
#include <string>

#include "ceres/diagnosis.h"
#include "ceres/problem/problem_impl.h"

namespace ceres::internal {

// The name of a parameter block, or "parameter block 12".
std::string NameOfBlock(const std::map<int, std::string>& names, int index);

// The parameter blocks of a direction, those with the largest effects first: at
// most three names, "and 312 more".
std::string BlocksOf(const std::map<int, std::string>& names,
                     const Direction& direction);

// Fills cause and remedy from kind, ratio and entries. problem: has the blocks
// of the entries. motion: what a part that is not connected can do: "be
// shifted"; what the values of a block can do: "change in common proportion";
// or empty.
void WriteSentences(const std::map<int, std::string>& names,
                    const ProblemImpl& problem, const std::string& motion,
                    Direction* direction);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_DIAGNOSIS_DIRECTION_SENTENCES_H_
