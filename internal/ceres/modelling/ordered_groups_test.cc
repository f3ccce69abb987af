// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/ordered_groups.h"

#include <set>
#include <vector>

#include "gtest/gtest.h"

namespace ceres {
namespace {

TEST(OrderedGroups, StartsEmpty) {
  const OrderedGroups<int> groups;
  EXPECT_EQ(groups.NumGroups(), 0);
  EXPECT_EQ(groups.NumElements(), 0);
  EXPECT_EQ(groups.GroupSize(0), 0);
  EXPECT_EQ(groups.GroupId(7), -1);
  EXPECT_FALSE(groups.IsMember(7));
}

TEST(OrderedGroups, AddsElements) {
  OrderedGroups<int> groups;
  EXPECT_TRUE(groups.AddElementToGroup(10, 2));
  EXPECT_TRUE(groups.AddElementToGroup(11, 2));
  EXPECT_TRUE(groups.AddElementToGroup(12, 0));
  EXPECT_TRUE(groups.AddElementToGroup(12, 0));
  EXPECT_EQ(groups.NumGroups(), 2);
  EXPECT_EQ(groups.NumElements(), 3);
  EXPECT_EQ(groups.GroupSize(2), 2);
  EXPECT_EQ(groups.GroupSize(1), 0);
  EXPECT_EQ(groups.GroupId(11), 2);
  EXPECT_EQ(groups.GroupId(12), 0);
  EXPECT_TRUE(groups.IsMember(10));
  EXPECT_EQ(groups.group_to_elements().at(2), std::set<int>({10, 11}));
  EXPECT_EQ(groups.element_to_group().at(10), 2);
  EXPECT_EQ(groups.MinNonZeroGroup(), 0);
}

TEST(OrderedGroups, RefusesNegativeGroupsUnchanged) {
  OrderedGroups<int> groups;
  groups.AddElementToGroup(1, 3);
  EXPECT_FALSE(groups.AddElementToGroup(1, -1));
  EXPECT_FALSE(groups.AddElementToGroup(2, -1));
  EXPECT_EQ(groups.GroupId(1), 3);
  EXPECT_EQ(groups.NumElements(), 1);
  EXPECT_EQ(groups.NumGroups(), 1);
}

TEST(OrderedGroups, MovesElementsAndDropsEmptyGroups) {
  OrderedGroups<int> groups;
  groups.AddElementToGroup(1, 0);
  groups.AddElementToGroup(1, 5);
  EXPECT_EQ(groups.GroupId(1), 5);
  EXPECT_EQ(groups.NumGroups(), 1);
  EXPECT_EQ(groups.GroupSize(0), 0);
  EXPECT_EQ(groups.MinNonZeroGroup(), 5);
}

TEST(OrderedGroups, RemovesElements) {
  OrderedGroups<int> groups;
  for (int i = 0; i < 6; ++i) {
    groups.AddElementToGroup(i, i / 2);
  }
  EXPECT_TRUE(groups.Remove(0));
  EXPECT_FALSE(groups.Remove(0));
  EXPECT_EQ(groups.GroupSize(0), 1);
  EXPECT_EQ(groups.NumElements(), 5);

  EXPECT_EQ(groups.Remove(std::vector<int>({1, 2, 99, 2})), 2);
  EXPECT_EQ(groups.NumGroups(), 2);
  EXPECT_EQ(groups.MinNonZeroGroup(), 1);

  groups.Clear();
  EXPECT_EQ(groups.NumElements(), 0);
  EXPECT_EQ(groups.NumGroups(), 0);
}

TEST(OrderedGroups, ReverseRenumbersFromTheLargestId) {
  OrderedGroups<int> groups;
  groups.Reverse();
  EXPECT_EQ(groups.NumGroups(), 0);

  groups.AddElementToGroup(1, 0);
  groups.AddElementToGroup(2, 3);
  groups.AddElementToGroup(3, 7);
  groups.AddElementToGroup(4, 7);
  groups.Reverse();
  EXPECT_EQ(groups.NumGroups(), 3);
  EXPECT_EQ(groups.group_to_elements().at(7), std::set<int>({3, 4}));
  EXPECT_EQ(groups.GroupId(3), 7);
  EXPECT_EQ(groups.GroupId(2), 8);
  EXPECT_EQ(groups.GroupId(1), 9);
  EXPECT_EQ(groups.MinNonZeroGroup(), 7);
}

TEST(OrderedGroupsDeathTest, MinNonZeroGroupNeedsAGroup) {
  const OrderedGroups<int> groups;
  EXPECT_DEATH(groups.MinNonZeroGroup(), "at least one group");
}

}  // namespace
}  // namespace ceres
