// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/marginalization/prior_data.h"

#include <cstddef>
#include <utility>

#include "ceres/base/format.h"
#include "ceres/logging/logging.h"

namespace ceres::internal {

std::unique_ptr<LinearizedPrior> Refuse(std::string* error, std::string text) {
  *error = std::move(text);
  return nullptr;
}

std::unique_ptr<LinearizedPrior> MakePrior(
    PriorData data, const std::vector<const Manifold*>& manifolds,
    std::string* error) {
  const std::size_t num_blocks = data.points.size();
  if (!manifolds.empty() && manifolds.size() != num_blocks) {
    return Refuse(error, Format("The prior has %zu blocks, but %zu manifolds "
                                "were given. Give one for each block.",
                                num_blocks, manifolds.size()));
  }
  std::vector<LinearizedPrior::Block> blocks(num_blocks);
  for (std::size_t k = 0; k < num_blocks; ++k) {
    const Manifold* manifold = manifolds.empty() ? nullptr : manifolds[k];
    const int size = static_cast<int>(data.points[k].size());
    const int ambient = manifold == nullptr ? size : manifold->AmbientSize();
    const int tangent = manifold == nullptr ? size : manifold->TangentSize();
    if (ambient != size || tangent != data.tangent_size[k]) {
      return Refuse(
          error, Format("Block %zu of the prior has %d ambient and %d tangent "
                        "coordinates, its manifold %d and %d. Give the "
                        "manifold that the prior was made with.",
                        k, size, data.tangent_size[k], ambient, tangent));
    }
    blocks[k] = {std::move(data.points[k]), manifold};
  }
  return std::make_unique<LinearizedPrior>(std::move(data.a), std::move(data.b),
                                           std::move(blocks));
}

void CheckFinite(const LinearizedPrior& prior) {
  bool finite = prior.A().allFinite() && prior.b().allFinite();
  for (const LinearizedPrior::Block& block : prior.blocks()) {
    finite &= block.point.allFinite();
  }
  VESTA_CHECK(finite) << "A LinearizedPrior with values that are not finite "
                         "cannot be written.";
}

}  // namespace ceres::internal
