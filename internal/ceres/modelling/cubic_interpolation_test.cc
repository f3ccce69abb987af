// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/cubic_interpolation.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "Eigen/Core"
#include "ceres/jet.h"
#include "gtest/gtest.h"

namespace ceres {
namespace {

using Scalar1 = Eigen::Matrix<double, 1, 1>;

TEST(CubicHermiteSpline, ReproducesQuadraticsAndTheirSlopes) {
  // Catmull-Rom slopes are central differences, exact for quadratics.
  const auto f = [](double x) { return 2 * x * x - 3 * x + 0.5; };
  const auto at = [&f](double x) { return Scalar1::Constant(f(x)).eval(); };
  for (const double x : {0.0, 0.1, 0.5, 0.9, 1.0}) {
    double value, slope;
    CubicHermiteSpline<1>(at(-1), at(0), at(1), at(2), x, &value, &slope);
    EXPECT_NEAR(value, f(x), 1e-14);
    EXPECT_NEAR(slope, 4 * x - 3, 1e-14);
  }
}

TEST(CubicHermiteSpline, HasTheValuesAndSlopesThatDefineIt) {
  const Eigen::Vector2d p0(1, -2), p1(4, 0.5), p2(-3, 7), p3(2, 2);
  Eigen::Vector2d f, dfdx;
  CubicHermiteSpline<2>(p0, p1, p2, p3, 0.0, f.data(), dfdx.data());
  EXPECT_EQ(f, p1);
  EXPECT_EQ(dfdx, (p2 - p0) / 2);
  CubicHermiteSpline<2>(p0, p1, p2, p3, 1.0, f.data(), dfdx.data());
  EXPECT_TRUE(f.isApprox(p2, 1e-15));
  EXPECT_TRUE(dfdx.isApprox((p3 - p1) / 2, 1e-15));
  // Either output may be left out.
  double value[2] = {}, slope[2] = {};
  CubicHermiteSpline<2>(p0, p1, p2, p3, 0.0, value, nullptr);
  CubicHermiteSpline<2>(p0, p1, p2, p3, 0.0, nullptr, slope);
  EXPECT_EQ(value[0], 4);
  EXPECT_EQ(slope[0], -2);
}

TEST(Grid1D, LayoutsAndClamping) {
  const int interleaved[] = {1, 5, 2, 6, 3, 7};
  const int planes[] = {1, 2, 3, 5, 6, 7};
  const Grid1D<int, 2, true> a(interleaved, 10, 13);
  const Grid1D<int, 2, false> b(planes, 10, 13);
  for (const int n : {std::numeric_limits<int>::min(), 9, 10, 11, 12, 13,
                      std::numeric_limits<int>::max()}) {
    const int clamped = n < 10 ? 10 : (n > 12 ? 12 : n);
    double f[2], g[2];
    a.GetValue(n, f);
    b.GetValue(n, g);
    EXPECT_EQ(f[0], clamped - 9);
    EXPECT_EQ(f[1], clamped - 5);
    EXPECT_EQ(g[0], f[0]);
    EXPECT_EQ(g[1], f[1]);
  }
}

TEST(Grid1D, ValuesOfAnyType) {
  const std::uint8_t data[] = {0, 255};
  const Grid1D<std::uint8_t> grid(data, 0, 2);
  double value;
  grid.GetValue(1, &value);
  EXPECT_EQ(value, 255.0);
  const double doubles[] = {1.5};
  Jet<double, 2> jet;
  Grid1D<double>(doubles, 0, 1).GetValue(0, &jet);
  EXPECT_EQ(jet.a, 1.5);
}

TEST(Grid2D, LayoutsAndClamping) {
  // Value d at (r, c) is 100 d + 10 r + c, rows 0 and 1, columns 0, 1, 2.
  constexpr int kRows = 2, kCols = 3, kValues = 2;
  std::vector<double> row_interleaved, row_planes(12), col_interleaved(12),
      col_planes(12);
  row_interleaved.resize(12);
  for (int r = 0; r < kRows; ++r) {
    for (int c = 0; c < kCols; ++c) {
      for (int d = 0; d < kValues; ++d) {
        const double value = 100 * d + 10 * r + c;
        row_interleaved[(r * kCols + c) * kValues + d] = value;
        row_planes[d * 6 + r * kCols + c] = value;
        col_interleaved[(c * kRows + r) * kValues + d] = value;
        col_planes[d * 6 + c * kRows + r] = value;
      }
    }
  }
  const Grid2D<double, 2, true, true> a(row_interleaved.data(), 5, 7, -1, 2);
  const Grid2D<double, 2, true, false> b(row_planes.data(), 5, 7, -1, 2);
  const Grid2D<double, 2, false, true> c(col_interleaved.data(), 5, 7, -1, 2);
  const Grid2D<double, 2, false, false> d(col_planes.data(), 5, 7, -1, 2);
  for (int r = 3; r < 9; ++r) {
    for (int col = -3; col < 5; ++col) {
      const int row_index = (r < 5 ? 5 : (r > 6 ? 6 : r)) - 5;
      const int col_index = (col < -1 ? -1 : (col > 1 ? 1 : col)) + 1;
      double f[4][2];
      a.GetValue(r, col, f[0]);
      b.GetValue(r, col, f[1]);
      c.GetValue(r, col, f[2]);
      d.GetValue(r, col, f[3]);
      for (const auto& value : f) {
        EXPECT_EQ(value[0], 10 * row_index + col_index);
        EXPECT_EQ(value[1], 100 + 10 * row_index + col_index);
      }
    }
  }
}

TEST(CubicInterpolator, ReproducesSamplesAndQuadratics) {
  const auto f = [](double x) { return 0.5 * x * x - 2 * x + 1; };
  std::vector<double> data;
  for (int n = -2; n < 8; ++n) data.push_back(f(n));
  const Grid1D<double> grid(data.data(), -2, 8);
  const CubicInterpolator<Grid1D<double>> interpolator(grid);
  // All four samples of these points are in the grid.
  for (double x = -1; x <= 6; x += 0.25) {
    double value, slope;
    interpolator.Evaluate(x, &value, &slope);
    EXPECT_NEAR(value, f(x), 1e-13);
    EXPECT_NEAR(slope, x - 2, 1e-13);
    interpolator.Evaluate(x, &value);
    EXPECT_NEAR(value, f(x), 1e-13);
  }
}

TEST(CubicInterpolator, IsConstantFarOutside) {
  const double data[] = {3, 1, 4, 1, 5};
  const Grid1D<double> grid(data, 0, 5);
  const CubicInterpolator<Grid1D<double>> interpolator(grid);
  for (const double x : {-2.0, -7.5, -1e6, -1e18, -1e300, 6.0, 8.5, 1e300}) {
    double value, slope;
    interpolator.Evaluate(x, &value, &slope);
    EXPECT_EQ(value, x < 0 ? 3.0 : 5.0) << x;
    EXPECT_EQ(slope, 0.0) << x;
  }
  double value;
  interpolator.Evaluate(std::numeric_limits<double>::quiet_NaN(), &value);
  EXPECT_TRUE(std::isnan(value));
}

TEST(CubicInterpolator, JetsCarryTheDerivative) {
  const double data[] = {1, -1, 2, 0, 5, 3, 1, 1};
  const Grid1D<double, 2> grid(data, 0, 4);
  const CubicInterpolator<Grid1D<double, 2>> interpolator(grid);
  using JetT = Jet<double, 3>;
  JetT x(1.3, 1);
  x.v[2] = -4;
  JetT f[2];
  double value[2], slope[2];
  interpolator.Evaluate(x, f);
  interpolator.Evaluate(1.3, value, slope);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(f[i].a, value[i]);
    EXPECT_EQ(f[i].v[0], 0);
    EXPECT_EQ(f[i].v[1], slope[i]);
    EXPECT_EQ(f[i].v[2], -4 * slope[i]);
  }
}

// Two values per sample, both quadratic in row and column.
struct Quadratics {
  static constexpr int kRows = 7, kCols = 9;
  static double Value(int i, double r, double c) {
    return i == 0 ? 2 * r * r - r * c + 0.5 * c * c - 3 * r + c + 1
                  : r * r * c * c - 2 * r * r * c + c;
  }
  static double SlopeByRow(int i, double r, double c) {
    return i == 0 ? 4 * r - c - 3 : 2 * r * c * c - 4 * r * c;
  }
  static double SlopeByCol(int i, double r, double c) {
    return i == 0 ? -r + c + 1 : 2 * r * r * c - 2 * r * r + 1;
  }
  Quadratics() {
    for (int r = 0; r < kRows; ++r) {
      for (int c = 0; c < kCols; ++c) {
        data.push_back(Value(0, r, c));
        data.push_back(Value(1, r, c));
      }
    }
  }
  std::vector<double> data;
};

TEST(BiCubicInterpolator, ReproducesBiquadraticsAndTheirSlopes) {
  const Quadratics q;
  using Grid = Grid2D<double, 2>;
  const Grid grid(q.data.data(), 0, Quadratics::kRows, 0, Quadratics::kCols);
  const BiCubicInterpolator<Grid> interpolator(grid);
  for (double r = 1; r <= 5; r += 0.4) {
    for (double c = 1; c <= 7; c += 0.3) {
      double f[2], dfdr[2], dfdc[2], alone[2];
      interpolator.Evaluate(r, c, f, dfdr, dfdc);
      interpolator.Evaluate(r, c, alone);
      for (int i = 0; i < 2; ++i) {
        EXPECT_NEAR(f[i], Quadratics::Value(i, r, c), 1e-10);
        EXPECT_NEAR(dfdr[i], Quadratics::SlopeByRow(i, r, c), 1e-10);
        EXPECT_NEAR(dfdc[i], Quadratics::SlopeByCol(i, r, c), 1e-10);
        EXPECT_EQ(alone[i], f[i]);
      }
      double only_col[2];
      interpolator.Evaluate(r, c, f, nullptr, only_col);
      EXPECT_EQ(only_col[0], dfdc[0]);
    }
  }
}

TEST(BiCubicInterpolator, JetsCarryBothDerivatives) {
  const Quadratics q;
  using Grid = Grid2D<double, 2>;
  const Grid grid(q.data.data(), 0, Quadratics::kRows, 0, Quadratics::kCols);
  const BiCubicInterpolator<Grid> interpolator(grid);
  using JetT = Jet<double, 2>;
  const JetT x(2.3, 0), y(3.4, 1);
  JetT f[2];
  interpolator.Evaluate(x * y, x + y, f);  // (7.82, 5.7), partly outside
  double value[2], dfdr[2], dfdc[2];
  interpolator.Evaluate(2.3 * 3.4, 5.7, value, dfdr, dfdc);
  for (int i = 0; i < 2; ++i) {
    EXPECT_NEAR(f[i].a, value[i], 1e-10);
    EXPECT_NEAR(f[i].v[0], dfdr[i] * 3.4 + dfdc[i], 1e-12);
    EXPECT_NEAR(f[i].v[1], dfdr[i] * 2.3 + dfdc[i], 1e-12);
  }
}

// A grid of the user's own.
struct Ramp {
  enum { DATA_DIMENSION = 1 };
  void GetValue(const int n, double* f) const { *f = 3.0 * n; }
};

TEST(CubicInterpolator, AnyClassWithValuesIsAGrid) {
  const Ramp ramp;
  const CubicInterpolator<Ramp> interpolator(ramp);
  double f, dfdx;
  interpolator.Evaluate(-1000.25, &f, &dfdx);
  EXPECT_EQ(f, -3000.75);
  EXPECT_EQ(dfdx, 3.0);
}

TEST(GridDeathTest, RangesMustHaveElements) {
  const double data[] = {1};
  EXPECT_DEATH(Grid1D<double>(data, 3, 3), "its begin, 3, must be less");
  EXPECT_DEATH(Grid2D<double>(data, 1, 0, 0, 1), "row_begin, 1");
  EXPECT_DEATH(Grid2D<double>(data, 0, 1, 0, -2), "col_begin, 0");
}

}  // namespace
}  // namespace ceres
