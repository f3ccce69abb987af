// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SPARSE_INCREMENTAL_FILL_REFERENCE_H_
#define CERES_INTERNAL_SPARSE_INCREMENTAL_FILL_REFERENCE_H_

#include <cstdint>

#include "ceres/sparse/incremental/clique_minimum_degree.h"

namespace ceres::internal {

// The fill that an order of all nodes of a matrix would give. The order is
// searched in pieces, on a snapshot of the matrix, beside other work. Not
// thread-safe. Does not move.
class FillReference {
 public:
  FillReference() = default;
  FillReference(const FillReference&) = delete;
  FillReference& operator=(const FillReference&) = delete;

  bool is_searching() const { return is_searching_; }
  // The snapshot, to be filled before Begin.
  CliqueGraph& graph() { return graph_; }
  void Begin();
  // Continues the search for about `most` operations (sparse_tuning.h). Returns
  // the operations that it took.
  int64_t Advance(int64_t most);
  // Scalars of the columns of all fronts per scalar of the matrix, in the last
  // order that was found. 0: none was found.
  double fill() const { return fill_; }

 private:
  void Measure(const CliqueForest& forest);

  bool is_searching_ = false;
  CliqueGraph graph_;
  CliqueMinimumDegree ordering_;
  double fill_ = 0.0;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SPARSE_INCREMENTAL_FILL_REFERENCE_H_
