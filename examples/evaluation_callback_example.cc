// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// curve_fitting for models that are cheaper all at once: an EvaluationCallback
// computes the residuals and derivatives of every sample before the solver asks
// for any, and the cost functions only copy them. A simulation that yields all
// of its observations in one run, or a GPU, is used like this.
//
// Prints: Final   m: 0.295232 c: 0.123594

#include <cmath>
#include <cstddef>
#include <iostream>
#include <iterator>
#include <vector>

#include "ceres/ceres.h"
#include "curve_fitting_data.h"
#include "glog/logging.h"

namespace {

using ceres::examples::kCurveSamples;
using ceres::examples::Sample;

// residual_i = y_i - exp(m x_i + c) of all samples.
class CurveEvaluator final : public ceres::EvaluationCallback {
 public:
  struct Row {
    double residual;
    double by_m;
    double by_c;
  };

  // The parameters are read at each evaluation and must outlive the evaluator.
  CurveEvaluator(const double* m, const double* c)
      : m_(m), c_(c), rows_(std::size(kCurveSamples)) {}

  // The solver has written the point into m and c, and calls no cost function
  // before this returns.
  void PrepareForEvaluation(bool evaluate_jacobians,
                            bool new_evaluation_point) override {
    if (!new_evaluation_point && (have_jacobians_ || !evaluate_jacobians)) {
      return;
    }
    for (size_t i = 0; i < rows_.size(); ++i) {
      const Sample& sample = kCurveSamples[i];
      const double prediction = std::exp(*m_ * sample.x + *c_);
      rows_[i].residual = sample.y - prediction;
      if (!evaluate_jacobians) continue;
      rows_[i].by_m = -sample.x * prediction;
      rows_[i].by_c = -prediction;
    }
    have_jacobians_ = evaluate_jacobians;
    ++num_sweeps_;
  }

  const Row& row(size_t i) const { return rows_[i]; }
  size_t num_rows() const { return rows_.size(); }
  int num_sweeps() const { return num_sweeps_; }

 private:
  const double* m_;
  const double* c_;
  std::vector<Row> rows_;
  bool have_jacobians_ = false;
  int num_sweeps_ = 0;
};

// Copies row i of the evaluator, which must outlive it.
class CopiedResidual final : public ceres::SizedCostFunction<1, 1, 1> {
 public:
  CopiedResidual(const CurveEvaluator* evaluator, size_t i)
      : evaluator_(evaluator), i_(i) {}

  bool Evaluate(double const* const* /*parameters*/, double* residuals,
                double** jacobians) const override {
    const CurveEvaluator::Row& row = evaluator_->row(i_);
    residuals[0] = row.residual;
    if (jacobians == nullptr) return true;
    if (jacobians[0] != nullptr) jacobians[0][0] = row.by_m;
    if (jacobians[1] != nullptr) jacobians[1][0] = row.by_c;
    return true;
  }

 private:
  const CurveEvaluator* evaluator_;
  size_t i_;
};

}  // namespace

int main(int /*argc*/, char** argv) {
  google::InitGoogleLogging(argv[0]);

  double m = 0.0;
  double c = 0.0;
  CurveEvaluator evaluator(&m, &c);
  ceres::Problem::Options problem_options;
  problem_options.evaluation_callback = &evaluator;
  ceres::Problem problem(problem_options);
  for (size_t i = 0; i < evaluator.num_rows(); ++i) {
    problem.AddResidualBlock(new CopiedResidual(&evaluator, i), nullptr, &m,
                             &c);
  }

  ceres::Solver::Options options;
  options.max_num_iterations = 25;
  options.linear_solver_type = ceres::DENSE_QR;
  options.minimizer_progress_to_stdout = true;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);

  std::cout << summary.BriefReport() << "\n";
  std::cout << "Sweeps over the samples: " << evaluator.num_sweeps() << "\n";
  std::cout << "Final   m: " << m << " c: " << c << "\n";
  return summary.IsSolutionUsable() ? 0 : 1;
}
