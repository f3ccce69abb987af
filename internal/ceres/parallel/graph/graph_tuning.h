// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_GRAPH_GRAPH_TUNING_H_
#define CERES_INTERNAL_PARALLEL_GRAPH_GRAPH_TUNING_H_

#include <cstdint>

// The constants of task graphs that were chosen by measurement. None of them
// changes a result. graph_runner.cc says what they are for.
//
// To measure again, on a machine that does nothing else:
//   scripts/measure.sh runtime --bars=task_graphs
//   scripts/measure.sh instructions    (graph_of_100_nodes)

namespace ceres::parallel::detail {

// Nodes are short if they take less than this on average between two looks at
// the clock, in nanoseconds.
inline constexpr float kShortNode = 1500.0f;
// Nodes visited between two looks at the clock: while the thread keeps heads
// that no other thread can see, and otherwise.
inline constexpr int kVisitsWithKept = 4;
inline constexpr int kVisits = 16;
// Heads of strands that a thread keeps at most, and that it claims at once.
inline constexpr int kMaxKeptHeads = 64;
inline constexpr int kMaxClaimed = 16;
// Successors in one block of edges that are prefetched.
inline constexpr std::uint32_t kMaxPrefetched = 8;

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_GRAPH_GRAPH_TUNING_H_
