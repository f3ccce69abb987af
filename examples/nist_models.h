// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// The models of the NIST nonlinear regression problems
// (https://www.itl.nist.gov/div898/strd/nls/nls_main.shtml). Predict(b, x) is
// the response at predictors x for parameters b; b[0] is NIST's b1.

#ifndef VESTA_EXAMPLES_NIST_MODELS_H_
#define VESTA_EXAMPLES_NIST_MODELS_H_

#include <cmath>
#include <type_traits>

namespace ceres::examples::nist {

struct Bennett5 {
  static constexpr int kNumParameters = 3;
  template <typename T>
  static T Predict(const T* b, const double* x) {
    using std::pow;
    return b[0] * pow(b[1] + x[0], -1.0 / b[2]);
  }
};

// BoxBOD and Misra1a.
struct ExponentialRise {
  static constexpr int kNumParameters = 2;
  template <typename T>
  static T Predict(const T* b, const double* x) {
    using std::exp;
    return b[0] * (1.0 - exp(-b[1] * x[0]));
  }
};

struct Chwirut {
  static constexpr int kNumParameters = 3;
  template <typename T>
  static T Predict(const T* b, const double* x) {
    using std::exp;
    return exp(-b[0] * x[0]) / (b[1] + b[2] * x[0]);
  }
};

struct DanWood {
  static constexpr int kNumParameters = 2;
  template <typename T>
  static T Predict(const T* b, const double* x) {
    using std::pow;
    return b[0] * pow(T(x[0]), b[1]);
  }
};

struct Enso {
  static constexpr int kNumParameters = 9;
  template <typename T>
  static T Predict(const T* b, const double* x) {
    const T phase(2.0 * 3.14159265358979323846 * x[0]);
    return b[0] + Wave(b[1], b[2], T(phase / 12.0)) +
           Wave(b[4], b[5], T(phase / b[3])) +
           Wave(b[7], b[8], T(phase / b[6]));
  }
  template <typename T>
  static T Wave(const T& cosine, const T& sine, const T& phase) {
    using std::cos;
    using std::sin;
    return cosine * cos(phase) + sine * sin(phase);
  }
};

struct Eckerle4 {
  static constexpr int kNumParameters = 3;
  template <typename T>
  static T Predict(const T* b, const double* x) {
    using std::exp;
    const T deviation = (x[0] - b[2]) / b[1];
    return b[0] / b[1] * exp(-0.5 * deviation * deviation);
  }
};

struct Gauss {
  static constexpr int kNumParameters = 8;
  template <typename T>
  static T Predict(const T* b, const double* x) {
    using std::exp;
    return b[0] * exp(-b[1] * x[0]) + Peak(b + 2, x[0]) + Peak(b + 5, x[0]);
  }
  template <typename T>
  static T Peak(const T* b, double x) {
    using std::exp;
    const T deviation = (x - b[1]) / b[2];
    return b[0] * exp(-deviation * deviation);
  }
};

// Hahn1 and Thurber.
struct CubicOverCubic {
  static constexpr int kNumParameters = 7;
  template <typename T>
  static T Predict(const T* b, const double* predictor) {
    const double x = predictor[0];
    return (b[0] + x * (b[1] + x * (b[2] + x * b[3]))) /
           (1.0 + x * (b[4] + x * (b[5] + x * b[6])));
  }
};

struct Kirby2 {
  static constexpr int kNumParameters = 5;
  template <typename T>
  static T Predict(const T* b, const double* predictor) {
    const double x = predictor[0];
    return (b[0] + x * (b[1] + x * b[2])) / (1.0 + x * (b[3] + x * b[4]));
  }
};

struct Lanczos {
  static constexpr int kNumParameters = 6;
  template <typename T>
  static T Predict(const T* b, const double* x) {
    using std::exp;
    return b[0] * exp(-b[1] * x[0]) + b[2] * exp(-b[3] * x[0]) +
           b[4] * exp(-b[5] * x[0]);
  }
};

struct Mgh09 {
  static constexpr int kNumParameters = 4;
  template <typename T>
  static T Predict(const T* b, const double* predictor) {
    const double x = predictor[0];
    return b[0] * (x * x + x * b[1]) / (x * x + x * b[2] + b[3]);
  }
};

struct Mgh10 {
  static constexpr int kNumParameters = 3;
  template <typename T>
  static T Predict(const T* b, const double* x) {
    using std::exp;
    return b[0] * exp(b[1] / (x[0] + b[2]));
  }
};

struct Mgh17 {
  static constexpr int kNumParameters = 5;
  template <typename T>
  static T Predict(const T* b, const double* x) {
    using std::exp;
    return b[0] + b[1] * exp(-x[0] * b[3]) + b[2] * exp(-x[0] * b[4]);
  }
};

struct Misra1b {
  static constexpr int kNumParameters = 2;
  template <typename T>
  static T Predict(const T* b, const double* x) {
    const T base = 1.0 + 0.5 * b[1] * x[0];
    return b[0] * (1.0 - 1.0 / (base * base));
  }
};

struct Misra1c {
  static constexpr int kNumParameters = 2;
  template <typename T>
  static T Predict(const T* b, const double* x) {
    using std::sqrt;
    return b[0] * (1.0 - 1.0 / sqrt(1.0 + 2.0 * b[1] * x[0]));
  }
};

struct Misra1d {
  static constexpr int kNumParameters = 2;
  template <typename T>
  static T Predict(const T* b, const double* x) {
    return b[0] * b[1] * x[0] / (1.0 + b[1] * x[0]);
  }
};

// Predicts the logarithm of the response.
struct Nelson {
  static constexpr int kNumParameters = 3;
  template <typename T>
  static T Predict(const T* b, const double* x) {
    using std::exp;
    return b[0] - b[1] * x[0] * exp(-b[2] * x[1]);
  }
};

struct Rat42 {
  static constexpr int kNumParameters = 3;
  template <typename T>
  static T Predict(const T* b, const double* x) {
    using std::exp;
    return b[0] / (1.0 + exp(b[1] - b[2] * x[0]));
  }
};

struct Rat43 {
  static constexpr int kNumParameters = 4;
  template <typename T>
  static T Predict(const T* b, const double* x) {
    using std::exp;
    using std::pow;
    return b[0] / pow(1.0 + exp(b[1] - b[2] * x[0]), 1.0 / b[3]);
  }
};

struct Roszman1 {
  static constexpr int kNumParameters = 4;
  template <typename T>
  static T Predict(const T* b, const double* x) {
    using std::atan;
    return b[0] - b[1] * x[0] -
           atan(b[2] / (x[0] - b[3])) / 3.14159265358979323846;
  }
};

// NIST's levels of difficulty.
enum class Difficulty { kLower, kAverage, kHigher };

struct ProblemInfo {
  const char* name;  // of the data file, without ".dat"
  int num_observations;
  Difficulty difficulty;
};

// Calls visit(info, Model()) for each of the 27 problems.
template <typename Visitor>
void ForEachProblem(Visitor&& visit) {
  visit(ProblemInfo{"Bennett5", 154, Difficulty::kHigher}, Bennett5());
  visit(ProblemInfo{"BoxBOD", 6, Difficulty::kHigher}, ExponentialRise());
  visit(ProblemInfo{"Chwirut1", 214, Difficulty::kLower}, Chwirut());
  visit(ProblemInfo{"Chwirut2", 54, Difficulty::kLower}, Chwirut());
  visit(ProblemInfo{"DanWood", 6, Difficulty::kLower}, DanWood());
  visit(ProblemInfo{"ENSO", 168, Difficulty::kAverage}, Enso());
  visit(ProblemInfo{"Eckerle4", 35, Difficulty::kHigher}, Eckerle4());
  visit(ProblemInfo{"Gauss1", 250, Difficulty::kLower}, Gauss());
  visit(ProblemInfo{"Gauss2", 250, Difficulty::kLower}, Gauss());
  visit(ProblemInfo{"Gauss3", 250, Difficulty::kAverage}, Gauss());
  visit(ProblemInfo{"Hahn1", 236, Difficulty::kAverage}, CubicOverCubic());
  visit(ProblemInfo{"Kirby2", 151, Difficulty::kAverage}, Kirby2());
  visit(ProblemInfo{"Lanczos1", 24, Difficulty::kAverage}, Lanczos());
  visit(ProblemInfo{"Lanczos2", 24, Difficulty::kAverage}, Lanczos());
  visit(ProblemInfo{"Lanczos3", 24, Difficulty::kLower}, Lanczos());
  visit(ProblemInfo{"MGH09", 11, Difficulty::kHigher}, Mgh09());
  visit(ProblemInfo{"MGH10", 16, Difficulty::kHigher}, Mgh10());
  visit(ProblemInfo{"MGH17", 33, Difficulty::kAverage}, Mgh17());
  visit(ProblemInfo{"Misra1a", 14, Difficulty::kLower}, ExponentialRise());
  visit(ProblemInfo{"Misra1b", 14, Difficulty::kLower}, Misra1b());
  visit(ProblemInfo{"Misra1c", 14, Difficulty::kAverage}, Misra1c());
  visit(ProblemInfo{"Misra1d", 14, Difficulty::kAverage}, Misra1d());
  visit(ProblemInfo{"Nelson", 128, Difficulty::kAverage}, Nelson());
  visit(ProblemInfo{"Rat42", 9, Difficulty::kHigher}, Rat42());
  visit(ProblemInfo{"Rat43", 15, Difficulty::kHigher}, Rat43());
  visit(ProblemInfo{"Roszman1", 25, Difficulty::kAverage}, Roszman1());
  visit(ProblemInfo{"Thurber", 37, Difficulty::kHigher}, CubicOverCubic());
}

// The model's target for a row of the data (response, then predictors).
template <typename Model>
double Response(const double* row) {
  return std::is_same_v<Model, Nelson> ? std::log(row[0]) : row[0];
}

}  // namespace ceres::examples::nist

#endif  // VESTA_EXAMPLES_NIST_MODELS_H_
