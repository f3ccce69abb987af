// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_DETAIL_COST_CUT_H_
#define CERES_PUBLIC_PARALLEL_DETAIL_COST_CUT_H_

#include <cstdint>
#include <type_traits>

#include "ceres/parallel/detail/body.h"
#include "ceres/parallel/detail/run_loop.h"
#include "ceres/parallel/index_range.h"
#include "ceres/parallel/status.h"

// Loops over pieces of about equal cost.

namespace ceres::parallel::detail {

inline constexpr int kCostPiecesPerThread = 8;

// The number of pieces into which ParallelForByCost cuts a loop: at most one
// for each `grain` indices.
inline int NumCostPieces(std::int64_t n, int num_threads, std::int64_t grain) {
  const std::int64_t pieces =
      std::int64_t{kCostPiecesPerThread} * (num_threads > 1 ? num_threads : 1);
  const std::int64_t most = grain > 1 ? n / grain : n;
  if (most < 1) return 1;
  return static_cast<int>(most < pieces ? most : pieces);
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
// max_threads > 0, for which the pieces are cut. grain: see NumCostPieces.
template <typename Index, typename HostOf, typename CumulativeCost,
          typename Body, typename Options>
Status ParallelForByCostOnHost(const HostOf& host, Index begin, Index end,
                               const CumulativeCost& cumulative_cost,
                               Body& body, std::int64_t grain,
                               const Options& options) {
  if (begin >= end) return Status::kCompleted;
  const std::int64_t n = LoopLength(begin, end);
  const CostCut<Index, CumulativeCost> cut(
      begin, n, NumCostPieces(n, options.max_threads, grain), cumulative_cost);
  return ParallelForOnHost(
      host, 0, cut.pieces(),
      [&cut, &body](int participant, int p) {
        const BasicIndexRange<Index> piece = cut.Piece(p);
        if (!piece.empty()) {
          RunBody<Index>(body, participant, piece.begin, piece.end);
        }
      },
      options, n,
      [&](const auto& /*pieces*/, int, int) {
        RunBody<Index>(body, 0, begin, end);
      });
}

}  // namespace ceres::parallel::detail

#endif  // CERES_PUBLIC_PARALLEL_DETAIL_COST_CUT_H_
