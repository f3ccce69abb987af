// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/c_api.h"

#include <iostream>
#include <memory>
#include <vector>

#include "ceres/cost_function.h"
#include "ceres/logging/logging.h"
#include "ceres/loss_function.h"
#include "ceres/problem.h"
#include "ceres/solver.h"
#include "ceres/types.h"

// The type of a problem in C.
struct ceres_problem_s final : ceres::Problem {};

namespace {

// A C function, and the user data that it is called with.
template <typename Function>
struct Closure {
  Function call;
  void* data;
};

class CostOfC final : public ceres::CostFunction {
 public:
  CostOfC(Closure<ceres_cost_function_t> closure, int num_residuals,
          const int* first_size, const int* last_size)
      : closure_(closure) {
    mutable_parameter_block_sizes()->assign(first_size, last_size);
    set_num_residuals(num_residuals);
  }

  bool Evaluate(double const* const* x, double* values,
                double** derivatives) const override {
    // The contract of c_api.h forbids writes, which C cannot express here.
    auto** writable_x = const_cast<double**>(x);
    return closure_.call(closure_.data, writable_x, values, derivatives) != 0;
  }

 private:
  const Closure<ceres_cost_function_t> closure_;
};

class LossOfC final : public ceres::LossFunction {
 public:
  explicit LossOfC(Closure<ceres_loss_function_t> closure)
      : closure_(closure) {}

  void Evaluate(double s, double rho[3]) const override {
    closure_.call(closure_.data, s, rho);
  }

 private:
  const Closure<ceres_loss_function_t> closure_;
};

// The handle of a loss function of the library is a pointer to the base class,
// because a void* must be converted to the type that it was created from.
template <typename Loss, typename... Scales>
void* NewStockLoss(Scales... scales) {
  ceres::LossFunction* base = new Loss(scales...);
  return base;
}

ceres::LossFunction* StockLoss(void* handle) {
  return static_cast<ceres::LossFunction*>(handle);
}

}  // namespace

void ceres_init() {}

ceres_problem_t* ceres_create_problem() {
  return std::make_unique<ceres_problem_s>().release();
}

void ceres_free_problem(ceres_problem_t* problem) { delete problem; }

void ceres_solve(ceres_problem_t* problem) {
  VESTA_CHECK(problem != nullptr) << "The problem must not be null";
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_QR;
  options.max_num_iterations = 100;
  options.minimizer_progress_to_stdout = true;
  ceres::Solver::Summary summary;
  ceres::Solve(options, problem, &summary);
  std::cout << summary.FullReport() << std::endl;
}

ceres_residual_block_id_t* ceres_problem_add_residual_block(
    ceres_problem_t* problem, ceres_cost_function_t cost_function,
    void* cost_function_data, ceres_loss_function_t loss_function,
    void* loss_function_data, int num_residuals, int num_parameter_blocks,
    int* parameter_block_sizes, double** parameters) {
  VESTA_CHECK(problem != nullptr) << "The problem must not be null";
  VESTA_CHECK(cost_function != nullptr) << "The cost function must not be null";
  VESTA_CHECK_GT(num_residuals, 0) << "A residual block needs residuals";
  VESTA_CHECK_GT(num_parameter_blocks, 0)
      << "A residual block needs parameter blocks";
  VESTA_CHECK(parameter_block_sizes != nullptr)
      << "The sizes of the parameter blocks must not be null";
  VESTA_CHECK(parameters != nullptr) << "The parameter blocks must not be null";
  const std::vector<double*> blocks(parameters,
                                    parameters + num_parameter_blocks);
  auto cost = std::make_unique<CostOfC>(
      Closure<ceres_cost_function_t>{cost_function, cost_function_data},
      num_residuals, parameter_block_sizes,
      parameter_block_sizes + num_parameter_blocks);
  std::unique_ptr<LossOfC> loss;
  if (loss_function != nullptr) {
    loss = std::make_unique<LossOfC>(
        Closure<ceres_loss_function_t>{loss_function, loss_function_data});
  }
  // The problem takes both.
  return reinterpret_cast<ceres_residual_block_id_t*>(
      problem->AddResidualBlock(cost.release(), loss.release(), blocks));
}

void ceres_stock_loss_function(void* user_data, double squared_norm,
                               double out[3]) {
  VESTA_CHECK(user_data != nullptr)
      << "ceres_stock_loss_function needs the data that one of "
         "ceres_create_..._loss_function_data has made";
  StockLoss(user_data)->Evaluate(squared_norm, out);
}

void ceres_free_stock_loss_function_data(void* loss_function_data) {
  delete StockLoss(loss_function_data);
}

void* ceres_create_arctan_loss_function_data(double a) {
  return NewStockLoss<ceres::ArctanLoss>(a);
}

void* ceres_create_cauchy_loss_function_data(double a) {
  return NewStockLoss<ceres::CauchyLoss>(a);
}

void* ceres_create_huber_loss_function_data(double a) {
  return NewStockLoss<ceres::HuberLoss>(a);
}

void* ceres_create_softl1_loss_function_data(double a) {
  return NewStockLoss<ceres::SoftLOneLoss>(a);
}

void* ceres_create_tolerant_loss_function_data(double a, double b) {
  return NewStockLoss<ceres::TolerantLoss>(a, b);
}
