// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "libmv_file.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::examples {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// Writes the format in either byte order.
class Writer {
 public:
  explicit Writer(bool big_endian) : big_endian_(big_endian) {}

  void Byte(char byte) { bytes_ += byte; }
  void Int(int value) { Bits(static_cast<uint32_t>(value)); }
  void Floats(const std::vector<float>& values) {
    for (const float value : values) {
      uint32_t bits = 0;
      std::memcpy(&bits, &value, sizeof(bits));
      Bits(bits);
    }
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void Bits(uint32_t bits) {
    for (int i = 0; i < 4; ++i) {
      bytes_ += static_cast<char>(bits >> (8 * (big_endian_ ? 3 - i : i)));
    }
  }

  bool big_endian_;
  std::string bytes_;
};

// The parts of a file that a test can break.
struct Content {
  bool big_endian = false;
  char space = 'P';
  float focal_length = 500.0f;
  int second_image = 9;
  int num_points = 1;
  int marker_image = 9;
};

// Two cameras, one point, one marker. The second camera is turned by 90
// degrees around z: R maps x to y, and its columns are y, -x, z.
std::string Bytes(const Content& content) {
  Writer writer(content.big_endian);
  writer.Byte(content.big_endian ? 'V' : 'v');
  writer.Byte(content.space);
  writer.Floats({content.focal_length, 320, 240, 0.5f, 0, 0, 0, 0.25f});
  writer.Int(2);
  writer.Int(4);
  writer.Floats({1, 0, 0, 0, 1, 0, 0, 0, 1, 7, 8, 9});
  writer.Int(content.second_image);
  writer.Floats({0, 1, 0, -1, 0, 0, 0, 0, 1, 1, 2, 3});
  writer.Int(content.num_points);
  writer.Int(-3);
  writer.Floats({10, 11, 12});
  writer.Int(1);
  writer.Int(content.marker_image);
  writer.Int(-3);
  writer.Floats({100.5f, 200.25f});
  return writer.bytes();
}

std::string ParseError(const std::string& bytes) {
  LibmvProblem problem;
  std::string error;
  EXPECT_FALSE(ParseLibmv(bytes, "film.bin", &problem, &error));
  return error;
}

TEST(ParseLibmv, ReadsBothByteOrders) {
  for (const bool big_endian : {false, true}) {
    Content content;
    content.big_endian = big_endian;
    LibmvProblem problem;
    std::string error;
    ASSERT_TRUE(ParseLibmv(Bytes(content), "film.bin", &problem, &error))
        << error;
    EXPECT_TRUE(problem.markers_in_pixels);
    EXPECT_EQ(problem.intrinsics[kFocalLength], 500.0);
    EXPECT_EQ(problem.intrinsics[kRadial1], 0.5);
    EXPECT_EQ(problem.intrinsics[kTangential2], 0.25);
    ASSERT_EQ(problem.cameras.size(), 2u);
    const double* pose = problem.cameras[1].pose;
    EXPECT_NEAR(pose[0], 0.0, 1e-12);
    EXPECT_NEAR(pose[1], 0.0, 1e-12);
    EXPECT_NEAR(pose[2], std::acos(0.0), 1e-12);
    EXPECT_EQ(pose[3], 1.0);
    EXPECT_EQ(pose[5], 3.0);
    ASSERT_EQ(problem.points.size(), 1u);
    EXPECT_EQ(problem.points[0].track, -3);
    EXPECT_EQ(problem.points[0].position[2], 12.0);
    ASSERT_EQ(problem.markers.size(), 1u);
    EXPECT_EQ(problem.markers[0].camera, 1);
    EXPECT_EQ(problem.markers[0].point, 0);
    EXPECT_EQ(problem.markers[0].y, 200.25);
  }
}

TEST(ParseLibmv, NamesByteAndExpectationForEveryTruncation) {
  const std::string bytes = Bytes({});
  for (size_t size = 0; size < bytes.size(); ++size) {
    const std::string error = ParseError(bytes.substr(0, size));
    EXPECT_THAT(error, StartsWith("film.bin: byte ")) << size;
    EXPECT_THAT(error, HasSubstr("expected ")) << size;
  }
}

TEST(ParseLibmv, NamesWhatIsBroken) {
  EXPECT_THAT(ParseError("x"), HasSubstr("byte 0: expected the byte order"));
  EXPECT_THAT(ParseError(Bytes({}) + "x"), HasSubstr("the end of the file"));
  Content content;
  content.space = 'Q';
  EXPECT_THAT(ParseError(Bytes(content)),
              HasSubstr("byte 1: expected the markers' space, 'P' or 'N', "
                        "found byte 81"));
  content = {};
  content.focal_length = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(ParseError(Bytes(content)),
              HasSubstr("byte 2: expected an intrinsic parameter, a finite"));
  content = {};
  content.second_image = 4;
  EXPECT_THAT(ParseError(Bytes(content)),
              HasSubstr("expected each image once, found a second 4"));
  content = {};
  content.marker_image = 5;
  EXPECT_THAT(ParseError(Bytes(content)), HasSubstr("marker's image"));
  for (const int count : {-1, 3, 1 << 30}) {
    content = {};
    content.num_points = count;
    EXPECT_THAT(ParseError(Bytes(content)),
                HasSubstr("byte 142: expected the number of points, at most 2"))
        << count;
  }
}

}  // namespace
}  // namespace ceres::examples
