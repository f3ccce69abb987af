// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SOLVER_REPORTING_LICENCES_H_
#define CERES_INTERNAL_SOLVER_REPORTING_LICENCES_H_

#include <string>

namespace ceres::internal {

// The licences of Vesta and of the libraries that are linked or compiled in, as
// SPDX identifiers with the names of the libraries.
// cmake/ConfigureSummary.cmake prints the same.
std::string LicencesOfBuild();

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SOLVER_REPORTING_LICENCES_H_
