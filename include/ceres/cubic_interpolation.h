// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_CUBIC_INTERPOLATION_H_
#define CERES_PUBLIC_CUBIC_INTERPOLATION_H_

// Smooth functions through samples on a grid, for data such as images in cost
// functions.
//
//   const double data[] = {1.0, 2.0, 5.0, 6.0};
//   ceres::Grid1D<double> grid(data, 0, 4);
//   ceres::CubicInterpolator<ceres::Grid1D<double>> interpolator(grid);
//   double f, dfdx;
//   interpolator.Evaluate(1.5, &f, &dfdx);

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "Eigen/Core"
#include "ceres/internal/check.h"

namespace ceres {

// The Catmull-Rom spline through p0, p1, p2, p3 at -1, 0, 1, 2, evaluated at x
// in [0, 1]: the cubic with the values p1, p2 and the slopes (p2 - p0) / 2,
// (p3 - p1) / 2 at 0 and 1,
//
//   f(x) = a x^3 + b x^2 + c x + p1,
//   a = (-p0 + 3 p1 - 3 p2 + p3) / 2,
//   b = (2 p0 - 5 p1 + 4 p2 - p3) / 2,
//   c = (p2 - p0) / 2.
//
// f and dfdx have kDataDimension values each; either may be null. Keys, "Cubic
// convolution interpolation for digital image processing", IEEE Transactions on
// Acoustics, Speech, and Signal Processing 29(6), 1981.
template <int kDataDimension>
void CubicHermiteSpline(const Eigen::Matrix<double, kDataDimension, 1>& p0,
                        const Eigen::Matrix<double, kDataDimension, 1>& p1,
                        const Eigen::Matrix<double, kDataDimension, 1>& p2,
                        const Eigen::Matrix<double, kDataDimension, 1>& p3,
                        const double x, double* f, double* dfdx) {
  using Data = Eigen::Matrix<double, kDataDimension, 1>;
  const Data a = 0.5 * (-p0 + 3.0 * p1 - 3.0 * p2 + p3);
  const Data b = 0.5 * (2.0 * p0 - 5.0 * p1 + 4.0 * p2 - p3);
  const Data c = 0.5 * (p2 - p0);
  if (f != nullptr) {
    Eigen::Map<Data>(f, kDataDimension) = p1 + x * (c + x * (b + x * a));
  }
  if (dfdx != nullptr) {
    Eigen::Map<Data>(dfdx, kDataDimension) = c + x * (2.0 * b + 3.0 * x * a);
  }
}

namespace internal {

// Where x lies among the samples: between number n and n + 1, at t in [0, 1).
struct GridPosition {
  explicit GridPosition(double x) {
    // Far outside of any grid, where all samples are the same, n only has to
    // be an int.
    constexpr double kFar = 1 << 30;
    const double whole = std::floor(x);
    t = x - whole;
    n = static_cast<int>(whole < -kFar ? -kFar : (whole < kFar ? whole : kFar));
  }
  int n;
  double t;
};

}  // namespace internal

// Interpolates a function of one variable, f: R -> R^d, of which a grid has the
// values at integers; between them by CubicHermiteSpline through the four
// samples around x. f and its derivative are continuous.
//
// A grid is any class with
//
//   enum { DATA_DIMENSION = d };
//   void GetValue(int n, double* f) const;   // f(n), d values, for any n
//
// such as Grid1D. The interpolator refers to the grid, which must outlive it.
// Thread safety: that of the grid's GetValue.
template <typename Grid>
class CubicInterpolator {
 public:
  explicit CubicInterpolator(const Grid& grid) : grid_(grid) {
    static_assert(Grid::DATA_DIMENSION >= 1,
                  "A grid's DATA_DIMENSION must be positive.");
  }

  // f and dfdx have DATA_DIMENSION values to write each. dfdx may be null.
  void Evaluate(double x, double* f, double* dfdx) const {
    const internal::GridPosition at(x);
    Data p[4];
    for (int i = 0; i < 4; ++i) grid_.GetValue(at.n - 1 + i, p[i].data());
    CubicHermiteSpline<Grid::DATA_DIMENSION>(p[0], p[1], p[2], p[3], at.t, f,
                                             dfdx);
  }

  // For functors that are differentiated automatically: with T = double
  void Evaluate(const double& x, double* f) const { Evaluate(x, f, nullptr); }

  // and with Jets.
  template <typename JetT>
  void Evaluate(const JetT& x, JetT* f) const {
    double value[Grid::DATA_DIMENSION], dfdx[Grid::DATA_DIMENSION];
    Evaluate(x.a, value, dfdx);
    for (int i = 0; i < Grid::DATA_DIMENSION; ++i) {
      f[i] = JetT(value[i], dfdx[i] * x.v);
    }
  }

 private:
  using Data = Eigen::Matrix<double, Grid::DATA_DIMENSION, 1>;

  const Grid& grid_;
};

// Samples at the integers begin, ..., end - 1 of a function with kDataDimension
// values. Beyond both ends the function continues with the last sample.
//
// T is the type of the values, anything that converts to double. If
// kInterleaved, data holds all values of the first sample, then all of the
// second and so on; else the first values of all samples, then the second ones
// and so on:
//
//   interleaved      f_0(0), f_1(0), f_0(1), f_1(1), f_0(2), f_1(2)
//   not interleaved  f_0(0), f_0(1), f_0(2), f_1(0), f_1(1), f_1(2)
//
// Refers to data, which must outlive it. Immutable.
template <typename T, int kDataDimension = 1, bool kInterleaved = true>
struct Grid1D {
 public:
  enum { DATA_DIMENSION = kDataDimension };

  // Checks that begin < end.
  Grid1D(const T* data, const int begin, const int end)
      : data_(data), begin_(begin), end_(end), num_values_(end - begin) {
    static_assert(kDataDimension >= 1, "A sample has at least one value.");
    internal::CheckThat(begin < end, "Grid1D: its begin, ", begin,
                        ", must be less than its end, ", end, ".");
  }

  // Writes kDataDimension values of any type that T converts to.
  template <typename U>
  void GetValue(const int n, U* f) const {
    const std::ptrdiff_t index =
        (std::min)((std::max)(begin_, n), end_ - 1) - begin_;
    for (int i = 0; i < kDataDimension; ++i) {
      f[i] = static_cast<U>(
          kInterleaved ? data_[kDataDimension * index + i]
                       : data_[std::ptrdiff_t{i} * num_values_ + index]);
    }
  }

 private:
  const T* data_;
  const int begin_;
  const int end_;
  const int num_values_;
};

// Interpolates a function of two variables, f: R^2 -> R^d, of which a grid has
// the values at pairs of integers (row, column); between them by
// CubicHermiteSpline along four rows, then across these. f and its first
// derivatives are continuous.
//
// A grid is any class with
//
//   enum { DATA_DIMENSION = d };
//   void GetValue(int row, int col, double* f) const;   // for any row and col
//
// such as Grid2D. The interpolator refers to the grid, which must outlive it.
// Thread safety: that of the grid's GetValue.
template <typename Grid>
class BiCubicInterpolator {
 public:
  explicit BiCubicInterpolator(const Grid& grid) : grid_(grid) {
    static_assert(Grid::DATA_DIMENSION >= 1,
                  "A grid's DATA_DIMENSION must be positive.");
  }

  // Outputs have DATA_DIMENSION values to write each. Derivatives may be null.
  void Evaluate(double r, double c, double* f, double* dfdr,
                double* dfdc) const {
    const internal::GridPosition row(r), col(c);
    Data values[4], slopes[4];  // of the four rows, at c
    for (int i = 0; i < 4; ++i) {
      Data p[4];
      for (int j = 0; j < 4; ++j) {
        grid_.GetValue(row.n - 1 + i, col.n - 1 + j, p[j].data());
      }
      CubicHermiteSpline<Grid::DATA_DIMENSION>(
          p[0], p[1], p[2], p[3], col.t, values[i].data(),
          dfdc == nullptr ? nullptr : slopes[i].data());
    }
    CubicHermiteSpline<Grid::DATA_DIMENSION>(values[0], values[1], values[2],
                                             values[3], row.t, f, dfdr);
    if (dfdc != nullptr) {
      CubicHermiteSpline<Grid::DATA_DIMENSION>(slopes[0], slopes[1], slopes[2],
                                               slopes[3], row.t, dfdc, nullptr);
    }
  }

  // For functors that are differentiated automatically: with T = double
  void Evaluate(const double& r, const double& c, double* f) const {
    Evaluate(r, c, f, nullptr, nullptr);
  }

  // and with Jets.
  template <typename JetT>
  void Evaluate(const JetT& r, const JetT& c, JetT* f) const {
    double value[Grid::DATA_DIMENSION];
    double dfdr[Grid::DATA_DIMENSION], dfdc[Grid::DATA_DIMENSION];
    Evaluate(r.a, c.a, value, dfdr, dfdc);
    for (int i = 0; i < Grid::DATA_DIMENSION; ++i) {
      f[i] = JetT(value[i], dfdr[i] * r.v + dfdc[i] * c.v);
    }
  }

 private:
  using Data = Eigen::Matrix<double, Grid::DATA_DIMENSION, 1>;

  const Grid& grid_;
};

// Samples at rows row_begin, ..., row_end - 1 and columns col_begin, ...,
// col_end - 1 of a function with kDataDimension values. Outside, the function
// is that of the nearest sample.
//
// Samples come row after row if kRowMajor, else column after column; their
// values as in Grid1D. Refers to data, which must outlive it. Immutable.
template <typename T, int kDataDimension = 1, bool kRowMajor = true,
          bool kInterleaved = true>
struct Grid2D {
 public:
  enum { DATA_DIMENSION = kDataDimension };

  // Checks that both ranges have elements.
  Grid2D(const T* data, const int row_begin, const int row_end,
         const int col_begin, const int col_end)
      : data_(data),
        row_begin_(row_begin),
        row_end_(row_end),
        col_begin_(col_begin),
        col_end_(col_end),
        num_rows_(row_end - row_begin),
        num_cols_(col_end - col_begin),
        num_values_(std::ptrdiff_t{num_rows_} * num_cols_) {
    static_assert(kDataDimension >= 1, "A sample has at least one value.");
    internal::CheckThat(row_begin < row_end, "Grid2D: its row_begin, ",
                        row_begin, ", must be less than its row_end, ", row_end,
                        ".");
    internal::CheckThat(col_begin < col_end, "Grid2D: its col_begin, ",
                        col_begin, ", must be less than its col_end, ", col_end,
                        ".");
  }

  // Writes kDataDimension values of any type that T converts to.
  template <typename U>
  void GetValue(const int r, const int c, U* f) const {
    const std::ptrdiff_t row =
        (std::min)((std::max)(row_begin_, r), row_end_ - 1) - row_begin_;
    const std::ptrdiff_t col =
        (std::min)((std::max)(col_begin_, c), col_end_ - 1) - col_begin_;
    const std::ptrdiff_t index =
        kRowMajor ? num_cols_ * row + col : num_rows_ * col + row;
    for (int i = 0; i < kDataDimension; ++i) {
      f[i] = static_cast<U>(kInterleaved ? data_[kDataDimension * index + i]
                                         : data_[i * num_values_ + index]);
    }
  }

 private:
  const T* data_;
  const int row_begin_;
  const int row_end_;
  const int col_begin_;
  const int col_end_;
  const int num_rows_;
  const int num_cols_;
  const std::ptrdiff_t num_values_;
};

}  // namespace ceres

#endif  // CERES_PUBLIC_CUBIC_INTERPOLATION_H_
