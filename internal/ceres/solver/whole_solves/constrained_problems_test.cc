// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// The constrained least-squares problems of ../shared/data/constrained, whose
// solutions were verified independently (README there). VESTA_SHARED names the
// folder if it is elsewhere. The test is skipped where it is absent.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "ceres/base/json_reader.h"
#include "ceres/ceres.h"
#include "ceres/solver/whole_solves/expression.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Problems on which the minimizer does not reach what the test demands.
struct Exception {
  const char* name;
  const char* reason;
};
constexpr Exception kExceptions[] = {
    {"hs013", "no multipliers exist"},
    {"deg05_squared_equality", "no multipliers exist"},
    {"deg15_fritz_john", "no multipliers exist"},
    {"loc01_local_infeasibility", "ends where the violation is stationary"},
};

bool IsException(const std::string& name) {
  return std::any_of(
      std::begin(kExceptions), std::end(kExceptions),
      [&](const Exception& exception) { return name == exception.name; });
}

// The text of a file of the shared folder, which is beside a folder above the
// working directory. Empty: there is none.
std::string ReadShared(const std::string& name) {
  const char* const given = std::getenv("VESTA_SHARED");
  std::string folder = given != nullptr ? given : "shared";
  constexpr int kMaxDepth = 12;
  for (int k = 0; k < kMaxDepth; ++k) {
    std::ifstream file(folder + "/data/constrained/" + name);
    if (file) {
      std::stringstream text;
      text << file.rdbuf();
      return text.str();
    }
    folder = "../" + folder;
  }
  return "";
}

std::vector<double> Numbers(const JsonValue& list, double null) {
  std::vector<double> numbers;
  for (const JsonValue& item : list.items) {
    numbers.push_back(item.Is(JsonValue::Kind::kNumber) ? item.number : null);
  }
  return numbers;
}

std::vector<std::string> Texts(const JsonValue& list) {
  std::vector<std::string> texts;
  for (const JsonValue& item : list.items) texts.push_back(item.text);
  return texts;
}

// A problem of the file, with its published start.
class ReferenceProblem {
 public:
  explicit ReferenceProblem(const JsonValue& json)
      : json_(json), x(Numbers(*json.Find("x0"), 0.0)) {
    const int n = static_cast<int>(x.size());
    problem.AddResidualBlock(
        MakeExpressionFunction(Texts(*json.Find("residuals")), n), nullptr,
        x.data());
    for (const std::string& text : Texts(*json.Find("eq"))) {
      problem.AddEqualityConstraint(MakeExpressionFunction({text}, n),
                                    {x.data()});
    }
    for (const JsonValue& item : json.Find("ineq")->items) {
      const JsonValue& lower = *item.Find("lower");
      const JsonValue& upper = *item.Find("upper");
      problem.AddInequalityConstraint(
          MakeExpressionFunction({item.Find("g")->text}, n),
          {lower.Is(JsonValue::Kind::kNumber) ? lower.number : -kInfinity},
          {upper.Is(JsonValue::Kind::kNumber) ? upper.number : kInfinity},
          {x.data()});
    }
    const std::vector<double> lower = Numbers(*json.Find("lb"), -kInfinity);
    const std::vector<double> upper = Numbers(*json.Find("ub"), kInfinity);
    for (int j = 0; j < n; ++j) {
      if (lower[j] > -kInfinity) {
        problem.SetParameterLowerBound(x.data(), j, lower[j]);
      }
      if (upper[j] < kInfinity) {
        problem.SetParameterUpperBound(x.data(), j, upper[j]);
      }
    }
  }

  bool IsInfeasible() const {
    return json_.Find("infeasible")->Is(JsonValue::Kind::kObject);
  }
  std::string name() const { return json_.Find("name")->text; }

  // The largest violation of a constraint or bound at x.
  double Violation() const {
    const auto outside = [](double c, double lower, double upper) {
      return std::max(0.0, std::max(lower - c, c - upper));
    };
    double largest = 0.0;
    for (const std::string& text : Texts(*json_.Find("eq"))) {
      largest =
          std::max(largest, std::abs(Expression(text).Evaluate(x.data())));
    }
    for (const JsonValue& item : json_.Find("ineq")->items) {
      const JsonValue& lower = *item.Find("lower");
      const JsonValue& upper = *item.Find("upper");
      largest = std::max(
          largest,
          outside(
              Expression(item.Find("g")->text).Evaluate(x.data()),
              lower.Is(JsonValue::Kind::kNumber) ? lower.number : -kInfinity,
              upper.Is(JsonValue::Kind::kNumber) ? upper.number : kInfinity));
    }
    const std::vector<double> lower = Numbers(*json_.Find("lb"), -kInfinity);
    const std::vector<double> upper = Numbers(*json_.Find("ub"), kInfinity);
    for (std::size_t j = 0; j < x.size(); ++j) {
      largest = std::max(largest, outside(x[j], lower[j], upper[j]));
    }
    return largest;
  }
  double Cost() const {
    double sum = 0.0;
    for (const std::string& text : Texts(*json_.Find("residuals"))) {
      const double r = Expression(text).Evaluate(x.data());
      sum += r * r;
    }
    return 0.5 * sum;
  }
  // Which of the listed minima has this cost, or -1.
  int FindMinimum(double cost) const {
    const std::vector<JsonValue>& minima = json_.Find("minima")->items;
    for (std::size_t k = 0; k < minima.size(); ++k) {
      const double listed = minima[k].Find("F")->number;
      if (std::abs(cost - listed) <= 1e-6 * std::max(1.0, std::abs(listed))) {
        return static_cast<int>(k);
      }
    }
    return -1;
  }
  double PeerEvaluations() const {
    return json_.Find("solvers")->Find("ipopt")->Find("evaluations")->number;
  }

 private:
  const JsonValue& json_;

 public:
  std::vector<double> x;
  Problem problem;
};

class ConstrainedProblems : public testing::Test {
 protected:
  void SetUp() override {
    const std::string text = ReadShared("problems.json");
    if (text.empty()) GTEST_SKIP() << "../shared/data/constrained is absent";
    std::string error;
    ASSERT_TRUE(ReadJson(text, &json_, &error)) << error;
  }
  const std::vector<JsonValue>& problems() const {
    return json_.Find("problems")->items;
  }

 private:
  JsonValue json_;
};

Solver::Options MakeOptions() {
  Solver::Options options;
  options.max_num_iterations = 500;
  options.linear_solver_type = DENSE_QR;
  options.logging_type = SILENT;
  return options;
}

TEST_F(ConstrainedProblems, ExpressionsHaveTheListedValues) {
  for (const JsonValue& json : problems()) {
    const JsonValue& point = *json.Find("testpoint");
    const std::vector<double> x = Numbers(*point.Find("x"), 0.0);
    const std::vector<double> r = Numbers(*point.Find("r"), 0.0);
    const std::vector<std::string> texts = Texts(*json.Find("residuals"));
    ASSERT_EQ(texts.size(), r.size());
    for (std::size_t i = 0; i < r.size(); ++i) {
      EXPECT_NEAR(Expression(texts[i]).Evaluate(x.data()), r[i],
                  1e-12 * std::max(1.0, std::abs(r[i])))
          << json.Find("name")->text;
    }
  }
}

// Solves the problem and checks its result. violation: the limit. Returns the
// evaluations of residuals, relative to those of an interior point method with
// exact second derivatives; or 0 for an exception. A solve that claims more
// than it has reached is an error, for exceptions too.
double SolveAndCheck(double violation, ReferenceProblem* reference) {
  Solver::Summary summary;
  Solve(MakeOptions(), &reference->problem, &summary);
  const int evaluations = summary.num_residual_evaluations + 1;
  const std::string outcome = reference->name() + ": " + summary.message +
                              " cost " + std::to_string(reference->Cost()) +
                              ", evaluations " + std::to_string(evaluations) +
                              ", of the peer " +
                              std::to_string(reference->PeerEvaluations());
  if (reference->IsInfeasible()) {
    EXPECT_EQ(summary.termination_type, INFEASIBLE) << outcome;
    EXPECT_FALSE(summary.violated_constraints.empty()) << outcome;
    return 0.0;
  }
  if (summary.termination_type == CONVERGENCE) {
    EXPECT_GE(reference->FindMinimum(reference->Cost()), 0) << outcome;
    EXPECT_LE(summary.constraint_violation, 1e-8) << outcome;
  }
  if (IsException(reference->name())) return 0.0;
  EXPECT_EQ(summary.termination_type, CONVERGENCE) << outcome;
  EXPECT_LT(reference->Violation(), violation) << outcome;
  EXPECT_NEAR(summary.final_cost, reference->Cost(),
              1e-9 * std::max(1.0, reference->Cost()))
      << outcome;
  testing::Test::RecordProperty(reference->name(), evaluations);
  return evaluations / std::max(1.0, reference->PeerEvaluations());
}

// Without constraints another minimizer solves a problem: these are left out.
double MedianRatioOfEvaluations(const std::vector<JsonValue>& problems,
                                double violation) {
  std::vector<double> ratios;
  for (const JsonValue& json : problems) {
    ReferenceProblem reference(json);
    if (reference.problem.NumConstraints() == 0) continue;
    const double ratio = SolveAndCheck(violation, &reference);
    if (ratio > 0.0) ratios.push_back(ratio);
  }
  std::sort(ratios.begin(), ratios.end());
  return ratios.empty() ? 0.0 : ratios[ratios.size() / 2];
}

TEST_F(ConstrainedProblems, EndAtListedMinimaOrAreInfeasible) {
  EXPECT_LE(MedianRatioOfEvaluations(problems(), 1e-8), 1.0);
}

// Small instances of families: trajectories, chains, bundles, packings, ...
TEST_F(ConstrainedProblems, OfFamiliesEndAtListedMinima) {
  JsonValue json;
  std::string error;
  ASSERT_TRUE(ReadJson(ReadShared("scalable.json"), &json, &error)) << error;
  EXPECT_LE(MedianRatioOfEvaluations(json.Find("problems")->items, 1e-8), 1.0);
}

}  // namespace
}  // namespace ceres::internal
