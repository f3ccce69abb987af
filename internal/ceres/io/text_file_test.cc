// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/io/text_file.h"

#include <cstddef>
#include <filesystem>
#include <string>

#include "ceres/io/token_reader.h"
#include "gtest/gtest.h"

namespace ceres::io {
namespace {

namespace fs = std::filesystem;

TEST(ReadFile, ReturnsWhatWasWrittenForAnySize) {
  const std::string path =
      (fs::temp_directory_path() / "vesta_text_file_test.txt").string();
  std::string error;
  for (const std::size_t size : {0, 1, 4095, 4096, 4097, 1 << 20, 5'000'000}) {
    std::string text(size, ' ');
    for (std::size_t i = 0; i < size; ++i) {
      text[i] = static_cast<char>('a' + i % 23);
    }
    ASSERT_TRUE(WriteFile(text, path, &error)) << error;
    std::string read = "left over";
    ASSERT_TRUE(ReadFile(path, &read, &error)) << error;
    EXPECT_EQ(read, text);
  }
  fs::remove(path);
}

// Linux makes the contents of such a file when it is read.
TEST(ReadFile, ReadsAFileThatSaysThatItsSizeIsZero) {
  const std::string path = "/proc/self/status";
  if (!fs::exists(path)) GTEST_SKIP() << "there is no " << path;
  ASSERT_EQ(fs::file_size(path), 0);
  std::string text;
  std::string error;
  ASSERT_TRUE(ReadFile(path, &text, &error)) << error;
  EXPECT_NE(text.find("Pid:"), std::string::npos);
}

TEST(ReadFile, RefusesAFolderAndAMissingFile) {
  std::string text;
  std::string error;
  EXPECT_FALSE(ReadFile(fs::temp_directory_path().string(), &text, &error));
  EXPECT_NE(error, "");
  EXPECT_FALSE(ReadFile("/no/such/file", &text, &error));
  EXPECT_NE(error.find("/no/such/file"), std::string::npos);
}

TEST(TokenReader, ReadsNumbersOfEveryFormUpToTheNextWhiteSpace) {
  TokenReader reader(" 1 -2.5\n+3e2\t1e-400 .5 7.\r\n1e5", "text");
  for (const double expected : {1.0, -2.5, 300.0, 0.0, 0.5, 7.0, 1e5}) {
    double value = -1.0;
    ASSERT_TRUE(reader.ReadDouble("a number", &value)) << reader.error();
    EXPECT_EQ(value, expected);
  }
  EXPECT_TRUE(reader.ExpectEnd());
}

TEST(TokenReader, NamesTheTokenThatOnlyBeginsWithANumber) {
  for (const std::string token :
       {"1.5abc", "0x10", "1,5", "1e400", "nan", "inf", "--1", "1e", "1.2.3"}) {
    const std::string text = "4\n5 " + token + " 6";
    TokenReader reader(text, "text");
    double value = 0.0;
    ASSERT_TRUE(reader.ReadDouble("a number", &value));
    ASSERT_TRUE(reader.ReadDouble("a number", &value));
    EXPECT_FALSE(reader.ReadDouble("a number", &value)) << token;
    EXPECT_EQ(reader.error(),
              "text:2: token 3: expected a number, a finite number, found \"" +
                  token + '"');
  }
}

TEST(TokenReader, SaysWhereTheTextEnds) {
  TokenReader reader("1 ", "text");
  double value = 0.0;
  ASSERT_TRUE(reader.ReadDouble("a number", &value));
  EXPECT_FALSE(reader.ReadDouble("a number", &value));
  EXPECT_NE(reader.error().find("the file ends here"), std::string::npos);
}

}  // namespace
}  // namespace ceres::io
