// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/distributed/rank_group.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <thread>

#include "ceres/base/format.h"

namespace ceres::internal {
namespace {

// Tests without pause, and the pause between later tests.
constexpr int kNumEagerTests = 200;
constexpr int kNumYieldingTests = 2000;
constexpr std::chrono::microseconds kPause(50);

// MPI counts in int. Larger messages are counted in items of this many bytes.
constexpr std::size_t kItem = 8;

std::vector<int> Counts(const std::vector<std::int64_t>& first) {
  std::vector<int> counts;
  for (std::size_t r = 0; r + 1 < first.size(); ++r) {
    counts.push_back(static_cast<int>(first[r + 1] - first[r]));
  }
  return counts;
}

std::vector<int> Starts(const std::vector<std::int64_t>& first) {
  return std::vector<int>(first.begin(), first.end() - 1);
}

// A type of `size` bytes.
class ItemType {
 public:
  explicit ItemType(std::size_t size) {
    MPI_Type_contiguous(static_cast<int>(size), MPI_BYTE, &type_);
    MPI_Type_commit(&type_);
  }
  ~ItemType() { MPI_Type_free(&type_); }
  ItemType(const ItemType&) = delete;
  ItemType& operator=(const ItemType&) = delete;
  MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_;
};

}  // namespace

RankGroup::RankGroup(MPI_Comm comm, double timeout_seconds)
    : timeout_seconds_(timeout_seconds) {
  MPI_Comm_rank(comm, &rank_);
  MPI_Comm_size(comm, &size_);
  MPI_Request request;
  CheckMpi(MPI_Comm_idup(comm, &comm_, &request), "MPI_Comm_idup");
  Wait(&request, "the start of distributed::Solve");
  MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
}

RankGroup::~RankGroup() { MPI_Comm_free(&comm_); }

void RankGroup::GatherBytes(Phase phase, const void* mine, std::size_t size,
                            void* all) {
  Count(phase, static_cast<std::int64_t>(size) * (size_ - 1));
  const int count = static_cast<int>(size);
  MPI_Request request;
  CheckMpi(MPI_Iallgather(mine, count, MPI_BYTE, all, count, MPI_BYTE, comm_,
                          &request),
           "MPI_Iallgather");
  Wait(&request, "a value of each rank");
}

void RankGroup::GatherListBytes(Phase phase, const void* mine,
                                std::size_t item_size,
                                const std::vector<std::int64_t>& first,
                                void* all) {
  if (first.back() > std::numeric_limits<int>::max()) {
    EndJob(Format("A list of %lld items is longer than MPI can gather.",
                  static_cast<long long>(first.back())));
  }
  const std::vector<int> counts = Counts(first);
  const std::vector<int> starts = Starts(first);
  Count(phase,
        static_cast<std::int64_t>(item_size) * counts[rank_] * (size_ - 1));
  const ItemType type(item_size);
  MPI_Request request;
  CheckMpi(MPI_Iallgatherv(mine, counts[rank_], type.get(), all, counts.data(),
                           starts.data(), type.get(), comm_, &request),
           "MPI_Iallgatherv");
  Wait(&request, "the lists of all ranks");
}

void RankGroup::GatherDoubles(Phase phase, const double* mine,
                              const std::vector<std::int64_t>& first,
                              double* all) {
  static_assert(sizeof(double) == kItem);
  GatherListBytes(phase, mine, kItem, first, all);
}

void RankGroup::GatherDoublesOnRoot(Phase phase, const double* mine,
                                    const std::vector<std::int64_t>& first,
                                    double* all) {
  if (first.back() > std::numeric_limits<int>::max()) {
    EndJob(Format("A system of %lld values is larger than MPI can gather.",
                  static_cast<long long>(first.back())));
  }
  const std::vector<int> counts = Counts(first);
  const std::vector<int> starts = Starts(first);
  if (!is_root()) Count(phase, std::int64_t{kItem} * counts[rank_]);
  MPI_Request request;
  CheckMpi(MPI_Igatherv(mine, counts[rank_], MPI_DOUBLE, all, counts.data(),
                        starts.data(), MPI_DOUBLE, kRoot, comm_, &request),
           "MPI_Igatherv");
  Wait(&request, "the reduced system");
}

void RankGroup::ExchangeBytes(Phase phase, const void* send,
                              std::size_t item_size,
                              const std::vector<std::int64_t>& send_first,
                              void* receive,
                              const std::vector<std::int64_t>& receive_first) {
  if (std::max(send_first.back(), receive_first.back()) >
      std::numeric_limits<int>::max()) {
    EndJob("A rank exchanges more than 2^31 items at once.");
  }
  const std::vector<int> send_counts = Counts(send_first);
  const std::vector<int> send_starts = Starts(send_first);
  const std::vector<int> receive_counts = Counts(receive_first);
  const std::vector<int> receive_starts = Starts(receive_first);
  Count(phase, static_cast<std::int64_t>(item_size) *
                   (send_first.back() - send_counts[rank_]));
  const ItemType type(item_size);
  MPI_Request request;
  CheckMpi(MPI_Ialltoallv(send, send_counts.data(), send_starts.data(),
                          type.get(), receive, receive_counts.data(),
                          receive_starts.data(), type.get(), comm_, &request),
           "MPI_Ialltoallv");
  Wait(&request, "an exchange between all ranks");
}

void RankGroup::Broadcast(Phase phase, int from, std::int64_t size,
                          double* values) {
  if (rank_ == from) Count(phase, std::int64_t{kItem} * size * (size_ - 1));
  MPI_Request request;
  CheckMpi(MPI_Ibcast(values, static_cast<int>(size), MPI_DOUBLE, from, comm_,
                      &request),
           "MPI_Ibcast");
  Wait(&request, "values of one rank");
}

void RankGroup::Broadcast(Phase phase, int from, std::string* text) {
  double size = static_cast<double>(text->size());
  Broadcast(phase, from, 1, &size);
  text->resize(static_cast<std::size_t>(size));
  if (rank_ == from) {
    Count(phase, static_cast<std::int64_t>(text->size()) * (size_ - 1));
  }
  MPI_Request request;
  CheckMpi(MPI_Ibcast(text->data(), static_cast<int>(text->size()), MPI_CHAR,
                      from, comm_, &request),
           "MPI_Ibcast");
  Wait(&request, "a message of one rank");
}

void RankGroup::CheckMpi(int code, const char* what) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(code, text, &length);
  EndJob(Format("%s failed: %s.", what, text));
}

void RankGroup::Wait(MPI_Request* request, const char* what) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  double seconds = 0.0;
  for (int num_tests = 0;;) {
    int is_complete = 0;
    CheckMpi(MPI_Test(request, &is_complete, MPI_STATUS_IGNORE), what);
    if (is_complete != 0) break;
    if (num_tests < kNumYieldingTests) {
      if (++num_tests > kNumEagerTests) std::this_thread::yield();
      continue;
    }
    std::this_thread::sleep_for(kPause);
    seconds = std::chrono::duration<double>(Clock::now() - start).count();
    if (timeout_seconds_ > 0.0 && seconds > timeout_seconds_) {
      EndJob(
          Format("it waited %.3g s for the other ranks (%s). A rank has died, "
                 "hangs, or does not call distributed::Solve. If it is only "
                 "slow, increase "
                 "distributed::Options::communication_timeout_in_seconds.",
                 seconds, what));
    }
  }
  waiting_seconds_ +=
      std::chrono::duration<double>(Clock::now() - start).count();
}

void RankGroup::EndJob(const std::string& reason) {
  std::fprintf(stderr, "ceres::distributed: rank %d of %d ends the job: %s\n",
               rank_, size_, reason.c_str());
  std::fflush(stderr);
  MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  std::abort();
}

}  // namespace ceres::internal
