// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// The nonlinear regression problems of the NIST Statistical Reference Datasets
// (https://www.itl.data.gov/div898/strd/nls/nls_main.shtml): 27 models, each
// with two starting points and certified parameters.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "ceres/ceres.h"
#include "ceres/solver/whole_solves/solver_combinations.h"
#include "gtest/gtest.h"
#include "nist_data.h"
#include "nist_models.h"
#include "shared_data.h"

namespace ceres::examples {
namespace {

// residual = response - prediction for one row of the data.
template <typename Model>
class NistResidual {
 public:
  NistResidual(double response, const double* predictors)
      : response_(response), predictors_(predictors) {}

  template <typename T>
  bool operator()(const T* b, T* residual) const {
    residual[0] = response_ - Model::Predict(b, predictors_);
    return true;
  }

 private:
  double response_;
  const double* predictors_;
};

template <typename Model>
double SumOfSquares(const NistData& data, const std::vector<double>& b) {
  double sum = 0.0;
  for (const std::vector<double>& row : data.rows) {
    const double residual = nist::Response<Model>(row.data()) -
                            Model::Predict(b.data(), row.data() + 1);
    sum += residual * residual;
  }
  return sum;
}

Solver::Options TightOptions() {
  Solver::Options options;
  options.linear_solver_type = DENSE_QR;
  options.max_num_iterations = 10000;
  // Stop only where doubles do: some of these valleys are very flat.
  options.function_tolerance = 1e-20;
  options.gradient_tolerance = 1e-20;
  options.parameter_tolerance = 1e-20;
  options.logging_type = SILENT;
  return options;
}

// The digits that the worst parameter agrees to after a solve from `start`.
template <typename Model>
double SolveAndCompare(const NistData& data, const std::vector<double>& start,
                       const Solver::Options& options) {
  std::vector<double> b = start;
  Problem problem;
  for (const std::vector<double>& row : data.rows) {
    problem.AddResidualBlock(
        new AutoDiffCostFunction<NistResidual<Model>, 1, Model::kNumParameters>(
            new NistResidual<Model>(nist::Response<Model>(row.data()),
                                    row.data() + 1)),
        nullptr, b.data());
  }
  Solver::Summary summary;
  Solve(options, &problem, &summary);

  return MatchingDigits(b, data.certified);
}

struct Case {
  nist::ProblemInfo info;
  int num_parameters;
  double (*solve)(const NistData&, const std::vector<double>&,
                  const Solver::Options&);
  double (*sum_of_squares)(const NistData&, const std::vector<double>&);
};

const std::vector<Case>& AllCases() {
  static const std::vector<Case> cases = [] {
    std::vector<Case> all;
    nist::ForEachProblem([&](const nist::ProblemInfo& info, auto model) {
      using Model = decltype(model);
      all.push_back({info, Model::kNumParameters, &SolveAndCompare<Model>,
                     &SumOfSquares<Model>});
    });
    return all;
  }();
  return cases;
}

// Nothing where the data sets are absent.
std::optional<NistData> ReadCase(const Case& test_case) {
  const std::string name = test_case.info.name;
  const std::filesystem::path folder = internal::SharedDataFolder() / "nist";
  if (!std::filesystem::exists(folder)) return std::nullopt;
  NistData data;
  std::string error;
  EXPECT_TRUE(ReadNist(folder.string(), name, &data, &error)) << error;
  EXPECT_EQ(data.num_observations(), test_case.info.num_observations) << name;
  EXPECT_EQ(data.num_parameters(), test_case.num_parameters) << name;
  EXPECT_EQ(data.num_predictors(), name == "Nelson" ? 2 : 1) << name;
  return data;
}

// Checks models and parser without the solver.
TEST(Nist, CertifiedParametersHaveCertifiedSumOfSquares) {
  for (const Case& test_case : AllCases()) {
    const std::optional<NistData> data = ReadCase(test_case);
    if (!data.has_value())
      GTEST_SKIP() << "no NIST data sets in " << internal::SharedDataFolder();
    // Eleven digits of the parameters do not determine a sum of 1e-25.
    const double rounding = 1e-18;
    EXPECT_NEAR(test_case.sum_of_squares(*data, data->certified),
                data->certified_sum_of_squares,
                1e-7 * data->certified_sum_of_squares + rounding)
        << test_case.info.name;
  }
}

struct Solved {
  int count = 0;  // The starts from which the solver arrives, of 54.
  std::string missed;
};

// Nothing without data.
std::optional<Solved> CountSolved(const Solver::Options& options) {
  Solved solved;
  for (const Case& test_case : AllCases()) {
    const std::optional<NistData> data = ReadCase(test_case);
    if (!data.has_value()) return std::nullopt;
    for (const std::vector<double>& start : data->starts) {
      const double digits = test_case.solve(*data, start, options);
      if (digits >= 4.0) {
        ++solved.count;
      } else {
        solved.missed += std::string(test_case.info.name) + " start " +
                         std::to_string(&start - data->starts + 1) + ": " +
                         std::to_string(digits) + " digits\n";
      }
    }
  }
  return solved;
}

void ExpectSolved(const Solver::Options& options, int num_wanted) {
  const std::optional<Solved> solved = CountSolved(options);
  if (!solved.has_value()) {
    GTEST_SKIP() << "no NIST data sets in " << internal::SharedDataFolder();
  }
  EXPECT_GE(solved->count, num_wanted) << solved->missed;
}

// From the first starts of BoxBOD and MGH17, Levenberg-Marquardt steps over the
// hill into a plateau; the other 52 must arrive.
TEST(Nist, DenseQrFindsCertifiedParametersFrom52Of54Starts) {
  ExpectSolved(TightOptions(), 52);
}

// With min_lm_diagonal = 1 the damping of a (Jacobi scaled) column does not
// fall below what it was at the start, as in MINPACK (More, The
// Levenberg-Marquardt Algorithm: Implementation and Theory, 1978), and
// vanishing columns do not take long steps.
TEST(Nist, ScalingThatDoesNotFallBelowTheFirstSolvesAll) {
  Solver::Options options = TightOptions();
  options.min_lm_diagonal = 1.0;
  ExpectSolved(options, 54);
}

// The other minimizers, for comparison: about as many as when this was written.
TEST(Nist, DoglegFindsMost) {
  for (const auto type : {TRADITIONAL_DOGLEG, SUBSPACE_DOGLEG}) {
    Solver::Options options = TightOptions();
    options.trust_region_strategy_type = DOGLEG;
    options.dogleg_type = type;
    ExpectSolved(options, 46);
  }
}

TEST(Nist, QuasiNewtonLineSearchFindsMany) {
  for (const auto type : {LBFGS, BFGS}) {
    Solver::Options options = TightOptions();
    options.minimizer_type = LINE_SEARCH;
    options.line_search_direction_type = type;
    ExpectSolved(options, 40);
  }
}

// Every admissible combination (without subsets, which are of a problem's own
// residual blocks), with 500 iterations: how many arrive is what did when this
// was written, with some room. Normal equations, inexact steps and numbers of
// single precision lose digits, and directions of first order crawl in these
// valleys.
TEST(Nist, EveryCombinationFindsAsManyAsItsKindDoes) {
  Solver::Options base = TightOptions();
  base.max_num_iterations = 500;
  for (const Solver::Options& options :
       internal::TrustRegionCombinations(base)) {
    SCOPED_TRACE(internal::Describe(options));
    ExpectSolved(options, 36);
    if (IsSkipped()) return;
  }
  for (const Solver::Options& options :
       internal::LineSearchCombinations(base)) {
    SCOPED_TRACE(internal::Describe(options));
    const auto direction = options.line_search_direction_type;
    ExpectSolved(options, direction == LBFGS || direction == BFGS ? 30 : 2);
  }
}

}  // namespace
}  // namespace ceres::examples
