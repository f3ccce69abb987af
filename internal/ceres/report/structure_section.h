// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_REPORT_STRUCTURE_SECTION_H_
#define CERES_INTERNAL_REPORT_STRUCTURE_SECTION_H_

#include "ceres/problem.h"
#include "ceres/report/report_data.h"
#include "ceres/solver.h"

namespace ceres::internal {

// Draws J'J in the problem's order and in the order of the solve, and S if the
// linear solver forms a Schur complement. Orderings are computed again, by the
// functions that the solve calls. Time and memory are bounded: matrices with
// too many entries are left out, with a note.
StructureSection CollectStructure(const Solver::Options& options,
                                  const Solver::Summary& summary,
                                  Problem* problem);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_REPORT_STRUCTURE_SECTION_H_
