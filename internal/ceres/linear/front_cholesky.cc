// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/linear/front_cholesky.h"

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
FrontCholesky<T>::FrontCholesky(int size)
    : size_(size),
      matrix_(DoublesFor<T>(kernels::FrontColumnsSize<T>(size, 0))),
      x_(DoublesFor<T>(int64_t{kernels::NumFrontStrips<T>(size)} *
                       kernels::kFrontStrip<T>)) {
  // The rest of diagonal strips is never written, but read.
  std::fill_n(matrix_.data(), matrix_.size(), 0.0);
}

template <typename T>
LinearSolverTermination FrontCholesky<T>::Factorize(const Execution& execution,
                                                    std::string* message) {
  T* const a = matrix();
  const int num_strips = kernels::NumFrontStrips<T>(size_);
  for (int first = 0; first < size_; first += kDenseBlockColumns) {
    CheckStop(execution);
    const int last = std::min(first + kDenseBlockColumns, size_);
    const int failed = kernels::FactorizePivots(size_, first, last, a);
    if (failed != kernels::kAllPivotsPositive) {
      return NotPositiveDefinite(failed, size_, a[Position(failed, failed)],
                                 message);
    }
    const int begin = kernels::NumFrontStrips<T>(last);
    const int num_pieces =
        (num_strips - begin + kDenseStripsPerPiece - 1) / kDenseStripsPerPiece;
    ParallelFor(execution, 0, num_pieces, [&](int k) {
      const int p = begin + k * kDenseStripsPerPiece;
      kernels::EliminateFromStrips(
          size_, first, last, p, std::min(p + kDenseStripsPerPiece, num_strips),
          a);
    });
  }
  return LinearSolverTermination::kSuccess;
}

template <typename T>
void FrontCholesky<T>::Solve(const double* b, double* x) {
  if (size_ == 0) return;
  T* const y = reinterpret_cast<T*>(x_.data());
  const int padded =
      kernels::NumFrontStrips<T>(size_) * kernels::kFrontStrip<T>;
  std::transform(b, b + size_, y, [](double v) { return static_cast<T>(v); });
  std::fill(y + size_, y + padded, T{0});
  kernels::SolveForward(size_, 0, matrix(), y, nullptr);
  kernels::SolveBackward(size_, 0, matrix(), nullptr, y);
  std::copy_n(y, size_, x);
}

template class FrontCholesky<double>;
template class FrontCholesky<float>;

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
