// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/internal/config.h"

#ifndef CERES_NO_SUITESPARSE

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <sstream>
#include <vector>

#include "ceres/execution/aligned_buffer.h"
#include "ceres/linear/single_threaded_blas.h"
#include "ceres/sparse/elimination_tree.h"
#include "ceres/sparse/factor_memory.h"
#include "ceres/sparse/fill_reducing_ordering.h"
#include "ceres/sparse/permuted_csc.h"
#include "ceres/sparse/sparse_cholesky_backends.h"
#include "cholmod.h"

namespace ceres::internal {
namespace {

// Settings, workspace and last status of CHOLMOD; mute.
class Cholmod {
 public:
  Cholmod() {
    cholmod_start(&common);
    common.print = 0;
    common.error_handler = nullptr;
    common.try_catch = 1;  // The caller looks at the status.
    common.useGPU = 0;
    common.nmethods = 1;
    common.quick_return_if_not_posdef = 1;
    // LL' also where it is simplicial: LDL' would let negative pivots pass.
    common.final_ll = 1;
  }
  ~Cholmod() {
    cholmod_free_factor(&factor, &common);
    cholmod_free_dense(&solution, &common);
    cholmod_free_dense(&workspace_y, &common);
    cholmod_free_dense(&workspace_e, &common);
    cholmod_finish(&common);
  }
  Cholmod(const Cholmod&) = delete;
  Cholmod& operator=(const Cholmod&) = delete;

  std::string StatusText() const {
    switch (common.status) {
      case CHOLMOD_OUT_OF_MEMORY:
        return "out of memory.";
      case CHOLMOD_TOO_LARGE:
        return "the factor has more entries than an int can count.";
      case CHOLMOD_NOT_INSTALLED:
        return "the method is not installed.";
      default:
        return "status " + std::to_string(common.status) + ".";
    }
  }

  cholmod_common common;
  cholmod_factor* factor = nullptr;
  cholmod_dense* solution = nullptr;
  cholmod_dense* workspace_y = nullptr;
  cholmod_dense* workspace_e = nullptr;
};

// A view of one triangle; values null: the pattern alone. CHOLMOD does not
// write to it.
cholmod_sparse TriangleView(const std::vector<int>& column_start,
                            const std::vector<int>& row, double* values,
                            PermutedCsc::Triangle triangle) {
  cholmod_sparse view{};
  view.nrow = view.ncol = column_start.size() - 1;
  view.nzmax = row.size();
  view.p = const_cast<int*>(column_start.data());
  view.i = const_cast<int*>(row.data());
  view.x = values;
  view.stype = triangle == PermutedCsc::Triangle::kUpper ? 1 : -1;
  view.itype = CHOLMOD_INT;
  view.xtype = values == nullptr ? CHOLMOD_PATTERN : CHOLMOD_REAL;
  view.dtype = CHOLMOD_DOUBLE;
  view.sorted = 1;
  view.packed = 1;
  return view;
}

// An order with the same fill that is a postorder of the elimination tree.
std::vector<int> PostorderOf(const BlockSymmetricStructure& structure,
                             const std::vector<int>& order) {
  std::vector<int> result;
  result.reserve(order.size());
  const std::vector<int> parent =
      EliminationTree(GraphOfBlocks(structure), order);
  for (const int position : Postorder(parent)) {
    result.push_back(order[position]);
  }
  return result;
}

class CholmodCholesky final : public SparseCholesky {
 public:
  CholmodCholesky(const Options& options,
                  const BlockSymmetricStructure& structure,
                  const std::vector<int>* group)
      : triangle_(PermutedCsc::Triangle::kLower) {
    Analyze(options, structure, group);
  }

  LinearSolverTermination Factorize(const Execution& execution,
                                    const double* values,
                                    std::string* message) override {
    if (!analysis_error_.empty()) {
      *message = analysis_error_;
      return LinearSolverTermination::kFatalError;
    }
    if (matrix_->size() == 0) return LinearSolverTermination::kSuccess;
    matrix_->Gather(execution, values, entries_.data());
    cholmod_sparse a = TriangleView(matrix_->column_start(), matrix_->row(),
                                    entries_.data(), triangle_);
    const SingleThreadedBlas single_threaded;
    cholmod_factorize(&a, cholmod_.factor, &cholmod_.common);
    if (cholmod_.common.status == CHOLMOD_NOT_POSDEF) {
      return NotPositiveDefinite(message);
    }
    if (cholmod_.common.status != CHOLMOD_OK) {
      *message =
          "Sparse Cholesky factorization failed: " + cholmod_.StatusText();
      return cholmod_.common.status < CHOLMOD_OK
                 ? LinearSolverTermination::kFatalError
                 : LinearSolverTermination::kFailure;
    }
    return LinearSolverTermination::kSuccess;
  }

  LinearSolverTermination Solve(const double* b, double* x,
                                std::string* message) override {
    const std::vector<int>& permutation = matrix_->permutation();
    const int n = matrix_->size();
    if (n == 0) return LinearSolverTermination::kSuccess;
    for (int k = 0; k < n; ++k) right_hand_side_[k] = b[permutation[k]];
    cholmod_dense view{};
    view.nrow = view.nzmax = view.d = n;
    view.ncol = 1;
    view.x = right_hand_side_.data();
    view.xtype = CHOLMOD_REAL;
    view.dtype = CHOLMOD_DOUBLE;
    const SingleThreadedBlas single_threaded;
    const int ok = cholmod_solve2(
        CHOLMOD_A, cholmod_.factor, &view, nullptr, &cholmod_.solution, nullptr,
        &cholmod_.workspace_y, &cholmod_.workspace_e, &cholmod_.common);
    if (!ok) {
      *message = "Sparse triangular solve failed: " + cholmod_.StatusText();
      return LinearSolverTermination::kFatalError;
    }
    const double* solution = static_cast<double*>(cholmod_.solution->x);
    bool finite = true;
    for (int k = 0; k < n; ++k) {
      x[permutation[k]] = solution[k];
      finite = finite && std::isfinite(solution[k]);
    }
    if (finite) return LinearSolverTermination::kSuccess;
    *message =
        "Sparse Cholesky factorization failed: the matrix or the right-hand "
        "side is not finite.";
    return LinearSolverTermination::kFailure;
  }

 private:
  void Analyze(const Options& options, const BlockSymmetricStructure& structure,
               const std::vector<int>* group) {
    if (!PermutedCsc::IsSmallEnough(structure)) {
      analysis_error_ =
          "Sparse Cholesky factorization failed: the matrix has more entries "
          "than an int can count.";
      return;
    }
    const std::vector<int> chosen = ChooseEliminationOrder(
        structure,
        [&] {
          return CholmodOrdering(structure, options.ordering, group,
                                 &analysis_error_);
        },
        options.elimination_order);
    if (!analysis_error_.empty()) return;
    // Columns of a supernode must follow each other. The order of
    // CholmodOrdering is a postorder already; then the bits are the same.
    const std::vector<int> order = options.elimination_order == nullptr
                                       ? chosen
                                       : PostorderOf(structure, chosen);
    // Supernodal factorization reads the lower triangle, simplicial the upper;
    // of the other CHOLMOD makes a transpose each time. Which it will be, only
    // the analysis says.
    matrix_ = std::make_unique<PermutedCsc>(structure, order, triangle_);
    if (matrix_->size() == 0) return;
    cholmod_.common.method[0].ordering = CHOLMOD_NATURAL;
    cholmod_.common.postorder = 0;
    cholmod_.common.supernodal = CHOLMOD_AUTO;
    cholmod_sparse a = TriangleView(matrix_->column_start(), matrix_->row(),
                                    nullptr, triangle_);
    cholmod_.factor = cholmod_analyze(&a, &cholmod_.common);
    if (cholmod_.factor == nullptr || cholmod_.common.status < CHOLMOD_OK) {
      analysis_error_ =
          "Sparse Cholesky analysis failed: " + cholmod_.StatusText();
      return;
    }
    // A simplicial factor has a row number for each entry.
    const double bytes =
        cholmod_.factor->is_super
            ? static_cast<double>(cholmod_.factor->xsize) * sizeof(double)
            : cholmod_.common.lnz * (sizeof(double) + sizeof(int));
    analysis_error_ = FindFactorMemoryError(bytes, options.max_bytes);
    if (!analysis_error_.empty()) return;
    if (!cholmod_.factor->is_super) {
      triangle_ = PermutedCsc::Triangle::kUpper;
      matrix_ = std::make_unique<PermutedCsc>(structure, order, triangle_);
    }
    entries_.Resize(matrix_->num_entries());
    right_hand_side_.resize(matrix_->size());
  }

  LinearSolverTermination NotPositiveDefinite(std::string* message) const {
    const size_t column = cholmod_.factor->minor;
    std::ostringstream text;
    text << "Sparse Cholesky factorization failed: the matrix is not positive "
            "definite to working precision";
    if (column < matrix_->permutation().size()) {
      text << ", pivot of row " << matrix_->permutation()[column] << " of "
           << matrix_->size();
    }
    text << ".";
    *message = text.str();
    return LinearSolverTermination::kFailure;
  }

  Cholmod cholmod_;
  std::string analysis_error_;
  PermutedCsc::Triangle triangle_;
  std::unique_ptr<PermutedCsc> matrix_;
  AlignedBuffer entries_;
  std::vector<double> right_hand_side_;
};

}  // namespace

std::unique_ptr<SparseCholesky> CreateCholmodCholesky(
    const SparseCholesky::Options& options,
    const BlockSymmetricStructure& structure, const std::vector<int>* group) {
  return std::make_unique<CholmodCholesky>(options, structure, group);
}

std::vector<int> CholmodOrdering(const BlockSymmetricStructure& structure,
                                 LinearSolverOrderingType type,
                                 const std::vector<int>* group,
                                 std::string* message) {
  const int n = structure.num_blocks();
  if (n == 0) return {};
  Cholmod cholmod;
  std::unique_lock<std::mutex> lock(metis_mutex, std::defer_lock);
  if (type == NESDIS) lock.lock();
  // Block rows of the upper triangle are block columns of the lower.
  cholmod_sparse graph =
      TriangleView(structure.first_entry, structure.entry_column, nullptr,
                   PermutedCsc::Triangle::kLower);
  std::vector<int> given;
  int& method = cholmod.common.method[0].ordering;
  if (type == NESDIS) {
    method = CHOLMOD_NESDIS;
  } else if (group == nullptr) {
    method = CHOLMOD_AMD;
  }
  if (group != nullptr) {
    given.resize(n);
    std::vector<int> member = *group;
    std::vector<int> used = *group;
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
    for (int& g : member) {
      g = static_cast<int>(std::lower_bound(used.begin(), used.end(), g) -
                           used.begin());
    }
    if (type == AMD) {
      cholmod_camd(&graph, nullptr, 0, member.data(), given.data(),
                   &cholmod.common);
    } else {
      std::vector<int> parent(n), component(n);
      cholmod_nested_dissection(&graph, nullptr, 0, given.data(), parent.data(),
                                component.data(), &cholmod.common);
      std::stable_sort(given.begin(), given.end(),
                       [&](int a, int b) { return member[a] < member[b]; });
    }
    method = CHOLMOD_GIVEN;
  }
  if (cholmod.common.status >= CHOLMOD_OK) {
    cholmod.common.postorder = 1;
    cholmod.common.supernodal = CHOLMOD_SIMPLICIAL;
    cholmod.factor =
        cholmod_analyze_p(&graph, given.empty() ? nullptr : given.data(),
                          nullptr, 0, &cholmod.common);
  }
  if (cholmod.factor == nullptr || cholmod.common.status < CHOLMOD_OK) {
    *message = "Fill-reducing ordering failed: " + cholmod.StatusText();
    return {};
  }
  const int* permutation = static_cast<int*>(cholmod.factor->Perm);
  return std::vector<int>(permutation, permutation + n);
}

}  // namespace ceres::internal

#endif  // CERES_NO_SUITESPARSE
