// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_MODELS_INTERLEAVING_EXPLORER_H_
#define CERES_INTERNAL_PARALLEL_MODELS_INTERLEAVING_EXPLORER_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ostream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

// For tests: checks a small model of a lock-free protocol in every interleaving
// of its threads' steps (explicit-state model checking; Clarke, Grumberg,
// Peled, "Model Checking", 1999, chapter 2).
//
// A model is a class with
//   struct State;               // all shared and all private data, with each
//                               // thread's position; comparable byte by byte
//   State Initial() const;
//   int NumActions() const;     // steps of threads and of the memory
//   bool Take(int action, State* state, const char** violation) const;
//                               // does one atomic step; false: not enabled
//   bool IsEnd(const State&) const;      // every thread has finished
//   std::string Name(int action) const;  // for the trail of a violation
//
// The explorer checks that
//  - no step reports a violation;
//  - a state without an enabled action is an end: no thread is blocked for
//  ever,
//    and no wake-up is lost;
//  - an end can be reached from every state: no thread waits for an event that
//    cannot happen while other threads repeat their steps.

namespace ceres::parallel::testing_internal {

struct Exploration {
  std::size_t states = 0;
  std::size_t transitions = 0;
  std::string violation;           // Empty if none was found.
  std::vector<std::string> trail;  // A shortest way there.

  bool ok() const { return violation.empty(); }
};

inline std::ostream& operator<<(std::ostream& out, const Exploration& result) {
  out << result.states << " states, " << result.transitions << " transitions";
  if (!result.ok()) out << ": " << result.violation;
  for (const std::string& step : result.trail) out << "\n  " << step;
  return out;
}

template <typename Model>
class InterleavingExplorer {
 public:
  using State = typename Model::State;
  static_assert(std::is_trivially_copyable_v<State> &&
                    std::has_unique_object_representations_v<State>,
                "states are hashed and compared byte by byte");

  explicit InterleavingExplorer(const Model& model) : model_(model) {}

  // Breadth first, so that the first violation found has a shortest trail.
  Exploration Run(std::size_t max_states = 8'000'000) {
    AddState(model_.Initial(), 0, -1);
    for (std::uint32_t from = 0; from < states_.size(); ++from) {
      bool any = false;
      for (int action = 0; action < model_.NumActions(); ++action) {
        State next = states_[from];
        const char* violation = nullptr;
        if (!model_.Take(action, &next, &violation)) continue;
        any = true;
        const std::uint32_t to = AddState(next, from, action);
        edges_.emplace_back(from, to);
        if (violation != nullptr) return Violation(violation, to);
      }
      if (!any && !model_.IsEnd(states_[from])) {
        return Violation("stuck: no thread can go on", from);
      }
      if (states_.size() > max_states) {
        return Violation("too many states to explore", from);
      }
    }
    return CheckEndsAreReachable();
  }

 private:
  struct Origin {
    std::uint32_t state;
    int action;
  };

  static std::uint64_t Hash(const State& state) {
    // FNV-1a.
    unsigned char bytes[sizeof(State)];
    std::memcpy(bytes, &state, sizeof(State));
    std::uint64_t hash = 14695981039346656037u;
    for (const unsigned char byte : bytes) {
      hash = (hash ^ byte) * 1099511628211u;
    }
    return hash ^ (hash >> 29);
  }

  // The index of the state, which may be known already.
  std::uint32_t AddState(const State& state, std::uint32_t from, int action) {
    if (2 * (states_.size() + 1) > table_.size()) Grow();
    std::size_t slot = Hash(state) & (table_.size() - 1);
    for (; table_[slot] != kEmpty; slot = (slot + 1) & (table_.size() - 1)) {
      if (std::memcmp(&states_[table_[slot]], &state, sizeof(State)) == 0) {
        return table_[slot];
      }
    }
    table_[slot] = static_cast<std::uint32_t>(states_.size());
    states_.push_back(state);
    origins_.push_back({from, action});
    return table_[slot];
  }

  void Grow() {
    table_.assign(table_.empty() ? 1024 : 2 * table_.size(), kEmpty);
    for (std::uint32_t k = 0; k < states_.size(); ++k) {
      std::size_t slot = Hash(states_[k]) & (table_.size() - 1);
      while (table_[slot] != kEmpty) slot = (slot + 1) & (table_.size() - 1);
      table_[slot] = k;
    }
  }

  Exploration CheckEndsAreReachable() {
    std::vector<std::uint32_t> first(states_.size() + 1, 0);
    for (const auto& edge : edges_) ++first[edge.second];
    for (std::size_t k = 1; k < first.size(); ++k) first[k] += first[k - 1];
    std::vector<std::uint32_t> sources(edges_.size());
    for (const auto& edge : edges_) sources[--first[edge.second]] = edge.first;
    std::vector<char> reaches_end(states_.size(), 0);
    std::vector<std::uint32_t> todo;
    for (std::uint32_t k = 0; k < states_.size(); ++k) {
      if (!model_.IsEnd(states_[k])) continue;
      reaches_end[k] = 1;
      todo.push_back(k);
    }
    while (!todo.empty()) {
      const std::uint32_t state = todo.back();
      todo.pop_back();
      for (std::uint32_t k = first[state]; k < first[state + 1]; ++k) {
        if (reaches_end[sources[k]] != 0) continue;
        reaches_end[sources[k]] = 1;
        todo.push_back(sources[k]);
      }
    }
    for (std::uint32_t k = 0; k < states_.size(); ++k) {
      if (reaches_end[k] == 0) {
        return Violation("turns in circles: no end can be reached", k);
      }
    }
    return Violation("", 0);
  }

  Exploration Violation(const std::string& what, std::uint32_t state) const {
    Exploration result;
    result.states = states_.size();
    result.transitions = edges_.size();
    result.violation = what;
    for (; origins_[state].action >= 0; state = origins_[state].state) {
      result.trail.push_back(model_.Name(origins_[state].action));
    }
    result.trail = {result.trail.rbegin(), result.trail.rend()};
    return result;
  }

  static constexpr std::uint32_t kEmpty = 0xffffffff;

  const Model& model_;
  std::vector<State> states_;
  std::vector<Origin> origins_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges_;
  std::vector<std::uint32_t> table_;
};

template <typename Model>
Exploration Explore(const Model& model) {
  return InterleavingExplorer<Model>(model).Run();
}

}  // namespace ceres::parallel::testing_internal

#endif  // CERES_INTERNAL_PARALLEL_MODELS_INTERLEAVING_EXPLORER_H_
