// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_DETAIL_EXPORT_H_
#define CERES_PUBLIC_PARALLEL_DETAIL_EXPORT_H_

// Symbols of the runtime that are one in a process, also where a library is
// compiled with -fvisibility=hidden.
//
// A variable that the inline functions of our headers share is declared in the
// header and defined in a source of the runtime. An inline variable would be
// another one in each library that hides its symbols. What a template keeps for
// a place in the source (LoopSite, PlainLoops, ForkSite) may be there more than
// once: it is about speed only.
//
// A class that is thrown or asked for by dynamic_cast is exported as a whole.

#include "ceres/parallel/detail/language.h"

// A Windows DLL cannot export the thread-local variables of the runtime. There,
// the runtime is a static library, and nothing is exported.
#if defined(_WIN32)
#define CERES_PARALLEL_EXPORT
#else
#define CERES_PARALLEL_EXPORT __attribute__((visibility("default")))
#endif

// A thread-local variable with a constant initializer and no destructor. Unlike
// `extern thread_local`, it is read without a call that asks whether it has
// been initialized.
#if defined(_MSC_VER)
#define CERES_PARALLEL_THREAD_LOCAL __declspec(thread)
#else
#define CERES_PARALLEL_THREAD_LOCAL CERES_PARALLEL_EXPORT __thread
#endif

#endif  // CERES_PUBLIC_PARALLEL_DETAIL_EXPORT_H_
