// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/problem/block_pool.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <new>

#include "ceres/base/huge_pages.h"

namespace ceres::internal {

BlockPool::~BlockPool() {
  for (const auto& [start, chunk] : chunks_) FreeChunk(chunk);
}

void BlockPool::FreeChunk(const Chunk& chunk) {
  if (chunk.size >= kMinHugeBytes) {
    FreePages(chunk.memory, chunk.size);
  } else {
    ::operator delete(chunk.memory);
  }
}

void* BlockPool::TakeFree(std::size_t size) {
  const auto it = free_.find(size);
  if (it == free_.end() || it->second.empty()) return nullptr;
  void* result = it->second.back();
  it->second.pop_back();
  return result;
}

// Returns the start of the chunk.
char* BlockPool::NewChunk(std::size_t size) {
  // Aligned here: for small problems this is faster than an aligned allocation.
  std::size_t space = size + kChunkAlignment - 1;
  void* const memory =
      size >= kMinHugeBytes ? AllocatePages(size) : ::operator new(space);
  void* aligned = memory;
  if (size < kMinHugeBytes) std::align(kChunkAlignment, size, aligned, space);
  char* start = static_cast<char*>(aligned);
  try {
    chunks_.emplace(start, Chunk{size, memory});
  } catch (...) {
    FreeChunk({size, memory});
    throw;
  }
  return start;
}

void* BlockPool::AllocatePiece(std::size_t size) {
  return NewChunk(RoundUp(size));
}

void BlockPool::FreePiece(void* memory) noexcept {
  const auto it = chunks_.find(static_cast<const char*>(memory));
  FreeChunk(it->second);
  chunks_.erase(it);
}

void BlockPool::AddChunk(std::size_t min_size) {
  const std::size_t size = std::max(next_chunk_size_, min_size);
  char* const start = NewChunk(size);
  // A request of a kilobyte makes allocators merge all their small free blocks,
  // which takes longer than building a small problem.
  constexpr std::size_t kNumSmallChunks = 4;
  if (chunks_.size() >= kNumSmallChunks) {
    next_chunk_size_ = std::min(2 * next_chunk_size_, kMaxChunkSize);
  }
  next_ = start;
  end_ = start + size;
}

bool BlockPool::Contains(const void* address) const {
  const char* p = static_cast<const char*>(address);
  auto it = chunks_.upper_bound(p);
  if (it == chunks_.begin()) return false;
  --it;
  return std::less<const char*>()(p, it->first + it->second.size);
}

}  // namespace ceres::internal
