// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_GRADUATED_FILL_LIMIT_H_
#define CERES_INTERNAL_GRADUATED_FILL_LIMIT_H_

#include <limits>
#include <vector>

#include "ceres/graduated/fill_counter.h"
#include "ceres/problem/problem_impl.h"

namespace ceres::internal {

// Leaves uncertain residual blocks out of a round, so that outliers between far
// parts of a problem do not fill the Cholesky factor. A round has
//
//   - all certain blocks, and all whose weight is at least 1/2,
//   - of the others those of the largest weights, as many as keep the predicted
//     number of operations of a factorization below the limit, or below twice
//     that of the blocks above. The number is found up to a tenth.
//
// Blocks that are left out come back when their residuals become smaller. A
// round whose weights are all 0 or 1, such as the last one of a pass with
// truncated squares, leaves nothing out.
class FillLimit {
 public:
  // uncertain: in the order of the problem. num_operations: the limit; 0: 1000
  // for each scalar of the lower triangle of J'J of the whole problem.
  FillLimit(const ProblemImpl& problem,
            const std::vector<ResidualBlock*>& uncertain,
            double num_operations);

  // Sets the weights of blocks that the round leaves out to 0, and returns
  // their number.
  int Apply(std::vector<double>* weights);

  // The predicted number of operations of a factorization with these weights.
  double NumOperations(const std::vector<double>& weights) const;

 private:
  // The predicted number of operations with the certain blocks and the first
  // num_uncertain blocks of order_.
  double NumOperationsOfFirst(int num_uncertain) const;
  // The number of blocks of order_ that a round has, from `required` to `all`.
  int FindNumber(int required, int all);

  const FillCounter counter_;
  std::vector<const ResidualBlock*> certain_;
  const std::vector<ResidualBlock*>& uncertain_;
  const double limit_;
  std::vector<int> order_;  // uncertain blocks, by descending weight
  // The number of blocks in the round before. The first round tries all blocks.
  int last_number_ = std::numeric_limits<int>::max();
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_GRADUATED_FILL_LIMIT_H_
