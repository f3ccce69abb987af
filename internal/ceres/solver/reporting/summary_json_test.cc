// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Solver::Summary::ToJson, checked line by line.

#include <limits>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "ceres/solver.h"
#include "ceres/solver/reporting/json_string.h"
#include "ceres/solver/whole_solves/solver_test_utils.h"
#include "ceres/types.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// The members of an object by name. Each stands on a line of its own, and only
// lists and objects that are not empty take several lines.
using Object = std::map<std::string, std::string>;

// The members whose lines are indented like this.
Object MembersAt(const std::string& indent, const std::string& text) {
  const std::regex member("\n" + indent + "\"([a-z_]+)\": ([^\n]*)");
  Object object;
  for (std::sregex_iterator it(text.begin(), text.end(), member), end;
       it != end; ++it) {
    std::string value = (*it)[2];
    if (value.back() == ',') value.pop_back();
    EXPECT_TRUE(object.emplace((*it)[1], value).second) << (*it)[1];
  }
  return object;
}

struct Parsed {
  Object members;
  std::vector<Object> iterations;
};

// Also checks that each line is the begin or the end of an object, or a member
// with a JSON value, and that there is a comma where another member follows.
Parsed Parse(const std::string& json) {
  const std::string value =
      R"((true|false|-?[0-9.]+(e[-+][0-9]+)?|"[^"\\]*"|\[[0-9, ]*\]))";
  const std::string member = R"(\n +"[a-z_]+": )" + value;
  const std::string members = "\\{" + member + "(," + member + ")*\\s+\\}";
  const std::size_t list = json.find("\"iterations\": ");
  Parsed parsed{MembersAt("  ", json), {}};
  std::string rest = json.substr(list);
  std::smatch object;
  while (std::regex_search(rest, object, std::regex("\\{[^}]*\\}"))) {
    EXPECT_TRUE(std::regex_match(object.str(), std::regex(members)));
    parsed.iterations.push_back(MembersAt("      ", object.str()));
    rest = object.suffix();
  }
  EXPECT_TRUE(std::regex_match(json.substr(0, list) + "\"iterations\": []\n}",
                               std::regex(members)))
      << json;
  return parsed;
}

std::string Quoted(const std::string& text) { return "\"" + text + "\""; }

double Number(const Object& object, const std::string& name) {
  return std::stod(object.at(name));
}

std::set<std::string> NamesOf(const Object& object) {
  std::set<std::string> names;
  for (const auto& member : object) names.insert(member.first);
  return names;
}

TEST(SummaryJson, SaysWhatTheSummarySays) {
  SmallBundle bundle;
  Solver::Options options;
  options.linear_solver_type = DENSE_SCHUR;
  options.linear_solver_ordering = bundle.PointsFirst();
  const Solver::Summary summary = SolveWith(options, &bundle.problem);
  const auto [json, iterations] = Parse(summary.ToJson());
  EXPECT_EQ(json.at("termination_type"), Quoted("CONVERGENCE"));
  EXPECT_EQ(json.at("message"), Quoted(summary.message));
  EXPECT_EQ(json.at("linear_solver_type_used"), Quoted("DENSE_SCHUR"));
  EXPECT_EQ(json.at("schur_structure_used"),
            Quoted(summary.schur_structure_used));
  EXPECT_EQ(Number(json, "num_residuals"), summary.num_residuals);
  EXPECT_EQ(json.at("linear_solver_ordering_given"),
            "[" + std::to_string(bundle.num_points()) + ", " +
                std::to_string(bundle.num_cameras()) + "]");
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
  const auto [json, iterations] = Parse(Solver::Summary().ToJson());
  EXPECT_EQ(json.at("termination_type"), Quoted("FAILURE"));
  EXPECT_TRUE(iterations.empty());
  EXPECT_EQ(json.at("linear_solver_ordering_given"), "[]");
}

TEST(SummaryJson, NumbersThatJsonDoesNotHaveAreStrings) {
  Solver::Summary summary;
  summary.initial_cost = std::numeric_limits<double>::quiet_NaN();
  summary.fixed_cost = std::numeric_limits<double>::infinity();
  summary.final_cost = -std::numeric_limits<double>::infinity();
  const Object json = Parse(summary.ToJson()).members;
  EXPECT_EQ(json.at("initial_cost"), Quoted("NaN"));
  EXPECT_EQ(json.at("fixed_cost"), Quoted("Infinity"));
  EXPECT_EQ(json.at("final_cost"), Quoted("-Infinity"));
}

TEST(SummaryJson, NamesTheLicencesOfTheBuild) {
  const Solver::Summary summary;
  const std::string licences = Parse(summary.ToJson()).members.at("licences");
  EXPECT_THAT(licences, StartsWith("\"BSD-3-Clause, MPL-2.0 (Eigen)"));
  if (IsSparseLinearAlgebraLibraryTypeAvailable(SUITE_SPARSE)) {
    EXPECT_THAT(licences, HasSubstr("GPL-2.0-or-later (SuiteSparse)"));
  } else {
    EXPECT_THAT(licences, Not(HasSubstr("GPL")));
  }
  // The report names the same.
  const std::string text = licences.substr(1, licences.size() - 2);
  EXPECT_THAT(summary.FullReport(), HasSubstr("Licences: " + text + "\n"));
}

// Programs of others read these names: one may be added, none may change.
TEST(SummaryJson, NamesAreThoseOfTheFields) {
  const std::set<std::string> stable = {
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
  const auto [json, iterations] = Parse(summary.ToJson());
  EXPECT_EQ(NamesOf(json), stable);
  const std::set<std::string> stable_of_iteration = {
      "iteration",
      "step_is_valid",
      "step_is_nonmonotonic",
      "step_is_successful",
      "cost",
      "cost_change",
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
  EXPECT_EQ(NamesOf(iterations.at(0)), stable_of_iteration);
}

TEST(JsonString, EscapesWhatMustBe) {
  EXPECT_EQ(JsonString("a\"b\\c\nd\te\x01"), R"("a\"b\\c\nd\te\u0001")");
  EXPECT_EQ(JsonString(std::string("\0", 1)), R"("\u0000")");
  EXPECT_EQ(JsonString(""), "\"\"");
}

TEST(JsonString, KeepsUtf8AndReplacesTheRest) {
  const std::string valid =
      "\xC3\xBC \xE2\x82\xAC \xF0\x9F\x99\x82 \xED\x9F\xBF \xF4\x8F\xBF\xBF";
  EXPECT_EQ(JsonString(valid), "\"" + valid + "\"");
  const std::string replaced = R"(\ufffd)";
  // A lone continuation, a cut sequence, an overlong form, a surrogate, what is
  // beyond U+10FFFF.
  EXPECT_EQ(JsonString("\x80"), "\"" + replaced + "\"");
  EXPECT_EQ(JsonString("\xC3"), "\"" + replaced + "\"");
  EXPECT_EQ(JsonString("\xC3z"), "\"" + replaced + "z\"");
  EXPECT_EQ(JsonString("\xC0\x80"), "\"" + replaced + replaced + "\"");
  EXPECT_EQ(JsonString("\xED\xA0\x80"),
            "\"" + replaced + replaced + replaced + "\"");
  EXPECT_EQ(JsonString("\xF4\x90\x80\x80"),
            "\"" + replaced + replaced + replaced + replaced + "\"");
}

}  // namespace
}  // namespace ceres::internal
