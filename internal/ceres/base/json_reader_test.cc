// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/base/json_reader.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "ceres/base/json_writer.h"
#include "ceres/base/number.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

JsonValue Read(const std::string& json) {
  JsonValue value;
  std::string error;
  EXPECT_TRUE(ReadJson(json, &value, &error)) << json << ": " << error;
  return value;
}

// The error message of the reader; empty if the text is valid.
std::string ErrorOf(const std::string& json) {
  JsonValue value;
  std::string error;
  return ReadJson(json, &value, &error) ? "" : error;
}

TEST(JsonReader, ReadsEveryKindOfValue) {
  const JsonValue json = Read(
      " {\"a\" : [1, -2.5e-3 ,true,false,null,\"x\"],\r\n\t\"b\":{ },"
      "\"\":[ ]} ");
  ASSERT_TRUE(json.Is(JsonValue::Kind::kObject));
  ASSERT_EQ(json.members.size(), 3u);
  const JsonValue& a = *json.Find("a");
  ASSERT_EQ(a.items.size(), 6u);
  EXPECT_EQ(a.items[0].number, 1.0);
  EXPECT_EQ(a.items[1].number, -2.5e-3);
  EXPECT_TRUE(a.items[2].Is(JsonValue::Kind::kBool) && a.items[2].truth);
  EXPECT_TRUE(a.items[3].Is(JsonValue::Kind::kBool) && !a.items[3].truth);
  EXPECT_TRUE(a.items[4].Is(JsonValue::Kind::kNull));
  EXPECT_EQ(a.items[5].text, "x");
  EXPECT_TRUE(json.Find("b")->Is(JsonValue::Kind::kObject));
  EXPECT_TRUE(json.Find("")->Is(JsonValue::Kind::kArray));
  EXPECT_EQ(json.Find("c"), nullptr);
}

TEST(JsonReader, ReplacesEscapeSequences) {
  EXPECT_EQ(Read(R"("\"\\\/\b\f\n\r\t")").text, "\"\\/\b\f\n\r\t");
  EXPECT_EQ(Read(R"("\u0041\u00fc\u20AC\ud83d\ude42z")").text,
            "A\xC3\xBC\xE2\x82\xAC\xF0\x9F\x99\x82z");
  EXPECT_EQ(Read(R"("\u0000")").text, std::string(1, '\0'));
  EXPECT_EQ(Read(R"("\uD800\uDC00\uDBFF\uDFFF")").text,
            "\xF0\x90\x80\x80\xF4\x8F\xBF\xBF");
}

TEST(JsonReader, KeepsSpacesInStrings) {
  EXPECT_EQ(Read(R"([" a b  "])").items.at(0).text, " a b  ");
}

TEST(JsonReader, SaysWhatIsWrongAndWhere) {
  const struct {
    const char* json;
    const char* error;
  } cases[] = {
      {"", "A value is missing, at line 1, column 1"},
      {"  x", "A value is missing, at line 1, column 3"},
      {"[1,\n  2,\n]", "A value is missing, at line 3, column 1"},
      {"{\n\"a\" 1}", "A ':' is missing, at line 2, column 5"},
      {"{\"a\":1", "A '}' is missing, at line 1, column 7"},
      {"{a:1}", "A string is missing, at line 1, column 2"},
      {"[1 2]", "A ']' is missing, at line 1, column 4"},
      {"1 2", "There is text after the value, at line 1, column 3"},
      {"\"a", "A string has no end, at line 1, column 3"},
      {"\"a\\", "An escape sequence is unknown, at line 1, column 4"},
      {"\"\\x\"", "An escape sequence is unknown, at line 1, column 3"},
      {"\"\\u12g4\"", "A hexadecimal digit is missing, at line 1, column 6"},
      {"\"\\u12", "A hexadecimal digit is missing, at line 1, column 6"},
      {"\"\\ud800\"", "A low surrogate is missing, at line 1, column 8"},
      {"\"\\ud800\\u0041\"",
       "A low surrogate is missing, at line 1, column 14"},
      {"\"\\udc00\"", "A high surrogate is missing, at line 1, column 8"},
      {"\"a\nb\"", "A string has a control character, at line 1, column 3"},
      {"[\n1e999]", "A number is out of range, at line 2, column 1"},
  };
  for (const auto& wrong : cases) {
    EXPECT_EQ(ErrorOf(wrong.json),
              wrong.error + std::string(" of the JSON text."))
        << wrong.json;
  }
}

TEST(JsonReader, RefusesNumbersThatJsonLacks) {
  for (const char* number : {"01", "+1", ".5", "1.", "1e", "1e+", "-", "0x10",
                             "NaN", "Infinity", "-Infinity", "1,5", "--1"}) {
    EXPECT_NE(ErrorOf(number), "") << number;
  }
  for (const char* number :
       {"0", "-0", "10", "0.5", "1e5", "1E+05", "1e-400"}) {
    EXPECT_EQ(ErrorOf(number), "") << number;
  }
}

TEST(JsonReader, NestsUpTo64Levels) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_EQ(ErrorOf(nested(64)), "");
  EXPECT_NE(ErrorOf(nested(66)).find("nested too deep"), std::string::npos);
  EXPECT_NE(ErrorOf(std::string(100000, '[')), "");
}

TEST(JsonReader, ReadsTheBitsThatTheWriterWrote) {
  std::mt19937_64 random(1);
  JsonWriter json(JsonStyle{0, 0, true});
  std::vector<double> values = {0.0,
                                -0.0,
                                1e-310,
                                5e-324,
                                std::numeric_limits<double>::max(),
                                std::numeric_limits<double>::min(),
                                0.1,
                                1e23,
                                9007199254740993.0};
  while (values.size() < 1000) {
    const std::uint64_t bits = random();
    double value = 0.0;
    std::memcpy(&value, &bits, sizeof(value));
    if (std::isfinite(value)) values.push_back(value);
  }
  json.Value(values);
  const JsonValue read = Read(json.text());
  ASSERT_EQ(read.items.size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(read.items[i].number, values[i]);
    EXPECT_EQ(std::signbit(read.items[i].number), std::signbit(values[i]));
  }
}

TEST(JsonReader, ReadsTheTextsThatTheWriterWrote) {
  std::string text;
  for (int c = 0; c < 128; ++c) text += static_cast<char>(c);
  text += "\xC3\xBC \xE2\x82\xAC \xF0\x9F\x99\x82";
  JsonWriter json;
  json.Value(text);
  EXPECT_EQ(Read(json.text()).text, text);
}

TEST(ReadDouble, TakesWholeDecimalsInTheRangeOfDouble) {
  double value = 0.0;
  for (const char* text : {"1", "-1.5", ".5", "5.", "1e3", "1E-3"}) {
    EXPECT_TRUE(ReadDouble(text, &value)) << text;
    EXPECT_EQ(value, std::stod(text));
  }
  for (const char* text : {"1e-400", "-1e-400"}) {
    EXPECT_TRUE(ReadDouble(text, &value)) << text;
    EXPECT_LE(std::abs(value), std::numeric_limits<double>::denorm_min());
  }
  for (const char* text : {"", "+1", "-", ".", "1x", " 1", "1 ", "1e", "inf",
                           "nan", "1e400", "-1e400", "0x1"}) {
    EXPECT_FALSE(ReadDouble(text, &value)) << text;
  }
}

}  // namespace
}  // namespace ceres::internal
