// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "pgm_image.h"

#include <filesystem>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::examples {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string ParseError(const std::string& text) {
  PgmImage image(1, 1);
  std::string error;
  EXPECT_FALSE(ParsePgm(text, "cat.pgm", &image, &error)) << text;
  EXPECT_EQ(image.num_pixels(), 1) << "changed, but did not parse";
  return error;
}

TEST(ParsePgm, ReadsTextWithComments) {
  PgmImage image;
  std::string error;
  ASSERT_TRUE(ParsePgm("P2\n# a cat # 9\n 3 2 # sides\n255\n1 2 3\r\n4 5 255\n",
                       "cat.pgm", &image, &error))
      << error;
  EXPECT_EQ(image.width(), 3);
  EXPECT_EQ(image.height(), 2);
  EXPECT_THAT(image.pixels(), ElementsAre(1, 2, 3, 4, 5, 255));
  EXPECT_EQ(*image.pixel(0, 1), 4.0);
}

TEST(ParsePgm, ReadsBytesWhateverTheyLookLike) {
  PgmImage image;
  std::string error;
  ASSERT_TRUE(
      ParsePgm("P5 # a cat\n2 2\n255\n #\n\xff", "cat.pgm", &image, &error))
      << error;
  EXPECT_THAT(image.pixels(), ElementsAre(' ', '#', '\n', 255));
}

TEST(ParsePgm, NamesTokenAndExpectation) {
  EXPECT_THAT(ParseError(""), HasSubstr("byte 0: expected \"P2\" or \"P5\""));
  EXPECT_THAT(ParseError("P6 1 1 255 a"), HasSubstr("found \"P6\""));
  EXPECT_THAT(ParseError("P2 0 1 255"), HasSubstr("expected the width in [1,"));
  EXPECT_THAT(ParseError("P2 30000 30000 255 1"),
              HasSubstr("expected 900000000 pixels, but the file has only"));
  EXPECT_THAT(ParseError("P2 2 1 255 7      "),
              HasSubstr("token 6: expected a pixel, but the file ends here"));
  EXPECT_THAT(ParseError("P2 1 1 255 256"),
              HasSubstr("expected a pixel in [0, 255], found \"256\""));
  EXPECT_THAT(ParseError("P2 1 1 255 1 2"), HasSubstr("expected the end"));
  EXPECT_THAT(ParseError("P5 1 1 65535\n12"),
              HasSubstr("expected at most 255 grey levels"));
  EXPECT_THAT(
      ParseError("P5 2 2 255\nabc"),
      HasSubstr("expected 4 bytes of pixels after the header, found 3"));
  EXPECT_THAT(ParseError("P5 2"), StartsWith("cat.pgm:1: token "));
}

TEST(WritePgm, RoundsToGreyLevelsThatAreReadBack) {
  PgmImage image(2, 2);
  image.pixels() = {-3.0, 1.4, 1.6, 300.0};
  const std::string path =
      (std::filesystem::temp_directory_path() / "pgm_image_test.pgm").string();
  std::string error;
  ASSERT_TRUE(WritePgm(image, path, &error)) << error;
  PgmImage read;
  ASSERT_TRUE(ReadPgm(path, &read, &error)) << error;
  EXPECT_EQ(read.width(), 2);
  EXPECT_THAT(read.pixels(), ElementsAre(0, 1, 2, 255));
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace ceres::examples
