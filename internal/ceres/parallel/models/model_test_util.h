// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_MODELS_MODEL_TEST_UTIL_H_
#define CERES_INTERNAL_PARALLEL_MODELS_MODEL_TEST_UTIL_H_

#include <iostream>
#include <string>

#include "ceres/parallel/models/interleaving_explorer.h"
#include "gtest/gtest.h"

// What the tests of models share (interleaving_explorer.h). Each model can be
// made to break one rule of its protocol, which the explorer must find out:
// else the model would prove nothing.

namespace ceres::parallel::testing_internal {

// A rule to break, and what comes of it.
template <typename Mutant>
struct BrokenRule {
  Mutant mutant;
  const char* name;
  const char* violation;
};

template <typename Mutant>
class BrokenModelTest : public ::testing::TestWithParam<BrokenRule<Mutant>> {};

template <typename Mutant>
std::string NameOf(const ::testing::TestParamInfo<BrokenRule<Mutant>>& info) {
  return info.param.name;
}

// The explorer's way to "nothing goes on".
inline constexpr char kStuck[] = "stuck: no thread can go on";

template <typename Model>
Exploration ExploreAndPrint(const Model& model) {
  const Exploration result = Explore(model);
  std::cout << result << "\n";
  return result;
}

}  // namespace ceres::parallel::testing_internal

#endif  // CERES_INTERNAL_PARALLEL_MODELS_MODEL_TEST_UTIL_H_
