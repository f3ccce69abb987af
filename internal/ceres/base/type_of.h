// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_BASE_TYPE_OF_H_
#define CERES_INTERNAL_BASE_TYPE_OF_H_

#include <type_traits>
#include <typeinfo>

namespace ceres::internal {

// The dynamic type of an object of a user's class; null if the class was
// compiled without run-time type information (-fno-rtti, /GR-). dynamic_cast
// and typeid crash for such an object, so they are used for our own objects
// only.
//
// With the Itanium C++ ABI (GCC, Clang), the entry of the virtual table before
// the first function is the address of the type_info object, or 0
// (section 2.5.2 of the ABI). MSVC throws.
template <typename T>
const std::type_info* TypeOf(const T& object) {
  static_assert(std::is_polymorphic_v<T>);
#if defined(__GXX_ABI_VERSION)
  const std::type_info* const* const table =
      *reinterpret_cast<const std::type_info* const* const*>(&object);
  return table[-1];
#else
  try {
    return &typeid(object);
  } catch (const std::bad_typeid&) {
    return nullptr;
  }
#endif
}

// Whether the dynamic type of the object is exactly Derived.
template <typename Derived, typename T>
bool HasType(const T& object) {
  const std::type_info* const type = TypeOf(object);
  return type != nullptr && *type == typeid(Derived);
}

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_BASE_TYPE_OF_H_
