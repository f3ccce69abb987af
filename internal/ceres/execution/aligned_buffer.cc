// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/execution/aligned_buffer.h"

#include <algorithm>

#include "ceres/execution/loops.h"

namespace ceres::internal {

void AlignedBuffer::Resize(const Execution& execution, std::size_t size) {
  if (size == size_) return;
  Resize(size, WhoTouches::kTouchPage);
  const std::size_t bytes = BytesOf(size);
  ParallelFor(execution, 0, static_cast<int>(NumHugePages(bytes)),
              [&](int page) { TouchPage(memory_.get(), bytes, page); });
}

void AlignedBuffer::ResizeToZeros(const Execution& execution,
                                  std::size_t size) {
  const bool are_zero = size != size_ && AreNewPagesZero(BytesOf(size));
  Resize(execution, size);
  if (are_zero) return;
  // By all threads: small pages that are new take longer than their zeros.
  constexpr std::size_t kPiece = 1 << 13;
  ParallelFor(execution, 0, static_cast<int>((size + kPiece - 1) / kPiece),
              [&](int piece) {
                const std::size_t begin = piece * kPiece;
                std::fill_n(data() + begin, std::min(kPiece, size - begin),
                            0.0);
              });
}

void AlignedBuffer::Release(const Execution& execution) {
  if (!execution.IsSerial()) {
    ParallelFor(execution, 0, static_cast<int>(NumHugePages(BytesOf(size_))),
                [&](int page) { DropPage(memory_.get(), page); });
  }
  Resize(0);
}

}  // namespace ceres::internal
