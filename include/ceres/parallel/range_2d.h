// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_RANGE_2D_H_
#define CERES_PUBLIC_PARALLEL_RANGE_2D_H_

#include <cstdint>

#include "ceres/parallel/detail/language.h"
#include "ceres/parallel/detail/loop.h"
#include "ceres/parallel/index_range.h"

namespace ceres::parallel {

// The pairs (row, column) of two ranges of indices, for ParallelFor:
//
//   ParallelFor(pool, Range2d(m, n), [&](int row, int column) { ... });
//   ParallelFor(pool, Range2d(m, n).Tiled(64, 64),
//               [&](IndexRange rows, IndexRange columns) { ... });
//
// Without Tiled, the loop runs over all pairs, row by row, and a piece is a
// part of one row. With Tiled, it runs over tiles, so that a thread finds rows
// and columns in its cache; LoopOptions::grain then counts tiles. A value.
template <typename Index>
class Range2d {
 public:
  // [0, num_rows) x [0, num_columns). A negative number counts as 0.
  constexpr Range2d(Index num_rows, Index num_columns)
      : Range2d(BasicIndexRange<Index>(0, num_rows),
                BasicIndexRange<Index>(0, num_columns)) {}
  // The product of two ranges.
  constexpr Range2d(BasicIndexRange<Index> rows, BasicIndexRange<Index> columns)
      : rows_(rows), columns_(columns) {}

  // Returns this range, cut into tiles of this number of rows and columns, from
  // the first row and column on; the last ones may be smaller. Numbers below 1
  // count as 1.
  constexpr Range2d Tiled(std::int64_t tile_rows,
                          std::int64_t tile_columns) const {
    Range2d tiled = *this;
    tiled.tile_rows_ = tile_rows > 1 ? tile_rows : 1;
    tiled.tile_columns_ = tile_columns > 1 ? tile_columns : 1;
    return tiled;
  }

  // The two ranges.
  constexpr BasicIndexRange<Index> rows() const { return rows_; }
  constexpr BasicIndexRange<Index> columns() const { return columns_; }

  // Returns whether a tile is more than one pair.
  constexpr bool HasTiles() const {
    return tile_rows_ > 1 || tile_columns_ > 1;
  }
  // The number of tiles side by side, and in all. Without tiles, each pair is
  // one. Throw std::length_error above 2^63 - 1.
  std::int64_t NumTileColumns() const {
    return NumTilesOf(columns_, tile_columns_);
  }
  std::int64_t NumTiles() const {
    const std::int64_t down = NumTilesOf(rows_, tile_rows_);
    const std::int64_t across = NumTileColumns();
    if (across != 0 && down > kMaxTiles / across) detail::ThrowRangeTooLong();
    return down * across;
  }
  // The rows of tiles in row i of tiles, and the columns of `count` tiles from
  // tile k on.
  BasicIndexRange<Index> TileRows(std::int64_t i) const {
    return Part(rows_, tile_rows_, i, 1);
  }
  BasicIndexRange<Index> TileColumns(std::int64_t k, std::int64_t count) const {
    return Part(columns_, tile_columns_, k, count);
  }

 private:
  static constexpr std::int64_t kMaxTiles = INT64_MAX;

  static std::int64_t LengthOf(const BasicIndexRange<Index>& range) {
    return range.empty() ? 0 : detail::LoopLength(range.begin, range.end);
  }
  static std::int64_t NumTilesOf(const BasicIndexRange<Index>& range,
                                 std::int64_t tile) {
    const std::int64_t length = LengthOf(range);
    return length / tile + (length % tile != 0 ? 1 : 0);
  }
  static BasicIndexRange<Index> Part(const BasicIndexRange<Index>& range,
                                     std::int64_t tile, std::int64_t first,
                                     std::int64_t count) {
    const std::int64_t begin = first * tile;
    const std::int64_t left = LengthOf(range) - begin;
    // count * tile may overflow only if it is more than what is left.
    const bool is_last = count > left / tile;
    return {detail::IndexAt(range.begin, begin),
            is_last ? range.end
                    : detail::IndexAt(range.begin, begin + count * tile)};
  }

  BasicIndexRange<Index> rows_;
  BasicIndexRange<Index> columns_;
  std::int64_t tile_rows_ = 1;
  std::int64_t tile_columns_ = 1;
};

}  // namespace ceres::parallel

#endif  // CERES_PUBLIC_PARALLEL_RANGE_2D_H_
