// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/distributed/tree_sum.h"

#include <algorithm>
#include <utility>

#include "ceres/linear/vector_ops.h"
#include "ceres/logging/logging.h"

namespace ceres::internal {
namespace {

// Appends values [from, from + size) -> [to, to + size), to the last run if
// they continue it.
template <typename Run>
void AppendRun(std::int64_t from, std::int64_t to, std::int64_t size,
               std::vector<Run>* runs) {
  if (!runs->empty()) {
    Run& last = runs->back();
    if (last.from + last.size == from && last.to + last.size == to) {
      last.size += size;
      return;
    }
  }
  runs->push_back({from, to, size});
}

// Writes an array of `size` doubles that has the runs of `from`, and zeros
// between them, or adds it to `array`. Zeros are added, too: the sum of -0.0
// and 0.0 must not depend on who has the entry.
template <typename Run>
void PutRuns(const std::vector<Run>& runs, const double* from,
             std::int64_t size, ArraySum::Use use, double* array) {
  const bool adds = use == ArraySum::Use::kAdd;
  const auto put_zeros = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      array[i] = adds ? array[i] + 0.0 : 0.0;
    }
  };
  std::int64_t end = 0;
  for (const Run& run : runs) {
    put_zeros(end, run.to);
    const double* const values = from + run.from;
    double* const to = array + run.to;
    for (std::int64_t i = 0; i < run.size; ++i) {
      to[i] = adds ? to[i] + values[i] : values[i];
    }
    end = run.to + run.size;
  }
  put_zeros(end, size);
}

}  // namespace

TreeSum::TreeSum(RankGroup* ranks, const LeafTree& tree,
                 const std::vector<int>& local_leaves,
                 const std::vector<std::vector<int>>& entries_of_leaf,
                 std::vector<std::int64_t> first_value,
                 const Execution& execution)
    : ranks_(ranks),
      tree_(tree),
      local_leaves_(local_leaves),
      first_value_(std::move(first_value)),
      execution_(execution) {
  FindLocalEntries(entries_of_leaf);
  CutIntoChunks();
  ExchangeEntries();
  for (const LeafRange& node : tree_.whole_nodes()) {
    if (tree_.owner(node.begin) == ranks_->rank()) local_nodes_.push_back(node);
  }
  node_sums_.resize(local_nodes_.size());
  for (AlignedBuffer& sum : node_sums_) sum.Resize(local_first_.back());
  std::int64_t largest = 0;
  for (const LeafPlaces& places : leaf_places_) {
    largest = std::max(largest, places.size);
  }
  leaf_values_.Resize(largest);
}

void TreeSum::FindLocalEntries(
    const std::vector<std::vector<int>>& entries_of_leaf) {
  for (const std::vector<int>& entries : entries_of_leaf) {
    std::vector<int> merged;
    merged.reserve(local_entries_.size() + entries.size());
    std::set_union(local_entries_.begin(), local_entries_.end(),
                   entries.begin(), entries.end(), std::back_inserter(merged));
    local_entries_ = std::move(merged);
  }
  local_first_ = {0};
  for (const int entry : local_entries_) {
    local_first_.push_back(local_first_.back() + first_value_[entry + 1] -
                           first_value_[entry]);
  }
  for (const std::vector<int>& entries : entries_of_leaf) {
    LeafPlaces& places = leaf_places_.emplace_back();
    std::size_t position = 0;
    for (const int entry : entries) {
      while (local_entries_[position] != entry) ++position;
      const std::int64_t size = first_value_[entry + 1] - first_value_[entry];
      AppendRun(places.size, local_first_[position], size, &places.runs);
      places.size += size;
    }
  }
}

// Chunks of about the same number of values.
void TreeSum::CutIntoChunks() {
  const int num_ranks = ranks_->size();
  for (int r = 0; r <= num_ranks; ++r) {
    const std::int64_t target = first_value_.back() / num_ranks * r;
    const auto place = r == num_ranks
                           ? first_value_.end() - 1
                           : std::lower_bound(first_value_.begin(),
                                              first_value_.end(), target);
    chunk_first_entry_.push_back(
        static_cast<int>(place - first_value_.begin()));
    chunk_first_value_.push_back(*place);
    local_chunk_.push_back(static_cast<int>(
        std::lower_bound(local_entries_.begin(), local_entries_.end(),
                         chunk_first_entry_.back()) -
        local_entries_.begin()));
  }
}

// Tells the owner of each chunk which entries this rank has there.
void TreeSum::ExchangeEntries() {
  const int num_ranks = ranks_->size();
  const std::vector<std::int64_t> send_first(local_chunk_.begin(),
                                             local_chunk_.end());
  // By receiver: the numbers of entries that all ranks send.
  std::vector<std::int64_t> send_sizes;
  std::vector<std::int64_t> one_each = {0};
  for (int r = 0; r < num_ranks; ++r) {
    send_sizes.push_back(send_first[r + 1] - send_first[r]);
    one_each.push_back(r + 1);
  }
  std::vector<std::int64_t> receive_sizes(num_ranks);
  ranks_->Exchange(Phase::kSetup, send_sizes.data(), one_each,
                   receive_sizes.data(), one_each);
  std::vector<std::int64_t> receive_first = {0};
  for (const std::int64_t size : receive_sizes) {
    receive_first.push_back(receive_first.back() + size);
  }
  std::vector<int> received(receive_first.back());
  ranks_->Exchange(Phase::kSetup, local_entries_.data(), send_first,
                   received.data(), receive_first);
  const std::int64_t begin = chunk_first_value_[ranks_->rank()];
  for (int r = 0; r < num_ranks; ++r) {
    LeafPlaces& places = received_places_.emplace_back();
    for (std::int64_t i = receive_first[r]; i < receive_first[r + 1]; ++i) {
      const int entry = received[i];
      const std::int64_t size = first_value_[entry + 1] - first_value_[entry];
      AppendRun(places.size, first_value_[entry] - begin, size, &places.runs);
      places.size += size;
    }
  }
}

void TreeSum::Add(std::int64_t size, const double* from, double* to) const {
  constexpr std::int64_t kPiece = std::int64_t{1} << 30;
  for (std::int64_t i = 0; i < size; i += kPiece) {
    const int n = static_cast<int>(std::min(kPiece, size - i));
    Axpby(execution_, n, 1.0, to + i, 1.0, from + i, to + i);
  }
}

void TreeSum::SumLocal(
    const std::function<void(int k, double* values)>& fill_leaf) {
  const std::int64_t size = local_first_.back();
  ArraySum sum(
      size,
      [&](const LeafRange& node, ArraySum::Use use, double* array) {
        if (node.size() > 1) return false;
        const int k =
            static_cast<int>(std::lower_bound(local_leaves_.begin(),
                                              local_leaves_.end(), node.begin) -
                             local_leaves_.begin());
        fill_leaf(k, leaf_values_.data());
        PutRuns(leaf_places_[k].runs, leaf_values_.data(), size, use, array);
        return true;
      },
      [&](const double* from, double* to) { Add(size, from, to); });
  for (std::size_t i = 0; i < local_nodes_.size(); ++i) {
    sum.Compute(local_nodes_[i], node_sums_[i].data());
  }
}

const std::vector<double>& TreeSum::CombineChunk(Phase phase, double* room) {
  const int num_ranks = ranks_->size();
  const std::int64_t num_nodes = static_cast<std::int64_t>(local_nodes_.size());
  // To each rank: its chunk of all local nodes, node by node. One node lies as
  // it is sent.
  std::vector<double> copies;
  std::vector<std::int64_t> send_first = {0};
  if (num_nodes > 1) copies.reserve(local_first_.back() * num_nodes);
  for (int r = 0; r < num_ranks; ++r) {
    const std::int64_t begin = local_first_[local_chunk_[r]];
    const std::int64_t end = local_first_[local_chunk_[r + 1]];
    send_first.push_back(send_first.back() + (end - begin) * num_nodes);
    if (num_nodes < 2) continue;
    for (const AlignedBuffer& node : node_sums_) {
      copies.insert(copies.end(), node.data() + begin, node.data() + end);
    }
  }
  const double* const send =
      num_nodes == 1 ? node_sums_.front().data() : copies.data();
  std::vector<std::int64_t> num_nodes_of(num_ranks, 0);
  for (const LeafRange& node : tree_.whole_nodes()) {
    ++num_nodes_of[tree_.owner(node.begin)];
  }
  std::vector<std::int64_t> receive_first = {0};
  for (int r = 0; r < num_ranks; ++r) {
    receive_first.push_back(receive_first.back() +
                            received_places_[r].size * num_nodes_of[r]);
  }
  std::vector<double> own_room;
  double* received = room;
  if (room == nullptr || receive_first.back() > size()) {
    own_room.resize(receive_first.back());
    received = own_room.data();
  }
  ranks_->Exchange(phase, send, send_first, received, receive_first);

  const int rank = ranks_->rank();
  const std::int64_t chunk_size =
      chunk_first_value_[rank + 1] - chunk_first_value_[rank];
  chunk_.assign(chunk_size, 0.0);
  std::vector<std::int64_t> next = receive_first;  // by rank: its next node
  ArraySum chunk_sum(
      chunk_size,
      [&](const LeafRange& node, ArraySum::Use use, double* array) {
        const int owner = tree_.OwnerOf(node);
        if (owner < 0) return false;
        PutRuns(received_places_[owner].runs, received + next[owner],
                chunk_size, use, array);
        next[owner] += received_places_[owner].size;
        return true;
      },
      [&](const double* from, double* to) { Add(chunk_size, from, to); });
  if (tree_.num_leaves() > 0) chunk_sum.Compute(tree_.root(), chunk_.data());
  return chunk_;
}

void TreeSum::Combine(Phase phase, Destination destination, double* sum) {
  CombineChunk(phase, destination == Destination::kAll || ranks_->is_root()
                          ? sum
                          : nullptr);
  if (destination == Destination::kAll) {
    ranks_->GatherDoubles(phase, chunk_.data(), chunk_first_value_, sum);
  } else {
    ranks_->GatherDoublesOnRoot(phase, chunk_.data(), chunk_first_value_, sum);
  }
}

}  // namespace ceres::internal
