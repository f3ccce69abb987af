// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Whole solves of published and generated bundle adjustment problems: the costs
// that they must reach, and that they reach them with the same bits whatever
// the number of threads.

#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "bal_file.h"
#include "bal_problem.h"
#include "ceres/ceres.h"
#include "ceres/execution/context_impl.h"
#include "generate_scene.h"
#include "gtest/gtest.h"
#include "shared_data.h"
#include "snavely_reprojection_error.h"
#include "test_reprojection.h"

namespace ceres::examples {
namespace {

// A linear solver with its choices.
struct LinearSolver {
  const char* name;
  LinearSolverType type;
  PreconditionerType preconditioner = JACOBI;
  bool explicit_schur_complement = false;
  DenseLinearAlgebraLibraryType dense_library = EIGEN;
  SparseLinearAlgebraLibraryType sparse_library = SUITE_SPARSE;
};

void PrintTo(const LinearSolver& solver, std::ostream* stream) {
  *stream << solver.name;
}

const LinearSolver kDenseQr = {"DenseQr", DENSE_QR};
const LinearSolver kDenseQrLapack = {"DenseQrLapack", DENSE_QR, JACOBI, false,
                                     LAPACK};
const LinearSolver kDenseNormalCholesky = {"DenseNormalCholesky",
                                           DENSE_NORMAL_CHOLESKY};
const LinearSolver kSparseNormalCholesky = {"SparseNormalCholesky",
                                            SPARSE_NORMAL_CHOLESKY};
const LinearSolver kSparseNormalCholeskyEigen = {"SparseNormalCholeskyEigen",
                                                 SPARSE_NORMAL_CHOLESKY,
                                                 JACOBI,
                                                 false,
                                                 EIGEN,
                                                 EIGEN_SPARSE};
const LinearSolver kCgnr = {"Cgnr", CGNR};
const LinearSolver kCgnrIdentity = {"CgnrIdentity", CGNR, IDENTITY};
const LinearSolver kDenseSchur = {"DenseSchur", DENSE_SCHUR};
const LinearSolver kDenseSchurLapack = {"DenseSchurLapack", DENSE_SCHUR, JACOBI,
                                        false, LAPACK};
const LinearSolver kSparseSchur = {"SparseSchur", SPARSE_SCHUR};
const LinearSolver kSparseSchurEigen = {
    "SparseSchurEigen", SPARSE_SCHUR, JACOBI, false, EIGEN, EIGEN_SPARSE};
const LinearSolver kSparseSchurNative = {
    "SparseSchurNative", SPARSE_SCHUR, JACOBI, false, EIGEN, NATIVE_SPARSE};
const LinearSolver kIterativeSchurIdentity = {"IterativeSchurIdentity",
                                              ITERATIVE_SCHUR, IDENTITY};
const LinearSolver kIterativeSchurJacobi = {"IterativeSchurJacobi",
                                            ITERATIVE_SCHUR, JACOBI};
const LinearSolver kIterativeSchurSchurJacobi = {"IterativeSchurSchurJacobi",
                                                 ITERATIVE_SCHUR, SCHUR_JACOBI};
const LinearSolver kIterativeSchurExplicit = {
    "IterativeSchurExplicit", ITERATIVE_SCHUR, SCHUR_JACOBI, true};

struct Result {
  std::vector<double> iteration_costs;
  std::vector<double> parameters;
  double final_cost = 0.0;
  bool usable = false;
  std::string message;
};

enum class Ordering { kAutomatic, kPointsFirst };

// From the values of the problem as they are, not normalised: the published
// costs were reached so.
Result SolveBal(BalProblem bal, const LinearSolver& solver, int num_iterations,
                int num_threads, Ordering ordering) {
  // Threads really run and share every loop, also on a machine of fewer cpus.
  internal::ContextImpl context;
  context.thread_pool().SetRunningLimit(num_threads);
  context.thread_pool().SetSharing(parallel::Sharing::kAlways);
  Problem::Options problem_options;
  problem_options.context = &context;
  Problem problem(problem_options);
  for (int i = 0; i < bal.num_observations(); ++i) {
    const double* pixel = &bal.observations[2 * static_cast<size_t>(i)];
    problem.AddResidualBlock(
        SnavelyReprojectionError::Create(pixel[0], pixel[1]), nullptr,
        bal.camera(bal.camera_index[i]), bal.point(bal.point_index[i]));
  }
  Solver::Options options;
  options.linear_solver_type = solver.type;
  options.preconditioner_type = solver.preconditioner;
  options.use_explicit_schur_complement = solver.explicit_schur_complement;
  options.dense_linear_algebra_library_type = solver.dense_library;
  options.sparse_linear_algebra_library_type = solver.sparse_library;
  options.num_threads = num_threads;
  options.max_num_iterations = num_iterations;
  options.eta = 1e-2;
  options.function_tolerance = 0.0;
  options.gradient_tolerance = 0.0;
  options.parameter_tolerance = 0.0;
  options.logging_type = SILENT;
  if (ordering == Ordering::kPointsFirst) {
    options.linear_solver_ordering = std::make_shared<ParameterBlockOrdering>();
    for (int i = 0; i < bal.num_points(); ++i) {
      options.linear_solver_ordering->AddElementToGroup(bal.point(i), 0);
    }
    for (int i = 0; i < bal.num_cameras(); ++i) {
      options.linear_solver_ordering->AddElementToGroup(bal.camera(i), 1);
    }
  }
  Solver::Summary summary;
  Solve(options, &problem, &summary);

  Result result;
  for (const IterationSummary& iteration : summary.iterations) {
    result.iteration_costs.push_back(iteration.cost);
  }
  result.parameters = bal.cameras;
  result.parameters.insert(result.parameters.end(), bal.points.begin(),
                           bal.points.end());
  result.final_cost = summary.final_cost;
  result.usable = summary.IsSolutionUsable();
  result.message = summary.message;
  // The parameters must be those of the cost that is reported.
  EXPECT_NEAR(Cost(bal), result.final_cost, 1e-9 * result.final_cost)
      << solver.name;
  return result;
}

// Nothing where the data sets are absent.
std::optional<BalProblem> ReadPublished(const std::string& name) {
  const auto text = internal::ReadSharedData("bal/" + name + ".txt");
  if (!text.has_value()) return std::nullopt;
  BalProblem bal;
  std::string error;
  EXPECT_TRUE(ParseBal(*text, name, &bal, &error)) << error;
  return bal;
}

struct PublishedCost {
  const char* name;
  double cost;
  int num_iterations;
};

const PublishedCost kPublishedCosts[] = {
    {"problem-16-22106-pre", 1.803391e4, 20},
    {"problem-49-7776-pre", 1.334503e4, 20},
    {"problem-21-11315-pre", 3.037864e4, 50},
    {"problem-49-1800-shrink", 3.001360e3, 50}};

class FinalCostTest : public ::testing::TestWithParam<LinearSolver> {
 protected:
  // Solves the published problems; final costs must be at most
  // (1 + tolerance) times what is published.
  void ExpectFinalCosts(double tolerance) {
    for (const PublishedCost& published : kPublishedCosts) {
      const std::optional<BalProblem> bal = ReadPublished(published.name);
      if (!bal.has_value())
        GTEST_SKIP() << "no BAL files in " << internal::SharedDataFolder();
      const Result result = SolveBal(*bal, GetParam(), published.num_iterations,
                                     2, Ordering::kPointsFirst);
      EXPECT_TRUE(result.usable) << published.name << ": " << result.message;
      EXPECT_LE(result.final_cost, (1.0 + tolerance) * published.cost)
          << published.name;
    }
  }
};

using ExactSolverTest = FinalCostTest;
using InexactSolverTest = FinalCostTest;

TEST_P(ExactSolverTest, ReachesThePublishedCosts) { ExpectFinalCosts(0.0); }
TEST_P(InexactSolverTest, ComesWithin1e4OfThePublishedCosts) {
  ExpectFinalCosts(1e-4);
}

const auto kSolverName =
    [](const ::testing::TestParamInfo<LinearSolver>& info) {
      return std::string(info.param.name);
    };

INSTANTIATE_TEST_SUITE_P(, ExactSolverTest,
                         ::testing::Values(kDenseSchur, kDenseSchurLapack,
                                           kSparseSchur, kSparseSchurEigen,
                                           kSparseSchurNative),
                         kSolverName);
INSTANTIATE_TEST_SUITE_P(, InexactSolverTest,
                         ::testing::Values(kIterativeSchurSchurJacobi,
                                           kIterativeSchurExplicit),
                         kSolverName);

// Compares bits, so that -0.0 differs from 0.0 and a NaN equals itself.
bool SameBits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

class SameBitsTest : public ::testing::TestWithParam<LinearSolver> {
 protected:
  static void ExpectSameBits(const BalProblem& bal, int num_iterations,
                             Ordering ordering) {
    const Result reference =
        SolveBal(bal, GetParam(), num_iterations, 1, ordering);
    ASSERT_TRUE(reference.usable) << reference.message;
    ASSERT_LT(reference.final_cost, reference.iteration_costs.front());
    for (const int num_threads : {1, 2, 3, 4, 8}) {
      for (int run = 0; run < 2; ++run) {
        const Result result =
            SolveBal(bal, GetParam(), num_iterations, num_threads, ordering);
        EXPECT_TRUE(SameBits(result.iteration_costs, reference.iteration_costs))
            << num_threads << " threads, run " << run;
        EXPECT_TRUE(SameBits(result.parameters, reference.parameters))
            << num_threads << " threads, run " << run;
      }
    }
  }

  static BalProblem Scene(int num_cameras, int num_points) {
    SceneOptions options;
    options.num_cameras = num_cameras;
    options.num_points = num_points;
    BalProblem bal;
    std::string error;
    EXPECT_TRUE(GenerateScene(options, &bal, &error)) << error;
    return bal;
  }
};

using SameBitsSmallTest = SameBitsTest;

// Solvers whose memory grows with the square of the problem.
TEST_P(SameBitsSmallTest, OnAPublishedProblem) {
  const std::optional<BalProblem> bal = ReadPublished("dubrovnik-3-7-pre");
  if (!bal.has_value())
    GTEST_SKIP() << "no BAL files in " << internal::SharedDataFolder();
  ExpectSameBits(*bal, 10, Ordering::kPointsFirst);
}

TEST_P(SameBitsSmallTest, OnAGeneratedScene) {
  ExpectSameBits(Scene(4, 60), 5, Ordering::kAutomatic);
}

TEST_P(SameBitsTest, OnAPublishedProblem) {
  const std::optional<BalProblem> bal = ReadPublished("problem-49-1800-shrink");
  if (!bal.has_value())
    GTEST_SKIP() << "no BAL files in " << internal::SharedDataFolder();
  ExpectSameBits(*bal, 4, Ordering::kPointsFirst);
}

TEST_P(SameBitsTest, OnAGeneratedScene) {
  ExpectSameBits(Scene(60, 1500), 4, Ordering::kPointsFirst);
}

TEST_P(SameBitsTest, WithAnOrderingFoundBySolver) {
  ExpectSameBits(Scene(20, 400), 4, Ordering::kAutomatic);
}

INSTANTIATE_TEST_SUITE_P(, SameBitsSmallTest,
                         ::testing::Values(kDenseQr, kDenseQrLapack,
                                           kDenseNormalCholesky),
                         kSolverName);
INSTANTIATE_TEST_SUITE_P(
    , SameBitsTest,
    ::testing::Values(kSparseNormalCholesky, kSparseNormalCholeskyEigen, kCgnr,
                      kCgnrIdentity, kDenseSchur, kDenseSchurLapack,
                      kSparseSchur, kSparseSchurEigen, kSparseSchurNative,
                      kIterativeSchurIdentity, kIterativeSchurJacobi,
                      kIterativeSchurSchurJacobi, kIterativeSchurExplicit),
    kSolverName);

// All exact solvers take the same steps, to rounding.
TEST(BundleAdjustment, ExactSolversAgreeOnEveryIteration) {
  SceneOptions scene;
  scene.num_cameras = 6;
  scene.num_points = 150;
  BalProblem bal;
  std::string error;
  ASSERT_TRUE(GenerateScene(scene, &bal, &error)) << error;
  const Result reference = SolveBal(bal, kDenseQr, 5, 1, Ordering::kAutomatic);
  ASSERT_TRUE(reference.usable) << reference.message;
  for (const LinearSolver& solver :
       {kDenseQrLapack, kDenseNormalCholesky, kSparseNormalCholesky,
        kSparseNormalCholeskyEigen, kDenseSchur, kDenseSchurLapack,
        kSparseSchur, kSparseSchurEigen, kSparseSchurNative}) {
    const Result result = SolveBal(bal, solver, 5, 2, Ordering::kAutomatic);
    ASSERT_EQ(result.iteration_costs.size(), reference.iteration_costs.size())
        << solver.name;
    for (size_t i = 0; i < result.iteration_costs.size(); ++i) {
      EXPECT_NEAR(result.iteration_costs[i], reference.iteration_costs[i],
                  1e-8 * reference.iteration_costs[i])
          << solver.name << ", iteration " << i;
    }
  }
}

}  // namespace
}  // namespace ceres::examples
