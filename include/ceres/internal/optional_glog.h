// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_INTERNAL_OPTIONAL_GLOG_H_
#define CERES_PUBLIC_INTERNAL_OPTIONAL_GLOG_H_

// Headers of Ceres 2.2 include glog's, and with them macros named LOG, CHECK
// and the like, which clash with those of other libraries. Ours do not, unless
// a program that relies on it defines VESTA_INCLUDE_GLOG before it includes
// any.

#ifdef VESTA_INCLUDE_GLOG
#if !__has_include("glog/logging.h")
#error \
    "VESTA_INCLUDE_GLOG is defined, but there is no glog/logging.h. Install \
glog, or link glog::glog if Vesta was built with VESTA_LOGGING=builtin."
#endif
#include "glog/logging.h"
#endif

#endif  // CERES_PUBLIC_INTERNAL_OPTIONAL_GLOG_H_
