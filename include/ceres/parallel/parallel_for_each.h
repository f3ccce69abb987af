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

// Runs a body for elements in the form that it takes. Looked for in this order,
// as for indices: (participant, element), (participant, range), (element),
// (range).
template <typename Iterator, typename Body>
inline void RunElements(Body& body, int participant, Iterator first,
                        Iterator last) {
  using Element = typename std::iterator_traits<Iterator>::reference;
  using Range = IteratorRange<Iterator>;
  if constexpr (std::is_invocable_v<Body&, int, Element>) {
    for (; first != last; ++first) body(participant, *first);
  } else if constexpr (std::is_invocable_v<Body&, int, Range>) {
    body(participant, Range(first, last));
  } else if constexpr (std::is_invocable_v<Body&, Element>) {
    for (; first != last; ++first) body(*first);
  } else {
    static_assert(std::is_invocable_v<Body&, Range>,
                  "a body takes (element), (range), (participant, element) or "
                  "(participant, range)");
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

template <typename Iterator, typename Body,
          typename Element = typename std::iterator_traits<Iterator>::reference>
inline constexpr bool kConstCallableOnElements = std::disjunction_v<
    std::is_invocable<const Body&, int, Element>,
    std::is_invocable<const Body&, int, IteratorRange<Iterator>>,
    std::is_invocable<const Body&, Element>,
    std::is_invocable<const Body&, IteratorRange<Iterator>>>;

template <typename Iterator, typename HostOf, typename Body>
inline Status ParallelForEachOnHost(const HostOf& host, Iterator first,
                                    Iterator last, Body&& body,
                                    const LoopOptions& options) {
  using Offset = typename std::iterator_traits<Iterator>::difference_type;
  using Plain = std::remove_cv_t<std::remove_reference_t<Body>>;
  using PassedBody = std::conditional_t<
      kConstCallableOnElements<Iterator, Plain>,
      std::conditional_t<kCopyBody<Body>, const Plain, const Plain&>,
      std::remove_reference_t<Body>&>;
  return ParallelForOnHost(host, Offset{0}, static_cast<Offset>(last - first),
                           ElementsBody<Iterator, PassedBody>{body, first},
                           options);
}

}  // namespace detail

// Calls `body` for every element of [first, last), random-access iterators of
// one type, as ParallelFor does for indices. The body takes one of
//   (element)               what *iterator gives: T&, const T&, a proxy
//   (participant, element)
//   (range)                 IteratorRange<Iterator>, not empty
//   (participant, range)
// Several elements are visited at once, in no order: elements that share memory
// (std::vector<bool>) must not be written to.
template <typename Host, typename Iterator, typename Body,
          detail::IfHost<Host> = 0, detail::IfRandomAccess<Iterator> = 0>
inline Status ParallelFor(Host& host, Iterator first, Iterator last,
                          Body&& body, const LoopOptions& options = {}) {
  return detail::ParallelForEachOnHost(detail::HostReference<Host>{host}, first,
                                       last, std::forward<Body>(body), options);
}

// The same for all elements of a container, an array or a view.
template <typename Host, typename Container, typename Body,
          detail::IfHost<Host> = 0, detail::IfContainer<Container> = 0>
inline Status ParallelForEach(Host& host, Container&& container, Body&& body,
                              const LoopOptions& options = {}) {
  return detail::ParallelForEachOnHost(
      detail::HostReference<Host>{host}, std::begin(container),
      std::end(container), std::forward<Body>(body), options);
}

// On ThreadPool::Default().
template <typename Iterator, typename Body,
          detail::IfRandomAccess<Iterator> = 0>
inline Status ParallelFor(Iterator first, Iterator last, Body&& body,
                          const LoopOptions& options = {}) {
  return detail::ParallelForEachOnHost(detail::DefaultHost(), first, last,
                                       std::forward<Body>(body), options);
}

template <typename Container, typename Body, detail::IfContainer<Container> = 0>
inline Status ParallelForEach(Container&& container, Body&& body,
                              const LoopOptions& options = {}) {
  return detail::ParallelForEachOnHost(
      detail::DefaultHost(), std::begin(container), std::end(container),
      std::forward<Body>(body), options);
}

}  // namespace ceres::parallel

#endif  // CERES_PUBLIC_PARALLEL_PARALLEL_FOR_EACH_H_
