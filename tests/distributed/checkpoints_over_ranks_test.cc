// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Solves over the ranks of MPI_COMM_WORLD that end early and are called again
// with the same checkpoint_path, compared with a solve that does not end.

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <string>
#include <vector>

#include "ceres/ceres.h"
#include "ceres/distributed.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "scene_on_ranks.h"

namespace ceres::examples {
namespace {

using testing::HasSubstr;

// Ends a solve in an iteration.
class EndsAt final : public IterationCallback {
 public:
  explicit EndsAt(int iteration) : iteration_(iteration) {}
  CallbackReturnType operator()(const IterationSummary& summary) override {
    return summary.iteration == iteration_ ? SOLVER_ABORT : SOLVER_CONTINUE;
  }

 private:
  const int iteration_;
};

// A path without files of earlier runs. Collective.
std::string NewPath(const std::string& name) {
  const std::string path = testing::TempDir() + "checkpoint-" + name + "-" +
                           std::to_string(SizeOfWorld()) + ".ckp";
  if (RankOfWorld() == 0) {
    for (const auto& file :
         std::filesystem::directory_iterator(testing::TempDir())) {
      if (file.path().string().rfind(path, 0) == 0) {
        std::filesystem::remove(file.path());
      }
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
  return path;
}

std::string MySlice(const std::string& path, char set) {
  return path + "." + std::to_string(RankOfWorld()) + "-of-" +
         std::to_string(SizeOfWorld()) + "." + set;
}

distributed::Options OptionsFor(const std::string& path) {
  distributed::Options options;
  options.logging_type = SILENT;
  options.max_num_iterations = 9;
  options.function_tolerance = 1e-14;
  options.checkpoint_path = path;
  options.checkpoint_period = 2;
  return options;
}

distributed::Summary SolveUntil(int iteration, distributed::Options options,
                                SceneOnRanks* scene) {
  EndsAt ends(iteration);
  options.callbacks.push_back(&ends);
  return scene->Solve(options);
}

struct Case {
  const char* name;
  void (*change)(distributed::Options* options);
  SceneSetup setup;
};

void PrintTo(const Case& test, std::ostream* stream) { *stream << test.name; }

std::vector<Case> Cases() {
  std::vector<Case> cases = {
      {"LevenbergMarquardt", [](distributed::Options*) {}, {}},
      {"Dogleg",
       [](distributed::Options* options) {
         options->trust_region_strategy_type = DOGLEG;
       },
       {}},
      {"NonmonotonicSteps",
       [](distributed::Options* options) {
         options->use_nonmonotonic_steps = true;
         options->initial_trust_region_radius = 1e8;
       },
       {}},
      {"IterativeSchur",
       [](distributed::Options* options) {
         options->linear_solver_type = ITERATIVE_SCHUR;
         options->max_linear_solver_iterations = 10;
       },
       {}},
      {"Cgnr",
       [](distributed::Options* options) {
         options->linear_solver_type = CGNR;
         options->max_linear_solver_iterations = 5;
       },
       {}},
      {"Bounds", [](distributed::Options*) {}, {}}};
  cases.back().setup.on_camera = [](Problem* problem, double* camera, int) {
    problem->SetParameterLowerBound(camera, 6, 0.999 * camera[6]);
    problem->SetParameterUpperBound(camera, 6, 1.001 * camera[6]);
  };
  return cases;
}

class Continued : public testing::TestWithParam<Case> {};

TEST_P(Continued, SolveTakesTheSameFurtherSteps) {
  const BalProblem scene = SmallScene(6, 150);
  distributed::Options options =
      OptionsFor(NewPath(std::string("steps-") + GetParam().name));
  GetParam().change(&options);
  distributed::Options without = options;
  without.checkpoint_path.clear();
  SceneOnRanks whole(scene, MPI_COMM_WORLD, GetParam().setup);
  const distributed::Summary expected = whole.Solve(without);
  ASSERT_TRUE(expected.IsSolutionUsable()) << expected.message;
  ASSERT_GT(expected.iterations.size(), 6u);
  const std::uint64_t hash = whole.HashOfResult();

  SceneOnRanks ended(scene, MPI_COMM_WORLD, GetParam().setup);
  const distributed::Summary first = SolveUntil(5, options, &ended);
  ASSERT_EQ(first.termination_type, USER_FAILURE) << first.message;
  EXPECT_EQ(first.continued_from_iteration, -1);

  SceneOnRanks again(scene, MPI_COMM_WORLD, GetParam().setup);
  const distributed::Summary second = again.Solve(options);
  ASSERT_TRUE(second.IsSolutionUsable()) << second.message;
  EXPECT_GE(second.continued_from_iteration, 2);
  EXPECT_LE(second.continued_from_iteration, 5);
  EXPECT_EQ(second.initial_cost, expected.initial_cost);
  EXPECT_EQ(second.final_cost, expected.final_cost);
  EXPECT_EQ(second.message, expected.message);
  ASSERT_EQ(second.iterations.size(), expected.iterations.size());
  for (std::size_t i = 0; i < expected.iterations.size(); ++i) {
    const IterationSummary& a = expected.iterations[i];
    const IterationSummary& b = second.iterations[i];
    EXPECT_EQ(a.cost, b.cost) << "iteration " << i;
    EXPECT_EQ(a.gradient_norm, b.gradient_norm);
    EXPECT_EQ(a.step_norm, b.step_norm);
    EXPECT_EQ(a.trust_region_radius, b.trust_region_radius);
    EXPECT_EQ(a.linear_solver_iterations, b.linear_solver_iterations);
    EXPECT_EQ(a.step_is_successful, b.step_is_successful);
  }
  EXPECT_EQ(second.num_successful_steps, expected.num_successful_steps);
  EXPECT_EQ(second.num_unsuccessful_steps, expected.num_unsuccessful_steps);
  EXPECT_EQ(second.num_jacobian_evaluations, expected.num_jacobian_evaluations);
  EXPECT_EQ(again.HashOfResult(), hash);
}

INSTANTIATE_TEST_SUITE_P(, Continued, testing::ValuesIn(Cases()),
                         [](const auto& info) {
                           return std::string(info.param.name);
                         });

TEST(Checkpoint, AtTheLimitOfIterationsIsContinuedWithALargerLimit) {
  const BalProblem scene = SmallScene(6, 150);
  distributed::Options options = OptionsFor(NewPath("limit"));
  SceneOnRanks whole(scene, MPI_COMM_WORLD, {});
  distributed::Options without = options;
  without.checkpoint_path.clear();
  const distributed::Summary expected = whole.Solve(without);
  options.max_num_iterations = 4;
  SceneOnRanks(scene, MPI_COMM_WORLD, {}).Solve(options);
  // The checkpoint is at the limit: nothing is left to do.
  const distributed::Summary same =
      SceneOnRanks(scene, MPI_COMM_WORLD, {}).Solve(options);
  EXPECT_EQ(same.iterations.size(), 5u);
  EXPECT_EQ(same.final_cost, expected.iterations[4].cost);
  options.max_num_iterations = 9;
  const distributed::Summary more =
      SceneOnRanks(scene, MPI_COMM_WORLD, {}).Solve(options);
  EXPECT_EQ(more.continued_from_iteration, 4);
  EXPECT_EQ(more.final_cost, expected.final_cost);
}

// A solve that has ended in iteration 5, and its files.
class RefusedCheckpoint : public testing::Test {
 protected:
  void EndInIteration5(const std::string& name) {
    options_ = OptionsFor(NewPath(name));
    SceneOnRanks ended(scene_, MPI_COMM_WORLD, {});
    SolveUntil(5, options_, &ended);
  }
  // The message of a call that is refused on all ranks.
  std::string MessageOfSolve(const BalProblem& scene,
                             const SceneSetup& setup = {}) {
    MPI_Barrier(MPI_COMM_WORLD);
    SceneOnRanks again(scene, MPI_COMM_WORLD, setup);
    const distributed::Summary summary = again.Solve(options_);
    EXPECT_EQ(summary.termination_type, FAILURE);
    return summary.message;
  }

  const BalProblem scene_ = SmallScene(6, 150);
  distributed::Options options_;
};

TEST_F(RefusedCheckpoint, IsDamaged) {
  EndInIteration5("damaged");
  if (RankOfWorld() == SizeOfWorld() - 1) {
    for (const char set : {'a', 'b'}) {
      std::fstream file(MySlice(options_.checkpoint_path, set),
                        std::ios::in | std::ios::out | std::ios::binary);
      file.seekp(200);
      file.put('?');
    }
  }
  EXPECT_THAT(MessageOfSolve(scene_), HasSubstr("checksum"));
}

TEST_F(RefusedCheckpoint, IsNoCheckpoint) {
  options_ = OptionsFor(NewPath("foreign"));
  if (RankOfWorld() == 0) {
    std::ofstream(options_.checkpoint_path) << std::string(500, 'x');
  }
  EXPECT_THAT(MessageOfSolve(scene_), HasSubstr("is no checkpoint"));
}

TEST_F(RefusedCheckpoint, HasSlicesOfDifferentIterations) {
  EndInIteration5("mixed");
  if (RankOfWorld() == SizeOfWorld() - 1) {
    const std::string a = MySlice(options_.checkpoint_path, 'a');
    const std::string b = MySlice(options_.checkpoint_path, 'b');
    std::filesystem::rename(a, a + ".tmp");
    std::filesystem::rename(b, a);
    std::filesystem::rename(a + ".tmp", b);
  }
  EXPECT_THAT(MessageOfSolve(scene_), HasSubstr("another iteration"));
}

TEST_F(RefusedCheckpoint, LacksASlice) {
  EndInIteration5("lacking");
  if (RankOfWorld() == SizeOfWorld() - 1) {
    std::filesystem::remove(MySlice(options_.checkpoint_path, 'a'));
    std::filesystem::remove(MySlice(options_.checkpoint_path, 'b'));
  }
  EXPECT_THAT(MessageOfSolve(scene_), HasSubstr("Cannot read"));
}

TEST_F(RefusedCheckpoint, HasOtherStartValues) {
  EndInIteration5("start");
  BalProblem other = scene_;
  for (int c = 0; c < other.num_cameras(); ++c) other.camera(c)[0] += 1e-3;
  EXPECT_THAT(MessageOfSolve(other), HasSubstr("start values"));
}

TEST_F(RefusedCheckpoint, HasOtherData) {
  EndInIteration5("data");
  BalProblem other = scene_;
  for (double& observation : other.observations) observation += 0.1;
  EXPECT_THAT(MessageOfSolve(other), HasSubstr("of another problem"));
}

TEST_F(RefusedCheckpoint, HasAnotherStructure) {
  EndInIteration5("structure");
  SceneSetup setup;
  setup.on_point = [](Problem* problem, double* point, int index) {
    if (index % 5 == 0) problem->SetParameterBlockConstant(point);
  };
  EXPECT_THAT(MessageOfSolve(scene_, setup), HasSubstr("of another problem"));
}

TEST_F(RefusedCheckpoint, HasOtherOptions) {
  EndInIteration5("options");
  options_.initial_trust_region_radius = 7.0;
  EXPECT_THAT(MessageOfSolve(scene_),
              HasSubstr("Options::initial_trust_region_radius"));
}

TEST_F(RefusedCheckpoint, IsOfAnotherNumberOfRanks) {
  if (SizeOfWorld() == 1) GTEST_SKIP() << "Needs two ranks.";
  EndInIteration5("ranks");
  if (RankOfWorld() != 0) return;
  SceneOnRanks alone(scene_, MPI_COMM_SELF, {});
  const distributed::Summary summary = alone.Solve(options_);
  EXPECT_EQ(summary.termination_type, FAILURE);
  EXPECT_THAT(summary.message, HasSubstr("this job has 1"));
}

TEST_F(RefusedCheckpoint, IsASlice) {
  EndInIteration5("slice");
  options_.checkpoint_path += ".0-of-" + std::to_string(SizeOfWorld()) + ".a";
  EXPECT_THAT(MessageOfSolve(scene_), HasSubstr(options_.checkpoint_path));
}

TEST_F(RefusedCheckpoint, CannotBeWritten) {
  options_ = OptionsFor(testing::TempDir() + "absent-directory/x.ckp");
  EXPECT_THAT(MessageOfSolve(scene_), HasSubstr("No checkpoint can be"));
}

}  // namespace
}  // namespace ceres::examples
