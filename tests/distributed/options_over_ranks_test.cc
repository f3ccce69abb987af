// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Each option of Solver::Options either has its effect over ranks, or is
// refused by name.

#include <cmath>
#include <cstddef>
#include <fstream>
#include <memory>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "ceres/distributed.h"
#include "ceres/parallel/testing/test_hosts.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "scene_on_ranks.h"

namespace ceres::examples {
namespace {

using Options = distributed::Options;

enum class Effect {
  kChangesSteps,  // other steps than without the option, those of ceres::Solve
  kTakesSteps,    // the steps of ceres::Solve
  kUnread,        // the same bits: nothing reads it with TRUST_REGION, or only
                  // options that are refused
  kRefused,       // FAILURE; the message names it
};

struct Row {
  const char* option;
  Effect effect;
  void (*set)(Options* options);
  // What the option needs to have an effect.
  void (*base)(Options* options) = [](Options*) {};
};

void PrintTo(const Row& row, std::ostream* stream) { *stream << row.option; }

void Iterative(Options* o) {
  o->linear_solver_type = ITERATIVE_SCHUR;
  o->eta = 1e-3;
}
void Inexact(Options* o) {
  o->linear_solver_type = ITERATIVE_SCHUR;
  o->preconditioner_type = SCHUR_JACOBI;
  o->eta = 0.5;
}
void CgnrIdentity(Options* o) {
  o->linear_solver_type = CGNR;
  o->preconditioner_type = IDENTITY;
  o->max_linear_solver_iterations = 10;
  o->eta = 1e-12;
}
void Dense(Options* o) { o->linear_solver_type = DENSE_SCHUR; }
void Dogleg(Options* o) { o->trust_region_strategy_type = DOGLEG; }
void Nonmonotonic(Options* o) { o->use_nonmonotonic_steps = true; }
void MixedPrecision(Options* o) { o->use_mixed_precision_solves = true; }

class EndsAfterTwoSteps final : public IterationCallback {
 public:
  CallbackReturnType operator()(const IterationSummary& summary) override {
    return summary.iteration == 2 ? SOLVER_TERMINATE_SUCCESSFULLY
                                  : SOLVER_CONTINUE;
  }
};

EndsAfterTwoSteps* Callback() {
  static EndsAfterTwoSteps callback;
  return &callback;
}
parallel::InlineHost* Host() {
  static parallel::InlineHost host;
  return &host;
}

#define ROW(option, effect, ...)                                          \
  {                                                                       \
#option, Effect::effect, [](Options * o) { o->option = __VA_ARGS__; } \
  }
#define ROW_WITH(base, option, effect, ...)                                  \
  {                                                                          \
#option, Effect::effect, [](Options * o) { o->option = __VA_ARGS__; },   \
                                                                        base \
  }

std::vector<Row> Rows() {
  return {
      ROW(minimizer_type, kRefused, LINE_SEARCH),
      // Read by LINE_SEARCH alone.
      ROW(line_search_direction_type, kUnread, STEEPEST_DESCENT),
      {"line_search_type", Effect::kUnread,
       [](Options* o) {
         o->line_search_type = ARMIJO;
         o->line_search_direction_type = STEEPEST_DESCENT;
       }},
      ROW(nonlinear_conjugate_gradient_type, kUnread, POLAK_RIBIERE),
      ROW(max_lbfgs_rank, kUnread, 3),
      ROW(use_approximate_eigenvalue_bfgs_scaling, kUnread, true),
      ROW(max_num_line_search_direction_restarts, kUnread, 2),
      ROW(line_search_sufficient_curvature_decrease, kUnread, 0.8),
      ROW(max_line_search_step_expansion, kUnread, 5.0),
      // Read if there are bounds: models_over_ranks_test.
      ROW(line_search_interpolation_type, kUnread, BISECTION),
      ROW(min_line_search_step_size, kUnread, 1e-8),
      ROW(line_search_sufficient_function_decrease, kUnread, 1e-3),
      ROW(max_line_search_step_contraction, kUnread, 1e-2),
      ROW(min_line_search_step_contraction, kUnread, 0.5),
      ROW(max_num_line_search_step_size_iterations, kUnread, 10),

      ROW(trust_region_strategy_type, kChangesSteps, DOGLEG),
      ROW_WITH(Dogleg, dogleg_type, kTakesSteps, SUBSPACE_DOGLEG),
      ROW(use_nonmonotonic_steps, kTakesSteps, true),
      ROW_WITH(Nonmonotonic, max_consecutive_nonmonotonic_steps, kTakesSteps,
               2),
      ROW(max_num_iterations, kChangesSteps, 2),
      ROW(max_solver_time_in_seconds, kChangesSteps, 0.0),
      ROW(num_threads, kTakesSteps, 2),
      ROW(initial_trust_region_radius, kChangesSteps, 1.0),
      ROW(max_trust_region_radius, kChangesSteps, 1e4),
      ROW(min_trust_region_radius, kTakesSteps, 1e-20),
      ROW(min_relative_decrease, kTakesSteps, 0.5),
      ROW(min_lm_diagonal, kChangesSteps, 1e6),
      ROW(max_lm_diagonal, kChangesSteps, 1e-3),
      ROW(max_num_consecutive_invalid_steps, kTakesSteps, 2),
      ROW(function_tolerance, kChangesSteps, 0.5),
      ROW(gradient_tolerance, kChangesSteps, 1e12),
      ROW(parameter_tolerance, kChangesSteps, 1.0),

      ROW(linear_solver_type, kTakesSteps, DENSE_SCHUR),
      ROW(linear_solver_type, kRefused, DENSE_QR),
      ROW_WITH(Iterative, preconditioner_type, kChangesSteps, SCHUR_JACOBI),
      ROW_WITH(Iterative, preconditioner_type, kRefused, CLUSTER_JACOBI),
      ROW(visibility_clustering_type, kUnread, SINGLE_LINKAGE),
      ROW(residual_blocks_for_subset_preconditioner, kUnread, {nullptr}),
      ROW_WITH(Dense, dense_linear_algebra_library_type, kTakesSteps, LAPACK),
      ROW(sparse_linear_algebra_library_type, kTakesSteps, EIGEN_SPARSE),
      ROW(linear_solver_ordering_type, kTakesSteps, NESDIS),
      ROW(linear_solver_ordering, kRefused,
          std::make_shared<ParameterBlockOrdering>()),
      ROW_WITH(Iterative, use_explicit_schur_complement, kRefused, true),
      ROW(dynamic_sparsity, kRefused, true),
      ROW(jacobian_storage, kRefused, JacobianStorage::FLOAT),
      ROW(use_mixed_precision_solves, kTakesSteps, true),
      ROW_WITH(MixedPrecision, max_num_refinement_iterations, kTakesSteps, 3),
      ROW_WITH(Inexact, min_linear_solver_iterations, kChangesSteps, 8),
      ROW_WITH(Iterative, max_linear_solver_iterations, kChangesSteps, 2),
      ROW(max_num_spse_iterations, kUnread, 3),
      ROW_WITH(Iterative, use_spse_initialization, kRefused, true),
      ROW(spse_tolerance, kUnread, 0.2),
      ROW_WITH(Iterative, eta, kChangesSteps, 0.5),
      ROW_WITH(CgnrIdentity, jacobi_scaling, kChangesSteps, false),

      ROW(use_inner_iterations, kRefused, true),
      ROW(inner_iteration_ordering, kUnread,
          std::make_shared<ParameterBlockOrdering>()),
      ROW(inner_iteration_tolerance, kUnread, 1e-2),
      ROW(logging_type, kTakesSteps, PER_MINIMIZER_ITERATION),
      ROW(minimizer_progress_to_stdout, kTakesSteps, true),
      ROW(trust_region_minimizer_iterations_to_dump, kRefused, {1}),
      ROW(trust_region_problem_dump_directory, kUnread, "/"),
      ROW(trust_region_problem_dump_format_type, kUnread, CONSOLE),
      ROW(check_gradients, kRefused, true),
      ROW(gradient_check_relative_precision, kUnread, 1e-6),
      ROW(gradient_check_numeric_derivative_relative_step_size, kUnread, 1e-5),
      ROW(update_state_every_iteration, kTakesSteps, true),
      ROW(callbacks, kChangesSteps, {Callback()}),
      ROW_WITH([](Options* o) { o->num_threads = 2; }, executor, kTakesSteps,
               Host()),
      ROW(cancellation_token, kChangesSteps,
          [] {
            parallel::CancellationSource source;
            source.Cancel();
            return source.token();
          }()),
      ROW(keep_progress_on_exception, kRefused, true),
      ROW(keep_preprocessing, kRefused, true),
  };
}

class OptionOverRanks : public testing::TestWithParam<Row> {
 protected:
  static Options BaseOptions() {
    Options options;
    options.logging_type = SILENT;
    options.max_num_iterations = 4;
    GetParam().base(&options);
    return options;
  }
  static std::vector<double> CostsOf(const Solver::Summary& summary) {
    std::vector<double> costs;
    for (const IterationSummary& iteration : summary.iterations) {
      costs.push_back(iteration.cost);
    }
    return costs;
  }
  static bool AreNear(const std::vector<double>& a,
                      const std::vector<double>& b, double tolerance) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (std::abs(a[i] - b[i]) > tolerance * b[i]) return false;
    }
    return true;
  }
};

TEST_P(OptionOverRanks, HasItsEffectOrIsRefusedByName) {
  const Row& row = GetParam();
  const BalProblem scene = SmallScene(6, 100);
  const Options base = BaseOptions();
  Options options = base;
  row.set(&options);
  SceneOnRanks changed(scene, MPI_COMM_WORLD, {});
  const distributed::Summary summary = changed.Solve(options);
  if (row.effect == Effect::kRefused) {
    EXPECT_EQ(summary.termination_type, FAILURE);
    EXPECT_THAT(summary.message, testing::HasSubstr(row.option));
    return;
  }
  EXPECT_NE(summary.termination_type, FAILURE) << summary.message;
  const std::vector<double> costs = CostsOf(summary);
  SceneOnRanks unchanged(scene, MPI_COMM_WORLD, {});
  const std::vector<double> base_costs = CostsOf(unchanged.Solve(base));
  if (row.effect == Effect::kUnread) {
    EXPECT_EQ(costs, base_costs);
    return;
  }
  BalProblem whole = scene;
  const Solver::Summary one = SolveInOneProcess(options, {}, &whole);
  const bool is_exact = !options.use_mixed_precision_solves &&
                        options.linear_solver_type != ITERATIVE_SCHUR &&
                        options.linear_solver_type != CGNR;
  EXPECT_TRUE(AreNear(costs, CostsOf(one), is_exact ? 1e-8 : 1e-4))
      << testing::PrintToString(costs) << " over ranks, "
      << testing::PrintToString(CostsOf(one)) << " in one process";
  if (row.effect == Effect::kChangesSteps) {
    EXPECT_FALSE(AreNear(costs, base_costs, 1e-9))
        << testing::PrintToString(costs);
  }
}

INSTANTIATE_TEST_SUITE_P(, OptionOverRanks, testing::ValuesIn(Rows()),
                         [](const auto& info) {
                           return std::to_string(info.index) + "_" +
                                  info.param.option;
                         });

// The members of Solver::Options, as the header declares them.
std::set<std::string> DeclaredOptions() {
  std::ifstream file(VESTA_SOLVER_HEADER);
  std::stringstream text;
  text << file.rdbuf();
  const std::string header = text.str();
  const std::size_t begin = header.find("Options {");
  const std::string body =
      header.substr(begin, header.find("\n  };", begin) - begin);
  // A declaration begins with four spaces, and may continue.
  const std::regex declaration(
      R"(\n    [a-zA-Z:][a-zA-Z0-9_:<>*,\s]*?[\s>*](\w+)(\s*=[^;]*)?;)");
  std::set<std::string> names;
  for (std::sregex_iterator it(body.begin(), body.end(), declaration), end;
       it != end; ++it) {
    names.insert((*it)[1]);
  }
  return names;
}

TEST(OptionsOfTheTable, AreThoseOfTheHeader) {
  std::set<std::string> names;
  for (const Row& row : Rows()) names.insert(row.option);
  EXPECT_EQ(names, DeclaredOptions());
}

}  // namespace
}  // namespace ceres::examples
