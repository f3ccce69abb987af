// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_POSE_GRAPH_GRAPH_MATRIX_H_
#define CERES_INTERNAL_POSE_GRAPH_GRAPH_MATRIX_H_

#include <memory>
#include <string>
#include <vector>

#include "Eigen/Core"
#include "ceres/execution/execution.h"
#include "ceres/pose_graph/chordal_graph.h"
#include "ceres/sparse/block_symmetric_structure.h"
#include "ceres/sparse/elimination_order.h"
#include "ceres/sparse/sparse_cholesky.h"

namespace ceres::internal {

// What all matrices of a pose graph have in common: one block for each pose and
// each pair of poses with an edge, the order in which poses are eliminated, and
// M. `graph` and the pattern must outlive the matrices. Matrices read and write
// the order: one thread at a time.
class GraphPattern {
 public:
  explicit GraphPattern(const ChordalGraph& graph);

  const ChordalGraph& graph() const { return graph_; }
  // The structure with blocks of one size.
  BlockSymmetricStructure Structure(int block_size) const;
  // By stored block: its block row, its block column, and its values in M.
  int num_entries() const { return static_cast<int>(column_.size()); }
  int row(int entry) const { return row_[entry]; }
  int column(int entry) const { return column_[entry]; }
  const PoseMatrix& M(int entry) const { return M_[entry]; }
  // The stored block of the poses i <= j, which have an edge.
  int Entry(int i, int j) const;
  // The stored block of pose i on the diagonal.
  int diagonal(int i) const { return first_entry_[i]; }

  EliminationOrder* order() { return &order_; }

 private:
  const ChordalGraph& graph_;
  std::vector<int> first_entry_;
  std::vector<int> row_;
  std::vector<int> column_;
  std::vector<PoseMatrix> M_;
  EliminationOrder order_;
};

// A symmetric matrix over the pattern, and its Cholesky factor. Not
// thread-safe. Functions throw Stopped if the execution says so, and
// FatalFactorization if memory is short.
class GraphMatrix {
 public:
  // The whole of a block size x block size.
  using Block = Eigen::Map<
      Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

  GraphMatrix(GraphPattern* pattern, int block_size,
              const Execution& execution);

  int block_size() const { return block_size_; }
  int size() const { return structure_.size(); }
  Block block(int entry) {
    return Block(values_.data() + structure_.value_offset[entry], block_size_,
                 block_size_);
  }
  // Replaces row and column k of pose i by those of the identity: the
  // coordinate stays. Call it after the blocks have been filled.
  void HoldCoordinate(int i, int k);

  // Returns false if the matrix is not positive definite.
  [[nodiscard]] bool Factorize();
  // After Factorize. b: one column of size() numbers.
  Eigen::VectorXd Solve(const Eigen::VectorXd& b);

 private:
  GraphPattern& pattern_;
  const int block_size_;
  const Execution execution_;
  const BlockSymmetricStructure structure_;
  std::vector<double> values_;
  std::unique_ptr<SparseCholesky> cholesky_;
  // By pose, the entries above its diagonal block.
  std::vector<std::vector<int>> above_;
};

// Memory is short: thrown by GraphMatrix, with the message of the
// factorization.
struct FatalFactorization {
  std::string message;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_POSE_GRAPH_GRAPH_MATRIX_H_
