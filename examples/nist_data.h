// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef VESTA_EXAMPLES_NIST_DATA_H_
#define VESTA_EXAMPLES_NIST_DATA_H_

#include <string>
#include <string_view>
#include <vector>

namespace ceres::examples {

// A problem of the NIST Statistical Reference Datasets for nonlinear regression
// (https://www.itl.nist.gov/div898/strd/nls/nls_main.shtml).
struct NistData {
  int num_parameters() const { return static_cast<int>(certified.size()); }
  int num_observations() const { return static_cast<int>(rows.size()); }
  int num_predictors() const {
    return static_cast<int>(rows.front().size()) - 1;
  }

  std::vector<double> starts[2];
  std::vector<double> certified;  // parameters, to 11 digits
  double certified_sum_of_squares = 0.0;
  std::vector<std::vector<double>> rows;  // response, then predictors
};

// Parses a data file as NIST distributes it. `name` says in messages where the
// text came from. Returns false on failure and then says in *error which line
// is wrong and what was expected; *data is unchanged.
[[nodiscard]] bool ParseNist(std::string_view text, const std::string& name,
                             NistData* data, std::string* error);

// Reads folder/name.dat. A misprint that NIST's Roszman1.dat is known for is
// put right.
[[nodiscard]] bool ReadNist(const std::string& folder, const std::string& name,
                            NistData* data, std::string* error);

// The number of decimal digits to which the value agrees with a certified one:
// at most 11, which is what NIST certifies. Zero or less where none agrees.
double MatchingDigits(double value, double certified);

// The least MatchingDigits of all parameters; the sizes must be the same.
double MatchingDigits(const std::vector<double>& values,
                      const std::vector<double>& certified);

}  // namespace ceres::examples

#endif  // VESTA_EXAMPLES_NIST_DATA_H_
