// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SPARSE_SELECTED_INVERSE_H_
#define CERES_INTERNAL_SPARSE_SELECTED_INVERSE_H_

#include <atomic>
#include <vector>

#include "ceres/base/array_pool.h"
#include "ceres/execution/execution.h"
#include "ceres/sparse/front_plan.h"

namespace ceres::internal {

// A wanted block of the inverse, in the pattern of the factor.
struct FrontBlock {
  int front;
  // Rows and columns of the front, pivots first. All rows of the block are
  // pivots.
  int row, column;
  int num_rows, num_columns;
  bool is_transposed;  // `values` is the transposed block
  double* values;      // ROW-major
};

// The entries of C = A^-1 in the pattern of the factor L of A = LL', by
// Takahashi's equations (Takahashi, Fagan and Chin, 8th PICA Conference, 1973;
// Erisman and Tinney, Communications of the ACM 18, 1975), front by front, from
// the roots down. For a front with pivot rows P and rows B below them, its
// parent gives C_BB, and
//
// clang-format off
//                     P       B
//             P  [  C_PP    C_PB  ]        X    = L_PP^-T         Y'   = X L_BP'
//     C  =                                 C_PB = - Y' C_BB       C_PP = X X' - Y' C_PB'
//             B  [  C_PB'   C_BB  ]
// clang-format on
//
// All fronts together take twice the operations of the factorization. Only
// fronts with a wanted block and their ancestors are inverted. The stored
// matrix is -C, so that every product is subtracted.
//
// Fronts of different subtrees are inverted at the same time; several threads
// share a wide front. An element is a sum in a fixed order: the same bits for
// every number of threads. Not thread-safe.
class SelectedInverse {
 public:
  // columns: those of all fronts, factored. plan and columns must outlive this.
  SelectedInverse(const FrontPlan<double>& plan, const double* columns);

  // Writes the values of all blocks.
  void Compute(const Execution& execution, std::vector<FrontBlock> blocks);

  // The cost of a front in multiplications with additions, without its
  // ancestors.
  static double Cost(const Front& front);

 private:
  // Work arrays for one front.
  struct Work {
    double* factor;  // L_PP, and below it -X, the panels of a front
    double* y;       // Y', width x below
    double* inverse;
  };

  void MarkNeeded(const std::vector<FrontBlock>& blocks);
  void Invert(const FrontTask& task);
  void Invert(int s, const Execution& execution);
  void InvertTriangle(const Front& front, const Execution& execution,
                      const Work& work) const;
  void GatherBelow(const Front& front, const Execution& execution,
                   double* inverse) const;
  void FillPivotRows(const Front& front, const Execution& execution,
                     const Work& work) const;
  static void Mirror(const Front& front, double* inverse);
  void WriteBlocks(int s, const double* inverse) const;
  void Release(int s);

  const FrontPlan<double>& plan_;
  const double* const columns_;
  ArrayPool<double> arrays_;
  // Of the Compute that runs.
  Execution execution_;
  std::vector<FrontBlock> blocks_;  // by front
  std::vector<int> first_block_;    // by front, + 1
  std::vector<bool> is_needed_;
  std::vector<std::atomic<int>> num_waiting_;  // children yet to be inverted
  std::vector<LineArray<double>> inverse_;     // -C, while children wait
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SPARSE_SELECTED_INVERSE_H_
