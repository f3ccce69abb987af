// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_PARALLEL_SUM_H_
#define CERES_PUBLIC_PARALLEL_PARALLEL_SUM_H_

#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <type_traits>
#include <utility>

#include "ceres/parallel/iterator_range.h"
#include "ceres/parallel/parallel_reduce.h"

// Sums, products, minima and maxima of the elements of a range or a container,
// or of their projections. In all forms:
//
//   ParallelSum([host,] first, last, [projection, [options]])
//   ParallelSum([host,] container, [projection, [options]])
//
// host: a ThreadPool or any other Executor; without one, ThreadPool::Default().
// first, last: random-access iterators. projection: (element) -> value, called
// once for each element, by several threads at once; {} for none. Same bits for
// every number of threads: see ReduceOptions.

namespace ceres::parallel {

// The projection that leaves elements as they are.
struct IdentityProjection {
  // Returns its argument.
  template <typename T>
  constexpr T&& operator()(T&& value) const noexcept {
    return std::forward<T>(value);
  }
};

namespace detail {

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

// The type in which sums and products are computed: T, or int for narrower
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
                                  const ReduceOptions& options) {
  std::optional<T> result;
  const std::int64_t n = static_cast<std::int64_t>(last - first);
  if (n <= 0) return result;
  const int blocks = NumReduceBlocks(n, grain);
  MapBlocksInOrder<T>(
      host, blocks, n,
      [&](int k) -> T {
        const IndexRange block = ReduceBlock(std::int64_t{0}, n, blocks, k);
        return fold(IteratorAt(first, block.begin),
                    IteratorAt(first, block.end));
      },
      [&](T&& partial) {
        if (result.has_value()) {
          result.emplace(
              static_cast<T>(combine(*std::move(result), std::move(partial))));
        } else {
          result.emplace(std::move(partial));
        }
      },
      LoopOptionsOf(options));
  return result;
}

// Numbers without a projection take little time, so their grain is larger.
template <typename T, typename Projection>
std::int64_t ProjectionGrain(const ReduceOptions& options) {
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
                            const ReduceOptions& options) {
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
                  const ReduceOptions& options) const {
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

struct ProductOf {
  template <typename HostOf, typename Iterator, typename Projection>
  auto operator()(const HostOf& host, Iterator first, Iterator last,
                  const Projection& projection,
                  const ReduceOptions& options) const {
    using T = Accumulator<Iterator, Projection>;
    return FoldOnHost<T>(host, first, last, projection, std::multiplies<>(),
                         options)
        .value_or(T(1));
  }
};

struct MinOf {
  template <typename HostOf, typename Iterator, typename Projection>
  auto operator()(const HostOf& host, Iterator first, Iterator last,
                  const Projection& projection,
                  const ReduceOptions& options) const {
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
                  const ReduceOptions& options) const {
    using T = Projected<Iterator, Projection>;
    const auto larger = [](T a, T b) -> T {
      return a < b ? std::move(b) : std::move(a);
    };
    return FoldOnHost<T>(host, first, last, projection, larger, options);
  }
};

// The overloads of ParallelSum, ParallelProduct, ParallelMin or ParallelMax, as
// a function object.
template <typename Reduction>
struct ElementReduction {
  template <typename Host, typename Iterator,
            typename Projection = IdentityProjection, IfHost<Host> = 0,
            IfRandomAccess<Iterator> = 0>
  auto operator()(Host& host, Iterator first, Iterator last,
                  const Projection& projection = {},
                  const ReduceOptions& options = {}) const {
    return Reduction()(HostReference<Host>{host}, first, last, projection,
                       options);
  }

  template <typename Host, typename Container,
            typename Projection = IdentityProjection, IfHost<Host> = 0,
            IfContainer<Container> = 0>
  auto operator()(Host& host, Container&& container,
                  const Projection& projection = {},
                  const ReduceOptions& options = {}) const {
    return Reduction()(HostReference<Host>{host}, std::begin(container),
                       std::end(container), projection, options);
  }

  template <typename Iterator, typename Projection = IdentityProjection,
            IfRandomAccess<Iterator> = 0>
  auto operator()(Iterator first, Iterator last,
                  const Projection& projection = {},
                  const ReduceOptions& options = {}) const {
    return Reduction()(DefaultHost(), first, last, projection, options);
  }

  template <typename Container, typename Projection = IdentityProjection,
            IfContainer<Container> = 0>
  auto operator()(Container&& container, const Projection& projection = {},
                  const ReduceOptions& options = {}) const {
    return Reduction()(DefaultHost(), std::begin(container),
                       std::end(container), projection, options);
  }
};

}  // namespace detail

// The sum, of the type of a + b for numbers (int for narrower ones), else of
// the type of an element. An empty range gives T(). Numbers are added in four
// lanes per block. For other types, addition must be associative.
//
//   double squares = ParallelSum(pool, v, [](double x) { return x * x; });
inline constexpr detail::ElementReduction<detail::SumOf> ParallelSum;

// The product, of the same type. An empty range gives T(1).
inline constexpr detail::ElementReduction<detail::ProductOf> ParallelProduct;

// The smallest and the largest value by operator<, the first of several equal
// ones, as std::optional: without a value for an empty range. If some values
// are not comparable (NaN), the result is one of the values, and is the same
// for every number of threads.
//
//   std::optional<double> nearest =
//       ParallelMin(pool, points, &Point::distance);
inline constexpr detail::ElementReduction<detail::MinOf> ParallelMin;
inline constexpr detail::ElementReduction<detail::MaxOf> ParallelMax;

}  // namespace ceres::parallel

#endif  // CERES_PUBLIC_PARALLEL_PARALLEL_SUM_H_
