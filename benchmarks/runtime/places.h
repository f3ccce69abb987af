// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef VESTA_BENCHMARKS_RUNTIME_PLACES_H_
#define VESTA_BENCHMARKS_RUNTIME_PLACES_H_

// What some nanoseconds of code take depends on where the linker puts it, on
// how it falls into lines of 64 bytes: plain recursion by a fifth, a short loop
// by a tenth. So benchmarks of it run copies at several places.

namespace vesta_benchmarks {

// Functions begin at multiples of 16 bytes, of which a line has four.
constexpr int kPlaces = 8;

// Before a function with a template parameter kPlace: moves it by 16 bytes for
// each, which nobody runs. Clang wants a literal there; it puts copies where
// chance has it.
#if defined(__clang__)
#define VESTA_IN_PLACE
#else
#define VESTA_IN_PLACE \
  __attribute__((patchable_function_entry(16 * kPlace, 16 * kPlace)))
#endif

// In such a function: or the compiler keeps one copy of all.
template <int kPlace>
void Distinguish() {
  asm volatile("" : : "i"(kPlace));
}

}  // namespace vesta_benchmarks

#endif  // VESTA_BENCHMARKS_RUNTIME_PLACES_H_
