// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_VERSION_H_
#define CERES_PUBLIC_VERSION_H_

// The version of the Ceres Solver API that this library implements:
// major.minor.revision.

#define CERES_VERSION_MAJOR 2
#define CERES_VERSION_MINOR 2
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
