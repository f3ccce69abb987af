// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "sparse_constraints.h"

#include <algorithm>
#include <mutex>
#include <string>
#include <utility>

#include "common.h"

namespace vesta::python {
namespace {

// The second derivatives of all rows at a point.
struct Squares {
  std::vector<double> point;   // values of the whole array
  std::vector<int64_t> begin;  // by row, in `entries`
  std::vector<double> entries;
};

// Computes the second derivatives of all rows, and keeps the latest ones.
//
// Thread-safe. The solver writes the point to the user's memory before it
// evaluates anything, and no thread changes it meanwhile. The mutex is locked
// without the GIL, so its owner can get the GIL.
class SecondDerivatives {
 public:
  SecondDerivatives(std::shared_ptr<PythonBatch> batch, const double* values,
                    int64_t size)
      : batch_(std::move(batch)), values_(values), size_(size) {}

  const PythonBatch& batch() const { return *batch_; }

  // The matrix of a row that has the numbers `point`. Null: it is zero. `owner`
  // keeps it alive.
  const double* Of(int64_t row, const std::vector<double*>& point,
                   std::shared_ptr<const Squares>* owner) {
    const std::lock_guard<std::mutex> lock(mutex_);
    // A row depends on its own numbers alone: where these are the same, so are
    // its derivatives.
    const auto is_old = [this](const double* number) {
      return *number != latest_->point[static_cast<size_t>(number - values_)];
    };
    if (latest_ == nullptr || std::any_of(point.begin(), point.end(), is_old)) {
      latest_ = Compute();
    }
    *owner = latest_;
    const auto i = static_cast<size_t>(row);
    const int64_t begin = latest_->begin[i];
    return latest_->begin[i + 1] == begin ? nullptr
                                          : latest_->entries.data() + begin;
  }

 private:
  std::shared_ptr<const Squares> Compute() const {
    auto squares = std::make_shared<Squares>();
    squares->point.assign(values_, values_ + size_);
    const nb::gil_scoped_acquire gil;
    const nb::object answer = batch_->evaluate().attr("second_derivatives")();
    const nb::object starts = nb::object(answer[0]);
    const nb::object matrices = nb::object(answer[1]);
    const IndexArray begin = ReadableIndices(starts, "starts");
    const DoubleArray entries = ReadableArray(matrices, "second derivatives");
    squares->begin.assign(begin.data, begin.data + begin.size);
    squares->entries.assign(entries.data, entries.data + entries.size);
    return squares;
  }

  const std::shared_ptr<PythonBatch> batch_;
  const double* const values_;
  const int64_t size_;
  std::mutex mutex_;
  std::shared_ptr<const Squares> latest_;
};

class MovableSparseRow final : public ceres::CostFunction {
 public:
  MovableSparseRow(std::shared_ptr<SecondDerivatives> second, int64_t row,
                   std::vector<double*> point)
      : second_(std::move(second)), row_(row), point_(std::move(point)) {
    set_num_residuals(1);
    mutable_parameter_block_sizes()->assign(point_.size(), 1);
  }

  bool Evaluate(double const* const* parameters, double* residuals,
                double** jacobians) const override {
    if (!second_->batch().CopySparseRow(row_, residuals, jacobians)) {
      return false;
    }
    std::shared_ptr<const Squares> owner;
    const double* matrix = nullptr;
    const size_t n = point_.size();
    for (size_t b = 0; b < n; ++b) {
      const double distance = *parameters[b] - *point_[b];
      if (distance == 0.0) continue;
      // Values are asked for at the point only.
      if (jacobians == nullptr) return false;
      if (owner == nullptr) matrix = second_->Of(row_, point_, &owner);
      if (matrix == nullptr) return true;
      for (size_t a = 0; a < n; ++a) {
        if (jacobians[a] != nullptr) {
          *jacobians[a] += distance * matrix[a * n + b];
        }
      }
    }
    return true;
  }

 private:
  const std::shared_ptr<SecondDerivatives> second_;
  const int64_t row_;
  const std::vector<double*> point_;
};

}  // namespace

RowMaker MovableSparseRows(
    std::shared_ptr<PythonBatch> batch, const double* values, int64_t size,
    std::function<void(int64_t, std::vector<double*>*)> points) {
  const auto second =
      std::make_shared<SecondDerivatives>(std::move(batch), values, size);
  return [second, points = std::move(points)](int64_t row) {
    std::vector<double*> point;
    points(row, &point);
    return std::make_unique<MovableSparseRow>(second, row, std::move(point));
  };
}

}  // namespace vesta::python
