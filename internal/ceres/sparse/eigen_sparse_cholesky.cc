// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/internal/config.h"

#ifdef CERES_USE_EIGEN_SPARSE

#include <algorithm>
#include <mutex>
#include <vector>

#include "Eigen/OrderingMethods"
#include "Eigen/SparseCholesky"
#include "Eigen/SparseCore"
#include "ceres/sparse/fill_reducing_ordering.h"
#include "ceres/sparse/metis_mutex.h"
#include "ceres/sparse/permuted_csc.h"
#include "ceres/sparse/sparse_cholesky_backends.h"
#include "glog/logging.h"
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
    csc_ = std::make_unique<PermutedCsc>(
        structure, EigenOrdering(structure, options.ordering, group),
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

enum class Loops { kWithout, kWith };

// The graph of the blocks, both directions.
struct Adjacency {
  std::vector<int> start;
  std::vector<int> neighbor;
};

Adjacency BlockGraph(const BlockSymmetricStructure& a, Loops loops) {
  const int n = a.num_blocks();
  Adjacency graph{std::vector<int>(n + 1, 0), {}};
  const auto for_each_edge = [&a, n, loops](const auto& f) {
    for (int i = 0; i < n; ++i) {
      for (int e = a.first_entry[i]; e < a.first_entry[i + 1]; ++e) {
        const int j = a.entry_column[e];
        if (j != i || loops == Loops::kWith) f(i, j);
      }
    }
  };
  for_each_edge([&](int i, int j) {
    ++graph.start[i + 1];
    if (j != i) ++graph.start[j + 1];
  });
  for (int i = 0; i < n; ++i) graph.start[i + 1] += graph.start[i];
  graph.neighbor.resize(graph.start[n]);
  std::vector<int> next(graph.start.begin(), graph.start.end() - 1);
  for_each_edge([&](int i, int j) {
    graph.neighbor[next[i]++] = j;
    if (j != i) graph.neighbor[next[j]++] = i;
  });
  return graph;
}

std::vector<int> MinimumDegree(const BlockSymmetricStructure& structure) {
  // Eigen puts nodes without a loop last, as if they were dense.
  const Adjacency graph = BlockGraph(structure, Loops::kWith);
  const int n = static_cast<int>(graph.start.size()) - 1;
  const std::vector<double> ones(graph.neighbor.size(), 1.0);
  const Eigen::Map<const Eigen::SparseMatrix<double, Eigen::ColMajor, int>>
      pattern(n, n, static_cast<int>(graph.neighbor.size()), graph.start.data(),
              graph.neighbor.data(), ones.data());
  Eigen::SparseMatrix<double, Eigen::ColMajor, int> matrix = pattern;
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> permutation;
  Eigen::AMDOrdering<int>()(matrix, permutation);
  return {permutation.indices().data(), permutation.indices().data() + n};
}

std::vector<int> NestedDissection(const BlockSymmetricStructure& structure) {
#ifdef CERES_NO_EIGEN_METIS
  static_cast<void>(structure);
  LOG(FATAL) << "This build of the library does not have METIS; use AMD.";
  return {};
#else
  const Adjacency graph = BlockGraph(structure, Loops::kWithout);
  idx_t n = static_cast<idx_t>(graph.start.size()) - 1;
  std::vector<idx_t> start(graph.start.begin(), graph.start.end());
  std::vector<idx_t> neighbor(graph.neighbor.begin(), graph.neighbor.end());
  std::vector<idx_t> order(n), position(n);
  // METIS refuses graphs without edges.
  if (neighbor.empty()) {
    std::vector<int> identity(n);
    for (int i = 0; i < static_cast<int>(n); ++i) identity[i] = i;
    return identity;
  }
  const std::lock_guard<std::mutex> lock(metis_mutex);
  const int status = METIS_NodeND(&n, start.data(), neighbor.data(), nullptr,
                                  nullptr, order.data(), position.data());
  if (status == METIS_ERROR_MEMORY) throw std::bad_alloc();
  CHECK_EQ(status, METIS_OK) << "METIS_NodeND failed.";
  return {order.begin(), order.end()};
#endif
}

}  // namespace

std::vector<int> EigenOrdering(const BlockSymmetricStructure& structure,
                               LinearSolverOrderingType type,
                               const std::vector<int>* group) {
  if (structure.num_blocks() == 0) return {};
  std::vector<int> order =
      type == NESDIS ? NestedDissection(structure) : MinimumDegree(structure);
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
