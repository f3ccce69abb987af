// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PROBLEM_BLOCK_POOL_H_
#define CERES_INTERNAL_PROBLEM_BLOCK_POOL_H_

#include <cstddef>
#include <map>
#include <new>
#include <vector>

#include "ceres/base/huge_pages.h"

namespace ceres::internal {

// Memory for many small objects that live about as long as the pool. Objects
// are allocated one behind the other in large chunks, so that consecutive
// objects are neighbours in memory. Freed memory is kept for objects of the
// same size. Not thread-safe.
//
// Objects of up to 64 bytes and a size that divides 64 never cross a cache line
// if the pool holds no others.
class BlockPool {
 public:
  BlockPool() = default;
  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;
  ~BlockPool();

  // Memory for `size` > 0 bytes, aligned for pointers. Throws std::bad_alloc.
  void* Allocate(std::size_t size) {
    size = RoundUp(size);
    if (!free_.empty()) {
      if (void* reused = TakeFree(size)) return reused;
    }
    if (static_cast<std::size_t>(end_ - next_) < size) AddChunk(size);
    void* result = next_;
    next_ += size;
    return result;
  }

  // Frees memory that Allocate(size) returned. Destroys no object. (If there is
  // no memory for the list, the memory is not used again.)
  void Free(void* memory, std::size_t size) noexcept {
    try {
      free_[RoundUp(size)].push_back(memory);
    } catch (const std::bad_alloc&) {
    }
  }

  // Memory for `size` > 0 bytes, aligned for pointers, as a piece of its own.
  // Throws std::bad_alloc.
  void* AllocatePiece(std::size_t size);
  // Frees memory that AllocatePiece returned. Destroys no object.
  void FreePiece(void* memory) noexcept;

  // Whether the address lies in the pool. Logarithmic in the number of chunks.
  bool Contains(const void* address) const;

 private:
  static constexpr std::size_t kChunkAlignment = 64;
  // With the alignment, below 1 kB: allocators cache such sizes.
  static constexpr std::size_t kMinChunkSize = 960;
  static constexpr std::size_t kMaxChunkSize = 2 * kHugePageSize;

  static std::size_t RoundUp(std::size_t size) {
    return (size + alignof(void*) - 1) / alignof(void*) * alignof(void*);
  }
  void* TakeFree(std::size_t size);
  void AddChunk(std::size_t min_size);
  char* NewChunk(std::size_t size);

  struct Chunk {
    std::size_t size;
    void* memory;  // what to delete; the chunk begins at most 63 bytes later
  };
  static void FreeChunk(const Chunk& chunk);
  std::map<const char*, Chunk> chunks_;  // by start
  char* next_ = nullptr;                 // what is left of the last one
  char* end_ = nullptr;
  std::size_t next_chunk_size_ = kMinChunkSize;
  std::map<std::size_t, std::vector<void*>> free_;  // by size
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_PROBLEM_BLOCK_POOL_H_
