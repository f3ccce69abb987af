// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_MODELS_MODEL_EXECUTION_H_
#define CERES_INTERNAL_PARALLEL_MODELS_MODEL_EXECUTION_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ceres/parallel/models/model_fiber.h"
#include "ceres/parallel/models/model_memory.h"

// For tests: runs simulated threads, one at a time, each until its next access
// to shared memory, and decides there who goes on (protocol_explorer.h).

namespace ceres::parallel::testing_internal {

// Why a thread cannot go on, or what it does next.
enum class Pending : std::uint8_t {
  kStep,   // An access: it can always go on.
  kSleep,  // Waits for a wake on an address.
  kPause,  // Waits until another thread has stored something.
  kAwait,  // Waits until a condition holds, as a lock that is free.
  kEnded
};

// Bounds on what is explored. Negative: no bound.
struct ExplorationLimits {
  // How often a thread that could go on is put aside for another one.
  int preemptions = -1;
  // How many loads read anything but the newest value.
  int stale_loads = -1;
  std::size_t states = 4'000'000;
};

// All executions of a model, depth first: each is replayed from its beginning
// with the choices of the one before, up to the last choice that is open. An
// execution ends when it reaches a state that was explored before.
//
// A state is the memory and, for each thread, a hash of all that the thread has
// read: since threads are deterministic, that is where the thread stands.
class ModelExecution {
 public:
  static ModelExecution*& Current() {
    static ModelExecution* current = nullptr;
    return current;
  }

  using ThreadBody = std::function<void(int thread)>;

  ModelExecution(int num_threads, ExplorationLimits limits)
      : num_threads_(num_threads), limits_(limits) {}

  // --- For the explorer. ---

  // Makes the next execution; false: there is none. `make` makes the shared
  // objects, `check` looks at them when all threads have ended.
  void RunOnce(const std::function<void()>& make, const ThreadBody& body,
               const std::function<void()>& check,
               const std::function<void()>& destroy);
  // Changes the last choice that can be changed; false: all have been made.
  bool NextChoices();
  // Whether a location is accessed in a way that was not known: points may have
  // been left out, and states taken for equal. If so, all begins again.
  bool BeginAgain();
  void Record() { recording_ = true; }
  bool found_violation() const { return !violation_.empty(); }
  const std::string& violation() const { return violation_; }
  const std::vector<std::string>& trail() const { return trail_; }
  std::size_t num_states() const { return nodes_.size(); }
  std::size_t num_transitions() const { return edges_.size(); }
  // Whether an end can be reached from each state.
  bool EndsAreReachable() const;

  // --- For the objects of the model. ---

  ModelMemory& memory() { return memory_; }
  int thread() const { return thread_; }
  bool is_main() const { return thread_ == ModelMemory::kMainThread; }
  // After a violation, and after a pruned execution, objects only disappear.
  bool is_over() const { return is_over_; }

  // A point where another thread may go on instead.
  void Point(Pending pending, const void* object = nullptr);
  // The same before an access, unless nobody else ever accesses the location,
  // or nobody ever stores there.
  void PointBefore(int id, const Usage& access) {
    if (IsShared(id, access)) Point(Pending::kStep);
  }
  // Notes the access.
  bool IsShared(int id, const Usage& access);
  // One of `count` alternatives, below `count`.
  int Choose(int count);
  int ChooseAge(int id, std::memory_order order);
  void Await(std::function<bool()> condition);
  void Observe(std::uint64_t value) {
    Thread& self = threads_[thread_];
    self.history = Mix(self.history, value);
  }
  // The local state of the thread is what this hash says.
  void SetLocalState(std::uint64_t hash) { threads_[thread_].history = hash; }
  // Another thread may have waited for it.
  void NoteStore();
  void Pause();
  // Until a wake on the address.
  void Sleep(const void* address);
  void Wake(const void* address);
  // Does not return in a simulated thread.
  void Fail(const char* violation);
  bool recording() const { return recording_; }
  void Log(const std::string& what);

 private:
  struct Thread {
    ModelFiber fiber;
    Pending pending = Pending::kStep;
    const void* object = nullptr;
    bool woken = false;
    bool has_news = false;  // Others have stored since its last pause.
    std::function<bool()> condition;
    std::uint64_t history = 0;
  };
  struct Choice {
    std::uint8_t chosen;
    std::uint8_t count;
    std::uint32_t node;  // Or kNoNode.
  };
  static constexpr std::uint32_t kNoNode = 0xffffffff;
  static constexpr std::uint32_t kEndNode = 0;

  static void RunThread(void* self);
  bool IsEnabled(int thread) const;
  int PickNext();
  void SwitchTo(int next);
  // Ends the execution at once: does not return in a simulated thread.
  void Leave();
  void EnterNode();
  std::uint64_t HashState() const;
  int MakeChoice(int count, std::uint32_t node);
  void ResetThreads();

  const int num_threads_;
  const ExplorationLimits limits_;
  const ThreadBody* body_ = nullptr;

  ModelMemory memory_;
  std::array<Thread, kMaxModelThreads + 1> threads_;
  int thread_ = ModelMemory::kMainThread;
  unsigned ended_ = 0;
  int preemptions_left_ = 0;
  int stale_loads_left_ = 0;
  bool is_over_ = false;
  bool is_complete_ = false;

  std::vector<Choice> choices_;
  std::size_t position_ = 0;  // In choices_.
  std::uint32_t node_ = kNoNode;
  std::unordered_map<std::uint64_t, std::uint32_t> nodes_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges_;
  std::vector<Usage> usage_;
  bool found_usage_ = false;

  std::string violation_;
  bool recording_ = false;
  std::vector<std::string> trail_;
};

inline void ModelExecution::ResetThreads() {
  for (int k = 0; k < num_threads_; ++k) {
    Thread& thread = threads_[k];
    thread.pending = Pending::kStep;
    thread.object = nullptr;
    thread.woken = thread.has_news = false;
    thread.condition = nullptr;
    thread.history = static_cast<std::uint64_t>(k) + 1;
    thread.fiber.Prepare(&RunThread, this);
  }
}

inline void ModelExecution::RunOnce(const std::function<void()>& make,
                                    const ThreadBody& body,
                                    const std::function<void()>& check,
                                    const std::function<void()>& destroy) {
  Current() = this;
  memory_.Reset();
  ResetThreads();
  thread_ = ModelMemory::kMainThread;
  ended_ = 0;
  preemptions_left_ = limits_.preemptions;
  stale_loads_left_ = limits_.stale_loads;
  is_over_ = is_complete_ = false;
  position_ = 0;
  node_ = kNoNode;
  trail_.clear();
  if (nodes_.empty()) nodes_.emplace(0, kEndNode);
  body_ = &body;
  make();
  memory_.BeginThreads(num_threads_);
  const int first = PickNext();
  if (first >= 0) SwitchTo(first);
  if (is_complete_) {
    memory_.EndThreads(num_threads_);
    check();
  }
  is_over_ = true;
  destroy();
}

inline void ModelExecution::RunThread(void* self) {
  auto& execution = *static_cast<ModelExecution*>(self);
  const int thread = execution.thread_;
  execution.Observe(1);
  (*execution.body_)(thread);
  execution.threads_[thread].pending = Pending::kEnded;
  execution.ended_ |= 1u << thread;
  const int next = execution.PickNext();
  if (next >= 0) execution.SwitchTo(next);
  execution.Leave();
}

inline void ModelExecution::SwitchTo(int next) {
  const int from = thread_;
  thread_ = next;
  threads_[from].fiber.SwitchTo(&threads_[next].fiber);
}

inline void ModelExecution::Leave() {
  is_over_ = true;
  if (!is_main()) SwitchTo(ModelMemory::kMainThread);
}

inline bool ModelExecution::IsEnabled(int index) const {
  const Thread& thread = threads_[index];
  switch (thread.pending) {
    case Pending::kStep:
      return true;
    case Pending::kAwait:
      return thread.condition();
    case Pending::kSleep:
      return thread.woken;
    case Pending::kPause:
      return thread.has_news;
    case Pending::kEnded:
      break;
  }
  return false;
}

// Returns -1 when the execution is over.
inline int ModelExecution::PickNext() {
  std::array<int, kMaxModelThreads> enabled{};
  int count = 0;
  // The thread that runs comes first: the first execution has no preemption.
  const bool can_stay = !is_main() && IsEnabled(thread_);
  if (can_stay) enabled[count++] = thread_;
  for (int k = 0; k < num_threads_; ++k) {
    if (k != thread_ && IsEnabled(k)) enabled[count++] = k;
  }
  if (can_stay && preemptions_left_ == 0) count = 1;
  if (count == 0) {
    is_complete_ = ended_ == (1u << num_threads_) - 1;
    if (!is_complete_) Fail("stuck: no thread can go on");
    if (node_ != kNoNode) edges_.emplace_back(node_, kEndNode);
    return -1;
  }
  EnterNode();
  const int next = enabled[MakeChoice(count, node_)];
  if (can_stay && next != thread_ && preemptions_left_ > 0) {
    --preemptions_left_;
  }
  return next;
}

// Beyond the choices of the execution before, a state that is known has been
// explored, or will be.
inline void ModelExecution::EnterNode() {
  if (position_ < choices_.size()) {
    node_ = choices_[position_].node;
    return;
  }
  const auto [found, is_new] =
      nodes_.emplace(HashState(), static_cast<std::uint32_t>(nodes_.size()));
  if (node_ != kNoNode) edges_.emplace_back(node_, found->second);
  node_ = found->second;
  if (nodes_.size() > limits_.states) Fail("too many states to explore");
  if (!is_new && !recording_) Leave();
}

inline std::uint64_t ModelExecution::HashState() const {
  std::uint64_t hash = memory_.Hash(num_threads_, ended_, usage_);
  for (int k = 0; k < num_threads_; ++k) {
    const Thread& thread = threads_[k];
    hash = Mix(hash, static_cast<std::uint64_t>(thread.pending) << 2 |
                         (thread.woken ? 2 : 0) | (thread.has_news ? 1 : 0));
    if (thread.pending != Pending::kEnded) hash = Mix(hash, thread.history);
  }
  if (limits_.preemptions >= 0) {
    hash = Mix(Mix(hash, preemptions_left_), thread_);
  }
  return Mix(hash, static_cast<std::uint64_t>(stale_loads_left_));
}

inline int ModelExecution::MakeChoice(int count, std::uint32_t node) {
  if (position_ == choices_.size()) {
    choices_.push_back({0, static_cast<std::uint8_t>(count), node});
  }
  return choices_[position_++].chosen;
}

inline bool ModelExecution::NextChoices() {
  while (!choices_.empty() &&
         choices_.back().chosen + 1 == choices_.back().count) {
    choices_.pop_back();
  }
  if (choices_.empty()) return false;
  ++choices_.back().chosen;
  return true;
}

inline void ModelExecution::Point(Pending pending, const void* object) {
  if (is_main() || is_over_) return;
  Thread& self = threads_[thread_];
  self.pending = pending;
  self.object = object;
  const int next = PickNext();
  if (next != thread_) SwitchTo(next);
  self.pending = Pending::kStep;
  Observe(1);
  if (memory_.is_full()) Fail("too many accesses to one location");
}

inline bool ModelExecution::IsShared(int id, const Usage& access) {
  if (is_main() || is_over_ || id < 0) return false;
  if (id >= static_cast<int>(usage_.size())) usage_.resize(id + 1);
  if (usage_[id].Add(thread_, access)) {
    found_usage_ = true;
    Leave();
  }
  return usage_[id].IsShared();
}

inline bool ModelExecution::BeginAgain() {
  if (!found_usage_) return false;
  found_usage_ = false;
  choices_.clear();
  nodes_.clear();
  edges_.clear();
  return true;
}

inline int ModelExecution::Choose(int count) {
  if (count <= 1 || is_main() || is_over_) return 0;
  const int chosen = MakeChoice(count, kNoNode);
  Observe(static_cast<std::uint64_t>(chosen));
  return chosen;
}

inline int ModelExecution::ChooseAge(int id, std::memory_order order) {
  if (is_main() || is_over_) return 0;
  const int count = memory_.NumReadable(thread_, id, order);
  if (count <= 1 || stale_loads_left_ == 0) return 0;
  const int age = MakeChoice(count, kNoNode);
  if (age > 0 && stale_loads_left_ > 0) --stale_loads_left_;
  return age;
}

inline void ModelExecution::Await(std::function<bool()> condition) {
  if (is_main() || is_over_) return;
  threads_[thread_].condition = std::move(condition);
  Point(Pending::kAwait);
}

inline void ModelExecution::NoteStore() {
  for (int k = 0; k < num_threads_; ++k) {
    if (k != thread_) threads_[k].has_news = true;
  }
}

inline void ModelExecution::Pause() {
  Point(Pending::kPause);
  threads_[thread_].has_news = false;
  memory_.SeeNewestValues(thread_);
}

inline void ModelExecution::Sleep(const void* address) {
  threads_[thread_].woken = false;
  Point(Pending::kSleep, address);
  threads_[thread_].woken = false;
}

inline void ModelExecution::Wake(const void* address) {
  for (int k = 0; k < num_threads_; ++k) {
    Thread& thread = threads_[k];
    if (thread.pending == Pending::kSleep && thread.object == address) {
      thread.woken = true;
    }
  }
}

// Holds no memory when it leaves: the stack is given up.
inline void ModelExecution::Fail(const char* violation) {
  if (violation_.empty()) violation_ = violation;
  Log(violation);
  Leave();
}

inline void ModelExecution::Log(const std::string& what) {
  if (!recording_) return;
  trail_.push_back(
      (is_main() ? "main: " : "thread " + std::to_string(thread_) + ": ") +
      what);
}

inline bool ModelExecution::EndsAreReachable() const {
  const std::size_t count = nodes_.size();
  std::vector<std::uint32_t> first(count + 1, 0);
  for (const auto& edge : edges_) ++first[edge.second];
  for (std::size_t k = 1; k <= count; ++k) first[k] += first[k - 1];
  std::vector<std::uint32_t> sources(edges_.size());
  for (const auto& edge : edges_) sources[--first[edge.second]] = edge.first;
  std::vector<bool> reaches_end(count, false);
  std::vector<std::uint32_t> todo = {kEndNode};
  reaches_end[kEndNode] = true;
  std::size_t reached = 0;
  while (!todo.empty()) {
    const std::uint32_t node = todo.back();
    todo.pop_back();
    ++reached;
    for (std::uint32_t k = first[node]; k < first[node + 1]; ++k) {
      if (reaches_end[sources[k]]) continue;
      reaches_end[sources[k]] = true;
      todo.push_back(sources[k]);
    }
  }
  return reached == count;
}

}  // namespace ceres::parallel::testing_internal

#endif  // CERES_INTERNAL_PARALLEL_MODELS_MODEL_EXECUTION_H_
