// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_INTERNAL_CHECK_H_
#define CERES_PUBLIC_INTERNAL_CHECK_H_

// Checks of public headers that bring no macros into the user's program.

#include <initializer_list>

#include "ceres/internal/export.h"
#include "ceres/internal/optional_glog.h"

namespace ceres::internal {

// A piece of a message: text or a number.
class CheckMessagePart {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor)
  CheckMessagePart(const char* text) : text_(text) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  CheckMessagePart(long long number) : number_(number) {}

  // Null if this is a number.
  const char* text() const { return text_; }
  long long number() const { return number_; }

 private:
  const char* text_ = nullptr;
  long long number_ = 0;
};

// Logs the message, put together from its parts, and stops the program.
[[noreturn]] CERES_EXPORT void FailCheck(
    std::initializer_list<CheckMessagePart> message);

// Stops the program unless `holds`, for a mistake of the calling program. The
// message says what is wrong and what to do. Costs a branch if all is well.
template <typename... Parts>
inline void CheckThat(bool holds, const Parts&... message) {
  if (!holds) FailCheck({CheckMessagePart(message)...});
}

// The same in debug builds (without NDEBUG); otherwise does nothing.
template <typename... Parts>
inline void DebugCheckThat([[maybe_unused]] bool holds,
                           [[maybe_unused]] const Parts&... message) {
#ifndef NDEBUG
  CheckThat(holds, message...);
#endif
}

}  // namespace ceres::internal

#endif  // CERES_PUBLIC_INTERNAL_CHECK_H_
