// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Random numbers and figures of the client programs.

#ifndef VESTA_TESTS_CLIENTS_COMMON_SEEDED_NOISE_H_
#define VESTA_TESTS_CLIENTS_COMMON_SEEDED_NOISE_H_

#include <cstdint>
#include <cstdio>

namespace clients {

// A seeded generator with the same values on every platform. (The values of the
// distributions of <random> differ between standard libraries.) The mixing
// function is SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom
// number generators", OOPSLA 2014.
class SeededNoise {
 public:
  explicit SeededNoise(std::uint64_t seed) : state_(seed) {}

  // In [lower, upper).
  double Uniform(double lower, double upper) {
    return lower + (upper - lower) * static_cast<double>(Next() >> 11) *
                       (1.0 / 9007199254740992.0);
  }

  // Mean 0 and variance 1: a sum of 12 uniform numbers, less than 6 in size.
  double Normal() {
    double sum = -6.0;
    for (int i = 0; i < 12; ++i) sum += Uniform(0.0, 1.0);
    return sum;
  }

 private:
  std::uint64_t Next() {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  std::uint64_t state_;
};

// One line of a program's result. tests/clients/figures.txt says what it may
// be.
inline void PrintFigure(const char* name, double value) {
  std::printf("%s %.15g\n", name, value);
}

}  // namespace clients

#endif  // VESTA_TESTS_CLIENTS_COMMON_SEEDED_NOISE_H_
