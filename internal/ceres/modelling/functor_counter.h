// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MODELLING_FUNCTOR_COUNTER_H_
#define CERES_INTERNAL_MODELLING_FUNCTOR_COUNTER_H_

// For tests of ownership.

#include <memory>
#include <type_traits>
#include <utility>

#include "ceres/types.h"
#include "gtest/gtest.h"

namespace ceres::internal {

// Counts its living instances in *num_living, if that is not null. Base class
// of test functors.
class CountsInstances {
 public:
  CountsInstances() = default;
  explicit CountsInstances(int* num_living) : num_living_(num_living) {
    if (num_living_ != nullptr) ++*num_living_;
  }
  ~CountsInstances() {
    if (num_living_ != nullptr) --*num_living_;
  }
  CountsInstances(const CountsInstances&) = delete;
  CountsInstances& operator=(const CountsInstances&) = delete;

 private:
  int* num_living_ = nullptr;
};

// Owner deletes its functor if it owns the functor, and both move together.
// Functor counts its instances; its constructor takes num_living.
template <typename Owner, typename Functor>
void ExpectOwnsFunctorOnRequest() {
  int num_living = 0;
  {
    const Owner by_pointer(new Functor(&num_living));
    const Owner by_unique_pointer(std::make_unique<Functor>(&num_living));
    EXPECT_EQ(num_living, 2);
  }
  EXPECT_EQ(num_living, 0);
  Functor kept(&num_living);
  {
    Owner in_place(&num_living);
    Owner moved(std::move(in_place));
    Owner assigned(new Functor(&num_living));
    EXPECT_EQ(num_living, 3);
    const auto* functor = &moved.functor();
    assigned = std::move(moved);
    EXPECT_EQ(num_living, 2);
    EXPECT_EQ(&assigned.functor(), functor);
    assigned = Owner(&kept, DO_NOT_TAKE_OWNERSHIP);
    EXPECT_EQ(num_living, 1);
    EXPECT_EQ(&assigned.functor(), &kept);
  }
  EXPECT_EQ(num_living, 1);
  static_assert(std::is_nothrow_move_constructible_v<Owner>);
  static_assert(std::is_nothrow_move_assignable_v<Owner>);
  static_assert(!std::is_copy_constructible_v<Owner>);
  static_assert(!std::is_copy_assignable_v<Owner>);
}

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MODELLING_FUNCTOR_COUNTER_H_
