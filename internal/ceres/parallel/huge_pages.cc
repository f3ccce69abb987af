// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/huge_pages.h"

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace ceres::internal {
namespace {

// Only advice: where it is not followed, pages are small. What is left behind
// the last whole page stays small, so that no memory is wasted.
void AdviseHugePages(void* begin, std::size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  madvise(begin, bytes / kHugePageSize * kHugePageSize, MADV_HUGEPAGE);
#else
  static_cast<void>(begin);
  static_cast<void>(bytes);
#endif
}

}  // namespace

void* AllocatePages(std::size_t bytes) {
  void* memory =
      ::operator new(bytes, std::align_val_t(AlignmentForPages(bytes)));
  if (bytes >= kMinHugeBytes) AdviseHugePages(memory, bytes);
  return memory;
}

}  // namespace ceres::internal
