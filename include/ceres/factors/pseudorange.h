// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_FACTORS_PSEUDORANGE_H_
#define CERES_PUBLIC_FACTORS_PSEUDORANGE_H_

#include <cmath>
#include <string>

#include "Eigen/Core"
#include "ceres/autodiff_cost_function.h"
#include "ceres/factors/square_root_information.h"
#include "ceres/internal/factor_data.h"

namespace ceres::factors {

// A pseudorange of a satellite navigation system, in units of its standard
// deviation: (|s - p| + sagnac + b - pseudorange) / sigma. Two blocks: the
// position p of the receiver (3 numbers) and its clock bias b, the time by
// which the clock is fast times the speed of light (1 number). All lengths are
// in metres, positions in the Earth-fixed frame at the time of reception.
//
// The Earth turns while the signal travels:
// sagnac = omega / c (s_x p_y - s_y p_x). `pseudorange` is the measured one
// plus the satellite's clock bias, minus delays in ionosphere and troposphere.
// `s` is the satellite's Earth-fixed position at the time of transmission.
// Receivers that track several systems need a clock bias for each. IS-GPS-200,
// section 20.3.3.4.3; Misra and Enge, "Global Positioning System", 2nd edition,
// chapter 5.
class PseudorangeFactor {
 public:
  // The speed of light, m/s.
  static constexpr double kSpeedOfLight = 299792458.0;
  // The angular velocity of the Earth, rad/s (WGS 84).
  static constexpr double kEarthRotation = 7.2921151467e-5;

  // `satellite`, `pseudorange` and `sigma` as above, in metres.
  PseudorangeFactor(const Eigen::Vector3d& satellite, double pseudorange,
                    double sigma)
      : satellite_(satellite),
        pseudorange_(pseudorange),
        weight_(internal::InverseSigma(sigma)) {}

  // A cost function for Problem::AddResidualBlock, which takes it over. Null if
  // the data are not valid: `error` says why, or the log if it is null.
  static CostFunction* Create(const Eigen::Vector3d& satellite,
                              double pseudorange, double sigma,
                              std::string* error = nullptr) {
    if (!internal::FactorData("PseudorangeFactor")
             .FiniteMatrix("satellite", satellite)
             .Finite("pseudorange", pseudorange)
             .Sigma("sigma", sigma)
             .IsValid(error)) {
      return nullptr;
    }
    return new AutoDiffCostFunction<PseudorangeFactor, 1, 3, 1>(
        new PseudorangeFactor(satellite, pseudorange, sigma));
  }

  // The residual.
  template <typename T>
  bool operator()(const T* position, const T* clock_bias, T* residuals) const {
    using std::sqrt;
    T squared = T(0.0);
    for (int i = 0; i < 3; ++i) {
      const T offset = T(satellite_[i]) - position[i];
      squared += offset * offset;
    }
    if (!(squared > T(0.0))) return false;
    const T sagnac =
        T(kEarthRotation / kSpeedOfLight) *
        (T(satellite_[0]) * position[1] - T(satellite_[1]) * position[0]);
    residuals[0] =
        T(weight_) * (sqrt(squared) + sagnac + clock_bias[0] - T(pseudorange_));
    return true;
  }

 private:
  Eigen::Vector3d satellite_;
  double pseudorange_;
  double weight_;
};

}  // namespace ceres::factors

#endif  // CERES_PUBLIC_FACTORS_PSEUDORANGE_H_
