// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_DETAIL_BODY_H_
#define CERES_PUBLIC_PARALLEL_DETAIL_BODY_H_

#include <cstdint>
#include <type_traits>

#include "ceres/parallel/index_range.h"

// The four forms of a loop's body, and its type-erased form.

namespace ceres::parallel::detail {

// Runs `body` over [begin, end) in the form that it takes. Looked for in this
// order: (participant, index), (participant, range), (index), (range).
template <typename Index, typename Body>
inline void RunBody(Body& body, int participant, Index begin, Index end) {
  using Range = BasicIndexRange<Index>;
  if constexpr (std::is_invocable_v<Body&, int, Index>) {
    for (Index i = begin; i != end; ++i) body(participant, i);
  } else if constexpr (std::is_invocable_v<Body&, int, Range>) {
    body(participant, Range(begin, end));
  } else if constexpr (std::is_invocable_v<Body&, Index>) {
    for (Index i = begin; i != end; ++i) body(i);
  } else {
    static_assert(std::is_invocable_v<Body&, Range>,
                  "a body takes (index), (range), (participant, index) or "
                  "(participant, range)");
    body(Range(begin, end));
  }
}

// The index `distance` behind `begin`. Right also where the distance does not
// fit a signed Index: unsigned sums wrap around.
template <typename Index>
constexpr Index IndexAt(Index begin, std::int64_t distance) {
  return static_cast<Index>(static_cast<std::uint64_t>(begin) +
                            static_cast<std::uint64_t>(distance));
}

// A loop's body without its type. Bounds are relative to the loop's begin.
struct ErasedBody {
  using Function = void (*)(void* closure, int participant, std::int64_t begin,
                            std::int64_t end);
  Function function = nullptr;
  void* closure = nullptr;

  void operator()(int participant, std::int64_t begin, std::int64_t end) const {
    function(closure, participant, begin, end);
  }
};

// Body is a type or a reference. In a cache line of its own, where small bodies
// fit whole: helpers fetch one line, and nothing else that the owner writes to.
template <typename Index, typename Body>
struct alignas(64) BodyAt {
  Body body;
  Index offset;

  static void Run(void* closure, int participant, std::int64_t begin,
                  std::int64_t end) {
    BodyAt& self = *static_cast<BodyAt*>(closure);
    RunBody<Index>(self.body, participant, IndexAt(self.offset, begin),
                   IndexAt(self.offset, end));
  }

  ErasedBody Erase() { return {&Run, this}; }
};

}  // namespace ceres::parallel::detail

#endif  // CERES_PUBLIC_PARALLEL_DETAIL_BODY_H_
