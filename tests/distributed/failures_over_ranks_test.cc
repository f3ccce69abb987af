// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// A rank that cannot go on ends the solve on all ranks, with the same message.

#include <stdexcept>
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
using testing::StartsWith;

// r = x - target, with a fault from evaluation number `first_fault` on.
class Distance final : public SizedCostFunction<1, 1, 1> {
 public:
  enum Fault { kNone, kReturnsFalse, kThrows };
  Distance(double target, Fault fault, int first_fault)
      : target_(target), fault_(fault), first_fault_(first_fault) {}

  bool Evaluate(double const* const* x, double* residuals,
                double** jacobians) const override {
    if (++num_evaluations_ >= first_fault_) {
      if (fault_ == kThrows) throw std::runtime_error("the map is lost");
      if (fault_ == kReturnsFalse) return false;
    }
    // Curved, so that there are several steps.
    const double y = x[0][0] + x[1][0] - target_;
    residuals[0] = y + 0.1 * y * y * y;
    for (int i = 0; i < 2; ++i) {
      if (jacobians != nullptr && jacobians[i] != nullptr) {
        jacobians[i][0] = 1.0 + 0.3 * y * y;
      }
    }
    return true;
  }

 private:
  const double target_;
  const Fault fault_;
  const int first_fault_;
  mutable int num_evaluations_ = 0;
};

// Each rank has five private numbers, each with two residual blocks, and shares
// two numbers with all ranks.
struct SmallProblem {
  explicit SmallProblem(Distance::Fault fault = Distance::kNone,
                        int first_fault = 0) {
    for (int i = 0; i < 5; ++i) {
      for (int k = 0; k < 2; ++k) {
        const bool has_fault =
            i == 3 && k == 1 && RankOfWorld() == SizeOfWorld() - 1;
        problem.AddResidualBlock(
            new Distance(i + 2.0 * k + RankOfWorld(),
                         has_fault ? fault : Distance::kNone, first_fault),
            nullptr, &mine[i], &common[k]);
      }
    }
    for (int k = 0; k < 2; ++k) shared.Add(k, &common[k]);
  }
  distributed::Summary Solve() {
    options.logging_type = SILENT;
    distributed::Summary summary;
    distributed::Solve(options, MPI_COMM_WORLD, shared, &problem, &summary);
    return summary;
  }
  void ExpectStartValues() const {
    for (const double value : mine) EXPECT_EQ(value, 10.0);
    for (const double value : common) EXPECT_EQ(value, -3.0);
  }

  double mine[5] = {10.0, 10.0, 10.0, 10.0, 10.0};
  double common[2] = {-3.0, -3.0};
  Problem problem;
  distributed::SharedBlocks shared;
  distributed::Options options;
};

// All ranks have this message.
void ExpectSameOnAllRanks(const std::string& message) {
  std::string first = message;
  int size = static_cast<int>(first.size());
  MPI_Bcast(&size, 1, MPI_INT, 0, MPI_COMM_WORLD);
  first.resize(size);
  MPI_Bcast(first.data(), size, MPI_CHAR, 0, MPI_COMM_WORLD);
  EXPECT_EQ(first, message);
}

std::string LastRank() {
  return "Rank " + std::to_string(SizeOfWorld() - 1) + ": ";
}

TEST(OverRanks, SolvesTheSmallProblem) {
  SmallProblem small;
  const distributed::Summary summary = small.Solve();
  EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.message;
  EXPECT_EQ(summary.num_residual_blocks, 10 * SizeOfWorld());
  EXPECT_EQ(summary.num_parameter_blocks, 5 * SizeOfWorld() + 2);
  EXPECT_EQ(static_cast<int>(summary.ranks.size()), SizeOfWorld());
  EXPECT_EQ(summary.rank, RankOfWorld());
  EXPECT_THAT(summary.ToJson(), HasSubstr("\"ranks\": [\n    {"));
  EXPECT_THAT(summary.FullReport(), HasSubstr("Reduced system: gathered"));
}

TEST(Failures, ACostFunctionThatFailsAtTheStartIsNamed) {
  SmallProblem small(Distance::kReturnsFalse, 1);
  const distributed::Summary summary = small.Solve();
  EXPECT_EQ(summary.termination_type, FAILURE);
  EXPECT_THAT(summary.message, HasSubstr(LastRank()));
  EXPECT_THAT(summary.message, HasSubstr("7"));  // the residual block
  ExpectSameOnAllRanks(summary.message);
  small.ExpectStartValues();
}

TEST(Failures, AnExceptionEndsAllRanksAndRestoresParameters) {
  // At the start, and in a later evaluation.
  for (const int first_fault : {1, 3}) {
    SmallProblem small(Distance::kThrows, first_fault);
    small.options.update_state_every_iteration = true;
    const distributed::Summary summary = small.Solve();
    EXPECT_EQ(summary.termination_type, FAILURE);
    EXPECT_THAT(summary.message, StartsWith(LastRank()));
    EXPECT_THAT(summary.message, HasSubstr("the map is lost"));
    EXPECT_EQ(summary.iterations.empty(), first_fault == 1);
    ExpectSameOnAllRanks(summary.message);
    small.ExpectStartValues();
  }
}

TEST(Failures, AnEvaluationThatFailsLaterRejectsTheStepOnAllRanks) {
  SmallProblem small(Distance::kReturnsFalse, 2);
  small.options.max_num_iterations = 3;
  const distributed::Summary summary = small.Solve();
  ASSERT_EQ(summary.iterations.size(), 4u) << summary.message;
  for (int i = 1; i < 4; ++i) {
    EXPECT_FALSE(summary.iterations[i].step_is_successful);
  }
}

class EndsOnLastRank final : public IterationCallback {
 public:
  explicit EndsOnLastRank(CallbackReturnType answer) : answer_(answer) {}
  CallbackReturnType operator()(const IterationSummary& summary) override {
    ++num_calls_;
    return summary.iteration == 1 && RankOfWorld() == SizeOfWorld() - 1
               ? answer_
               : SOLVER_CONTINUE;
  }
  int num_calls() const { return num_calls_; }

 private:
  const CallbackReturnType answer_;
  int num_calls_ = 0;
};

TEST(Callbacks, RunOnAllRanksAndOneOfThemEndsTheSolve) {
  for (const auto& [answer, type] :
       {std::make_pair(SOLVER_TERMINATE_SUCCESSFULLY, USER_SUCCESS),
        std::make_pair(SOLVER_ABORT, USER_FAILURE)}) {
    EndsOnLastRank callback(answer);
    SmallProblem small;
    small.options.callbacks = {&callback};
    const distributed::Summary summary = small.Solve();
    EXPECT_EQ(summary.termination_type, type) << summary.message;
    EXPECT_EQ(callback.num_calls(), 2);
    ExpectSameOnAllRanks(summary.message);
    if (answer == SOLVER_ABORT) small.ExpectStartValues();
  }
}

TEST(Stops, ATokenOfOneRankEndsAllRanks) {
  parallel::CancellationSource source;
  class Cancels final : public IterationCallback {
   public:
    explicit Cancels(parallel::CancellationSource* source) : source_(source) {}
    CallbackReturnType operator()(const IterationSummary& summary) override {
      if (summary.iteration == 1 && RankOfWorld() == 0) source_->Cancel();
      return SOLVER_CONTINUE;
    }

   private:
    parallel::CancellationSource* const source_;
  } callback(&source);
  SmallProblem small;
  small.options.callbacks = {&callback};
  if (RankOfWorld() == 0) small.options.cancellation_token = source.token();
  const distributed::Summary summary = small.Solve();
  EXPECT_EQ(summary.termination_type, NO_CONVERGENCE);
  EXPECT_THAT(summary.message, HasSubstr("Rank 0: Cancelled"));
  EXPECT_EQ(summary.iterations.size(), 2u);
  ExpectSameOnAllRanks(summary.message);
}

TEST(Stops, ALimitOfTimeEndsAllRanks) {
  SmallProblem small;
  small.options.max_solver_time_in_seconds = 0.0;
  const distributed::Summary summary = small.Solve();
  EXPECT_EQ(summary.termination_type, NO_CONVERGENCE);
  EXPECT_THAT(summary.message, HasSubstr("max_solver_time_in_seconds"));
  EXPECT_EQ(summary.iterations.size(), 1u);
}

// Each case changes the problem of the last rank.
struct Mistake {
  const char* message;
  void (*make)(SmallProblem* small);
};

TEST(Mistakes, AreNamedOnAllRanks) {
  const bool is_alone = SizeOfWorld() == 1;
  const std::vector<Mistake> mistakes = {
      {"shared block 1 has different start values on ranks 0 and ",
       [](SmallProblem* small) { small->common[1] = 4.0; }},
      {"shared block 1 has different settings constant or variable",
       [](SmallProblem* small) {
         small->problem.SetParameterBlockConstant(&small->common[1]);
       }},
      {"shared block 0 has different bounds",
       [](SmallProblem* small) {
         small->problem.SetParameterLowerBound(&small->common[0], 0, -5.0);
       }},
      {"shared block 0 has different manifolds",
       [](SmallProblem* small) {
         small->problem.SetManifold(&small->common[0],
                                    new EuclideanManifold<1>());
       }},
      {"Options::eta differs on ranks 0 and ",
       [](SmallProblem* small) { small->options.eta = 0.2; }},
      {"Options::linear_solver_type differs",
       [](SmallProblem* small) {
         small->options.linear_solver_type = DENSE_SCHUR;
       }},
  };
  for (const Mistake& mistake : mistakes) {
    SmallProblem small;
    if (RankOfWorld() == SizeOfWorld() - 1) mistake.make(&small);
    const distributed::Summary summary = small.Solve();
    if (is_alone) {
      EXPECT_NE(summary.termination_type, FAILURE) << summary.message;
      continue;
    }
    EXPECT_EQ(summary.termination_type, FAILURE);
    EXPECT_THAT(summary.message, HasSubstr(mistake.message));
    ExpectSameOnAllRanks(summary.message);
  }
}

TEST(Mistakes, OfOneRankAreErrorsOfThatRank) {
  const std::vector<Mistake> mistakes = {
      {"shared block 9 (at ",
       [](SmallProblem* small) {
         static double elsewhere = 0.0;
         small->shared.Add(9, &elsewhere);
       }},
      {"initial value that is not finite",
       [](SmallProblem* small) { small->mine[2] = std::nan(""); }},
      {"Ceres::distributed does not support constraints",
       [](SmallProblem* small) {
         small->problem.AddEqualityConstraint(
             new Distance(0.0, Distance::kNone, 0),
             {&small->mine[0], &small->mine[1]});
       }},
      {"max_num_iterations",
       [](SmallProblem* small) { small->options.max_num_iterations = -1; }},
  };
  for (const Mistake& mistake : mistakes) {
    SmallProblem small;
    if (RankOfWorld() == SizeOfWorld() - 1) mistake.make(&small);
    const distributed::Summary summary = small.Solve();
    EXPECT_EQ(summary.termination_type, FAILURE);
    EXPECT_THAT(summary.message, StartsWith(LastRank()));
    EXPECT_THAT(summary.message, HasSubstr(mistake.message));
    ExpectSameOnAllRanks(summary.message);
  }
}

TEST(Mistakes, ALeafOnTwoRanksIsNamed) {
  if (SizeOfWorld() == 1) GTEST_SKIP() << "needs two ranks";
  SmallProblem small;
  small.shared.BeginLeaf(4, small.problem);
  EXPECT_THAT(small.Solve().message, HasSubstr("leaf 4 is on ranks 0 and 1"));
}

TEST(Mistakes, APrivateBlockInTwoLeavesIsNamed) {
  SmallProblem small;
  small.shared.BeginLeaf(2 * RankOfWorld(), small.problem);
  small.shared.BeginLeaf(2 * RankOfWorld() + 1, small.problem);
  small.problem.AddResidualBlock(new Distance(1.0, Distance::kNone, 0), nullptr,
                                 &small.mine[4], &small.common[0]);
  EXPECT_THAT(small.Solve().message,
              HasSubstr("is private, but residual blocks of leaf 1"));
}

// What does not work over ranks is refused by name.
TEST(Refusals, NameTheOption) {
  const std::vector<Mistake> refusals = {
      {"minimizer_type",
       [](SmallProblem* small) {
         small->options.minimizer_type = LINE_SEARCH;
       }},
      {"linear_solver_type",
       [](SmallProblem* small) {
         small->options.linear_solver_type = DENSE_QR;
       }},
      {"preconditioner_type",
       [](SmallProblem* small) {
         small->options.linear_solver_type = ITERATIVE_SCHUR;
         small->options.preconditioner_type = CLUSTER_JACOBI;
       }},
      {"use_spse_initialization",
       [](SmallProblem* small) {
         small->options.linear_solver_type = ITERATIVE_SCHUR;
         small->options.use_spse_initialization = true;
       }},
      {"linear_solver_ordering",
       [](SmallProblem* small) {
         small->options.linear_solver_ordering =
             std::make_shared<ParameterBlockOrdering>();
       }},
      {"use_inner_iterations",
       [](SmallProblem* small) { small->options.use_inner_iterations = true; }},
      {"check_gradients",
       [](SmallProblem* small) { small->options.check_gradients = true; }},
      {"keep_progress_on_exception",
       [](SmallProblem* small) {
         small->options.keep_progress_on_exception = true;
       }},
      {"keep_preprocessing",
       [](SmallProblem* small) { small->options.keep_preprocessing = true; }},
      {"trust_region_minimizer_iterations_to_dump",
       [](SmallProblem* small) {
         small->options.trust_region_minimizer_iterations_to_dump = {1};
       }},
  };
  for (const Mistake& refusal : refusals) {
    SmallProblem small;
    refusal.make(&small);
    const distributed::Summary summary = small.Solve();
    EXPECT_EQ(summary.termination_type, FAILURE) << refusal.message;
    EXPECT_THAT(summary.message, HasSubstr(refusal.message));
    ExpectSameOnAllRanks(summary.message);
    small.ExpectStartValues();
  }
}

TEST(NothingToMinimize, IsConvergence) {
  SmallProblem small;
  for (double& value : small.mine) {
    small.problem.SetParameterBlockConstant(&value);
  }
  for (double& value : small.common) {
    small.problem.SetParameterBlockConstant(&value);
  }
  const distributed::Summary summary = small.Solve();
  EXPECT_EQ(summary.termination_type, CONVERGENCE);
  EXPECT_GT(summary.fixed_cost, 0.0);
}

}  // namespace
}  // namespace ceres::examples
