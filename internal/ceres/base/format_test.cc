// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/base/format.h"

#include <limits>
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

TEST(AppendScientific, IsWhatPrintfWouldPrint) {
  for (const double value :
       {0.0, -0.0, 1.0, -1.5, 1e-10, 1.2345678e-7, 9.9999995e99, 1e100, 1e-300,
        5e-324, std::numeric_limits<double>::max(),
        std::numeric_limits<double>::infinity(),
        -std::numeric_limits<double>::infinity(),
        std::numeric_limits<double>::quiet_NaN()}) {
    std::string text = "x = ";
    AppendScientific(value, &text);
    EXPECT_EQ(text, Format("x = %e", value));
  }
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
