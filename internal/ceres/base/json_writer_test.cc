// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/base/json_writer.h"

#include <cmath>
#include <limits>
#include <sstream>
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

TEST(JsonWriter, EscapesTexts) {
  JsonWriter json;
  json.BeginObject().Member("a", "c\"\\\n").EndObject();
  EXPECT_EQ(json.text(), R"({"a":"c\"\\\n"})");
}

TEST(JsonWriter, ExactNumbersAndNamesOfThoseThatJsonLacks) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  JsonWriter json(JsonStyle{0, 0, true});
  json.Value(std::vector<double>{0.1, 1.0 / 3.0, 1e300, -0.0, 5e-324});
  EXPECT_EQ(json.text(), "[0.1,0.3333333333333333,1e+300,-0,5e-324]");
  JsonWriter others(JsonStyle{0, 0, true});
  others.Value(std::vector<double>{std::nan(""), kInfinity, -kInfinity});
  EXPECT_EQ(others.text(), R"(["NaN","Infinity","-Infinity"])");
}

// An object with a list of objects and lists that are one value.
void WriteNested(JsonWriter* json) {
  json->BeginObject();
  json->Member("a", 1).Member("list", std::vector<int>{1, 2});
  json->Key("objects").BeginArray();
  json->BeginObject().Member("b", true).Member("c", "x").EndObject();
  json->BeginObject().EndObject();
  json->EndArray();
  json->Key("empty").BeginArray().EndArray();
  json->EndObject();
}

TEST(JsonWriter, OuterLevelsStandOnLines) {
  JsonWriter all(JsonStyle{3, 2, false});
  WriteNested(&all);
  EXPECT_EQ(all.text(), R"({
  "a": 1,
  "list": [1,2],
  "objects": [
    {
      "b": true,
      "c": "x"
    },
    {}
  ],
  "empty": []
})");
  JsonWriter two(JsonStyle{2, 0, false});
  WriteNested(&two);
  EXPECT_EQ(two.text(), R"({
"a": 1,
"list": [1,2],
"objects": [
{"b":true,"c":"x"},
{}
],
"empty": []
})");
  JsonWriter none(JsonStyle{0, 2, false});
  WriteNested(&none);
  EXPECT_EQ(
      none.text(),
      R"({"a":1,"list":[1,2],"objects":[{"b":true,"c":"x"},{}],"empty":[]})");
}

TEST(JsonWriter, ListsOfListsAreOneValue) {
  JsonWriter json(JsonStyle{3, 2, false});
  json.BeginArray();
  json.Value(std::vector<std::vector<int>>{{1, 2}, {}, {3}}).Value(4);
  json.EndArray();
  EXPECT_EQ(json.text(), "[\n  [[1,2],[],[3]],\n  4\n]");
}

TEST(JsonWriter, FlushingLeavesTheRestAsItWouldBe) {
  JsonWriter whole(JsonStyle{2, 1, false});
  JsonWriter parts(JsonStyle{2, 1, false});
  std::ostringstream out;
  out << std::hex << std::showbase;
  whole.BeginArray();
  parts.BeginArray();
  for (int k = 0; k < 20; ++k) {
    whole.Value(k);
    parts.Value(k);
    if (k % 3 == 0) parts.FlushTo(&out);
  }
  whole.EndArray();
  parts.EndArray().FlushTo(&out);
  EXPECT_EQ(out.str(), whole.text());
  EXPECT_TRUE(parts.text().empty());
}

std::string JsonOf(const std::string& text) {
  JsonWriter json;
  return json.Value(text).text();
}

TEST(JsonWriterOfTexts, EscapesWhatMustBe) {
  EXPECT_EQ(JsonOf("a\"b\\c\nd\te\x01"), R"("a\"b\\c\nd\te\u0001")");
  EXPECT_EQ(JsonOf(std::string("\0", 1)), R"("\u0000")");
  EXPECT_EQ(JsonOf(""), "\"\"");
}

TEST(JsonWriterOfTexts, KeepsUtf8AndReplacesTheRest) {
  const std::string valid =
      "\xC3\xBC \xE2\x82\xAC \xF0\x9F\x99\x82 \xED\x9F\xBF \xF4\x8F\xBF\xBF";
  EXPECT_EQ(JsonOf(valid), "\"" + valid + "\"");
  const std::string replaced = R"(\ufffd)";
  // A lone continuation, a cut sequence, an overlong form, a surrogate, what is
  // beyond U+10FFFF.
  EXPECT_EQ(JsonOf("\x80"), "\"" + replaced + "\"");
  EXPECT_EQ(JsonOf("\xC3"), "\"" + replaced + "\"");
  EXPECT_EQ(JsonOf("\xC3z"), "\"" + replaced + "z\"");
  EXPECT_EQ(JsonOf("\xC0\x80"), "\"" + replaced + replaced + "\"");
  EXPECT_EQ(JsonOf("\xED\xA0\x80"),
            "\"" + replaced + replaced + replaced + "\"");
  EXPECT_EQ(JsonOf("\xF4\x90\x80\x80"),
            "\"" + replaced + replaced + replaced + replaced + "\"");
}

}  // namespace
}  // namespace ceres::internal
