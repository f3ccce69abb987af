// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_PARALLEL_FOR_BY_COST_H_
#define CERES_PUBLIC_PARALLEL_PARALLEL_FOR_BY_COST_H_

#include <cstdint>
#include <type_traits>
#include <utility>

#include "ceres/parallel/parallel_for.h"

namespace ceres::parallel {

namespace detail {

inline constexpr int kCostPiecesPerThread = 8;

// The number of pieces into which ParallelForByCost cuts a loop.
inline int NumCostPieces(std::int64_t n, int num_threads) {
  const std::int64_t pieces =
      std::int64_t{kCostPiecesPerThread} * (num_threads > 1 ? num_threads : 1);
  return static_cast<int>(n < pieces ? n : pieces);
}

// True for containers. Pointers and iterators have no size_type, and take
// negative indices.
template <typename T, typename = void>
inline constexpr bool kHasSizeType = false;
template <typename T>
inline constexpr bool kHasSizeType<T, std::void_t<typename T::size_type>> =
    true;

// A range of indices cut into pieces of about equal cost.
template <typename Index, typename CumulativeCost>
class CostCut {
 public:
  CostCut(Index begin, std::int64_t n, int pieces, const CumulativeCost& cost)
      : begin_(begin),
        n_(n),
        pieces_(pieces),
        cost_(cost),
        first_cost_(CostBefore(0)),
        total_cost_(CostBefore(n) - first_cost_) {}

  int pieces() const { return pieces_; }

  // May be empty.
  BasicIndexRange<Index> Piece(int p) const {
    return {IndexAt(begin_, Boundary(p)), IndexAt(begin_, Boundary(p + 1))};
  }

 private:
  // The cost of the indices before begin_ + i.
  double CostBefore(std::int64_t i) const {
    const Index index = IndexAt(begin_, i);
    if constexpr (std::is_invocable_v<const CumulativeCost&, Index>) {
      return static_cast<double>(cost_(index));
    } else if constexpr (kHasSizeType<CumulativeCost>) {
      using Position = typename CumulativeCost::size_type;
      return static_cast<double>(cost_[static_cast<Position>(index)]);
    } else {
      return static_cast<double>(cost_[index]);
    }
  }

  // Piece p begins at the first index before which at least p / pieces of the
  // cost lies. An index that costs more than a piece leaves other pieces empty.
  std::int64_t Boundary(int p) const {
    if (p == 0) return 0;
    if (p == pieces_) return n_;
    if (!(total_cost_ > 0.0)) return n_ / pieces_ * p;
    const double target = first_cost_ + total_cost_ * p / pieces_;
    std::int64_t low = 0;
    std::int64_t high = n_;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (CostBefore(middle) < target) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  const Index begin_;
  const std::int64_t n_;
  const int pieces_;
  const CumulativeCost& cost_;
  const double first_cost_;
  const double total_cost_;
};

// options: LoopOptions or LoopSettings of the loop over the pieces, with
// max_threads > 0, for which the pieces are cut.
template <typename Index, typename HostOf, typename CumulativeCost,
          typename Body, typename Options>
Status ParallelForByCostOnHost(const HostOf& host, Index begin, Index end,
                               const CumulativeCost& cumulative_cost,
                               Body& body, const Options& options) {
  if (begin >= end) return Status::kCompleted;
  const std::int64_t n = LoopLength(begin, end);
  const CostCut<Index, CumulativeCost> cut(
      begin, n, NumCostPieces(n, options.max_threads), cumulative_cost);
  return ParallelForOnHost(
      host, 0, cut.pieces(),
      [&cut, &body](int participant, int p) {
        const BasicIndexRange<Index> piece = cut.Piece(p);
        if (!piece.empty()) {
          RunBody<Index>(body, participant, piece.begin, piece.end);
        }
      },
      options, n);
}

}  // namespace detail

// ParallelFor for indices with different, known costs. Cuts [begin, end) into
// pieces of about equal cost, 8 per thread, which threads claim one after the
// other.
//
// cumulative_cost gives the cost of all indices before i, for i in [begin, end]
// (the end included), as cumulative_cost(i) or cumulative_cost[i]: index i
// costs the difference of entries i + 1 and i, in any unit. It must not
// decrease; the cost of the first index need not be 0. (The row starts of a
// compressed sparse matrix are such an array.) A callable is called some 20
// times per piece, by several threads at once.
//
// The body and the result are as in ParallelFor. options.grain and
// options.schedule have no effect. The token is checked before each piece.
//
//   ParallelForByCost(pool, 0, rows, row_starts.data(), [&](int row) { ... });
template <typename Host, typename Begin, typename End, typename CumulativeCost,
          typename Body, detail::IfHost<Host> = 0,
          detail::IfIntegers<Begin, End> = 0>
Status ParallelForByCost(Host& host, Begin begin, End end,
                         const CumulativeCost& cumulative_cost, Body&& body,
                         const LoopOptions& options = {}) {
  const auto bounds = detail::LoopBounds(begin, end);
  LoopOptions piece_options;
  piece_options.max_threads =
      options.max_threads > 0 ? options.max_threads : host.MaxConcurrency();
  piece_options.token = options.token;
  piece_options.name = options.name;
  if constexpr (detail::CheckBody<std::common_type_t<Begin, End>, Body>()) {
    return detail::ParallelForByCostOnHost(
        detail::HostReference<Host>{host}, bounds.begin, bounds.end,
        cumulative_cost, body, piece_options);
  } else {
    return Status::kCompleted;
  }
}

// ParallelForByCost on ThreadPool::Default().
template <typename Begin, typename End, typename CumulativeCost, typename Body,
          detail::IfIntegers<Begin, End> = 0>
Status ParallelForByCost(Begin begin, End end,
                         const CumulativeCost& cumulative_cost, Body&& body,
                         const LoopOptions& options = {}) {
  return ParallelForByCost(ThreadPool::Default(), begin, end, cumulative_cost,
                           std::forward<Body>(body), options);
}

}  // namespace ceres::parallel

#endif  // CERES_PUBLIC_PARALLEL_PARALLEL_FOR_BY_COST_H_
