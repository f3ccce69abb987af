// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef VESTA_BENCHMARKS_RUNTIME_RUNTIMES_H_
#define VESTA_BENCHMARKS_RUNTIME_RUNTIMES_H_

#include <algorithm>
#include <cstdint>
#include <future>
#include <memory>
#include <utility>

#include "ceres/parallel/future.h"
#include "ceres/parallel/parallel_for.h"
#include "ceres/parallel/parallel_invoke.h"
#include "ceres/parallel/task_group.h"
#include "ceres/parallel/thread_pool.h"

#if defined(_OPENMP)
#include <omp.h>
#endif
#if defined(VESTA_HAVE_TBB)
#include "tbb/global_control.h"
#include "tbb/info.h"
#include "tbb/parallel_for.h"
#include "tbb/parallel_invoke.h"
#include "tbb/task_arena.h"
#include "tbb/task_group.h"
#endif
#if defined(VESTA_HAVE_RAYON)
#include "rayon.h"
#endif

// The runtimes side by side, each used as its manual says. A runtime R with so
// many threads, the caller included, has
//   R::kName
//   runtime.Enter(f)             calls f where forks are cheapest
//   runtime.EnterLoops(f)        calls f where loops are cheapest
// and within these
//   runtime.SpawnAll(n, f)       f(0) ... f(n - 1) as tasks of a group, awaited
//   runtime.SpawnAndAwait(n, f)  the same for one or two tasks in a task
//   runtime.Loop(n, f)           f(k) for k in [0, n), pieces cut automatically
//   runtime.ForkTwo(f)           f(0) and f(1), perhaps at the same time
//   runtime.Start(f)             f() as a task that another thread is to run
//                                (not within Enter; f outlives it)

namespace vesta_benchmarks {

class Vesta {
 public:
  static constexpr const char* kName = "vesta";
  explicit Vesta(int threads) : pool_(threads - 1) {}

  template <typename F>
  void Enter(const F& f) {
    f();
  }
  template <typename F>
  void EnterLoops(const F& f) {
    f();
  }
  template <typename F>
  void SpawnAll(std::int64_t n, const F& f) {
    ceres::parallel::TaskGroup group(pool_);
    for (std::int64_t k = 0; k < n; ++k) group.Run([&f, k] { f(k); });
    group.Wait();
  }
  template <typename F>
  void SpawnAndAwait(std::int64_t n, const F& f) {
    auto first = ceres::parallel::Async(pool_, [&f] { f(0); });
    if (n > 1) {
      auto second = ceres::parallel::Async(pool_, [&f] { f(1); });
      second.Get();
    }
    first.Get();
  }
  template <typename F>
  void Loop(std::int64_t n, const F& f) {
    ceres::parallel::ParallelFor(pool_, std::int64_t{0}, n,
                                 [&f](std::int64_t k) { f(k); });
  }
  template <typename F>
  void ForkTwo(const F& f) {
    ceres::parallel::ParallelFor(pool_, 0, 2, [&f](int k) { f(k); });
  }
  template <typename F>
  void Start(const F& f) {
    ceres::parallel::Detach(pool_, [&f] { f(); });
  }

  ceres::parallel::ThreadPool& pool() { return pool_; }

 private:
  ceres::parallel::ThreadPool pool_;
};

#if defined(VESTA_HAVE_TBB)
class Tbb {
 public:
  static constexpr const char* kName = "tbb";
  explicit Tbb(int threads)
      : limit_(tbb::global_control::max_allowed_parallelism,
               static_cast<std::size_t>(
                   std::max(threads, tbb::info::default_concurrency()))),
        arena_(threads) {}

  template <typename F>
  void Enter(const F& f) {
    arena_.execute(f);
  }
  template <typename F>
  void EnterLoops(const F& f) {
    arena_.execute(f);
  }
  template <typename F>
  void SpawnAll(std::int64_t n, const F& f) {
    tbb::task_group group;
    for (std::int64_t k = 0; k < n; ++k) group.run([&f, k] { f(k); });
    group.wait();
  }
  template <typename F>
  void SpawnAndAwait(std::int64_t n, const F& f) {
    SpawnAll(n, f);
  }
  template <typename F>
  void Loop(std::int64_t n, const F& f) {
    tbb::parallel_for(std::int64_t{0}, n, f);
  }
  template <typename F>
  void ForkTwo(const F& f) {
    tbb::parallel_invoke([&f] { f(0); }, [&f] { f(1); });
  }
  template <typename F>
  void Start(const F& f) {
    arena_.enqueue([&f] { f(); });
  }

 private:
  // The smallest of several that are alive counts: it only ever raises the
  // limit, and the arena holds the number down.
  tbb::global_control limit_;
  tbb::task_arena arena_;
};
#endif  // VESTA_HAVE_TBB

#if defined(_OPENMP)
class OpenMp {
 public:
  static constexpr const char* kName = "openmp";
  explicit OpenMp(int threads) : threads_(threads) {}

  template <typename F>
  void Enter(const F& f) {
#pragma omp parallel num_threads(threads_)
#pragma omp master
    f();
  }
  template <typename F>
  void EnterLoops(const F& f) {
    f();
  }
  template <typename F>
  void SpawnAll(std::int64_t n, const F& f) {
    const F* const function = &f;
#pragma omp taskgroup
    for (std::int64_t k = 0; k < n; ++k) {
#pragma omp task firstprivate(function, k)
      (*function)(k);
    }
  }
  template <typename F>
  void SpawnAndAwait(std::int64_t n, const F& f) {
    const F* const function = &f;
    for (std::int64_t k = 0; k < n; ++k) {
#pragma omp task firstprivate(function, k)
      (*function)(k);
    }
#pragma omp taskwait
  }
  // A parallel region, or tasks where there is one already: nested regions run
  // in one thread by default.
  template <typename F>
  void Loop(std::int64_t n, const F& f) {
    const F* const function = &f;
    if (omp_in_parallel() != 0) {
#pragma omp taskloop firstprivate(function)
      for (std::int64_t k = 0; k < n; ++k) (*function)(k);
    } else {
#pragma omp parallel for num_threads(threads_) firstprivate(function)
      for (std::int64_t k = 0; k < n; ++k) (*function)(k);
    }
  }

  template <typename F>
  void ForkTwo(const F& f) {
    const F* const function = &f;
#pragma omp parallel num_threads(threads_) firstprivate(function)
    (*function)(omp_get_thread_num());
  }

  int threads() const { return threads_; }

 private:
  int threads_;
};
#endif  // _OPENMP

#if defined(VESTA_HAVE_RAYON)
class Rayon {
 public:
  static constexpr const char* kName = "rayon";
  explicit Rayon(int threads) : pool_(vesta_rayon_pool_new(threads)) {}

  template <typename F>
  void Enter(const F& f) {
    const auto once = [&f](std::int64_t) { f(); };
    vesta_rayon_install(pool_.get(), Callback(once));
  }
  template <typename F>
  void EnterLoops(const F& f) {
    Enter(f);
  }
  template <typename F>
  void SpawnAll(std::int64_t n, const F& f) {
    vesta_rayon_spawn_and_await(n, Callback(f));
  }
  template <typename F>
  void SpawnAndAwait(std::int64_t n, const F& f) {
    SpawnAll(n, f);
  }
  template <typename F>
  void Loop(std::int64_t n, const F& f) {
    vesta_rayon_loop(n, Callback(f));
  }
  template <typename F>
  void ForkTwo(const F& f) {
    vesta_rayon_join(Callback(f));
  }
  template <typename F>
  void Start(const F& f) {
    vesta_rayon_spawn(pool_.get(),
                      {[](void* closure, std::int64_t) {
                         (*static_cast<const F*>(closure))();
                       },
                       const_cast<void*>(static_cast<const void*>(&f))});
  }

 private:
  struct FreePool {
    void operator()(void* pool) const { vesta_rayon_pool_free(pool); }
  };

  template <typename F>
  static VestaRayonCallback Callback(const F& f) {
    return {[](void* closure, std::int64_t k) {
              (*static_cast<const F*>(closure))(k);
            },
            const_cast<void*>(static_cast<const void*>(&f))};
  }

  std::unique_ptr<void, FreePool> pool_;
};
#endif  // VESTA_HAVE_RAYON

// std::async has no pool: a thread a task.
class StdAsync {
 public:
  static constexpr const char* kName = "std_async";
  explicit StdAsync(int /*threads*/) {}

  template <typename F>
  void Start(const F& f) {
    last_ = std::async(std::launch::async, [&f] { f(); });
  }

 private:
  std::future<void> last_;
};

template <typename R>
struct RuntimeTag {
  using Runtime = R;
};

// Calls visit(RuntimeTag<R>()) for each peer that this binary was built with.
template <typename Visitor>
void ForEachPeer([[maybe_unused]] const Visitor& visit) {
#if defined(VESTA_HAVE_TBB)
  visit(RuntimeTag<Tbb>());
#endif
#if defined(VESTA_HAVE_RAYON)
  visit(RuntimeTag<Rayon>());
#endif
#if defined(_OPENMP)
  visit(RuntimeTag<OpenMp>());
#endif
}

template <typename Visitor>
void ForEachRuntime(const Visitor& visit) {
  visit(RuntimeTag<Vesta>());
  ForEachPeer(visit);
}

}  // namespace vesta_benchmarks

#endif  // VESTA_BENCHMARKS_RUNTIME_RUNTIMES_H_
