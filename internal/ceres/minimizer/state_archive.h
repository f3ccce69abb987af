// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MINIMIZER_STATE_ARCHIVE_H_
#define CERES_INTERNAL_MINIMIZER_STATE_ARCHIVE_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

namespace ceres::internal {

// The state of objects as bytes. A class that is kept has one function
// TransferState(StateArchive*), which names its members in a fixed order. The
// function writes the members to an archive that was made empty, and reads them
// from an archive that was made of bytes: both directions are the same text.
//
// The bytes are those of this machine and this build. Not thread-safe.
class StateArchive {
 public:
  // Writes.
  StateArchive() = default;
  // Reads.
  explicit StateArchive(std::vector<char> bytes)
      : bytes_(std::move(bytes)), is_reading_(true) {}

  const std::vector<char>& bytes() const { return bytes_; }
  // After reading: whether the archive had exactly what was asked for. Members
  // that it did not have are unchanged.
  bool is_complete() const {
    return !has_failed_ && position_ == bytes_.size();
  }

  template <typename T>
  void Value(T* value) {
    static_assert(std::is_trivially_copyable_v<T>);
    Bytes(value, sizeof(T));
  }
  // `size` values. Reading fails if the archive has another number.
  template <typename T>
  void Array(T* values, std::size_t size) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::uint64_t stored = size;
    Value(&stored);
    if (stored != size) has_failed_ = true;
    Bytes(values, size * sizeof(T));
  }
  // A vector of any size.
  template <typename T>
  void List(std::vector<T>* values) {
    std::uint64_t size = values->size();
    Value(&size);
    if (is_reading_) {
      if (has_failed_ || size > (bytes_.size() - position_) / sizeof(T)) {
        has_failed_ = true;
        return;
      }
      values->resize(size);
    }
    Bytes(values->data(), size * sizeof(T));
  }

 private:
  void Bytes(void* data, std::size_t size) {
    if (!is_reading_) {
      const char* const begin = static_cast<const char*>(data);
      bytes_.insert(bytes_.end(), begin, begin + size);
      return;
    }
    if (has_failed_ || size > bytes_.size() - position_) {
      has_failed_ = true;
      return;
    }
    if (size > 0) std::memcpy(data, bytes_.data() + position_, size);
    position_ += size;
  }

  std::vector<char> bytes_;
  bool is_reading_ = false;
  bool has_failed_ = false;
  std::size_t position_ = 0;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MINIMIZER_STATE_ARCHIVE_H_
