// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/covariance/inverse_columns.h"

#include <algorithm>
#include <tuple>

#include "Eigen/Dense"
#include "ceres/execution/loops.h"

namespace ceres::internal {
namespace {

using RowMajorMap = Eigen::Map<
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

// Calls f(row of x, row of the rest, number of rows) for each block of a front
// that is not a pivot.
template <typename F>
void ForEachRestBlock(const FrontTree& tree, const QrFront& front, const F& f) {
  for (size_t k = front.num_pivots; k < front.blocks.size(); ++k) {
    f(tree.scalar_offset[front.blocks[k]],
      front.offset[k] - front.num_pivot_columns(),
      front.offset[k + 1] - front.offset[k]);
  }
}

}  // namespace

void InverseColumns::Compute(const Execution& execution,
                             std::vector<Request> requests) const {
  std::sort(requests.begin(), requests.end(),
            [](const Request& a, const Request& b) {
              return std::tie(a.column, a.row) < std::tie(b.column, b.row);
            });
  std::vector<int> first_request;
  int max_size = 0;
  for (size_t i = 0; i < requests.size(); ++i) {
    if (i > 0 && requests[i].column == requests[i - 1].column) continue;
    first_request.push_back(static_cast<int>(i));
    max_size = std::max(max_size, BlockSize(requests[i].column));
  }
  const int num_columns = static_cast<int>(first_request.size());
  first_request.push_back(static_cast<int>(requests.size()));

  std::vector<Workspace> workspaces(
      execution.IsSerial() ? 1 : execution.num_threads);
  ParallelFor(execution, 0, num_columns, [&](int thread_id, int i) {
    Workspace& workspace = workspaces[thread_id];
    workspace.is_needed.resize(tree_.fronts.size(), false);
    ComputeColumn(&requests[first_request[i]],
                  requests.data() + first_request[i + 1], &workspace);
  });
}

void InverseColumns::ComputeColumn(const Request* begin, const Request* end,
                                   Workspace* workspace) const {
  const int block = begin->column;
  const int size = BlockSize(block);
  RowMajor& x = workspace->x;
  if (x.cols() != size) x.resize(tree_.scalar_offset.back(), size);
  workspace->needed.clear();
  for (const Request* request = begin; request != end; ++request) {
    AddPath(request->row, workspace);
  }
  AddPath(block, workspace);
  std::sort(workspace->needed.begin(), workspace->needed.end());
  for (const int f : workspace->needed) Pivots(f, &x).setZero();
  x.middleRows(tree_.scalar_offset[block], size).setIdentity();

  SolveTransposed(block, workspace);
  Eigen::MatrixXd diagonal;
  Diagonal(block, x, &diagonal);
  // Rows ascend: the first tells whether there are others than the diagonal.
  if (begin->row != block) Solve(workspace);
  for (const Request* request = begin; request != end; ++request) {
    const int rows = BlockSize(request->row);
    if (request->row == block) {
      RowMajorMap(request->values, size, size) = diagonal;
      continue;
    }
    const auto values = x.middleRows(tree_.scalar_offset[request->row], rows);
    if (request->is_transposed) {
      RowMajorMap(request->values, size, rows) = values.transpose();
    } else {
      RowMajorMap(request->values, rows, size) = values;
    }
  }
  for (const int f : workspace->needed) workspace->is_needed[f] = false;
}

void InverseColumns::AddPath(int block, Workspace* workspace) const {
  for (int f = tree_.front_of[block]; f >= 0 && !workspace->is_needed[f];
       f = tree_.fronts[f].parent) {
    workspace->is_needed[f] = true;
    workspace->needed.push_back(f);
  }
}

// x := R'^-1 x on the path of the block.
void InverseColumns::SolveTransposed(int block, Workspace* workspace) const {
  RowMajor& x = workspace->x;
  for (int f = tree_.front_of[block]; f >= 0; f = tree_.fronts[f].parent) {
    const QrFront& front = tree_.fronts[f];
    const auto r = R(f);
    auto pivots = Pivots(f, &x);
    r.leftCols(front.num_pivot_columns())
        .triangularView<Eigen::Upper>()
        .transpose()
        .solveInPlace(pivots);
    if (front.num_rest_columns() == 0) continue;
    RowMajor& rest = workspace->rest;
    rest.noalias() = r.rightCols(front.num_rest_columns()).transpose() * pivots;
    ForEachRestBlock(tree_, front, [&](int to, int from, int rows) {
      x.middleRows(to, rows) -= rest.middleRows(from, rows);
    });
  }
}

// x := R^-1 x on all needed fronts, the roots first.
void InverseColumns::Solve(Workspace* workspace) const {
  RowMajor& x = workspace->x;
  for (auto i = workspace->needed.rbegin(); i != workspace->needed.rend();
       ++i) {
    const QrFront& front = tree_.fronts[*i];
    const auto r = R(*i);
    auto pivots = Pivots(*i, &x);
    if (front.num_rest_columns() > 0) {
      RowMajor& rest = workspace->rest;
      rest.resize(front.num_rest_columns(), x.cols());
      ForEachRestBlock(tree_, front, [&](int from, int to, int rows) {
        rest.middleRows(to, rows) = x.middleRows(from, rows);
      });
      pivots.noalias() -= r.rightCols(front.num_rest_columns()) * rest;
    }
    r.leftCols(front.num_pivot_columns())
        .triangularView<Eigen::Upper>()
        .solveInPlace(pivots);
  }
}

// Y'Y, both triangles from one.
void InverseColumns::Diagonal(int block, const RowMajor& x,
                              Eigen::MatrixXd* diagonal) const {
  diagonal->setZero(x.cols(), x.cols());
  for (int f = tree_.front_of[block]; f >= 0; f = tree_.fronts[f].parent) {
    const QrFront& front = tree_.fronts[f];
    const auto y = x.middleRows(tree_.scalar_offset[front.first_pivot],
                                front.num_pivot_columns());
    diagonal->noalias() += y.transpose() * y;
  }
  diagonal->triangularView<Eigen::StrictlyUpper>() = diagonal->transpose();
}

}  // namespace ceres::internal
