// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Batches of cost functions that the user gives: a Python function of all
// rows, or a pointer to compiled code.

#include "batch_costs.h"

#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>

#include "batch.h"
#include "common.h"

namespace vesta::python {
namespace {

using ceres::CostFunction;

// For ShareRows.
class SharedRows final : public ceres::ResidualBatch {
 public:
  explicit SharedRows(std::shared_ptr<const ceres::ResidualBatch> rows)
      : ResidualBatch(rows->num_rows(), rows->num_residuals(),
                      rows->parameter_block_sizes()),
        rows_(std::move(rows)) {}
  int Evaluate(const ceres::BatchRows& rows,
               const ceres::BatchOutput& output) const override {
    return rows_->Evaluate(rows, output);
  }

 private:
  const std::shared_ptr<const ceres::ResidualBatch> rows_;
};

// A row of a batch.
class RowCost : public CostFunction {
 public:
  RowCost(std::shared_ptr<const ceres::ResidualBatch> rows, int64_t row)
      : rows_(std::move(rows)), row_(row) {
    set_num_residuals(rows_->num_residuals());
    *mutable_parameter_block_sizes() = rows_->parameter_block_sizes();
  }
  bool Evaluate(double const* const* parameters, double* residuals,
                double** jacobians) const override {
    return rows_->Evaluate({1, &row_, parameters},
                           {residuals, jacobians, /*stride=*/0}) == 1;
  }

 private:
  const std::shared_ptr<const ceres::ResidualBatch> rows_;
  const int64_t row_;
};

// A row of a PythonBatch that has values where the parameters are not those of
// the point.
class MovableRow final : public RowCost {
 public:
  MovableRow(std::shared_ptr<const PythonBatch> batch, int64_t row,
             std::vector<double*> point)
      : RowCost(batch, row),
        batch_(std::move(batch)),
        row_(row),
        point_(std::move(point)) {}
  bool Evaluate(double const* const* parameters, double* residuals,
                double** jacobians) const override {
    // The evaluation callback of a batch makes the solver write the point to
    // the user's memory.
    bool is_point = true;
    for (size_t b = 0; b < point_.size(); ++b) {
      is_point =
          is_point &&
          std::equal(parameters[b], parameters[b] + parameter_block_sizes()[b],
                     point_[b]);
    }
    return is_point ? RowCost::Evaluate(parameters, residuals, jacobians)
                    : batch_->CopyMovedRow(row_, parameters, point_, residuals,
                                           jacobians);
  }

 private:
  const std::shared_ptr<const PythonBatch> batch_;
  const int64_t row_;
  const std::vector<double*> point_;
};

// Sizes that many cost functions share.
class RowSizes {
 public:
  explicit RowSizes(int64_t num_numbers) {
    sizes_.num_residuals = 1;
    sizes_.parameter_blocks.assign(static_cast<size_t>(num_numbers), 1);
    sizes_.is_shared = true;
  }
  const ceres::internal::CostFunctionSizes* get() const { return &sizes_; }

 private:
  ceres::internal::CostFunctionSizes sizes_;
};

// Copies the values of one row of a sparse PythonBatch, which outlives it.
class SparseRow final : public CostFunction {
 public:
  SparseRow(const PythonBatch* batch, const RowSizes& sizes, int64_t row)
      : CostFunction(sizes.get()), batch_(batch), row_(row) {}
  bool Evaluate(double const* const* /*parameters*/, double* residuals,
                double** jacobians) const override {
    return batch_->CopySparseRow(row_, residuals, jacobians);
  }

 private:
  const PythonBatch* batch_;
  int64_t row_;
};

// The C signature of compiled cost functions:
//
//   parameters      the values of all parameter blocks, one after the other
//   data            the row of the data array
//   residuals       to write
//   jacobian        to write if want_jacobian is not 0: row-major, one row per
//                   residual, one column per parameter
//
// The result 0 says that the function cannot be evaluated.
using CompiledFunction = int32_t (*)(const double* parameters,
                                     const double* data, double* residuals,
                                     double* jacobian, int32_t want_jacobian);

class CompiledRows final : public ceres::ResidualBatch {
 public:
  CompiledRows(CompiledFunction function, bool has_jacobian,
               const DoubleArray& data, int num_residuals,
               std::vector<int> sizes)
      : ResidualBatch(data.num_rows(), num_residuals, std::move(sizes)),
        function_(function),
        has_jacobian_(has_jacobian),
        data_(data.data),
        data_size_(data.row_size()) {
    for (const int size : parameter_block_sizes()) num_parameters_ += size;
  }

  int Evaluate(const ceres::BatchRows& rows,
               const ceres::BatchOutput& output) const override {
    const auto num_blocks =
        static_cast<int64_t>(parameter_block_sizes().size());
    const int n = num_parameters_;
    const int m = num_residuals();
    // The memory of a thread; a compiled function does not call the solver.
    static thread_local std::vector<double> memory;
    memory.resize(static_cast<size_t>(n + n * m + 2 * m));
    for (int i = 0; i < rows.count; ++i) {
      double* at = memory.data();
      for (int64_t b = 0; b < num_blocks; ++b) {
        at = std::copy_n(rows.parameters[i * num_blocks + b],
                         parameter_block_sizes()[static_cast<size_t>(b)], at);
      }
      if (!EvaluateRow(data_ + rows.rows[i] * data_size_, memory.data(),
                       i * output.stride, output)) {
        return i;
      }
    }
    return rows.count;
  }

 private:
  // x: the parameters, and behind them memory for a Jacobian and two residuals.
  bool EvaluateRow(const double* data, double* x, int64_t offset,
                   const ceres::BatchOutput& output) const {
    double* const jacobian = x + num_parameters_;
    double* const scratch = jacobian + num_parameters_ * num_residuals();
    const bool want = output.jacobians != nullptr;
    const bool analytic = want && has_jacobian_;
    if (function_(x, data, output.residuals + offset, jacobian,
                  analytic ? 1 : 0) == 0) {
      return false;
    }
    if (!want) return true;
    if (!analytic && !Differentiate(data, x, jacobian, scratch)) return false;
    Scatter(jacobian, offset, output);
    return true;
  }

  // Central differences with the step that balances rounding and truncation,
  // the third root of the precision.
  bool Differentiate(const double* data, double* x, double* jacobian,
                     double* scratch) const {
    const int n = num_parameters_;
    const int m = num_residuals();
    double* const above = scratch;
    double* const below = scratch + m;
    for (int c = 0; c < n; ++c) {
      const double value = x[c];
      const double step =
          6.0554544523933395e-06 * std::max(1.0, std::abs(value));
      x[c] = value + step;
      const double upper = x[c];
      if (function_(x, data, above, nullptr, 0) == 0) return false;
      x[c] = value - step;
      const double width = upper - x[c];
      if (function_(x, data, below, nullptr, 0) == 0) return false;
      x[c] = value;
      for (int r = 0; r < m; ++r) {
        jacobian[r * n + c] = (above[r] - below[r]) / width;
      }
    }
    return true;
  }

  void Scatter(const double* jacobian, int64_t offset,
               const ceres::BatchOutput& output) const {
    int column = 0;
    for (size_t b = 0; b < parameter_block_sizes().size(); ++b) {
      const int size = parameter_block_sizes()[b];
      for (int r = 0; output.jacobians[b] != nullptr && r < num_residuals();
           ++r) {
        std::copy_n(jacobian + r * num_parameters_ + column, size,
                    output.jacobians[b] + offset + r * size);
      }
      column += size;
    }
  }

  const CompiledFunction function_;
  const bool has_jacobian_;
  const double* const data_;
  const int64_t data_size_;
  int num_parameters_ = 0;
};

}  // namespace

std::shared_ptr<CostBatch> MakePythonBatch(nb::object evaluate,
                                           int64_t num_rows, int num_residuals,
                                           std::vector<int> sizes) {
  auto batch = std::make_shared<CostBatch>();
  batch->python = std::make_shared<PythonBatch>(
      std::move(evaluate), num_rows, num_residuals, std::move(sizes));
  batch->rows = batch->python;
  return batch;
}

std::shared_ptr<CostBatch> MakeCompiledBatch(uintptr_t address,
                                             int num_residuals,
                                             std::vector<int> sizes,
                                             nb::object data, bool has_jacobian,
                                             nb::object alive) {
  if (address == 0) RaiseValueError("function: the address is 0.");
  if (num_residuals < 1) {
    RaiseValueError("num_residuals: expected a number > 0, got " +
                    std::to_string(num_residuals) + ".");
  }
  auto batch = std::make_shared<CostBatch>();
  batch->rows = std::make_shared<CompiledRows>(
      reinterpret_cast<CompiledFunction>(address), has_jacobian,
      ReadableArray(data, "data"), num_residuals, std::move(sizes));
  batch->alive = nb::make_tuple(data, alive);
  return batch;
}

std::unique_ptr<ceres::ResidualBatch> ShareRows(
    std::shared_ptr<const ceres::ResidualBatch> rows) {
  return std::make_unique<SharedRows>(std::move(rows));
}

std::unique_ptr<CostFunction> SingleRow(
    std::shared_ptr<const ceres::ResidualBatch> rows, int64_t row) {
  return std::make_unique<RowCost>(std::move(rows), row);
}

RowMaker ConstraintRows(const CostBatch& costs,
                        std::function<std::vector<double*>(int64_t)> points) {
  if (costs.python == nullptr) {
    return [rows = costs.rows](int64_t row) { return SingleRow(rows, row); };
  }
  return [python = costs.python, points = std::move(points)](int64_t row) {
    return std::make_unique<MovableRow>(python, row, points(row));
  };
}

std::shared_ptr<PythonBatch> MakeSparseBatch(nb::object evaluate,
                                             nb::handle starts) {
  const IndexArray begins = ReadableIndices(starts, "starts");
  return std::make_shared<PythonBatch>(
      std::move(evaluate),
      std::vector<int64_t>(begins.data, begins.data + begins.size));
}

RowMaker SparseRows(std::shared_ptr<PythonBatch> sparse) {
  const std::vector<int64_t>& starts = sparse->starts();
  // Rows with as many numbers share their sizes.
  auto sizes = std::make_shared<std::map<int64_t, RowSizes>>();
  for (size_t i = 0; i + 1 < starts.size(); ++i) {
    const int64_t n = starts[i + 1] - starts[i];
    sizes->try_emplace(n, n);
  }
  return [sparse = std::move(sparse), sizes](int64_t row) {
    const auto at = sparse->starts().begin() + row;
    return std::make_unique<SparseRow>(sparse.get(), sizes->at(at[1] - at[0]),
                                       row);
  };
}

}  // namespace vesta::python
