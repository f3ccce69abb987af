// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_MODELS_PROTOCOL_EXPLORER_H_
#define CERES_INTERNAL_PARALLEL_MODELS_PROTOCOL_EXPLORER_H_

#include <cstddef>
#include <memory>
#include <new>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "ceres/parallel/models/model_atomics.h"
#include "ceres/parallel/models/model_execution.h"

// For tests: runs the code of a protocol in every interleaving of its threads,
// and with every value that its loads may read (stateless model checking;
// Musuvathi and Qadeer, "Fair stateless model checking", PLDI 2008).
//
// The protocol is a template over its atomics (protocol_atomics.h): the runtime
// compiles it with RealAtomics, a model with ModelAtomics. A model is a class
//   struct Model {
//     static constexpr int kThreads = 2;
//     Model();                  // makes the shared objects
//     void Run(int thread);     // what a thread does
//     void Check();             // when all threads have ended
//   };
// whose shared data are Atomic, Plain, locks, or Ghost. The objects of the
// model's own threads are ordinary variables. A thread may depend only on what
// it reads in the model: not on clocks or random numbers.
//
// The explorer checks that
//  - plain data have no data race;
//  - no object is accessed after its end;
//  - no ModelCheck fails;
//  - a thread can go on until all threads have ended: no thread is blocked for
//    ever, and no wake-up is lost;
//  - an end can be reached from every state: no thread waits for an event that
//    cannot happen while other threads repeat their steps.
//
// model_memory.h describes the memory. Pause(), which a loop that spins has to
// call, blocks a thread until another thread has stored something, and makes
// all stores visible to it.

namespace ceres::parallel::testing_internal {

// Sanitizers make each execution ten times as long.
#if defined(VESTA_FIBER_ASAN) || defined(VESTA_FIBER_TSAN)
inline constexpr bool kIsSanitized = true;
#else
inline constexpr bool kIsSanitized = false;
#endif

struct ProtocolExploration {
  std::size_t executions = 0;
  std::size_t states = 0;
  std::size_t transitions = 0;
  std::string violation;           // Empty if none was found.
  std::vector<std::string> trail;  // What happened up to the violation.

  bool ok() const { return violation.empty(); }
};

inline std::ostream& operator<<(std::ostream& out,
                                const ProtocolExploration& result) {
  out << result.executions << " executions, " << result.states << " states, "
      << result.transitions << " transitions";
  if (!result.ok()) out << ": " << result.violation;
  for (const std::string& step : result.trail) out << "\n  " << step;
  return out;
}

template <typename Model>
ProtocolExploration ExploreProtocol(const ExplorationLimits& limits = {}) {
  static_assert(Model::kThreads <= kMaxModelThreads);
  // At one address in all executions, as pointers to it are.
  struct alignas(128) Place {
    unsigned char bytes[sizeof(Model)];
  };
  const auto place = std::make_unique<Place>();
  Model* model = nullptr;
  const auto execution =
      std::make_unique<ModelExecution>(Model::kThreads, limits);
  const auto run_once = [&] {
    execution->RunOnce([&] { model = new (place->bytes) Model; },
                       [&](int thread) { model->Run(thread); },
                       [&] { model->Check(); }, [&] { model->~Model(); });
  };
  ProtocolExploration result;
  do {
    run_once();
    ++result.executions;
  } while (!execution->found_violation() &&
           (execution->BeginAgain() || execution->NextChoices()));
  result.states = execution->num_states();
  result.transitions = execution->num_transitions();
  if (execution->found_violation()) {
    execution->Record();
    run_once();
    result.trail = execution->trail();
  }
  result.violation = execution->violation();
  if (result.ok() && !execution->EndsAreReachable()) {
    result.violation = "turns in circles: no end can be reached";
  }
  ModelExecution::Current() = nullptr;
  return result;
}

// For a model that is expected to fail: with few preemptions first, so that the
// trail is short.
template <typename Model>
ProtocolExploration FindViolation(int most_preemptions = 3) {
  ProtocolExploration result;
  for (int k = 0; k <= most_preemptions && result.ok(); ++k) {
    ExplorationLimits limits;
    limits.preemptions = k;
    result = ExploreProtocol<Model>(limits);
  }
  return result;
}

}  // namespace ceres::parallel::testing_internal

#endif  // CERES_INTERNAL_PARALLEL_MODELS_PROTOCOL_EXPLORER_H_
