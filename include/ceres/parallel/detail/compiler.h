// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_DETAIL_COMPILER_H_
#define CERES_PUBLIC_PARALLEL_DETAIL_COMPILER_H_

// What the runtime's headers need of a compiler beyond C++17. GCC and Clang
// have all of it. With MSVC, predictions are left out.

#include "ceres/parallel/detail/language.h"

// The headers of loops, tasks and graphs take exceptions of user code to the
// thread that waits. (Headers of the solver, and executor.h, cancellation.h,
// status.h and thread_pool.h, compile without exceptions.)
#if !defined(__cpp_exceptions) && !defined(_CPPUNWIND)
#error \
    "The loops, tasks and graphs of ceres/parallel need exceptions: compile this file without -fno-exceptions. The solver's headers do not."
#endif

#if defined(__GNUC__)

#define CERES_PARALLEL_NOINLINE __attribute__((noinline))
#define CERES_PARALLEL_COLD __attribute__((noinline, cold))
#define CERES_PARALLEL_ALWAYS_INLINE __attribute__((always_inline)) inline
// The value of a condition that is usually true, or false.
#define CERES_PARALLEL_LIKELY(condition) __builtin_expect(condition, 1)
#define CERES_PARALLEL_UNLIKELY(condition) __builtin_expect(condition, 0)
// Control never comes here.
#define CERES_PARALLEL_UNREACHABLE() __builtin_unreachable()
// The address of the stack frame of the function that this is compiled into.
#define CERES_PARALLEL_FRAME_ADDRESS() __builtin_frame_address(0)
// The object is stored before, and read again after.
#define CERES_PARALLEL_STORE(object) asm("" : "+m"(object))

#elif defined(_MSC_VER)

extern "C" void* _AddressOfReturnAddress(void);
#pragma intrinsic(_AddressOfReturnAddress)
#define CERES_PARALLEL_NOINLINE __declspec(noinline)
#define CERES_PARALLEL_COLD __declspec(noinline)
#define CERES_PARALLEL_ALWAYS_INLINE __forceinline
#define CERES_PARALLEL_LIKELY(condition) (condition)
#define CERES_PARALLEL_UNLIKELY(condition) (condition)
#define CERES_PARALLEL_UNREACHABLE() __assume(0)
#define CERES_PARALLEL_FRAME_ADDRESS() _AddressOfReturnAddress()
#define CERES_PARALLEL_STORE(object) static_cast<void>(object)

#else
#error "The runtime needs GCC, Clang or MSVC."
#endif

#endif  // CERES_PUBLIC_PARALLEL_DETAIL_COMPILER_H_
