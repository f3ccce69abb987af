// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/report/json_writer.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

TEST(JsonWriter, SeparatesMembersAndElements) {
  JsonWriter json;
  json.BeginObject();
  json.Member("name", "x");
  json.Key("list").BeginArray();
  json.BeginObject().EndObject();
  json.BeginArray().EndArray();
  json.Value(1).Value(true);
  json.EndArray();
  json.Member("numbers", std::vector<int>{1, 2});
  json.EndObject();
  EXPECT_EQ(json.text(),
            R"({"name":"x","list":[{},[],1,true],"numbers":[1,2]})");
}

TEST(JsonWriter, WritesSixDigits) {
  JsonWriter json;
  json.Value(std::vector<double>{0.0, 1.0, -0.123456789, 1e300, 12345678.0});
  EXPECT_EQ(json.text(), "[0,1,-0.123457,1e+300,1.23457e+07]");
}

TEST(JsonWriter, NumbersThatJsonLacksAreNull) {
  JsonWriter json;
  json.Value(std::vector<double>{std::nan(""),
                                 std::numeric_limits<double>::infinity()});
  EXPECT_EQ(json.text(), "[null,null]");
}

TEST(JsonWriter, EscapesKeysAndTexts) {
  JsonWriter json;
  json.BeginObject().Member("a\"b", "c\\\n").EndObject();
  EXPECT_EQ(json.text(), R"({"a\"b":"c\\\n"})");
}

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
