// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/detail/graph_arena.h"

#include <algorithm>
#include <new>

#include "ceres/base/platform.h"

namespace ceres::parallel::detail {
namespace {

constexpr std::size_t kMaxRegionPages =
    (std::size_t{64} << 20) / GraphPage::kSize;
// From this size on, regions consist of huge pages where the system has them:
// the first touch of fresh memory costs several times as much in small ones.
constexpr std::size_t kHugePage = std::size_t{2} << 20;

std::align_val_t Alignment(std::size_t bytes) {
  return std::align_val_t{bytes >= kHugePage ? kHugePage : GraphPage::kSize};
}

char* NewRegion(std::size_t bytes) {
  void* const memory = ::operator new(bytes, Alignment(bytes));
  if (bytes >= kHugePage) platform::AdviseHugePages(memory, bytes);
  return static_cast<char*>(memory);
}

}  // namespace

static_assert(sizeof(GraphPage) <= GraphPage::kHeadSize);

GraphArena::~GraphArena() {
  for (const Region& region : regions_) {
    const std::size_t bytes = region.num_pages * GraphPage::kSize;
    ::operator delete(region.begin, Alignment(bytes));
  }
}

void GraphArena::AddNodePage(std::size_t node_size) {
  const std::size_t needed = GraphPage::kHeadSize + node_size;
  const std::size_t count = (needed + GraphPage::kSize - 1) / GraphPage::kSize;
  char* const memory = TakePages(count);
  auto* const page =
      new (memory) GraphPage{graph_, nullptr, num_nodes_, nullptr};
  if (last_page_ != nullptr) {
    last_page_->end = node_next_;
    last_page_->next = page;
  } else {
    first_page_ = page;
  }
  last_page_ = page;
  node_next_ = page->begin();
  // Also in a run of pages: only the first one has a head, so no other node may
  // begin in the others.
  node_end_ = memory + GraphPage::kSize;
}

GraphEdges* GraphArena::NewEdges(std::uint32_t capacity) {
  const std::size_t size = sizeof(GraphEdges) + capacity * sizeof(GraphNode*);
  if (size > static_cast<std::size_t>(edges_end_ - edges_next_)) {
    edges_next_ = TakePages(1);
    edges_end_ = edges_next_ + GraphPage::kSize;
  }
  auto* const edges = new (edges_next_) GraphEdges{nullptr, 0, capacity};
  edges_next_ += size;
  return edges;
}

char* GraphArena::TakePages(std::size_t count) {
  while (region_ < regions_.size() &&
         regions_[region_].num_pages - num_taken_ < count) {
    ++region_;
    num_taken_ = 0;
  }
  if (region_ == regions_.size()) AddRegion(count);
  char* const pages = regions_[region_].begin + num_taken_ * GraphPage::kSize;
  num_taken_ += count;
  return pages;
}

void GraphArena::AddRegion(std::size_t num_pages) {
  if (!regions_.empty()) {
    num_pages = std::max(
        num_pages, std::min(2 * regions_.back().num_pages, kMaxRegionPages));
  }
  regions_.reserve(regions_.size() + 1);
  regions_.push_back({NewRegion(num_pages * GraphPage::kSize), num_pages});
}

void GraphArena::Clear() {
  node_next_ = node_end_ = nullptr;
  edges_next_ = edges_end_ = nullptr;
  num_nodes_ = 0;
  first_page_ = last_page_ = nullptr;
  region_ = num_taken_ = 0;
}

}  // namespace ceres::parallel::detail
