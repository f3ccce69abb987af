// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// The answer does not depend on the spelling of a problem: order and size of
// blocks, losses, manifolds and bounds that say nothing, constant parameters.
// What may differ: metamorphic_test_utils.h.

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "ceres/ceres.h"
#include "ceres/solver/whole_solves/metamorphic_test_utils.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

struct Spelling {
  std::string name;
  std::function<void(Change*)> apply;
};

using Blocks = Change::Blocks;
using Loss = Change::Loss;
using Manifolds = Change::Manifolds;
using Bounds = Change::Bounds;
using Last = Change::Last;

const std::vector<Spelling>& OtherSpellings() {
  static const auto& spellings = *new std::vector<Spelling>{
      {"residual blocks reversed",
       [](Change* c) { c->reverses_residuals = true; }},
      {"parameter blocks reversed",
       [](Change* c) {
         c->reverses_parameters = true;
         c->blocks = Blocks::kSingle;
       }},
      {"one parameter block", [](Change* c) { c->blocks = Blocks::kOne; }},
      {"parameter blocks of size 1",
       [](Change* c) { c->blocks = Blocks::kSingle; }},
      {"2 copies", [](Change* c) { c->num_copies = 2; }},
      {"7 copies", [](Change* c) { c->num_copies = 7; }},
      {"ScaledLoss 1", [](Change* c) { c->loss = Loss::kScaled; }},
      {"ScaledLoss 1e6",
       [](Change* c) {
         c->loss = Loss::kScaled;
         c->residual_unit = 1e3;
       }},
      {"ComposedLoss", [](Change* c) { c->loss = Loss::kComposed; }},
      {"LossFunctionWrapper", [](Change* c) { c->loss = Loss::kWrapper; }},
      {"HuberLoss 1e8", [](Change* c) { c->loss = Loss::kHugeHuber; }},
      {"EuclideanManifold",
       [](Change* c) { c->manifolds = Manifolds::kEuclidean; }},
      {"SubsetManifold", [](Change* c) { c->manifolds = Manifolds::kSubset; }},
      {"ProductManifold",
       [](Change* c) { c->manifolds = Manifolds::kProduct; }},
      {"manifold of a heading",
       [](Change* c) { c->manifolds = Manifolds::kHeading; }},
  };
  return spellings;
}

void ExpectSameAnswers(const std::string& name, const Change& unchanged,
                       const Change& changed,
                       const std::vector<RandomFit>& fits,
                       const std::vector<NamedOptions>& minimizers) {
  const Differences differences = Compare(fits, minimizers, unchanged, changed);
  EXPECT_TRUE(differences.none()) << name << ": " << differences;
}

void ExpectSameAnswersInAllSpellings(
    const Change& unchanged, const std::vector<RandomFit>& fits,
    const std::vector<NamedOptions>& minimizers) {
  for (const Spelling& spelling : OtherSpellings()) {
    Change changed = unchanged;
    spelling.apply(&changed);
    ExpectSameAnswers(spelling.name, unchanged, changed, fits, minimizers);
  }
}

// Fits whose residual blocks can be split, and whose last parameter can be
// constant.
std::vector<RandomFit> PlainFits(int num_seeds) {
  std::vector<RandomFit> fits = RandomFits(num_seeds);
  fits.erase(std::remove_if(fits.begin(), fits.end(),
                            [](const RandomFit& fit) {
                              return fit.is_robust() ||
                                     fit.kind == RandomFit::Kind::kAlignment;
                            }),
             fits.end());
  return fits;
}

TEST(MetamorphicStructure, EveryMinimizer) {
  ExpectSameAnswersInAllSpellings(Change(), RandomFits(2), AllMinimizers());
}

TEST(MetamorphicStructure, ActiveBounds) {
  Change unchanged;
  unchanged.bounds = Bounds::kActive;
  ExpectSameAnswersInAllSpellings(unchanged, RandomFits(2), AllMinimizers());
}

TEST(MetamorphicStructure, UnitsAndOrigins) {
  for (const double unit : {1e-9, 1e9}) {
    Change unchanged;
    unchanged.units = {unit};
    ExpectSameAnswersInAllSpellings(unchanged, RandomFits(2),
                                    DenseMinimizers());
  }
  Change unchanged;
  unchanged.origins = {1e7};
  ExpectSameAnswersInAllSpellings(unchanged, RandomFits(2), DenseMinimizers());
}

TEST(MetamorphicStructure, ResidualBlocksSplitIntoRows) {
  for (const int rows : {3, 1000}) {
    Change merged;
    merged.rows_per_block = rows;
    ExpectSameAnswers("rows", merged, Change(), PlainFits(3), AllMinimizers());
  }
}

TEST(MetamorphicStructure, BoundsFarAway) {
  for (const Bounds bounds : {Bounds::kFar, Bounds::kInfinite}) {
    Change changed;
    changed.bounds = bounds;
    ExpectSameAnswers("bounds", Change(), changed, RandomFits(3),
                      AllMinimizers());
  }
}

TEST(MetamorphicStructure, ConstantParameterLikeANumber) {
  for (const double unit : {1.0, 1e9}) {
    Change removed;
    removed.units = {unit};
    removed.last = Last::kRemoved;
    for (const Last last : {Last::kBlock, Last::kCoordinate}) {
      Change changed = removed;
      changed.last = last;
      ExpectSameAnswers("constant", removed, changed, PlainFits(2),
                        AllMinimizers());
    }
  }
}

// --- What changes no bit -----------------------------------------------------

void ExpectSameBits(const Change& unchanged, const Change& changed) {
  for (const RandomFit& fit : RandomFits(2)) {
    for (const NamedOptions& minimizer : DenseMinimizers()) {
      const Outcome a = SolveChanged(fit, unchanged, minimizer.options);
      const Outcome b = SolveChanged(fit, changed, minimizer.options);
      EXPECT_EQ(a.summary.iterations.size(), b.summary.iterations.size());
      EXPECT_EQ(a.parameters, b.parameters)
          << fit.Name() << ", " << minimizer.name;
    }
  }
}

TEST(MetamorphicStructure, InfiniteBoundsAreNoBounds) {
  Change changed;
  changed.bounds = Bounds::kInfinite;
  ExpectSameBits(Change(), changed);
}

TEST(MetamorphicStructure, AWrappedLossIsTheLoss) {
  Change changed;
  changed.loss = Loss::kWrapper;
  ExpectSameBits(Change(), changed);
}

}  // namespace
}  // namespace ceres::internal
