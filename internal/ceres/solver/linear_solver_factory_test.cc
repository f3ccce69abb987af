// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/solver/linear_solver_factory.h"

#include <memory>
#include <numeric>
#include <typeinfo>
#include <utility>
#include <vector>

#include "Eigen/Core"
#include "ceres/linear/dense_qr_solver.h"
#include "ceres/linear/random_jacobian.h"
#include "ceres/normal/cgnr_solver.h"
#include "ceres/normal/dynamic_sparsity_solver.h"
#include "ceres/normal/normal_equations_solver.h"
#include "ceres/schur/random_schur_jacobian.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using Method = SchurSolverOptions::Method;

const std::type_info& KindOf(const std::unique_ptr<LinearSolver>& solver) {
  return typeid(*solver);
}

class LinearSolverFactoryTest : public testing::Test {
 protected:
  std::unique_ptr<LinearSolver> Create(LinearSolverType type,
                                       const RandomJacobian& problem,
                                       PreconditionerType preconditioner,
                                       const std::vector<int>& rows = {}) {
    LinearMethod method = MethodOf(type, preconditioner);
    method.subset_rows = rows;
    return CreateLinearSolver(method, {}, problem.structure,
                              /*workspace=*/nullptr);
  }
  LinearMethod MethodOf(LinearSolverType type,
                        PreconditionerType preconditioner = JACOBI,
                        bool has_eliminated = true) {
    options.linear_solver_type = type;
    options.preconditioner_type = preconditioner;
    return ChooseLinearMethod(options, has_eliminated);
  }

  // Solves with the damping of the problem, to all digits if iterative.
  LinearSolverSummary Solve(LinearSolver* solver, const RandomJacobian& problem,
                            Eigen::VectorXd* step) {
    LinearSolver::SolveOptions solve_options;
    solve_options.damping = problem.damping.data();
    solve_options.r_tolerance = 1e-14;
    step->setZero(problem.structure.num_columns());
    return solver->Solve(problem.jacobian, solve_options, step->data());
  }

  void ExpectStep(LinearSolver* solver, const RandomJacobian& problem) {
    Eigen::VectorXd step;
    const LinearSolverSummary summary = Solve(solver, problem, &step);
    EXPECT_EQ(summary.termination, LinearSolverTermination::kSuccess)
        << summary.message;
    const Eigen::VectorXd expected =
        DenseStep(problem.jacobian, problem.damping.data());
    EXPECT_LT((step - expected).norm(), 1e-8 * expected.norm());
  }

  Solver::Options options;
  const std::unique_ptr<RandomJacobian> plain = MakeTallRandomJacobian(1);
  const std::unique_ptr<RandomJacobian> points = MakeRandomSchurJacobian({});
};

TEST_F(LinearSolverFactoryTest, EveryTypeFindsTheStep) {
  for (const LinearSolverType type :
       {DENSE_QR, DENSE_NORMAL_CHOLESKY, SPARSE_NORMAL_CHOLESKY, CGNR,
        DENSE_SCHUR, SPARSE_SCHUR, ITERATIVE_SCHUR}) {
    SCOPED_TRACE(LinearSolverTypeToString(type));
    const RandomJacobian& problem = IsSchurType(type) ? *points : *plain;
    ExpectStep(Create(type, problem, JACOBI).get(), problem);
  }
}

TEST_F(LinearSolverFactoryTest, TypesHaveTheKindThatTheTableSays) {
  const BlockJacobianStructure& structure = plain->structure;
  const auto normal = [&](LinearSolverType type) {
    return MethodOf(type).system;
  };
  EXPECT_EQ(KindOf(Create(DENSE_QR, *plain, JACOBI)),
            KindOf(CreateDenseQrSolver(
                options.dense_linear_algebra_library_type, {}, structure)));
  EXPECT_EQ(KindOf(Create(CGNR, *plain, JACOBI)),
            KindOf(CreateCgnrSolver({}, {}, structure)));
  for (const LinearSolverType type :
       {DENSE_NORMAL_CHOLESKY, SPARSE_NORMAL_CHOLESKY}) {
    EXPECT_EQ(KindOf(Create(type, *plain, JACOBI)),
              KindOf(CreateNormalEquationsSolver(normal(type), {}, structure)));
  }
  for (const LinearSolverType type :
       {DENSE_SCHUR, SPARSE_SCHUR, ITERATIVE_SCHUR}) {
    EXPECT_EQ(KindOf(Create(type, *points, JACOBI)),
              KindOf(CreateSchurSolver(normal(type), {}, points->structure)));
  }
}

TEST_F(LinearSolverFactoryTest, DynamicSparsityIsForSparseNormalCholesky) {
  const std::unique_ptr<LinearSolver> dense =
      Create(DENSE_NORMAL_CHOLESKY, *plain, JACOBI);
  options.dynamic_sparsity = true;
  const std::unique_ptr<LinearSolver> dynamic =
      Create(SPARSE_NORMAL_CHOLESKY, *plain, JACOBI);
  EXPECT_EQ(KindOf(dynamic), KindOf(CreateDynamicSparsitySolver(
                                 MethodOf(SPARSE_NORMAL_CHOLESKY).system, {},
                                 plain->structure)));
  ExpectStep(dynamic.get(), *plain);
  EXPECT_EQ(KindOf(Create(DENSE_NORMAL_CHOLESKY, *plain, JACOBI)),
            KindOf(dense));
}

TEST_F(LinearSolverFactoryTest, IterativeTypesKeepToTheirIterations) {
  for (const auto& [type, problem] :
       {std::pair(CGNR, plain.get()),
        std::pair(ITERATIVE_SCHUR, points.get())}) {
    SCOPED_TRACE(LinearSolverTypeToString(type));
    options.max_linear_solver_iterations = 2;
    Eigen::VectorXd step;
    const std::unique_ptr<LinearSolver> solver =
        Create(type, *problem, IDENTITY);
    const LinearSolverSummary summary = Solve(solver.get(), *problem, &step);
    EXPECT_EQ(summary.termination, LinearSolverTermination::kNoConvergence);
    EXPECT_EQ(summary.num_iterations, 2);
  }
}

TEST_F(LinearSolverFactoryTest, TheSubsetOfAllRowsIsAPerfectPreconditioner) {
  std::vector<int> all_rows(plain->structure.num_row_blocks());
  std::iota(all_rows.begin(), all_rows.end(), 0);
  Eigen::VectorXd step;
  const std::unique_ptr<LinearSolver> subset =
      Create(CGNR, *plain, SUBSET, all_rows);
  const int with_subset = Solve(subset.get(), *plain, &step).num_iterations;
  EXPECT_LE(with_subset, 3);
  const std::unique_ptr<LinearSolver> jacobi = Create(CGNR, *plain, JACOBI);
  EXPECT_LT(with_subset, Solve(jacobi.get(), *plain, &step).num_iterations);
}

TEST_F(LinearSolverFactoryTest, NormalEquationsAreSolvedByTheMethodOfTheType) {
  const auto method = [&](LinearSolverType type) {
    return MethodOf(type).system.method;
  };
  EXPECT_EQ(method(DENSE_NORMAL_CHOLESKY), Method::kDense);
  EXPECT_EQ(method(DENSE_SCHUR), Method::kDense);
  EXPECT_EQ(method(SPARSE_NORMAL_CHOLESKY), Method::kSparse);
  EXPECT_EQ(method(SPARSE_SCHUR), Method::kSparse);
  EXPECT_EQ(method(ITERATIVE_SCHUR), Method::kIterative);
}

TEST_F(LinearSolverFactoryTest, OptionsReachTheNormalEquations) {
  options.dense_linear_algebra_library_type = LAPACK;
  options.sparse_linear_algebra_library_type = EIGEN_SPARSE;
  options.linear_solver_ordering_type = NESDIS;
  options.use_mixed_precision_solves = true;
  options.max_num_refinement_iterations = 3;
  options.visibility_clustering_type = SINGLE_LINKAGE;
  options.max_num_spse_iterations = 7;
  options.use_spse_initialization = true;
  options.spse_tolerance = 0.25;
  options.use_explicit_schur_complement = true;
  options.eta = 0.125;
  options.min_linear_solver_iterations = 4;
  options.max_linear_solver_iterations = 9;
  const SchurSolverOptions normal =
      MethodOf(ITERATIVE_SCHUR, CLUSTER_JACOBI).system;
  EXPECT_EQ(normal.dense_library, LAPACK);
  EXPECT_EQ(normal.sparse.library, EIGEN_SPARSE);
  EXPECT_EQ(normal.sparse.ordering, NESDIS);
  EXPECT_TRUE(normal.sparse.single_precision);
  EXPECT_EQ(normal.sparse.num_refinement_iterations, 3);
  EXPECT_TRUE(normal.mixed_precision);
  EXPECT_EQ(normal.max_num_refinement_iterations, 3);
  EXPECT_EQ(normal.preconditioner, CLUSTER_JACOBI);
  EXPECT_EQ(normal.visibility_clustering, SINGLE_LINKAGE);
  EXPECT_EQ(normal.max_num_spse_iterations, 7);
  EXPECT_TRUE(normal.use_spse_initialization);
  EXPECT_EQ(normal.spse_tolerance, 0.25);
  EXPECT_TRUE(normal.explicit_schur_complement);
  EXPECT_EQ(normal.expected_q_tolerance, 0.125);
  EXPECT_EQ(normal.min_iterations, 4);
  EXPECT_EQ(normal.max_iterations, 9);
}

TEST(FactorsInSinglePrecision, NotWhatSuiteSparseFactors) {
  Solver::Options options;
  for (const SparseLinearAlgebraLibraryType library :
       {SUITE_SPARSE, EIGEN_SPARSE, NATIVE_SPARSE}) {
    options.sparse_linear_algebra_library_type = library;
    for (const LinearSolverType type : {SPARSE_SCHUR, SPARSE_NORMAL_CHOLESKY,
                                        DENSE_SCHUR, DENSE_NORMAL_CHOLESKY}) {
      options.linear_solver_type = type;
      options.use_mixed_precision_solves = false;
      EXPECT_FALSE(FactorsInSinglePrecision(options));
      options.use_mixed_precision_solves = true;
      const bool is_dense =
          type == DENSE_SCHUR || type == DENSE_NORMAL_CHOLESKY;
      EXPECT_EQ(FactorsInSinglePrecision(options),
                is_dense || library != SUITE_SPARSE);
      EXPECT_EQ(
          ChooseLinearMethod(options, true).system.sparse.single_precision,
          FactorsInSinglePrecision(options));
    }
  }
}

TEST_F(LinearSolverFactoryTest, WithoutEliminationAnotherTypeTakesThePlace) {
  EXPECT_EQ(MethodOf(SPARSE_SCHUR, JACOBI, false).type, SPARSE_NORMAL_CHOLESKY);
  EXPECT_EQ(MethodOf(DENSE_SCHUR, JACOBI, false).type, DENSE_QR);
  for (const PreconditionerType type :
       {SCHUR_JACOBI, CLUSTER_JACOBI, SCHUR_POWER_SERIES_EXPANSION, JACOBI,
        IDENTITY}) {
    const LinearMethod method = MethodOf(ITERATIVE_SCHUR, type, false);
    EXPECT_EQ(method.type, CGNR);
    EXPECT_EQ(method.system.preconditioner,
              type == IDENTITY ? IDENTITY : JACOBI);
  }
}

TEST_F(LinearSolverFactoryTest, WithoutEliminationOtherTypesStay) {
  for (const LinearSolverType type :
       {DENSE_QR, DENSE_NORMAL_CHOLESKY, SPARSE_NORMAL_CHOLESKY, CGNR}) {
    const LinearMethod method = MethodOf(type, SUBSET, false);
    EXPECT_EQ(method.type, type);
    EXPECT_EQ(method.system.preconditioner, SUBSET);
  }
}

TEST_F(LinearSolverFactoryTest, FactorizationsMergeColumns) {
  for (const LinearSolverType type : {DENSE_NORMAL_CHOLESKY, DENSE_SCHUR,
                                      SPARSE_NORMAL_CHOLESKY, SPARSE_SCHUR}) {
    EXPECT_GT(MethodOf(type).max_merged_size, 1 << 20);
  }
  for (const LinearSolverType type : {DENSE_QR, CGNR}) {
    EXPECT_EQ(MethodOf(type).max_merged_size, 0);
  }
  // A camera is one block, and a preconditioner's blocks stay small.
  EXPECT_GE(MethodOf(ITERATIVE_SCHUR).max_merged_size, 10);
  EXPECT_LE(MethodOf(ITERATIVE_SCHUR).max_merged_size, 32);
  options.dynamic_sparsity = true;
  EXPECT_EQ(MethodOf(SPARSE_NORMAL_CHOLESKY).max_merged_size, 0);
}

TEST_F(LinearSolverFactoryTest, SparseFactorizationsHaveAnEliminationOrder) {
  for (const LinearSolverType type :
       {DENSE_QR, DENSE_NORMAL_CHOLESKY, SPARSE_NORMAL_CHOLESKY, CGNR,
        DENSE_SCHUR, SPARSE_SCHUR, ITERATIVE_SCHUR}) {
    EXPECT_EQ(MethodOf(type).has_elimination_order,
              type == SPARSE_NORMAL_CHOLESKY || type == SPARSE_SCHUR);
  }
  EXPECT_TRUE(MethodOf(SPARSE_SCHUR, JACOBI, false).has_elimination_order);
  options.dynamic_sparsity = true;
  EXPECT_FALSE(MethodOf(SPARSE_NORMAL_CHOLESKY).has_elimination_order);
}

}  // namespace
}  // namespace ceres::internal
