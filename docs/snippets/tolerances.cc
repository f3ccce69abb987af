
// What each tolerance compares.

#include <cstdio>
#include <string>

#include "ceres/ceres.h"
#include "small_bundle.h"

namespace {

void Solve(const char* name, const ceres::Solver::Options& options) {
  SmallBundle bundle(5, 40);
  ceres::Solver::Summary summary;
  ceres::Solve(options, &bundle.problem, &summary);
  const std::string message = summary.message;
  std::printf("%-32s steps %2d, cost %.4f\n  %s\n", name,
              summary.num_successful_steps - 1, summary.final_cost,
              message.substr(0, message.find(':')).c_str());
}

}  // namespace

int main() {
  // [solves]
  ceres::Solver::Options options;
  Solve("defaults", options);

  options.function_tolerance = 1e-2;
  Solve("function_tolerance = 1e-2", options);

  options = ceres::Solver::Options();
  options.function_tolerance = 0.0;
  options.gradient_tolerance = 0.0;
  options.parameter_tolerance = 1e-4;
  Solve("only parameter_tolerance = 1e-4", options);

  options = ceres::Solver::Options();
  options.function_tolerance = 0.0;
  options.parameter_tolerance = 0.0;
  options.gradient_tolerance = 1e-3;
  Solve("only gradient_tolerance = 1e-3", options);

  options = ceres::Solver::Options();
  options.max_num_iterations = 2;
  Solve("max_num_iterations = 2", options);
  // [/solves]
}
