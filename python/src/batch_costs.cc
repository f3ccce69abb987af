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

// Copies the values of one row of a PythonBatch.
class PythonRow final : public CostFunction {
 public:
  PythonRow(const PythonBatch* batch, int64_t row)
      : CostFunction(batch->sizes().get()), batch_(batch), row_(row) {}
  bool Evaluate(double const* const* /*parameters*/, double* residuals,
                double** jacobians) const override {
    return batch_->CopyRow(row_, residuals, jacobians);
  }

 private:
  const PythonBatch* batch_;
  int64_t row_;
};

// As PythonRow, and has values where the parameters are not those of the point.
class MovableRow final : public CostFunction {
 public:
  MovableRow(const PythonBatch* batch, int64_t row, std::vector<double*> point)
      : CostFunction(batch->sizes().get()),
        batch_(batch),
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
    return is_point ? batch_->CopyRow(row_, residuals, jacobians)
                    : batch_->CopyMovedRow(row_, parameters, point_, residuals,
                                           jacobians);
  }

 private:
  const PythonBatch* batch_;
  int64_t row_;
  std::vector<double*> point_;
};

// Copies the values of one row of a sparse PythonBatch.
class SparseRow final : public CostFunction {
 public:
  SparseRow(const PythonBatch* batch, const BatchSizes* sizes, int64_t row)
      : CostFunction(sizes->get()), batch_(batch), row_(row) {}
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

struct CompiledBatch {
  CompiledBatch(int num_residuals, const std::vector<int>& sizes)
      : sizes(num_residuals, sizes) {}
  BatchSizes sizes;
  CompiledFunction function = nullptr;
  bool has_jacobian = true;
  const double* data = nullptr;
  int64_t data_size = 0;
  int num_parameters = 0;
};

class CompiledRow final : public CostFunction {
 public:
  CompiledRow(const CompiledBatch* batch, int64_t row)
      : CostFunction(batch->sizes.get()), batch_(batch), row_(row) {}

  bool Evaluate(double const* const* parameters, double* residuals,
                double** jacobians) const override {
    const int n = batch_->num_parameters;
    const int m = num_residuals();
    // The memory of a thread; a compiled function does not call the solver.
    static thread_local std::vector<double> memory;
    memory.resize(static_cast<size_t>(n + n * m + 2 * m));
    double* const x = memory.data();
    double* const jacobian = x + n;
    double* at = x;
    for (size_t b = 0; b < parameter_block_sizes().size(); ++b) {
      at = std::copy_n(parameters[b], parameter_block_sizes()[b], at);
    }
    const bool analytic = jacobians != nullptr && batch_->has_jacobian;
    if (Call(x, residuals, jacobian, analytic) == 0) return false;
    if (jacobians == nullptr) return true;
    if (!analytic && !Differentiate(x, jacobian, jacobian + n * m)) {
      return false;
    }
    Scatter(jacobian, jacobians);
    return true;
  }

 private:
  int32_t Call(const double* x, double* residuals, double* jacobian,
               bool want) const {
    return batch_->function(x, batch_->data + row_ * batch_->data_size,
                            residuals, jacobian, want ? 1 : 0);
  }

  // Central differences with the step that balances rounding and truncation,
  // the third root of the precision.
  bool Differentiate(double* x, double* jacobian, double* scratch) const {
    const int n = batch_->num_parameters;
    const int m = num_residuals();
    double* const above = scratch;
    double* const below = scratch + m;
    for (int c = 0; c < n; ++c) {
      const double value = x[c];
      const double step =
          6.0554544523933395e-06 * std::max(1.0, std::abs(value));
      x[c] = value + step;
      const double upper = x[c];
      if (Call(x, above, nullptr, false) == 0) return false;
      x[c] = value - step;
      const double width = upper - x[c];
      if (Call(x, below, nullptr, false) == 0) return false;
      x[c] = value;
      for (int r = 0; r < m; ++r) {
        jacobian[r * n + c] = (above[r] - below[r]) / width;
      }
    }
    return true;
  }

  void Scatter(const double* jacobian, double** jacobians) const {
    int column = 0;
    for (size_t b = 0; b < parameter_block_sizes().size(); ++b) {
      const int size = parameter_block_sizes()[b];
      for (int r = 0; jacobians[b] != nullptr && r < num_residuals(); ++r) {
        std::copy_n(jacobian + r * batch_->num_parameters + column, size,
                    jacobians[b] + r * size);
      }
      column += size;
    }
  }

  const CompiledBatch* batch_;
  int64_t row_;
};

}  // namespace

std::shared_ptr<CostBatch> MakePythonBatch(nb::object evaluate,
                                           int64_t num_rows, int num_residuals,
                                           std::vector<int> sizes) {
  auto batch = std::make_shared<CostBatch>();
  batch->num_rows = num_rows;
  batch->num_residuals = num_residuals;
  batch->sizes = sizes;
  batch->python = std::make_shared<PythonBatch>(std::move(evaluate), num_rows,
                                                num_residuals, sizes);
  batch->new_storage = StorageMaker<PythonRow>(
      [python = batch->python](int64_t row,
                               std::deque<PythonRow>* rows) -> PythonRow& {
        return rows->emplace_back(python.get(), row);
      });
  return batch;
}

std::unique_ptr<CostStorage> MakeMovableRows(
    std::shared_ptr<PythonBatch> batch,
    std::function<std::vector<double*>(int64_t)> points) {
  const auto make = [batch = std::move(batch), points = std::move(points)](
                        int64_t row,
                        std::deque<MovableRow>* rows) -> MovableRow& {
    return rows->emplace_back(batch.get(), row, points(row));
  };
  return StorageMaker<MovableRow>(make)();
}

std::shared_ptr<CostBatch> MakeSparseBatch(nb::object evaluate,
                                           std::vector<int64_t> starts) {
  auto batch = std::make_shared<CostBatch>();
  batch->num_rows = static_cast<int64_t>(starts.size()) - 1;
  batch->num_residuals = 1;
  // Rows with as many numbers share their sizes.
  auto sizes = std::make_shared<std::map<int64_t, BatchSizes>>();
  for (size_t i = 0; i + 1 < starts.size(); ++i) {
    const int64_t n = starts[i + 1] - starts[i];
    sizes->try_emplace(n, 1, std::vector<int>(static_cast<size_t>(n), 1));
  }
  batch->python = std::make_shared<PythonBatch>(std::move(evaluate), starts);
  batch->new_storage = StorageMaker<SparseRow>(
      [python = batch->python, sizes, starts = std::move(starts)](
          int64_t row, std::deque<SparseRow>* rows) -> SparseRow& {
        const size_t i = static_cast<size_t>(row);
        return rows->emplace_back(python.get(),
                                  &sizes->at(starts[i + 1] - starts[i]), row);
      });
  return batch;
}

std::shared_ptr<CostBatch> MakeCompiledBatch(uintptr_t address,
                                             int num_residuals,
                                             std::vector<int> sizes,
                                             nb::object data, bool has_jacobian,
                                             nb::object alive) {
  if (address == 0) RaiseValueError("function: the address is 0.");
  const DoubleArray array = ReadableArray(data, "data");
  auto compiled = std::make_shared<CompiledBatch>(num_residuals, sizes);
  compiled->function = reinterpret_cast<CompiledFunction>(address);
  compiled->has_jacobian = has_jacobian;
  compiled->data = array.data;
  compiled->data_size = array.row_size();
  for (const int size : sizes) compiled->num_parameters += size;
  auto batch = std::make_shared<CostBatch>();
  batch->num_rows = array.num_rows();
  batch->num_residuals = num_residuals;
  batch->sizes = sizes;
  batch->alive = nb::make_tuple(data, alive);
  batch->new_storage = StorageMaker<CompiledRow>(
      [compiled](int64_t row, std::deque<CompiledRow>* rows) -> CompiledRow& {
        return rows->emplace_back(compiled.get(), row);
      });
  return batch;
}

}  // namespace vesta::python
