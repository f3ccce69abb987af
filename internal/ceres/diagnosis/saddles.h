// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_DIAGNOSIS_SADDLES_H_
#define CERES_INTERNAL_DIAGNOSIS_SADDLES_H_

#include <cstddef>
#include <vector>

#include "ceres/diagnosis/diagnosed_problem.h"
#include "ceres/diagnosis/direction_kinds.h"
#include "ceres/execution/execution.h"

namespace ceres::internal {

// Tells directions that are free from those that are undetermined at the user's
// values x only, which are at a saddle or in a symmetric position.
//
// Near x, the null space of J has at most the dimension that it has at x. If
// the dimension is less at a point x' nearby, the null space at x' is close to
// a subspace of the null space at x. That subspace may depend on x', as for the
// residual a b at a = b = 0. So two points are tried, and the free directions
// are those that both null spaces are close to. The others get the kind
// kZeroDerivative: as many of the given directions, fewest entries first, as
// complete a basis. Directions that are neither free nor chosen are replaced by
// free ones. A free column that is zero at x only gets the kind kCombination.
//
// largest_part: the index and the number of columns of the largest part, for
// FoundDirection::part. Nothing changes if all directions are named motions of
// space and no row of J is zero, if no point nearby can be evaluated, or if
// memory is lacking. Throws Stopped, and what user code throws.
void SeparateSaddles(const Execution& execution, const ScaledJacobian& scaled,
                     double weak_ratio, int largest_part,
                     std::size_t largest_part_columns,
                     DiagnosedProblem* problem,
                     std::vector<FoundDirection>* directions);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_DIAGNOSIS_SADDLES_H_
