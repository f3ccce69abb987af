// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Solver::Summary::ToJson, read back by a parser.

#include <cctype>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "ceres/parallel/trace/json_reader.h"
#include "ceres/solver.h"
#include "ceres/solver/json_string.h"
#include "ceres/solver/solver_test_utils.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using parallel::detail::JsonReader;
using testing::ElementsAre;

// What a JSON object says, by key; of true and false only that they are there.
struct Object {
  std::map<std::string, double> numbers;
  std::map<std::string, std::string> strings;
  std::map<std::string, std::vector<double>> lists;
  std::vector<Object> objects;  // elements of the list "iterations"
  std::set<std::string> keys;
};

// The first character of a value decides how it is read. (Keys whose kind
// differs between places are none.)
char NextCharacter(const std::string& text, const std::string& key) {
  std::size_t i = text.find("\"" + key + "\":") + key.size() + 3;
  while (std::isspace(static_cast<unsigned char>(text[i])) != 0) ++i;
  return text[i];
}

Object ReadObject(const std::string& text, JsonReader* reader) {
  Object object;
  reader->ReadObject([&](const std::string& key) {
    EXPECT_TRUE(object.keys.insert(key).second) << key << " is there twice";
    const char next = NextCharacter(text, key);
    if (key == "iterations") {
      reader->ReadArray(
          [&] { object.objects.push_back(ReadObject(text, reader)); });
    } else if (next == '[') {
      std::vector<double>& list = object.lists[key];
      reader->ReadArray([&] { list.push_back(reader->ReadNumber()); });
    } else if (next == 't' || next == 'f') {
      reader->Skip();
    } else if (next == '"') {
      object.strings[key] = reader->ReadString();
    } else {
      object.numbers[key] = reader->ReadNumber();
    }
  });
  return object;
}

Object Parse(const std::string& text) {
  JsonReader reader(text);
  Object object = ReadObject(text, &reader);
  reader.ExpectEnd();
  return object;
}

TEST(SummaryJson, SaysWhatTheSummarySays) {
  SmallBundle bundle;
  Solver::Options options;
  options.linear_solver_type = DENSE_SCHUR;
  options.linear_solver_ordering = bundle.PointsFirst();
  const Solver::Summary summary = SolveWith(options, &bundle.problem);
  const Object json = Parse(summary.ToJson());
  EXPECT_EQ(json.strings.at("termination_type"), "CONVERGENCE");
  EXPECT_EQ(json.strings.at("message"), summary.message);
  EXPECT_EQ(json.strings.at("linear_solver_type_used"), "DENSE_SCHUR");
  EXPECT_EQ(json.strings.at("schur_structure_used"),
            summary.schur_structure_used);
  EXPECT_EQ(json.numbers.at("num_residuals"), summary.num_residuals);
  EXPECT_THAT(json.lists.at("linear_solver_ordering_given"),
              ElementsAre(bundle.num_points(), bundle.num_cameras()));
  // The same bits.
  EXPECT_EQ(json.numbers.at("initial_cost"), summary.initial_cost);
  EXPECT_EQ(json.numbers.at("final_cost"), summary.final_cost);
  EXPECT_EQ(json.numbers.at("total_time_in_seconds"),
            summary.total_time_in_seconds);
  ASSERT_EQ(json.objects.size(), summary.iterations.size());
  for (std::size_t i = 0; i < json.objects.size(); ++i) {
    EXPECT_EQ(json.objects[i].numbers.at("iteration"), i);
    EXPECT_EQ(json.objects[i].numbers.at("cost"), summary.iterations[i].cost);
    EXPECT_EQ(json.objects[i].numbers.at("trust_region_radius"),
              summary.iterations[i].trust_region_radius);
  }
}

TEST(SummaryJson, OfNoSolveIsValidToo) {
  const Object json = Parse(Solver::Summary().ToJson());
  EXPECT_EQ(json.strings.at("termination_type"), "FAILURE");
  EXPECT_TRUE(json.objects.empty());
  EXPECT_TRUE(json.lists.at("linear_solver_ordering_given").empty());
}

TEST(SummaryJson, NumbersThatJsonDoesNotHaveAreStrings) {
  Solver::Summary summary;
  summary.initial_cost = std::numeric_limits<double>::quiet_NaN();
  summary.fixed_cost = std::numeric_limits<double>::infinity();
  summary.final_cost = -std::numeric_limits<double>::infinity();
  const Object json = Parse(summary.ToJson());
  EXPECT_EQ(json.strings.at("initial_cost"), "NaN");
  EXPECT_EQ(json.strings.at("fixed_cost"), "Infinity");
  EXPECT_EQ(json.strings.at("final_cost"), "-Infinity");
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
      "iterations"};
  Solver::Summary summary;
  summary.iterations.resize(1);
  const Object json = Parse(summary.ToJson());
  EXPECT_EQ(json.keys, stable);
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
  EXPECT_EQ(json.objects.at(0).keys, stable_of_iteration);
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
