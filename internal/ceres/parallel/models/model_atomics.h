// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_MODELS_MODEL_ATOMICS_H_
#define CERES_INTERNAL_PARALLEL_MODELS_MODEL_ATOMICS_H_

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>

#include "ceres/parallel/models/model_execution.h"

// For tests: what a protocol uses in the place of std::atomic, plain data,
// locks and futexes (protocol_atomics.h) when it is explored
// (protocol_explorer.h). Each access is a step of the simulated thread.

namespace ceres::parallel::testing_internal {

// A location that ends with its object.
class ModelObject {
 public:
  ModelObject(const ModelObject&) = delete;
  ModelObject& operator=(const ModelObject&) = delete;

 protected:
  // An integer, because nothing is read there yet.
  ModelObject(LocationKind kind, std::uintptr_t address, std::size_t size,
              std::uint64_t value) {
    ModelExecution& run = execution();
    id_ = run.memory().Add(kind, reinterpret_cast<const void*>(address), size,
                           value, run.thread());
    if (id_ < 0) run.Fail("too many objects");
  }
  ~ModelObject() = default;

  static std::uintptr_t Address(const void* object) {
    return reinterpret_cast<std::uintptr_t>(object);
  }
  static ModelExecution& execution() { return *ModelExecution::Current(); }
  static ModelMemory& memory() { return execution().memory(); }

  // An object that was destroyed, or memory that never was one.
  void CheckAlive(const void* address) const {
    if (!execution().is_over() && !memory().IsAlive(id_, address)) {
      execution().Fail("an object is used after its end");
    }
  }
  void Log(const char* what, std::uint64_t value) const {
    if (!execution().recording()) return;
    std::ostringstream line;
    line << what << " #" << id_ << ": 0x" << std::hex << value;
    execution().Log(line.str());
  }
  int id() const { return id_; }

 private:
  int id_;
};

template <typename T>
class ModelAtomic : public ModelObject {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8);

 public:
  ModelAtomic() : ModelAtomic(T{}) {}
  // As std::atomic's.
  ModelAtomic(T value)  // NOLINT(google-explicit-constructor)
      : ModelObject(LocationKind::kAtomic, Address(this), 0, ToBits(value)) {}
  ~ModelAtomic() {
    if (execution().is_over()) return;
    CheckAlive(this);
    memory().Remove(id());
  }

  T load(std::memory_order order = std::memory_order_seq_cst) const {
    Step(Loads(order));
    return Read("load", execution().ChooseAge(id(), order), order);
  }
  // The newest value, for conditions of the model itself.
  T Newest() const { return FromBits(memory().Newest(id())); }

  void store(T value, std::memory_order order = std::memory_order_seq_cst) {
    Step();
    memory().Store(execution().thread(), id(), ToBits(value), order);
    execution().NoteStore();
    Log("store", ToBits(value));
  }

  // An exchange that is a part of the step before.
  void ExchangeNow(T value, std::memory_order order) {
    execution().IsShared(id(), Stores());
    Apply("exchange", value, order);
  }

  T exchange(T value, std::memory_order order = std::memory_order_seq_cst) {
    return Modify("exchange", order, [value](T) { return value; });
  }
  T fetch_add(T x, std::memory_order order = std::memory_order_seq_cst) {
    return Modify("add", order, [x](T old) { return static_cast<T>(old + x); });
  }
  T fetch_sub(T x, std::memory_order order = std::memory_order_seq_cst) {
    return Modify("subtract", order,
                  [x](T old) { return static_cast<T>(old - x); });
  }
  T fetch_and(T x, std::memory_order order = std::memory_order_seq_cst) {
    return Modify("and", order, [x](T old) { return static_cast<T>(old & x); });
  }
  T fetch_or(T x, std::memory_order order = std::memory_order_seq_cst) {
    return Modify("or", order, [x](T old) { return static_cast<T>(old | x); });
  }

  bool compare_exchange_strong(
      T& expected, T desired,
      std::memory_order order = std::memory_order_seq_cst) {
    return compare_exchange_strong(expected, desired, order, OnFailure(order));
  }
  bool compare_exchange_strong(T& expected, T desired,
                               std::memory_order success,
                               std::memory_order failure) {
    Step();
    if (memory().Newest(id()) != ToBits(expected)) {
      expected = Read("compare (no)", 0, failure);
      return false;
    }
    Apply("compare (yes)", desired, success);
    return true;
  }
  bool compare_exchange_weak(
      T& expected, T desired,
      std::memory_order order = std::memory_order_seq_cst) {
    return compare_exchange_strong(expected, desired, order);
  }
  bool compare_exchange_weak(T& expected, T desired, std::memory_order success,
                             std::memory_order failure) {
    return compare_exchange_strong(expected, desired, success, failure);
  }

  // A futex: one step compares, and the thread sleeps in the next.
  void Wait(T expected) {
    // Also where nobody ever stores: a wake may come before it.
    execution().IsShared(id(), Usage{});
    execution().Point(Pending::kStep);
    CheckAlive(this);
    if (Read("wait", 0, std::memory_order_relaxed) == expected) {
      execution().Sleep(this);
      Log("woken", 0);
    }
  }

 private:
  static std::uint64_t ToBits(T value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
    return bits;
  }
  static T FromBits(std::uint64_t bits) {
    T value;
    std::memcpy(&value, &bits, sizeof(T));
    return value;
  }
  static std::memory_order OnFailure(std::memory_order order) {
    if (order == std::memory_order_acq_rel) return std::memory_order_acquire;
    if (order == std::memory_order_release) return std::memory_order_relaxed;
    return order;
  }

  static Usage Stores() {
    Usage usage;
    usage.is_stored = true;
    return usage;
  }
  static Usage Loads(std::memory_order order) {
    Usage usage;
    (IsSeqCst(order) ? usage.has_seq_cst_loads : usage.has_loads) = true;
    return usage;
  }
  void Step(const Usage& access = Stores()) const {
    execution().PointBefore(id(), access);
    CheckAlive(this);
  }
  T Read(const char* what, int age, std::memory_order order) const {
    const std::uint64_t bits =
        memory().Load(execution().thread(), id(), age, order);
    if (!execution().is_main()) execution().Observe(bits);
    Log(what, bits);
    return FromBits(bits);
  }
  void Apply(const char* what, T desired, std::memory_order order) {
    if (!execution().is_main()) execution().Observe(memory().Newest(id()));
    memory().Modify(execution().thread(), id(), ToBits(desired), order);
    execution().NoteStore();
    Log(what, ToBits(desired));
  }
  template <typename Change>
  T Modify(const char* what, std::memory_order order, const Change& change) {
    Step();
    const T old = FromBits(memory().Newest(id()));
    Apply(what, change(old), order);
    return old;
  }
};

// Plain data. Accesses are no steps of their own: in every execution it is
// checked whether those of different threads are ordered.
template <typename T>
class ModelPlain : public ModelObject {
  static_assert(std::is_trivially_copyable_v<T>);
  static_assert(std::is_scalar_v<T> ||
                    std::has_unique_object_representations_v<T>,
                "states are hashed byte by byte");
  // NOLINTNEXTLINE(bugprone-sizeof-expression): T may be a pointer
  static constexpr std::size_t kSize = sizeof(T);

 public:
  ModelPlain() : ModelPlain(T{}) {}
  ModelPlain(T value)  // NOLINT(google-explicit-constructor)
      : ModelObject(LocationKind::kPlain, Address(&value_), kSize, 0),
        value_(value) {}
  ~ModelPlain() {
    if (execution().is_over()) return;
    Write();
    memory().Remove(id());
  }
  ModelPlain(const ModelPlain& other) : ModelPlain(T(other)) {}
  ModelPlain& operator=(const ModelPlain& other) { return *this = T(other); }
  ModelPlain& operator=(T value) {
    Write();
    value_ = value;
    return *this;
  }

  operator T() const {  // NOLINT(google-explicit-constructor)
    CheckAlive(&value_);
    ModelExecution& run = execution();
    if (run.is_over()) return value_;
    if (!memory().ReadPlain(run.thread(), id())) run.Fail("data race (read)");
    if (!run.is_main()) {
      unsigned char bytes[kSize];
      std::memcpy(bytes, &value_, kSize);
      for (const unsigned char byte : bytes) run.Observe(byte);
    }
    return value_;
  }
  T operator->() const { return *this; }

 private:
  void Write() {
    CheckAlive(&value_);
    ModelExecution& run = execution();
    if (run.is_over()) return;
    if (!memory().WritePlain(run.thread(), id())) {
      run.Fail("data race (write)");
    }
  }

  T value_;
};

// Data that no thread of the real program can see: for the model's own checks.
template <typename T>
class Ghost : public ModelObject {
  static_assert(std::has_unique_object_representations_v<T>,
                "states are hashed byte by byte");

 public:
  Ghost() : ModelObject(LocationKind::kGhost, Address(&value_), sizeof(T), 0) {}
  T& operator*() { return value_; }
  const T& operator*() const { return value_; }
  T* operator->() { return &value_; }
  const T* operator->() const { return &value_; }

 private:
  T value_{};
};

// A std::mutex or a spin lock. Giving it back is no step, so that a critical
// section without atomic accesses is one step. (TryLock finds a lock taken only
// if its holder has made a step.)
class ModelLock {
 public:
  void Lock() {
    ModelExecution& run = *ModelExecution::Current();
    run.Await([this] { return locked_.Newest() == 0; });
    locked_.ExchangeNow(1, std::memory_order_acquire);
  }
  bool TryLock() { return locked_.exchange(1, std::memory_order_acquire) == 0; }
  void Unlock() { locked_.ExchangeNow(0, std::memory_order_release); }
  void lock() { Lock(); }
  void unlock() { Unlock(); }
  bool try_lock() { return TryLock(); }

  class Guard {
   public:
    explicit Guard(ModelLock& lock) : lock_(lock) { lock.Lock(); }
    ~Guard() { lock_.Unlock(); }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

   private:
    ModelLock& lock_;
  };

 private:
  ModelAtomic<std::uint8_t> locked_{0};
};

// The counterpart of RealAtomics (protocol_atomics.h).
struct ModelAtomics {
  template <typename T>
  using Atomic = ModelAtomic<T>;
  template <typename T>
  using Plain = ModelPlain<T>;
  using Mutex = ModelLock;
  using SpinLock = ModelLock;

  static void Fence(std::memory_order order) {
    ModelExecution& run = *ModelExecution::Current();
    run.Point(Pending::kStep);
    run.memory().Fence(run.thread(), order);
    run.Log("fence");
  }
  static void LightFence() { Fence(std::memory_order_seq_cst); }
  static void HeavyFence() { Fence(std::memory_order_seq_cst); }
  static void Pause() { ModelExecution::Current()->Pause(); }
  static void Wait(ModelAtomic<std::uint32_t>* word, std::uint32_t expected) {
    word->Wait(expected);
  }
  // A deadline may pass at any time.
  static void Wait(ModelAtomic<std::uint32_t>* word, std::uint32_t expected,
                   std::chrono::steady_clock::time_point deadline) {
    const bool passes =
        deadline != std::chrono::steady_clock::time_point::max() &&
        ModelExecution::Current()->Choose(2) == 1;
    if (!passes) Wait(word, expected);
  }
  static void Wake(ModelAtomic<std::uint32_t>* word) {
    ModelExecution& run = *ModelExecution::Current();
    run.Point(Pending::kStep);
    run.Wake(word);
    run.Log("wake");
  }
  template <typename T>
  static T ReadAlone(const ModelPlain<T>& field) {
    return field;
  }
};

// --- For the threads of a model. ---

// Reports a violation unless the condition holds.
inline void ModelCheck(bool holds, const char* violation) {
  ModelExecution& run = *ModelExecution::Current();
  if (!holds && !run.found_violation()) run.Fail(violation);
}

// One of `count` alternatives.
inline int ModelChoose(int count) {
  return ModelExecution::Current()->Choose(count);
}

// Blocks the thread until the condition holds, which may look at ghosts and at
// the newest values of atomics only.
inline void ModelAwait(std::function<bool()> condition) {
  ModelExecution::Current()->Await(std::move(condition));
}

// States that all that the thread will do depends on the shared memory and on
// these numbers, however it came here: states that differ in the past only are
// one.
inline void ModelLocalState(std::initializer_list<std::uint64_t> numbers) {
  ModelExecution& run = *ModelExecution::Current();
  if (run.is_main()) return;
  std::uint64_t hash = static_cast<std::uint64_t>(run.thread()) + 1;
  for (const std::uint64_t number : numbers) hash = Mix(hash, number);
  run.SetLocalState(hash);
}

}  // namespace ceres::parallel::testing_internal

#endif  // CERES_INTERNAL_PARALLEL_MODELS_MODEL_ATOMICS_H_
