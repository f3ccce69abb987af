// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_PARALLEL_FOR_EACH_H_
#define CERES_PUBLIC_PARALLEL_PARALLEL_FOR_EACH_H_

#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

#include "ceres/parallel/iterator_range.h"
#include "ceres/parallel/parallel_for.h"

namespace ceres::parallel {

namespace detail {

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

// The body of the loop over offsets. Body is a reference, or a const type that
// is copied.
template <typename Iterator, typename Body>
struct ElementsBody {
  Body body;
  Iterator first;

  template <typename Offset>
  void operator()(int participant, BasicIndexRange<Offset> range) const {
    RunElements(body, participant, first + range.begin, first + range.end);
  }
};

template <typename Iterator, typename HostOf, typename Body>
inline Status ParallelForEachOnHost(const HostOf& host, Iterator first,
                                    Iterator last, Body&& body,
                                    const LoopOptions& options) {
  using Offset = typename std::iterator_traits<Iterator>::difference_type;
  using Plain = std::remove_cv_t<std::remove_reference_t<Body>>;
  constexpr bool kIsAccepted = kIsElementsBody<Iterator, Plain>;
  static_assert(kIsAccepted,
                "a body for elements takes (T& element), "
                "(IteratorRange<Iterator> range), "
                "(Participant participant, T& element) or "
                "(Participant participant, IteratorRange<Iterator> range)");
  if constexpr (kIsAccepted) {
    using PassedBody = std::conditional_t<
        kIsElementsBody<Iterator, const Plain>,
        std::conditional_t<kCopyBody<Body>, const Plain, const Plain&>,
        std::remove_reference_t<Body>&>;
    return ParallelForOnHost(host, Offset{0}, static_cast<Offset>(last - first),
                             ElementsBody<Iterator, PassedBody>{body, first},
                             options);
  } else {
    return Status::kCompleted;
  }
}

}  // namespace detail

// Calls `body` for every element of [first, last), random-access iterators of
// one type, as ParallelFor does for indices. The body takes one of
//   (element)               what *iterator gives: T&, const T&, a proxy
//   (Participant, element)
//   (range)                 IteratorRange<Iterator>, not empty
//   (Participant, range)
// where int will do for Participant.
// Several elements are visited at once, in no order. Do not write to elements
// that share memory (std::vector<bool>).
template <typename Host, typename Iterator, typename Body,
          detail::IfHost<Host> = 0, detail::IfRandomAccess<Iterator> = 0>
inline Status ParallelFor(Host& host, Iterator first, Iterator last,
                          Body&& body, const LoopOptions& options = {}) {
  return detail::ParallelForEachOnHost(detail::HostReference<Host>{host}, first,
                                       last, std::forward<Body>(body), options);
}

// ParallelFor for all elements of a container, an array or a view.
template <typename Host, typename Container, typename Body,
          detail::IfHost<Host> = 0, detail::IfContainer<Container> = 0>
inline Status ParallelForEach(Host& host, Container&& container, Body&& body,
                              const LoopOptions& options = {}) {
  return detail::ParallelForEachOnHost(
      detail::HostReference<Host>{host}, std::begin(container),
      std::end(container), std::forward<Body>(body), options);
}

// ParallelFor on ThreadPool::Default().
template <typename Iterator, typename Body,
          detail::IfRandomAccess<Iterator> = 0>
inline Status ParallelFor(Iterator first, Iterator last, Body&& body,
                          const LoopOptions& options = {}) {
  return detail::ParallelForEachOnHost(detail::DefaultHost(), first, last,
                                       std::forward<Body>(body), options);
}

// ParallelForEach on ThreadPool::Default().
template <typename Container, typename Body, detail::IfContainer<Container> = 0>
inline Status ParallelForEach(Container&& container, Body&& body,
                              const LoopOptions& options = {}) {
  return detail::ParallelForEachOnHost(
      detail::DefaultHost(), std::begin(container), std::end(container),
      std::forward<Body>(body), options);
}

}  // namespace ceres::parallel

#endif  // CERES_PUBLIC_PARALLEL_PARALLEL_FOR_EACH_H_
