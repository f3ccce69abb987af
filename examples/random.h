// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Random numbers that are the same on every machine and with every standard
// library: the distributions of <random> are not.

#ifndef VESTA_EXAMPLES_RANDOM_H_
#define VESTA_EXAMPLES_RANDOM_H_

#include <cstdint>

namespace ceres::examples {

// SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number
// generators", OOPSLA 2014). Not thread safe; a stream costs eight bytes.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    state_ += 0x9e3779b97f4a7c15u;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  // Uniform in [0, 1), a multiple of 2^-53.
  double Uniform() { return static_cast<double>(Next() >> 11) * 0x1.0p-53; }
  double Uniform(double lower, double upper) {
    return lower + (upper - lower) * Uniform();
  }

  // Mean 0, variance 1, within [-6, 6]: the sum of twelve uniform numbers less
  // six. It needs additions only, which are exact to the bit everywhere, where
  // the usual transforms need a logarithm, which is not.
  double Normal() {
    double sum = -6.0;
    for (int i = 0; i < 12; ++i) sum += Uniform();
    return sum;
  }

 private:
  uint64_t state_;
};

}  // namespace ceres::examples

#endif  // VESTA_EXAMPLES_RANDOM_H_
