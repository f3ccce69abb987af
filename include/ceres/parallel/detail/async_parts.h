// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_DETAIL_ASYNC_PARTS_H_
#define CERES_PUBLIC_PARALLEL_DETAIL_ASYNC_PARTS_H_

#include <cstdint>
#include <iterator>
#include <type_traits>
#include <utility>

#include "ceres/parallel/cancellation.h"
#include "ceres/parallel/iterator_range.h"
#include "ceres/parallel/task_options.h"

// The parts that the task of an asynchronous loop or reduction holds: options,
// elements and costs.

namespace ceres::parallel::detail {

// Options of a loop or a reduction, with a copy of their token.
template <typename Options>
class OwnedOptions {
 public:
  explicit OwnedOptions(const Options& options) : options_(options) {
    if (options.token != nullptr) token_ = *options.token;
  }

  Options Get() const {
    Options options = options_;
    if (options.token != nullptr) options.token = &token_;
    return options;
  }

 private:
  Options options_;
  CancellationToken token_;
};

template <typename Options>
TaskOptions TaskOptionsOf(const Options& options) {
  return {Priority::kNormal, options.name};
}

template <typename T, typename = int>
inline constexpr bool kIsContainer = false;
template <typename T>
inline constexpr bool kIsContainer<T, IfContainer<T>> = true;

// The elements of a container: its iterators, or, if the container is a
// temporary, the container itself. So for a view that goes out of scope, only
// the elements must outlive the task.
template <typename Container>
auto KeepElements(Container&& container) {
  if constexpr (std::is_lvalue_reference_v<Container>) {
    return IteratorRange<ContainerIterator<Container>>(std::begin(container),
                                                       std::end(container));
  } else {
    static_assert(!std::is_array_v<Container>,
                  "a temporary array cannot be moved into a task");
    return std::decay_t<Container>(std::forward<Container>(container));
  }
}

// The entries of an array of costs, for indices of any type.
template <typename Iterator>
struct CostEntries {
  template <typename Index>
  double operator()(Index i) const {
    return static_cast<double>(
        *IteratorAt(first, static_cast<std::int64_t>(i)));
  }

  Iterator first;
};

// Cumulative costs: of an array or a container that is no temporary and is not
// called the iterator, others as they are.
template <typename Index, typename Cost>
auto KeepCost(Cost&& cost) {
  using Plain = std::remove_reference_t<Cost>;
  constexpr bool kIsArray =
      !std::is_invocable_v<const Plain&, Index> && kIsContainer<const Plain>;
  if constexpr (kIsArray && std::is_lvalue_reference_v<Cost>) {
    return CostEntries<ContainerIterator<const Plain>>{
        std::begin(std::as_const(cost))};
  } else if constexpr (kIsArray) {
    return KeepElements(std::forward<Cost>(cost));
  } else {
    return std::decay_t<Cost>(std::forward<Cost>(cost));
  }
}

}  // namespace ceres::parallel::detail

#endif  // CERES_PUBLIC_PARALLEL_DETAIL_ASYNC_PARTS_H_
