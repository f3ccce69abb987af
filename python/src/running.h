// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Calls of the library that run while the interpreter exits.
//
// When the interpreter ends, a thread that asks for the GIL is ended where it
// stands. Inside of C++ frames that aborts the process. So a function that runs
// at exit, while threads still get the GIL, asks all calls to end and waits for
// them.

#ifndef VESTA_PYTHON_RUNNING_H_
#define VESTA_PYTHON_RUNNING_H_

#include <nanobind/nanobind.h>

#include "common.h"

namespace vesta::python {

// A call that calls Python, or releases the GIL. Made and destroyed with the
// GIL. If the interpreter exits, threads other than the main one stop here.
class Running {
 public:
  Running();
  ~Running();
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
};

// Whether a call runs in any thread.
bool IsRunning();

bool IsMainThread();

// Whether calls must end. Thread-safe.
bool InterpreterExits();

// A call that runs without the GIL.
class WithoutGil {
 private:
  Running running_;
  nb::gil_scoped_release released_;
};

}  // namespace vesta::python

#endif  // VESTA_PYTHON_RUNNING_H_
