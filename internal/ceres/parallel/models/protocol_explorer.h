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
// model's own threads are ordinary variables. Nothing in a thread may depend on
// anything but what it reads there (no clocks, no random numbers).
//
// What is checked: no data race on plain data; no access to an object after its
// end; no ModelCheck fails; there is always a thread that can go on, until all
// have ended (nobody is blocked for ever, no wake-up is lost); from every state
// an end can be reached (nobody waits for something that cannot come, even if
// others can still turn in circles).
//
// The memory is described in model_memory.h. Pause(), which a loop that spins
// has to call, blocks a thread until another one has stored something, and lets
// it see all that was stored.

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
  std::string violation;           // Empty: none found.
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
