// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_STRIDED_RANGE_H_
#define CERES_PUBLIC_PARALLEL_STRIDED_RANGE_H_

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <stdexcept>
#include <type_traits>

#include "ceres/parallel/detail/language.h"

namespace ceres::parallel {

// The indices begin, begin + stride, begin + 2 stride, ... before end; with a
// negative stride, those above end. A container of indices without memory for
// them, for loops and reductions:
//
//   ParallelFor(pool, StridedRange(0, n, 3), [&](int i) { ... });
//   ParallelSum(pool, StridedRange(n - 1, -1, -2), [&](int i) { ... });
//
// A body may also take (IteratorRange<StridedRange<int>::iterator> range). A
// value.
template <typename Index>
class StridedRange {
  static_assert(std::is_integral_v<Index>, "an index is an integer");

 public:
  // A random-access iterator that computes its index.
  class iterator {
   public:
    // Differences of iterators count elements, whatever the stride.
    using difference_type = std::int64_t;
    // Elements are computed, so there are no references to them.
    using reference = Index;
    // The type of an element.
    using value_type = Index;
    // For std::iterator_traits only.
    using pointer = const Index*;
    // Random access, in constant time.
    using iterator_category = std::random_access_iterator_tag;

    iterator() = default;

    // The index at which the iterator stands.
    Index operator*() const { return (*this)[0]; }
    // Modulo 2^64, and back: differences may not fit an Index.
    Index operator[](difference_type n) const {
      return static_cast<Index>(static_cast<std::uint64_t>(begin_) +
                                static_cast<std::uint64_t>(position_ + n) *
                                    static_cast<std::uint64_t>(stride_));
    }
    iterator& operator+=(difference_type n) {
      position_ += n;
      return *this;
    }
    iterator& operator-=(difference_type n) { return *this += -n; }
    iterator& operator++() { return *this += 1; }
    iterator& operator--() { return *this -= 1; }
    iterator operator++(int) {
      const iterator before = *this;
      ++*this;
      return before;
    }
    iterator operator--(int) {
      const iterator before = *this;
      --*this;
      return before;
    }
    friend iterator operator+(iterator i, difference_type n) { return i += n; }
    friend iterator operator+(difference_type n, iterator i) { return i += n; }
    friend iterator operator-(iterator i, difference_type n) { return i -= n; }
    friend difference_type operator-(const iterator& a, const iterator& b) {
      return a.position_ - b.position_;
    }
    // Iterators of one range.
    friend bool operator==(const iterator& a, const iterator& b) {
      return a.position_ == b.position_;
    }
    friend bool operator!=(const iterator& a, const iterator& b) {
      return !(a == b);
    }
    friend bool operator<(const iterator& a, const iterator& b) {
      return a.position_ < b.position_;
    }
    friend bool operator>(const iterator& a, const iterator& b) {
      return b < a;
    }
    friend bool operator<=(const iterator& a, const iterator& b) {
      return !(b < a);
    }
    friend bool operator>=(const iterator& a, const iterator& b) {
      return !(a < b);
    }

   private:
    friend class StridedRange;
    iterator(Index begin, std::int64_t stride, std::int64_t position)
        : begin_(begin), stride_(stride), position_(position) {}

    Index begin_ = 0;
    std::int64_t stride_ = 1;
    std::int64_t position_ = 0;
  };

  // Throws std::invalid_argument if the stride is 0, and std::length_error if
  // there are more than 2^63 - 1 indices.
  StridedRange(Index begin, Index end, std::int64_t stride)
      : begin_(begin), stride_(stride), size_(CountOf(begin, end, stride)) {}

  // The bounds of the range.
  iterator begin() const { return iterator(begin_, stride_, 0); }
  iterator end() const { return iterator(begin_, stride_, size_); }
  // The number of indices.
  std::int64_t size() const { return size_; }
  // Returns whether there is no index.
  bool empty() const { return size_ == 0; }

 private:
  static std::int64_t CountOf(Index begin, Index end, std::int64_t stride) {
    if (stride == 0) {
      throw std::invalid_argument(
          "ceres::parallel: the stride of a StridedRange is 0; give the "
          "distance from one index to the next");
    }
    if (stride > 0 ? begin >= end : begin <= end) return 0;
    const auto first = static_cast<std::uint64_t>(begin);
    const auto last = static_cast<std::uint64_t>(end);
    const std::uint64_t distance = stride > 0 ? last - first : first - last;
    const auto step = stride > 0 ? static_cast<std::uint64_t>(stride)
                                 : -static_cast<std::uint64_t>(stride);
    const std::uint64_t count = (distance - 1) / step + 1;
    if (count > INT64_MAX) {
      throw std::length_error(
          "ceres::parallel: a StridedRange of more than 2^63 - 1 indices; cut "
          "it into two");
    }
    return static_cast<std::int64_t>(count);
  }

  Index begin_;
  std::int64_t stride_;
  std::int64_t size_;
};

}  // namespace ceres::parallel

#endif  // CERES_PUBLIC_PARALLEL_STRIDED_RANGE_H_
