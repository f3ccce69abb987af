// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "nist_data.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::examples {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Two parameters, two observations.
const char kSmallFile[] =
    "Data:          1 Response  (y = volume)\r\n"
    "               y = b1 * x + b2\r\n"
    "  b1 =   500    250   2.389E+02  2.7E+00\r\n"
    "  b2 =     0.5  -1    5.5e-01    7e-1\r\n"
    "Residual Sum of Squares:     1.25E-01\r\n"
    "Data:   y    x\r\n"
    "      10.07E0   77.6E0\r\n"
    "      14.73E0  114.9E0\r\n";

// kSmallFile with `from` replaced.
std::string Replaced(const std::string& from, const std::string& to) {
  std::string text = kSmallFile;
  const size_t position = text.find(from);
  EXPECT_NE(position, std::string::npos);
  return text.replace(position, from.size(), to);
}

std::string ParseError(const std::string& text) {
  NistData data;
  data.certified = {7.0};
  std::string error;
  EXPECT_FALSE(ParseNist(text, "small.dat", &data, &error));
  EXPECT_THAT(data.certified, ElementsAre(7.0)) << "changed, but did not parse";
  return error;
}

TEST(ParseNist, ReadsStartsCertifiedValuesAndRows) {
  NistData data;
  std::string error;
  ASSERT_TRUE(ParseNist(kSmallFile, "small.dat", &data, &error)) << error;
  EXPECT_THAT(data.starts[0], ElementsAre(500.0, 0.5));
  EXPECT_THAT(data.starts[1], ElementsAre(250.0, -1.0));
  EXPECT_THAT(data.certified, ElementsAre(238.9, 0.55));
  EXPECT_EQ(data.certified_sum_of_squares, 0.125);
  EXPECT_THAT(data.rows,
              ElementsAre(ElementsAre(10.07, 77.6), ElementsAre(14.73, 114.9)));
}

TEST(ParseNist, NamesLineAndExpectation) {
  EXPECT_THAT(ParseError(Replaced("2.7E+00", "")),
              StartsWith("small.dat: line 3: expected \"b1 = start1 start2"));
  EXPECT_THAT(ParseError(Replaced("b2 =", "b3 =")),
              StartsWith("small.dat: line 4: expected \"b2 = start1 start2"));
  EXPECT_THAT(ParseError(Replaced("250", "2S0")),
              StartsWith("small.dat: line 3: expected a finite number, found "
                         "\"2S0\""));
  EXPECT_THAT(ParseError(Replaced("1.25E-01", "")),
              StartsWith("small.dat: line 5: expected one number after"));
  EXPECT_THAT(ParseError(Replaced("114.9E0", "")),
              StartsWith("small.dat: line 8: expected 2 numbers"));
  EXPECT_THAT(ParseError(Replaced("14.73E0", "nan")),
              StartsWith("small.dat: line 8: expected a finite number"));
}

TEST(ParseNist, NamesWhatIsMissingAtTheEnd) {
  EXPECT_THAT(ParseError(""), HasSubstr("expected starting values"));
  const std::string text = kSmallFile;
  EXPECT_THAT(ParseError(text.substr(0, text.find("Residual"))),
              HasSubstr("expected \"Residual Sum of Squares:\""));
  EXPECT_THAT(ParseError(text.substr(0, text.find("      10.07"))),
              HasSubstr("expected observations"));
}

TEST(ReadNist, NamesAMissingFile) {
  NistData data;
  std::string error;
  EXPECT_FALSE(ReadNist("/nonexistent", "Rat42", &data, &error));
  EXPECT_THAT(error, StartsWith("/nonexistent/Rat42.dat: cannot open"));
}

TEST(MatchingDigits, CountsThoseOfTheWorstParameter) {
  EXPECT_EQ(MatchingDigits(2.0, 2.0), 11.0);
  EXPECT_NEAR(MatchingDigits(2.002, 2.0), 3.0, 1e-9);
  EXPECT_NEAR(MatchingDigits({1.0, 2.002}, {1.0, 2.0}), 3.0, 1e-9);
}

}  // namespace
}  // namespace ceres::examples
