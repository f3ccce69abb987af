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

// A wanted block of the inverse that lies in the pattern of the factor. Its
// rows are pivots of `front`.
struct FrontBlock {
  int front;
  int row, column;  // in the front, pivots first
  int num_rows, num_columns;
  bool is_transposed;  // write the mirror of the block instead
  double* values;      // ROW-major
};

// Computes the entries of C = A^-1 within the pattern of A = LL', by
// Takahashi's equations, front by front from the roots down. A front has pivot
// rows P and rows B below; its parent's entries give C_BB:
//
// clang-format off
//
//          P    B
//      P [ C_PP C_PB ]       X = L_PP^-T          Y' = X L_BP'
//      B [  .   C_BB ]       C_PB = - Y' C_BB     C_PP = X X' - Y' C_PB'
//
// clang-format on
//
// All entries take twice the operations of the factorization. Only fronts that
// have a wanted block, and their ancestors, are visited. -C is stored, so that
// every product is subtracted.
//
// Fronts of which none is an ancestor of another are inverted at the same time;
// a wide front is shared between threads. Every element is a sum in a fixed
// order: the bits do not depend on the number of threads. Not thread-safe.
//
// Source: Takahashi, Fagan and Chin, 8th PICA Conference, 1973; Erisman and
// Tinney, Communications of the ACM 18, 1975.
class SelectedInverse {
 public:
  // columns: of all fronts, factored. plan and columns must outlive this.
  SelectedInverse(const FrontPlan<double>& plan, const double* columns);

  void Compute(const Execution& execution, std::vector<FrontBlock> blocks);

  // The number of multiply-adds for the front, without its ancestors.
  static double Cost(const Front& front);

 private:
  // Arrays that a front is inverted with.
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
  // State of the Compute that is running.
  Execution execution_;
  std::vector<FrontBlock> blocks_;  // by front
  std::vector<int> first_block_;    // by front, + 1
  std::vector<bool> is_needed_;
  std::vector<std::atomic<int>> num_waiting_;  // children yet to be inverted
  std::vector<LineArray<double>> inverse_;     // -C, while children wait
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SPARSE_SELECTED_INVERSE_H_
