// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Solves the 27 nonlinear regression problems of the NIST Statistical Reference
// Datasets, from both starting points of each:
//
//   nist --nist_data_dir=DIRECTORY [flags]
//
// A start counts as solved if every parameter matches the certified value to
// more than four digits.
//
// Prints: Easy   16 / 16
// Prints: Medium 22 / 22
// Prints: Hard   16 / 16
// Prints: Total  54 / 54

#include <cstdio>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ceres/ceres.h"
#include "ceres/diagnosis.h"
#include "ceres/tiny_solver.h"
#include "ceres/tiny_solver_cost_function_adapter.h"
#include "gflags/gflags.h"
#include "new_cost_function.h"
#include "nist_data.h"
#include "nist_models.h"
#include "parse_flag.h"

DEFINE_bool(diagnose, false,
            "Say which directions of the solution are undetermined or weak.");
DEFINE_bool(use_tiny_solver, false, "TinySolver instead of Solver.");
DEFINE_string(nist_data_dir, "", "Directory of NIST's .dat files; required.");
VESTA_DEFINE_ENUM_FLAG(minimizer, MinimizerType, ::ceres::TRUST_REGION);
VESTA_DEFINE_ENUM_FLAG(trust_region_strategy, TrustRegionStrategyType,
                       ::ceres::LEVENBERG_MARQUARDT);
VESTA_DEFINE_ENUM_FLAG(dogleg, DoglegType, ::ceres::TRADITIONAL_DOGLEG);
VESTA_DEFINE_ENUM_FLAG(linear_solver, LinearSolverType, ::ceres::DENSE_QR);
VESTA_DEFINE_ENUM_FLAG(
    dense_linear_algebra_library, DenseLinearAlgebraLibraryType,
    ::ceres::Solver::Options().dense_linear_algebra_library_type);
VESTA_DEFINE_ENUM_FLAG(preconditioner, PreconditionerType, ::ceres::JACOBI);
VESTA_DEFINE_ENUM_FLAG(line_search, LineSearchType, ::ceres::WOLFE);
VESTA_DEFINE_ENUM_FLAG(line_search_direction, LineSearchDirectionType,
                       ::ceres::LBFGS);
DEFINE_int32(max_line_search_iterations, 20,
             "Most evaluations of one line search.");
DEFINE_int32(max_line_search_restarts, 10,
             "Most restarts from the direction of steepest descent.");
VESTA_DEFINE_ENUM_FLAG(line_search_interpolation, LineSearchInterpolationType,
                       ::ceres::CUBIC);
DEFINE_int32(lbfgs_rank, 20, "Corrections that lbfgs remembers.");
DEFINE_bool(approximate_eigenvalue_bfgs_scaling, false,
            "Scale the initial inverse Hessian of lbfgs and bfgs.");
DEFINE_double(sufficient_decrease, 1e-4, "Armijo's condition.");
DEFINE_double(sufficient_curvature_decrease, 0.9, "Wolfe's condition.");
DEFINE_int32(num_iterations, 10000, "Most iterations of the minimizer.");
DEFINE_bool(nonmonotonic_steps, false, "Allow steps that increase the cost.");
DEFINE_double(initial_trust_region_radius, 1e4, "Radius of the first region.");
DEFINE_bool(use_numeric_diff, false, "Numeric derivatives.");
VESTA_DEFINE_ENUM_FLAG(numeric_diff_method, NumericDiffMethodType,
                       ::ceres::RIDDERS);
DEFINE_double(ridders_step_size, 1e-9, "Relative step of ridders.");
DEFINE_int32(ridders_extrapolations, 3, "Most extrapolations of ridders.");

namespace ceres::examples {
namespace {

// residual_i = response_i - prediction_i for all rows of the data.
template <typename Model>
class NistResiduals {
 public:
  // Refers to the data, which must outlive it.
  explicit NistResiduals(const NistData* data) : data_(data) {}

  template <typename T>
  bool operator()(const T* b, T* residuals) const {
    for (const std::vector<double>& row : data_->rows) {
      *residuals++ =
          nist::Response<Model>(row.data()) - Model::Predict(b, row.data() + 1);
    }
    return true;
  }

 private:
  const NistData* data_;
};

struct Settings {
  DerivativeOptions derivatives;
  Solver::Options solver;
};

bool SetLineSearch(Solver::Options* options) {
  options->max_num_line_search_step_size_iterations =
      FLAGS_max_line_search_iterations;
  options->max_num_line_search_direction_restarts =
      FLAGS_max_line_search_restarts;
  options->max_lbfgs_rank = FLAGS_lbfgs_rank;
  options->use_approximate_eigenvalue_bfgs_scaling =
      FLAGS_approximate_eigenvalue_bfgs_scaling;
  options->line_search_sufficient_function_decrease = FLAGS_sufficient_decrease;
  options->line_search_sufficient_curvature_decrease =
      FLAGS_sufficient_curvature_decrease;
  return ParseFlag("line_search", FLAGS_line_search, StringToLineSearchType,
                   &options->line_search_type) &&
         ParseFlag("line_search_direction", FLAGS_line_search_direction,
                   StringToLineSearchDirectionType,
                   &options->line_search_direction_type) &&
         ParseFlag("line_search_interpolation", FLAGS_line_search_interpolation,
                   StringToLineSearchInterpolationType,
                   &options->line_search_interpolation_type);
}

bool SetTrustRegion(Solver::Options* options) {
  options->use_nonmonotonic_steps = FLAGS_nonmonotonic_steps;
  options->initial_trust_region_radius = FLAGS_initial_trust_region_radius;
  // The damping of a column does not fall below what it was at the start, as in
  // MINPACK (More, "The Levenberg-Marquardt algorithm: implementation and
  // theory", 1978). Otherwise BoxBOD's columns vanish on the way from its first
  // start, and a step that is hardly damped then leads into a plateau.
  options->min_lm_diagonal = 1.0;
  return ParseFlag("trust_region_strategy", FLAGS_trust_region_strategy,
                   StringToTrustRegionStrategyType,
                   &options->trust_region_strategy_type) &&
         ParseFlag("dogleg", FLAGS_dogleg, StringToDoglegType,
                   &options->dogleg_type) &&
         ParseFlag("linear_solver", FLAGS_linear_solver,
                   StringToLinearSolverType, &options->linear_solver_type) &&
         ParseFlag("preconditioner", FLAGS_preconditioner,
                   StringToPreconditionerType, &options->preconditioner_type) &&
         ParseFlag("dense_linear_algebra_library",
                   FLAGS_dense_linear_algebra_library,
                   StringToDenseLinearAlgebraLibraryType,
                   &options->dense_linear_algebra_library_type);
}

bool ReadSettings(Settings* settings) {
  Solver::Options* options = &settings->solver;
  options->max_num_iterations = FLAGS_num_iterations;
  // Stop only where doubles do: some of these valleys are very flat.
  options->function_tolerance = 1e-20;
  options->gradient_tolerance = 1e-20;
  options->parameter_tolerance = 1e-20;
  options->logging_type = SILENT;

  DerivativeOptions* derivatives = &settings->derivatives;
  derivatives->use_numeric_diff = FLAGS_use_numeric_diff;
  derivatives->numeric_diff_options.ridders_relative_initial_step_size =
      FLAGS_ridders_step_size;
  derivatives->numeric_diff_options.max_num_ridders_extrapolations =
      FLAGS_ridders_extrapolations;
  return ParseFlag("minimizer", FLAGS_minimizer, StringToMinimizerType,
                   &options->minimizer_type) &&
         ParseFlag("numeric_diff_method", FLAGS_numeric_diff_method,
                   StringToNumericDiffMethodType,
                   &derivatives->numeric_diff_method) &&
         SetTrustRegion(options) && SetLineSearch(options);
}

void SolveWithTinySolver(const CostFunction& cost_function,
                         std::vector<double>* b) {
  using Function = TinySolverCostFunctionAdapter<>;
  Function function(cost_function);
  TinySolver<Function> solver;
  solver.options.max_num_iterations = FLAGS_num_iterations;
  // As Solver's, only where doubles do.
  solver.options.gradient_tolerance = 1e-20;
  solver.options.parameter_tolerance = 1e-20;
  solver.options.function_tolerance = 0.0;
  TinySolver<Function>::Parameters x =
      Eigen::Map<Eigen::VectorXd>(b->data(), static_cast<int>(b->size()));
  solver.Solve(function, &x);
  b->assign(x.data(), x.data() + x.size());
}

void SolveWithSolver(std::unique_ptr<CostFunction> cost_function,
                     const Solver::Options& options, std::vector<double>* b) {
  Problem problem;
  problem.AddResidualBlock(cost_function.release(), nullptr, b->data());
  Solver::Summary summary;
  Solve(options, &problem, &summary);
  if (!FLAGS_diagnose) return;
  DiagnosisOptions diagnosis;
  diagnosis.parameter_block_name = [](const double*) { return "b"; };
  std::printf("%s\n", Diagnose(diagnosis, &problem).ToString().c_str());
}

// The digits of the worst parameter after a solve from `start`.
template <typename Model>
double SolveFrom(const std::vector<double>& start, const NistData& data,
                 const Settings& settings) {
  std::vector<double> b = start;
  std::unique_ptr<CostFunction> cost_function(
      NewCostFunction<Model::kNumParameters>(new NistResiduals<Model>(&data),
                                             data.num_observations(),
                                             settings.derivatives));
  if (FLAGS_use_tiny_solver) {
    SolveWithTinySolver(*cost_function, &b);
  } else {
    SolveWithSolver(std::move(cost_function), settings.solver, &b);
  }
  return MatchingDigits(b, data.certified);
}

struct Score {
  int num_solved = 0;
  int num_starts = 0;
};

void Add(const Score& other, Score* score) {
  score->num_solved += other.num_solved;
  score->num_starts += other.num_starts;
}

template <typename Model>
Score SolveBothStarts(const nist::ProblemInfo& info, const NistData& data,
                      const Settings& settings) {
  constexpr double kDigitsWanted = 4.0;
  Score score;
  for (const std::vector<double>& start : data.starts) {
    const double digits = SolveFrom<Model>(start, data, settings);
    const bool solved = digits > kDigitsWanted;
    ++score.num_starts;
    if (solved) ++score.num_solved;
    std::printf("%-9s start %d: %5.2f digits%s\n", info.name, score.num_starts,
                digits, solved ? "" : ", not solved");
  }
  return score;
}

// The exit status.
int Run() {
  Settings settings;
  if (!ReadSettings(&settings)) return 1;
  Score scores[3];  // by difficulty
  std::string error;
  nist::ForEachProblem([&](const nist::ProblemInfo& info, auto model) {
    using Model = decltype(model);
    NistData data;
    if (!error.empty() ||
        !ReadNist(FLAGS_nist_data_dir, info.name, &data, &error)) {
      return;
    }
    if (data.num_parameters() != Model::kNumParameters) {
      error = std::string(info.name) + ": expected " +
              std::to_string(Model::kNumParameters) + " parameters, found " +
              std::to_string(data.num_parameters());
      return;
    }
    Add(SolveBothStarts<Model>(info, data, settings),
        &scores[static_cast<int>(info.difficulty)]);
  });
  if (!error.empty()) {
    std::cerr << error << "\n";
    return 1;
  }
  const char* const names[] = {"Easy  ", "Medium", "Hard  "};
  Score total;
  for (int i = 0; i < 3; ++i) {
    std::printf("%s %d / %d\n", names[i], scores[i].num_solved,
                scores[i].num_starts);
    Add(scores[i], &total);
  }
  std::printf("Total  %d / %d\n", total.num_solved, total.num_starts);
  return 0;
}

}  // namespace
}  // namespace ceres::examples

int main(int argc, char** argv) {
  gflags::SetUsageMessage("nist --nist_data_dir=DIRECTORY [flags]");
  gflags::ParseCommandLineFlags(&argc, &argv, true);
  if (FLAGS_nist_data_dir.empty()) {
    std::cerr << "--nist_data_dir is required: the directory of NIST's .dat "
                 "files.\n";
    return 1;
  }
  return ceres::examples::Run();
}
