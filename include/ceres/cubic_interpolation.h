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

namespace internal {

// The cubic with the values v0, v1 and the slopes s0, s1 at 0 and 1 is
//
//   v0 + rise(x) (v1 - v0) + slope0(x) s0 + slope1(x) s1
//
// in terms of these Hermite polynomials. Constants are exact in it.
struct CubicHermiteBasis {
  double rise, slope0, slope1;

  static CubicHermiteBasis Values(double x) {
    const double y = 1.0 - x;
    return {x * x * (y + y + 1.0), x * y * y, -x * x * y};
  }
  static CubicHermiteBasis Derivatives(double x) {
    const double y = 1.0 - x;
    return {6.0 * x * y, y * (y - x - x), x * (x - y - y)};
  }
};

// The number in [0, size) that is nearest to n - begin.
inline std::ptrdiff_t ClampToRange(int n, int begin, int size) {
  const std::ptrdiff_t offset = std::ptrdiff_t{n} - begin;
  return (std::max)(std::ptrdiff_t{0},
                    (std::min)(offset, std::ptrdiff_t{size} - 1));
}

// The layout of the values of samples in memory; see Grid1D.
template <int kDataDimension, bool kInterleaved>
struct SampleLayout {
  // f = the values of one of num_samples samples.
  template <typename T, typename U>
  static void Copy(const T* data, std::ptrdiff_t sample,
                   std::ptrdiff_t num_samples, U* f) {
    const T* value = data + (kInterleaved ? sample * kDataDimension : sample);
    const std::ptrdiff_t step = kInterleaved ? 1 : num_samples;
    for (int i = 0; i < kDataDimension; ++i) {
      f[i] = static_cast<U>(value[i * step]);
    }
  }
};

// The position of x between samples n and n + 1, at t in [0, 1).
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

// The Catmull-Rom spline through p0, p1, p2, p3 at -1, 0, 1, 2, evaluated at x
// in [0, 1]: the cubic with the values p1, p2 and the slopes (p2 - p0) / 2,
// (p3 - p1) / 2 at 0 and 1.
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
  using Basis = internal::CubicHermiteBasis;
  using Data = Eigen::Matrix<double, kDataDimension, 1>;
  const Data rise = p2 - p1;
  const Data slope0 = 0.5 * (p2 - p0);
  const Data slope1 = 0.5 * (p3 - p1);
  const auto combine = [&](const Basis& basis) -> Data {
    return basis.rise * rise + basis.slope0 * slope0 + basis.slope1 * slope1;
  };
  if (f != nullptr) {
    Eigen::Map<Data>(f, kDataDimension) = p1 + combine(Basis::Values(x));
  }
  if (dfdx != nullptr) {
    Eigen::Map<Data>(dfdx, kDataDimension) = combine(Basis::Derivatives(x));
  }
}

// Interpolates a function of one variable, f: R -> R^d. A grid has its values
// at integers. Between integers f is the CubicHermiteSpline through the four
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
  // Refers to the grid.
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

  // For functors that are differentiated automatically, with T = double.
  void Evaluate(const double& x, double* f) const { Evaluate(x, f, nullptr); }

  // For functors that are differentiated automatically, with Jets.
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
  enum {
    // The number of values of a sample.
    DATA_DIMENSION = kDataDimension
  };

  // Checks that begin < end.
  Grid1D(const T* data, const int begin, const int end)
      : begin_(begin), size_(end - begin), data_(data) {
    static_assert(kDataDimension >= 1, "A sample has at least one value.");
    internal::CheckThat(begin < end, "Grid1D: its begin, ", begin,
                        ", must be less than its end, ", end, ".");
  }

  // Writes kDataDimension values of any type that T converts to.
  template <typename U>
  void GetValue(const int n, U* f) const {
    using Layout = internal::SampleLayout<kDataDimension, kInterleaved>;
    Layout::Copy(data_, internal::ClampToRange(n, begin_, size_), size_, f);
  }

 private:
  const int begin_;
  const int size_;
  const T* data_;
};

// Interpolates a function of two variables, f: R^2 -> R^d. A grid has its
// values at pairs of integers (row, column). Between them f is the
// CubicHermiteSpline along four rows, then across these rows. f and its first
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
  // Refers to the grid.
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

  // For functors that are differentiated automatically, with T = double.
  void Evaluate(const double& r, const double& c, double* f) const {
    Evaluate(r, c, f, nullptr, nullptr);
  }

  // For functors that are differentiated automatically, with Jets.
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
// col_end - 1 of a function with kDataDimension values. Outside of the grid the
// function has the value of the nearest sample.
//
// Samples come row after row if kRowMajor, else column after column; their
// values as in Grid1D. Refers to data, which must outlive it. Immutable.
template <typename T, int kDataDimension = 1, bool kRowMajor = true,
          bool kInterleaved = true>
struct Grid2D {
 public:
  enum {
    // The number of values of a sample.
    DATA_DIMENSION = kDataDimension
  };

  // Checks that both ranges have elements.
  Grid2D(const T* data, const int row_begin, const int row_end,
         const int col_begin, const int col_end)
      : begin_{row_begin, col_begin},
        size_{row_end - row_begin, col_end - col_begin},
        data_(data) {
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
    using Layout = internal::SampleLayout<kDataDimension, kInterleaved>;
    const std::ptrdiff_t row = internal::ClampToRange(r, begin_[0], size_[0]);
    const std::ptrdiff_t col = internal::ClampToRange(c, begin_[1], size_[1]);
    const std::ptrdiff_t sample =
        kRowMajor ? row * size_[1] + col : col * size_[0] + row;
    Layout::Copy(data_, sample, std::ptrdiff_t{size_[0]} * size_[1], f);
  }

 private:
  // Element 0 belongs to the rows, element 1 to the columns.
  const int begin_[2];
  const int size_[2];
  const T* data_;
};

}  // namespace ceres

#endif  // CERES_PUBLIC_CUBIC_INTERPOLATION_H_
