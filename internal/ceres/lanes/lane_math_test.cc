// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// The accuracy that ceres/traced.h states, against the C library in long
// double, for each instruction set of this machine.

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "ceres/kernels/every_target.h"
#include "ceres/lanes/lane_kernels.h"
#include "gtest/gtest.h"

namespace ceres::internal::lanes {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// The distance of a double from a number, in units in the last place.
double Ulps(double value, long double truth) {
  const double rounded = static_cast<double>(truth);
  if (std::isnan(value) || std::isinf(rounded) || std::isinf(value)) {
    return value == rounded || (std::isnan(value) && std::isnan(rounded))
               ? 0.0
               : kInfinity;
  }
  const double unit =
      std::max(std::nextafter(std::abs(rounded), kInfinity) - std::abs(rounded),
               std::numeric_limits<double>::denorm_min());
  return static_cast<double>(std::abs(value - truth) / unit);
}

using Unary = long double (*)(long double);
using Binary = long double (*)(long double, long double);

// The largest error for x = f(uniform in [low, high]).
template <typename F>
double LargestError(Operation operation, Unary truth, double low, double high,
                    const F& f) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform(low, high);
  double largest = 0.0;
  for (int i = 0; i < 20000; ++i) {
    const double x = f(uniform(random));
    const double error = Ulps(ComputeOne(operation, x, x, x),
                              truth(static_cast<long double>(x)));
    if (!(error <= largest)) {
      largest = error;
      if (std::isinf(error)) ADD_FAILURE() << "at " << x;
    }
  }
  return largest;
}

double LargestError(Operation operation, Unary truth, double low, double high) {
  return LargestError(operation, truth, low, high, [](double x) { return x; });
}

// Whether the current instruction set has fused multiply-add: -1 + (1 + e) (1 -
// e) is then -e^2 and not 0.
bool IsFused() {
  alignas(64) double rows[2][kLanes] = {};
  alignas(64) double products[9 * kLanes] = {};
  rows[0][0] = 1.0 + 0x1p-30;
  rows[1][0] = 1.0 - 0x1p-30;
  products[3 * kLanes] = -1.0;
  const Row list[3] = {{rows[0], false}, {rows[1], false}, {rows[1], false}};
  AddProducts(list, 2, 1, products);
  return products[3 * kLanes] != 0.0;
}

double PowerOfTwo(double x) { return std::exp2(x); }

TEST(LaneMath, ExponentialsAndLogarithmsHaveOneUlp) {
  kernels::ForEachTarget([] {
    EXPECT_LE(LargestError(Operation::kExp, std::exp, -746.0, 711.0), 1.0);
    EXPECT_LE(LargestError(Operation::kExp, std::exp, -1.0, 1.0), 1.0);
    EXPECT_LE(LargestError(Operation::kLog, std::log, 0.5, 2.0), 1.0);
    EXPECT_LE(
        LargestError(Operation::kLog, std::log, -1074.0, 1024.0, PowerOfTwo),
        1.0);
    EXPECT_LE(LargestError(Operation::kLog1p, std::log1p, -1.0, 3.0), 3.0);
    EXPECT_LE(
        LargestError(Operation::kLog1p, std::log1p, -100.0, 100.0, PowerOfTwo),
        3.0);
  });
}

TEST(LaneMath, SinesHaveThreeUlpsAndArctangentsTwo) {
  kernels::ForEachTarget([] {
    for (const double size : {1.0, 30.0, 1e4, 2e6, 1e9}) {
      EXPECT_LE(LargestError(Operation::kSin, std::sin, -size, size), 3.0);
      EXPECT_LE(LargestError(Operation::kCos, std::cos, -size, size), 3.0);
      EXPECT_LE(LargestError(Operation::kAtan, std::atan, -size, size), 2.0);
    }
    // Next to zeros of the sine.
    for (int k = -40; k < 40; ++k) {
      const double x = k * std::acos(-1.0);
      EXPECT_LE(Ulps(ComputeOne(Operation::kSin, x, x, x),
                     std::sin(static_cast<long double>(x))),
                2.0)
          << k;
    }
  });
}

TEST(LaneMath, ErrorFunctionsKeepTheirBounds) {
  kernels::ForEachTarget([] {
    EXPECT_LE(LargestError(Operation::kErf, std::erf, -1.0, 1.0), 2.0);
    EXPECT_LE(LargestError(Operation::kErf, std::erf, -7.0, 7.0), 2.0);
    EXPECT_LE(LargestError(Operation::kErfc, std::erfc, -7.0, 1.5), 6.0);
    EXPECT_LE(LargestError(Operation::kErfc, std::erfc, 1.0, 26.5), 6.0);
  });
}

TEST(LaneMath, AnglesHaveTwoUlps) {
  kernels::ForEachTarget([] {
    std::mt19937_64 random(3);
    std::normal_distribution<double> normal;
    double largest = 0.0;
    for (int i = 0; i < 20000; ++i) {
      const double y = normal(random) * std::exp2(40.0 * normal(random));
      const double x = normal(random) * std::exp2(40.0 * normal(random));
      largest =
          std::max(largest, Ulps(ComputeOne(Operation::kAtan2, y, x, x),
                                 std::atan2(static_cast<long double>(y),
                                            static_cast<long double>(x))));
    }
    EXPECT_LE(largest, 2.0);
  });
}

TEST(LaneMath, PowersKeepTheirBounds) {
  kernels::ForEachTarget([] {
    std::mt19937_64 random(5);
    std::normal_distribution<double> normal;
    double largest = 0.0, largest_extreme = 0.0;
    for (int i = 0; i < 40000; ++i) {
      const double x = std::exp2(10.0 * normal(random));
      const double y = 10.0 * normal(random);
      const long double truth =
          std::pow(static_cast<long double>(x), static_cast<long double>(y));
      const double error = Ulps(ComputeOne(Operation::kPow, x, y, y), truth);
      const bool is_extreme = !(truth < 1e100L && truth > 1e-100L);
      double& target = is_extreme ? largest_extreme : largest;
      target = std::max(target, error);
    }
    EXPECT_LE(largest, 2.0);
    EXPECT_LE(largest_extreme, 4.0);
  });
}

TEST(LaneMath, SpecialArgumentsGiveWhatTheCLibraryGives) {
  const std::vector<double> special = {0.0,
                                       -0.0,
                                       1.0,
                                       -1.0,
                                       kInfinity,
                                       -kInfinity,
                                       kNaN,
                                       5e-324,
                                       -5e-324,
                                       1e-310,
                                       1.7976931348623157e308,
                                       -1.7976931348623157e308,
                                       0.5,
                                       -2.0,
                                       3.0};
  const auto expect_same = [](double value, double truth, const char* name,
                              double x, double y) {
    if (std::isnan(truth)) {
      EXPECT_TRUE(std::isnan(value)) << name << " " << x << " " << y;
    } else if (truth == 0.0 || std::isinf(truth)) {
      EXPECT_EQ(value, truth) << name << " " << x << " " << y;
    } else {
      EXPECT_LE(Ulps(value, truth), 3.0) << name << " " << x << " " << y;
    }
  };
  kernels::ForEachTarget([&] {
    for (const double x : special) {
      const auto check = [&](Operation operation, double (*f)(double),
                             const char* name) {
        expect_same(ComputeOne(operation, x, x, x), f(x), name, x, x);
      };
      check(Operation::kExp, std::exp, "exp");
      check(Operation::kLog, std::log, "log");
      check(Operation::kLog1p, std::log1p, "log1p");
      check(Operation::kSin, std::sin, "sin");
      check(Operation::kCos, std::cos, "cos");
      check(Operation::kAtan, std::atan, "atan");
      check(Operation::kErf, std::erf, "erf");
      check(Operation::kErfc, std::erfc, "erfc");
      check(Operation::kTanh, std::tanh, "tanh");
      check(Operation::kExpm1, std::expm1, "expm1");
      check(Operation::kSqrt, std::sqrt, "sqrt");
      check(Operation::kFloor, std::floor, "floor");
      for (const double y : special) {
        expect_same(ComputeOne(Operation::kPow, x, y, y), std::pow(x, y), "pow",
                    x, y);
        expect_same(ComputeOne(Operation::kAtan2, x, y, y), std::atan2(x, y),
                    "atan2", x, y);
      }
    }
  });
}

// The lanes are independent, and all instruction sets with fused multiply-add
// agree.
TEST(LaneMath, BitsDoNotDependOnOtherLanesOrOnTheVectorLength) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  const std::vector<Operation> operations = {
      Operation::kExp, Operation::kLog,   Operation::kLog1p, Operation::kSin,
      Operation::kCos, Operation::kErf,   Operation::kErfc,  Operation::kAtan,
      Operation::kPow, Operation::kAtan2, Operation::kDivide};
  for (int round = 0; round < 200; ++round) {
    alignas(64) double memory[3][kLanes];
    for (int i = 0; i < kLanes; ++i) {
      memory[0][i] = normal(random) * std::exp2(8.0 * normal(random));
      memory[1][i] = normal(random);
    }
    // A special value beside regular ones takes the other way.
    if (round % 2 == 0) memory[0][round % kLanes] = 1e300;
    for (const Operation operation : operations) {
      std::vector<double> fused;
      kernels::ForEachTarget([&] {
        ProgramMemory program;
        program.uniforms = memory[0];
        constexpr Operand::Area kUniform = Operand::Area::kUniform;
        const Operand second = {kUniform, 1};
        Instruction instruction;
        instruction.operation = operation;
        instruction.arguments = {{{kUniform, 0}, second, second, second}};
        instruction.target = {kUniform, 2};
        RunCode(&instruction, 1, program, 1);
        for (int i = 0; i < kLanes; ++i) {
          const double alone =
              ComputeOne(operation, memory[0][i], memory[1][i], 0.0);
          EXPECT_EQ(std::memcmp(&alone, &memory[2][i], sizeof(double)), 0)
              << static_cast<int>(operation) << " " << memory[0][i];
        }
        if (!IsFused()) return;
        const std::vector<double> result(memory[2], memory[2] + kLanes);
        if (fused.empty()) fused = result;
        EXPECT_EQ(std::memcmp(fused.data(), result.data(), sizeof(memory[2])),
                  0)
            << static_cast<int>(operation);
      });
    }
  }
}

}  // namespace
}  // namespace ceres::internal::lanes
