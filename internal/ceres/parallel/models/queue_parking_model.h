// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_MODELS_QUEUE_PARKING_MODEL_H_
#define CERES_INTERNAL_PARALLEL_MODELS_QUEUE_PARKING_MODEL_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "ceres/parallel/models/model_atomics.h"
#include "ceres/parallel/parking/join_board.h"
#include "ceres/parallel/parking/queue_parking_protocol.h"
#include "ceres/parallel/regions/region_word.h"

// For queue_parking_protocol_test.cc: what ParkingLot is to ParkingProtocol.

namespace ceres::parallel::testing_internal {

using detail::RegionHandle;

inline constexpr int kNumWorkers = 2;

struct ModelSearcher {
  bool is_searching = false;
  bool is_worker = true;
  bool is_last_look = false;
  void Watch(std::nullptr_t) {}
};

// The pool of a model, which has:
//   bool Help(ModelSearcher*);  // runs a task or a loop, if there is one
template <typename Model, typename Mutation>
class ModelPool : public detail::ParkingProtocol<ModelPool<Model, Mutation>,
                                                 ModelAtomics, Mutation> {
 public:
  using Base = detail::ParkingProtocol<ModelPool, ModelAtomics, Mutation>;
  friend Base;
  using Worker = detail::ParkedWorker<ModelAtomics>;
  using Board = detail::BasicJoinBoard<ModelAtomics, Mutation>;
  static constexpr RegionHandle kTasks = 1;

  // Both workers have been started just now, or are at work for ever.
  // max_awake: the running limit of the pool.
  ModelPool(Model* model, bool are_busy, int max_awake = kNumWorkers)
      : model_(model),
        max_awake_(max_awake),
        merges_states_(!are_busy),
        searching_(are_busy ? 0 : kNumWorkers * Base::kSearchingWorker) {}

  void RunWorker(int index) {
    Worker* const worker = &workers_[index];
    do {
      EnterPart(kSeeks);
      ModelSearcher searcher;
      this->SearchForWork(worker, &searcher, [&] {
        EnterPart(kSeeks);
        return model_->Help(&searcher);
      });
      EnterPart(kParks);
    } while (this->Park(worker));
    EnterPart(kEnds);
    this->WakeIfMoreTasks();
  }

  void RetireAll() {
    EnterPart(kRetires);
    const std::lock_guard<ModelLock> lock(mutex_);
    for (Worker& worker : workers_) this->RetireLocked(&worker);
  }

  // As TaskSet::Push and TaskQueue::EnqueueLocked. bit_first: as they must not.
  void Enqueue(int tasks, bool bit_first = false) {
    EnterPart(kEnqueues, static_cast<std::uint64_t>(num_enqueued_++));
    if (bit_first) queue_bits_.Set(/*high=*/false, 1);
    box_lock_.Lock();
    const bool was_empty = queue_ == 0;
    queue_ = queue_ + tasks;
    if (was_empty && !bit_first) queue_bits_.Set(/*high=*/false, 1);
    box_lock_.Unlock();
    this->NotifyEnqueued(kTasks);
  }

  // As WorkFinder::HelpWithTask. Each thread leaves the task alone once, or not
  // (a fresh task: TaskQueues::MustDefer), and then goes on searching.
  template <typename Run>
  bool HelpWithTask(ModelSearcher* searcher, const Run& run) {
    if (!queue_bits_.Any()) return false;
    if (Defers(*searcher)) return !searcher->is_last_look;
    const bool claimed =
        queue_bits_.Claim(box_lock_, /*high=*/false, 1, [this] {
          if (queue_ == 0) return false;
          queue_ = queue_ - 1;
          return true;
        });
    if (claimed) TurnTo(searcher, 0, run);
    return true;
  }

  bool Defers(const ModelSearcher& searcher) {
    if (searcher.is_last_look &&
        !Mutation::Breaks(detail::ParkingRule::kTakesFreshBeforeSleep)) {
      return false;
    }
    Ghost<int>& has_deferred =
        has_deferred_[ModelExecution::Current()->thread()];
    if (*has_deferred != 0 || ModelChoose(2) == 0) return false;
    *has_deferred = 1;
    return true;
  }

  template <typename TryAgain>
  void SleepUntil(const TryAgain& try_again) {
    this->SleepUnless(try_again, [this](std::uint32_t event) {
      ModelAtomics::Wait(&condition_events_, event);
    });
  }
  void Rouse() { this->WakeConditionWaiters(); }
  void WakeOneWorker() { this->WakeOneOf(MaxAwake()); }
  template <typename Run>
  void TurnTo(ModelSearcher* searcher, RegionHandle handle, const Run& run) {
    EnterPart(kTurnsToWork, handle);
    this->TurnToWork(searcher, handle, [&] {
      EnterPart(kWorks);
      run();
      EnterPart(kHasWorked);
    });
  }
  Board& board() { return board_; }

  // The part that a thread is about to do. With the step of the protocol at
  // which it stands, and the arguments of that step, this is all that it knows.
  enum Part : std::uint8_t {
    kSeeks,
    kTurnsToWork,
    kWorks,
    kHasWorked,
    kParks,
    kEnds,
    kEnqueues,
    kPosts,
    kRetires
  };
  void EnterPart(Part part, std::uint64_t number = 0) {
    const int thread = ModelExecution::Current()->thread();
    parts_[thread] = part;
    numbers_[thread] = number;
    StandAt(0);
  }

 private:
  void StandAt(int step, std::uint64_t number = 0) const {
    ModelCheck(searching_.Newest() >= 0,
               "the count of searching threads is wrong");
    if (!merges_states_) return;
    const int thread = ModelExecution::Current()->thread();
    ModelLocalState({parts_[thread], numbers_[thread],
                     static_cast<std::uint64_t>(step), number});
  }
  std::uint64_t IndexOf(const Worker* worker) const {
    return static_cast<std::uint64_t>(worker - workers_);
  }

  ModelLock& ParkingMutex() { return mutex_; }
  void PushParked(Worker* worker) {
    StandAt(1, IndexOf(worker));
    for (int k = 0; k < num_parked_; ++k) {
      ModelCheck(parked_[k] != worker, "a worker is parked twice");
    }
    parked_[num_parked_] = worker;
    num_parked_ = num_parked_ + 1;
  }
  Worker* PopParked() {
    if (num_parked_ == 0) return nullptr;
    num_parked_ = num_parked_ - 1;
    Worker* const worker = parked_[num_parked_];
    StandAt(2, IndexOf(worker));
    return worker;
  }
  bool RemoveParked(Worker* worker) {
    for (int k = 0; k < num_parked_; ++k) {
      if (parked_[k] != worker) continue;
      num_parked_ = num_parked_ - 1;
      parked_[k] = static_cast<Worker*>(parked_[num_parked_]);
      StandAt(3, IndexOf(worker));
      return true;
    }
    return false;
  }
  static bool StartWorker() { return false; }
  // What a worker reads after it has its token.
  void BeforeWake(Worker* worker) {
    StandAt(4, IndexOf(worker));
    cpu_[worker - workers_] = 1;
  }
  static std::uint32_t SleepUntilToken(Worker* worker) {
    return Base::AwaitToken(worker);
  }
  void AfterSleep(Worker* worker, std::uint32_t token) {
    StandAt(6, token);
    if (token == Base::kWork) cpu_[worker - workers_] = 0;
  }
  int MaxAwake() const { return max_awake_; }
  static int MaxAwakeForTasks() { return kNumWorkers; }
  bool MayWake() const {
    StandAt(7);
    return awake_.load(std::memory_order_seq_cst) < kNumWorkers ||
           condition_waiters_.load(std::memory_order_seq_cst) > 0;
  }
  bool CouldJoinForTask() const {
    StandAt(8);
    return true;
  }
  bool IsAnyRequestOpen() const { return FindLong(0) != 0; }
  RegionHandle FindLong(RegionHandle except) const {
    StandAt(9);
    return board_.FindLongIf(
        except, [this](RegionHandle handle) { return model_->IsOpen(handle); });
  }
  void WakeSomeone(RegionHandle) {
    StandAt(10);
    this->WakeOneOf(MaxAwake());
  }
  static void WakeSleepingOwner(RegionHandle) {}

  Model* const model_;
  const int max_awake_;
  const bool merges_states_;
  Part parts_[kMaxModelThreads] = {};
  std::uint64_t numbers_[kMaxModelThreads] = {};
  Ghost<int> has_deferred_[kMaxModelThreads];
  int num_enqueued_ = 0;
  ModelAtomic<int> awake_{kNumWorkers};
  ModelAtomic<int> searching_;
  ModelAtomic<int> condition_waiters_{0};
  ModelAtomic<std::uint32_t> condition_events_{0};
  detail::BasicQueueBits<ModelAtomics, Mutation> queue_bits_;
  Board board_;
  ModelLock mutex_;
  Worker workers_[kNumWorkers];
  ModelPlain<Worker*> parked_[kNumWorkers + 1];
  ModelPlain<std::int32_t> num_parked_;
  ModelPlain<std::int32_t> cpu_[kNumWorkers];
  ModelLock box_lock_;
  ModelPlain<std::int32_t> queue_;
};

}  // namespace ceres::parallel::testing_internal

#endif  // CERES_INTERNAL_PARALLEL_MODELS_QUEUE_PARKING_MODEL_H_
