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

// Windows has static libraries of the runtime only: a DLL cannot export a
// thread-local variable.
#if defined(_WIN32)
#define CERES_PARALLEL_EXPORT
#else
#define CERES_PARALLEL_EXPORT __attribute__((visibility("default")))
#endif

// A thread-local variable with a constant initializer and no destructor. Unlike
// `extern thread_local`, it is read without a call that asks whether it has
// been initialized.
#define CERES_PARALLEL_THREAD_LOCAL CERES_PARALLEL_EXPORT __thread

#endif  // CERES_PUBLIC_PARALLEL_DETAIL_EXPORT_H_
