// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/sparse/inverse_solves.h"

#include <algorithm>

#include "ceres/execution/loops.h"
#include "ceres/kernels/front_kernels.h"

namespace ceres::internal {
namespace {

int PaddedRows(int rows) {
  return kernels::NumFrontStrips<double>(rows) * kernels::kFrontStrip<double>;
}

}  // namespace

InverseSolves::InverseSolves(const FrontPlan<double>& plan,
                             const double* columns)
    : plan_(plan),
      columns_(columns),
      front_of_(plan.permutation.size()),
      path_cost_(plan.fronts.size()) {
  for (int s = static_cast<int>(plan.fronts.size()) - 1; s >= 0; --s) {
    const Front& front = plan.fronts[s];
    std::fill_n(front_of_.begin() + front.first_column, front.width, s);
    const double w = front.width, b = front.below;
    constexpr double kOpening = 200.0;
    path_cost_[s] = (front.parent == -1 ? 0.0 : path_cost_[front.parent]) +
                    w * w / 2.0 + w * b + kOpening;
    max_width_ = std::max(max_width_, front.width);
    max_below_ = std::max(max_below_, front.below);
  }
}

void InverseSolves::Compute(const Execution& execution,
                            std::vector<Request> requests) const {
  std::stable_sort(requests.begin(), requests.end(),
                   [](const Request& a, const Request& b) {
                     return a.column.first < b.column.first;
                   });
  std::vector<int> first;
  for (size_t i = 0; i < requests.size(); ++i) {
    if (i == 0 || requests[i].column.first != requests[i - 1].column.first) {
      first.push_back(static_cast<int>(i));
    }
  }
  const int num_columns = static_cast<int>(first.size());
  first.push_back(static_cast<int>(requests.size()));
  std::vector<Workspace> workspaces(
      execution.IsSerial() ? 1 : execution.num_threads);
  ParallelFor(execution, 0, num_columns, [&](int thread_id, int i) {
    Workspace& workspace = workspaces[thread_id];
    if (workspace.is_needed.empty()) {
      workspace.is_needed.resize(plan_.fronts.size(), false);
      workspace.pivots.Resize(PaddedRows(max_width_));
      workspace.below.Resize(PaddedRows(max_below_));
    }
    Solve(&requests[first[i]], requests.data() + first[i + 1], &workspace);
  });
}

void InverseSolves::Solve(const Request* begin, const Request* end,
                          Workspace* workspace) const {
  const Range column = begin->column;
  const size_t n = plan_.permutation.size();
  std::vector<double>& x = workspace->x;
  if (x.size() < n * column.size) x.resize(n * column.size);
  workspace->needed.clear();
  for (const Request* request = begin; request != end; ++request) {
    AddPath(front_of_[request->row.first], workspace);
  }
  AddPath(front_of_[column.first], workspace);
  std::sort(workspace->needed.begin(), workspace->needed.end());
  for (const int s : workspace->needed) {
    for (int k = 0; k < column.size; ++k) {
      std::fill_n(x.begin() + k * n + plan_.fronts[s].first_column,
                  plan_.fronts[s].width, 0.0);
    }
  }
  for (int k = 0; k < column.size; ++k) x[k * n + column.first + k] = 1.0;

  SolveForward(front_of_[column.first], column.size, workspace);
  bool is_diagonal_only = true;
  for (const Request* request = begin; request != end; ++request) {
    if (request->row.first == column.first) {
      WriteDiagonal(*request, *workspace);
    } else {
      is_diagonal_only = false;
    }
  }
  if (!is_diagonal_only) SolveBackward(column.size, workspace);
  for (const Request* request = begin; request != end; ++request) {
    if (request->row.first == column.first) continue;
    const Range row = request->row;
    for (int i = 0; i < row.size; ++i) {
      for (int k = 0; k < column.size; ++k) {
        request->values[request->is_transposed ? k * row.size + i
                                               : i * column.size + k] =
            x[k * n + row.first + i];
      }
    }
  }
  for (const int s : workspace->needed) workspace->is_needed[s] = false;
}

void InverseSolves::AddPath(int s, Workspace* workspace) const {
  for (; s != -1 && !workspace->is_needed[s]; s = plan_.fronts[s].parent) {
    workspace->is_needed[s] = true;
    workspace->needed.push_back(s);
  }
}

// x := L^-1 x on the path of a front.
void InverseSolves::SolveForward(int s, int num_columns,
                                 Workspace* workspace) const {
  const size_t n = plan_.permutation.size();
  double* const pivots = workspace->pivots.data();
  double* const below = workspace->below.data();
  for (; s != -1; s = plan_.fronts[s].parent) {
    const Front& front = plan_.fronts[s];
    const int* const rows = plan_.row.data() + front.row_begin;
    for (int k = 0; k < num_columns; ++k) {
      double* const x = workspace->x.data() + k * n;
      std::copy_n(x + front.first_column, front.width, pivots);
      kernels::SolveForward(front.width, front.below,
                            columns_ + front.columns_begin, pivots, below);
      std::copy_n(pivots, front.width, x + front.first_column);
      for (int i = 0; i < front.below; ++i) x[rows[i]] -= below[i];
    }
  }
}

// x := L'^-1 x on all needed fronts, the roots first.
void InverseSolves::SolveBackward(int num_columns, Workspace* workspace) const {
  const size_t n = plan_.permutation.size();
  double* const pivots = workspace->pivots.data();
  double* const below = workspace->below.data();
  for (auto s = workspace->needed.rbegin(); s != workspace->needed.rend();
       ++s) {
    const Front& front = plan_.fronts[*s];
    const int* const rows = plan_.row.data() + front.row_begin;
    std::fill(below + front.below, below + PaddedRows(front.below), 0.0);
    for (int k = 0; k < num_columns; ++k) {
      double* const x = workspace->x.data() + k * n;
      std::copy_n(x + front.first_column, front.width, pivots);
      for (int i = 0; i < front.below; ++i) below[i] = x[rows[i]];
      kernels::SolveBackward(front.width, front.below,
                             columns_ + front.columns_begin, below, pivots);
      std::copy_n(pivots, front.width, x + front.first_column);
    }
  }
}

// Y'Y, both triangles from one.
void InverseSolves::WriteDiagonal(const Request& request,
                                  const Workspace& workspace) const {
  const size_t n = plan_.permutation.size();
  const int size = request.column.size;
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j <= i; ++j) {
      const double* const a = workspace.x.data() + i * n;
      const double* const b = workspace.x.data() + j * n;
      double sum = 0.0;
      for (int s = front_of_[request.column.first]; s != -1;
           s = plan_.fronts[s].parent) {
        const Front& front = plan_.fronts[s];
        for (int k = front.first_column; k < front.first_column + front.width;
             ++k) {
          sum += a[k] * b[k];
        }
      }
      request.values[i * size + j] = request.values[j * size + i] = sum;
    }
  }
}

}  // namespace ceres::internal
