// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/problem/block_pool.h"

#include <algorithm>
#include <functional>

namespace ceres::internal {

BlockPool::~BlockPool() {
  for (const auto& chunk : chunks_) {
    ::operator delete(const_cast<char*>(chunk.first), kChunkAlignment);
  }
}

void* BlockPool::TakeFree(std::size_t size) {
  const auto it = free_.find(size);
  if (it == free_.end() || it->second.empty()) return nullptr;
  void* result = it->second.back();
  it->second.pop_back();
  return result;
}

void BlockPool::AddChunk(std::size_t min_size) {
  const std::size_t size = std::max(next_chunk_size_, min_size);
  char* start = static_cast<char*>(::operator new(size, kChunkAlignment));
  chunks_.emplace(start, size);
  next_chunk_size_ = std::min(2 * next_chunk_size_, kMaxChunkSize);
  next_ = start;
  end_ = start + size;
}

bool BlockPool::Contains(const void* address) const {
  const char* p = static_cast<const char*>(address);
  auto it = chunks_.upper_bound(p);
  if (it == chunks_.begin()) return false;
  --it;
  return std::less<const char*>()(p, it->first + it->second);
}

}  // namespace ceres::internal
