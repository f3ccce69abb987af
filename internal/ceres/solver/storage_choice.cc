// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/solver/storage_choice.h"

#include "ceres/base/format.h"
#include "ceres/solver/memory_check.h"

namespace ceres::internal {
namespace {

std::string Refuse(JacobianStorage storage, const char* what,
                   const char* remedy) {
  return Format(
      "Solver::Options::jacobian_storage = %s does not work with %s: %s.",
      JacobianStorageToString(storage), what, remedy);
}

}  // namespace

std::string FindStorageConflict(const Solver::Options& o,
                                JacobianStorage storage) {
  if (storage == JacobianStorage::DOUBLE) return "";
  if (o.minimizer_type != TRUST_REGION) {
    return Refuse(storage, "minimizer_type = LINE_SEARCH",
                  "choose TRUST_REGION, or DOUBLE");
  }
  if (!IsSchurType(o.linear_solver_type)) {
    const std::string solver =
        Format("linear_solver_type = %s",
               LinearSolverTypeToString(o.linear_solver_type));
    return Refuse(
        storage, solver.c_str(),
        "choose DENSE_SCHUR, SPARSE_SCHUR or ITERATIVE_SCHUR, or DOUBLE");
  }
  if (o.trust_region_strategy_type != LEVENBERG_MARQUARDT) {
    return Refuse(storage, "trust_region_strategy_type = DOGLEG",
                  "choose LEVENBERG_MARQUARDT, or DOUBLE");
  }
  if (!o.trust_region_minimizer_iterations_to_dump.empty()) {
    return Refuse(storage, "trust_region_minimizer_iterations_to_dump",
                  "leave it empty, or choose DOUBLE");
  }
  if (storage == JacobianStorage::RECOMPUTE && o.check_gradients) {
    return Refuse(storage, "check_gradients",
                  "check them in a solve with DOUBLE");
  }
  return "";
}

std::string FindStorageConflict(JacobianStorage storage,
                                const ProblemImpl& problem,
                                const LinearMethod& method) {
  if (storage == JacobianStorage::DOUBLE) return "";
  if (method.kind != LinearMethod::Kind::kSchur) {
    return Refuse(storage, "a problem that has no parameter block to eliminate",
                  "choose DOUBLE");
  }
  if (!problem.constraints().empty()) {
    return Refuse(storage, "constraints (Problem::AddEqualityConstraint)",
                  "choose DOUBLE");
  }
  if (storage == JacobianStorage::RECOMPUTE &&
      problem.options().evaluation_callback != nullptr) {
    return Refuse(storage, "Problem::Options::evaluation_callback",
                  "choose FLOAT or DOUBLE");
  }
  return "";
}

double BytesOfJacobian(const BlockJacobianStructure& structure,
                       JacobianStorage storage) {
  const auto num_values = static_cast<double>(structure.num_values());
  const double num_rows = structure.num_rows();
  switch (storage) {
    case JacobianStorage::FLOAT:
      return num_rows * sizeof(double) +
             (num_values - num_rows) * sizeof(float);
    case JacobianStorage::RECOMPUTE:
      return 0.0;
    default:
      return num_values * sizeof(double);
  }
}

JacobianStorage ChooseStorage(const Solver::Options& options,
                              const ProblemImpl& problem,
                              const LinearMethod& method,
                              const BlockJacobianStructure& structure,
                              double bytes) {
  constexpr JacobianStorage kDouble = JacobianStorage::DOUBLE;
  const double other_arrays = BytesOfJacobian(structure, kDouble);
  const double matrices = BytesOfMatrices(method, structure) - other_arrays;
  JacobianStorage last = kDouble;
  for (const JacobianStorage storage :
       {kDouble, JacobianStorage::FLOAT, JacobianStorage::RECOMPUTE}) {
    if (!FindStorageConflict(options, storage).empty() ||
        !FindStorageConflict(storage, problem, method).empty()) {
      continue;
    }
    last = storage;
    const double needed =
        BytesOfJacobian(structure, storage) + matrices + other_arrays;
    if (bytes <= 0.0 || needed <= bytes) break;
  }
  return last;
}

}  // namespace ceres::internal
