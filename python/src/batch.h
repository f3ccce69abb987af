// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Residual blocks in batches: many rows with the same sizes, made by one call.

#ifndef VESTA_PYTHON_BATCH_H_
#define VESTA_PYTHON_BATCH_H_

#include <nanobind/nanobind.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "ceres/cost_function.h"
#include "ceres/evaluation_callback.h"
#include "ceres/residual_batch.h"
#include "common.h"

namespace vesta::python {

// Residual blocks of one kind. Row i depends on one row of each of several
// arrays of parameters. Problems that a CostBatch is added to share its rows.
struct CostBatch {
  std::shared_ptr<const ceres::ResidualBatch> rows;
  // What the rows refer to; lives as long as the problem.
  nanobind::object alive = nanobind::none();
  // `rows` if Python evaluates all of them at once, otherwise null.
  std::shared_ptr<class PythonBatch> python;
};

// Makes the cost function of a row.
using RowMaker = std::function<std::unique_ptr<ceres::CostFunction>(int64_t)>;

// Rows that Python evaluates at once.
//
// evaluate(residuals, jacobians) gets two bools that say what is wanted. It
// returns a pair: residuals of shape (num_rows, num_residuals) or None, and
// Jacobians, one per parameter block, of shape (num_rows, num_residuals, size),
// or None. Residuals may be returned together with Jacobians though they are
// not wanted: they replace those that are known. Any strides are allowed. The
// arrays must not change until the next call.
class PythonBatch final : public ceres::ResidualBatch {
 public:
  PythonBatch(nanobind::object evaluate, int64_t num_rows, int num_residuals,
              std::vector<int> sizes);

  // Rows of one residual each that depend on single numbers: row i on
  // starts[i + 1] - starts[i] ones. The Jacobians are one array of all entries.
  // These rows have no common sizes: they are evaluated by CopySparseRow.
  PythonBatch(nanobind::object evaluate, std::vector<int64_t> starts);

  // Calls Python if the values at this point are not known. Needs the GIL.
  void Prepare(bool jacobians, bool new_point);

  // Copies the values of rows, whatever their parameters are. Fails if they are
  // not known. Needs no GIL.
  int Evaluate(const ceres::BatchRows& rows,
               const ceres::BatchOutput& output) const override;
  bool CopySparseRow(int64_t row, double* residuals, double** jacobians) const;

  // The values of a row at `parameters` near the point, to first order in the
  // distance from it, where the row has the parameters `point`: differences of
  // Jacobians are right. Calls evaluate.moved_jacobians() at its first call for
  // a point: a pair of steps of shape (coordinates, num_rows), and for each
  // coordinate of the parameter blocks the Jacobians where all rows have moved
  // it by its step. May be called by several threads, and must be without the
  // GIL.
  bool CopyMovedRow(int64_t row, double const* const* parameters,
                    const std::vector<double*>& point, double* residuals,
                    double** jacobians) const;

  const nanobind::object& evaluate() const { return evaluate_; }
  // Empty unless the rows have no common sizes.
  const std::vector<int64_t>& starts() const { return starts_; }
  // Drops all references to Python objects.
  void Clear();

 private:
  std::vector<std::vector<int64_t>> JacobianShapes() const;
  void TakeResiduals(nanobind::handle value);
  void TakeJacobians(nanobind::handle value);
  std::vector<StridedArray> ReadJacobians(nanobind::handle value) const;

  struct Moved {
    StridedArray steps;
    std::vector<std::vector<StridedArray>> jacobians;
    nanobind::object alive;
  };
  const Moved& GetMoved() const;

  nanobind::object evaluate_;
  std::vector<int64_t> starts_;
  // Null data: not known at this point.
  StridedArray residuals_;
  std::vector<StridedArray> jacobians_;
  nanobind::object residual_object_;
  nanobind::object jacobian_objects_;
  // Locked without the GIL, which its owner may wait for.
  mutable std::mutex moved_mutex_;
  mutable std::optional<Moved> moved_;  // at this point
};

// Before an evaluation, calls the evaluation callback that the user has set for
// the problem, then all batches.
class BatchDispatcher final : public ceres::EvaluationCallback {
 public:
  // callback(evaluate_jacobians, new_evaluation_point), or None.
  void SetCallback(nanobind::object callback) {
    callback_ = std::move(callback);
  }
  const nanobind::object& callback() const { return callback_; }
  void Add(std::shared_ptr<PythonBatch> batch) {
    batches_.push_back(std::move(batch));
  }
  bool empty() const { return batches_.empty() && callback_.is_none(); }
  void PrepareForEvaluation(bool evaluate_jacobians,
                            bool new_evaluation_point) override;
  const std::vector<std::shared_ptr<PythonBatch>>& batches() const {
    return batches_;
  }
  // Drops all references to Python objects.
  void Clear();

 private:
  nanobind::object callback_ = nanobind::none();
  std::vector<std::shared_ptr<PythonBatch>> batches_;
};

}  // namespace vesta::python

#endif  // VESTA_PYTHON_BATCH_H_
