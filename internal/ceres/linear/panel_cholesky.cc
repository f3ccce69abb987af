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

// The number of doubles that hold `size` values of T.
template <typename T>
constexpr int64_t DoublesFor(int64_t size) {
  return size / static_cast<int64_t>(sizeof(double) / sizeof(T));
}

}  // namespace

template <typename T>
PanelCholesky<T>::PanelCholesky(int size)
    : size_(size),
      matrix_(DoublesFor<T>(kernels::FrontColumnsSize<T>(size, 0))),
      x_(DoublesFor<T>(int64_t{kernels::NumFrontPanels<T>(size)} *
                       kernels::kFrontPanel<T>)) {
  // The rest of diagonal panels is never written, but read.
  std::fill_n(matrix_.data(), matrix_.size(), 0.0);
}

template <typename T>
LinearSolverTermination PanelCholesky<T>::Factorize(const Execution& execution,
                                                    std::string* message) {
  T* const a = matrix();
  const int num_panels = kernels::NumFrontPanels<T>(size_);
  for (int first = 0; first < size_; first += kDenseBlockColumns) {
    CheckStop(execution);
    const int last = std::min(first + kDenseBlockColumns, size_);
    const int failed = kernels::FactorizePivots(size_, first, last, a);
    if (failed != kernels::kAllPivotsPositive) {
      return NotPositiveDefinite(failed, size_, a[Position(failed, failed)],
                                 message);
    }
    const int begin = kernels::NumFrontPanels<T>(last);
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

template <typename T>
void PanelCholesky<T>::Solve(const double* b, double* x) {
  if (size_ == 0) return;
  T* const y = reinterpret_cast<T*>(x_.data());
  const int padded =
      kernels::NumFrontPanels<T>(size_) * kernels::kFrontPanel<T>;
  std::transform(b, b + size_, y, [](double v) { return static_cast<T>(v); });
  std::fill(y + size_, y + padded, T{0});
  kernels::SolveForward(size_, 0, matrix(), y, nullptr);
  kernels::SolveBackward(size_, 0, matrix(), nullptr, y);
  std::copy_n(y, size_, x);
}

template class PanelCholesky<double>;
template class PanelCholesky<float>;

LinearSolverTermination NotPositiveDefinite(int pivot, int n, double value,
                                            std::string* message) {
  std::ostringstream text;
  text << "Dense Cholesky factorization failed: the matrix is not positive "
          "definite to working precision, pivot "
       << pivot << " of " << n << " is " << value << ".";
  *message = text.str();
  return LinearSolverTermination::kFailure;
}

LinearSolverTermination NotPositiveDefinite(int pivot, int n, float value,
                                            std::string* message) {
  std::ostringstream text;
  text << "Dense Cholesky factorization failed: the matrix is not positive "
          "definite to single precision, pivot "
       << pivot << " of " << n << " is " << value
       << ". Switch Solver::Options::use_mixed_precision_solves off.";
  *message = text.str();
  return LinearSolverTermination::kFailure;
}

}  // namespace ceres::internal
