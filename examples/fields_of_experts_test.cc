// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "fields_of_experts.h"

#include <cmath>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::examples {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Two filters of 2 by 2.
const char kModel[] =
    "2 2\n0 1 0 1\n0 0 1 1\n0.5 1.5\n1 2 3 4\n-1 -2 -3 -4.5\n\n";

std::string ParseError(const std::string& text) {
  FieldsOfExperts foe;
  foe.size = 7;
  std::string error;
  EXPECT_FALSE(ParseFieldsOfExperts(text, "model.foe", &foe, &error)) << text;
  EXPECT_EQ(foe.size, 7) << "changed, but did not parse";
  return error;
}

TEST(ParseFieldsOfExperts, ReadsOffsetsWeightsAndFilters) {
  FieldsOfExperts foe;
  std::string error;
  ASSERT_TRUE(ParseFieldsOfExperts(kModel, "model.foe", &foe, &error)) << error;
  EXPECT_EQ(foe.size, 2);
  EXPECT_EQ(foe.num_filters(), 2);
  EXPECT_THAT(foe.x_offsets, ElementsAre(0, 1, 0, 1));
  EXPECT_THAT(foe.y_offsets, ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(foe.alphas, ElementsAre(0.5, 1.5));
  EXPECT_THAT(foe.filters[1], ElementsAre(-1.0, -2.0, -3.0, -4.5));
}

TEST(ParseFieldsOfExperts, NamesTokenAndExpectation) {
  const std::string text = kModel;
  EXPECT_THAT(ParseError(""),
              HasSubstr("model.foe:1: token 1: expected the size "
                        "of filters, but the file ends here"));
  EXPECT_THAT(ParseError("100000 3"), HasSubstr("the size of filters in [1,"));
  EXPECT_THAT(ParseError("2 2 0 1 0 2"),
              HasSubstr("token 6: expected an x offset in [0, 1], found"));
  EXPECT_THAT(ParseError("1 1 0 0 -1 2"),
              HasSubstr("token 5: expected the weight of a filter, at least"));
  EXPECT_THAT(ParseError(text.substr(0, text.find("-4.5"))),
              HasSubstr("token 20: expected a filter's coefficient, but"));
  EXPECT_THAT(ParseError(text + "5"),
              HasSubstr("expected the end of the file"));
}

TEST(FieldsOfExpertsCost, IsTheFilterTimesThePixels) {
  const FieldsOfExpertsCost cost({1.0, -2.0, 0.5});
  const double pixels[] = {10.0, 20.0, 40.0};
  const double* parameters[] = {&pixels[0], &pixels[1], &pixels[2]};
  double by_first = 0.0;
  double by_last = 0.0;
  double* jacobians[] = {&by_first, nullptr, &by_last};
  double residual = 0.0;
  ASSERT_TRUE(cost.Evaluate(parameters, &residual, jacobians));
  EXPECT_EQ(residual, 10.0 - 40.0 + 20.0);
  EXPECT_EQ(by_first, 1.0);
  EXPECT_EQ(by_last, 0.5);
  ASSERT_TRUE(cost.Evaluate(parameters, &residual, nullptr));
}

TEST(FieldsOfExpertsLoss, HasTheDerivativesOfItsValue) {
  const double alpha = 0.7;
  const FieldsOfExpertsLoss loss(alpha);
  const double h = 1e-5;
  for (const double s : {0.0, 0.3, 2.0, 50.0}) {
    double rho[3], before[3], after[3];
    loss.Evaluate(s, rho);
    loss.Evaluate(s - h, before);
    loss.Evaluate(s + h, after);
    EXPECT_DOUBLE_EQ(rho[0], 2.0 * alpha * std::log(1.0 + 0.5 * s));
    EXPECT_NEAR(rho[1], (after[0] - before[0]) / (2.0 * h), 1e-9);
    EXPECT_NEAR(rho[2], (after[1] - before[1]) / (2.0 * h), 1e-9);
  }
}

}  // namespace
}  // namespace ceres::examples
