// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_DETAIL_FOLD_H_
#define CERES_PUBLIC_PARALLEL_DETAIL_FOLD_H_

#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <type_traits>
#include <utility>

#include "ceres/parallel/detail/reduce_blocks.h"
#include "ceres/parallel/detail/reduce_elements.h"
#include "ceres/parallel/index_range.h"
#include "ceres/parallel/iterator_range.h"
#include "ceres/parallel/loop_options.h"

// Sums, minima and maxima of projections of elements, in blocks.

namespace ceres::parallel::detail {

// The projection that leaves elements as they are.
struct IdentityProjection {
  // Returns its argument.
  template <typename T>
  constexpr T&& operator()(T&& value) const noexcept {
    return std::forward<T>(value);
  }
};

// The type of the projection of an element. A reference to an element may be an
// object, as in std::vector<bool>; one that is passed on stands for the
// element.
template <typename Iterator, typename Projection,
          typename Traits = std::iterator_traits<Iterator>,
          typename Result = std::decay_t<std::invoke_result_t<
              const Projection&, typename Traits::reference>>>
using Projected = std::conditional_t<
    std::is_same_v<Result, std::decay_t<typename Traits::reference>>,
    std::remove_cv_t<typename Traits::value_type>, Result>;

// The type in which sums are computed: T, or int for narrower
// numbers.
template <typename T, bool is_number = std::is_arithmetic_v<T>>
struct AccumulatorOf {
  using Type = T;
};
template <typename T>
struct AccumulatorOf<T, true> {
  using Type = decltype(std::declval<T>() + std::declval<T>());
};
template <typename Iterator, typename Projection>
using Accumulator =
    typename AccumulatorOf<Projected<Iterator, Projection>>::Type;

// Combines the elements from the first one on, one after the other.
template <typename T, typename Iterator, typename Projection, typename Combine>
T FoldProjected(Iterator first, Iterator last, const Projection& projection,
                const Combine& combine) {
  T result = static_cast<T>(std::invoke(projection, *first));
  for (++first; first != last; ++first) {
    result = static_cast<T>(combine(
        std::move(result), static_cast<T>(std::invoke(projection, *first))));
  }
  return result;
}

// Four sums, element i in sum i % 4. A single sum would wait for the latency of
// an addition at each element.
template <typename T, typename Iterator, typename Projection>
T SumNumbers(Iterator first, Iterator last, const Projection& projection) {
  T sums[4] = {};
  const std::int64_t n = static_cast<std::int64_t>(last - first);
  std::int64_t i = 0;
  for (; i + 4 <= n; i += 4) {
    for (int lane = 0; lane < 4; ++lane) {
      sums[lane] +=
          static_cast<T>(std::invoke(projection, *IteratorAt(first, i + lane)));
    }
  }
  for (int lane = 0; i < n; ++i, ++lane) {
    sums[lane] +=
        static_cast<T>(std::invoke(projection, *IteratorAt(first, i)));
  }
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// fold(first, last) of each block, which is not empty, combined in order.
template <typename T, typename HostOf, typename Iterator, typename Fold,
          typename Combine>
std::optional<T> FoldBlocksOnHost(const HostOf& host, Iterator first,
                                  Iterator last, const Fold& fold,
                                  const Combine& combine, std::int64_t grain,
                                  const LoopOptions& options) {
  const std::int64_t n = static_cast<std::int64_t>(last - first);
  if (n <= 0) return std::nullopt;
  const int blocks = NumReduceBlocks(n, grain);
  const ReduceBlocks<std::int64_t> ranges(0, n, blocks);
  return MapBlocksInOrder<T>(
      host, blocks, n,
      [&](int k) -> T {
        const IndexRange block = ranges[k];
        return fold(IteratorAt(first, block.begin),
                    IteratorAt(first, block.end));
      },
      std::optional<T>(),
      [&](std::optional<T>& result, T&& partial) {
        if (result.has_value()) {
          result.emplace(
              static_cast<T>(combine(std::move(*result), std::move(partial))));
        } else {
          result.emplace(std::move(partial));
        }
      },
      BlockOptions(options));
}

// Numbers without a projection take little time, so their grain is larger.
template <typename T, typename Projection>
std::int64_t ProjectionGrain(const LoopOptions& options) {
  if constexpr (std::is_same_v<Projection, IdentityProjection>) {
    return ElementGrain<T>(options);
  }
  return options.grain;
}

template <typename T, typename HostOf, typename Iterator, typename Projection,
          typename Combine>
std::optional<T> FoldOnHost(const HostOf& host, Iterator first, Iterator last,
                            const Projection& projection,
                            const Combine& combine,
                            const LoopOptions& options) {
  return FoldBlocksOnHost<T>(
      host, first, last,
      [&](Iterator begin, Iterator end) {
        return FoldProjected<T>(begin, end, projection, combine);
      },
      combine, ProjectionGrain<T, Projection>(options), options);
}

struct SumOf {
  template <typename HostOf, typename Iterator, typename Projection>
  auto operator()(const HostOf& host, Iterator first, Iterator last,
                  const Projection& projection,
                  const LoopOptions& options) const {
    using T = Accumulator<Iterator, Projection>;
    if constexpr (std::is_arithmetic_v<T>) {
      return FoldBlocksOnHost<T>(
                 host, first, last,
                 [&](Iterator begin, Iterator end) {
                   return SumNumbers<T>(begin, end, projection);
                 },
                 std::plus<T>(), ProjectionGrain<T, Projection>(options),
                 options)
          .value_or(T());
    } else {
      return FoldOnHost<T>(host, first, last, projection, std::plus<>(),
                           options)
          .value_or(T());
    }
  }
};

struct MinOf {
  template <typename HostOf, typename Iterator, typename Projection>
  auto operator()(const HostOf& host, Iterator first, Iterator last,
                  const Projection& projection,
                  const LoopOptions& options) const {
    using T = Projected<Iterator, Projection>;
    const auto smaller = [](T a, T b) -> T {
      return b < a ? std::move(b) : std::move(a);
    };
    return FoldOnHost<T>(host, first, last, projection, smaller, options);
  }
};

struct MaxOf {
  template <typename HostOf, typename Iterator, typename Projection>
  auto operator()(const HostOf& host, Iterator first, Iterator last,
                  const Projection& projection,
                  const LoopOptions& options) const {
    using T = Projected<Iterator, Projection>;
    const auto larger = [](T a, T b) -> T {
      return a < b ? std::move(b) : std::move(a);
    };
    return FoldOnHost<T>(host, first, last, projection, larger, options);
  }
};

}  // namespace ceres::parallel::detail

#endif  // CERES_PUBLIC_PARALLEL_DETAIL_FOLD_H_
