// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Whole solves with each Solver::Options::jacobian_storage: the same minimum,
// the same bits for every number of threads, and what is refused.

#include <atomic>
#include <cmath>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "ceres/ceres.h"
#include "ceres/evaluation/batch_pair.h"
#include "ceres/parallel/testing/parallel_test_util.h"
#include "ceres/problem/cost_function_batch.h"
#include "ceres/rotation.h"
#include "ceres/solver/linear_solver_factory.h"
#include "ceres/solver/storage_choice.h"
#include "ceres/solver/whole_solves/solver_combinations.h"
#include "ceres/solver/whole_solves/solver_test_utils.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::HasSubstr;

constexpr JacobianStorage kUnstored[] = {JacobianStorage::FLOAT,
                                         JacobianStorage::RECOMPUTE};

// Cameras of 9 coordinates and points that are seen by neighbouring cameras:
// the shapes with kernels of their own. In all kinds of rows: a batch, residual
// blocks with a loss function, a second row of one camera for some points,
// cameras alone, and a point with many rows.
class Scene {
 public:
  struct Features {
    bool with_second_rows = false;
    bool with_priors = false;
    bool with_long_point = false;
    bool with_loss = false;
    bool with_manifolds = false;
    int num_points = 400;
  };

  Scene(const Features& features, const Problem::Options& options)
      : problem(options) {
    for (int c = 0; c < kCameras; ++c) {
      const double camera[] = {0.01 * c,     0.02,  -0.01 * c, -0.3 * c, 0.1,
                               -8.0 - c % 3, 500.0, 0.01,      -0.002};
      cameras.insert(cameras.end(), camera, camera + 9);
    }
    for (int p = 0; p < features.num_points; ++p) AddPoint(p, features);
    AddToProblem(features);
    start_ = {cameras, points};
  }

  void Reset() { std::tie(cameras, points) = start_; }

  std::vector<double> cameras, points, pixels;
  Problem problem;

 private:
  static constexpr int kCameras = 12;
  static constexpr int kLongRows = 700;
  // The camera of "Bundle adjustment in the large".
  struct Seen {
    template <typename T>
    bool operator()(const T* camera, const T* point, T* residuals) const {
      T p[3];
      AngleAxisRotatePoint(camera, point, p);
      for (int k = 0; k < 3; ++k) p[k] += camera[3 + k];
      const T x = -p[0] / p[2];
      const T y = -p[1] / p[2];
      const T r2 = x * x + y * y;
      const T scale = camera[6] * (1.0 + r2 * (camera[7] + r2 * camera[8]));
      residuals[0] = scale * x - pixel[0];
      residuals[1] = scale * y - pixel[1];
      return true;
    }
    double pixel[2];
  };

  std::unique_ptr<CostFunction> NewFunction(int i) const {
    return std::make_unique<AutoDiffCostFunction<Seen, 2, 9, 3>>(
        new Seen{{pixels[2 * i], pixels[2 * i + 1]}});
  }

  static double Noise(int i) { return std::sin(1.7 * i + 0.3); }

  void Observe(int camera, int point) {
    double residuals[2];
    Seen{{0.0, 0.0}}(&cameras[9 * camera], &points[3 * point], residuals);
    const int i = static_cast<int>(camera_of_.size());
    camera_of_.push_back(camera);
    point_of_.push_back(point);
    pixels.push_back(residuals[0] + Noise(2 * i));
    pixels.push_back(residuals[1] + Noise(2 * i + 1));
  }

  void AddPoint(int p, const Features& features) {
    const int first = p * (kCameras - 4) / features.num_points;
    const double point[] = {0.3 * first + Noise(p), Noise(3 * p), Noise(5 * p)};
    points.insert(points.end(), point, point + 3);
    const int num_views = 3 + p % 3;
    for (int k = 0; k < num_views; ++k) Observe(first + k, p);
    if (features.with_second_rows && p % 7 == 0) Observe(first, p);
    if (features.with_long_point && p == 11) {
      for (int k = 0; k < kLongRows; ++k) Observe(k % kCameras, p);
    }
    for (int k = 0; k < 3; ++k) points[3 * p + k] += 0.02 * Noise(7 * p + k);
  }

  void AddToProblem(const Features& features) {
    const int num_rows = static_cast<int>(camera_of_.size());
    const int in_batch = num_rows / 2;
    const ParameterArray camera_array =
        problem.AddParameterArray(cameras.data(), kCameras, 9);
    const ParameterArray point_array =
        problem.AddParameterArray(points.data(), features.num_points, 3);
    camera_of_batch_.assign(camera_of_.begin(), camera_of_.begin() + in_batch);
    point_of_batch_.assign(point_of_.begin(), point_of_.begin() + in_batch);
    CostFunctionBatch::Functions functions;
    for (int i = 0; i < in_batch; ++i) functions.push_back(NewFunction(i));
    problem.AddResidualBatch(
        std::make_unique<CostFunctionBatch>(2, std::vector<std::int32_t>{9, 3},
                                            std::move(functions)),
        nullptr,
        {{camera_array, camera_of_batch_}, {point_array, point_of_batch_}});
    for (int i = in_batch; i < num_rows; ++i) {
      problem.AddResidualBlock(
          NewFunction(i).release(),
          features.with_loss && i % 3 == 0 ? new HuberLoss(1.0) : nullptr,
          &cameras[9 * camera_of_[i]], &points[3 * point_of_[i]]);
    }
    for (int c = 0; features.with_priors && c < kCameras; ++c) {
      for (int k = 0; k < 50; ++k) {
        const double target = cameras[9 * c + 6] + k;
        problem.AddResidualBlock(
            NewCost<1, 9>([target](const auto* x, auto* r) {
              r[0] = 0.01 * (x[6] - target);
            }),
            nullptr, &cameras[9 * c]);
      }
    }
    problem.SetParameterBlockConstant(&cameras[0]);
    problem.SetManifold(&cameras[9], new SubsetManifold(9, {3}));
    for (int p = 0; features.with_manifolds && p < features.num_points;
         p += 3) {
      problem.SetManifold(&points[3 * p], new SubsetManifold(3, {2}));
    }
  }

  std::vector<int> camera_of_, point_of_, camera_of_batch_, point_of_batch_;
  std::pair<std::vector<double>, std::vector<double>> start_;
};

class JacobianStorageTest : public testing::Test {
 protected:
  JacobianStorageTest() {
    options_.linear_solver_type = SPARSE_SCHUR;
    options_.preconditioner_type = SCHUR_JACOBI;
    options_.function_tolerance = 1e-15;
    options_.gradient_tolerance = 1e-14;
    options_.parameter_tolerance = 1e-13;
    options_.max_num_iterations = 60;
    options_.eta = 1e-4;
    options_.logging_type = SILENT;
  }

  // Each alone and all together; the thread sanitizer would take long for more
  // than the last.
  static std::vector<Scene::Features> AllFeatures() {
    const Scene::Features all = {true, true, true, true, true};
    if (parallel::kThreadSanitizer) return {all};
    return {{},
            {true, false, false, false, false},
            {false, true, false, false, false},
            {false, false, true, false, false},
            {false, false, false, true, false},
            {false, false, false, false, true},
            all};
  }

  std::unique_ptr<Scene> NewScene(const Scene::Features& features) {
    return std::make_unique<Scene>(features, context_.problem_options);
  }

  Solver::Summary Solve(JacobianStorage storage, Scene* scene) {
    scene->Reset();
    options_.jacobian_storage = storage;
    const Solver::Summary summary = SolveWith(options_, &scene->problem);
    EXPECT_TRUE(summary.IsSolutionUsable()) << summary.FullReport();
    EXPECT_EQ(summary.jacobian_storage_used, storage);
    return summary;
  }

  std::string Error() const {
    std::string error;
    EXPECT_FALSE(options_.IsValid(&error));
    return error;
  }

  SharingContext context_{8};
  Solver::Options options_;
};

TEST_F(JacobianStorageTest, AllReachTheSameMinimum) {
  for (const Scene::Features& features : AllFeatures()) {
    const auto scene = NewScene(features);
    for (const auto type : {DENSE_SCHUR, SPARSE_SCHUR, ITERATIVE_SCHUR}) {
      options_.linear_solver_type = type;
      const double expected =
          Solve(JacobianStorage::DOUBLE, scene.get()).final_cost;
      for (const JacobianStorage storage : kUnstored) {
        EXPECT_NEAR(Solve(storage, scene.get()).final_cost, expected,
                    1e-10 * expected)
            << JacobianStorageToString(storage) << " "
            << LinearSolverTypeToString(type);
      }
    }
  }
}

// The steps are those of DOUBLE: only sums that say how good a step is are cut
// in other places.
TEST_F(JacobianStorageTest, RecomputedRowsGiveTheSameSteps) {
  options_.max_num_iterations = 4;
  for (const Scene::Features& features : AllFeatures()) {
    const auto scene = NewScene(features);
    for (const auto type : {DENSE_SCHUR, SPARSE_SCHUR}) {
      options_.linear_solver_type = type;
      const Solver::Summary expected =
          Solve(JacobianStorage::DOUBLE, scene.get());
      const Solver::Summary actual =
          Solve(JacobianStorage::RECOMPUTE, scene.get());
      ASSERT_EQ(actual.iterations.size(), expected.iterations.size());
      EXPECT_EQ(actual.iterations[1].cost, expected.iterations[1].cost);
      for (size_t i = 0; i < actual.iterations.size(); ++i) {
        EXPECT_NEAR(actual.iterations[i].cost, expected.iterations[i].cost,
                    1e-9 * expected.iterations[i].cost);
      }
    }
  }
}

TEST_F(JacobianStorageTest, BitsDoNotDependOnThreads) {
  options_.max_num_iterations = 3;
  const auto scene = NewScene({true, true, true, true, true});
  for (const JacobianStorage storage : kUnstored) {
    for (const auto type : {DENSE_SCHUR, SPARSE_SCHUR, ITERATIVE_SCHUR}) {
      options_.linear_solver_type = type;
      std::vector<double> expected;
      for (const int num_threads : {1, 2, 3, 4, 8}) {
        options_.num_threads = num_threads;
        const Solver::Summary summary = Solve(storage, scene.get());
        EXPECT_EQ(summary.num_threads_used, num_threads);
        std::vector<double> all = scene->cameras;
        all.insert(all.end(), scene->points.begin(), scene->points.end());
        all.push_back(summary.final_cost);
        if (num_threads == 1) expected = all;
        EXPECT_TRUE(SameBits(all, expected)) << num_threads << " threads";
      }
    }
  }
}

// Row chunks that are longer than the parts in which rows are read.
TEST_F(JacobianStorageTest, LongRowChunksAreReadInParts) {
  options_.max_num_iterations = 1;
  Scene::Features features = {true, true, true, true, true};
  features.num_points = 9000;
  const auto scene = NewScene(features);
  for (const auto type : {DENSE_SCHUR, ITERATIVE_SCHUR}) {
    options_.linear_solver_type = type;
    options_.num_threads = 1;
    const double expected =
        Solve(JacobianStorage::DOUBLE, scene.get()).final_cost;
    for (const JacobianStorage storage : kUnstored) {
      options_.num_threads = 1;
      const double cost = Solve(storage, scene.get()).final_cost;
      EXPECT_NEAR(cost, expected, 1e-6 * expected);
      options_.num_threads = 3;
      EXPECT_EQ(Solve(storage, scene.get()).final_cost, cost);
    }
  }
}

// All preconditioners, implicit and explicit products with S.
TEST_F(JacobianStorageTest, WorksWithEveryPreconditioner) {
  options_.linear_solver_type = ITERATIVE_SCHUR;
  const auto scene = NewScene({true, true, false, true, false});
  for (const auto type :
       {IDENTITY, JACOBI, SCHUR_JACOBI, SCHUR_POWER_SERIES_EXPANSION,
        CLUSTER_JACOBI, CLUSTER_TRIDIAGONAL}) {
    options_.preconditioner_type = type;
    for (const double eta : {1e-4, 0.5}) {  // forms S, or does not
      options_.eta = eta;
      options_.max_num_iterations = 5;
      const Solver::Summary expected =
          Solve(JacobianStorage::DOUBLE, scene.get());
      const Solver::Summary actual =
          Solve(JacobianStorage::RECOMPUTE, scene.get());
      EXPECT_NEAR(actual.final_cost, expected.final_cost,
                  1e-6 * expected.final_cost)
          << PreconditionerTypeToString(type);
    }
  }
}

// Random structures, in batches and blocks, with bounds and weights.
TEST_F(JacobianStorageTest, RandomProblemsTakeTheSameSteps) {
  options_.max_num_iterations = 3;
  for (unsigned seed = 0; seed < 12; ++seed) {
    BatchPair pair(seed, BatchPair::All(), context_.problem_options);
    for (BatchPair::Side* const side : {&pair.batched, &pair.plain}) {
      const auto solve = [&](JacobianStorage storage) {
        pair.Reset();
        options_.jacobian_storage = storage;
        return SolveWith(options_, &side->problem).final_cost;
      };
      const double expected = solve(JacobianStorage::DOUBLE);
      EXPECT_NEAR(solve(JacobianStorage::RECOMPUTE), expected, 1e-8 * expected)
          << seed;
      EXPECT_NEAR(solve(JacobianStorage::FLOAT), expected, 1e-4 * expected)
          << seed;
    }
  }
}

TEST_F(JacobianStorageTest, SmallJacobiansAreStoredInDoublePrecision) {
  SmallBundle bundle(3, 8);
  options_.jacobian_storage = JacobianStorage::RECOMPUTE;
  const Solver::Summary summary = SolveWith(options_, &bundle.problem);
  EXPECT_TRUE(summary.IsSolutionUsable());
  EXPECT_EQ(summary.jacobian_storage_used, JacobianStorage::DOUBLE);
}

TEST_F(JacobianStorageTest, IsInTheReport) {
  const auto scene = NewScene({});
  EXPECT_THAT(Solve(JacobianStorage::FLOAT, scene.get()).FullReport(),
              HasSubstr("FLOAT"));
}

TEST_F(JacobianStorageTest, OptionsThatItDoesNotWorkWithAreNamed) {
  for (const JacobianStorage storage : kUnstored) {
    options_.jacobian_storage = storage;
    for (const auto type :
         {DENSE_QR, DENSE_NORMAL_CHOLESKY, SPARSE_NORMAL_CHOLESKY, CGNR}) {
      options_.linear_solver_type = type;
      options_.preconditioner_type = JACOBI;
      EXPECT_THAT(Error(), HasSubstr("jacobian_storage"));
      EXPECT_THAT(Error(), HasSubstr(LinearSolverTypeToString(type)));
    }
    options_.linear_solver_type = SPARSE_SCHUR;
    options_.trust_region_strategy_type = DOGLEG;
    EXPECT_THAT(Error(), HasSubstr("DOGLEG"));
    options_.trust_region_strategy_type = LEVENBERG_MARQUARDT;
    options_.trust_region_minimizer_iterations_to_dump = {1};
    EXPECT_THAT(Error(), HasSubstr("iterations_to_dump"));
    options_.trust_region_minimizer_iterations_to_dump = {};
    options_.minimizer_type = LINE_SEARCH;
    EXPECT_THAT(Error(), HasSubstr("LINE_SEARCH"));
    options_.minimizer_type = TRUST_REGION;
    std::string error;
    EXPECT_TRUE(options_.IsValid(&error)) << error;
  }
  options_.check_gradients = true;
  EXPECT_THAT(Error(), HasSubstr("check_gradients"));
  options_.check_gradients = false;
  options_.jacobian_storage = static_cast<JacobianStorage>(17);
  EXPECT_THAT(Error(), HasSubstr("17"));
  // AUTO is DOUBLE there.
  options_.jacobian_storage = JacobianStorage::AUTO;
  options_.linear_solver_type = DENSE_QR;
  std::string error;
  EXPECT_TRUE(options_.IsValid(&error)) << error;
}

class NoCallback final : public EvaluationCallback {
 public:
  void PrepareForEvaluation(bool, bool) override {}
};

TEST_F(JacobianStorageTest, ProblemsThatItDoesNotWorkWithAreNamed) {
  NoCallback callback;
  Problem::Options with_callback;
  with_callback.evaluation_callback = &callback;
  Scene scene({}, with_callback);
  options_.jacobian_storage = JacobianStorage::RECOMPUTE;
  EXPECT_THAT(SolveWith(options_, &scene.problem).message,
              HasSubstr("evaluation_callback"));
  options_.jacobian_storage = JacobianStorage::FLOAT;
  EXPECT_TRUE(SolveWith(options_, &scene.problem).IsSolutionUsable());

  // A Schur solver with nothing to eliminate.
  double x = 1.0, y = 2.0;
  Problem coupled;
  coupled.AddResidualBlock(
      NewCost<1, 1, 1>([](const auto* x, const auto* y, auto* r) {
        r[0] = x[0] * y[0] - 1.0;
      }),
      nullptr, &x, &y);
  auto ordering = std::make_shared<ParameterBlockOrdering>();
  ordering->AddElementToGroup(&x, 1);
  ordering->AddElementToGroup(&y, 1);
  double unused = 0.0;
  ordering->AddElementToGroup(&unused, 0);
  coupled.AddResidualBlock(NewSpring(0.0), nullptr, &unused);
  coupled.SetParameterBlockConstant(&unused);
  options_.linear_solver_ordering = ordering;
  const Solver::Summary summary = SolveWith(options_, &coupled);
  if (summary.linear_solver_type_used != SPARSE_SCHUR) {
    EXPECT_THAT(summary.message, HasSubstr("to eliminate"));
  }
}

// Fails when it is evaluated with derivatives for the n-th time.
class FailsLater final : public SizedCostFunction<1, 9, 3> {
 public:
  explicit FailsLater(int calls) : calls_left_(calls) {}
  bool Evaluate(double const* const* x, double* residuals,
                double** jacobians) const override {
    residuals[0] = 0.1 * x[0][0] + 0.2 * x[1][0];
    if (jacobians == nullptr) return true;
    for (int k = 0; k < 2; ++k) {
      if (jacobians[k] == nullptr) continue;
      std::fill_n(jacobians[k], k == 0 ? 9 : 3, 0.0);
      jacobians[k][0] = 0.1 * (1 + k);
    }
    return calls_left_-- > 0;
  }

 private:
  mutable std::atomic<int> calls_left_;
};

TEST_F(JacobianStorageTest, AFunctionThatFailsAgainIsNamed) {
  for (const int calls : {1, 2}) {  // then a step, or its decrease, is missing
    const auto scene = NewScene({});
    scene->problem.AddResidualBlock(new FailsLater(calls), nullptr,
                                    &scene->cameras[18], &scene->points[0]);
    options_.jacobian_storage = JacobianStorage::RECOMPUTE;
    const Solver::Summary summary = SolveWith(options_, &scene->problem);
    EXPECT_EQ(summary.termination_type, FAILURE);
    EXPECT_THAT(summary.message, HasSubstr("RECOMPUTE"));
    EXPECT_THAT(summary.message, HasSubstr("cost function returned false"));
  }
}

// Columns whose entries single precision cannot hold.
TEST_F(JacobianStorageTest, FloatRefusesDerivativesBeyondItsRange) {
  for (const double unit : {1e-40, 1e40}) {
    const auto scene = NewScene({});
    double x = 1.0;
    scene->problem.AddResidualBlock(
        NewCost<1, 1, 3>([unit](const auto* x, const auto* point, auto* r) {
          r[0] = unit * x[0] + point[0];
        }),
        nullptr, &x, &scene->points[0]);
    options_.jacobian_storage = JacobianStorage::FLOAT;
    const Solver::Summary summary = SolveWith(options_, &scene->problem);
    EXPECT_EQ(summary.termination_type, FAILURE);
    EXPECT_THAT(summary.message, HasSubstr("jacobian_storage = FLOAT"));
  }
}

// The options of this storage alone fit into less and less memory.
TEST_F(JacobianStorageTest, AutoTakesTheFirstThatFits) {
  BlockJacobianStructure structure;
  structure.column_offset = {0, 3, 12};
  structure.num_eliminated = 1;
  for (int row = 0; row < 1000; ++row) {
    AppendRowBlock(2, {0, 1}, &structure);
  }
  structure.eliminated_first_row = {0, 1000};
  ASSERT_EQ(structure.num_values(), 26000);
  const LinearMethod method = ChooseLinearMethod(options_, true);
  ProblemImpl problem{Problem::Options()};
  const auto choose = [&](double bytes) {
    return ChooseStorage(options_, problem, method, structure, bytes);
  };
  using Storage = JacobianStorage;
  EXPECT_EQ(choose(0.0), Storage::DOUBLE);
  EXPECT_EQ(choose(1e9), Storage::DOUBLE);
  EXPECT_EQ(choose(2 * 208e3 + 1e3), Storage::DOUBLE);
  EXPECT_EQ(choose(2 * 208e3 - 1e3), Storage::FLOAT);
  EXPECT_EQ(choose(208e3 + 112e3 + 1e3), Storage::FLOAT);
  EXPECT_EQ(choose(208e3 + 112e3 - 1e3), Storage::RECOMPUTE);
  EXPECT_EQ(choose(1.0), Storage::RECOMPUTE);
  options_.check_gradients = true;
  EXPECT_EQ(choose(1.0), Storage::FLOAT);
  options_.linear_solver_type = DENSE_QR;
  EXPECT_EQ(choose(1.0), Storage::DOUBLE);

  EXPECT_EQ(BytesOfJacobian(structure, Storage::DOUBLE), 208e3);
  EXPECT_EQ(BytesOfJacobian(structure, Storage::FLOAT), 112e3);
  EXPECT_EQ(BytesOfJacobian(structure, Storage::RECOMPUTE), 0.0);
}

}  // namespace
}  // namespace ceres::internal
