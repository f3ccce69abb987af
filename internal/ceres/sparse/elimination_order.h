// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SPARSE_ELIMINATION_ORDER_H_
#define CERES_INTERNAL_SPARSE_ELIMINATION_ORDER_H_

#include <limits>
#include <vector>

#include "ceres/sparse/block_symmetric_structure.h"

namespace ceres::internal {

// The order in which a sparse factorization eliminates the blocks of a matrix:
// what the caller gives, and what the factorization uses (SparseCholesky).
struct EliminationOrder {
  // order[k] is the k-th block that is eliminated. Given: empty, or a
  // permutation of the blocks. Returned: the order that was used.
  std::vector<int> order;

  // Given: false if an order with the same fill may be used in place of the
  // order, whose tree is lower (tree_balance.h). Returned: true. If what is
  // returned is given to a factorization of the same matrix by the same
  // library, the results have the same bits.
  bool is_final = false;

  // Given: an order is replaced by a computed one if its factorization has
  // fewer or more operations.
  double min_operations = 0.0;
  double max_operations = std::numeric_limits<double>::infinity();

  // Returned: a prediction of the operations, in units of the library.
  double num_operations = 0.0;
  // Returned: incremented for each order that was computed.
  int num_computed = 0;

  bool IsGiven() const { return !order.empty(); }
  bool Accepts(double operations) const {
    return min_operations <= operations && operations <= max_operations;
  }
};

// CHECKs that `order` has each block once.
void CheckEliminationOrder(const std::vector<int>& order, int num_blocks);

// Returns the multiplications with additions of a Cholesky factorization whose
// blocks are eliminated in this order. Time is proportional to the blocks of
// the factor.
double CountOperations(const BlockSymmetricStructure& structure,
                       const std::vector<int>& order);

// The entries of the factor, diagonal and lower triangle, in the same time.
double CountFactorEntries(const BlockSymmetricStructure& structure,
                          const std::vector<int>& order);

// The given order, if there is one that is accepted, or the order that
// `compute` returns, which may be empty after a failure. Fills
// elimination_order, unless it is null: then the result is what `compute`
// returns.
template <typename Compute>
std::vector<int> ChooseEliminationOrder(
    const BlockSymmetricStructure& structure, const Compute& compute,
    EliminationOrder* elimination_order) {
  if (elimination_order == nullptr) return compute();
  elimination_order->is_final = true;
  if (elimination_order->IsGiven()) {
    CheckEliminationOrder(elimination_order->order, structure.num_blocks());
    elimination_order->num_operations =
        CountOperations(structure, elimination_order->order);
    if (elimination_order->Accepts(elimination_order->num_operations)) {
      return elimination_order->order;
    }
  }
  elimination_order->order = compute();
  ++elimination_order->num_computed;
  if (elimination_order->IsGiven()) {
    elimination_order->num_operations =
        CountOperations(structure, elimination_order->order);
  }
  return elimination_order->order;
}

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SPARSE_ELIMINATION_ORDER_H_
