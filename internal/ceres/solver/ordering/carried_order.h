// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SOLVER_ORDERING_CARRIED_ORDER_H_
#define CERES_INTERNAL_SOLVER_ORDERING_CARRIED_ORDER_H_

#include <vector>

#include "ceres/problem/problem_impl.h"
#include "ceres/problem/program.h"
#include "ceres/sparse/elimination_order.h"

namespace ceres::internal {

// The elimination order of a sparse factorization, which the next solve uses
// although the problem has changed:
//
// clang-format off
//
//   kept order          a b c d e f
//   b, d removed        a   c   e f       also if they were set constant
//   g, h added          a   c   e f g h   also if they were set variable
//
// clang-format on
//
// A column that is eliminated last is an ancestor of all columns that it shares
// a row with, and changes the factor only on their paths to the root (Kaess et
// al., iSAM2, International Journal of Robotics Research 31, 2012, section 4).
struct CarriedOrder {
  // First eliminated first. Empty: nothing is kept.
  std::vector<ParameterBlock*> blocks;

  // Whether the order is used as it is: only if nothing has changed.
  bool is_final = false;

  // The predicted operations of the last order that was computed, and the
  // scalar columns of its matrix. 0: not known, any order is accepted.
  double num_operations = 0.0;
  int num_columns = 0;
  // The differences between the operations of the order and those expected for
  // the number of columns, summed over the factorizations since then.
  double deviation = 0.0;
};

// The columns that a sparse factorization sees: those of a program that are not
// eliminated, merged into column blocks (evaluation/merged_columns.h).
struct FactoredColumns {
  FactoredColumns(const Program& program,
                  const std::vector<int>& merged_columns);

  int num_blocks() const { return static_cast<int>(first.size()) - 1; }

  const Program& program;
  // Block b has the program's column blocks [first[b], first[b + 1]).
  std::vector<int> first;
  int num_columns;  // scalars
};

// The order of a factorization of these columns: the kept order, as in the
// drawing, with limits of the operations. Columns that the kept order does not
// have are in ascending order. If nothing is kept, no order is given. Linear
// time.
EliminationOrder ExtendOrder(const CarriedOrder& kept,
                             const ProblemImpl& problem,
                             const FactoredColumns& columns);

// What the next solve keeps of the order that a factorization has used. before:
// what was given to ExtendOrder.
CarriedOrder OrderToKeep(const EliminationOrder& used,
                         const CarriedOrder& before,
                         const FactoredColumns& columns);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SOLVER_ORDERING_CARRIED_ORDER_H_
