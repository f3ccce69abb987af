
// What makes solves slow, in counts that do not depend on the machine.

#include <cstdio>
#include <vector>

#include "ceres/ceres.h"

namespace {

// [derivatives]
int num_calls = 0;

// A function of nine parameters that counts its calls.
struct Counted {
  template <typename T>
  bool operator()(const T* x, T* residual) const {
    ++num_calls;
    residual[0] = x[0] * x[1] - x[2];
    residual[1] = x[3] * x[4] + x[5] * x[6] - x[7] * x[8];
    return true;
  }
};

void CountCalls(const char* name, const ceres::CostFunction& cost) {
  const double x[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  const double* parameters[] = {x};
  double residuals[2], jacobian[2 * 9];
  double* jacobians[] = {jacobian};
  num_calls = 0;
  cost.Evaluate(parameters, residuals, jacobians);
  std::printf("%-8s %4d\n", name, num_calls);
}
// [/derivatives]

struct Rosenbrock {
  template <typename T>
  bool operator()(const T* x, T* residual) const {
    residual[0] = 10.0 * (x[1] - x[0] * x[0]);
    residual[1] = 1.0 - x[0];
    return true;
  }
};

// [minimizers]
void CountIterations(const char* name, ceres::Solver::Options options) {
  double x[2] = {-1.2, 1.0};
  ceres::Problem problem;
  problem.AddResidualBlock(
      new ceres::AutoDiffCostFunction<Rosenbrock, 2, 2>(new Rosenbrock),
      nullptr, x);
  options.max_num_iterations = 1000;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  const int count = static_cast<int>(summary.iterations.size()) - 1;
  std::printf("%-20s %s\n", name,
              count < 25     ? "below 25 iterations"
              : count < 100  ? "25 to 100 iterations"
              : count < 1000 ? "100 to 1000 iterations"
                             : "1000 iterations, not converged");
}
// [/minimizers]

struct Difference {
  template <typename T>
  bool operator()(const T* a, const T* b, T* residual) const {
    residual[0] = b[0] - a[0] - 1.0;
    return true;
  }
};

// [structure]
// A chain of positions: each residual depends on two of them.
void CountEntries(int num_positions) {
  std::vector<double> x(num_positions, 0.0);
  ceres::Problem problem;
  using Cost = ceres::AutoDiffCostFunction<Difference, 1, 1, 1>;
  for (int i = 0; i + 1 < num_positions; ++i) {
    problem.AddResidualBlock(new Cost(new Difference), nullptr, &x[i],
                             &x[i + 1]);
  }
  ceres::CRSMatrix jacobian;
  problem.Evaluate(ceres::Problem::EvaluateOptions(), nullptr, nullptr, nullptr,
                   &jacobian);
  const double dense = double(jacobian.num_rows) * jacobian.num_cols;
  std::printf("%5d positions: %7.0f entries of J, %5zu not zero (%.2f %%)\n",
              num_positions, dense, jacobian.values.size(),
              100.0 * jacobian.values.size() / dense);
}
// [/structure]

}  // namespace

int main() {
  std::printf("-- calls of the functor for one Jacobian\n");
  using ceres::NumericDiffCostFunction;
  CountCalls("AutoDiff",
             ceres::AutoDiffCostFunction<Counted, 2, 9>(new Counted));
  CountCalls("FORWARD", NumericDiffCostFunction<Counted, ceres::FORWARD, 2, 9>(
                            new Counted));
  CountCalls("CENTRAL", NumericDiffCostFunction<Counted, ceres::CENTRAL, 2, 9>(
                            new Counted));
  CountCalls("RIDDERS", NumericDiffCostFunction<Counted, ceres::RIDDERS, 2, 9>(
                            new Counted));

  std::printf("-- minimizers, on Rosenbrock's function\n");
  ceres::Solver::Options options;
  CountIterations("LEVENBERG_MARQUARDT", options);
  options.trust_region_strategy_type = ceres::DOGLEG;
  CountIterations("DOGLEG", options);
  options.minimizer_type = ceres::LINE_SEARCH;
  CountIterations("LBFGS", options);
  options.line_search_direction_type = ceres::STEEPEST_DESCENT;
  CountIterations("STEEPEST_DESCENT", options);

  std::printf("-- structure\n");
  CountEntries(100);
  CountEntries(1000);
}
