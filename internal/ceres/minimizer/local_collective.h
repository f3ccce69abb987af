// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MINIMIZER_LOCAL_COLLECTIVE_H_
#define CERES_INTERNAL_MINIMIZER_LOCAL_COLLECTIVE_H_

#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "ceres/evaluation/evaluator.h"
#include "ceres/linear/block_jacobian.h"
#include "ceres/linear/column_sums.h"
#include "ceres/linear/vector_ops.h"
#include "ceres/minimizer/collective.h"
#include "ceres/minimizer/minimizer_options.h"
#include "ceres/problem/program.h"

namespace ceres::internal {

// Whether the program has neither bounds nor manifolds.
bool IsEuclidean(const Program& program);

// The collective of one process, which has the whole problem.
class LocalCollective final : public Collective {
 public:
  // jacobian: where EvaluateJacobian writes. Null arguments are those that no
  // function called later needs. All arguments must outlive this.
  LocalCollective(const MinimizerSetup& setup, const Program* program,
                  Evaluator* evaluator, BlockJacobian* jacobian)
      : setup_(setup),
        program_(program),
        evaluator_(evaluator),
        jacobian_(jacobian) {}

  bool has_bounds() const override { return program_->has_bounds(); }
  bool is_euclidean() const override { return IsEuclidean(*program_); }

  Evaluator::Result EvaluateCost(const double* state, double* cost) override {
    return evaluator_->EvaluateCost(state, true, cost, nullptr);
  }
  Evaluator::Result EvaluateJacobian(const double* state,
                                     bool new_evaluation_point, double* cost,
                                     double* gradient,
                                     double* squared_column_norms) override {
    return evaluator_->EvaluateJacobian(state, new_evaluation_point, cost,
                                        jacobian_, gradient,
                                        squared_column_norms);
  }

  double NormOfPoint(const double* x) override {
    return Norm(setup_.execution, program_->num_state(), x);
  }
  double Distance(const double* x, const double* y,
                  double* difference) override;
  double NormOfStep(const double* x) override {
    return Norm(setup_.execution, num_columns(), x);
  }
  double DotOfSteps(const double* x, const double* y) override {
    return Dot(setup_.execution, num_columns(), x, y);
  }
  double NormOfProduct(const double* x) override {
    return Norm(setup_.execution, num_rows(), Product(x, &product_[0]));
  }
  std::array<double, 3> DotsOfProducts(const double* x,
                                       const double* y) override;
  double ModelCostChange(const double* step) override {
    return internal::ModelCostChange(setup_.execution, *jacobian_, step);
  }

  double Largest(double value) override { return value; }
  bool All(bool value) override { return value; }
  std::optional<Termination> Agree(
      const std::function<std::optional<Termination>()>& local) override {
    return local();
  }
  Termination DescribeStop(int iteration) override;

 private:
  int num_columns() const { return jacobian_->structure->num_columns(); }
  int num_rows() const { return jacobian_->structure->num_rows(); }
  // Computes J x in `product`, and returns its values.
  const double* Product(const double* x, std::vector<double>* product) const;

  const MinimizerSetup& setup_;
  const Program* const program_;
  Evaluator* const evaluator_;
  BlockJacobian* const jacobian_;
  std::vector<double> product_[2];
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MINIMIZER_LOCAL_COLLECTIVE_H_
