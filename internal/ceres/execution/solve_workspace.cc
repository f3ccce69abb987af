// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/execution/solve_workspace.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "ceres/logging/logging.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace ceres::internal {
namespace {

using workspace_table::IsValidIn;
using workspace_table::kNumPhases;
using workspace_table::kNumRegions;
using workspace_table::kRows;
using workspace_table::RowOf;
using workspace_table::ShareMemory;

constexpr bool TableIsConsistent() {
  for (int i = 0; i < kNumRegions; ++i) {
    if (static_cast<int>(kRows[i].region) != i) return false;
    for (int j = 0; j < i; ++j) {
      if (!ShareMemory(kRows[i].region, kRows[j].region)) continue;
      for (int p = 0; p < kNumPhases; ++p) {
        const auto phase = static_cast<SolvePhase>(p);
        if (IsValidIn(kRows[i].region, phase) &&
            IsValidIn(kRows[j].region, phase)) {
          return false;
        }
      }
    }
  }
  return true;
}
static_assert(TableIsConsistent(),
              "The rows of the table are in the order of WorkspaceRegion, and "
              "regions that share memory are valid in different phases.");

const char* NameOf(SolvePhase phase) {
  static constexpr const char* kNames[kNumPhases] = {
      "kEvaluate",   "kEliminate", "kAssemble",
      "kFillFronts", "kFactorize", "kBackSubstitute"};
  return kNames[static_cast<int>(phase)];
}

// A signalling NaN as a double, and a NaN in both halves as two floats.
void FillWithNan(double* data, std::int64_t size) {
  constexpr std::uint64_t kNan = 0x7FF400007FF40000;
  for (std::int64_t i = 0; i < size; ++i) {
    std::memcpy(data + i, &kNan, sizeof(kNan));
  }
}

void Poison([[maybe_unused]] const double* data,
            [[maybe_unused]] std::int64_t size) {
#if defined(__SANITIZE_ADDRESS__)
  __asan_poison_memory_region(data, size * sizeof(double));
#endif
}

void Unpoison([[maybe_unused]] const double* data,
              [[maybe_unused]] std::int64_t size) {
#if defined(__SANITIZE_ADDRESS__)
  __asan_unpoison_memory_region(data, size * sizeof(double));
#endif
}

}  // namespace

void LazyBuffer::Reserve(std::int64_t size, const Execution* execution) {
  if (size <= size_) return;
  VESTA_CHECK(!is_allocated())
      << "A region of size " << size << " is reserved after memory of size "
      << size_ << " was used.";
  size_ = size;
  execution_.reset();
  if (execution != nullptr) execution_ = *execution;
}

void LazyBuffer::Allocate() {
  if (execution_) {
    buffer_.Resize(*execution_, size_);
  } else {
    buffer_.Resize(size_);
  }
}

SolveWorkspace::~SolveWorkspace() {
  if constexpr (kChecksWorkspace) {
    for (LazyBuffer& buffer : buffers_) {
      if (buffer.is_allocated()) Unpoison(buffer.data(), buffer.size());
    }
  }
}

void SolveWorkspace::Reserve(WorkspaceRegion region, std::int64_t size,
                             const Execution* execution) {
  const bool is_in_largest =
      !kChecksWorkspace && RowOf(region).memory == workspace_table::kLargest;
  if (is_in_largest && largest_ == nullptr) {
    size_in_largest_ = std::max(size_in_largest_, size);
  } else {
    MemoryOf(region).Reserve(size, execution);
  }
}

LazyBuffer& SolveWorkspace::ChooseLargest() {
  largest_ = std::max_element(std::begin(buffers_), std::end(buffers_),
                              [](const LazyBuffer& a, const LazyBuffer& b) {
                                return a.size() < b.size();
                              });
  largest_->Reserve(size_in_largest_, nullptr);
  return *largest_;
}

double* SolveWorkspace::GetChecked(WorkspaceRegion region) {
  VESTA_CHECK(IsValidIn(region, phase_))
      << "Region " << RowOf(region).name
      << " of the workspace is not valid in phase " << NameOf(phase_) << ".";
  LazyBuffer& memory = MemoryOf(region);
  if (!memory.is_allocated()) FillWithNan(memory.data(), memory.size());
  return memory.data();
}

void SolveWorkspace::ChangeValidRegions(SolvePhase next) {
  VESTA_CHECK(next > phase_ || next == SolvePhase::kEliminate ||
              next == SolvePhase::kEvaluate)
      << "Phase " << NameOf(next) << " does not follow " << NameOf(phase_)
      << ".";
  for (const workspace_table::Row& row : kRows) {
    const bool was_valid = IsValidIn(row.region, phase_);
    const bool is_valid = IsValidIn(row.region, next);
    if (was_valid == is_valid) continue;
    LazyBuffer& buffer = MemoryOf(row.region);
    if (!buffer.is_allocated()) continue;
    if (is_valid) {
      Unpoison(buffer.data(), buffer.size());
    } else {
      FillWithNan(buffer.data(), buffer.size());
      Poison(buffer.data(), buffer.size());
    }
  }
}

}  // namespace ceres::internal
