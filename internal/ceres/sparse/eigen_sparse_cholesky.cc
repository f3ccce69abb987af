// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/internal/config.h"

#ifdef CERES_USE_EIGEN_SPARSE

#include <algorithm>
#include <mutex>
#include <numeric>
#include <vector>

#include "Eigen/OrderingMethods"
#include "Eigen/SparseCholesky"
#include "Eigen/SparseCore"
#include "ceres/logging/logging.h"
#include "ceres/sparse/factor_memory.h"
#include "ceres/sparse/fill_reducing_ordering.h"
#include "ceres/sparse/permuted_csc.h"
#include "ceres/sparse/sparse_cholesky_backends.h"
#ifndef CERES_NO_EIGEN_METIS
#include "metis.h"
#endif

namespace ceres::internal {
namespace {

template <typename Scalar>
class EigenSparseCholesky final : public SparseCholesky {
 public:
  EigenSparseCholesky(const Options& options,
                      const BlockSymmetricStructure& structure,
                      const std::vector<int>* group) {
    if (!PermutedCsc::IsSmallEnough(structure)) {
      analysis_error_ =
          "Sparse Cholesky factorization failed: the matrix has more entries "
          "than an int can count.";
      return;
    }
    // The upper triangle, which Eigen reads in place when it does not permute.
    const std::vector<int> order = ChooseEliminationOrder(
        structure,
        [&] {
          return EigenOrdering(GraphOfBlocks(structure), options.ordering,
                               group);
        },
        options.elimination_order);
    analysis_error_ = FindFactorMemoryError(
        CountFactorEntries(structure, order) * (sizeof(Scalar) + sizeof(int)),
        options.max_bytes);
    if (!analysis_error_.empty()) return;
    csc_ = std::make_unique<PermutedCsc>(structure, order,
                                         PermutedCsc::Triangle::kUpper);
    matrix_.resize(csc_->size(), csc_->size());
    matrix_.resizeNonZeros(csc_->num_entries());
    std::copy(csc_->column_start().begin(), csc_->column_start().end(),
              matrix_.outerIndexPtr());
    std::copy(csc_->row().begin(), csc_->row().end(), matrix_.innerIndexPtr());
    std::fill_n(matrix_.valuePtr(), csc_->num_entries(), Scalar(0));
    if (csc_->size() > 0) factorization_.analyzePattern(matrix_);
    vector_.resize(csc_->size());
  }

  LinearSolverTermination Factorize(const Execution& execution,
                                    const double* values,
                                    std::string* message) override {
    if (!analysis_error_.empty()) {
      *message = analysis_error_;
      return LinearSolverTermination::kFatalError;
    }
    if (csc_->size() == 0) return LinearSolverTermination::kSuccess;
    csc_->Gather(execution, values, matrix_.valuePtr());
    factorization_.factorize(matrix_);
    if (factorization_.info() == Eigen::Success) {
      return LinearSolverTermination::kSuccess;
    }
    *message =
        "Sparse Cholesky factorization failed: the matrix is not positive "
        "definite to working precision.";
    return LinearSolverTermination::kFailure;
  }

  LinearSolverTermination Solve(const double* b, double* x,
                                std::string* message) override {
    const std::vector<int>& permutation = csc_->permutation();
    const int n = csc_->size();
    if (n == 0) return LinearSolverTermination::kSuccess;
    for (int k = 0; k < n; ++k) {
      vector_[k] = static_cast<Scalar>(b[permutation[k]]);
    }
    factorization_.matrixL().solveInPlace(vector_);
    factorization_.matrixU().solveInPlace(vector_);
    for (int k = 0; k < n; ++k) {
      x[permutation[k]] = static_cast<double>(vector_[k]);
    }
    if (vector_.allFinite()) return LinearSolverTermination::kSuccess;
    *message =
        "Sparse Cholesky factorization failed: the matrix or the right-hand "
        "side is not finite.";
    return LinearSolverTermination::kFailure;
  }

 private:
  using SparseMatrix = Eigen::SparseMatrix<Scalar, Eigen::ColMajor, int>;

  std::string analysis_error_;
  std::unique_ptr<PermutedCsc> csc_;
  SparseMatrix matrix_;
  Eigen::SimplicialLLT<SparseMatrix, Eigen::Upper, Eigen::NaturalOrdering<int>>
      factorization_;
  Eigen::Matrix<Scalar, Eigen::Dynamic, 1> vector_;
};

std::vector<int> EigenMinimumDegree(const SymmetricGraph& graph) {
  const int n = graph.num_nodes();
  Eigen::SparseMatrix<double, Eigen::ColMajor, int> matrix(n, n);
  matrix.reserve(static_cast<Eigen::Index>(graph.neighbor.size()) + n);
  for (int i = 0; i < n; ++i) {
    matrix.startVec(i);
    const auto begin = graph.neighbor.begin() + graph.start[i];
    const auto end = graph.neighbor.begin() + graph.start[i + 1];
    const auto behind = std::lower_bound(begin, end, i);
    const auto insert = [&](int row) { matrix.insertBack(row, i) = 1.0; };
    std::for_each(begin, behind, insert);
    // Eigen puts nodes without a loop last, as if they were dense.
    insert(i);
    std::for_each(behind, end, insert);
  }
  matrix.finalize();
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> permutation;
  Eigen::AMDOrdering<int>()(matrix, permutation);
  return {permutation.indices().data(), permutation.indices().data() + n};
}

std::vector<int> NestedDissection(const SymmetricGraph& graph) {
#ifdef CERES_NO_EIGEN_METIS
  static_cast<void>(graph);
  VESTA_FATAL() << "This build of the library does not have METIS; use AMD.";
  return {};
#else
  idx_t n = graph.num_nodes();
  std::vector<idx_t> start(graph.start.begin(), graph.start.end());
  std::vector<idx_t> neighbor(graph.neighbor.begin(), graph.neighbor.end());
  std::vector<idx_t> order(n), position(n);
  // METIS refuses graphs without edges.
  if (neighbor.empty()) {
    std::vector<int> identity(n);
    std::iota(identity.begin(), identity.end(), 0);
    return identity;
  }
  const std::lock_guard<std::mutex> lock(metis_mutex);
  const int status = METIS_NodeND(&n, start.data(), neighbor.data(), nullptr,
                                  nullptr, order.data(), position.data());
  if (status == METIS_ERROR_MEMORY) throw std::bad_alloc();
  VESTA_CHECK_EQ(status, METIS_OK) << "METIS_NodeND failed.";
  return {order.begin(), order.end()};
#endif
}

}  // namespace

std::vector<int> EigenOrdering(const SymmetricGraph& graph,
                               LinearSolverOrderingType type,
                               const std::vector<int>* group) {
  if (graph.num_nodes() == 0) return {};
  std::vector<int> order =
      type == NESDIS ? NestedDissection(graph) : EigenMinimumDegree(graph);
  if (group != nullptr) {
    std::stable_sort(order.begin(), order.end(), [group](int a, int b) {
      return (*group)[a] < (*group)[b];
    });
  }
  return order;
}

std::unique_ptr<SparseCholesky> CreateEigenSparseCholesky(
    const SparseCholesky::Options& options,
    const BlockSymmetricStructure& structure, const std::vector<int>* group) {
  if (options.single_precision) {
    return std::make_unique<EigenSparseCholesky<float>>(options, structure,
                                                        group);
  }
  return std::make_unique<EigenSparseCholesky<double>>(options, structure,
                                                       group);
}

}  // namespace ceres::internal

#endif  // CERES_USE_EIGEN_SPARSE
