// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/report/html_page.h"

#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

TEST(JsonForScript, CannotEndTheScript) {
  EXPECT_EQ(JsonForScript(R"(["</script><!--"])"),
            R"(["\u003c/script>\u003c!--"])");
}

TEST(JsonForScript, EscapesLineTerminatorsOfJavaScript) {
  EXPECT_EQ(JsonForScript("\"a\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xaa\""),
            "\"a\\u2028\\u2029\xe2\x80\xaa\"");
}

}  // namespace
}  // namespace ceres::internal
