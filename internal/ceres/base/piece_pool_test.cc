// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/base/piece_pool.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

TEST(PiecePool, TakesTheFirstGapThatIsLargeEnough) {
  const LineArray<double> array(80);
  PiecePool<double> pool(array.data(), array.size());
  double* const a = pool.Take(16);
  double* const b = pool.Take(8);
  double* const c = pool.Take(24);
  EXPECT_EQ(b, a + 16);
  EXPECT_EQ(c, b + 8);
  pool.Give(a);
  EXPECT_EQ(pool.Take(17), c + 24) << "16 are not enough";
  EXPECT_EQ(pool.Take(5), a) << "whole cache lines";
  EXPECT_EQ(pool.Take(5), a + 8);
  EXPECT_EQ(pool.Take(0), nullptr);
}

TEST(PiecePool, GapsBesideEachOtherBecomeOne) {
  const LineArray<double> array(32);
  PiecePool<double> pool(array.data(), array.size());
  double* const a = pool.Take(8);
  double* const b = pool.Take(8);
  double* const c = pool.Take(8);
  double* const d = pool.Take(8);
  pool.Give(a);
  pool.Give(c);
  pool.Give(b);
  EXPECT_EQ(pool.Take(24), a);
  pool.Give(d);
  EXPECT_EQ(pool.Take(8), d);
  pool.Give(a);
  pool.Give(d);
  EXPECT_EQ(pool.Take(32), a);
}

TEST(PiecePool, PiecesNeverOverlap) {
  struct Piece {
    float* data;
    std::int64_t size;
    float value;
  };
  std::mt19937 random(1);
  std::uniform_int_distribution<int> any_size(1, 90);
  // Some lie apart.
  const LineArray<float> array(1000);
  PiecePool<float> pool(array.data(), array.size());
  std::vector<Piece> pieces;
  for (int i = 0; i < 3000; ++i) {
    if (pieces.size() < 30) {
      Piece piece = {nullptr, any_size(random), static_cast<float>(i)};
      piece.data = pool.Take(piece.size);
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(piece.data) % kCacheLine, 0);
      std::fill_n(piece.data, piece.size, piece.value);
      pieces.push_back(piece);
      if (i % 3 != 0) continue;
    }
    std::swap(pieces[random() % pieces.size()], pieces.back());
    const Piece& last = pieces.back();
    ASSERT_EQ(std::count(last.data, last.data + last.size, last.value),
              last.size);
    pool.Give(last.data);
    pieces.pop_back();
  }
}

}  // namespace
}  // namespace ceres::internal
