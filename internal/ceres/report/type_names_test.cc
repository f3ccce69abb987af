// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/report/type_names.h"

#include <utility>

#include "ceres/autodiff_cost_function.h"
#include "ceres/dynamic_autodiff_cost_function.h"
#include "ceres/loss_function.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using ::testing::AnyOf;

struct Distance {};
template <typename A, typename B>
struct Pair {};

TEST(ReadableTypeName, NamesTheFunctorOfAutomaticDerivatives) {
  EXPECT_EQ(ReadableTypeName(&typeid(AutoDiffCostFunction<Distance, 2, 9, 3>)),
            "internal::Distance");
  EXPECT_EQ(ReadableTypeName(&typeid(DynamicAutoDiffCostFunction<Distance, 4>)),
            "internal::Distance");
}

TEST(ReadableTypeName, KeepsTheArgumentsOfAFunctor) {
  // Some compilers separate the brackets at the end.
  EXPECT_THAT(ReadableTypeName(&typeid(
                  AutoDiffCostFunction<Pair<Distance, Pair<int, int>>, 1, 1>)),
              AnyOf("internal::Pair<internal::Distance, "
                    "internal::Pair<int, int> >",
                    "internal::Pair<internal::Distance, "
                    "internal::Pair<int, int>>"));
}

TEST(ReadableTypeName, LeavesOutTheNamespaceOfTheLibrary) {
  EXPECT_EQ(ReadableTypeName(&typeid(HuberLoss)), "HuberLoss");
}

TEST(ShortTypeName, ReadsNamesOfEveryCompiler) {
  EXPECT_EQ(ShortTypeName("class ceres::HuberLoss"), "HuberLoss");
  EXPECT_EQ(ShortTypeName("class ceres::AutoDiffCostFunction<"
                          "struct app::`anonymous namespace'::Ray,2,9,3>"),
            "app::Ray");
  EXPECT_EQ(ShortTypeName("app::{anonymous}::Ray"), "app::Ray");
  EXPECT_EQ(ShortTypeName("app::(anonymous namespace)::Ray"), "app::Ray");
  EXPECT_EQ(ShortTypeName("app::Ray<struct app::Lens,enum app::Kind>"),
            "app::Ray<app::Lens,app::Kind>");
}

TEST(ShortTypeName, KeepsOtherNames) {
  EXPECT_EQ(ShortTypeName("app::Prior"), "app::Prior");
  EXPECT_EQ(ShortTypeName("app::Robust<int, 3>"), "app::Robust<int, 3>");
  EXPECT_EQ(ShortTypeName("pyceres::Prior"), "pyceres::Prior");
  EXPECT_EQ(ShortTypeName("Pair<ceres::A, app_ceres::examples::B>"),
            "Pair<A, app_ceres::examples::B>");
  // Not a whole template: nothing to take the first argument of.
  EXPECT_EQ(ShortTypeName("AutoDiffCostFunction<A"), "AutoDiffCostFunction<A");
}

}  // namespace
}  // namespace ceres::internal
