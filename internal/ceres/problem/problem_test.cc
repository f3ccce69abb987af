// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/problem.h"

#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "ceres/cost_function.h"
#include "ceres/loss_function.h"
#include "ceres/manifold.h"
#include "ceres/modelling/fake_manifold.h"
#include "ceres/modelling/functor_counter.h"
#include "ceres/problem/problem_impl.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

// Sizes only.
class FakeCost : public CostFunction, internal::CountsInstances {
 public:
  FakeCost(int num_residuals, const std::vector<int>& sizes,
           int* num_living = nullptr)
      : CountsInstances(num_living) {
    set_num_residuals(num_residuals);
    mutable_parameter_block_sizes()->assign(sizes.begin(), sizes.end());
  }
  bool Evaluate(double const* const*, double*, double**) const override {
    return false;
  }
};

class CountedLoss : public LossFunction, internal::CountsInstances {
 public:
  explicit CountedLoss(int* num_living) : CountsInstances(num_living) {}
  void Evaluate(double, double*) const override {}
};

class CountedManifold : public internal::FakeManifold,
                        internal::CountsInstances {
 public:
  explicit CountedManifold(int* num_living)
      : FakeManifold(3, 2, true), CountsInstances(num_living) {}
};

// With and without fast removal.
class ProblemTest : public testing::TestWithParam<bool> {
 protected:
  static Problem::Options OptionsFor(bool fast_removal) {
    Problem::Options options;
    options.enable_fast_removal = fast_removal;
    return options;
  }
  ProblemTest() : problem(OptionsFor(GetParam())) {}

  std::vector<ResidualBlockId> ResidualBlocks() const {
    std::vector<ResidualBlockId> ids;
    problem.GetResidualBlocks(&ids);
    return ids;
  }
  std::vector<double*> ParameterBlocks() const {
    std::vector<double*> blocks;
    problem.GetParameterBlocks(&blocks);
    return blocks;
  }
  std::vector<ResidualBlockId> DependentsOf(const double* values) const {
    std::vector<ResidualBlockId> ids;
    problem.GetResidualBlocksForParameterBlock(values, &ids);
    return ids;
  }

  int num_alive = 0;
  Problem problem;
  double x[3] = {};
  double y[4] = {};
  double z[5] = {};
  double w[2] = {};
};

class ProblemDeathTest : public ProblemTest {};

TEST_P(ProblemTest, StartsEmpty) {
  EXPECT_EQ(problem.NumParameterBlocks(), 0);
  EXPECT_EQ(problem.NumParameters(), 0);
  EXPECT_EQ(problem.NumResidualBlocks(), 0);
  EXPECT_EQ(problem.NumResiduals(), 0);
  EXPECT_FALSE(problem.HasParameterBlock(x));
  EXPECT_FALSE(problem.HasParameterBlock(nullptr));
}

TEST_P(ProblemTest, AddingAParameterBlockAgainChangesNothing) {
  problem.AddParameterBlock(x, 3, new SubsetManifold(3, {1}));
  problem.AddParameterBlock(x, 3);
  EXPECT_EQ(problem.NumParameterBlocks(), 1);
  EXPECT_EQ(problem.NumParameters(), 3);
  EXPECT_EQ(problem.ParameterBlockTangentSize(x), 2);
}

TEST_P(ProblemTest, AddingAParameterBlockAgainWithAManifoldSetsIt) {
  problem.AddParameterBlock(x, 3);
  problem.AddParameterBlock(x, 3, new SubsetManifold(3, {1}));
  EXPECT_TRUE(problem.HasManifold(x));
  problem.AddParameterBlock(x, 3, nullptr);
  EXPECT_FALSE(problem.HasManifold(x));
  EXPECT_EQ(problem.ParameterBlockTangentSize(x), 3);
}

TEST_P(ProblemTest, ManifoldsCanBeSetReplacedAndCleared) {
  problem.AddParameterBlock(y, 4);
  EXPECT_EQ(problem.GetManifold(y), nullptr);
  auto* quaternion = new QuaternionManifold;
  problem.SetManifold(y, quaternion);
  EXPECT_EQ(problem.GetManifold(y), quaternion);
  EXPECT_EQ(problem.ParameterBlockSize(y), 4);
  EXPECT_EQ(problem.ParameterBlockTangentSize(y), 3);
  auto* subset = new SubsetManifold(4, {0, 1});
  problem.SetManifold(y, subset);
  EXPECT_EQ(problem.GetManifold(y), subset);
  EXPECT_EQ(problem.ParameterBlockTangentSize(y), 2);
  problem.SetManifold(y, nullptr);
  EXPECT_EQ(problem.ParameterBlockTangentSize(y), 4);
}

TEST_P(ProblemTest, BlocksAreConstantIfSetOrWithoutFreedom) {
  problem.AddParameterBlock(x, 3);
  EXPECT_FALSE(problem.IsParameterBlockConstant(x));
  problem.SetParameterBlockConstant(x);
  EXPECT_TRUE(problem.IsParameterBlockConstant(x));
  problem.SetParameterBlockVariable(x);
  EXPECT_FALSE(problem.IsParameterBlockConstant(x));
  problem.SetManifold(x, new SubsetManifold(3, {0, 1, 2}));
  EXPECT_TRUE(problem.IsParameterBlockConstant(x));
  problem.SetParameterBlockVariable(x);
  EXPECT_TRUE(problem.IsParameterBlockConstant(x));
  problem.SetManifold(x, nullptr);
  EXPECT_FALSE(problem.IsParameterBlockConstant(x));
}

TEST_P(ProblemTest, FindsDependentResidualBlocks) {
  const auto a = problem.AddResidualBlock(new FakeCost(1, {3}), nullptr, x);
  const auto b =
      problem.AddResidualBlock(new FakeCost(1, {3, 4}), nullptr, x, y);
  const auto c = problem.AddResidualBlock(new FakeCost(1, {4}), nullptr, y);
  problem.AddParameterBlock(z, 5);
  EXPECT_THAT(DependentsOf(x), UnorderedElementsAre(a, b));
  EXPECT_THAT(DependentsOf(y), UnorderedElementsAre(b, c));
  EXPECT_THAT(DependentsOf(z), IsEmpty());
  problem.RemoveResidualBlock(b);
  EXPECT_THAT(DependentsOf(x), UnorderedElementsAre(a));
  EXPECT_THAT(DependentsOf(y), UnorderedElementsAre(c));
}

TEST_P(ProblemTest, RemovingAResidualBlockKeepsItsParameterBlocks) {
  const auto a = problem.AddResidualBlock(new FakeCost(2, {3}), nullptr, x);
  const auto b = problem.AddResidualBlock(new FakeCost(3, {4}), nullptr, y);
  const auto c = problem.AddResidualBlock(new FakeCost(4, {5}), nullptr, z);
  problem.RemoveResidualBlock(a);
  EXPECT_THAT(ResidualBlocks(), ElementsAre(c, b));
  EXPECT_EQ(problem.NumResiduals(), 7);
  EXPECT_EQ(problem.NumParameterBlocks(), 3);
}

TEST_P(ProblemTest, RemovingAParameterBlockRemovesItsResidualBlocks) {
  problem.AddResidualBlock(new FakeCost(2, {3}), nullptr, x);
  const auto b = problem.AddResidualBlock(new FakeCost(3, {4}), nullptr, y);
  problem.AddResidualBlock(new FakeCost(4, {3, 5}), nullptr, x, z);
  problem.RemoveParameterBlock(x);
  EXPECT_THAT(ResidualBlocks(), ElementsAre(b));
  EXPECT_THAT(ParameterBlocks(), ElementsAre(z, y));
  EXPECT_FALSE(problem.HasParameterBlock(x));
  EXPECT_EQ(problem.NumParameters(), 9);
  EXPECT_EQ(problem.NumResiduals(), 3);
}

TEST_P(ProblemTest, ARemovedBlockCanComeBackWithAnotherSize) {
  problem.AddParameterBlock(x, 3);
  problem.RemoveParameterBlock(x);
  problem.AddParameterBlock(x, 1);
  problem.AddParameterBlock(x + 1, 2);
  EXPECT_EQ(problem.ParameterBlockSize(x), 1);
  EXPECT_EQ(problem.ParameterBlockSize(x + 1), 2);
}

// Against a plain model: sets of ids.
TEST_P(ProblemTest, RandomRemovalsAgreeWithAModel) {
  constexpr int kNumBlocks = 40;
  std::vector<double> values(kNumBlocks);
  std::set<ResidualBlockId> alive;
  std::set<int> parameters_alive;
  unsigned random = 1;
  const auto next = [&random](unsigned n) {
    random = random * 1664525u + 1013904223u;
    return (random >> 8) % n;
  };
  for (int step = 0; step < 3000; ++step) {
    const unsigned what = next(10);
    if (what < 7) {
      const int i = next(kNumBlocks);
      const int j = (i + 1 + next(kNumBlocks - 1)) % kNumBlocks;
      alive.insert(problem.AddResidualBlock(new FakeCost(1, {1, 1}, &num_alive),
                                            nullptr, &values[i], &values[j]));
      parameters_alive.insert(i);
      parameters_alive.insert(j);
    } else if (what < 9 && !alive.empty()) {
      const auto it = std::next(alive.begin(), next(alive.size()));
      problem.RemoveResidualBlock(*it);
      alive.erase(it);
    } else if (!parameters_alive.empty()) {
      const auto it =
          std::next(parameters_alive.begin(), next(parameters_alive.size()));
      for (const ResidualBlockId id : DependentsOf(&values[*it])) {
        ASSERT_EQ(alive.erase(id), 1u);
      }
      problem.RemoveParameterBlock(&values[*it]);
      parameters_alive.erase(it);
    }
    ASSERT_EQ(problem.NumResidualBlocks(), static_cast<int>(alive.size()));
    ASSERT_EQ(problem.NumParameterBlocks(),
              static_cast<int>(parameters_alive.size()));
    ASSERT_EQ(num_alive, static_cast<int>(alive.size()));
  }
  const std::vector<ResidualBlockId> ids = ResidualBlocks();
  EXPECT_EQ(std::set<ResidualBlockId>(ids.begin(), ids.end()), alive);
  for (int i = 0; i < kNumBlocks; ++i) {
    EXPECT_EQ(problem.HasParameterBlock(&values[i]),
              parameters_alive.count(i) == 1);
  }
}

TEST_P(ProblemTest, ManyBlocksStayFindable) {
  constexpr int kNumBlocks = 100000;
  std::vector<double> values(3 * kNumBlocks);
  for (int i = 0; i < kNumBlocks; ++i) {
    problem.AddParameterBlock(&values[3 * i], 3);
  }
  ASSERT_EQ(problem.NumParameterBlocks(), kNumBlocks);
  for (int i = 0; i < 3 * kNumBlocks; ++i) {
    ASSERT_EQ(problem.HasParameterBlock(&values[i]), i % 3 == 0);
  }
}

TEST_P(ProblemTest, CanBeMoved) {
  const auto id = problem.AddResidualBlock(new FakeCost(2, {3}), nullptr, x);
  Problem moved(std::move(problem));
  EXPECT_EQ(moved.NumResidualBlocks(), 1);
  Problem assigned;
  assigned.AddParameterBlock(y, 4);
  assigned = std::move(moved);
  std::vector<ResidualBlockId> ids;
  assigned.GetResidualBlocks(&ids);
  EXPECT_THAT(ids, ElementsAre(id));
  EXPECT_FALSE(assigned.HasParameterBlock(y));
  problem = Problem();
  EXPECT_EQ(problem.NumResidualBlocks(), 0);
}

TEST_P(ProblemDeathTest, ArgumentsOfAResidualBlockAreChecked) {
  EXPECT_DEATH(problem.AddResidualBlock(nullptr, nullptr, x),
               "needs a cost function");
  FakeCost two(1, {3, 4});
  EXPECT_DEATH(problem.AddResidualBlock(&two, nullptr, x),
               "number of parameter blocks");
  FakeCost one(1, {3});
  EXPECT_DEATH(
      problem.AddResidualBlock(&one, nullptr, static_cast<double*>(nullptr)),
      "is null");
  EXPECT_DEATH(problem.AddParameterBlock(nullptr, 3), "is null");
}

TEST_P(ProblemDeathTest, NoParameterBlockMayBeGivenTwice) {
  FakeCost two(1, {3, 3});
  EXPECT_DEATH(problem.AddResidualBlock(&two, nullptr, x, x), "given twice");
  FakeCost many(1, std::vector<int>(14, 1));
  std::vector<double> values(13);
  std::vector<double*> arguments;
  for (double& value : values) arguments.push_back(&value);
  arguments.push_back(&values[5]);
  EXPECT_DEATH(problem.AddResidualBlock(&many, nullptr, arguments),
               "given twice");
}

TEST_P(ProblemDeathTest, SizesMustAgree) {
  problem.AddParameterBlock(x, 3);
  EXPECT_DEATH(problem.AddParameterBlock(x, 2), "size on the left");
  FakeCost cost(1, {2});
  EXPECT_DEATH(problem.AddResidualBlock(&cost, nullptr, x), "size on the left");
  EXPECT_DEATH(problem.AddParameterBlock(y, -1), "negative size");
}

TEST_P(ProblemDeathTest, ParameterBlocksMustNotOverlap) {
  double values[10] = {};
  problem.AddParameterBlock(values + 3, 3);
  problem.AddParameterBlock(values, 3);
  problem.AddParameterBlock(values + 6, 4);
  problem.RemoveParameterBlock(values);
  EXPECT_DEATH(problem.AddParameterBlock(values + 4, 1), "shares memory");
  EXPECT_DEATH(problem.AddParameterBlock(values + 2, 2), "shares memory");
  EXPECT_DEATH(problem.AddParameterBlock(values, 10), "shares memory");
  EXPECT_DEATH(problem.AddParameterBlock(values + 5, 2), "shares memory");
  FakeCost cost(1, {2});
  EXPECT_DEATH(problem.AddResidualBlock(&cost, nullptr, values + 4),
               "shares memory");
  problem.AddParameterBlock(values + 1, 2);
}

TEST_P(ProblemDeathTest, ManifoldsMustFit) {
  problem.AddParameterBlock(x, 3);
  QuaternionManifold four;
  EXPECT_DEATH(problem.SetManifold(x, &four), "ambient size");
  internal::FakeManifold negative(3, -1, true);
  EXPECT_DEATH(problem.SetManifold(x, &negative), "negative tangent size");
  internal::FakeManifold failing(3, 2, /*succeeds=*/false);
  EXPECT_DEATH(problem.SetManifold(x, &failing), "PlusJacobian failed");
  EXPECT_DEATH(problem.AddParameterBlock(y, 4, &failing), "ambient size");
}

TEST_P(ProblemDeathTest, UnknownParameterBlocksAreRejected) {
  const char* const kMessage = "has no parameter block";
  EXPECT_DEATH(problem.RemoveParameterBlock(x), kMessage);
  EXPECT_DEATH(problem.SetParameterBlockConstant(x), kMessage);
  EXPECT_DEATH(problem.SetParameterBlockVariable(x), kMessage);
  EXPECT_DEATH(problem.IsParameterBlockConstant(x), kMessage);
  EXPECT_DEATH(problem.SetManifold(x, nullptr), kMessage);
  EXPECT_DEATH(problem.GetManifold(x), kMessage);
  EXPECT_DEATH(problem.HasManifold(x), kMessage);
  EXPECT_DEATH(problem.SetParameterLowerBound(x, 0, 1.0), kMessage);
  EXPECT_DEATH(problem.SetParameterUpperBound(x, 0, 1.0), kMessage);
  EXPECT_DEATH(problem.GetParameterLowerBound(x, 0), kMessage);
  EXPECT_DEATH(problem.GetParameterUpperBound(x, 0), kMessage);
  EXPECT_DEATH(problem.ParameterBlockSize(x), kMessage);
  EXPECT_DEATH(problem.ParameterBlockTangentSize(x), kMessage);
  EXPECT_DEATH(DependentsOf(x), kMessage);
}

TEST_P(ProblemDeathTest, BoundsNeedACoordinateOfTheBlock) {
  problem.AddParameterBlock(w, 2);
  EXPECT_DEATH(problem.SetParameterLowerBound(w, 2, 0.0), "Coordinate 2");
  EXPECT_DEATH(problem.SetParameterUpperBound(w, -1, 0.0), "Coordinate -1");
  EXPECT_DEATH(problem.GetParameterLowerBound(w, 2), "Coordinate 2");
  EXPECT_DEATH(problem.GetParameterUpperBound(w, 2), "Coordinate 2");
}

TEST_P(ProblemDeathTest, OutputListsMustNotBeNull) {
  const auto id = problem.AddResidualBlock(new FakeCost(1, {3}), nullptr, x);
  EXPECT_DEATH(problem.GetParameterBlocks(nullptr), "null");
  EXPECT_DEATH(problem.GetResidualBlocks(nullptr), "null");
  EXPECT_DEATH(problem.GetParameterBlocksForResidualBlock(id, nullptr), "null");
  EXPECT_DEATH(problem.GetResidualBlocksForParameterBlock(x, nullptr), "null");
}

TEST_P(ProblemDeathTest, OnlyResidualBlocksOfTheProblemCanBeRemoved) {
  const auto id = problem.AddResidualBlock(new FakeCost(1, {3}), nullptr, x);
  problem.AddResidualBlock(new FakeCost(1, {4}), nullptr, y);
  problem.RemoveResidualBlock(id);
  EXPECT_DEATH(problem.RemoveResidualBlock(id), "has no residual block");
  EXPECT_DEATH(problem.RemoveResidualBlock(nullptr), "null");
  Problem other;
  const auto foreign = other.AddResidualBlock(new FakeCost(1, {3}), nullptr, x);
  EXPECT_DEATH(problem.RemoveResidualBlock(foreign), "has no residual block");
  int not_a_block = 0;
  EXPECT_DEATH(problem.RemoveResidualBlock(
                   reinterpret_cast<ResidualBlockId>(&not_a_block)),
               "has no residual block");
}

INSTANTIATE_TEST_SUITE_P(WithAndWithoutFastRemoval, ProblemTest,
                         testing::Bool());
INSTANTIATE_TEST_SUITE_P(WithAndWithoutFastRemoval, ProblemDeathTest,
                         testing::Bool());

class OwnershipTest : public testing::Test {
 protected:
  double x[3] = {};
  double y[3] = {};
  int costs_alive = 0;
  int losses_alive = 0;
  int manifolds_alive = 0;
};

TEST_F(OwnershipTest, SharedObjectsAreDeletedOnceWithTheProblem) {
  {
    Problem problem;
    auto* first = new FakeCost(1, {3}, &costs_alive);
    auto* second = new FakeCost(1, {3}, &costs_alive);
    auto* loss = new CountedLoss(&losses_alive);
    auto* manifold = new CountedManifold(&manifolds_alive);
    problem.AddParameterBlock(x, 3, manifold);
    problem.AddParameterBlock(y, 3, new CountedManifold(&manifolds_alive));
    problem.SetManifold(y, manifold);
    problem.AddResidualBlock(second, loss, x);
    problem.AddResidualBlock(first, nullptr, y);
    problem.AddResidualBlock(second, loss, y);
    problem.AddResidualBlock(first, loss, x);
    EXPECT_EQ(costs_alive, 2);
    EXPECT_EQ(losses_alive, 1);
    EXPECT_EQ(manifolds_alive, 2);
  }
  EXPECT_EQ(costs_alive + losses_alive + manifolds_alive, 0);
}

// Few residual blocks and many, in no order and in runs.
TEST_F(OwnershipTest, CostFunctionsOfAnyNumberOfResidualBlocksAreDeletedOnce) {
  constexpr int kNumCosts = 40;
  for (const int num_blocks : {1, 48, 87, 88, 89, 500}) {
    {
      Problem problem;
      std::vector<FakeCost*> costs;
      for (int i = 0; i < kNumCosts; ++i) {
        costs.push_back(new FakeCost(1, {3}, &costs_alive));
      }
      for (int i = 0; i < num_blocks; ++i) {
        problem.AddResidualBlock(costs[i * i % 1001 % kNumCosts], nullptr, x);
      }
      for (int i = 0; i < kNumCosts; ++i) {
        problem.AddResidualBlock(costs[i], nullptr, y);
      }
      EXPECT_EQ(costs_alive, kNumCosts);
    }
    EXPECT_EQ(costs_alive, 0) << num_blocks;
  }
}

TEST_F(OwnershipTest, ObjectsGoWithTheLastResidualBlockThatUsesThem) {
  Problem problem;
  auto* cost = new FakeCost(1, {3}, &costs_alive);
  auto* loss = new CountedLoss(&losses_alive);
  const auto a = problem.AddResidualBlock(cost, loss, x);
  const auto b = problem.AddResidualBlock(cost, loss, y);
  problem.RemoveResidualBlock(a);
  EXPECT_EQ(costs_alive + losses_alive, 2);
  const auto c = problem.AddResidualBlock(cost, loss, x);
  problem.RemoveResidualBlock(b);
  EXPECT_EQ(costs_alive + losses_alive, 2);
  problem.RemoveResidualBlock(c);
  EXPECT_EQ(costs_alive + losses_alive, 0);
}

TEST_F(OwnershipTest, NothingIsDeletedWithoutOwnership) {
  FakeCost cost(1, {3}, &costs_alive);
  CountedLoss loss(&losses_alive);
  CountedManifold manifold(&manifolds_alive);
  {
    Problem::Options options;
    options.cost_function_ownership = DO_NOT_TAKE_OWNERSHIP;
    options.loss_function_ownership = DO_NOT_TAKE_OWNERSHIP;
    options.manifold_ownership = DO_NOT_TAKE_OWNERSHIP;
    Problem problem(options);
    problem.AddParameterBlock(x, 3, &manifold);
    const auto id = problem.AddResidualBlock(&cost, &loss, x);
    problem.AddResidualBlock(&cost, &loss, y);
    problem.RemoveResidualBlock(id);
  }
  EXPECT_EQ(costs_alive + losses_alive + manifolds_alive, 3);
}

TEST_F(OwnershipTest, AReplacedManifoldLivesAsLongAsTheProblem) {
  {
    Problem problem;
    problem.AddParameterBlock(x, 3, new CountedManifold(&manifolds_alive));
    problem.SetManifold(x, nullptr);
    EXPECT_EQ(manifolds_alive, 1);
  }
  EXPECT_EQ(manifolds_alive, 0);
}

TEST(ProblemOptions, DisabledSafetyChecksAcceptWhatWouldBeRejected) {
  Problem::Options options;
  options.disable_all_safety_checks = true;
  options.enable_fast_removal = true;
  Problem problem(options);
  double x[4] = {};
  problem.AddParameterBlock(x, 4);
  problem.AddParameterBlock(x, 3);
  problem.AddParameterBlock(x + 1, 3);
  EXPECT_EQ(problem.ParameterBlockSize(x), 4);
  problem.AddResidualBlock(new FakeCost(1, {4, 4}), nullptr, x, x);
  problem.RemoveParameterBlock(x);
  EXPECT_EQ(problem.NumResidualBlocks(), 0);
  EXPECT_EQ(problem.NumParameterBlocks(), 1);
}

// Were a removal to look through the other blocks, or through what depends on
// the block in the middle, this would not end.
TEST(ProblemOptions, FastRemovalTakesAMillionBlocksFromAroundOne) {
  constexpr int kNumBlocks = 1000000;
  FakeCost cost(1, {1, 1});
  Problem::Options options;
  options.enable_fast_removal = true;
  options.cost_function_ownership = DO_NOT_TAKE_OWNERSHIP;
  Problem problem(options);
  double middle = 0.0;
  std::vector<double> values(kNumBlocks);
  for (double& value : values) {
    problem.AddResidualBlock(&cost, nullptr, &middle, &value);
  }
  for (int i = 0; i < kNumBlocks; i += 2) {
    problem.RemoveParameterBlock(&values[i]);
  }
  EXPECT_EQ(problem.NumParameterBlocks(), kNumBlocks / 2 + 1);
  EXPECT_EQ(problem.NumResidualBlocks(), kNumBlocks / 2);
  EXPECT_FALSE(problem.HasParameterBlock(&values[0]));
  EXPECT_TRUE(problem.HasParameterBlock(&values[1]));
  for (int i = kNumBlocks - 1; i > 0; i -= 2) {
    problem.RemoveParameterBlock(&values[i]);
  }
  EXPECT_EQ(problem.NumParameterBlocks(), 1);
  EXPECT_EQ(problem.NumResidualBlocks(), 0);
}

TEST(ProblemOptions, AreKept) {
  std::unique_ptr<Context> context(Context::Create());
  Problem::Options options;
  options.context = context.get();
  options.manifold_ownership = DO_NOT_TAKE_OWNERSHIP;
  Problem problem(options);
  EXPECT_EQ(problem.options().context, context.get());
  EXPECT_EQ(problem.options().manifold_ownership, DO_NOT_TAKE_OWNERSHIP);
  EXPECT_EQ(problem.mutable_impl()->context(),
            internal::ContextImpl::Of(context.get()));
  Problem without;
  EXPECT_NE(without.mutable_impl()->context(), nullptr);
}

}  // namespace
}  // namespace ceres
