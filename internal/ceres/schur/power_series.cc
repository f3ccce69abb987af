// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/schur/power_series.h"

#include <algorithm>
#include <string>
#include <vector>

#include "ceres/execution/loops.h"
#include "ceres/linear/small_blocks.h"
#include "ceres/linear/vector_ops.h"

namespace ceres::internal {
namespace {

// By remaining block the most remaining blocks that one of its rows touches;
// empty where that is one for all.
std::vector<double> MostBlocksInARow(const BlockJacobianStructure& s) {
  std::vector<double> most(s.num_column_blocks() - s.num_eliminated, 1.0);
  bool any = false;
  for (int row = 0; row < s.num_row_blocks(); ++row) {
    int begin = s.first_cell[row];
    const int end = s.first_cell[row + 1];
    // An eliminated block's cell is the first.
    if (begin < end && s.cell_column[begin] < s.num_eliminated) ++begin;
    if (end - begin < 2) continue;
    any = true;
    for (int c = begin; c < end; ++c) {
      double& block = most[s.cell_column[c] - s.num_eliminated];
      block = std::max(block, static_cast<double>(end - begin));
    }
  }
  if (!any) most.clear();
  return most;
}

}  // namespace

PowerSeriesPreconditioner::PowerSeriesPreconditioner(
    const Execution& execution, const SchurPlan& plan,
    const SchurProductOperator& schur_complement, int num_terms)
    : execution_(execution),
      block_offset_(plan.pattern().block_offset),
      schur_complement_(schur_complement),
      num_terms_(num_terms),
      diagonal_(execution, plan, SchurEliminator::Diagonal::kRemaining,
                MostBlocksInARow(plan.structure())),
      term_(diagonal_.size()),
      product_(diagonal_.size()) {}

LinearSolverTermination PowerSeriesPreconditioner::Update(
    const SchurEliminator& eliminator, std::string* message) {
  return diagonal_.Update(eliminator, message);
}

// t -= N^-1 S t, y += t
void PowerSeriesPreconditioner::AddTerm(double* y) const {
  constexpr int kBlocksPerPiece = 16;
  schur_complement_.Apply(term_.data(), product_.data());
  ParallelFor(
      execution_, 0, static_cast<int>(block_offset_.size()) - 1,
      [&](IndexRange blocks) {
        SmallBuffer buffer;
        for (int b = blocks.begin; b < blocks.end; ++b) {
          const int offset = block_offset_[b];
          const int n = block_offset_[b + 1] - offset;
          double* change = buffer.Get(n);
          diagonal_.inverse().ApplyBlock(b, product_.data() + offset, change);
          for (int k = 0; k < n; ++k) {
            double& term = term_.data()[offset + k];
            term -= change[k];
            y[offset + k] += term;
          }
        }
      },
      kBlocksPerPiece);
}

void PowerSeriesPreconditioner::Apply(const double* x, double* y) const {
  diagonal_.Apply(x, y);
  Copy(execution_, size(), y, term_.data());
  for (int i = 0; i < num_terms_; ++i) AddTerm(y);
}

int PowerSeriesPreconditioner::Expand(double tolerance, const double* x,
                                      double* y) const {
  diagonal_.Apply(x, y);
  Copy(execution_, size(), y, term_.data());
  for (int i = 1; i <= num_terms_; ++i) {
    AddTerm(y);
    if (Norm(execution_, size(), term_.data()) <
        tolerance * Norm(execution_, size(), y)) {
      return i;
    }
  }
  return num_terms_;
}

}  // namespace ceres::internal
