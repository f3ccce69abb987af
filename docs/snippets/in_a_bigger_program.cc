// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Solves inside a bigger program: one set of threads for all of its parts,
// several solves at once, and a class that solves in the background.

#include <algorithm>
#include <array>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "ceres/ceres.h"
#include "ceres/parallel/cancellation.h"
#include "ceres/parallel/parallel_for.h"
#include "ceres/parallel/thread_pool.h"
#include "noise.h"

namespace {

using Position = std::array<double, 2>;

// A measured distance to a beacon.
struct Range {
  double beacon_x, beacon_y, distance;
};

struct RangeError {
  template <typename T>
  bool operator()(const T* position, T* residual) const {
    using std::hypot;
    residual[0] =
        (hypot(position[0] - range.beacon_x, position[1] - range.beacon_y) -
         range.distance) /
        0.05;
    return true;
  }

  Range range;
};

std::vector<Range> Measure(double x, double y, int num_ranges) {
  Noise noise;
  std::vector<Range> ranges;
  for (int i = 0; i < num_ranges; ++i) {
    const double beacon_x = 20.0 * noise.Uniform();
    const double beacon_y = 20.0 * noise.Uniform();
    ranges.push_back(
        {beacon_x, beacon_y,
         std::hypot(x - beacon_x, y - beacon_y) + noise.Normal(0.05)});
  }
  return ranges;
}

void AddRanges(const std::vector<Range>& ranges, double* position,
               ceres::Problem* problem) {
  for (const Range& range : ranges) {
    problem->AddResidualBlock(new ceres::AutoDiffCostFunction<RangeError, 1, 2>(
                                  new RangeError{range}),
                              nullptr, position);
  }
}

// [pool]
// Both parts of the program use the threads of one pool.
Position FilterAndSolve(std::vector<Range> ranges,
                        ceres::parallel::ThreadPool& pool) {
  ceres::parallel::ParallelFor(pool, 0, static_cast<int>(ranges.size()),
                               [&](int i) { ranges[i].distance += 0.01; });
  Position position = {10.0, 10.0};
  ceres::Problem problem;
  AddRanges(ranges, position.data(), &problem);
  ceres::Solver::Options options;
  options.executor = &pool;
  options.num_threads = pool.MaxConcurrency();
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  return position;
}
// [/pool]

// [context]
// Three threads solve at the same time. Their problems share a context, and
// with it one pool.
std::vector<Position> SolveAtOnce(const std::vector<Range>& ranges) {
  const std::unique_ptr<ceres::Context> context(ceres::Context::Create());
  std::vector<Position> positions(3, {10.0, 10.0});
  std::vector<std::thread> threads;
  for (Position& position : positions) {
    threads.emplace_back([&] {
      ceres::Problem::Options problem_options;
      problem_options.context = context.get();
      ceres::Problem problem(problem_options);
      AddRanges(ranges, position.data(), &problem);
      ceres::Solver::Options options;
      options.num_threads = 2;
      ceres::Solver::Summary summary;
      ceres::Solve(options, &problem, &summary);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return positions;
}
// [/context]

// The threads of the host program, and its queue.
class Host {
 public:
  explicit Host(int num_threads) {
    for (int i = 0; i < num_threads; ++i)
      threads_.emplace_back([this] { Work(); });
  }
  ~Host() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      is_stopping_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  int num_threads() const { return static_cast<int>(threads_.size()); }
  void Post(std::function<void()> work) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      queue_.push_back(std::move(work));
    }
    wake_.notify_one();
  }

 private:
  void Work() {
    for (;;) {
      std::function<void()> work;
      {
        std::unique_lock<std::mutex> lock(mutex_);
        wake_.wait(lock, [this] { return is_stopping_ || !queue_.empty(); });
        if (is_stopping_) return;
        work = std::move(queue_.front());
        queue_.pop_front();
      }
      work();  // Without the lock.
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> queue_;
  bool is_stopping_ = false;
  std::vector<std::thread> threads_;
};

// [executor]
// Lends the host's threads to solves and loops.
class HostExecutor : public ceres::parallel::Executor {
 public:
  explicit HostExecutor(Host* host) : host_(host) {}
  int MaxConcurrency() const override { return host_->num_threads() + 1; }
  bool Invite(ceres::parallel::Invitation invitation) override {
    host_->Post(invitation);
    return true;
  }

 private:
  Host* host_;
};
// [/executor]

// [worker]
// Solves in a thread of its own when there are new measurements. Add does not
// wait for a solve. Results are handed to `publish` in that thread.
class Estimator {
 public:
  using Publish = std::function<void(int num_ranges, const Position&)>;

  Estimator(ceres::parallel::Executor* executor, Publish publish)
      : executor_(executor),
        publish_(std::move(publish)),
        worker_([this] { Work(); }) {}

  // Cancels a solve that runs.
  ~Estimator() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      is_stopping_ = true;
    }
    stop_.Cancel();
    wake_.notify_one();
    worker_.join();
  }

  // May be called from any thread.
  void Add(const Range& range) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      arrived_.push_back(range);
    }
    wake_.notify_one();
  }

 private:
  void Work() {
    // The problem belongs to this thread alone, so it needs no lock.
    Position position = {10.0, 10.0};
    ceres::Problem problem;
    while (AddArrived(&position, &problem)) {
      ceres::Solver::Options options;
      options.executor = executor_;
      options.num_threads = executor_->MaxConcurrency();
      options.cancellation_token = stop_.token();
      options.logging_type = ceres::SILENT;
      ceres::Solver::Summary summary;
      ceres::Solve(options, &problem, &summary);
      if (summary.IsSolutionUsable() && !stop_.token().IsCancelled()) {
        publish_(problem.NumResidualBlocks(), position);
      }
    }
  }

  // Waits for measurements. Returns false if the estimator is to stop.
  bool AddArrived(Position* position, ceres::Problem* problem) {
    std::vector<Range> ranges;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      wake_.wait(lock, [this] { return is_stopping_ || !arrived_.empty(); });
      if (is_stopping_) return false;
      ranges.swap(arrived_);
    }
    AddRanges(ranges, position->data(), problem);
    return true;
  }

  ceres::parallel::Executor* executor_;
  Publish publish_;
  ceres::parallel::CancellationSource stop_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Range> arrived_;
  bool is_stopping_ = false;
  std::thread worker_;  // Last: the thread uses all other members.
};
// [/worker]

Position EstimateOnline(const std::vector<Range>& ranges) {
  // [use]
  Host host(2);
  HostExecutor executor(&host);
  std::mutex mutex;
  std::condition_variable is_complete;
  Position result = {};
  int num_used = 0;
  Estimator estimator(&executor, [&](int num_ranges, const Position& position) {
    const std::lock_guard<std::mutex> lock(mutex);
    result = position;
    num_used = num_ranges;
    is_complete.notify_one();
  });
  for (const Range& range : ranges) estimator.Add(range);
  std::unique_lock<std::mutex> lock(mutex);
  is_complete.wait(lock,
                   [&] { return num_used == static_cast<int>(ranges.size()); });
  return result;
  // [/use]
}

}  // namespace

int main() {
  const std::vector<Range> ranges = Measure(3.0, 4.0, 300);
  // [compare]
  ceres::parallel::ThreadPool serial(0), pool(3);
  const Position alone = FilterAndSolve(ranges, serial);
  const Position shared = FilterAndSolve(ranges, pool);
  std::printf("pools of 0 and 3 workers: %s\n",
              std::memcmp(&alone, &shared, sizeof(alone)) == 0 ? "the same bits"
                                                               : "different");
  // [/compare]
  const std::vector<Position> positions = SolveAtOnce(ranges);
  std::printf("solves at once: %s\n",
              positions[0] == positions[1] && positions[1] == positions[2]
                  ? "the same bits"
                  : "different");
  const Position online = EstimateOnline(ranges);
  std::printf("in the background: %.2f %.2f\n", online[0], online[1]);
}
