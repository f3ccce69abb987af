// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/io/bal.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::io {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Two cameras, one point, two observations: 3 + 8 + 18 + 3 tokens.
const char kSmallProblem[] =
    "2 1 2\n"
    "0 0 -1.5 2e1\n"
    "1 0 +3 4\n\n"
    "1 2 3 4 5 6 7 8 9\n"
    "10 11 12 13 14 15 16 17 18\r\n"
    "\t.5 -0 1e-400\n";

// A folder of this test's own that goes with it.
class BalFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const ::testing::TestInfo* info =
        ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() /
              (std::string("bal_file_test.") + info->name());
    fs::remove_all(folder_);
    fs::create_directory(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string Path(const std::string& name) const {
    return (folder_ / name).string();
  }

  static std::string Contents(const std::string& path) {
    std::ifstream stream(path);
    return {std::istreambuf_iterator<char>(stream),
            std::istreambuf_iterator<char>()};
  }

  int NumFiles() const {
    return static_cast<int>(std::distance(fs::directory_iterator(folder_), {}));
  }

  fs::path folder_;
};

// The message for a text that must not parse.
std::string ParseError(const std::string& text) {
  BalProblem problem;
  problem.points = {1.0, 2.0, 3.0};
  std::string error;
  EXPECT_FALSE(ParseBal(text, "scene.txt", &problem, &error));
  EXPECT_THAT(problem.points, ElementsAre(1.0, 2.0, 3.0))
      << "changed in spite of the failure";
  return error;
}

// kSmallProblem with `from` replaced.
std::string Replaced(const std::string& from, const std::string& to) {
  std::string text = kSmallProblem;
  const size_t position = text.find(from);
  EXPECT_NE(position, std::string::npos);
  return text.replace(position, from.size(), to);
}

TEST(ParseBal, ReadsTokensWhateverSeparatesThem) {
  BalProblem problem;
  std::string error;
  ASSERT_TRUE(ParseBal(kSmallProblem, "scene.txt", &problem, &error)) << error;
  EXPECT_EQ(problem.num_cameras(), 2);
  EXPECT_EQ(problem.num_points(), 1);
  EXPECT_THAT(problem.camera_index, ElementsAre(0, 1));
  EXPECT_THAT(problem.point_index, ElementsAre(0, 0));
  EXPECT_THAT(problem.observations, ElementsAre(-1.5, 20.0, 3.0, 4.0));
  EXPECT_EQ(problem.camera(1)[0], 10.0);
  EXPECT_EQ(problem.camera(1)[8], 18.0);
  EXPECT_THAT(problem.points, ElementsAre(0.5, 0.0, 0.0));
}

TEST(ParseBal, NamesFileTokenAndExpectationForEveryTruncation) {
  const std::string text = kSmallProblem;
  // A cut inside a number may leave a number; a cut before the last token may
  // not leave a problem.
  for (size_t length = 0; length < text.find("1e-400"); ++length) {
    EXPECT_THAT(ParseError(text.substr(0, length)),
                AllOf(HasSubstr(": token "), HasSubstr("expected ")))
        << length;
  }
  EXPECT_THAT(ParseError(""), AllOf(HasSubstr("token 1: "),
                                    HasSubstr("ends within the header")));
  EXPECT_THAT(ParseError("2 1 2"), HasSubstr("truncated"));
}

TEST(ParseBal, SaysWhereAFileEndsThatIsLongEnoughForItsCounts) {
  const std::string text = Replaced("1e-400", std::string(200, ' '));
  EXPECT_THAT(ParseError(text),
              HasSubstr("expected a point coordinate, but the file ends here"));
}

TEST(ParseBal, RefusesNegativeNumbersAndWordsAsCounts) {
  EXPECT_THAT(ParseError(Replaced("2 1 2", "-2 1 2")),
              AllOf(HasSubstr("token 1: "),
                    HasSubstr("expected the number of cameras in [1, "),
                    HasSubstr("found \"-2\"")));
  EXPECT_THAT(
      ParseError(Replaced("2 1 2", "2 0 2")),
      AllOf(HasSubstr("token 2: "), HasSubstr("expected the number of")));
  EXPECT_THAT(ParseError(Replaced("2 1 2", "2 1 two")),
              AllOf(HasSubstr("token 3: not a BAL file"),
                    HasSubstr("expected the number of observations, an "
                              "integer, found \"two\"")));
  EXPECT_THAT(ParseError(Replaced("2 1 2", "2.5 1 2")),
              HasSubstr("an integer, found \"2.5\""));
}

TEST(ParseBal, RefusesCountsThatTheFileCannotHoldBeforeAllocating) {
  EXPECT_THAT(ParseError(Replaced("2 1 2", "2147483647 2147483647 2147483647")),
              HasSubstr("bytes: it is truncated, or a count is wrong"));
  EXPECT_THAT(ParseError(Replaced("2 1 2", "99999999999999999999 1 2")),
              HasSubstr("expected the number of cameras in [1, 2147483647]"));
  EXPECT_THAT(ParseError(Replaced("2 1 2", "2 1000000000000 2")),
              HasSubstr("expected the number of points in [1, 2147483647]"));
}

TEST(ParseBal, RefusesIndicesOutOfRange) {
  EXPECT_THAT(
      ParseError(Replaced("1 0 +3", "2 0 +3")),
      AllOf(HasSubstr("token 8: "),
            HasSubstr("expected a camera index in [0, 1], found \"2\"")));
  EXPECT_THAT(ParseError(Replaced("1 0 +3", "-1 0 +3")),
              HasSubstr("found \"-1\""));
  EXPECT_THAT(
      ParseError(Replaced("1 0 +3", "1 1 +3")),
      AllOf(HasSubstr("token 9: "),
            HasSubstr("expected a point index in [0, 0], found \"1\"")));
}

TEST(ParseBal, RefusesWhatIsNoFiniteNumber) {
  for (const char* token : {"nan", "inf", "-inf", "1e999", "0x10", "1,5", "+",
                            "1D-3", "+-3", "1e", "--1"}) {
    EXPECT_THAT(
        ParseError(Replaced("-1.5", token)),
        HasSubstr("token 6: expected an observed x, a finite number, found \"" +
                  std::string(token) + "\""));
  }
}

TEST(ParseBal, NamesTheLine) {
  EXPECT_THAT(ParseError(Replaced("-1.5", "x")),
              HasSubstr("scene.txt:2: token 6: "));
  EXPECT_THAT(ParseError(Replaced("14", "nan")),
              HasSubstr("scene.txt:6: token "));
}

TEST(ParseBal, SkipsAByteOrderMarkAndRefusesOtherEncodings) {
  BalProblem problem;
  std::string error;
  EXPECT_TRUE(ParseBal(std::string("\xef\xbb\xbf") + kSmallProblem, "scene.txt",
                       &problem, &error))
      << error;
  EXPECT_THAT(ParseError("BZh91AY&SY"), HasSubstr("bzip2"));
  EXPECT_THAT(ParseError(std::string("2\0 \0", 4)), HasSubstr("UTF-16"));
}

TEST(ParseBal, RefusesTokensAfterTheEnd) {
  EXPECT_THAT(ParseError(std::string(kSmallProblem) + " 7"),
              HasSubstr("token 33: expected the end of the file, found \"7\""));
}

TEST(ParseBal, ShowsOnlyTheBeginningOfABinaryFilePrintably) {
  const std::string error = ParseError(std::string(100000, '\xff'));
  EXPECT_LT(error.size(), 200u);
  EXPECT_THAT(error, HasSubstr("????...\""));
}

TEST_F(BalFileTest, SaysWhichFileCannotBeRead) {
  BalProblem problem;
  std::string error;
  EXPECT_FALSE(ReadBal(Path("absent.txt"), &problem, &error));
  EXPECT_THAT(error,
              AllOf(HasSubstr(Path("absent.txt")), HasSubstr("No such file")));
  EXPECT_FALSE(ReadBal(folder_.string(), &problem, &error));
  EXPECT_THAT(error,
              AllOf(HasSubstr(folder_.string()), HasSubstr("directory")));
}

TEST_F(BalFileTest, WrittenNumbersComeBackToTheBit) {
  BalProblem problem;
  std::string error;
  ASSERT_TRUE(ParseBal(kSmallProblem, "scene.txt", &problem, &error)) << error;
  problem.observations = {1.0 / 3.0, -0.1, 5e-324, 1.7976931348623157e308};
  problem.cameras[0] = 0.1 + 0.2;
  problem.points[2] = -1e-17;
  ASSERT_TRUE(WriteBal(problem, Path("out.txt"), &error)) << error;

  BalProblem again;
  ASSERT_TRUE(ReadBal(Path("out.txt"), &again, &error)) << error;
  EXPECT_EQ(again.camera_index, problem.camera_index);
  EXPECT_EQ(again.point_index, problem.point_index);
  EXPECT_EQ(again.observations, problem.observations);
  EXPECT_EQ(again.cameras, problem.cameras);
  EXPECT_EQ(again.points, problem.points);
}

TEST_F(BalFileTest, WritesCamerasWithQuaternionsAsAngleAxis) {
  BalProblem problem;
  problem.camera_size = kQuaternionCameraSize;
  // Half a turn about z.
  problem.cameras = {0, 0, 0, 1, 4, 5, 6, 7, 8, 9};
  problem.points = {1, 2, 3};
  problem.camera_index = problem.point_index = {0};
  problem.observations = {1, 2};
  std::string error;
  ASSERT_TRUE(WriteBal(problem, Path("out.txt"), &error)) << error;
  BalProblem again;
  ASSERT_TRUE(ReadBal(Path("out.txt"), &again, &error)) << error;
  EXPECT_NEAR(again.camera(0)[2], 3.14159265358979323846, 1e-14);
  for (int k = 3; k < 9; ++k) EXPECT_EQ(again.camera(0)[k], k + 1);
}

TEST_F(BalFileTest, RefusesToWriteNumbersThatAreNotFinite) {
  BalProblem problem;
  std::string error;
  ASSERT_TRUE(ParseBal(kSmallProblem, "scene.txt", &problem, &error)) << error;
  problem.points[1] = std::nan("");
  EXPECT_FALSE(WriteBal(problem, Path("out.txt"), &error));
  EXPECT_THAT(error, HasSubstr("not finite"));
  EXPECT_EQ(NumFiles(), 0);
}

TEST_F(BalFileTest, ReplacesAFileWholeAndLeavesNothingElse) {
  BalProblem problem;
  std::string error;
  ASSERT_TRUE(ParseBal(kSmallProblem, "scene.txt", &problem, &error)) << error;
  std::ofstream(Path("out.txt")) << std::string(10000, 'x');
  ASSERT_TRUE(WriteBal(problem, Path("out.txt"), &error)) << error;
  EXPECT_EQ(Contents(Path("out.txt")).find('x'), std::string::npos);
  EXPECT_EQ(NumFiles(), 1);
}

TEST_F(BalFileTest, WritesThroughALinkToItsTarget) {
  BalProblem problem;
  std::string error;
  ASSERT_TRUE(ParseBal(kSmallProblem, "scene.txt", &problem, &error)) << error;
  std::ofstream(Path("target.txt")) << "old";
  fs::create_symlink(Path("target.txt"), Path("link.txt"));
  ASSERT_TRUE(WriteBal(problem, Path("link.txt"), &error)) << error;
  EXPECT_TRUE(fs::is_symlink(Path("link.txt")));
  EXPECT_THAT(Contents(Path("target.txt")), HasSubstr("2 1 2\n"));
}

TEST_F(BalFileTest, SaysWhereItCannotWrite) {
  BalProblem problem;
  std::string error;
  ASSERT_TRUE(ParseBal(kSmallProblem, "scene.txt", &problem, &error)) << error;
  EXPECT_FALSE(WriteBal(problem, Path("no/such/folder.txt"), &error));
  EXPECT_THAT(error, AllOf(HasSubstr(Path("no/such/folder.txt")),
                           HasSubstr("No such file")));
  EXPECT_FALSE(WriteBal(problem, "/dev/full", &error));
  EXPECT_THAT(error, AllOf(HasSubstr("/dev/full"), HasSubstr("No space left")));
}

}  // namespace
}  // namespace ceres::io
