// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Problems 1 to 19 of More, Garbow and Hillstrom, Testing
// Unconstrained Optimization Software, ACM Trans. Math. Software 7, 1981, with
// their numbers in section 3 there. Gulf (11) is as its authors corrected it
// later: |y_i - x_2| in place of |y_i m i x_2|.
//
// Each is a functor of N parameters and M residuals, with its start and the
// least sums of squares that the paper gives, global ones first. Bounds are
// those of Gay, A Trust-Region Approach to Linearly Constrained Optimization,
// 1984, with his minima, which are reached with three residuals in Gulf (11)
// and Box (12): there the paper leaves their number open.

#ifndef VESTA_EXAMPLES_MORE_GARBOW_HILLSTROM_H_
#define VESTA_EXAMPLES_MORE_GARBOW_HILLSTROM_H_

#include <algorithm>
#include <cmath>
#include <vector>

namespace ceres::examples::mgh {

struct Bounds {
  std::vector<double> lower;
  std::vector<double> upper;
  double minimum;  // of the sum of squares
};

template <int NumParameters, int NumResiduals>
struct Sizes {
  static constexpr int kNumParameters = NumParameters;
  static constexpr int kNumResiduals = NumResiduals;
  static std::vector<Bounds> bounds() { return {}; }
};

struct Rosenbrock : Sizes<2, 2> {
  static constexpr const char* kName = "1 Rosenbrock";
  static std::vector<double> start() { return {-1.2, 1.0}; }
  static std::vector<double> minima() { return {0.0}; }
  template <typename T>
  bool operator()(const T* x, T* f) const {
    f[0] = 10.0 * (x[1] - x[0] * x[0]);
    f[1] = 1.0 - x[0];
    return true;
  }
};

struct FreudensteinRoth : Sizes<2, 2> {
  static constexpr const char* kName = "2 Freudenstein and Roth";
  static std::vector<double> start() { return {0.5, -2.0}; }
  static std::vector<double> minima() { return {0.0, 48.9842}; }
  template <typename T>
  bool operator()(const T* x, T* f) const {
    f[0] = -13.0 + x[0] + ((5.0 - x[1]) * x[1] - 2.0) * x[1];
    f[1] = -29.0 + x[0] + ((x[1] + 1.0) * x[1] - 14.0) * x[1];
    return true;
  }
};

struct PowellBadlyScaled : Sizes<2, 2> {
  static constexpr const char* kName = "3 Powell badly scaled";
  static std::vector<double> start() { return {0.0, 1.0}; }
  static std::vector<double> minima() { return {0.0}; }
  static std::vector<Bounds> bounds() {
    return {{{0.0, 1.0}, {1.0, 9.0}, 0.15125900e-9}};
  }
  template <typename T>
  bool operator()(const T* x, T* f) const {
    using std::exp;
    f[0] = 1e4 * x[0] * x[1] - 1.0;
    f[1] = exp(-x[0]) + exp(-x[1]) - 1.0001;
    return true;
  }
};

struct BrownBadlyScaled : Sizes<2, 3> {
  static constexpr const char* kName = "4 Brown badly scaled";
  static std::vector<double> start() { return {1.0, 1.0}; }
  static std::vector<double> minima() { return {0.0}; }
  static std::vector<Bounds> bounds() {
    return {{{0.0, 3e-5}, {1e6, 100.0}, 0.784e3}};
  }
  template <typename T>
  bool operator()(const T* x, T* f) const {
    f[0] = x[0] - 1e6;
    f[1] = x[1] - 2e-6;
    f[2] = x[0] * x[1] - 2.0;
    return true;
  }
};

struct Beale : Sizes<2, 3> {
  static constexpr const char* kName = "5 Beale";
  static std::vector<double> start() { return {1.0, 1.0}; }
  static std::vector<double> minima() { return {0.0}; }
  static std::vector<Bounds> bounds() {
    return {{{0.6, 0.5}, {10.0, 100.0}, 0.0}};
  }
  template <typename T>
  bool operator()(const T* x, T* f) const {
    const double y[] = {1.5, 2.25, 2.625};
    T power(1.0);
    for (int i = 0; i < 3; ++i) {
      power = power * x[1];
      f[i] = y[i] - x[0] * (1.0 - power);
    }
    return true;
  }
};

struct JennrichSampson : Sizes<2, 10> {
  static constexpr const char* kName = "6 Jennrich and Sampson";
  static std::vector<double> start() { return {0.3, 0.4}; }
  static std::vector<double> minima() { return {124.362}; }
  template <typename T>
  bool operator()(const T* x, T* f) const {
    using std::exp;
    for (int i = 1; i <= 10; ++i) {
      const double t = i;
      f[i - 1] = 2.0 + 2.0 * t - (exp(t * x[0]) + exp(t * x[1]));
    }
    return true;
  }
};

struct HelicalValley : Sizes<3, 3> {
  static constexpr const char* kName = "7 Helical valley";
  static std::vector<double> start() { return {-1.0, 0.0, 0.0}; }
  static std::vector<double> minima() { return {0.0}; }
  static std::vector<Bounds> bounds() {
    return {{{-100.0, -1.0, -1.0}, {0.8, 1.0, 1.0}, 0.99042212}};
  }
  template <typename T>
  bool operator()(const T* x, T* f) const {
    using std::atan;
    using std::sqrt;
    const double kPi = 3.14159265358979323846;
    T theta = atan(x[1] / x[0]) / (2.0 * kPi);
    if (x[0] < 0.0) theta = theta + 0.5;
    f[0] = 10.0 * (x[2] - 10.0 * theta);
    f[1] = 10.0 * (sqrt(x[0] * x[0] + x[1] * x[1]) - 1.0);
    f[2] = x[2];
    return true;
  }
};

struct Bard : Sizes<3, 15> {
  static constexpr const char* kName = "8 Bard";
  static std::vector<double> start() { return {1.0, 1.0, 1.0}; }
  static std::vector<double> minima() { return {8.21487e-3, 17.4286}; }
  template <typename T>
  bool operator()(const T* x, T* f) const {
    const double y[] = {0.14, 0.18, 0.22, 0.25, 0.29, 0.32, 0.35, 0.39,
                        0.37, 0.58, 0.73, 0.96, 1.34, 2.10, 4.39};
    for (int i = 0; i < 15; ++i) {
      const double u = i + 1;
      const double v = 16 - (i + 1);
      const double w = std::min(u, v);
      f[i] = y[i] - (x[0] + u / (v * x[1] + w * x[2]));
    }
    return true;
  }
};

struct Gaussian : Sizes<3, 15> {
  static constexpr const char* kName = "9 Gaussian";
  static std::vector<double> start() { return {0.4, 1.0, 0.0}; }
  static std::vector<double> minima() { return {1.12793e-8}; }
  static std::vector<Bounds> bounds() {
    return {{{0.398, 1.0, -0.5}, {4.2, 2.0, 0.1}, 0.11279300e-7}};
  }
  template <typename T>
  bool operator()(const T* x, T* f) const {
    using std::exp;
    const double y[] = {0.0009, 0.0044, 0.0175, 0.0540,
                        0.1295, 0.2420, 0.3521, 0.3989};
    for (int i = 0; i < 15; ++i) {
      const double t = (8 - (i + 1)) / 2.0;
      const T d = t - x[2];
      f[i] = x[0] * exp(-x[1] * d * d / 2.0) - y[std::min(i, 14 - i)];
    }
    return true;
  }
};

struct Meyer : Sizes<3, 16> {
  static constexpr const char* kName = "10 Meyer";
  static std::vector<double> start() { return {0.02, 4000.0, 250.0}; }
  static std::vector<double> minima() { return {87.9458}; }
  template <typename T>
  bool operator()(const T* x, T* f) const {
    using std::exp;
    const double y[] = {34780.0, 28610.0, 23650.0, 19630.0, 16370.0, 13720.0,
                        11540.0, 9744.0,  8261.0,  7030.0,  6005.0,  5147.0,
                        4427.0,  3820.0,  3307.0,  2872.0};
    for (int i = 0; i < 16; ++i) {
      const double t = 45.0 + 5.0 * (i + 1);
      f[i] = x[0] * exp(x[1] / (t + x[2])) - y[i];
    }
    return true;
  }
};

template <int NumResiduals>
struct GulfWith : Sizes<3, NumResiduals> {
  static constexpr const char* kName = "11 Gulf";
  static std::vector<double> start() { return {5.0, 2.5, 0.15}; }
  static std::vector<double> minima() { return {0.0}; }
  static std::vector<Bounds> bounds() {
    return {{{1e-16, 0.0, 0.0}, {10.0, 10.0, 10.0}, 0.58281431e-4}};
  }
  template <typename T>
  bool operator()(const T* x, T* f) const {
    using std::abs;
    using std::exp;
    using std::pow;
    for (int i = 0; i < NumResiduals; ++i) {
      const double t = (i + 1) / 100.0;
      const double y = 25.0 + std::pow(-50.0 * std::log(t), 2.0 / 3.0);
      f[i] = exp(-pow(abs(y - x[1]), x[2]) / x[0]) - t;
    }
    return true;
  }
};
using Gulf = GulfWith<99>;

struct Box : Sizes<3, 3> {
  static constexpr const char* kName = "12 Box";
  static std::vector<double> start() { return {0.0, 10.0, 20.0}; }
  static std::vector<double> minima() { return {0.0}; }
  static std::vector<Bounds> bounds() {
    return {{{0.0, 5.0, 0.0}, {2.0, 9.5, 20.0}, 0.30998153e-5}};
  }
  template <typename T>
  bool operator()(const T* x, T* f) const {
    using std::exp;
    for (int i = 0; i < kNumResiduals; ++i) {
      const double t = 0.1 * (i + 1);
      f[i] = exp(-t * x[0]) - exp(-t * x[1]) -
             x[2] * (std::exp(-t) - std::exp(-10.0 * t));
    }
    return true;
  }
};

struct PowellSingular : Sizes<4, 4> {
  static constexpr const char* kName = "13 Powell singular";
  static std::vector<double> start() { return {3.0, -1.0, 0.0, 1.0}; }
  static std::vector<double> minima() { return {0.0}; }
  static std::vector<Bounds> bounds() {
    return {
        {{0.1, -20.0, -1.0, -1.0}, {100.0, 20.0, 1.0, 50.0}, 0.18781963e-3}};
  }
  template <typename T>
  bool operator()(const T* x, T* f) const {
    f[0] = x[0] + 10.0 * x[1];
    f[1] = std::sqrt(5.0) * (x[2] - x[3]);
    f[2] = (x[1] - 2.0 * x[2]) * (x[1] - 2.0 * x[2]);
    f[3] = std::sqrt(10.0) * (x[0] - x[3]) * (x[0] - x[3]);
    return true;
  }
};

struct Wood : Sizes<4, 6> {
  static constexpr const char* kName = "14 Wood";
  static std::vector<double> start() { return {-3.0, -1.0, -3.0, -1.0}; }
  static std::vector<double> minima() { return {0.0}; }
  static std::vector<Bounds> bounds() {
    return {{{-100.0, -100.0, -100.0, -100.0},
             {0.0, 10.0, 100.0, 100.0},
             0.15567008e1}};
  }
  template <typename T>
  bool operator()(const T* x, T* f) const {
    f[0] = 10.0 * (x[1] - x[0] * x[0]);
    f[1] = 1.0 - x[0];
    f[2] = std::sqrt(90.0) * (x[3] - x[2] * x[2]);
    f[3] = 1.0 - x[2];
    f[4] = std::sqrt(10.0) * (x[1] + x[3] - 2.0);
    f[5] = (x[1] - x[3]) / std::sqrt(10.0);
    return true;
  }
};

struct KowalikOsborne : Sizes<4, 11> {
  static constexpr const char* kName = "15 Kowalik and Osborne";
  static std::vector<double> start() { return {0.25, 0.39, 0.415, 0.39}; }
  static std::vector<double> minima() { return {3.07505e-4, 1.02734e-3}; }
  template <typename T>
  bool operator()(const T* x, T* f) const {
    const double y[] = {0.1957, 0.1947, 0.1735, 0.1600, 0.0844, 0.0627,
                        0.0456, 0.0342, 0.0323, 0.0235, 0.0246};
    const double u[] = {4.0,   2.0, 1.0,    0.5,    0.25,  0.167,
                        0.125, 0.1, 0.0833, 0.0714, 0.0625};
    for (int i = 0; i < 11; ++i) {
      const double u2 = u[i] * u[i];
      f[i] = y[i] - x[0] * (u2 + u[i] * x[1]) / (u2 + u[i] * x[2] + x[3]);
    }
    return true;
  }
};

struct BrownDennis : Sizes<4, 20> {
  static constexpr const char* kName = "16 Brown and Dennis";
  static std::vector<double> start() { return {25.0, 5.0, -5.0, -1.0}; }
  static std::vector<double> minima() { return {85822.2}; }
  static std::vector<Bounds> bounds() {
    return {
        {{-10.0, 0.0, -100.0, -20.0}, {100.0, 15.0, 0.0, 0.2}, 0.88860479e5}};
  }
  template <typename T>
  bool operator()(const T* x, T* f) const {
    for (int i = 0; i < 20; ++i) {
      const double t = (i + 1) / 5.0;
      const T a = x[0] + t * x[1] - std::exp(t);
      const T b = x[2] + x[3] * std::sin(t) - std::cos(t);
      f[i] = a * a + b * b;
    }
    return true;
  }
};

struct Osborne1 : Sizes<5, 33> {
  static constexpr const char* kName = "17 Osborne 1";
  static std::vector<double> start() { return {0.5, 1.5, -1.0, 0.01, 0.02}; }
  static std::vector<double> minima() { return {5.46489e-5}; }
  template <typename T>
  bool operator()(const T* x, T* f) const {
    using std::exp;
    const double y[] = {0.844, 0.908, 0.932, 0.936, 0.925, 0.908, 0.881,
                        0.850, 0.818, 0.784, 0.751, 0.718, 0.685, 0.658,
                        0.628, 0.603, 0.580, 0.558, 0.538, 0.522, 0.506,
                        0.490, 0.478, 0.467, 0.457, 0.448, 0.438, 0.431,
                        0.424, 0.420, 0.414, 0.411, 0.406};
    for (int i = 0; i < 33; ++i) {
      const double t = 10.0 * i;
      f[i] = y[i] - (x[0] + x[1] * exp(-t * x[3]) + x[2] * exp(-t * x[4]));
    }
    return true;
  }
};

struct BiggsExp6 : Sizes<6, 13> {
  static constexpr const char* kName = "18 Biggs EXP6";
  static std::vector<double> start() { return {1.0, 2.0, 1.0, 1.0, 1.0, 1.0}; }
  static std::vector<double> minima() { return {0.0, 5.65565e-3}; }
  static std::vector<Bounds> bounds() {
    return {{{0.0, 0.0, 0.0, 1.0, 0.0, 0.0},
             {2.0, 8.0, 1.0, 7.0, 5.0, 5.0},
             0.53209865e-3}};
  }
  template <typename T>
  bool operator()(const T* x, T* f) const {
    using std::exp;
    for (int i = 0; i < 13; ++i) {
      const double t = 0.1 * (i + 1);
      const double y =
          std::exp(-t) - 5.0 * std::exp(-10.0 * t) + 3.0 * std::exp(-4.0 * t);
      f[i] = x[2] * exp(-t * x[0]) - x[3] * exp(-t * x[1]) +
             x[5] * exp(-t * x[4]) - y;
    }
    return true;
  }
};

struct Osborne2 : Sizes<11, 65> {
  static constexpr const char* kName = "19 Osborne 2";
  static std::vector<double> start() {
    return {1.3, 0.65, 0.65, 0.7, 0.6, 3.0, 5.0, 7.0, 2.0, 4.5, 5.5};
  }
  static std::vector<double> minima() { return {4.01377e-2}; }
  template <typename T>
  bool operator()(const T* x, T* f) const {
    using std::exp;
    const double y[] = {
        1.366, 1.191, 1.112, 1.013, 0.991, 0.885, 0.831, 0.847, 0.786, 0.725,
        0.746, 0.679, 0.608, 0.655, 0.616, 0.606, 0.602, 0.626, 0.651, 0.724,
        0.649, 0.649, 0.694, 0.644, 0.624, 0.661, 0.612, 0.558, 0.533, 0.495,
        0.500, 0.423, 0.395, 0.375, 0.372, 0.391, 0.396, 0.405, 0.428, 0.429,
        0.523, 0.562, 0.607, 0.653, 0.672, 0.708, 0.633, 0.668, 0.645, 0.632,
        0.591, 0.559, 0.597, 0.625, 0.739, 0.710, 0.729, 0.720, 0.636, 0.581,
        0.428, 0.292, 0.162, 0.098, 0.054};
    for (int i = 0; i < 65; ++i) {
      const double t = i / 10.0;
      const T a = t - x[8];
      const T b = t - x[9];
      const T c = t - x[10];
      f[i] = y[i] - (x[0] * exp(-t * x[4]) + x[1] * exp(-a * a * x[5]) +
                     x[2] * exp(-b * b * x[6]) + x[3] * exp(-c * c * x[7]));
    }
    return true;
  }
};

// The function whose minimum with bounds is known: F but for Gulf.
template <typename F>
struct WithBounds {
  using Function = F;
};
template <>
struct WithBounds<Gulf> {
  using Function = GulfWith<3>;
};

// Calls visit(F()) for each of the 19 problems.
template <typename Visitor>
void ForEachProblem(Visitor&& visit) {
  visit(Rosenbrock());
  visit(FreudensteinRoth());
  visit(PowellBadlyScaled());
  visit(BrownBadlyScaled());
  visit(Beale());
  visit(JennrichSampson());
  visit(HelicalValley());
  visit(Bard());
  visit(Gaussian());
  visit(Meyer());
  visit(Gulf());
  visit(Box());
  visit(PowellSingular());
  visit(Wood());
  visit(KowalikOsborne());
  visit(BrownDennis());
  visit(Osborne1());
  visit(BiggsExp6());
  visit(Osborne2());
}

}  // namespace ceres::examples::mgh

#endif  // VESTA_EXAMPLES_MORE_GARBOW_HILLSTROM_H_
