
// Checks that find most mistakes of a problem.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <vector>

#include "ceres/ceres.h"
#include "outcome.h"

namespace {

// [checks]
void SolveAndCheck(ceres::Problem* problem) {
  // 1. Derivatives, and how the solve ends.
  ceres::Solver::Options options;
  options.check_gradients = true;
  ceres::Solver::Summary summary;
  ceres::Solve(options, problem, &summary);
  // 2. The result.
  PrintOutcome(summary);
  std::printf("usable: %s, cost %.2f -> %.2f\n",
              summary.IsSolutionUsable() ? "yes" : "no", summary.initial_cost,
              summary.final_cost);

  // 3. The largest residuals. There are none where a residual block fails.
  std::vector<double> residuals;
  ceres::CRSMatrix jacobian;
  if (!problem->Evaluate(ceres::Problem::EvaluateOptions(), nullptr, &residuals,
                         nullptr, &jacobian) ||
      jacobian.num_cols == 0) {
    std::printf("no residuals or no Jacobian at this point\n");
    return;
  }
  std::vector<int> order(residuals.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    return std::abs(residuals[a]) > std::abs(residuals[b]);
  });
  for (int i = 0; i < std::min<int>(3, order.size()); ++i) {
    std::printf("residual %d = %.2f\n", order[i], residuals[order[i]]);
  }

  // 4. The smallest and the largest column of the Jacobian.
  std::vector<double> norms(jacobian.num_cols, 0.0);
  for (std::size_t k = 0; k < jacobian.values.size(); ++k) {
    norms[jacobian.cols[k]] += jacobian.values[k] * jacobian.values[k];
  }
  const auto [smallest, largest] =
      std::minmax_element(norms.begin(), norms.end());
  std::printf("column norms: %.2f to %.2f\n", std::sqrt(*smallest),
              std::sqrt(*largest));
}
// [/checks]

struct Line {
  template <typename T>
  bool operator()(const T* line, T* residual) const {
    residual[0] = (line[0] + line[1] * t - y) / sigma;
    return true;
  }
  double t, y, sigma;
};

void FitLine(double third) {
  const double y[] = {1.1, 2.9, third, 7.1, 8.9, 11.0};
  double line[2] = {0.0, 0.0};
  ceres::Problem problem;
  for (int i = 0; i < 6; ++i) {
    problem.AddResidualBlock(new ceres::AutoDiffCostFunction<Line, 1, 2>(
                                 new Line{double(i), y[i], 0.1}),
                             nullptr, line);
  }
  SolveAndCheck(&problem);
}

}  // namespace

int main() {
  FitLine(9.0);
  std::printf("-- the third measurement is missing\n");
  FitLine(std::nan(""));
}
