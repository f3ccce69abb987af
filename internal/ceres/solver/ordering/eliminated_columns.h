// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SOLVER_ORDERING_ELIMINATED_COLUMNS_H_
#define CERES_INTERNAL_SOLVER_ORDERING_ELIMINATED_COLUMNS_H_

#include <vector>

#include "ceres/base/huge_pages.h"
#include "ceres/execution/execution.h"
#include "ceres/problem/row_order.h"
#include "ceres/solver/ordering/reduced_problem.h"

namespace ceres::internal {

// For each column 1 if it is eliminated, else 0. Several threads read chars
// faster than bits.
using IsEliminated = std::vector<char>;

// Which eliminated column each row has.
struct EliminatedOfRows {
  // By row; the number of columns for a row that has none.
  PagedVector<int> column;
  // The first row with two eliminated columns, which is an error of the user's
  // ordering; the number of rows if there is none.
  int first_conflict = 0;
};

EliminatedOfRows FindEliminatedOfRows(const Execution& execution,
                                      const ColumnsOfRows& pattern,
                                      const IsEliminated& is_eliminated);

// The order of eliminated columns, and of the rows that have them.
struct EliminatedColumns {
  std::vector<int> columns;
  RowOrder row_order;
};

// Sorts the eliminated columns by the median of the remaining columns that they
// share a row with, then by number; columns that share no row come first. The
// rows follow their columns, and the rows without eliminated column come last;
// ties keep their order. The median of an even number of columns is the upper
// one. Neighbouring rows then use neighbouring columns, for example in bundle
// adjustment, where points are eliminated:
//
// clang-format off
//
//          points           cameras
//        p3 p1 p4 p2      c1 c2 c3 c4
//      [ x                x            ]   p3 is seen from c1
//      [    x             x            ]   p1 is seen from c1, c2, c3
//      [    x                x         ]
//      [    x                   x      ]
//      [       x             x         ]   p4 is seen from c2, c3
//      [       x                x      ]
//      [          x                 x  ]   p2 is seen from c4
//
// clang-format on
//
// remaining: the other columns, in their order. eliminated_of_rows: without
// conflict. The result is the same for every number of threads.
EliminatedColumns OrderEliminated(const Execution& execution,
                                  const ColumnsOfRows& pattern,
                                  const IsEliminated& is_eliminated,
                                  const std::vector<int>& remaining,
                                  EliminatedOfRows eliminated_of_rows);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SOLVER_ORDERING_ELIMINATED_COLUMNS_H_
