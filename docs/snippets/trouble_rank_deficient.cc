
// Measurements that do not determine all parameters: how to see it, and what
// to do.

#include <cmath>
#include <cstdio>
#include <vector>

#include "Eigen/Dense"
#include "ceres/ceres.h"

namespace {

// [problem]
// The measured difference of two positions on a line.
struct Difference {
  template <typename T>
  bool operator()(const T* a, const T* b, T* residual) const {
    residual[0] = (b[0] - a[0] - measured) / sigma;
    return true;
  }
  double measured, sigma;
};

// Four positions and their differences: all of them may move together.
void Build(double* x, ceres::Problem* problem) {
  using Cost = ceres::AutoDiffCostFunction<Difference, 1, 1, 1>;
  const double measured[] = {1.0, 1.1, 0.9};
  for (int i = 0; i < 3; ++i) {
    problem->AddResidualBlock(new Cost(new Difference{measured[i], 0.1}),
                              nullptr, &x[i], &x[i + 1]);
  }
}
// [/problem]

// [covariance]
void PrintDeviations(const double* x, ceres::Covariance::Options options,
                     ceres::Problem* problem) {
  ceres::Covariance covariance(options);
  std::vector<const double*> blocks = {&x[0], &x[1], &x[2], &x[3]};
  if (!covariance.Compute(blocks, problem)) {
    std::printf("Covariance::Compute failed\n");
    return;
  }
  std::printf("standard deviations:");
  for (const double* block : blocks) {
    double variance;
    covariance.GetCovarianceBlock(block, block, &variance);
    std::printf(" %.3f", std::sqrt(variance));
  }
  std::printf("\n");
}
// [/covariance]

// [directions]
// Prints the directions of the parameters that no residual sees, from the
// singular values of the Jacobian. For problems of some hundred parameters.
void PrintUndetermined(ceres::Problem* problem) {
  ceres::CRSMatrix sparse;
  if (!problem->Evaluate(ceres::Problem::EvaluateOptions(), nullptr, nullptr,
                         nullptr, &sparse)) {
    std::printf("no Jacobian at this point\n");
    return;
  }
  Eigen::MatrixXd jacobian =
      Eigen::MatrixXd::Zero(sparse.num_rows, sparse.num_cols);
  for (int row = 0; row < sparse.num_rows; ++row) {
    for (int k = sparse.rows[row]; k < sparse.rows[row + 1]; ++k) {
      jacobian(row, sparse.cols[k]) = sparse.values[k];
    }
  }
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(jacobian, Eigen::ComputeFullV);
  const Eigen::VectorXd& values = svd.singularValues();
  for (int i = 0; i < jacobian.cols(); ++i) {
    if (i < values.size() && values[i] > 1e-8 * values[0]) continue;
    // A direction has two signs: the largest entry is positive here.
    Eigen::VectorXd direction = svd.matrixV().col(i);
    if (direction.maxCoeff() < -direction.minCoeff()) direction *= -1.0;
    std::printf("undetermined direction:");
    for (const double value : direction) std::printf(" %.2f", value);
    std::printf("\n");
  }
}
// [/directions]

}  // namespace

int main() {
  double x[4] = {0.0, 0.0, 0.0, 0.0};
  ceres::Problem problem;
  Build(x, &problem);
  ceres::Solver::Summary summary;
  ceres::Solve(ceres::Solver::Options(), &problem, &summary);
  std::printf("solve: %s\n",
              ceres::TerminationTypeToString(summary.termination_type));

  ceres::Covariance::Options options;
  PrintDeviations(x, options, &problem);
  PrintUndetermined(&problem);

  std::printf("-- one position held\n");
  problem.SetParameterBlockConstant(&x[0]);
  PrintDeviations(x, options, &problem);
  problem.SetParameterBlockVariable(&x[0]);

  std::printf("-- the pseudo-inverse\n");
  options.algorithm_type = ceres::DENSE_SVD;
  options.null_space_rank = -1;
  PrintDeviations(x, options, &problem);
}
