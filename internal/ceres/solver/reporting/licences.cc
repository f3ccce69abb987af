// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/solver/reporting/licences.h"

#include "ceres/internal/config.h"

namespace ceres::internal {

std::string LicencesOfBuild() {
  std::string licences = "BSD-3-Clause, MPL-2.0 (Eigen), Apache-2.0 (Highway";
#if !defined(CERES_NO_EIGEN_METIS)
  licences += ", METIS";
#endif
  licences += ")";
#if !defined(CERES_NO_SUITESPARSE)
  licences += ", GPL-2.0-or-later (SuiteSparse)";
#endif
  return licences;
}

}  // namespace ceres::internal
