// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/c_api.h"

#include <iostream>
#include <vector>

#include "ceres/cost_function.h"
#include "ceres/loss_function.h"
#include "ceres/problem.h"
#include "ceres/solver.h"
#include "ceres/types.h"
#include "glog/logging.h"

// What the handles of C point to.
struct ceres_problem_s {
  ceres::Problem problem;
};

namespace ceres::internal {
namespace {

class CallbackCostFunction final : public CostFunction {
 public:
  CallbackCostFunction(ceres_cost_function_t function, void* user_data,
                       int num_residuals, int num_parameter_blocks,
                       const int* parameter_block_sizes)
      : function_(function), user_data_(user_data) {
    set_num_residuals(num_residuals);
    mutable_parameter_block_sizes()->assign(
        parameter_block_sizes, parameter_block_sizes + num_parameter_blocks);
  }

  bool Evaluate(double const* const* parameters, double* residuals,
                double** jacobians) const override {
    // C has no way to convert double** to const double* const*.
    return function_(user_data_, const_cast<double**>(parameters), residuals,
                     jacobians) != 0;
  }

 private:
  ceres_cost_function_t function_;
  void* user_data_;
};

class CallbackLossFunction final : public LossFunction {
 public:
  CallbackLossFunction(ceres_loss_function_t function, void* user_data)
      : function_(function), user_data_(user_data) {}

  void Evaluate(double squared_norm, double out[3]) const override {
    function_(user_data_, squared_norm, out);
  }

 private:
  ceres_loss_function_t function_;
  void* user_data_;
};

// The data of stock loss functions goes through void*, which gives back only
// the type that it was made from.
void* AsData(LossFunction* loss_function) { return loss_function; }

LossFunction* AsLossFunction(void* data) {
  return static_cast<LossFunction*>(data);
}

}  // namespace
}  // namespace ceres::internal

using ceres::internal::AsData;
using ceres::internal::AsLossFunction;

void ceres_init() {
  if (!google::IsGoogleLoggingInitialized()) {
    google::InitGoogleLogging("ceres");
  }
}

void* ceres_create_huber_loss_function_data(double a) {
  return AsData(new ceres::HuberLoss(a));
}

void* ceres_create_softl1_loss_function_data(double a) {
  return AsData(new ceres::SoftLOneLoss(a));
}

void* ceres_create_cauchy_loss_function_data(double a) {
  return AsData(new ceres::CauchyLoss(a));
}

void* ceres_create_arctan_loss_function_data(double a) {
  return AsData(new ceres::ArctanLoss(a));
}

void* ceres_create_tolerant_loss_function_data(double a, double b) {
  return AsData(new ceres::TolerantLoss(a, b));
}

void ceres_free_stock_loss_function_data(void* loss_function_data) {
  delete AsLossFunction(loss_function_data);
}

void ceres_stock_loss_function(void* user_data, double squared_norm,
                               double out[3]) {
  CHECK(user_data != nullptr)
      << "ceres_stock_loss_function needs the data that one of "
         "ceres_create_..._loss_function_data has made";
  AsLossFunction(user_data)->Evaluate(squared_norm, out);
}

ceres_problem_t* ceres_create_problem() { return new ceres_problem_s; }

void ceres_free_problem(ceres_problem_t* problem) { delete problem; }

ceres_residual_block_id_t* ceres_problem_add_residual_block(
    ceres_problem_t* problem, ceres_cost_function_t cost_function,
    void* cost_function_data, ceres_loss_function_t loss_function,
    void* loss_function_data, int num_residuals, int num_parameter_blocks,
    int* parameter_block_sizes, double** parameters) {
  CHECK(problem != nullptr) << "The problem must not be null";
  CHECK(cost_function != nullptr) << "The cost function must not be null";
  CHECK_GT(num_residuals, 0) << "A residual block needs residuals";
  CHECK_GT(num_parameter_blocks, 0)
      << "A residual block needs parameter blocks";
  CHECK(parameter_block_sizes != nullptr)
      << "The sizes of the parameter blocks must not be null";
  CHECK(parameters != nullptr) << "The parameter blocks must not be null";
  ceres::ResidualBlockId id = problem->problem.AddResidualBlock(
      new ceres::internal::CallbackCostFunction(
          cost_function, cost_function_data, num_residuals,
          num_parameter_blocks, parameter_block_sizes),
      loss_function == nullptr ? nullptr
                               : new ceres::internal::CallbackLossFunction(
                                     loss_function, loss_function_data),
      std::vector<double*>(parameters, parameters + num_parameter_blocks));
  return reinterpret_cast<ceres_residual_block_id_t*>(id);
}

void ceres_solve(ceres_problem_t* problem) {
  CHECK(problem != nullptr) << "The problem must not be null";
  ceres::Solver::Options options;
  options.max_num_iterations = 100;
  options.linear_solver_type = ceres::DENSE_QR;
  options.minimizer_progress_to_stdout = true;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem->problem, &summary);
  std::cout << summary.FullReport() << std::endl;
}
