// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_DETAIL_BODY_H_
#define CERES_PUBLIC_PARALLEL_DETAIL_BODY_H_

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "ceres/parallel/index_range.h"
#include "ceres/parallel/participant.h"

// The four forms of a loop's body, and its type-erased form.

namespace ceres::parallel::detail {

// True if a body takes one of the four forms. The forms are tried in this
// order, and the first one that fits ends the search: a generic lambda may not
// compile with the arguments of a later form.
template <typename Index, typename Body>
inline constexpr bool kIsBody = std::disjunction_v<
    std::is_invocable<Body&, Participant, Index>,
    std::is_invocable<Body&, Participant, BasicIndexRange<Index>>,
    std::is_invocable<Body&, Index>,
    std::is_invocable<Body&, BasicIndexRange<Index>>>;

// True if F has a single signature: F is a function, or an object whose call
// operator is neither overloaded nor a template.
template <typename F, typename = void>
inline constexpr bool kHasOneSignature =
    std::is_function_v<std::remove_pointer_t<F>>;
template <typename F>
inline constexpr bool
    kHasOneSignature<F, std::void_t<decltype(&F::operator())>> = true;

// True if the body takes (int, int). Such a body is ambiguous: it may expect a
// participant and an index, or the bounds of a piece.
template <typename Index, typename Body>
inline constexpr bool kTakesTwoIntegers =
    std::conjunction_v<std::bool_constant<kHasOneSignature<Body>>,
                       std::is_invocable<Body&, Participant, Index>,
                       std::is_invocable<Body&, int, Index>>;

// True, or the one error that the compiler gives.
template <typename Index, typename Body,
          typename Plain = std::remove_cv_t<std::remove_reference_t<Body>>>
constexpr bool CheckBody() {
  constexpr bool kIsAmbiguous = kTakesTwoIntegers<Index, Plain>;
  static_assert(
      !kIsAmbiguous,
      "a loop's body of two integers is ambiguous: write "
      "(Participant participant, int i) for an index and who runs it, "
      "or (IndexRange range) for the bounds of a piece");
  constexpr bool kIsAccepted = kIsAmbiguous || kIsBody<Index, Plain>;
  static_assert(kIsAccepted,
                "a loop's body takes (int i), (IndexRange range), "
                "(Participant participant, int i) or "
                "(Participant participant, IndexRange range); any integer type "
                "will do for int");
  return kIsAccepted && !kIsAmbiguous;
}

// Runs `body` over [begin, end) in the form that it takes. Bodies within the
// library may also take (int participant, int i).
template <typename Index, typename Body>
inline void RunBody(Body& body, int participant, Index begin, Index end) {
  using Range = BasicIndexRange<Index>;
  const Participant self(participant);
  if constexpr (std::is_invocable_v<Body&, Participant, Index>) {
    for (Index i = begin; i != end; ++i) body(self, i);
  } else if constexpr (std::is_invocable_v<Body&, Participant, Range>) {
    body(self, Range(begin, end));
  } else if constexpr (std::is_invocable_v<Body&, Index>) {
    for (Index i = begin; i != end; ++i) body(i);
  } else {
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

// The largest closure that is copied into the slot of a region. Helpers read
// the copy from a cache line of the slot that has 48 bytes left.
inline constexpr std::size_t kCopiedClosureSize = 48;

// A loop's body without its type. Bounds are relative to the loop's begin.
struct ErasedBody {
  using Function = void (*)(void* closure, int participant, std::int64_t begin,
                            std::int64_t end);
  Function function = nullptr;
  void* closure = nullptr;
  // Helpers may work with a copy of the kCopiedClosureSize bytes at `closure`.
  bool may_be_copied = false;

  void operator()(int participant, std::int64_t begin, std::int64_t end) const {
    function(closure, participant, begin, end);
  }
};

// Body is a type or a reference.
template <typename Index, typename Body>
struct BodyAt {
  Body body;
  Index offset;

  static void Run(void* closure, int participant, std::int64_t begin,
                  std::int64_t end) {
    BodyAt& self = *static_cast<BodyAt*>(closure);
    RunBody<Index>(self.body, participant, IndexAt(self.offset, begin),
                   IndexAt(self.offset, end));
  }
};

// Aligned to cache lines of its own, so that a helper that reads the closure
// shares no line with data that the owner writes.
template <typename Index, typename Body>
class alignas(64) LoopClosure {
 public:
  LoopClosure(Body body, Index offset)
      : body_at_{std::forward<Body>(body), offset} {}

  ErasedBody Erase() {
    constexpr bool kMayBeCopied = std::is_trivially_copyable_v<BodyAtOffset> &&
                                  sizeof(BodyAtOffset) <= kCopiedClosureSize &&
                                  alignof(BodyAtOffset) <= 16;
    return {&BodyAtOffset::Run, &body_at_, kMayBeCopied};
  }

 private:
  using BodyAtOffset = BodyAt<Index, Body>;

  BodyAtOffset body_at_;
};

}  // namespace ceres::parallel::detail

#endif  // CERES_PUBLIC_PARALLEL_DETAIL_BODY_H_
