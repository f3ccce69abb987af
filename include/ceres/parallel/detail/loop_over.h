// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_DETAIL_LOOP_OVER_H_
#define CERES_PUBLIC_PARALLEL_DETAIL_LOOP_OVER_H_

#include <cstdint>
#include <iterator>
#include <type_traits>
#include <utility>

#include "ceres/parallel/detail/body.h"
#include "ceres/parallel/detail/run_loop.h"
#include "ceres/parallel/index_range.h"
#include "ceres/parallel/iterator_range.h"
#include "ceres/parallel/participant.h"
#include "ceres/parallel/range_2d.h"
#include "ceres/parallel/status.h"

// Loops over what ParallelFor accepts: indices, elements and rectangles. Each
// is a loop over indices.

namespace ceres::parallel::detail {

// What the bounds or the range of a loop stand for: a BasicIndexRange, an
// IteratorRange or a Range2d.
template <typename Begin, typename End>
auto RangeOf(Begin begin, End end) {
  if constexpr (std::is_integral_v<Begin>) {
    return LoopBounds(begin, end);
  } else {
    return IteratorRange<Begin>(begin, end);
  }
}
template <typename Container, IfContainer<Container> = 0>
auto RangeOf(Container& container) {
  return IteratorRange<ContainerIterator<Container>>(std::begin(container),
                                                     std::end(container));
}
template <typename Index>
BasicIndexRange<Index> RangeOf(const BasicIndexRange<Index>& range) {
  return range;
}
template <typename Index>
Range2d<Index> RangeOf(const Range2d<Index>& range) {
  return range;
}

// Conditions of overloads: types are bounds of a loop, or a type is a range.
template <typename Begin, typename End>
using IfBounds =
    std::enable_if_t<(std::is_integral_v<Begin> && std::is_integral_v<End>) ||
                         (std::is_same_v<Begin, End> && kIsRandomAccess<Begin>),
                     int>;
template <typename Range>
using IfRange =
    std::enable_if_t<!std::is_void_v<decltype(RangeOf(std::declval<Range&>()))>,
                     int>;

// --- Indices. ---

template <typename HostOf, typename Index, typename Body, typename Options>
inline Status LoopOver(const HostOf& host, const BasicIndexRange<Index>& bounds,
                       Body&& body, const Options& options) {
  if constexpr (CheckBody<Index, Body>()) {
    return ParallelForOnHost(host, bounds.begin, bounds.end,
                             std::forward<Body>(body), options);
  } else {
    return Status::kCompleted;
  }
}

// --- Pieces of a loop over indices, as parts of another range. ---

// The type in which the pieces of a loop hold a body: a const copy or a const
// reference if the body can be called through it, else a reference.
template <bool kIsConstBody, typename Body,
          typename Plain = std::remove_cv_t<std::remove_reference_t<Body>>>
using PassedBodyOf = std::conditional_t<
    kIsConstBody,
    std::conditional_t<kCopyBody<Body>, const Plain, const Plain&>,
    std::remove_reference_t<Body>&>;

// --- Elements. ---

// True if a body takes one of the four forms. They are tried in this order, as
// for indices.
template <typename Iterator, typename Body,
          typename Element = typename std::iterator_traits<Iterator>::reference>
inline constexpr bool kIsElementsBody = std::disjunction_v<
    std::is_invocable<Body&, Participant, Element>,
    std::is_invocable<Body&, Participant, IteratorRange<Iterator>>,
    std::is_invocable<Body&, Element>,
    std::is_invocable<Body&, IteratorRange<Iterator>>>;

// Runs a body for elements in the form that it takes.
template <typename Iterator, typename Body>
inline void RunElements(Body& body, int participant, Iterator first,
                        Iterator last) {
  using Element = typename std::iterator_traits<Iterator>::reference;
  using Range = IteratorRange<Iterator>;
  const Participant self(participant);
  if constexpr (std::is_invocable_v<Body&, Participant, Element>) {
    for (; first != last; ++first) body(self, *first);
  } else if constexpr (std::is_invocable_v<Body&, Participant, Range>) {
    body(self, Range(first, last));
  } else if constexpr (std::is_invocable_v<Body&, Element>) {
    for (; first != last; ++first) body(*first);
  } else {
    body(Range(first, last));
  }
}

// The body of the loop over offsets.
template <typename Iterator, typename Body>
struct ElementsBody {
  Body body;
  Iterator first;

  template <typename Offset>
  void operator()(int participant, BasicIndexRange<Offset> range) const {
    RunElements(body, participant, first + range.begin, first + range.end);
  }
};

template <typename HostOf, typename Iterator, typename Body, typename Options>
inline Status LoopOver(const HostOf& host, const IteratorRange<Iterator>& range,
                       Body&& body, const Options& options) {
  using Offset = typename std::iterator_traits<Iterator>::difference_type;
  using Element =
      std::decay_t<typename std::iterator_traits<Iterator>::reference>;
  using Plain = std::remove_cv_t<std::remove_reference_t<Body>>;
  constexpr bool kIsAmbiguous =
      std::conjunction_v<std::is_integral<Element>,
                         std::bool_constant<kTakesTwoIntegers<Element, Plain>>>;
  static_assert(!kIsAmbiguous,
                "a body of two integers for elements is ambiguous: write "
                "(Participant participant, int element)");
  constexpr bool kIsAccepted = kIsAmbiguous || kIsElementsBody<Iterator, Plain>;
  static_assert(kIsAccepted,
                "a body for elements takes (T& element), "
                "(IteratorRange<Iterator> range), "
                "(Participant participant, T& element) or "
                "(Participant participant, IteratorRange<Iterator> range)");
  if constexpr (kIsAccepted && !kIsAmbiguous) {
    using PassedBody =
        PassedBodyOf<kIsElementsBody<Iterator, const Plain>, Body>;
    return ParallelForOnHost(
        host, Offset{0}, static_cast<Offset>(range.end() - range.begin()),
        ElementsBody<Iterator, PassedBody>{body, range.begin()}, options);
  } else {
    return Status::kCompleted;
  }
}

// --- Rectangles. ---

template <typename Index, typename Body>
inline constexpr bool kIsBody2d = std::disjunction_v<
    std::is_invocable<Body&, Participant, Index, Index>,
    std::is_invocable<Body&, Participant, BasicIndexRange<Index>,
                      BasicIndexRange<Index>>,
    std::is_invocable<Body&, Index, Index>,
    std::is_invocable<Body&, BasicIndexRange<Index>, BasicIndexRange<Index>>>;

// True if the body takes (int, int, int), perhaps without a participant.
template <typename Index, typename Body>
inline constexpr bool kTakesThreeIntegers =
    std::conjunction_v<std::bool_constant<kHasOneSignature<Body>>,
                       std::is_invocable<Body&, Participant, Index, Index>,
                       std::is_invocable<Body&, int, Index, Index>>;

// Runs a body for a rectangle in the form that it takes.
template <typename Index, typename Body>
inline void RunRectangle(Body& body, int participant,
                         const BasicIndexRange<Index>& rows,
                         const BasicIndexRange<Index>& columns) {
  using Range = BasicIndexRange<Index>;
  const auto for_each = [&](const auto& call) {
    for (Index row = rows.begin; row != rows.end; ++row) {
      for (Index column = columns.begin; column != columns.end; ++column) {
        call(row, column);
      }
    }
  };
  const Participant self(participant);
  if constexpr (std::is_invocable_v<Body&, Participant, Index, Index>) {
    for_each([&](Index row, Index column) { body(self, row, column); });
  } else if constexpr (std::is_invocable_v<Body&, Participant, Range, Range>) {
    body(self, rows, columns);
  } else if constexpr (std::is_invocable_v<Body&, Index, Index>) {
    for_each([&](Index row, Index column) { body(row, column); });
  } else {
    body(rows, columns);
  }
}

// The body of the loop over tiles, which are numbered row by row.
template <typename Index, typename Body>
struct TilesBody {
  Body body;
  Range2d<Index> range;

  void operator()(int participant, IndexRange tiles) const {
    const std::int64_t in_a_row = range.NumTileColumns();
    std::int64_t row = tiles.begin / in_a_row;
    std::int64_t column = tiles.begin % in_a_row;
    for (std::int64_t left = tiles.size(); left > 0; ++row) {
      // Tiles of one index form pieces of rows: no division for each index.
      const std::int64_t all =
          left < in_a_row - column ? left : in_a_row - column;
      const std::int64_t step = range.HasTiles() ? 1 : all;
      for (std::int64_t done = 0; done < all; done += step) {
        RunRectangle<Index>(body, participant, range.TileRows(row),
                            range.TileColumns(column + done, step));
      }
      left -= all;
      column = 0;
    }
  }
};

template <typename HostOf, typename Index, typename Body, typename Options>
inline Status LoopOver(const HostOf& host, const Range2d<Index>& range,
                       Body&& body, const Options& options) {
  using Plain = std::remove_cv_t<std::remove_reference_t<Body>>;
  constexpr bool kIsAmbiguous = kTakesThreeIntegers<Index, Plain>;
  static_assert(!kIsAmbiguous,
                "a body of three integers is ambiguous: write "
                "(Participant participant, int row, int column)");
  constexpr bool kIsAccepted = kIsAmbiguous || kIsBody2d<Index, Plain>;
  static_assert(kIsAccepted,
                "a body for a Range2d takes (int row, int column), "
                "(IndexRange rows, IndexRange columns), "
                "(Participant participant, int row, int column) or "
                "(Participant participant, IndexRange rows, IndexRange "
                "columns)");
  if constexpr (kIsAccepted && !kIsAmbiguous) {
    using PassedBody = PassedBodyOf<kIsBody2d<Index, const Plain>, Body>;
    return ParallelForOnHost(host, std::int64_t{0}, range.NumTiles(),
                             TilesBody<Index, PassedBody>{body, range},
                             options);
  } else {
    return Status::kCompleted;
  }
}

}  // namespace ceres::parallel::detail

#endif  // CERES_PUBLIC_PARALLEL_DETAIL_LOOP_OVER_H_
