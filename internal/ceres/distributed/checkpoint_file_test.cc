// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/distributed/checkpoint_file.h"

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::HasSubstr;

std::string Path(const char* name) { return testing::TempDir() + name; }

std::string Bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void Write(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

std::string Read(const std::string& path) {
  CheckpointLabel label;
  std::vector<char> contents;
  return ReadCheckpointFile(path, &label, &contents);
}

CheckpointLabel SomeLabel() {
  CheckpointLabel label;
  label.rank = 2;
  label.num_ranks = 3;
  label.iteration = 40;
  label.structure = 5;
  label.start = 6;
  return label;
}

TEST(CheckpointFile, IsReadAsItWasWritten) {
  const std::string path = Path("written.ckp");
  const std::vector<char> contents = {'a', '\0', 'b'};
  ASSERT_EQ(WriteCheckpointFile(path, SomeLabel(), contents), "");
  CheckpointLabel label;
  std::vector<char> read;
  ASSERT_EQ(ReadCheckpointFile(path, &label, &read), "");
  EXPECT_EQ(read, contents);
  EXPECT_EQ(label.rank, 2);
  EXPECT_EQ(label.num_ranks, 3);
  EXPECT_EQ(label.iteration, 40);
  EXPECT_EQ(label.structure, 5u);
  EXPECT_EQ(label.start, 6u);
}

TEST(CheckpointFile, IsRefusedIfAnyByteDiffers) {
  const std::string path = Path("flipped.ckp");
  ASSERT_EQ(WriteCheckpointFile(path, SomeLabel(), {'x', 'y', 'z'}), "");
  const std::string bytes = Bytes(path);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string flipped = bytes;
    flipped[i] = static_cast<char>(flipped[i] ^ 4);
    Write(path, flipped);
    EXPECT_THAT(Read(path), HasSubstr(path)) << "byte " << i;
  }
  Write(path, bytes);
  EXPECT_EQ(Read(path), "");
}

TEST(CheckpointFile, IsRefusedIfItIsShorterOrLonger) {
  const std::string path = Path("short.ckp");
  ASSERT_EQ(WriteCheckpointFile(path, SomeLabel(), {'x', 'y', 'z'}), "");
  const std::string bytes = Bytes(path);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    Write(path, bytes.substr(0, size));
    EXPECT_NE(Read(path), "") << size << " bytes";
  }
  Write(path, bytes + "w");
  EXPECT_THAT(Read(path), HasSubstr("truncated or too long"));
}

TEST(CheckpointFile, OfAnotherKindIsNamed) {
  const std::string path = Path("foreign.txt");
  Write(path, std::string(1000, 'f'));
  EXPECT_THAT(Read(path), HasSubstr("no checkpoint of ceres::distributed"));
  EXPECT_THAT(Read(Path("absent.ckp")), HasSubstr("Cannot read"));
}

TEST(CheckpointFile, ThatCannotBeWrittenIsAnError) {
  const std::string path = Path("absent_directory/a.ckp");
  EXPECT_THAT(WriteCheckpointFile(path, SomeLabel(), {}),
              HasSubstr("absent_directory"));
}

}  // namespace
}  // namespace ceres::internal
