// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// The nonlinear regression problems of the NIST Statistical Reference Datasets
// (https://www.itl.data.gov/div898/strd/nls/nls_main.shtml): 27 models, each
// with two starting points and certified parameters.

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "ceres/ceres.h"
#include "ceres/solver/nist_models.h"
#include "ceres/solver/shared_data.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

// A data file, parsed. Predictors and parameters in the order of the file.
struct NistProblem {
  int num_predictors() const {
    return static_cast<int>(rows.front().size()) - 1;
  }

  std::vector<double> starts[2];
  std::vector<double> certified;
  double certified_sum_of_squares = 0.0;
  std::vector<std::vector<double>> rows;  // Response, then predictors.
};

// Splits the line into numbers; words end it.
std::vector<double> Numbers(const std::string& line) {
  std::istringstream stream(line);
  std::vector<double> numbers;
  for (double number; stream >> number;) numbers.push_back(number);
  return numbers;
}

// The rest of the line if it starts with the label, else empty.
std::string ValueOf(const std::string& label, const std::string& line) {
  return line.rfind(label, 0) == 0 ? line.substr(label.size()) : "";
}

NistProblem ParseNist(const std::string& text) {
  NistProblem problem;
  std::istringstream stream(text);
  bool in_data = false;
  for (std::string line; std::getline(stream, line);) {
    if (in_data) {
      std::vector<double> row = Numbers(line);
      if (row.size() >= 2) problem.rows.push_back(std::move(row));
      continue;
    }
    // "bN = start1 start2 certified deviation"; models have an "=" as well, but
    // no four numbers after it.
    const size_t equals = line.find('=');
    if (equals != std::string::npos) {
      const std::vector<double> numbers = Numbers(line.substr(equals + 1));
      if (numbers.size() == 4) {
        problem.starts[0].push_back(numbers[0]);
        problem.starts[1].push_back(numbers[1]);
        problem.certified.push_back(numbers[2]);
      }
    }
    for (const double value :
         Numbers(ValueOf("Residual Sum of Squares:", line))) {
      problem.certified_sum_of_squares = value;
    }
    // The first "Data:" tells what the columns are, the last one starts them.
    in_data = line.rfind("Data:", 0) == 0 &&
              line.find("Response") == std::string::npos;
  }
  return problem;
}

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

// The number of decimal digits to which `value` agrees with `reference`.
double MatchingDigits(double value, double reference) {
  // NIST certifies 11 digits.
  constexpr double kMaxDigits = 11.0;
  if (value == reference) return kMaxDigits;
  const double error = std::abs(value - reference) / std::abs(reference);
  return std::isfinite(error) ? std::min(kMaxDigits, -std::log10(error)) : 0.0;
}

template <typename Model>
double Response(const std::vector<double>& row) {
  return std::is_same_v<Model, nist::Nelson> ? std::log(row[0]) : row[0];
}

template <typename Model>
double SumOfSquares(const NistProblem& data, const std::vector<double>& b) {
  double sum = 0.0;
  for (const std::vector<double>& row : data.rows) {
    const double residual =
        Response<Model>(row) - Model::Predict(b.data(), row.data() + 1);
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
double SolveAndCompare(const NistProblem& data,
                       const std::vector<double>& start,
                       const Solver::Options& options) {
  std::vector<double> b = start;
  Problem problem;
  for (const std::vector<double>& row : data.rows) {
    problem.AddResidualBlock(
        new AutoDiffCostFunction<NistResidual<Model>, 1, Model::kNumParameters>(
            new NistResidual<Model>(Response<Model>(row), row.data() + 1)),
        nullptr, b.data());
  }
  Solver::Summary summary;
  Solve(options, &problem, &summary);

  double digits = std::numeric_limits<double>::infinity();
  for (int i = 0; i < Model::kNumParameters; ++i) {
    digits = std::min(digits, MatchingDigits(b[i], data.certified[i]));
  }
  return digits;
}

struct Case {
  const char* name;
  int num_rows;
  int num_parameters;
  double (*solve)(const NistProblem&, const std::vector<double>&,
                  const Solver::Options&);
  double (*sum_of_squares)(const NistProblem&, const std::vector<double>&);
};

template <typename Model>
Case MakeCase(const char* name, int num_rows) {
  return {name, num_rows, Model::kNumParameters, &SolveAndCompare<Model>,
          &SumOfSquares<Model>};
}

const std::vector<Case>& AllCases() {
  static const std::vector<Case> cases = {
      MakeCase<nist::Bennett5>("Bennett5", 154),
      MakeCase<nist::ExponentialRise>("BoxBOD", 6),
      MakeCase<nist::Chwirut>("Chwirut1", 214),
      MakeCase<nist::Chwirut>("Chwirut2", 54),
      MakeCase<nist::DanWood>("DanWood", 6),
      MakeCase<nist::Enso>("ENSO", 168),
      MakeCase<nist::Eckerle4>("Eckerle4", 35),
      MakeCase<nist::Gauss>("Gauss1", 250),
      MakeCase<nist::Gauss>("Gauss2", 250),
      MakeCase<nist::Gauss>("Gauss3", 250),
      MakeCase<nist::CubicOverCubic>("Hahn1", 236),
      MakeCase<nist::Kirby2>("Kirby2", 151),
      MakeCase<nist::Lanczos>("Lanczos1", 24),
      MakeCase<nist::Lanczos>("Lanczos2", 24),
      MakeCase<nist::Lanczos>("Lanczos3", 24),
      MakeCase<nist::Mgh09>("MGH09", 11),
      MakeCase<nist::Mgh10>("MGH10", 16),
      MakeCase<nist::Mgh17>("MGH17", 33),
      MakeCase<nist::ExponentialRise>("Misra1a", 14),
      MakeCase<nist::Misra1b>("Misra1b", 14),
      MakeCase<nist::Misra1c>("Misra1c", 14),
      MakeCase<nist::Misra1d>("Misra1d", 14),
      MakeCase<nist::Nelson>("Nelson", 128),
      MakeCase<nist::Rat42>("Rat42", 9),
      MakeCase<nist::Rat43>("Rat43", 15),
      MakeCase<nist::Roszman1>("Roszman1", 25),
      MakeCase<nist::CubicOverCubic>("Thurber", 37),
  };
  return cases;
}

// Nothing where the data sets are absent.
std::optional<NistProblem> ReadCase(const Case& test_case) {
  const std::string name = test_case.name;
  const auto text = ReadSharedData("nist/" + name + ".dat");
  if (!text.has_value()) return std::nullopt;
  NistProblem data = ParseNist(*text);
  // The file says 1.20196866396E-0, which contradicts its own sum of squares;
  // the same digits with the point one place further left agree with it.
  if (name == "Roszman1") data.certified[0] = 2.0196866396e-1;
  EXPECT_EQ(data.rows.size(), test_case.num_rows) << name;
  EXPECT_EQ(data.certified.size(), test_case.num_parameters) << name;
  EXPECT_EQ(data.num_predictors(), name == "Nelson" ? 2 : 1) << name;
  return data;
}

// Checks models and parser without the solver.
TEST(Nist, CertifiedParametersHaveCertifiedSumOfSquares) {
  for (const Case& test_case : AllCases()) {
    const std::optional<NistProblem> data = ReadCase(test_case);
    if (!data.has_value())
      GTEST_SKIP() << "no NIST data sets in " << SharedDataFolder();
    // Eleven digits of the parameters do not determine a sum of 1e-25.
    const double rounding = 1e-18;
    EXPECT_NEAR(test_case.sum_of_squares(*data, data->certified),
                data->certified_sum_of_squares,
                1e-7 * data->certified_sum_of_squares + rounding)
        << test_case.name;
  }
}

// The starts from which the solver arrives, of 54; nothing without data.
std::optional<int> CountSolved(const Solver::Options& options) {
  int num_solved = 0;
  for (const Case& test_case : AllCases()) {
    const std::optional<NistProblem> data = ReadCase(test_case);
    if (!data.has_value()) return std::nullopt;
    for (const std::vector<double>& start : data->starts) {
      const double digits = test_case.solve(*data, start, options);
      if (digits >= 4.0) {
        ++num_solved;
      } else {
        std::cout << test_case.name << " start " << &start - data->starts + 1
                  << ": " << digits << " digits\n";
      }
    }
  }
  return num_solved;
}

void ExpectSolved(const Solver::Options& options, int num_wanted) {
  const std::optional<int> num_solved = CountSolved(options);
  if (!num_solved.has_value()) {
    GTEST_SKIP() << "no NIST data sets in " << SharedDataFolder();
  }
  EXPECT_GE(*num_solved, num_wanted);
}

// From BoxBOD's first start, Levenberg-Marquardt steps over the hill into a
// plateau; the other 53 must arrive.
TEST(Nist, DenseQrFindsCertifiedParametersFrom53Of54Starts) {
  ExpectSolved(TightOptions(), 53);
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

}  // namespace
}  // namespace ceres::internal
