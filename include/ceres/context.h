// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_CONTEXT_H_
#define CERES_PUBLIC_CONTEXT_H_

#include "ceres/internal/export.h"
#include "ceres/parallel/detail/language.h"

namespace ceres {

namespace internal {
class ContextImpl;
}  // namespace internal

// Resources that solves reuse, above all the thread pool. A problem makes its
// own context if Problem::Options::context is null. Several problems that share
// a context share its threads. Several solves may use a context one after the
// other or at the same time. A context must outlive the problems that refer to
// it.
class CERES_EXPORT Context {
 public:
  // A context without threads. Solves start them.
  Context();
  Context(const Context&) = delete;
  void operator=(const Context&) = delete;
  virtual ~Context();

  // Makes a context. Takes little time, because the first solve that needs
  // threads starts them. The caller owns the result.
  static Context* Create();

 private:
  friend class internal::ContextImpl;
  // For a ContextImpl, which is its own implementation.
  explicit Context(internal::ContextImpl* impl) : impl_(impl) {}

  // Owned, unless this object is the implementation.
  internal::ContextImpl* const impl_;
};

}  // namespace ceres

#endif  // CERES_PUBLIC_CONTEXT_H_
