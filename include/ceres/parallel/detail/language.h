// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_DETAIL_LANGUAGE_H_
#define CERES_PUBLIC_PARALLEL_DETAIL_LANGUAGE_H_

// Stops a compiler in C++14 mode or older with one message. Every public header
// but ceres/c_api.h and ceres/version.h reaches this one before any code of
// C++17.

#if defined(__cplusplus) && __cplusplus < 201703L && \
    !(defined(_MSVC_LANG) && _MSVC_LANG >= 201703L)
#error \
    "Vesta needs C++17. Compile with -std=c++17 (MSVC: /std:c++17) or, with \
CMake, set CMAKE_CXX_STANDARD to 17."
// Compilers go on behind an #error, but not behind a file that is missing.
#include <compile_with_std_cpp17>
#endif

#endif  // CERES_PUBLIC_PARALLEL_DETAIL_LANGUAGE_H_
