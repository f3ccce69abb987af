// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_INTERNAL_FIXED_ARRAY_H_
#define CERES_PUBLIC_INTERNAL_FIXED_ARRAY_H_

// An array whose size is chosen when it is made.

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <memory>
#include <type_traits>

namespace ceres::internal {

inline constexpr size_t kFixedArrayUseDefault =
    (std::numeric_limits<size_t>::max)();

// Up to N elements lie in the object itself, more of them in memory from the
// allocator A; by default N elements fill some 256 bytes. Elements of trivial
// types are not initialized unless a value is given.
//
// Thread safety: as that of a standard container.
template <typename T, size_t N = kFixedArrayUseDefault,
          typename A = std::allocator<T>>
class FixedArray {
  using Traits = std::allocator_traits<A>;

 public:
  using value_type = T;
  using allocator_type = A;
  using pointer = T*;
  using const_pointer = const T*;
  using reference = T&;
  using const_reference = const T&;
  using size_type = size_t;
  using difference_type = std::ptrdiff_t;
  using iterator = T*;
  using const_iterator = const T*;
  using reverse_iterator = std::reverse_iterator<iterator>;
  using const_reverse_iterator = std::reverse_iterator<const_iterator>;

  static constexpr size_type inline_elements =
      N == kFixedArrayUseDefault ? 256 / sizeof(T) : N;

  explicit FixedArray(size_type n, const allocator_type& alloc = A())
      : size_(n), alloc_(alloc), data_(Allocate()) {
    std::uninitialized_default_construct_n(data_, size_);
  }

  FixedArray(size_type n, const value_type& value,
             const allocator_type& alloc = A())
      : size_(n), alloc_(alloc), data_(Allocate()) {
    std::uninitialized_fill_n(data_, size_, value);
  }

  FixedArray(std::initializer_list<value_type> values,
             const allocator_type& alloc = A())
      : FixedArray(values.begin(), values.end(), alloc) {}

  template <typename Iterator, typename = typename std::iterator_traits<
                                   Iterator>::iterator_category>
  FixedArray(Iterator first, Iterator last, const allocator_type& alloc = A())
      : size_(static_cast<size_type>(std::distance(first, last))),
        alloc_(alloc),
        data_(Allocate()) {
    std::uninitialized_copy(first, last, data_);
  }

  FixedArray(const FixedArray& other)
      : FixedArray(
            other.begin(), other.end(),
            Traits::select_on_container_copy_construction(other.alloc_)) {}

  FixedArray& operator=(const FixedArray&) = delete;

  ~FixedArray() {
    std::destroy_n(data_, size_);
    if (!IsInline()) Traits::deallocate(alloc_, data_, size_);
  }

  size_type size() const { return size_; }
  bool empty() const { return size_ == 0; }
  size_type memsize() const { return size_ * sizeof(T); }
  constexpr size_type max_size() const {
    return (std::numeric_limits<difference_type>::max)() / sizeof(T);
  }
  allocator_type get_allocator() const { return alloc_; }

  pointer data() { return data_; }
  const_pointer data() const { return data_; }
  reference operator[](size_type i) { return data_[i]; }
  const_reference operator[](size_type i) const { return data_[i]; }
  reference front() { return data_[0]; }
  const_reference front() const { return data_[0]; }
  reference back() { return data_[size_ - 1]; }
  const_reference back() const { return data_[size_ - 1]; }

  iterator begin() { return data_; }
  const_iterator begin() const { return data_; }
  const_iterator cbegin() const { return data_; }
  iterator end() { return data_ + size_; }
  const_iterator end() const { return data_ + size_; }
  const_iterator cend() const { return data_ + size_; }
  reverse_iterator rbegin() { return reverse_iterator(end()); }
  const_reverse_iterator rbegin() const {
    return const_reverse_iterator(end());
  }
  reverse_iterator rend() { return reverse_iterator(begin()); }
  const_reverse_iterator rend() const {
    return const_reverse_iterator(begin());
  }

  void fill(const value_type& value) { std::fill(begin(), end(), value); }

  friend bool operator==(const FixedArray& x, const FixedArray& y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end());
  }
  friend bool operator!=(const FixedArray& x, const FixedArray& y) {
    return !(x == y);
  }
  friend bool operator<(const FixedArray& x, const FixedArray& y) {
    return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end());
  }

 private:
  bool IsInline() const { return size_ <= inline_elements; }

  pointer Allocate() {
    return IsInline() ? reinterpret_cast<pointer>(inline_storage_)
                      : Traits::allocate(alloc_, size_);
  }

  size_type size_;
  allocator_type alloc_;
  pointer data_;
  alignas(T) unsigned char inline_storage_[(std::max)(
      sizeof(T) * inline_elements, size_t{1})];
};

}  // namespace ceres::internal

#endif  // CERES_PUBLIC_INTERNAL_FIXED_ARRAY_H_
