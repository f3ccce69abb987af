// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Solver::Summary::ToJson, read by our own reader.

#include <limits>
#include <string>
#include <vector>

#include "ceres/base/json_reader.h"
#include "ceres/solver.h"
#include "ceres/solver/whole_solves/solver_test_utils.h"
#include "ceres/types.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using testing::UnorderedElementsAreArray;

using Kind = JsonValue::Kind;

// What ToJson writes, read again.
JsonValue Read(const std::string& json) {
  JsonValue value;
  std::string error;
  EXPECT_TRUE(ReadJson(json, &value, &error)) << error;
  return value;
}

const JsonValue& Member(const JsonValue& object, const std::string& name) {
  static const JsonValue kMissing;
  const JsonValue* member = object.Find(name);
  EXPECT_NE(member, nullptr) << name;
  return member != nullptr ? *member : kMissing;
}

std::string Text(const JsonValue& object, const std::string& name) {
  EXPECT_TRUE(Member(object, name).Is(Kind::kString)) << name;
  return Member(object, name).text;
}

double Number(const JsonValue& object, const std::string& name) {
  EXPECT_TRUE(Member(object, name).Is(Kind::kNumber)) << name;
  return Member(object, name).number;
}

std::vector<std::string> NamesOf(const JsonValue& object) {
  std::vector<std::string> names;
  for (const auto& member : object.members) names.push_back(member.first);
  return names;
}

TEST(SummaryJson, SaysWhatTheSummarySays) {
  SmallBundle bundle;
  Solver::Options options;
  options.linear_solver_type = DENSE_SCHUR;
  options.linear_solver_ordering = bundle.PointsFirst();
  const Solver::Summary summary = SolveWith(options, &bundle.problem);
  const JsonValue json = Read(summary.ToJson());
  const std::vector<JsonValue>& iterations = Member(json, "iterations").items;
  EXPECT_EQ(Text(json, "termination_type"), "CONVERGENCE");
  EXPECT_EQ(Text(json, "message"), summary.message);
  EXPECT_EQ(Text(json, "linear_solver_type_used"), "DENSE_SCHUR");
  EXPECT_EQ(Text(json, "schur_structure_used"), summary.schur_structure_used);
  EXPECT_EQ(Number(json, "num_residuals"), summary.num_residuals);
  const std::vector<JsonValue>& ordering =
      Member(json, "linear_solver_ordering_given").items;
  ASSERT_EQ(ordering.size(), 2u);
  EXPECT_EQ(ordering[0].number, bundle.num_points());
  EXPECT_EQ(ordering[1].number, bundle.num_cameras());
  // The same bits.
  EXPECT_EQ(Number(json, "initial_cost"), summary.initial_cost);
  EXPECT_EQ(Number(json, "final_cost"), summary.final_cost);
  EXPECT_EQ(Number(json, "total_time_in_seconds"),
            summary.total_time_in_seconds);
  ASSERT_EQ(iterations.size(), summary.iterations.size());
  for (std::size_t i = 0; i < iterations.size(); ++i) {
    EXPECT_EQ(Number(iterations[i], "iteration"), i);
    EXPECT_EQ(Number(iterations[i], "cost"), summary.iterations[i].cost);
    EXPECT_EQ(Number(iterations[i], "trust_region_radius"),
              summary.iterations[i].trust_region_radius);
  }
}

TEST(SummaryJson, OfNoSolveIsValidToo) {
  const JsonValue json = Read(Solver::Summary().ToJson());
  EXPECT_EQ(Text(json, "termination_type"), "FAILURE");
  for (const char* list : {"iterations", "linear_solver_ordering_given"}) {
    EXPECT_TRUE(Member(json, list).Is(Kind::kArray)) << list;
    EXPECT_TRUE(Member(json, list).items.empty()) << list;
  }
}

TEST(SummaryJson, NumbersThatJsonDoesNotHaveAreStrings) {
  Solver::Summary summary;
  summary.initial_cost = std::numeric_limits<double>::quiet_NaN();
  summary.fixed_cost = std::numeric_limits<double>::infinity();
  summary.final_cost = -std::numeric_limits<double>::infinity();
  const JsonValue json = Read(summary.ToJson());
  EXPECT_EQ(Text(json, "initial_cost"), "NaN");
  EXPECT_EQ(Text(json, "fixed_cost"), "Infinity");
  EXPECT_EQ(Text(json, "final_cost"), "-Infinity");
}

TEST(SummaryJson, NamesTheLicencesOfTheBuild) {
  const Solver::Summary summary;
  const std::string licences = Text(Read(summary.ToJson()), "licences");
  EXPECT_THAT(licences, StartsWith("BSD-3-Clause, MPL-2.0 (Eigen)"));
  if (IsSparseLinearAlgebraLibraryTypeAvailable(SUITE_SPARSE)) {
    EXPECT_THAT(licences, HasSubstr("GPL-2.0-or-later (SuiteSparse)"));
  } else {
    EXPECT_THAT(licences, Not(HasSubstr("GPL")));
  }
  // The report names the same.
  EXPECT_THAT(summary.FullReport(), HasSubstr("Licences: " + licences + "\n"));
}

TEST(SummaryJson, AMemberStandsOnALineOfItsOwn) {
  Solver::Summary summary;
  summary.linear_solver_ordering_given = {3, 4};
  summary.iterations.resize(1);
  const std::string json = summary.ToJson();
  EXPECT_THAT(json, StartsWith("{\n  \"minimizer_type\": \"TRUST_REGION\",\n"));
  EXPECT_THAT(json,
              HasSubstr("\n  \"linear_solver_ordering_given\": [3,4],\n"));
  EXPECT_THAT(
      json,
      HasSubstr("\n  \"iterations\": [\n    {\n      \"iteration\": 0,\n"));
  EXPECT_THAT(json, EndsWith("\n    }\n  ]\n}\n"));
}

// Programs of others read these names: one may be added, none may change.
TEST(SummaryJson, NamesAreThoseOfTheFields) {
  const std::vector<std::string> stable = {
      "minimizer_type",
      "termination_type",
      "message",
      "initial_cost",
      "final_cost",
      "fixed_cost",
      "num_successful_steps",
      "num_unsuccessful_steps",
      "num_inner_iteration_steps",
      "num_line_search_steps",
      "preprocessor_time_in_seconds",
      "minimizer_time_in_seconds",
      "postprocessor_time_in_seconds",
      "total_time_in_seconds",
      "linear_solver_time_in_seconds",
      "num_linear_solves",
      "residual_evaluation_time_in_seconds",
      "num_residual_evaluations",
      "jacobian_evaluation_time_in_seconds",
      "num_jacobian_evaluations",
      "inner_iteration_time_in_seconds",
      "line_search_cost_evaluation_time_in_seconds",
      "line_search_gradient_evaluation_time_in_seconds",
      "line_search_polynomial_minimization_time_in_seconds",
      "line_search_total_time_in_seconds",
      "num_parameter_blocks",
      "num_parameters",
      "num_effective_parameters",
      "num_residual_blocks",
      "num_residuals",
      "num_parameter_blocks_reduced",
      "num_parameters_reduced",
      "num_effective_parameters_reduced",
      "num_residual_blocks_reduced",
      "num_residuals_reduced",
      "is_constrained",
      "num_constraints",
      "num_active_constraints",
      "constraint_violation",
      "stationarity",
      "complementarity",
      "violated_constraints",
      "num_threads_given",
      "num_threads_used",
      "linear_solver_ordering_given",
      "linear_solver_ordering_used",
      "schur_structure_given",
      "schur_structure_used",
      "inner_iterations_given",
      "inner_iterations_used",
      "inner_iteration_ordering_given",
      "inner_iteration_ordering_used",
      "linear_solver_type_given",
      "linear_solver_type_used",
      "mixed_precision_solves_used",
      "linear_solver_ordering_type",
      "jacobian_storage_used",
      "preconditioner_type_given",
      "preconditioner_type_used",
      "visibility_clustering_type",
      "trust_region_strategy_type",
      "dogleg_type",
      "dense_linear_algebra_library_type",
      "sparse_linear_algebra_library_type",
      "line_search_direction_type",
      "line_search_type",
      "line_search_interpolation_type",
      "nonlinear_conjugate_gradient_type",
      "max_lbfgs_rank",
      "preprocessing_was_kept",
      "preprocessing_was_extended",
      "elimination_order_was_renewed",
      "licences",
      "iterations"};
  Solver::Summary summary;
  summary.iterations.resize(1);
  const JsonValue json = Read(summary.ToJson());
  const std::vector<JsonValue>& iterations = Member(json, "iterations").items;
  EXPECT_THAT(NamesOf(json), UnorderedElementsAreArray(stable));
  const std::vector<std::string> stable_of_iteration = {
      "iteration",
      "step_is_valid",
      "step_is_nonmonotonic",
      "step_is_successful",
      "cost",
      "cost_change",
      "constraint_violation",
      "gradient_max_norm",
      "gradient_norm",
      "step_norm",
      "relative_decrease",
      "trust_region_radius",
      "eta",
      "step_size",
      "line_search_function_evaluations",
      "line_search_gradient_evaluations",
      "line_search_iterations",
      "linear_solver_iterations",
      "iteration_time_in_seconds",
      "step_solver_time_in_seconds",
      "cumulative_time_in_seconds"};
  EXPECT_THAT(NamesOf(iterations.at(0)),
              UnorderedElementsAreArray(stable_of_iteration));
}

}  // namespace
}  // namespace ceres::internal
