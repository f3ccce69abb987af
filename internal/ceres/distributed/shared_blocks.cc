// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/distributed.h"
#include "ceres/logging/logging.h"

namespace ceres::distributed {

void SharedBlocks::Add(std::int64_t id, double* values) {
  VESTA_CHECK(values != nullptr)
      << "SharedBlocks::Add: shared block " << id << " is null.";
  VESTA_CHECK(values_of_id_.emplace(id, values).second)
      << "SharedBlocks::Add: shared block " << id << " was added before.";
  const auto [known, is_new] = id_of_values_.emplace(values, id);
  VESTA_CHECK(is_new) << "SharedBlocks::Add: the parameter block at " << values
                      << " was added before, as shared block " << known->second
                      << ", and now as " << id << ".";
  blocks_.emplace_back(id, values);
}

void SharedBlocks::BeginLeaf(int leaf, const Problem& problem) {
  VESTA_CHECK_GE(leaf, 0)
      << "SharedBlocks::BeginLeaf: leaf numbers start at 0.";
  for (const auto& [number, first] : leaves_) {
    VESTA_CHECK_NE(leaf, number)
        << "SharedBlocks::BeginLeaf: leaf " << leaf << " was begun before.";
  }
  leaves_.emplace_back(leaf, problem.NumResidualBlocks());
}

}  // namespace ceres::distributed
