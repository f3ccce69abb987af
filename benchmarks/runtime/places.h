// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef VESTA_BENCHMARKS_RUNTIME_PLACES_H_
#define VESTA_BENCHMARKS_RUNTIME_PLACES_H_

// What some nanoseconds of code take depends on where the linker puts it, on
// how it falls into lines of 64 bytes: plain recursion by a fifth, a short loop
// by a tenth. So benchmarks of it run copies at several places.

namespace vesta_benchmarks {

// Functions begin at multiples of 16 bytes, of which a line has four: two
// copies at each.
constexpr int kPlaces = 8;

// Before a function with a template parameter kPlace: puts it at that multiple
// in its line, behind bytes that nobody runs. (With GCC, for cpus that have a
// nop of one byte; elsewhere copies lie where chance has it.)
#if defined(__x86_64__) && !defined(__clang__)
#define VESTA_IN_PLACE                                                   \
  __attribute__((aligned(64), patchable_function_entry(16 * kPlace % 64, \
                                                       16 * kPlace % 64)))
#else
#define VESTA_IN_PLACE
#endif

// In such a function: or the compiler keeps one copy of all.
template <int kPlace>
void Distinguish() {
  asm volatile("" : : "i"(kPlace));
}

}  // namespace vesta_benchmarks

#endif  // VESTA_BENCHMARKS_RUNTIME_PLACES_H_
