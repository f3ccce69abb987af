// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_INTERNAL_OPTIONAL_GLOG_H_
#define CERES_PUBLIC_INTERNAL_OPTIONAL_GLOG_H_

// What programs for Ceres 2.2 get from its headers because these include
// glog's: the macros LOG, VLOG, CHECK and DCHECK, and standard headers.
//
// The macros are there if the library writes its log with glog and has the API
// of Ceres 2.2 (ceres/version.h). Before it includes any header, a program may
// define
//   VESTA_NO_GLOG        to have no macros: they clash with those of Abseil and
//                        of other libraries,
//   VESTA_INCLUDE_GLOG   to have them with every build of the library.

#include <atomic>     // Programs count on these.
#include <chrono>     //
#include <cstddef>    //
#include <cstring>    //
#include <ctime>      //
#include <iostream>   //
#include <limits>     //
#include <memory>     //
#include <numeric>    //
#include <sstream>    //
#include <stdexcept>  //
#include <string>     //
#include <typeinfo>   //
#include <utility>    //
#include <vector>     //

#include "ceres/parallel/detail/language.h"
#include "ceres/version.h"

#if defined(VESTA_INCLUDE_GLOG) ||                              \
    (defined(VESTA_LOG_WITH_GLOG) && !defined(VESTA_NO_GLOG) && \
     CERES_VERSION_MINOR == 2)
#if !__has_include("glog/logging.h")
#error \
    "There is no glog/logging.h. Install glog, or define VESTA_NO_GLOG if the \
program needs no LOG and CHECK. With VESTA_INCLUDE_GLOG, link glog::glog."
#endif
#include "glog/logging.h"
#endif

#endif  // CERES_PUBLIC_INTERNAL_OPTIONAL_GLOG_H_
