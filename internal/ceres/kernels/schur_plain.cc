// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/kernels/schur_plain.h"

#include <algorithm>
#include <vector>

#include "ceres/kernels/packed_cholesky.h"

namespace ceres::internal::kernels {
namespace {

int Width(const SchurView& view, int column) {
  return view.column_offset[column + 1] - view.column_offset[column];
}
int RowSize(const SchurView& view, int row) {
  return view.row_offset[row + 1] - view.row_offset[row];
}

// block (rows x columns, panel layout) += sign A'B.
void AddProduct(double sign, int depth, int rows, int columns, const double* a,
                const double* b, double* block) {
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      double sum = 0.0;
      for (int k = 0; k < depth; ++k) {
        sum += a[k * rows + i] * b[k * columns + j];
      }
      block[PanelPosition(rows, columns, i, j)] += sign * sum;
    }
  }
}

// y += sign A's with A (depth x n).
void AddVector(double sign, int depth, int n, const double* a, const double* s,
               double* y) {
  for (int k = 0; k < depth; ++k) {
    for (int i = 0; i < n; ++i) y[i] += sign * a[k * n + i] * s[k];
  }
}

double* Place(const SchurTarget& target, int line) {
  return target.partial_sum + int64_t{line} * kPanelWidth;
}

// Where the products of cameras a <= b of a clique of k go.
double* Destination(const SchurView& view, const SchurTarget& target,
                    int clique, bool pairs, int a, int b) {
  const int64_t k = view.first_camera[clique + 1] - view.first_camera[clique];
  return Place(target, view.destination[view.first_destination[clique] +
                                        DiagonalIndex(pairs, a, k) + b - a]);
}

// C, the products of one row's own cells (cameras a <= b), and F'r.
void AddRowProducts(const SchurView& view, int row, int cell_a, int cell_b,
                    double* destination) {
  const double* row_block = view.values + view.row_block_offset[row];
  const int m = RowSize(view, row);
  const int f_a = Width(view, view.cell_column[cell_a]);
  const int f_b = Width(view, view.cell_column[cell_b]);
  const double* a = row_block + view.cell_position[cell_a];
  AddProduct(1.0, m, f_a, f_b, a, row_block + view.cell_position[cell_b],
             destination);
  if (cell_a != cell_b) return;
  AddVector(1.0, m, f_a, a, row_block, destination + DiagonalRhsPosition(f_a));
}

}  // namespace

void AddRowsPlain(const SchurView& view, const SchurTarget& target, int begin,
                  int end) {
  for (int row = begin; row < end; ++row) {
    const int clique = view.row_clique == nullptr ? -1 : view.row_clique[row];
    if (clique < 0) continue;
    const int first = view.first_camera[clique];
    const int k = view.first_camera[clique + 1] - first;
    for (int a = 0; a < k; ++a) {
      for (int b = a; b < k; ++b) {
        AddRowProducts(view, row, view.camera_cell[first + a],
                       view.camera_cell[first + b],
                       Destination(view, target, clique, true, a, b));
      }
    }
  }
}

namespace {

// L of B = E'E + D^2 and w = L^-1 E'r. False: not positive definite.
bool FactorPoint(const SchurView& view, const double* damping, int point,
                 double* l, double* w) {
  const int e = Width(view, point);
  std::fill_n(l, PackedSize(e), 0.0);
  std::fill_n(w, e, 0.0);
  for (int i = 0; i < e && damping != nullptr; ++i) {
    const double d = damping[view.column_offset[point] + i];
    l[PackedPosition(i, i)] = d * d;
  }
  for (int row = view.eliminated_first_row[point];
       row < view.eliminated_first_row[point + 1]; ++row) {
    const double* row_block = view.values + view.row_block_offset[row];
    const double* cell = row_block + view.cell_position[view.first_cell[row]];
    for (int k = 0; k < RowSize(view, row); ++k) {
      for (int i = 0; i < e; ++i) {
        w[i] += cell[k * e + i] * row_block[k];
        for (int j = 0; j <= i; ++j) {
          l[PackedPosition(i, j)] += cell[k * e + i] * cell[k * e + j];
        }
      }
    }
  }
  if (!PackedCholesky(e, l)) return false;
  PackedForwardSolve(e, l, 1, w);
  return true;
}

// u_camera += E'F for the cells of a row.
void AddCoupling(const SchurView& view, int point, int row, double* u) {
  const int e = Width(view, point);
  const double* row_block = view.values + view.row_block_offset[row];
  const int e_cell = view.first_cell[row];
  const double* e_values = row_block + view.cell_position[e_cell];
  for (int c = e_cell + 1; c < view.first_cell[row + 1]; ++c) {
    const int f = Width(view, view.cell_column[c]);
    const double* f_values = row_block + view.cell_position[c];
    double* u_a =
        u +
        e * view.camera_offset[view.first_camera[point] + view.cell_camera[c]];
    for (int k = 0; k < RowSize(view, row); ++k) {
      for (int i = 0; i < e; ++i) {
        for (int j = 0; j < f; ++j) {
          u_a[i * f + j] += e_values[k * e + i] * f_values[k * f + j];
        }
      }
    }
  }
}

// U_a of all cameras of a point.
void FormU(const SchurView& view, int point, const double* l, double* u) {
  const int e = Width(view, point);
  const auto u_of = [&](int camera) {
    return u + e * view.camera_offset[camera];
  };
  const int camera_begin = view.first_camera[point];
  const int camera_end = view.first_camera[point + 1];
  for (int camera = camera_begin; camera < camera_end; ++camera) {
    std::fill_n(u_of(camera), e * Width(view, view.camera_column[camera]), 0.0);
  }
  for (int row = view.eliminated_first_row[point];
       row < view.eliminated_first_row[point + 1]; ++row) {
    AddCoupling(view, point, row, u);
  }
  for (int camera = camera_begin; camera < camera_end; ++camera) {
    PackedForwardSolve(e, l, Width(view, view.camera_column[camera]),
                       u_of(camera));
  }
}

// The products of rows that have no clique of their own.
void AddRegularRows(const SchurView& view, const SchurTarget& target,
                    int point) {
  for (int row = view.eliminated_first_row[point];
       row < view.eliminated_first_row[point + 1]; ++row) {
    if (view.row_clique != nullptr && view.row_clique[row] >= 0) continue;
    for (int c = view.first_cell[row] + 1; c < view.first_cell[row + 1]; ++c) {
      const int a = view.cell_camera[c];
      AddRowProducts(view, row, c, c,
                     Destination(view, target, point, target.pairs, a, a));
    }
  }
}

// - U_a'U_b, and - U_a'w where a = b, at their destination.
void SubtractProduct(const SchurView& view, const SchurTarget& target,
                     int point, int camera_a, int camera_b, const double* u,
                     const double* w, double* block) {
  const int e = Width(view, point);
  const int f_a = Width(view, view.camera_column[camera_a]);
  const double* u_a = u + e * view.camera_offset[camera_a];
  if (camera_a == camera_b) {
    AddVector(-1.0, e, f_a, u_a, w, block + DiagonalRhsPosition(f_a));
    if (target.diagonal == PointDiagonal::kNone) return;
    if (target.diagonal == PointDiagonal::kSplit) {
      block += DiagonalSecondPosition(f_a);
    }
  }
  AddProduct(-1.0, e, f_a, Width(view, view.camera_column[camera_b]), u_a,
             u + e * view.camera_offset[camera_b], block);
}

void SubtractProducts(const SchurView& view, const SchurTarget& target,
                      int point, const double* u, const double* w) {
  const int first = view.first_camera[point];
  const int num_cameras = view.first_camera[point + 1] - first;
  for (int a = 0; a < num_cameras; ++a) {
    for (int b = a; b < (target.pairs ? num_cameras : a + 1); ++b) {
      SubtractProduct(view, target, point, first + a, first + b, u, w,
                      Destination(view, target, point, target.pairs, a, b));
    }
  }
}

}  // namespace

int FormPointsPlain(const SchurView& view, const SchurTarget& target, int begin,
                    int end) {
  for (int point = begin; point < end; ++point) {
    double* l = target.factor + view.factor_offset[point];
    double* w = target.w + view.column_offset[point];
    if (!FactorPoint(view, target.damping, point, l, w)) return point;
    FormU(view, point, l, target.u + view.u_offset[point]);
  }
  return -1;
}

void GatherBlockRowsPlain(const SchurView& view, const SchurTarget& target,
                          const SchurGather& gather, int begin, int end) {
  for (int i = begin; i < end; ++i) {
    std::fill(target.partial_sum + gather.row_begin[i],
              target.partial_sum + gather.row_begin[i + 1], 0.0);
    for (int64_t t = gather.first_term[i]; t < gather.first_term[i + 1]; ++t) {
      const SchurTerm& term = gather.terms[t];
      const int* destination = view.destination + term.destination;
      for (int b = 0; b < term.num_cameras; ++b) {
        double* block = Place(target, destination[b]);
        if (term.point < 0) {
          AddRowProducts(view, term.row, view.camera_cell[term.camera],
                         view.camera_cell[term.camera + b], block);
          continue;
        }
        if (b == 0 && term.row >= 0) {
          const int cell = view.first_cell[term.row] + 1;
          AddRowProducts(view, term.row, cell, cell, block);
        }
        SubtractProduct(view, target, term.point, term.camera, term.camera + b,
                        target.u + view.u_offset[term.point],
                        target.w + view.column_offset[term.point], block);
      }
    }
  }
}

int EliminatePointsPlain(const SchurView& view, const SchurTarget& target,
                         int begin, int end) {
  for (int point = begin; point < end; ++point) {
    double* l = target.factor + view.factor_offset[point];
    std::vector<double> w(Width(view, point));
    if (!FactorPoint(view, target.damping, point, l, w.data())) return point;
    double* u = target.keep_u ? target.u + view.u_offset[point] : target.u;
    FormU(view, point, l, u);
    AddRegularRows(view, target, point);
    AddRowsPlain(view, target, view.eliminated_first_row[point],
                 view.eliminated_first_row[point + 1]);
    SubtractProducts(view, target, point, u, w.data());
  }
  return -1;
}

namespace {

// F z of a row, cells from `cell` on.
std::vector<double> RowProduct(const SchurView& view, int row, int cell,
                               const double* step) {
  const double* row_block = view.values + view.row_block_offset[row];
  std::vector<double> t(RowSize(view, row), 0.0);
  for (int c = cell; c < view.first_cell[row + 1]; ++c) {
    const int f = Width(view, view.cell_column[c]);
    const double* z = step + view.column_offset[view.cell_column[c]];
    for (size_t k = 0; k < t.size(); ++k) {
      for (int j = 0; j < f; ++j) {
        t[k] += row_block[view.cell_position[c] + k * f + j] * z[j];
      }
    }
  }
  return t;
}

}  // namespace

double RowsModelCostChangePlain(const SchurView& view, int begin, int end,
                                const double* step) {
  double decrease = 0.0;
  for (int row = begin; row < end; ++row) {
    const double* r = view.values + view.row_block_offset[row];
    const std::vector<double> m =
        RowProduct(view, row, view.first_cell[row], step);
    for (size_t k = 0; k < m.size(); ++k) {
      decrease -= m[k] * (r[k] + 0.5 * m[k]);
    }
  }
  return decrease;
}

double BackSubstitutePointsPlain(const SchurView& view, const double* factor,
                                 int begin, int end, double* step) {
  double decrease = 0.0;
  for (int point = begin; point < end; ++point) {
    const int e = Width(view, point);
    const int row_begin = view.eliminated_first_row[point];
    const int row_end = view.eliminated_first_row[point + 1];
    double* y = step + view.column_offset[point];
    std::fill_n(y, e, 0.0);
    for (int row = row_begin; row < row_end; ++row) {
      const double* row_block = view.values + view.row_block_offset[row];
      const int cell = view.first_cell[row];
      const std::vector<double> t = RowProduct(view, row, cell + 1, step);
      for (size_t k = 0; k < t.size(); ++k) {
        for (int i = 0; i < e; ++i) {
          y[i] -= row_block[view.cell_position[cell] + k * e + i] *
                  (row_block[k] + t[k]);
        }
      }
    }
    const double* l = factor + view.factor_offset[point];
    PackedForwardSolve(e, l, 1, y);
    PackedBackwardSolve(e, l, y);
    decrease += RowsModelCostChangePlain(view, row_begin, row_end, step);
  }
  return decrease;
}

void SubtractPointProductsPlain(const SchurView& view, const double* u,
                                int begin, int end, const int* camera_x,
                                const int* camera_y, const double* x,
                                double* y) {
  for (int point = begin; point < end; ++point) {
    const int e = Width(view, point);
    for (int i = 0; i < e; ++i) {
      const auto row_of = [&](int camera) {
        return u + view.u_offset[point] + e * view.camera_offset[camera] +
               i * Width(view, view.camera_column[camera]);
      };
      double sum = 0.0;
      for (int s = view.first_camera[point]; s < view.first_camera[point + 1];
           ++s) {
        for (int j = 0; j < Width(view, view.camera_column[s]); ++j) {
          sum += row_of(s)[j] * x[camera_x[s] + j];
        }
      }
      for (int s = view.first_camera[point]; s < view.first_camera[point + 1];
           ++s) {
        for (int j = 0; j < Width(view, view.camera_column[s]); ++j) {
          y[camera_y[s] + j] -= row_of(s)[j] * sum;
        }
      }
    }
  }
}

void AddSymmetricProductPlain(const PanelMatrixView& matrix, int begin, int end,
                              const double* x, double* y) {
  for (int i = begin; i < end; ++i) {
    for (int k = matrix.first_entry[i]; k < matrix.first_entry[i + 1]; ++k) {
      const int j = matrix.entry_column[k];
      const int64_t block = matrix.value_offset[k];
      for (int r = 0; r < matrix.width[i]; ++r) {
        for (int c = 0; c < matrix.width[j]; ++c) {
          const int64_t v =
              block + PanelPosition(matrix.width[i], matrix.width[j], r, c);
          const double value =
              matrix.whole[v] + (matrix.rest == nullptr ? 0.0 : matrix.rest[v]);
          y[matrix.padded_offset[i] + r] +=
              value * x[matrix.padded_offset[j] + c];
          if (i != j) {
            y[matrix.padded_offset[j] + c] +=
                value * x[matrix.padded_offset[i] + r];
          }
        }
      }
    }
  }
}

}  // namespace ceres::internal::kernels
