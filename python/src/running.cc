// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "running.h"

#include <atomic>
#include <chrono>
#include <thread>

#include "dual.h"

namespace vesta::python {
namespace {

std::atomic<int> num_running{0};
std::atomic<bool> exits{false};

// Waits until calls of other threads have ended, or are stuck in a function of
// the user's that does not return.
void EndCalls() {
  constexpr auto kLongest = std::chrono::seconds(10);
  exits = true;
  const nb::gil_scoped_release released;
  const auto start = std::chrono::steady_clock::now();
  while (num_running > 0 &&
         std::chrono::steady_clock::now() - start < kLongest) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace

bool IsMainThread() {
  const nb::module_ threading = nb::module_::import_("threading");
  return threading.attr("current_thread")().is(threading.attr("main_thread")());
}

Running::Running() {
  if (exits && !IsMainThread()) {
    // As Python 3.14 does with threads that ask for the GIL.
    const nb::gil_scoped_release released;
    while (true) std::this_thread::sleep_for(std::chrono::hours(1));
  }
  ++num_running;
}

Running::~Running() {
  if (--num_running == 0) ReleaseFreeBlocks();
}

bool IsRunning() { return num_running > 0; }

bool InterpreterExits() { return exits; }

void BindRunning(nb::module_&) {
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(&EndCalls));
}

}  // namespace vesta::python
