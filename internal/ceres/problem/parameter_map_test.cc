// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/problem/parameter_map.h"

#include <cstdint>
#include <map>

#include "ceres/problem/parameter_block.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

// Blocks and values are only compared as addresses.
const double* ValuesAt(std::uintptr_t i) {
  return reinterpret_cast<const double*>(8 * (i + 1));
}
ParameterBlock* BlockAt(std::uintptr_t i) {
  return reinterpret_cast<ParameterBlock*>(64 * (i + 1));
}

TEST(ParameterMap, StartsEmpty) {
  ParameterMap map;
  EXPECT_EQ(map.Find(ValuesAt(0)), nullptr);
  EXPECT_EQ(map.size(), 0u);
  map.Erase(ValuesAt(0));
}

TEST(ParameterMap, NewPlacesHoldNull) {
  ParameterMap map;
  ParameterBlock** place = map.FindOrInsert(ValuesAt(3));
  EXPECT_EQ(*place, nullptr);
  *place = BlockAt(3);
  EXPECT_EQ(*map.FindOrInsert(ValuesAt(3)), BlockAt(3));
  EXPECT_EQ(map.Find(ValuesAt(3)), BlockAt(3));
  EXPECT_EQ(map.size(), 1u);
}

TEST(ParameterMap, AgreesWithStdMap) {
  std::map<const double*, ParameterBlock*> model;
  ParameterMap map;
  unsigned random = 3;
  for (int step = 0; step < 200000; ++step) {
    random = random * 1664525u + 1013904223u;
    const std::uintptr_t i = (random >> 9) % 3000;
    if ((random >> 7) % 4 == 0) {
      map.Erase(ValuesAt(i));
      model.erase(ValuesAt(i));
    } else {
      *map.FindOrInsert(ValuesAt(i)) = BlockAt(i);
      model[ValuesAt(i)] = BlockAt(i);
    }
    ASSERT_EQ(map.size(), model.size());
  }
  for (std::uintptr_t i = 0; i < 3000; ++i) {
    const auto it = model.find(ValuesAt(i));
    EXPECT_EQ(map.Find(ValuesAt(i)), it == model.end() ? nullptr : it->second);
  }
}

}  // namespace
}  // namespace ceres::internal
