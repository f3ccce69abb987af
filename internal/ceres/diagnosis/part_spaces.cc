// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/diagnosis/part_spaces.h"

#include "ceres/execution/loops.h"

namespace ceres::internal {
namespace {

// Parts with more columns use all threads; smaller parts share them.
constexpr int kManyColumns = 200;

}  // namespace

bool FindPartSpaces(const Execution& execution,
                    const std::vector<bool>* is_row_used,
                    const BlockJacobian& jacobian,
                    const std::vector<double>& norms,
                    const std::vector<MovableBlock>& blocks, double weak_ratio,
                    PartSpaces* found, std::string* message) {
  found->parts = FindParts(execution, jacobian, is_row_used);
  const auto num_parts = static_cast<int>(found->parts.size());
  found->spaces.resize(num_parts);
  std::vector<std::string> messages(num_parts);
  std::vector<char> is_ok(num_parts, 1);
  const auto find = [&](const Execution& threads, int k) {
    is_ok[k] = FindNullSpace(threads, *found->parts[k], norms, blocks,
                             weak_ratio, &found->spaces[k], &messages[k]);
  };
  const auto is_large = [&](int k) {
    return found->parts[k]->structure().num_columns() > kManyColumns;
  };
  Execution serial;
  serial.stop = execution.stop;
  ParallelFor(execution, 0, num_parts, [&](int k) {
    if (!is_large(k)) find(serial, k);
  });
  for (int k = 0; k < num_parts; ++k) {
    if (is_large(k)) find(execution, k);
    if (is_ok[k]) continue;
    *message = messages[k].empty()
                   ? "The factorization of the normal equations failed."
                   : messages[k];
    return false;
  }
  return true;
}

}  // namespace ceres::internal
