// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/base/hash_map.h"

#include <cstdint>
#include <map>

#include "ceres/base/huge_pages.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using Map = HashMap<int>;

TEST(HashMap, StartsEmpty) {
  Map map;
  EXPECT_EQ(map.Find(1), 0);
  EXPECT_EQ(map.FirstSlot(1), nullptr);
  EXPECT_EQ(map.size(), 0u);
  map.Erase(1);
  map.Clear();
  EXPECT_EQ(map.size(), 0u);
}

TEST(HashMap, NewValuesAreZero) {
  Map map;
  int* value = map.FindOrInsert(3);
  EXPECT_EQ(*value, 0);
  *value = 7;
  EXPECT_EQ(*map.FindOrInsert(3), 7);
  EXPECT_EQ(map.Find(3), 7);
  EXPECT_EQ(map.Find(4), 0);
  EXPECT_EQ(map.size(), 1u);
  map.Erase(3);
  EXPECT_EQ(*map.FindOrInsert(3), 0);
}

TEST(HashMap, ClearingRemovesAll) {
  Map map;
  for (std::uint64_t key = 1; key <= 100; ++key) *map.FindOrInsert(key) = 1;
  map.Clear();
  EXPECT_EQ(map.size(), 0u);
  for (std::uint64_t key = 1; key <= 100; ++key) {
    EXPECT_EQ(map.Find(key), 0);
  }
  EXPECT_EQ(*map.FindOrInsert(5), 0);
}

TEST(HashMap, ReservingKeepsValuesInPlaceUntilTheSizeIsReached) {
  Map map;
  *map.FindOrInsert(1) = 1;
  map.Reserve(100);
  EXPECT_EQ(map.Find(1), 1);
  const int* const value = map.FindOrInsert(1);
  for (std::uint64_t key = 2; key <= 100; ++key) *map.FindOrInsert(key) = 2;
  EXPECT_EQ(map.FindOrInsert(1), value);
  map.Reserve(3);
  EXPECT_EQ(map.FindOrInsert(1), value);
  EXPECT_EQ(*value, 1);
}

TEST(HashMap, TheFirstSlotHoldsAKeyThatIsAlone) {
  Map map;
  for (const std::uint64_t key : {std::uint64_t{1}, ~std::uint64_t{0}}) {
    map.Clear();
    *map.FindOrInsert(key) = 5;
    ASSERT_NE(map.FirstSlot(key), nullptr);
    EXPECT_EQ(map.FirstSlot(key)->key, key);
    EXPECT_EQ(map.FirstSlot(key)->value, 5);
  }
}

// Against std::map, with keys that are `stride` apart: addresses are multiples
// of 8, and of higher powers of two.
template <typename AnyMap>
void ExpectAgreesWithStdMap(std::uint64_t stride, std::uint64_t num_keys) {
  std::map<std::uint64_t, int> model;
  AnyMap map;
  unsigned random = 3;
  for (int step = 1; step < 100000; ++step) {
    random = random * 1664525u + 1013904223u;
    const std::uint64_t key = stride * (1 + (random >> 9) % num_keys);
    if ((random >> 7) % 4 == 0) {
      map.Erase(key);
      model.erase(key);
    } else {
      *map.FindOrInsert(key) = step;
      model[key] = step;
    }
    ASSERT_EQ(map.size(), model.size());
  }
  for (std::uint64_t i = 0; i <= num_keys; ++i) {
    const std::uint64_t key = stride * (1 + i);
    const auto it = model.find(key);
    EXPECT_EQ(map.Find(key), it == model.end() ? 0 : it->second);
  }
}

TEST(HashMap, AgreesWithStdMap) {
  ExpectAgreesWithStdMap<Map>(1, 8);
  ExpectAgreesWithStdMap<Map>(1, 3000);
  ExpectAgreesWithStdMap<Map>(8, 3000);
  ExpectAgreesWithStdMap<Map>(std::uint64_t{1} << 40, 3000);
  ExpectAgreesWithStdMap<HashMap<int, PagedVector<HashSlot<int>>>>(64, 3000);
}

}  // namespace
}  // namespace ceres::internal
