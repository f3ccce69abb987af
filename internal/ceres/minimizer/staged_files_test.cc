// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/minimizer/staged_files.h"

#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

// In an empty directory.
class StagedFilesTest : public testing::Test {
 protected:
  StagedFilesTest() {
    fs::remove_all(directory_);
    fs::create_directories(directory_);
  }
  ~StagedFilesTest() override { fs::remove_all(directory_); }

  std::string Path(const char* name) const {
    return (directory_ / name).string();
  }

  bool Write(StagedFiles* files, const char* name, const std::string& text) {
    return files->Write(
        Path(name),
        [&text](std::FILE* file) { std::fputs(text.c_str(), file); }, &error_);
  }

  static std::string Read(const std::string& path) {
    std::ifstream file(path);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }

  int CountFiles() const {
    return static_cast<int>(
        std::distance(fs::directory_iterator(directory_), {}));
  }

  const fs::path directory_ =
      fs::path(testing::TempDir()) /
      (std::string("staged_files_") +
       testing::UnitTest::GetInstance()->current_test_info()->name());
  std::string error_;
};

TEST_F(StagedFilesTest, AppearTogetherWhenPublished) {
  StagedFiles files;
  ASSERT_TRUE(Write(&files, "a", "first"));
  ASSERT_TRUE(Write(&files, "b", "second"));
  EXPECT_FALSE(fs::exists(Path("a")));
  EXPECT_FALSE(fs::exists(Path("b")));
  ASSERT_TRUE(files.Publish(&error_)) << error_;
  EXPECT_EQ(Read(Path("a")), "first");
  EXPECT_EQ(Read(Path("b")), "second");
  EXPECT_EQ(CountFiles(), 2) << "temporary files are left";
}

TEST_F(StagedFilesTest, ReplaceFilesOfTheSameName) {
  std::ofstream(Path("a")) << "something older and longer";
  StagedFiles files;
  ASSERT_TRUE(Write(&files, "a", "new"));
  EXPECT_EQ(Read(Path("a")), "something older and longer");
  ASSERT_TRUE(files.Publish(&error_)) << error_;
  EXPECT_EQ(Read(Path("a")), "new");
}

TEST_F(StagedFilesTest, LeaveNothingWhenNotPublished) {
  {
    StagedFiles files;
    ASSERT_TRUE(Write(&files, "a", "first"));
    EXPECT_EQ(CountFiles(), 1);
  }
  EXPECT_EQ(CountFiles(), 0);
}

TEST_F(StagedFilesTest, NameThePathAndTheReason) {
  StagedFiles files;
  EXPECT_FALSE(Write(&files, "missing/a", "text"));
  EXPECT_THAT(error_, AllOf(HasSubstr(Path("missing/a")),
                            HasSubstr("No such file or directory")));

  fs::create_directories(directory_ / "taken" / "by_a_directory");
  ASSERT_TRUE(Write(&files, "taken", "text"));
  EXPECT_FALSE(files.Publish(&error_));
  EXPECT_THAT(error_, AllOf(HasSubstr(Path("taken")), HasSubstr("directory")));
}

// No file of this process may grow beyond some bytes while it exists: what a
// full disk does.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes)
      : old_handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &old_limit_);
    rlimit limit = old_limit_;
    limit.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &old_limit_);
    std::signal(SIGXFSZ, old_handler_);
  }

 private:
  void (*old_handler_)(int);
  rlimit old_limit_;
};

TEST_F(StagedFilesTest, IncompleteFilesAreNotLeft) {
  const std::string long_text(1 << 20, 'x');
  {
    StagedFiles files;
    ASSERT_TRUE(Write(&files, "a", "short"));
    bool written = true;
    {
      const FileSizeLimit limit(1000);
      written = Write(&files, "b", long_text);
    }
    EXPECT_FALSE(written);
    EXPECT_THAT(error_,
                AllOf(HasSubstr(Path("b")), HasSubstr("File too large")));
  }
  EXPECT_EQ(CountFiles(), 0);
}

}  // namespace
}  // namespace ceres::internal
