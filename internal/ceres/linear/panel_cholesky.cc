// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/linear/panel_cholesky.h"

#include <algorithm>
#include <sstream>

#include "ceres/execution/loops.h"
#include "ceres/kernels/front_kernels.h"
#include "ceres/linear/linear_tuning.h"

namespace ceres::internal {
namespace {

constexpr int kPanelHeight = kernels::kFrontPanel<double>;

}  // namespace

PanelCholesky::PanelCholesky(int size)
    : size_(size),
      matrix_(kernels::FrontColumnsSize<double>(size, 0)),
      x_(kernels::NumFrontPanels<double>(size) * kPanelHeight) {
  // The rest of diagonal panels is never written, but read.
  std::fill_n(matrix_.data(), matrix_.size(), 0.0);
}

LinearSolverTermination PanelCholesky::Factorize(const Execution& execution,
                                                 std::string* message) {
  double* const a = matrix_.data();
  const int num_panels = kernels::NumFrontPanels<double>(size_);
  for (int first = 0; first < size_; first += kDenseBlockColumns) {
    CheckStop(execution);
    const int last = std::min(first + kDenseBlockColumns, size_);
    const int failed = kernels::FactorizePivots(size_, first, last, a);
    if (failed != kernels::kAllPivotsPositive) {
      return NotPositiveDefinite(failed, size_, a[Position(failed, failed)],
                                 message);
    }
    const int begin = kernels::NumFrontPanels<double>(last);
    const int num_pieces =
        (num_panels - begin + kDensePanelsPerPiece - 1) / kDensePanelsPerPiece;
    ParallelFor(execution, 0, num_pieces, [&](int k) {
      const int p = begin + k * kDensePanelsPerPiece;
      kernels::EliminateFromPanels(
          size_, first, last, p, std::min(p + kDensePanelsPerPiece, num_panels),
          a);
    });
  }
  return LinearSolverTermination::kSuccess;
}

void PanelCholesky::Solve(const double* b, double* x) {
  if (size_ == 0) return;
  std::copy_n(b, size_, x_.data());
  std::fill(x_.data() + size_, x_.data() + x_.size(), 0.0);
  kernels::SolveForward(size_, 0, matrix_.data(), x_.data(), nullptr);
  kernels::SolveBackward(size_, 0, matrix_.data(), nullptr, x_.data());
  std::copy_n(x_.data(), size_, x);
}

LinearSolverTermination NotPositiveDefinite(int pivot, int n, double value,
                                            std::string* message) {
  std::ostringstream text;
  text << "Dense Cholesky factorization failed: the matrix is not positive "
          "definite to working precision, pivot "
       << pivot << " of " << n << " is " << value << ".";
  *message = text.str();
  return LinearSolverTermination::kFailure;
}

}  // namespace ceres::internal
