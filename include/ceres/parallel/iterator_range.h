// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_ITERATOR_RANGE_H_
#define CERES_PUBLIC_PARALLEL_ITERATOR_RANGE_H_

#include <cstdint>
#include <iterator>
#include <type_traits>
#include <utility>

#include "ceres/parallel/detail/language.h"

namespace ceres::parallel {

// The elements of [begin(), end()), for random-access iterators. Owns nothing.
template <typename Iterator>
class IteratorRange {
 public:
  // The types of a standard container.
  using iterator = Iterator;
  using reference = typename std::iterator_traits<Iterator>::reference;
  using difference_type =
      typename std::iterator_traits<Iterator>::difference_type;

  // The range [first, last).
  IteratorRange(Iterator first, Iterator last) : begin_(first), end_(last) {}

  // The bounds of the range.
  Iterator begin() const { return begin_; }
  Iterator end() const { return end_; }
  // The number of elements.
  difference_type size() const { return end_ - begin_; }
  // Returns whether there is no element.
  bool empty() const { return begin_ == end_; }
  // Element i, 0 <= i < size().
  reference operator[](difference_type i) const { return begin_[i]; }

 private:
  Iterator begin_;
  Iterator end_;
};

namespace detail {

template <typename T, typename = void>
inline constexpr bool kIsRandomAccess = false;
template <typename T>
inline constexpr bool kIsRandomAccess<
    T, std::void_t<typename std::iterator_traits<T>::iterator_category>> =
    std::is_convertible_v<typename std::iterator_traits<T>::iterator_category,
                          std::random_access_iterator_tag>;

template <typename Iterator>
inline Iterator IteratorAt(Iterator first, std::int64_t i) {
  return first +
         static_cast<typename std::iterator_traits<Iterator>::difference_type>(
             i);
}

// Conditions of overloads: a type is a random-access iterator, or a container
// of them.
template <typename Iterator>
using IfRandomAccess = std::enable_if_t<kIsRandomAccess<Iterator>, int>;
template <typename Container>
using ContainerIterator = decltype(std::begin(std::declval<Container&>()));
template <typename Container>
using IfContainer = IfRandomAccess<ContainerIterator<Container>>;

}  // namespace detail
}  // namespace ceres::parallel

#endif  // CERES_PUBLIC_PARALLEL_ITERATOR_RANGE_H_
