// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/models/protocol_explorer.h"

#include <atomic>
#include <cstdint>

#include "gtest/gtest.h"

// Small programs whose outcomes the C++ memory model allows or forbids.

namespace ceres::parallel::testing_internal {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr auto kAcquire = std::memory_order_acquire;
constexpr auto kRelease = std::memory_order_release;
constexpr auto kSeqCst = std::memory_order_seq_cst;

// Each of two threads stores, then loads what the other one stores.
template <std::memory_order kStore, std::memory_order kLoad, bool kFence>
struct StoreBuffering {
  static constexpr int kThreads = 2;
  void Run(int thread) {
    flags[thread].store(1, kStore);
    if (kFence) ModelAtomics::Fence(kSeqCst);
    results[thread] = flags[1 - thread].load(kLoad);
  }
  void Check() {
    ModelCheck(results[0] != 0 || results[1] != 0, "neither saw the other");
  }
  ModelAtomic<int> flags[2];
  ModelPlain<int> results[2];
};

TEST(ProtocolExplorer, SequentiallyConsistentAccessesSeeEachOther) {
  using Model = StoreBuffering<kSeqCst, kSeqCst, false>;
  const ProtocolExploration result = ExploreProtocol<Model>();
  EXPECT_TRUE(result.ok()) << result;
  EXPECT_GT(result.executions, 3u);
}

TEST(ProtocolExplorer, FencesMakeRelaxedAccessesSeeEachOther) {
  using Model = StoreBuffering<kRelaxed, kRelaxed, true>;
  const ProtocolExploration result = ExploreProtocol<Model>();
  EXPECT_TRUE(result.ok()) << result;
}

TEST(ProtocolExplorer, ReleasedStoresMayBeSeenLate) {
  using Model = StoreBuffering<kRelease, kAcquire, false>;
  const ProtocolExploration result = FindViolation<Model>();
  EXPECT_EQ(result.violation, "neither saw the other");
  EXPECT_FALSE(result.trail.empty());
}

// A flag hands over plain data; another thread may change the flag between.
template <std::memory_order kStore, std::memory_order kChange,
          std::memory_order kLoad>
struct MessagePassing {
  static constexpr int kThreads = 3;
  void Run(int thread) {
    if (thread == 0) {
      data = 7;
      flag.store(1, kStore);
    } else if (thread == 1) {
      flag.fetch_add(2, kChange);
    } else if ((flag.load(kLoad) & 1) != 0) {
      ModelCheck(data == 7, "old data");
    }
  }
  void Check() {}
  ModelAtomic<int> flag;
  ModelPlain<int> data;
};

TEST(ProtocolExplorer, AReleaseSequenceHandsOverData) {
  const auto result =
      ExploreProtocol<MessagePassing<kRelease, kRelaxed, kAcquire>>();
  EXPECT_TRUE(result.ok()) << result;
}

TEST(ProtocolExplorer, ARelaxedStoreOrLoadIsADataRace) {
  EXPECT_EQ(
      (FindViolation<MessagePassing<kRelaxed, kRelaxed, kAcquire>>().violation),
      "data race (read)");
  EXPECT_EQ(
      (FindViolation<MessagePassing<kRelease, kRelaxed, kRelaxed>>().violation),
      "data race (read)");
}

// Two threads read what two others store, in opposite orders.
template <std::memory_order kStore, std::memory_order kLoad>
struct IndependentReads {
  static constexpr int kThreads = 4;
  void Run(int thread) {
    if (thread < 2) {
      flags[thread].store(1, kStore);
      return;
    }
    const int first = flags[thread - 2].load(kLoad);
    const int second = flags[3 - thread].load(kLoad);
    results[thread - 2] = first == 1 && second == 0 ? 1 : 0;
  }
  void Check() { ModelCheck(results[0] == 0 || results[1] == 0, "two orders"); }
  ModelAtomic<int> flags[2];
  ModelPlain<int> results[2];
};

TEST(ProtocolExplorer, OnlySequentialConsistencyOrdersIndependentStores) {
  const auto result = ExploreProtocol<IndependentReads<kSeqCst, kSeqCst>>();
  EXPECT_TRUE(result.ok()) << result;
  EXPECT_EQ((FindViolation<IndependentReads<kRelease, kAcquire>>().violation),
            "two orders");
}

struct Locked {
  static constexpr int kThreads = 3;
  void Run(int) {
    const ModelLock::Guard guard(lock);
    count = count + 1;
  }
  void Check() { ModelCheck(count == 3, "a count is lost"); }
  ModelLock lock;
  ModelPlain<int> count;
};

TEST(ProtocolExplorer, ALockOrdersAccessesToPlainData) {
  const auto result = ExploreProtocol<Locked>();
  EXPECT_TRUE(result.ok()) << result;
}

// A thread sleeps until another one has stored. kWakes: the latter wakes it.
template <bool kWakes, bool kRereads>
struct Sleeper {
  static constexpr int kThreads = 2;
  void Run(int thread) {
    if (thread == 0) {
      word.store(1, kRelaxed);
      if (kWakes) ModelAtomics::Wake(&word);
      return;
    }
    while (word.load(kRelaxed) == 0) {
      ModelAtomics::Wait(&word, kRereads ? word.load(kRelaxed) : 0);
    }
  }
  void Check() {}
  ModelAtomic<std::uint32_t> word;
};

TEST(ProtocolExplorer, ALostWakeUpIsStuck) {
  const auto result = ExploreProtocol<Sleeper<true, false>>();
  EXPECT_TRUE(result.ok()) << result;
  EXPECT_EQ((FindViolation<Sleeper<false, false>>().violation),
            "stuck: no thread can go on");
  EXPECT_EQ((FindViolation<Sleeper<true, true>>().violation),
            "stuck: no thread can go on");
}

// A thread that spins, and one that never stores what it spins for.
template <bool kStores>
struct Spinner {
  static constexpr int kThreads = 3;
  void Run(int thread) {
    if (thread == 0) {
      while (word.load(kRelaxed) == 0) ModelAtomics::Pause();
    } else if (thread == 1) {
      if (kStores) word.store(1, kRelaxed);
    } else {
      other.store(1, kRelaxed);
    }
  }
  void Check() {}
  ModelAtomic<int> word;
  ModelAtomic<int> other;
};

TEST(ProtocolExplorer, ASpinningThreadSeesWhatItWaitsForOrIsStuck) {
  const auto result = ExploreProtocol<Spinner<true>>();
  EXPECT_TRUE(result.ok()) << result;
  EXPECT_EQ(FindViolation<Spinner<false>>().violation,
            "stuck: no thread can go on");
}

// Two threads that undo each other's work for ever.
struct Circle {
  static constexpr int kThreads = 2;
  void Run(int thread) {
    while (true) {
      ModelLocalState({1});
      word.store(thread, kRelaxed);
      ModelAwait([&] { return word.Newest() != thread; });
    }
  }
  void Check() {}
  ModelAtomic<int> word;
};

TEST(ProtocolExplorer, ThreadsThatTurnInCirclesAreFound) {
  EXPECT_EQ(ExploreProtocol<Circle>().violation,
            "turns in circles: no end can be reached");
}

// A helper works in the frame of an owner, who leaves it too early.
template <bool kWaits>
struct Frames {
  static constexpr int kThreads = 2;
  struct Frame {
    ModelAtomic<int> failed;
  };
  void Run(int thread) {
    if (thread == 0) {
      Frame frame;
      shared.store(&frame, kRelease);
      if (kWaits) {
        while (done.load(kAcquire) == 0) ModelAtomics::Pause();
      }
      return;
    }
    Frame* const frame = shared.load(kAcquire);
    if (frame != nullptr) frame->failed.store(1, kRelaxed);
    done.store(1, kRelease);
  }
  void Check() {}
  ModelAtomic<Frame*> shared;
  ModelAtomic<int> done;
};

TEST(ProtocolExplorer, AnObjectThatIsUsedAfterItsEndIsFound) {
  const auto result = ExploreProtocol<Frames<true>>();
  EXPECT_TRUE(result.ok()) << result;
  EXPECT_EQ(FindViolation<Frames<false>>().violation,
            "an object is used after its end");
}

struct Coins {
  static constexpr int kThreads = 1;
  void Run(int) { sum = ModelChoose(3) + 3 * ModelChoose(2); }
  void Check() { ModelCheck(sum != 5, "the last choice"); }
  ModelPlain<int> sum;
};

TEST(ProtocolExplorer, EveryChoiceIsMade) {
  EXPECT_EQ(ExploreProtocol<Coins>().violation, "the last choice");
}

TEST(ProtocolExplorer, TooManyStatesAreReported) {
  ExplorationLimits limits;
  limits.states = 10;
  EXPECT_EQ(ExploreProtocol<Locked>(limits).violation,
            "too many states to explore");
}

}  // namespace
}  // namespace ceres::parallel::testing_internal
