// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_MODELS_MODEL_MEMORY_H_
#define CERES_INTERNAL_PARALLEL_MODELS_MODEL_MEMORY_H_

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

// For tests: the memory that simulated threads share (protocol_explorer.h).
//
// The memory is that of C++20, by views (Kang et al., "A promising semantics
// for relaxed-memory concurrency", POPL 2017, without promises):
//
//  - An atomic location is the list of the messages that were stored there.
//    A message is a value and a view. A view says, for each location, which
//    message is the oldest that may still be read.
//  - Each thread has a view. A load may read any message that is not older than
//    the thread's view allows: stores are seen late, and in different orders by
//    different threads. A read-modify-write reads the newest message.
//  - A release puts the thread's view into the message, an acquire adds the
//    message's view to the thread's. A read-modify-write passes the view of
//    the message that it reads on (release sequences).
//  - Sequentially consistent accesses and fences also share one view, which
//    covers atomic locations only.
//
// Plain data have one value. A view also records which writes to plain data,
// and which reads by each thread, happen before its holder goes on. An access
// that does not follow all conflicting ones is a data race.
//
// Not modelled: loads that read from stores that come later in the program
// (load buffering), stores that enter a location's order before older ones,
// compare-exchanges that fail spuriously or on an older value.

namespace ceres::parallel::testing_internal {

inline constexpr int kMaxModelThreads = 4;

inline std::uint64_t Mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ (hash >> 29);
}

// For each slot of a location, a count of events. Earlier events happen before.
struct View {
  static constexpr int kSlots = 256;
  std::array<std::uint8_t, kSlots> seen{};

  void Join(const View& other, int slots) {
    for (int k = 0; k < slots; ++k) {
      seen[k] = std::max(seen[k], other.seen[k]);
    }
  }
};

struct Message {
  std::uint64_t value = 0;
  View view;
};

enum class LocationKind : std::uint8_t { kAtomic, kPlain, kGhost };

// An atomic location has one slot, which counts its messages. Plain data have a
// slot for writes and one for the reads of each thread.
struct Location {
  LocationKind kind = LocationKind::kAtomic;
  bool alive = false;
  const void* address = nullptr;
  std::size_t size = 0;  // Of plain data and ghosts.
  int slot = 0;
  std::vector<Message> messages;

  int Newest() const { return static_cast<int>(messages.size()) - 1; }
};

// How a location is accessed, in any execution.
struct Usage {
  unsigned threads = 0;  // By which simulated threads.
  unsigned loaders = 0;  // Which of them load.
  bool is_stored = false;
  // Loads that may read an old message, by their orders.
  bool has_loads = false;
  bool has_seq_cst_loads = false;

  bool IsShared() const { return is_stored && (threads & (threads - 1)) != 0; }
  // Returns whether the access is of a new kind.
  bool Add(int thread, const Usage& access) {
    const Usage old = *this;
    threads |= 1u << thread;
    if (access.has_loads || access.has_seq_cst_loads) loaders |= 1u << thread;
    is_stored |= access.is_stored;
    has_loads |= access.has_loads;
    has_seq_cst_loads |= access.has_seq_cst_loads;
    return threads != old.threads || loaders != old.loaders ||
           is_stored != old.is_stored || has_loads != old.has_loads ||
           has_seq_cst_loads != old.has_seq_cst_loads;
  }
};

// The stores that a thread has seen, and what fences add to this view or to its
// stores.
struct ThreadViews {
  View now;
  View acquired_by_fence;
  View released_by_fence;
};

inline bool IsAcquire(std::memory_order order) {
  return order != std::memory_order_relaxed &&
         order != std::memory_order_release;
}
inline bool IsRelease(std::memory_order order) {
  return order == std::memory_order_release ||
         order == std::memory_order_acq_rel ||
         order == std::memory_order_seq_cst;
}
inline bool IsSeqCst(std::memory_order order) {
  return order == std::memory_order_seq_cst;
}

// The memory of a model. Thread kMaxModelThreads makes the objects, and checks
// them when all other threads have ended.
class ModelMemory {
 public:
  static constexpr int kMainThread = kMaxModelThreads;

  void Reset();
  // Returns the id of the location, or -1 if there are too many.
  int Add(LocationKind kind, const void* address, std::size_t size,
          std::uint64_t value, int thread);
  void Remove(int id) { locations_[id].alive = false; }
  bool IsAlive(int id, const void* address) const {
    return id >= 0 && id < num_locations_ && locations_[id].alive &&
           locations_[id].address == address;
  }

  // All threads begin with what main has seen. Main ends with what all threads
  // have seen.
  void BeginThreads(int num_threads);
  void EndThreads(int num_threads);

  int NumReadable(int thread, int id, std::memory_order order) const {
    const Location& location = locations_[id];
    int oldest = views_[thread].now.seen[location.slot];
    if (IsSeqCst(order)) {
      oldest = std::max<int>(oldest, seq_cst_.seen[location.slot]);
    }
    return location.Newest() - oldest + 1;
  }
  std::uint64_t Newest(int id) const {
    return locations_[id].messages.back().value;
  }
  // Reads the message that has `age` newer ones.
  std::uint64_t Load(int thread, int id, int age, std::memory_order order);
  void Store(int thread, int id, std::uint64_t value, std::memory_order order);
  // Replaces the newest message.
  void Modify(int thread, int id, std::uint64_t value, std::memory_order order);
  void Fence(int thread, std::memory_order order);
  // Makes all stores visible to the thread.
  void SeeNewestValues(int thread);

  // False: a data race.
  bool ReadPlain(int thread, int id);
  bool WritePlain(int thread, int id);

  // True once a location has more events than a view can count.
  bool is_full() const { return is_full_; }

  // A hash of everything on which later events depend. Views of threads that
  // have ended do not count.
  std::uint64_t Hash(int num_threads, unsigned ended,
                     const std::vector<Usage>& usage) const;

 private:
  void Append(int thread, int id, std::uint64_t value, const View& view);
  std::uint8_t Count(int slot);
  View OldestRelevant(int num_threads, unsigned ended,
                      const std::vector<Usage>& usage) const;
  int OldestReadable(int slot, const Usage& usage, int num_threads,
                     unsigned ended) const;
  std::uint64_t HashView(std::uint64_t hash, const View& view,
                         const View& oldest) const;

  std::vector<Location> locations_;
  int num_locations_ = 0;
  int num_slots_ = 0;
  bool is_full_ = false;
  View atomics_;  // 1 in the slots of atomic locations.
  View newest_;   // Of all slots.
  View seq_cst_;
  std::array<ThreadViews, kMaxModelThreads + 1> views_;
};

inline void ModelMemory::Reset() {
  for (int k = 0; k < num_locations_; ++k) locations_[k].messages.clear();
  num_locations_ = 0;
  num_slots_ = 0;
  is_full_ = false;
  atomics_ = newest_ = seq_cst_ = View{};
  views_ = {};
}

inline int ModelMemory::Add(LocationKind kind, const void* address,
                            std::size_t size, std::uint64_t value, int thread) {
  const int slots = kind == LocationKind::kAtomic  ? 1
                    : kind == LocationKind::kPlain ? kMaxModelThreads + 2
                                                   : 0;
  if (num_slots_ + slots > View::kSlots) return -1;
  const int id = num_locations_++;
  if (num_locations_ > static_cast<int>(locations_.size())) {
    locations_.emplace_back();
  }
  Location& location = locations_[id];
  location.kind = kind;
  location.alive = true;
  location.address = address;
  location.size = size;
  location.slot = num_slots_;
  num_slots_ += slots;
  if (kind == LocationKind::kAtomic) {
    atomics_.seen[location.slot] = 1;
    location.messages.emplace_back();
    location.messages.back().value = value;
  } else if (kind == LocationKind::kPlain) {
    WritePlain(thread, id);
  }
  return id;
}

inline void ModelMemory::BeginThreads(int num_threads) {
  for (int k = 0; k < num_threads; ++k) views_[k] = views_[kMainThread];
}

inline void ModelMemory::EndThreads(int num_threads) {
  for (int k = 0; k < num_threads; ++k) {
    views_[kMainThread].now.Join(views_[k].now, num_slots_);
  }
}

inline std::uint8_t ModelMemory::Count(int slot) {
  if (newest_.seen[slot] == 255) {
    is_full_ = true;
  } else {
    ++newest_.seen[slot];
  }
  return newest_.seen[slot];
}

inline std::uint64_t ModelMemory::Load(int thread, int id, int age,
                                       std::memory_order order) {
  Location& location = locations_[id];
  ThreadViews& views = views_[thread];
  const int index = location.Newest() - age;
  const Message& message = location.messages[index];
  std::uint8_t& seen = views.now.seen[location.slot];
  seen = std::max(seen, static_cast<std::uint8_t>(index));
  (IsAcquire(order) ? views.now : views.acquired_by_fence)
      .Join(message.view, num_slots_);
  if (IsSeqCst(order)) {
    std::uint8_t& common = seq_cst_.seen[location.slot];
    common = std::max(common, static_cast<std::uint8_t>(index));
  }
  return message.value;
}

inline void ModelMemory::Append(int thread, int id, std::uint64_t value,
                                const View& view) {
  Location& location = locations_[id];
  const std::uint8_t index = Count(location.slot);
  views_[thread].now.seen[location.slot] = index;
  location.messages.push_back({value, view});
  location.messages.back().view.seen[location.slot] = index;
}

inline void ModelMemory::Store(int thread, int id, std::uint64_t value,
                               std::memory_order order) {
  const ThreadViews& views = views_[thread];
  const View view = IsRelease(order) ? views.now : views.released_by_fence;
  Append(thread, id, value, view);
  if (IsSeqCst(order)) {
    const int slot = locations_[id].slot;
    seq_cst_.seen[slot] = newest_.seen[slot];
  }
}

inline void ModelMemory::Modify(int thread, int id, std::uint64_t value,
                                std::memory_order order) {
  Load(thread, id, 0, order);
  const ThreadViews& views = views_[thread];
  View view = IsRelease(order) ? views.now : views.released_by_fence;
  view.Join(locations_[id].messages.back().view, num_slots_);
  Append(thread, id, value, view);
  if (IsSeqCst(order)) {
    const int slot = locations_[id].slot;
    seq_cst_.seen[slot] = newest_.seen[slot];
  }
}

inline void ModelMemory::Fence(int thread, std::memory_order order) {
  ThreadViews& views = views_[thread];
  if (IsAcquire(order)) {
    views.now.Join(views.acquired_by_fence, num_slots_);
  }
  if (IsSeqCst(order)) {
    for (int k = 0; k < num_slots_; ++k) {
      if (atomics_.seen[k] == 0) continue;
      views.now.seen[k] = seq_cst_.seen[k] =
          std::max(views.now.seen[k], seq_cst_.seen[k]);
    }
  }
  if (IsRelease(order)) views.released_by_fence = views.now;
}

inline void ModelMemory::SeeNewestValues(int thread) {
  View& view = views_[thread].now;
  for (int k = 0; k < num_slots_; ++k) {
    if (atomics_.seen[k] != 0) view.seen[k] = newest_.seen[k];
  }
}

inline bool ModelMemory::ReadPlain(int thread, int id) {
  const int slot = locations_[id].slot;
  View& view = views_[thread].now;
  if (view.seen[slot] != newest_.seen[slot]) return false;
  const int reads = slot + 1 + thread;
  view.seen[reads] = Count(reads);
  return true;
}

inline bool ModelMemory::WritePlain(int thread, int id) {
  const int slot = locations_[id].slot;
  View& view = views_[thread].now;
  for (int k = slot; k < slot + kMaxModelThreads + 2; ++k) {
    if (view.seen[k] != newest_.seen[k]) return false;
  }
  view.seen[slot] = Count(slot);
  return true;
}

// The oldest message that a thread that loads may still read.
inline int ModelMemory::OldestReadable(int slot, const Usage& usage,
                                       int num_threads, unsigned ended) const {
  if (!usage.has_loads && !usage.has_seq_cst_loads) return newest_.seen[slot];
  int oldest = newest_.seen[slot];
  for (int thread = 0; thread < num_threads; ++thread) {
    if ((usage.loaders & ~ended & 1u << thread) == 0) continue;
    oldest = std::min<int>(oldest, views_[thread].now.seen[slot]);
  }
  if (!usage.has_loads) oldest = std::max<int>(oldest, seq_cst_.seen[slot]);
  return oldest;
}

// For plain data, all counts but the full one are equal: only whether a thread
// has seen all events matters.
inline View ModelMemory::OldestRelevant(int num_threads, unsigned ended,
                                        const std::vector<Usage>& usage) const {
  View oldest;
  for (int k = 0; k < num_slots_; ++k) {
    oldest.seen[k] =
        static_cast<std::uint8_t>(std::max(1, +newest_.seen[k]) - 1);
  }
  for (int id = 0; id < num_locations_; ++id) {
    const Location& location = locations_[id];
    if (location.kind != LocationKind::kAtomic) continue;
    const Usage used =
        id < static_cast<int>(usage.size()) ? usage[id] : Usage{};
    oldest.seen[location.slot] = static_cast<std::uint8_t>(
        OldestReadable(location.slot, used, num_threads, ended));
  }
  return oldest;
}

inline std::uint64_t ModelMemory::HashView(std::uint64_t hash, const View& view,
                                           const View& oldest) const {
  View relative;
  for (int k = 0; k < num_slots_; ++k) {
    relative.seen[k] = static_cast<std::uint8_t>(
        std::max(view.seen[k], oldest.seen[k]) - oldest.seen[k]);
  }
  for (int k = 0; k < num_slots_; k += 8) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, &relative.seen[k], sizeof(eight));
    hash = Mix(hash, eight);
  }
  return hash;
}

inline std::uint64_t ModelMemory::Hash(int num_threads, unsigned ended,
                                       const std::vector<Usage>& usage) const {
  const View oldest = OldestRelevant(num_threads, ended, usage);
  std::uint64_t hash = HashView(num_locations_, seq_cst_, oldest);
  for (int thread = 0; thread < num_threads; ++thread) {
    if ((ended >> thread & 1) != 0) continue;
    const ThreadViews& views = views_[thread];
    hash = HashView(Mix(hash, thread), views.now, oldest);
    hash = HashView(hash, views.acquired_by_fence, oldest);
    hash = HashView(hash, views.released_by_fence, oldest);
  }
  for (int id = 0; id < num_locations_; ++id) {
    const Location& location = locations_[id];
    if (!location.alive) continue;
    hash = Mix(hash, static_cast<std::uint64_t>(id) + 1);
    if (location.kind == LocationKind::kAtomic) {
      for (int k = oldest.seen[location.slot]; k <= location.Newest(); ++k) {
        hash = Mix(hash, location.messages[k].value);
        hash = HashView(hash, location.messages[k].view, oldest);
      }
      continue;
    }
    const auto* bytes = static_cast<const unsigned char*>(location.address);
    for (std::size_t k = 0; k < location.size; ++k) hash = Mix(hash, bytes[k]);
  }
  return hash;
}

}  // namespace ceres::parallel::testing_internal

#endif  // CERES_INTERNAL_PARALLEL_MODELS_MODEL_MEMORY_H_
