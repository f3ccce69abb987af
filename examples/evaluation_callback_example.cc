// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// The fit of curve_fitting.cc for a model that is cheaper to evaluate for all
// samples at once, as a simulation or a GPU is. Before the solver calls cost
// functions at a point, it calls an EvaluationCallback: this one fills a table,
// from which the cost functions then copy their rows.
//
// Prints: m = 0.295232, c = 0.123594
// Prints: The table was filled

#include <cmath>
#include <cstddef>
#include <iostream>
#include <vector>

#include "ceres/ceres.h"
#include "curve_fitting_data.h"

namespace {

using ceres::examples::kCurveSamples;
using ceres::examples::kNumCurveSamples;

// The parameters of the curve y = exp(m x + c).
struct Curve {
  double m = 0.0;
  double c = 0.0;
};

// The residual of one cost function and its derivatives.
struct Row {
  double residual;
  double by_m;
  double by_c;
};

class Table final : public ceres::EvaluationCallback {
 public:
  // The solver writes each point into *curve.
  explicit Table(const Curve* curve)
      : curve_(*curve), rows_(kNumCurveSamples) {}

  // The same point may come twice, for residuals and then for Jacobians.
  void PrepareForEvaluation(bool evaluate_jacobians,
                            bool new_evaluation_point) override {
    if (new_evaluation_point) content_ = kNothing;
    const Content wanted = evaluate_jacobians ? kDerivatives : kResiduals;
    if (content_ >= wanted) return;
    for (int i = 0; i < kNumCurveSamples; ++i) {
      Fill(kCurveSamples[i], evaluate_jacobians, &rows_[i]);
    }
    content_ = wanted;
    ++num_fills_;
  }

  const Row* row(int i) const { return &rows_[i]; }
  int num_fills() const { return num_fills_; }

 private:
  enum Content { kNothing, kResiduals, kDerivatives };

  void Fill(const ceres::examples::Sample& sample, bool with_derivatives,
            Row* row) const {
    const double y = std::exp(curve_.m * sample.x + curve_.c);
    row->residual = sample.y - y;
    if (with_derivatives) {
      row->by_c = -y;
      row->by_m = -y * sample.x;
    }
  }

  const Curve& curve_;
  std::vector<Row> rows_;
  Content content_ = kNothing;
  int num_fills_ = 0;
};

// The parameters are those of the table, so this need not look at them.
class CopyOfRow final : public ceres::SizedCostFunction<1, 1, 1> {
 public:
  explicit CopyOfRow(const Row* row) : row_(row) {}

  bool Evaluate(double const* const* /*blocks*/, double* residual,
                double** derivatives) const override {
    *residual = row_->residual;
    const double by_block[] = {row_->by_m, row_->by_c};
    for (int i = 0; derivatives != nullptr && i < 2; ++i) {
      if (derivatives[i] != nullptr) *derivatives[i] = by_block[i];
    }
    return true;
  }

 private:
  const Row* row_;
};

}  // namespace

int main() {
  Curve curve;
  Table table(&curve);
  ceres::Problem::Options with_table;
  with_table.evaluation_callback = &table;
  ceres::Problem problem(with_table);
  for (int i = 0; i < kNumCurveSamples; ++i) {
    problem.AddResidualBlock(new CopyOfRow(table.row(i)), nullptr, &curve.m,
                             &curve.c);
  }

  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_QR;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);

  std::cout << summary.BriefReport() << "\n"
            << "m = " << curve.m << ", c = " << curve.c << "\n"
            << "The table was filled " << table.num_fills() << " times for "
            << summary.num_residual_evaluations << " evaluations of residuals, "
            << summary.num_jacobian_evaluations << " of Jacobians.\n";
  return summary.IsSolutionUsable() ? 0 : 1;
}
