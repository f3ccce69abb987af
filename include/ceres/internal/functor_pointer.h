// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_INTERNAL_FUNCTOR_POINTER_H_
#define CERES_PUBLIC_INTERNAL_FUNCTOR_POINTER_H_

// A pointer that may or may not own what it points at, as the user says when an
// object is made.

#include <memory>

#include "ceres/types.h"

namespace ceres::internal {

template <typename T>
struct DeleteIfOwned {
  void operator()(T* object) const {
    if (ownership == TAKE_OWNERSHIP) delete object;
  }
  Ownership ownership = TAKE_OWNERSHIP;
};

// Moves like a std::unique_ptr, together with its ownership.
template <typename T>
using FunctorPointer = std::unique_ptr<T, DeleteIfOwned<T>>;

template <typename T>
FunctorPointer<T> MakeFunctorPointer(T* functor, Ownership ownership) {
  return FunctorPointer<T>(functor, DeleteIfOwned<T>{ownership});
}

}  // namespace ceres::internal

#endif  // CERES_PUBLIC_INTERNAL_FUNCTOR_POINTER_H_
