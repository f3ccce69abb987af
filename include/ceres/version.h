// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_VERSION_H_
#define CERES_PUBLIC_VERSION_H_

// The version of the Ceres Solver API that programs find if they ask:
// major.minor.revision. Vesta has the names of 2.2 and of 2.3 in any case. The
// version is 2.2, or 2.3 if the library was built with VESTA_CERES_VERSION=2.3
// or a program defines VESTA_CERES_2_3 before it includes any header. It also
// decides where 2.2 and 2.3 exclude each other: the template parameters of
// TinySolver, and whether headers bring glog's macros.

#include "ceres/internal/config.h"

#define CERES_VERSION_MAJOR 2
#ifndef VESTA_CERES_2_3
#define CERES_VERSION_MINOR 2
#else
#define CERES_VERSION_MINOR 3
#endif
#define CERES_VERSION_REVISION 0

// The argument as a string literal, after macro expansion.
#define CERES_TO_STRING_HELPER(x) #x
#define CERES_TO_STRING(x) CERES_TO_STRING_HELPER(x)

// "MAJOR.MINOR.PATCH" as a string literal.
#define CERES_SEMVER_VERSION(MAJOR, MINOR, PATCH) \
  CERES_TO_STRING(MAJOR) "." CERES_TO_STRING(MINOR) "." CERES_TO_STRING(PATCH)

// The version as a string literal, "major.minor.revision".
#define CERES_VERSION_STRING                                     \
  CERES_SEMVER_VERSION(CERES_VERSION_MAJOR, CERES_VERSION_MINOR, \
                       CERES_VERSION_REVISION)

#endif  // CERES_PUBLIC_VERSION_H_
