// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/minimizer/line_search/objective.h"

#include <utility>

namespace ceres::internal {
namespace {

class ProgramObjective final : public Objective {
 public:
  ProgramObjective(const Program& program, Evaluator* evaluator)
      : program_(program), evaluator_(*evaluator) {
    jacobian_.structure = &evaluator_.structure();
    jacobian_.values.Resize(jacobian_.structure->num_values());
  }

  int num_state() const override { return program_.num_state(); }
  int num_delta() const override { return program_.num_delta(); }

  const Program* program() const override { return &program_; }

  bool Plus(const double* x, const double* delta,
            double* x_plus_delta) const override {
    return program_.Plus(x, delta, x_plus_delta);
  }

  bool Evaluate(const double* x, bool is_new_point, double* cost,
                double* gradient, double* squared_column_norms,
                std::string* message) override {
    Evaluator::Result result =
        gradient == nullptr
            ? evaluator_.EvaluateCost(x, is_new_point, cost, nullptr)
            : evaluator_.EvaluateJacobian(x, is_new_point, cost, &jacobian_,
                                          gradient, squared_column_norms);
    *message = std::move(result.message);
    return result.ok;
  }

  void SetUserState(const double* x) override { program_.WriteUserMemory(x); }

 private:
  const Program& program_;
  Evaluator& evaluator_;
  BlockJacobian jacobian_;
};

}  // namespace

std::unique_ptr<Objective> CreateProgramObjective(const Program& program,
                                                  Evaluator* evaluator) {
  return std::make_unique<ProgramObjective>(program, evaluator);
}

}  // namespace ceres::internal
