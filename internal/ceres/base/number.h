// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_BASE_NUMBER_H_
#define CERES_INTERNAL_BASE_NUMBER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "ceres/parallel/detail/export.h"

// Numbers as text, the same in every locale.

namespace ceres::internal {

// Appends the fewest digits from which ReadDouble gets the same bits. The value
// is finite.
CERES_PARALLEL_EXPORT void AppendExact(double value, std::string* output);

// Returns a count with its noun: "1 row", "3 rows", or "2 matrices" if that
// plural is given.
CERES_PARALLEL_EXPORT std::string CountOf(std::int64_t count, const char* noun,
                                          const char* plural = nullptr);

// Reads a number of the form [-] digits [. digits] [e [+-] digits], where
// digits may be missing on one side of the point. Returns false if the text is
// something else, or if the number is beyond the range of double. A number that
// is too small becomes zero or subnormal.
CERES_PARALLEL_EXPORT bool ReadDouble(std::string_view text, double* value);

// Reads such a number at the begin of a text. Returns how many characters it
// has, or 0 if it reads none. It leaves some numbers to ReadDouble: those
// beyond the normal range, and all where the library has no std::from_chars.
CERES_PARALLEL_EXPORT std::size_t ReadLeadingDouble(std::string_view text,
                                                    double* value);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_BASE_NUMBER_H_
