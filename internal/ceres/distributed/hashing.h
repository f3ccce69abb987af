// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_DISTRIBUTED_HASHING_H_
#define CERES_INTERNAL_DISTRIBUTED_HASHING_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ceres::internal {

// A hash of bytes that is the same in all processes: FNV-1a (Fowler, Noll, Vo,
// The FNV Non-Cryptographic Hash Algorithm, IETF draft).
class Hash {
 public:
  Hash& Add(const void* data, std::size_t size) {
    const auto* bytes = static_cast<const unsigned char*>(data);
    for (std::size_t i = 0; i < size; ++i) {
      value_ = (value_ ^ bytes[i]) * 0x100000001b3u;
    }
    return *this;
  }
  Hash& Add(std::string_view text) { return Add(text.data(), text.size()); }
  // Adds the bytes of the value. T has no padding.
  template <typename T>
  Hash& AddValue(const T& value) {
    return Add(&value, sizeof(T));
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325u;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_DISTRIBUTED_HASHING_H_
