
// One problem, solved with each linear solver.

#include <cstdio>
#include <memory>

#include "ceres/ceres.h"
#include "small_bundle.h"

namespace {

// [solve]
void Solve(ceres::LinearSolverType type) {
  SmallBundle bundle(10, 60);
  ceres::Solver::Options options;
  options.linear_solver_type = type;
  options.preconditioner_type = ceres::JACOBI;
  if (type == ceres::ITERATIVE_SCHUR) {
    options.preconditioner_type = ceres::SCHUR_JACOBI;
  }
  if (ceres::IsSchurType(type)) {
    // Points are eliminated first: group 0. Cameras are in group 1.
    options.linear_solver_ordering =
        std::make_shared<ceres::ParameterBlockOrdering>();
    for (auto& point : bundle.points) {
      options.linear_solver_ordering->AddElementToGroup(point.data(), 0);
    }
    for (auto& camera : bundle.cameras) {
      options.linear_solver_ordering->AddElementToGroup(camera.data(), 1);
    }
  }
  ceres::Solver::Summary summary;
  ceres::Solve(options, &bundle.problem, &summary);
  std::printf("%-22s %s, cost %.2f\n", ceres::LinearSolverTypeToString(type),
              ceres::TerminationTypeToString(summary.termination_type),
              summary.final_cost);
}
// [/solve]

}  // namespace

int main() {
  for (const ceres::LinearSolverType type :
       {ceres::DENSE_QR, ceres::DENSE_NORMAL_CHOLESKY,
        ceres::SPARSE_NORMAL_CHOLESKY, ceres::DENSE_SCHUR, ceres::SPARSE_SCHUR,
        ceres::ITERATIVE_SCHUR, ceres::CGNR}) {
    Solve(type);
  }
}
