// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/trace/trace_record.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "ceres/parallel/trace/trace_log.h"
#include "gtest/gtest.h"

namespace ceres::parallel::detail {

static bool operator==(const TraceRecord& a, const TraceRecord& b) {
  return a.kind == b.kind && a.begin == b.begin && a.id == b.id &&
         a.other == b.other && a.value == b.value;
}

namespace {

constexpr std::uint64_t kNode = 0x7f12345678c0;  // An address as of a task.
constexpr base::Ticks kStart = base::Ticks{1} << 50;

TraceRecord Task(base::Ticks begin, std::uint64_t duration,
                 std::uint64_t id = kNode, std::uint64_t set = 7) {
  return {TraceKind::kTask, begin, id, set, duration};
}
TraceRecord Piece(base::Ticks begin, std::uint64_t duration,
                  std::uint64_t blocks) {
  return {TraceKind::kPiece, begin, 8, blocks, duration};
}
TraceRecord Spawn(base::Ticks at, std::uint64_t id = kNode,
                  std::uint64_t set = 7, std::uint64_t name = 0x1234) {
  return {TraceKind::kSpawn, at, id, set, name};
}

// How many words the second record takes after the first; and both are read as
// they were written.
int WordsAfter(const TraceRecord& first, const TraceRecord& second) {
  std::array<std::uint64_t, 2 * TraceRecordCoder::kMaxWords> words;
  TraceRecordCoder writer;
  std::uint64_t* const between = writer.Encode(first, words.data());
  std::uint64_t* const end = writer.Encode(second, between);
  TraceRecordCoder reader;
  TraceRecord read = {};
  EXPECT_EQ(reader.Decode(words.data(), &read), between);
  EXPECT_TRUE(read == first);
  EXPECT_NE(*between, TraceRecordCoder::kNoRecord);
  EXPECT_EQ(reader.Decode(between, &read), end);
  EXPECT_TRUE(read == second);
  return static_cast<int>(end - between);
}

TEST(TraceRecord, TasksThatFollowOneAnotherTakeAWord) {
  const TraceRecord first = Task(kStart, 1000000);
  const base::Ticks next = kStart + 1000000;
  EXPECT_EQ(WordsAfter(first, Task(next, 0)), 1);
  EXPECT_EQ(WordsAfter(first, Task(next, 65535, 0xfffffffffff0)), 1);
  EXPECT_EQ(WordsAfter(first, Task(next, 65536)), 4);
  EXPECT_EQ(WordsAfter(first, Task(next + 1, 5)), 4);
  EXPECT_EQ(WordsAfter(first, Task(next - 1, 5)), 4);
  EXPECT_EQ(WordsAfter(first, Task(next, 5, kNode, 8)), 4);
}

TEST(TraceRecord, AddressesThatDoNotFitAreKeptWhole) {
  const TraceRecord first = Task(kStart, 10);
  for (const std::uint64_t id :
       {kNode + 1, kNode + 8, kNode + 15, kNode + (std::uint64_t{1} << 48),
        ~std::uint64_t{0}, std::uint64_t{1} << 63}) {
    EXPECT_EQ(WordsAfter(first, Task(kStart + 10, 5, id)), 4) << id;
    EXPECT_EQ(WordsAfter(Spawn(kStart), Spawn(kStart, id)), 4) << id;
  }
}

TEST(TraceRecord, PiecesThatFollowOneAnotherTakeAWord) {
  const TraceRecord first = Piece(kStart, 10, 3);
  EXPECT_EQ(WordsAfter(first, Piece(kStart + 10, 5, 1 << 30)), 1);
  EXPECT_EQ(WordsAfter(first, Piece(kStart + 10, 5, std::uint64_t{1} << 44)),
            4);
  EXPECT_EQ(WordsAfter(first, Piece(kStart + 11, 5, 1)), 4);
  EXPECT_EQ(WordsAfter(first, Task(kStart + 10, 5)), 4);
}

TEST(TraceRecord, SpawnsThatFollowOneAnotherTakeAWord) {
  const TraceRecord first = Spawn(kStart);
  EXPECT_EQ(WordsAfter(first, Spawn(kStart)), 1);
  EXPECT_EQ(WordsAfter(first, Spawn(kStart + 65535, 64)), 1);
  EXPECT_EQ(WordsAfter(first, Spawn(kStart + 65536)), 4);
  EXPECT_EQ(WordsAfter(first, Spawn(kStart - 1)), 4);
  EXPECT_EQ(WordsAfter(first, Spawn(kStart, kNode, 8)), 4);
  EXPECT_EQ(WordsAfter(first, Spawn(kStart, kNode, 7, 0)), 4);
}

// Random walks through all kinds, in which most records follow others.
std::vector<TraceRecord> RandomRecords(int count) {
  std::mt19937 random(1);
  const auto below = [&random](unsigned n) { return random() % n; };
  std::vector<TraceRecord> records;
  base::Ticks slice_end = kStart;
  base::Ticks spawned = kStart;
  for (int k = 0; k < count; ++k) {
    TraceRecord record = {};
    const bool is_rare = below(16) == 0;
    record.kind = static_cast<TraceKind>(
        is_rare ? below(static_cast<int>(TraceKind::kWakeArrived) + 1)
                : (below(2) == 0 ? static_cast<int>(TraceKind::kTask)
                                 : static_cast<int>(TraceKind::kSpawn)));
    record.id = kNode + 16 * below(1000) + (below(50) == 0 ? 1 : 0);
    record.other = 1 + below(100) / 99;
    if (record.kind < TraceKind::kSpawn) {
      record.begin = slice_end + (below(20) == 0 ? 1 : 0);
      record.value = below(66000);
      slice_end = record.begin + static_cast<base::Ticks>(record.value);
    } else {
      spawned += below(66000);
      record.begin = spawned;
      record.value = below(30) == 0 ? 0x99 : 0;
    }
    records.push_back(record);
  }
  return records;
}

TEST(TraceLog, AllRecordsAreReadAsTheyWereWrittenHoweverManyAreAllowed) {
  const std::vector<TraceRecord> records = RandomRecords(50000);
  for (const std::size_t capacity :
       {std::size_t{0}, std::size_t{1}, std::size_t{4091}, std::size_t{20000},
        std::size_t{50000}, std::size_t{1} << 20}) {
    TraceLog log(capacity, kStart);
    for (const TraceRecord& record : records) log.Append(record);
    const std::size_t kept = std::min(capacity, records.size());
    EXPECT_EQ(log.size(), kept);
    EXPECT_EQ(log.dropped(), records.size() - kept);
    std::size_t read = 0;
    log.ForEach([&](const TraceRecord& record) {
      ASSERT_TRUE(record == records[read]) << read;
      ++read;
    });
    EXPECT_EQ(read, kept);
  }
}

TEST(TraceLog, TheShortWayWritesTheSame) {
  const std::vector<TraceRecord> records = RandomRecords(50000);
  TraceLog log(40000, kStart);
  int num_short = 0;
  for (const TraceRecord& r : records) {
    const base::Ticks end = r.begin + static_cast<base::Ticks>(r.value);
    const bool done = (r.kind == TraceKind::kTask &&
                       log.AppendShortTask(r.begin, end, r.id, r.other)) ||
                      (r.kind == TraceKind::kSpawn &&
                       log.AppendShortSpawn(r.begin, r.id, r.other, r.value));
    if (!done) log.Append(r);
    num_short += done ? 1 : 0;
  }
  EXPECT_GT(num_short, 20000);
  EXPECT_EQ(log.size(), 40000u);
  EXPECT_EQ(log.dropped(), 10000u);
  std::size_t read = 0;
  log.ForEach([&](const TraceRecord& record) {
    ASSERT_TRUE(record == records[read]) << read;
    ++read;
  });
}

TEST(TraceLog, WhatBeganBeforeTheTraceIsLeftOut) {
  TraceLog log(10, kStart);
  log.Append(Task(kStart - 1, 10));
  log.Append(Spawn(kStart - 1));
  EXPECT_FALSE(log.AppendShortTask(kStart + 9, kStart + 10, kNode, 7));
  EXPECT_EQ(log.size(), 0u);
  log.Append(Task(kStart, 10));
  EXPECT_TRUE(log.AppendShortTask(kStart + 10, kStart + 11, kNode, 7));
  EXPECT_FALSE(log.AppendShortSpawn(kStart, kNode, 7, 0x1234));
  EXPECT_EQ(log.size(), 2u);
}

}  // namespace
}  // namespace ceres::parallel::detail
