// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_DISTRIBUTED_RANK_GROUP_H_
#define CERES_INTERNAL_DISTRIBUTED_RANK_GROUP_H_

#include <mpi.h>

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ceres::internal {

// The phases by which bytes are counted.
enum class Phase { kSetup, kEvaluation, kReducedSystem, kStep, kDecision };
inline constexpr int kNumPhases = 5;

// The ranks of a distributed computation, and their collective exchanges. The
// only class that calls MPI. Every function is collective, and is called by one
// thread.
//
// Exchanges are nonblocking operations that are waited for with a time limit.
// If the limit passes, or if MPI reports an error, the rank prints a message
// and ends the job (MPI_Abort): no rank waits for a rank that is gone. While a
// rank waits, it yields its CPU.
class RankGroup {
 public:
  // Duplicates `comm`. timeout_seconds: 0 for no limit.
  RankGroup(MPI_Comm comm, double timeout_seconds);
  ~RankGroup();
  RankGroup(const RankGroup&) = delete;
  RankGroup& operator=(const RankGroup&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  // The rank that solves gathered systems.
  static constexpr int kRoot = 0;
  bool is_root() const { return rank_ == kRoot; }

  // Gathers one value of each rank, by rank.
  template <typename T>
  std::vector<T> Gather(Phase phase, const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> all(size_);
    GatherBytes(phase, &value, sizeof(T), all.data());
    return all;
  }
  // Gathers the lists of all ranks, one behind the other, by rank. first: null,
  // or the start of the list of each rank, +1.
  template <typename T>
  std::vector<T> GatherLists(Phase phase, const std::vector<T>& list,
                             std::vector<std::int64_t>* first = nullptr) {
    static_assert(std::is_trivially_copyable_v<T>);
    const std::vector<std::int64_t> sizes =
        Gather(phase, static_cast<std::int64_t>(list.size()));
    std::vector<std::int64_t> offsets = {0};
    for (const std::int64_t size : sizes) {
      offsets.push_back(offsets.back() + size);
    }
    std::vector<T> all(offsets.back());
    GatherListBytes(phase, list.data(), sizeof(T), offsets, all.data());
    if (first != nullptr) *first = std::move(offsets);
    return all;
  }
  // Gathers doubles: rank r has those at [first[r], first[r + 1]) of `all`.
  void GatherDoubles(Phase phase, const double* mine,
                     const std::vector<std::int64_t>& first, double* all);
  // Likewise, on the root alone; `all` is read on the root alone.
  void GatherDoublesOnRoot(Phase phase, const double* mine,
                           const std::vector<std::int64_t>& first, double* all);
  // Sends [send_first[r], send_first[r + 1]) of `send` to rank r, and receives
  // [receive_first[r], receive_first[r + 1]) from it.
  template <typename T>
  void Exchange(Phase phase, const T* send,
                const std::vector<std::int64_t>& send_first, T* receive,
                const std::vector<std::int64_t>& receive_first) {
    static_assert(std::is_trivially_copyable_v<T>);
    ExchangeBytes(phase, send, sizeof(T), send_first, receive, receive_first);
  }
  // Sends values of one rank to all.
  void Broadcast(Phase phase, int from, std::int64_t size, double* values);
  void Broadcast(Phase phase, int from, std::string* text);

  // For libraries that use MPI themselves.
  MPI_Comm comm() const { return comm_; }

  // Ends the job of all ranks after a message. Not collective.
  [[noreturn]] void EndJob(const std::string& reason);

  std::int64_t bytes(Phase phase) const {
    return bytes_[static_cast<int>(phase)];
  }
  double waiting_seconds() const { return waiting_seconds_; }

 private:
  void GatherBytes(Phase phase, const void* mine, std::size_t size, void* all);
  void GatherListBytes(Phase phase, const void* mine, std::size_t item_size,
                       const std::vector<std::int64_t>& first, void* all);
  void ExchangeBytes(Phase phase, const void* send, std::size_t item_size,
                     const std::vector<std::int64_t>& send_first, void* receive,
                     const std::vector<std::int64_t>& receive_first);
  void Count(Phase phase, std::int64_t bytes) {
    bytes_[static_cast<int>(phase)] += bytes;
  }
  void CheckMpi(int code, const char* what);
  void Wait(MPI_Request* request, const char* what);

  MPI_Comm comm_ = MPI_COMM_NULL;
  const double timeout_seconds_;
  int rank_ = 0;
  int size_ = 1;
  std::int64_t bytes_[kNumPhases] = {};
  double waiting_seconds_ = 0.0;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_DISTRIBUTED_RANK_GROUP_H_
