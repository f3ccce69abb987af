// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Tests of LinearizedPrior::ToBinary, ToJson, FromBinary and FromJson.

#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "ceres/internal/eigen.h"
#include "ceres/linearized_prior.h"
#include "ceres/manifold.h"
#include "ceres/marginalization/linear_cost_test_utils.h"
#include "ceres/product_manifold.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres {
namespace {

using internal::RandomMatrix;
using internal::RandomVector;
using testing::HasSubstr;
using Pose = ProductManifold<QuaternionManifold, EuclideanManifold<3>>;

class PriorFilesTest : public testing::Test {
 protected:
  PriorFilesTest() {
    std::mt19937 random(3);
    Vector pose = RandomVector(7, &random);
    pose[6] = 1e-310;  // denormal
    prior = std::make_unique<LinearizedPrior>(
        RandomMatrix(5, 8, &random), RandomVector(5, &random) * 1e300,
        std::vector<LinearizedPrior::Block>{{pose, &manifold},
                                            {Vector::Constant(2, -0.0), {}}});
  }
  void ExpectEqual(const LinearizedPrior& other) const {
    EXPECT_EQ(other.A(), prior->A());
    EXPECT_EQ(other.b(), prior->b());
    ASSERT_EQ(other.blocks().size(), 2u);
    EXPECT_EQ(other.blocks()[0].point, prior->blocks()[0].point);
    EXPECT_EQ(other.blocks()[1].point, prior->blocks()[1].point);
    EXPECT_TRUE(std::signbit(other.blocks()[1].point[0]));
    EXPECT_EQ(other.blocks()[0].manifold, &manifold);
  }

  Pose manifold;
  std::unique_ptr<LinearizedPrior> prior;
  std::string error;
};

TEST_F(PriorFilesTest, ReadingGivesTheSameBits) {
  const auto binary = LinearizedPrior::FromBinary(prior->ToBinary(),
                                                  {&manifold, nullptr}, &error);
  ASSERT_NE(binary, nullptr) << error;
  ExpectEqual(*binary);
  const auto json =
      LinearizedPrior::FromJson(prior->ToJson(), {&manifold, nullptr}, &error);
  ASSERT_NE(json, nullptr) << error;
  ExpectEqual(*json);
}

TEST_F(PriorFilesTest, EveryFlippedBitIsFound) {
  const std::string good = prior->ToBinary();
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] ^= 1 << (i % 8);
    EXPECT_EQ(LinearizedPrior::FromBinary(bad, {&manifold, nullptr}, &error),
              nullptr)
        << i;
    EXPECT_FALSE(error.empty());
  }
}

TEST_F(PriorFilesTest, EveryTruncationIsFound) {
  const std::string good = prior->ToBinary();
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_EQ(LinearizedPrior::FromBinary(good.substr(0, size),
                                          {&manifold, nullptr}, &error),
              nullptr)
        << size;
  }
  const std::string json = prior->ToJson();
  for (std::size_t size = 0; size < json.size(); ++size) {
    EXPECT_EQ(LinearizedPrior::FromJson(json.substr(0, size),
                                        {&manifold, nullptr}, &error),
              nullptr)
        << size;
  }
}

TEST_F(PriorFilesTest, ManifoldsMustFit) {
  EXPECT_EQ(LinearizedPrior::FromBinary(prior->ToBinary(), {}, &error),
            nullptr);
  EXPECT_THAT(error, HasSubstr("7 ambient and 6 tangent coordinates, its "
                               "manifold 7 and 7"));
  EXPECT_EQ(LinearizedPrior::FromJson(prior->ToJson(), {&manifold}, &error),
            nullptr);
  EXPECT_THAT(error, HasSubstr("manifolds, 1, is not the number of blocks of "
                               "the prior, 2"));
}

std::string Replace(std::string text, const std::string& from,
                    const std::string& to) {
  const std::size_t place = text.find(from);
  EXPECT_NE(place, std::string::npos) << from;
  return place == std::string::npos ? text
                                    : text.replace(place, from.size(), to);
}

TEST_F(PriorFilesTest, WrongJsonIsRefusedWithAReason) {
  const LinearizedPrior small(Matrix::Constant(1, 2, 0.5), Vector::Ones(1),
                              {{Vector::Zero(2), nullptr}});
  const std::string good = small.ToJson();
  EXPECT_EQ(
      good,
      "{\"format\":\"vesta.linearized_prior\",\"version\":1,\"blocks\":[{"
      "\"tangent_size\":2,\"point\":[0,0]}],\"A\":[[0.5,0.5]],\"b\":[1]}");
  ASSERT_NE(LinearizedPrior::FromJson(" " + good + "\n", {}, &error), nullptr);
  const struct {
    const char* from;
    const char* to;
    const char* reason;
  } changes[] = {
      {"vesta.", "other.", "is not that of a LinearizedPrior"},
      {"\"version\":1", "\"version\":2", "version 2"},
      {"[1]", "[1,2]", "sizes do not agree"},
      {"[[0.5,0.5]]", "[[0.5]]", "sizes do not agree"},
      {"\"tangent_size\":2", "\"tangent_size\":1.5", "sizes do not agree"},
      {"\"b\"", "\"c\"", "lacks a member"},
      {"[1]", "[1e999]", "A number is out of range, at line 1, column 113"},
      {"[1]", "[01]", "A value is missing"},
      {"[1]", "[NaN]", "A value is missing"},
      {"[1]}", "[1]} x", "There is text after the value"},
      {"[0,0]", "[0,0", "A ']' is missing"},
  };
  for (const auto& change : changes) {
    EXPECT_EQ(LinearizedPrior::FromJson(Replace(good, change.from, change.to),
                                        {}, &error),
              nullptr)
        << change.to;
    EXPECT_THAT(error, HasSubstr(change.reason)) << change.to;
  }
  EXPECT_EQ(LinearizedPrior::FromJson(std::string(100000, '['), {}, &error),
            nullptr);
  EXPECT_THAT(error, HasSubstr("nested too deep"));
}

TEST(PriorFilesWriter, ValuesThatAreNotFiniteAreAnErrorOfTheWriter) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  const Matrix one = Matrix::Identity(1, 1);
  const Vector zero = Vector::Zero(1);
  const LinearizedPrior in_a(kNaN * one, zero, {{zero, nullptr}});
  const LinearizedPrior in_b(one, Vector::Constant(1, kNaN), {{zero, nullptr}});
  const LinearizedPrior in_point(one, zero,
                                 {{Vector::Constant(1, kNaN), nullptr}});
  for (const auto& [prior, what] :
       {std::pair(&in_a, "A has"), std::pair(&in_b, "b has"),
        std::pair(&in_point, "point of block 0 has")}) {
    std::string error;
    EXPECT_EQ(prior->ToBinary(&error), "");
    EXPECT_NE(error.find(what), std::string::npos) << error;
    error.clear();
    EXPECT_EQ(prior->ToJson(&error), "");
    EXPECT_NE(error.find(what), std::string::npos) << error;
    EXPECT_EQ(prior->ToJson(), "");
  }
}

}  // namespace
}  // namespace ceres
