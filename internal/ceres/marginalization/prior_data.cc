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
    return Refuse(error, Format("The number of manifolds, %zu, is not the "
                                "number of blocks of the prior, %zu. Give one "
                                "for each block.",
                                manifolds.size(), num_blocks));
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

bool CanBeWritten(const LinearizedPrior& prior, std::string* error) {
  std::string text;
  if (!prior.A().allFinite()) text = "A";
  if (!prior.b().allFinite()) text = "b";
  for (std::size_t k = 0; k < prior.blocks().size(); ++k) {
    if (prior.blocks()[k].point.allFinite()) continue;
    text = Format("the point of block %zu", k);
  }
  if (text.empty()) return true;
  text = "The LinearizedPrior cannot be written: " + text +
         " has values that are not finite.";
  if (error == nullptr) {
    VESTA_LOG(kError) << text;
  } else {
    *error = text;
  }
  return false;
}

}  // namespace ceres::internal
