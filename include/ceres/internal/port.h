// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_INTERNAL_PORT_H_
#define CERES_PUBLIC_INTERNAL_PORT_H_

// Differences between compilers, language versions and standard libraries.

#include <cmath>  // Defines the feature-test macros that are looked at below.

#include "ceres/internal/config.h"
#include "ceres/parallel/detail/language.h"

// Marks a deprecated entity; `message` says what to use instead.
#define CERES_DEPRECATED_WITH_MSG(message) [[deprecated(message)]]

// Defined when the compiler is in C++20 mode, or later.
#if __cplusplus >= 202002L || (defined(_MSVC_LANG) && _MSVC_LANG >= 202002L)
#define CERES_HAS_CPP20
#endif

// std::cyl_bessel_j and its relatives of ISO 29124 exist.
#if defined(__cpp_lib_math_special_functions) || \
    (defined(__STDCPP_MATH_SPEC_FUNCS__) &&      \
     __STDCPP_MATH_SPEC_FUNCS__ >= 201003L)
#define CERES_HAS_CPP17_BESSEL_FUNCTIONS
#endif

// ::j0, ::j1 and ::jn of POSIX (XSI extension) exist, possibly as ::_j0 etc.
#if defined(_MSC_VER) || defined(__unix__) || defined(__APPLE__)
#define CERES_HAS_POSIX_BESSEL_FUNCTIONS
#endif

// For small functions that are fast only as part of their caller: compilers'
// limits on inlining are lower than what they gain here.
#if defined(__GNUC__)
#define CERES_ALWAYS_INLINE inline __attribute__((always_inline))
#elif defined(_MSC_VER)
#define CERES_ALWAYS_INLINE __forceinline
#else
#define CERES_ALWAYS_INLINE inline
#endif

// For code that rarely runs: its caller then keeps its registers.
#if defined(__GNUC__)
#define CERES_NEVER_INLINE __attribute__((noinline, cold))
#elif defined(_MSC_VER)
#define CERES_NEVER_INLINE __declspec(noinline)
#else
#define CERES_NEVER_INLINE
#endif

// For a function that is fast only if what it calls, directly or through
// others, becomes part of it. Not under sanitizers: with their checks it would
// be so large that compilers take minutes.
#if defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define CERES_INLINE_CALLEES __attribute__((flatten))
#else
#define CERES_INLINE_CALLEES
#endif

// Between these two, uses of deprecated entities give no warning.
#if defined(__GNUC__)
#define CERES_DISABLE_DEPRECATED_WARNING \
  _Pragma("GCC diagnostic push")         \
      _Pragma("GCC diagnostic ignored \"-Wdeprecated-declarations\"")
#define CERES_RESTORE_DEPRECATED_WARNING _Pragma("GCC diagnostic pop")
#elif defined(_MSC_VER)
#define CERES_DISABLE_DEPRECATED_WARNING \
  __pragma(warning(push)) __pragma(warning(disable : 4996))
#define CERES_RESTORE_DEPRECATED_WARNING __pragma(warning(pop))
#else
#define CERES_DISABLE_DEPRECATED_WARNING
#define CERES_RESTORE_DEPRECATED_WARNING
#endif

// The value of a command line flag that gflags defined.
#define CERES_GET_FLAG(X) X

#endif  // CERES_PUBLIC_INTERNAL_PORT_H_
