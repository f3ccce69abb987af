// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/minimizer/state_archive.h"

#include <vector>

#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

// A class with one function for both directions.
struct Kept {
  double number = 0.0;
  bool flag = false;
  double array[3] = {};
  std::vector<int> list;

  void TransferState(StateArchive* archive) {
    archive->Value(&number);
    archive->Value(&flag);
    archive->Array(array, 3);
    archive->List(&list);
  }
};

Kept Example() {
  Kept kept;
  kept.number = 0.1;
  kept.flag = true;
  kept.array[2] = -4.0;
  kept.list = {3, 1, 4, 1, 5};
  return kept;
}

std::vector<char> Write(Kept kept) {
  StateArchive archive;
  kept.TransferState(&archive);
  return archive.bytes();
}

TEST(StateArchive, ReadsWhatItWrote) {
  StateArchive archive(Write(Example()));
  Kept read;
  read.TransferState(&archive);
  EXPECT_TRUE(archive.is_complete());
  EXPECT_EQ(read.number, 0.1);
  EXPECT_TRUE(read.flag);
  EXPECT_EQ(read.array[2], -4.0);
  EXPECT_EQ(read.list, (std::vector<int>{3, 1, 4, 1, 5}));
}

TEST(StateArchive, IsIncompleteIfBytesAreMissingOrLeft) {
  const std::vector<char> bytes = Write(Example());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    StateArchive archive(
        std::vector<char>(bytes.begin(), bytes.begin() + size));
    Kept read;
    read.TransferState(&archive);
    EXPECT_FALSE(archive.is_complete()) << size << " bytes";
  }
  std::vector<char> longer = bytes;
  longer.push_back(0);
  StateArchive archive(longer);
  Kept read;
  read.TransferState(&archive);
  EXPECT_FALSE(archive.is_complete());
}

TEST(StateArchive, IsIncompleteIfAnArrayHasAnotherSize) {
  StateArchive written;
  double four[4] = {};
  written.Array(four, 4);
  StateArchive read(written.bytes());
  read.Array(four, 3);
  EXPECT_FALSE(read.is_complete());
}

// The size of a list says more than the archive can have.
TEST(StateArchive, ReadsNoListThatIsLongerThanItself) {
  StateArchive written;
  std::uint64_t size = ~std::uint64_t{0};
  written.Value(&size);
  StateArchive read(written.bytes());
  std::vector<double> list;
  read.List(&list);
  EXPECT_FALSE(read.is_complete());
  EXPECT_TRUE(list.empty());
}

}  // namespace
}  // namespace ceres::internal
