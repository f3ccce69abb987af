// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/minimizer/format.h"

#include <string>

#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

TEST(Format, IsWhatPrintfWouldPrint) {
  EXPECT_EQ(Format("%d of %s is %.2f", 3, "x", 0.125), "3 of x is 0.12");
  EXPECT_EQ(Format("100%%"), "100%");
}

TEST(Format, NothingIsTheEmptyString) { EXPECT_EQ(Format("%s", ""), ""); }

TEST(Format, LongTextIsNotCut) {
  const std::string text(100000, 'x');
  EXPECT_EQ(Format("<%s>", text.c_str()), "<" + text + ">");
}

TEST(AppendFormat, KeepsWhatIsThere) {
  std::string text = "a";
  AppendFormat(&text, "%s", "");
  EXPECT_EQ(text, "a");
  AppendFormat(&text, "%d", 12);
  AppendFormat(&text, ",%d", 3);
  EXPECT_EQ(text, "a12,3");
  EXPECT_EQ(text.size(), 5u) << "no terminating zero is counted";
}

}  // namespace
}  // namespace ceres::internal
