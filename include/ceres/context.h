// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_CONTEXT_H_
#define CERES_PUBLIC_CONTEXT_H_

#include "ceres/internal/export.h"

namespace ceres {

// Resources that solves reuse, above all the pool of threads. A problem makes
// its own when Problem::Options::context is null; one that is shared by several
// problems saves their threads. Solves may use it one after the other or at the
// same time. It must outlive the problems that refer to it.
class CERES_EXPORT Context {
 public:
  Context();
  Context(const Context&) = delete;
  void operator=(const Context&) = delete;
  virtual ~Context();

  // Makes a context. Cheap: threads are started by the first solve that wants
  // them. The caller owns the result.
  static Context* Create();
};

}  // namespace ceres

#endif  // CERES_PUBLIC_CONTEXT_H_
