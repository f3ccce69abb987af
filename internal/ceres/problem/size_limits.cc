// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/problem/size_limits.h"

#include <algorithm>
#include <limits>

#include "ceres/base/format.h"
#include "ceres/problem/parameter_block.h"

namespace ceres::internal {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<int>::max();

std::string TooMany(std::int64_t count, const char* what, const char* advice) {
  return Format("The problem has %lld %s. At most %lld are supported. %s",
                static_cast<long long>(count), what,
                static_cast<long long>(kMost), advice);
}

}  // namespace

JacobianSizes JacobianSizes::Of(const std::vector<ResidualBlock*>& blocks) {
  JacobianSizes sizes;
  for (const ResidualBlock* block : blocks) {
    const std::int64_t residuals = block->num_residuals();
    std::int64_t columns = 0;
    for (int a = 0; a < block->num_parameter_blocks(); ++a) {
      const ParameterBlock& argument = *block->parameter_blocks()[a];
      if (argument.IsConstant()) continue;
      columns += argument.tangent_size();
      ++sizes.num_cells;
    }
    sizes.num_residuals += residuals;
    sizes.num_entries += residuals * columns;
    sizes.largest_block =
        std::max(sizes.largest_block, residuals * (1 + columns));
  }
  return sizes;
}

std::string SizeError(const JacobianSizes& sizes) {
  if (sizes.num_residuals > kMost) {
    return TooMany(sizes.num_residuals, "residuals",
                   "Solve it in parts, or use fewer observations.");
  }
  if (sizes.num_cells > kMost) {
    return TooMany(sizes.num_cells, "uses of parameter blocks",
                   "Solve it in parts, or use fewer observations.");
  }
  if (sizes.largest_block > kMost) {
    return TooMany(sizes.largest_block,
                   "residuals and derivatives in one residual block",
                   "Use several residual blocks with fewer residuals each.");
  }
  return "";
}

std::string SizeError(const std::vector<ResidualBlock*>& blocks,
                      const RowSizeBounds& bounds, int max_tangent_size) {
  const std::int64_t residuals = bounds.max_residuals;
  const std::int64_t arguments = bounds.max_arguments;
  const auto num_blocks = static_cast<std::int64_t>(blocks.size());
  // The products of three numbers are compared by division.
  if (residuals > 0 &&
      residuals <= kMost / std::max<std::int64_t>(1, num_blocks) &&
      num_blocks * arguments <= kMost &&
      1 + arguments * max_tangent_size <= kMost / residuals) {
    return "";
  }
  return SizeError(JacobianSizes::Of(blocks));
}

std::string CrsSizeError(const JacobianSizes& sizes) {
  if (sizes.num_entries <= kMost) return "";
  return TooMany(sizes.num_entries, "entries in its Jacobian",
                 "Ask Problem::Evaluate for some of the residual blocks at a "
                 "time (EvaluateOptions::residual_blocks).");
}

}  // namespace ceres::internal
