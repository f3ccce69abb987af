// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SPARSE_FRONT_PLANNING_H_
#define CERES_INTERNAL_SPARSE_FRONT_PLANNING_H_

#include <memory>
#include <string>
#include <vector>

#include "ceres/sparse/block_symmetric_structure.h"
#include "ceres/sparse/elimination_order.h"
#include "ceres/sparse/front_plan.h"
#include "ceres/types.h"

namespace ceres::internal {

// Plans the factorization of a matrix of this structure: merges
// indistinguishable blocks into nodes, orders the nodes, finds supernodes and
// plans their fronts. group: null, or the elimination group of each block
// (fill_reducing_ordering.h); without groups the elimination tree is balanced.
// elimination_order: null, or the order to use, and where to return the order
// that is used. An order that is not final may be balanced. Nodes are ordered
// by their first blocks in the given order. Returns null if the ordering
// failed. Then *error, empty before, says why.
template <typename T>
[[nodiscard]] std::unique_ptr<const FrontPlan<T>> PlanFronts(
    LinearSolverOrderingType ordering, const BlockSymmetricStructure& structure,
    const std::vector<int>* group, FrontEntries entries,
    EliminationOrder* elimination_order, std::string* error);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SPARSE_FRONT_PLANNING_H_
