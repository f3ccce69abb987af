// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/base/staged_files.h"

#include <filesystem>
#include <string>

#include "ceres/base/platform.h"
#include "ceres/base/testing/temporary_directory.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#if defined(CERES_SYSTEM_POSIX)
#include <sys/resource.h>

#include <csignal>
#endif

namespace ceres::internal {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class StagedFilesTest : public testing::Test {
 protected:
  bool Write(StagedFiles* files, const char* name, const std::string& text) {
    return files->Write(
        directory_.File(name),
        [&text](std::FILE* file) { std::fputs(text.c_str(), file); }, &error_);
  }

  const TemporaryDirectory directory_;
  std::string error_;
};

TEST_F(StagedFilesTest, AppearTogetherWhenPublished) {
  StagedFiles files;
  ASSERT_TRUE(Write(&files, "a", "first"));
  ASSERT_TRUE(Write(&files, "b", "second"));
  EXPECT_FALSE(std::filesystem::exists(directory_.File("a")));
  EXPECT_FALSE(std::filesystem::exists(directory_.File("b")));
  ASSERT_TRUE(files.Publish(&error_)) << error_;
  EXPECT_EQ(directory_.Read("a"), "first");
  EXPECT_EQ(directory_.Read("b"), "second");
  EXPECT_EQ(directory_.CountFiles(), 2) << "temporary files are left";
}

TEST_F(StagedFilesTest, ReplaceFilesOfTheSameName) {
  std::ofstream(directory_.File("a")) << "something older and longer";
  StagedFiles files;
  ASSERT_TRUE(Write(&files, "a", "new"));
  EXPECT_EQ(directory_.Read("a"), "something older and longer");
  ASSERT_TRUE(files.Publish(&error_)) << error_;
  EXPECT_EQ(directory_.Read("a"), "new");
}

TEST_F(StagedFilesTest, LeaveNothingWhenNotPublished) {
  {
    StagedFiles files;
    ASSERT_TRUE(Write(&files, "a", "first"));
    EXPECT_EQ(directory_.CountFiles(), 1);
  }
  EXPECT_EQ(directory_.CountFiles(), 0);
}

TEST_F(StagedFilesTest, NameThePathAndTheReason) {
  StagedFiles files;
  EXPECT_FALSE(Write(&files, "missing/a", "text"));
  EXPECT_THAT(error_, AllOf(HasSubstr(directory_.File("missing/a")),
                            HasSubstr("No such file or directory")));

  std::filesystem::create_directories(directory_.File("taken/by_a_directory"));
  ASSERT_TRUE(Write(&files, "taken", "text"));
  EXPECT_FALSE(files.Publish(&error_));
  EXPECT_THAT(error_, HasSubstr("Cannot write " + directory_.File("taken")));
}

#if defined(CERES_SYSTEM_POSIX)

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
    EXPECT_THAT(error_, AllOf(HasSubstr(directory_.File("b")),
                              HasSubstr("File too large")));
  }
  EXPECT_EQ(directory_.CountFiles(), 0);
}

#endif

}  // namespace
}  // namespace ceres::internal
