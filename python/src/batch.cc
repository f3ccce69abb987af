// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "batch.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace vesta::python {
namespace {

// Copies a row of n doubles that are `stride` bytes apart.
inline void CopyStrided(const char* from, int64_t stride, int n, double* to) {
  if (stride == sizeof(double)) {
    std::memcpy(to, from, sizeof(double) * static_cast<size_t>(n));
    return;
  }
  for (int i = 0; i < n; ++i, from += stride) {
    std::memcpy(to + i, from, sizeof(double));
  }
}

}  // namespace

PythonBatch::PythonBatch(nb::object evaluate, int64_t num_rows,
                         int num_residuals, std::vector<int> sizes)
    : ResidualBatch(num_rows, num_residuals, std::move(sizes)),
      evaluate_(std::move(evaluate)) {}

PythonBatch::PythonBatch(nb::object evaluate, std::vector<int64_t> starts)
    : ResidualBatch(static_cast<int64_t>(starts.size()) - 1, 1, {}),
      evaluate_(std::move(evaluate)),
      starts_(std::move(starts)) {}

std::vector<std::vector<int64_t>> PythonBatch::JacobianShapes() const {
  if (!starts_.empty()) return {{starts_.back()}};
  std::vector<std::vector<int64_t>> shapes;
  for (const int size : parameter_block_sizes()) {
    shapes.push_back({num_rows(), num_residuals(), size});
  }
  return shapes;
}

void PythonBatch::Prepare(bool jacobians, bool new_point) {
  if (!evaluate_.is_valid()) return;
  if (new_point) {
    residuals_.data = nullptr;
    jacobians_.clear();
    moved_.reset();
  }
  const bool want_residuals = residuals_.data == nullptr;
  const bool want_jacobians = jacobians && jacobians_.empty();
  if (!want_residuals && !want_jacobians) return;
  const nb::object result = evaluate_(want_residuals, want_jacobians);
  if (!nb::isinstance<nb::tuple>(result) || nb::len(result) != 2) {
    RaiseTypeError("evaluate: expected a pair (residuals, jacobians).");
  }
  // Residuals that are not wanted may replace those that are known.
  const nb::object residuals = nb::object(result[0]);
  if (want_residuals || !residuals.is_none()) TakeResiduals(residuals);
  if (want_jacobians) TakeJacobians(result[1]);
}

void PythonBatch::TakeResiduals(nb::handle value) {
  residuals_ =
      ReadableStrided(value, {num_rows(), num_residuals()}, "residuals");
  residual_object_ = nb::borrow(value);
}

std::vector<StridedArray> PythonBatch::ReadJacobians(nb::handle value) const {
  const auto shapes = JacobianShapes();
  if (value.is_none() || nb::len(value) != shapes.size()) {
    RaiseValueError("jacobians: expected " + std::to_string(shapes.size()) +
                    " arrays.");
  }
  std::vector<StridedArray> jacobians;
  for (size_t i = 0; i < shapes.size(); ++i) {
    const nb::object jacobian = nb::object(value[i]);
    jacobians.push_back(ReadableStrided(
        jacobian, shapes[i], "jacobians[" + std::to_string(i) + "]"));
  }
  return jacobians;
}

void PythonBatch::TakeJacobians(nb::handle value) {
  jacobians_ = ReadJacobians(value);
  jacobian_objects_ = nb::borrow(value);
}

const PythonBatch::Moved& PythonBatch::GetMoved() const {
  const std::lock_guard<std::mutex> lock(moved_mutex_);
  if (moved_) return *moved_;
  const nb::gil_scoped_acquire gil;
  Moved moved;
  moved.alive = evaluate_.attr("moved_jacobians")();
  int64_t num_coordinates = 0;
  for (const int size : parameter_block_sizes()) num_coordinates += size;
  moved.steps = ReadableStrided(nb::object(moved.alive[0]),
                                {num_coordinates, num_rows()}, "steps");
  for (int64_t c = 0; c < num_coordinates; ++c) {
    moved.jacobians.push_back(ReadJacobians(nb::object(moved.alive[1][c])));
  }
  return moved_.emplace(std::move(moved));
}

bool PythonBatch::CopyMovedRow(int64_t row, double const* const* parameters,
                               const std::vector<double*>& point,
                               double* residuals, double** jacobians) const {
  const std::vector<int>& sizes = parameter_block_sizes();
  if (jacobians == nullptr ||
      Evaluate({1, &row, parameters}, {residuals, jacobians, 0}) != 1) {
    return false;
  }
  const Moved& moved = GetMoved();
  const auto at = [](const StridedArray& array, int64_t i, int64_t j,
                     int64_t k) {
    double value;
    std::memcpy(&value,
                array.data + i * array.strides[0] + j * array.strides[1] +
                    k * array.strides[2],
                sizeof(value));
    return value;
  };
  size_t c = 0;
  for (size_t b = 0; b < sizes.size(); ++b) {
    for (int j = 0; j < sizes[b]; ++j, ++c) {
      const double distance = parameters[b][j] - point[b][j];
      if (distance == 0.0) continue;
      const double part =
          distance / at(moved.steps, static_cast<int64_t>(c), row, 0);
      for (int r = 0; r < num_residuals(); ++r) {
        residuals[r] += distance * at(jacobians_[b], row, r, j);
      }
      for (size_t d = 0; d < jacobians_.size(); ++d) {
        if (jacobians[d] == nullptr) continue;
        for (int r = 0; r < num_residuals(); ++r) {
          for (int k = 0; k < sizes[d]; ++k) {
            jacobians[d][r * sizes[d] + k] +=
                part * (at(moved.jacobians[c][d], row, r, k) -
                        at(jacobians_[d], row, r, k));
          }
        }
      }
    }
  }
  return true;
}

int PythonBatch::Evaluate(const ceres::BatchRows& rows,
                          const ceres::BatchOutput& output) const {
  if (residuals_.data == nullptr) return 0;
  if (output.jacobians != nullptr && jacobians_.empty()) return 0;
  for (int i = 0; i < rows.count; ++i) {
    CopyStrided(residuals_.data + rows.rows[i] * residuals_.strides[0],
                residuals_.strides[1], num_residuals(),
                output.residuals + i * output.stride);
  }
  for (size_t b = 0; output.jacobians != nullptr && b < jacobians_.size();
       ++b) {
    if (output.jacobians[b] == nullptr) continue;
    const StridedArray& array = jacobians_[b];
    const int size = parameter_block_sizes()[b];
    for (int i = 0; i < rows.count; ++i) {
      const char* const from = array.data + rows.rows[i] * array.strides[0];
      double* const to = output.jacobians[b] + i * output.stride;
      for (int r = 0; r < num_residuals(); ++r) {
        CopyStrided(from + r * array.strides[1], array.strides[2], size,
                    to + r * size);
      }
    }
  }
  return rows.count;
}

bool PythonBatch::CopySparseRow(int64_t row, double* residuals,
                                double** jacobians) const {
  if (residuals_.data == nullptr) return false;
  CopyStrided(residuals_.data + row * residuals_.strides[0], 0, 1, residuals);
  if (jacobians == nullptr) return true;
  if (jacobians_.empty()) return false;
  const size_t at = static_cast<size_t>(row);
  for (int64_t k = starts_[at]; k < starts_[at + 1]; ++k) {
    double* const jacobian = jacobians[k - starts_[at]];
    if (jacobian == nullptr) continue;
    CopyStrided(jacobians_[0].data + k * jacobians_[0].strides[0], 0, 1,
                jacobian);
  }
  return true;
}

void PythonBatch::Clear() {
  residuals_.data = nullptr;
  jacobians_.clear();
  moved_.reset();
  evaluate_.reset();
  residual_object_.reset();
  jacobian_objects_.reset();
}

void BatchDispatcher::PrepareForEvaluation(bool evaluate_jacobians,
                                           bool new_evaluation_point) {
  const nb::gil_scoped_acquire gil;
  if (!callback_.is_none()) callback_(evaluate_jacobians, new_evaluation_point);
  for (const auto& batch : batches_) {
    batch->Prepare(evaluate_jacobians, new_evaluation_point);
  }
}

void BatchDispatcher::Clear() {
  callback_ = nb::none();
  for (const auto& batch : batches_) batch->Clear();
}

}  // namespace vesta::python
