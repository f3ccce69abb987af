// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef VESTA_DOCS_SNIPPETS_NOISE_H_
#define VESTA_DOCS_SNIPPETS_NOISE_H_

// Simulated measurement noise for the programs of the documentation.

#include <cmath>
#include <cstdint>

// Normally distributed numbers: the same on every platform, unlike those of
// std::normal_distribution. Not thread-safe.
class Noise {
 public:
  explicit Noise(std::uint32_t seed = 20260101) : state_(seed) {}

  // Uniform in (0, 1): a multiplicative congruential generator (Park and
  // Miller, 1988).
  double Uniform() {
    state_ =
        static_cast<std::uint32_t>(std::uint64_t{state_} * 48271 % 2147483647);
    return state_ / 2147483647.0;
  }

  // Mean 0, standard deviation sigma (Box and Muller, 1958).
  double Normal(double sigma) {
    const double radius = std::sqrt(-2.0 * std::log(Uniform()));
    return sigma * radius * std::cos(6.283185307179586 * Uniform());
  }

 private:
  std::uint32_t state_;  // In [1, 2147483646].
};

#endif  // VESTA_DOCS_SNIPPETS_NOISE_H_
