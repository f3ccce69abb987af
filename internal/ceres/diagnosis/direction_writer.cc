// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/diagnosis/direction_writer.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "ceres/diagnosis/direction_sentences.h"

namespace ceres::internal {

Direction::Entry DirectionWriter::EntryOf(const DiagnosedCoordinate& at,
                                          double value, double effect) const {
  return {at.block->user_state(), at.block->index(), at.coordinate, value,
          effect};
}

Direction DirectionWriter::EntriesOf(const std::vector<double>& norms,
                                     const SparseVector& entries) const {
  double smallest_norm = 0.0;
  for (const auto& [column, value] : entries) {
    const double norm = norms[column];
    if (norm > 0.0 && (smallest_norm == 0.0 || norm < smallest_norm)) {
      smallest_norm = norm;
    }
  }
  Direction direction;
  direction.entries.reserve(entries.size());
  double largest = 0.0;
  for (const auto& [column, value] : entries) {
    const double norm = norms[column];
    // Divided by the norm, without overflow.
    const double own = norm > 0.0 ? value * (smallest_norm / norm) : value;
    largest = std::max(largest, std::abs(own));
    direction.entries.push_back(EntryOf(problem_.coordinate(column), own, 0.0));
  }
  for (std::size_t k = 0; k < entries.size(); ++k) {
    Direction::Entry& entry = direction.entries[k];
    entry.value /= largest;
    entry.effect = entry.value * norms[entries[k].first];
  }
  return direction;
}

Direction DirectionWriter::ToDirection(const std::vector<double>& norms,
                                       const SparseVector& entries,
                                       DirectionKind kind, const char* motion,
                                       double ratio) const {
  Direction direction = EntriesOf(norms, entries);
  direction.kind = kind;
  direction.ratio = ratio;
  Finish(motion, &direction);
  return direction;
}

void DirectionWriter::Finish(const char* motion, Direction* direction) const {
  if (options_.parameter_block_name) {
    for (const Direction::Entry& entry : direction->entries) {
      std::map<int, std::string>& names = result_->parameter_block_names;
      if (names.count(entry.parameter_block_index) != 0) continue;
      std::string name = options_.parameter_block_name(entry.parameter_block);
      if (name.empty()) continue;
      names.emplace(entry.parameter_block_index, std::move(name));
    }
  }
  WriteSentences(result_->parameter_block_names, problem_.impl(), motion,
                 direction);
}

}  // namespace ceres::internal
