// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_TESTING_PROTOCOL_MUTANTS_H_
#define CERES_INTERNAL_PARALLEL_TESTING_PROTOCOL_MUTANTS_H_

#include <cstddef>
#include <iostream>
#include <string>

#include "ceres/parallel/models/protocol_explorer.h"
#include "gtest/gtest.h"

// Helpers for tests of protocols (protocol_explorer.h). A test explores the
// protocol itself, and mutants of it. Each mutant breaks one rule.

namespace ceres::parallel::testing_internal {

inline constexpr char kStuck[] = "stuck: no thread can go on";
inline constexpr char kReadRace[] = "data race (read)";

template <typename Model>
void ExpectAllEndWell(std::size_t least_executions,
                      const ExplorationLimits& limits = {}) {
  const auto result = ExploreProtocol<Model>(limits);
  std::cout << result << "\n";
  EXPECT_TRUE(result.ok()) << result;
  EXPECT_GT(result.executions, least_executions);
}

template <typename Model>
std::string ViolationOf() {
  const auto result = FindViolation<Model>();
  std::cout << result << "\n";
  return result.violation;
}

struct ProtocolMutant {
  const char* name;            // The rule that it breaks.
  std::string (*violation)();  // Explores the mutant.
  const char* expected;        // Null: any violation.
};

class ProtocolMutants : public ::testing::TestWithParam<ProtocolMutant> {
 protected:
  static void ExpectViolation() {
    const std::string violation = GetParam().violation();
    EXPECT_NE(violation, "");
    if (GetParam().expected != nullptr) {
      EXPECT_EQ(violation, GetParam().expected);
    }
  }
};

inline std::string MutantName(
    const ::testing::TestParamInfo<ProtocolMutant>& info) {
  return info.param.name;
}

}  // namespace ceres::parallel::testing_internal

#endif  // CERES_INTERNAL_PARALLEL_TESTING_PROTOCOL_MUTANTS_H_
