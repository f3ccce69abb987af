// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_GRADUATED_CHI_SQUARE_H_
#define CERES_INTERNAL_GRADUATED_CHI_SQUARE_H_

namespace ceres::internal {

// The probability that a chi-square variable with num_degrees >= 1 degrees of
// freedom is greater than s >= 0. With x = s / 2 it is Q(num_degrees / 2, x),
// a finite sum of positive terms (NIST Digital Library of Mathematical
// Functions, 8.4.6, 8.4.10 and 8.8.6):
//
//   even:  sum_{0 <= j < n/2}       e^-x x^j       / Gamma(j + 1)
//   odd:   sum_{0 <= j < (n-1)/2}   e^-x x^(j+1/2) / Gamma(j + 3/2)
//          + erfc(sqrt(x))
double ChiSquareUpperTail(double s, int num_degrees);

// The s with ChiSquareUpperTail(s, num_degrees) = 1 - probability, for 0 <
// probability < 1.
double ChiSquareQuantile(double probability, int num_degrees);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_GRADUATED_CHI_SQUARE_H_
