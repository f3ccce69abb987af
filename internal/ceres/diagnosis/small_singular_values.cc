// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/diagnosis/small_singular_values.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <utility>

#include "Eigen/QR"
#include "Eigen/SVD"
#include "ceres/diagnosis/scaled_jacobian.h"
#include "ceres/execution/aligned_buffer.h"
#include "ceres/execution/loops.h"
#include "ceres/normal/normal_equations.h"
#include "ceres/sparse/native_cholesky.h"

namespace ceres::internal {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using RowMajor =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ConstCell = Eigen::Map<const RowMajor>;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

// Matrices with at most this number of columns are treated as dense.
constexpr int kMaxDenseColumns = 200;
// Singular values below this multiple of the largest one count as zero when
// directions of single blocks are held.
constexpr double kLocalZero = 64.0 * kEpsilon;
// The shift of J'J. Larger than the rounding errors of J'J and its
// factorization, smaller than the squares of singular values that converge at
// once.
constexpr double kShift = 1e-12;
constexpr int kFirstVectors = 12;
constexpr int kMaxVectors = 768;
constexpr int kMaxIterations = 24;
// After that many iterations, the part of a vector along a direction below the
// bound exceeds its parts along singular values above kShown.
constexpr int kIterationsToShow = 3;
constexpr double kShown = 1e-4;

// R of J = Q R.
MatrixXd TriangularFactor(const Execution& execution,
                          const BlockJacobian& jacobian) {
  const BlockJacobianStructure& s = *jacobian.structure;
  const int n = s.num_columns();
  const int chunk_rows = 3 * n + 64;
  MatrixXd stacked = MatrixXd::Zero(n + chunk_rows, n);
  int filled = n;
  const auto reduce = [&] {
    CheckStop(execution);
    Eigen::HouseholderQR<Eigen::Ref<MatrixXd>> qr(stacked);
    stacked.topRows(n).triangularView<Eigen::StrictlyLower>().setZero();
    stacked.bottomRows(chunk_rows).setZero();
    filled = n;
  };
  for (int row = 0; row < s.num_row_blocks(); ++row) {
    for (int i = 0; i < s.row_size(row); ++i) {
      if (filled == stacked.rows()) reduce();
      VisitCells(jacobian, row, [&](int column, const ConstCell& cell) {
        stacked.row(filled).segment(s.column_offset[column], cell.cols()) =
            cell.row(i);
      });
      ++filled;
    }
  }
  reduce();
  return stacked.topRows(n);
}

// By column.
std::vector<bool> ZeroColumns(const BlockJacobian& jacobian) {
  const BlockJacobianStructure& s = *jacobian.structure;
  std::vector<bool> is_zero(s.num_columns(), true);
  for (int row = 0; row < s.num_row_blocks(); ++row) {
    VisitCells(jacobian, row, [&](int column, const ConstCell& cell) {
      for (Eigen::Index k = 0; k < cell.cols(); ++k) {
        if (!cell.col(k).isZero(0.0)) {
          is_zero[s.column_offset[column] + k] = false;
        }
      }
    });
  }
  return is_zero;
}

void FindDense(const Execution& execution, const BlockJacobian& jacobian,
               double bound, SmallSingularValues* result) {
  const int n = jacobian.structure->num_columns();
  const MatrixXd r = TriangularFactor(execution, jacobian);
  const std::vector<bool> is_zero = ZeroColumns(jacobian);
  std::vector<int> kept;
  for (int k = 0; k < n; ++k) {
    if (!is_zero[k]) kept.push_back(k);
  }
  const auto num_kept = static_cast<int>(kept.size());
  const MatrixXd squeezed = r(Eigen::all, kept);
  const Eigen::JacobiSVD<MatrixXd> svd(squeezed, Eigen::ComputeFullV);
  result->largest = num_kept > 0 ? svd.singularValues()(0) : 0.0;
  int count = 0;
  while (count < num_kept && svd.singularValues()(num_kept - 1 - count) <=
                                 bound * result->largest) {
    ++count;
  }
  count = std::min(num_kept, count + 1);
  result->values.resize(count);
  result->vectors = MatrixXd::Zero(n, count);
  for (int k = 0; k < count; ++k) {
    result->values[k] = svd.singularValues()(num_kept - 1 - k);
    result->vectors.col(k)(kept) = svd.matrixV().col(num_kept - 1 - k);
  }
}

// A direction that one more row holds.
struct HeldDirection {
  LocalDirection direction;
  bool is_zero_column;
};

// The directions of single column blocks that J maps to zero, orthonormal
// within each block.
std::vector<HeldDirection> FindLocalDirections(const Execution& execution,
                                               const BlockJacobian& jacobian) {
  const BlockJacobianStructure& s = *jacobian.structure;
  const CellsByColumn cells(s);
  std::vector<std::vector<VectorXd>> found(s.num_column_blocks());
  std::vector<int> num_zero(s.num_column_blocks(), 0);
  ParallelFor(execution, 0, s.num_column_blocks(), [&](int block) {
    const int n = s.column_size(block);
    MatrixXd stacked = MatrixXd::Zero(0, n);
    MatrixXd rows(0, n);
    for (int k = cells.first[block]; k < cells.first[block + 1]; ++k) {
      const auto [row, cell] = cells.cells[k];
      const ConstCell values(jacobian.row_block(row) + s.cell_position[cell],
                             s.row_size(row), n);
      rows.resize(stacked.rows() + values.rows(), n);
      rows << stacked, values;
      if (rows.rows() > 2 * n) {
        const Eigen::HouseholderQR<MatrixXd> qr(rows);
        stacked =
            MatrixXd(qr.matrixQR().topRows(n).triangularView<Eigen::Upper>());
      } else {
        stacked = rows;
      }
    }
    std::vector<int> kept;
    for (int k = 0; k < n; ++k) {
      if (stacked.rows() > 0 && !stacked.col(k).isZero(0.0)) {
        kept.push_back(k);
      } else {
        found[block].push_back(VectorXd::Unit(n, k));
      }
    }
    num_zero[block] = static_cast<int>(found[block].size());
    if (kept.empty()) return;
    const MatrixXd squeezed = stacked(Eigen::all, kept);
    const Eigen::JacobiSVD<MatrixXd> svd(squeezed, Eigen::ComputeFullV);
    for (Eigen::Index k = 0; k < squeezed.cols(); ++k) {
      const double value =
          k < svd.singularValues().size() ? svd.singularValues()(k) : 0.0;
      if (value > kLocalZero) continue;
      VectorXd vector = VectorXd::Zero(n);
      vector(kept) = svd.matrixV().col(k);
      found[block].push_back(std::move(vector));
    }
  });
  std::vector<HeldDirection> directions;
  for (int block = 0; block < s.num_column_blocks(); ++block) {
    int k = 0;
    for (VectorXd& vector : found[block]) {
      directions.push_back({{block, std::move(vector)}, k++ < num_zero[block]});
    }
  }
  return directions;
}

// J with one more row for each local direction.
class HeldJacobian {
 public:
  HeldJacobian(const BlockJacobian& jacobian,
               const std::vector<HeldDirection>& directions) {
    const BlockJacobianStructure& s = *jacobian.structure;
    structure_.column_offset = s.column_offset;
    std::vector<int> columns;
    for (int row = 0; row < s.num_row_blocks(); ++row) {
      columns.clear();
      for (int c = s.first_cell[row]; c < s.first_cell[row + 1]; ++c) {
        columns.push_back(s.cell_column[c]);
      }
      AppendRowBlock(s.row_size(row), columns, &structure_);
    }
    for (const HeldDirection& held : directions) {
      AppendRowBlock(1, {held.direction.column_block}, &structure_);
    }
    CutIntoRowChunks(&structure_);
    held_.structure = &structure_;
    held_.values.Resize(structure_.num_values());
    std::fill_n(held_.values.data(), structure_.num_values(), 0.0);
    for (int row = 0; row < s.num_row_blocks(); ++row) {
      const double* const from = jacobian.row_block(row);
      double* const to = held_.row_block(row);
      for (int c = s.first_cell[row]; c < s.first_cell[row + 1]; ++c) {
        const int own = structure_.first_cell[row] + c - s.first_cell[row];
        std::copy_n(from + s.cell_position[c],
                    s.row_size(row) * s.column_size(s.cell_column[c]),
                    to + structure_.cell_position[own]);
      }
    }
    int row = s.num_row_blocks();
    for (const HeldDirection& held : directions) {
      const VectorXd& vector = held.direction.vector;
      std::copy_n(vector.data(), vector.size(),
                  held_.row_block(row) +
                      structure_.cell_position[structure_.first_cell[row]]);
      ++row;
    }
  }
  HeldJacobian(const HeldJacobian&) = delete;
  HeldJacobian& operator=(const HeldJacobian&) = delete;

  const BlockJacobian& get() const { return held_; }

 private:
  BlockJacobianStructure structure_;
  BlockJacobian held_;
};

// y += A x for rows of k numbers.
void AddProduct(const double* a, int rows, int columns, int row_step,
                int column_step, const double* x, int k, double* y) {
  for (int i = 0; i < rows; ++i) {
    double* const to = y + std::int64_t{i} * k;
    for (int j = 0; j < columns; ++j) {
      const double factor = a[i * row_step + j * column_step];
      const double* const from = x + std::int64_t{j} * k;
      for (int c = 0; c < k; ++c) to[c] += factor * from[c];
    }
  }
}

// J V.
RowMajor Multiply(const Execution& execution, const BlockJacobian& jacobian,
                  const RowMajor& v) {
  const BlockJacobianStructure& s = *jacobian.structure;
  const auto k = static_cast<int>(v.cols());
  RowMajor w = RowMajor::Zero(s.num_rows(), k);
  ParallelFor(execution, 0, s.num_row_blocks(), [&](int row) {
    VisitCells(jacobian, row, [&](int column, const ConstCell& cell) {
      const auto n = static_cast<int>(cell.cols());
      AddProduct(cell.data(), s.row_size(row), n, n, 1,
                 v.row(s.column_offset[column]).data(), k,
                 w.row(s.row_offset[row]).data());
    });
  });
  return w;
}

// J'W.
RowMajor TransposeMultiply(const Execution& execution,
                           const BlockJacobian& jacobian,
                           const CellsByColumn& cells, const RowMajor& w) {
  const BlockJacobianStructure& s = *jacobian.structure;
  const auto k = static_cast<int>(w.cols());
  RowMajor x = RowMajor::Zero(s.num_columns(), k);
  ParallelFor(execution, 0, s.num_column_blocks(), [&](int block) {
    const int n = s.column_size(block);
    for (int place = cells.first[block]; place < cells.first[block + 1];
         ++place) {
      const auto [row, cell] = cells.cells[place];
      AddProduct(jacobian.row_block(row) + s.cell_position[cell], n,
                 s.row_size(row), 1, n, w.row(s.row_offset[row]).data(), k,
                 x.row(s.column_offset[block]).data());
    }
  });
  return x;
}

// The largest singular value, from below, by power iteration with J'J: the
// value at a start to which all columns contribute.
double LargestSingularValue(const Execution& execution,
                            const BlockJacobian& jacobian,
                            const CellsByColumn& cells) {
  constexpr int kIterations = 8;
  RowMajor x =
      RowMajor::Ones(jacobian.structure->num_columns(), 1).normalized();
  double norm = 0.0;
  for (int k = 0; k < kIterations; ++k) {
    const RowMajor y = TransposeMultiply(execution, jacobian, cells,
                                         Multiply(execution, jacobian, x));
    norm = y.norm();
    if (!(norm > 0.0)) return 1.0;
    x = y / norm;
  }
  // A column has norm 1.
  return std::max(1.0, std::sqrt(norm));
}

MatrixXd Orthonormal(const MatrixXd& v) {
  const Eigen::HouseholderQR<MatrixXd> qr(v);
  return qr.householderQ() * MatrixXd::Identity(v.rows(), v.cols());
}

// Uniform in [-1, 1], the same for every library.
MatrixXd RandomMatrix(Eigen::Index rows, Eigen::Index columns) {
  std::mt19937_64 random(1);
  MatrixXd m(rows, columns);
  for (Eigen::Index j = 0; j < columns; ++j) {
    for (Eigen::Index i = 0; i < rows; ++i) {
      m(i, j) = static_cast<double>(random() >> 11) * 0x1p-52 - 1.0;
    }
  }
  return m;
}

// The inverse of J'J + s I, and the iteration with it.
class SubspaceIteration {
 public:
  SubspaceIteration(const Execution& execution, const BlockJacobian& jacobian,
                    double largest)
      : execution_(execution),
        jacobian_(jacobian),
        cells_(*jacobian.structure),
        largest_(largest),
        equations_(execution, *jacobian.structure) {}

  bool Factorize(std::string* message) {
    const int n = jacobian_.structure->num_columns();
    factor_ =
        CreateNativeFactor(SparseCholesky::Options(), equations_.pattern());
    AlignedBuffer gradient(n);
    values_.Resize(equations_.pattern().num_values());
    // Rounding errors of large fill may exceed the first shift.
    for (double shift = kShift; shift < 1e-6; shift *= 10.0) {
      const std::vector<double> damping(n, std::sqrt(shift) * largest_);
      equations_.Assemble(jacobian_, damping.data(), values_.data(),
                          gradient.data());
      const LinearSolverTermination termination =
          factor_->Factorize(execution_, values_.data(), message);
      if (termination == LinearSolverTermination::kSuccess) return true;
      if (termination == LinearSolverTermination::kFatalError) return false;
    }
    return false;
  }

  // The singular values of J at most bound * largest_, and one more. False: all
  // `count` Ritz values are below.
  bool Run(int count, double bound, std::vector<double>* values,
           MatrixXd* vectors) {
    const int n = jacobian_.structure->num_columns();
    MatrixXd v = Orthonormal(RandomMatrix(n, count));
    RowMajor w = Multiply(execution_, jacobian_, v);
    VectorXd before = VectorXd::Constant(count, largest_);
    for (int iteration = 1;; ++iteration) {
      CheckStop(execution_);
      v = Orthonormal(
          v - Solve(TransposeMultiply(execution_, jacobian_, cells_, w)));
      w = Multiply(execution_, jacobian_, v);
      const VectorXd now = Rotate(&v, &w);
      const bool converged = IsConverged(before, now, bound, iteration);
      before = now;
      if (converged || iteration == kMaxIterations) break;
    }
    int small = 0;
    while (small < count && before(count - 1 - small) <= bound * largest_) {
      ++small;
    }
    const int kept = std::min(count, small + 1);
    values->resize(kept);
    vectors->resize(n, kept);
    for (int k = 0; k < kept; ++k) {
      (*values)[k] = before(count - 1 - k);
      vectors->col(k) = v.col(count - 1 - k);
    }
    return small < count;
  }

 private:
  MatrixXd Solve(const RowMajor& b) {
    MatrixXd x = b;
    std::string message;
    VectorXd right(b.rows());
    for (Eigen::Index k = 0; k < b.cols(); ++k) {
      CheckStop(execution_);
      right = x.col(k);
      if (factor_->Solve(right.data(), x.col(k).data(), &message) !=
          LinearSolverTermination::kSuccess) {
        x.col(k).setZero();
      }
    }
    return x;
  }

  // Rotates V and W = J V so that the columns of W are orthogonal. Returns
  // their norms, the Ritz values, descending.
  static VectorXd Rotate(MatrixXd* v, RowMajor* w) {
    const Eigen::Index count = v->cols();
    const Eigen::HouseholderQR<MatrixXd> qr(*w);
    const MatrixXd r = qr.matrixQR()
                           .topRows(std::min(w->rows(), count))
                           .template triangularView<Eigen::Upper>();
    const Eigen::JacobiSVD<MatrixXd> svd(r, Eigen::ComputeFullV);
    *v = *v * svd.matrixV();
    *w = *w * svd.matrixV();
    VectorXd values = VectorXd::Zero(count);
    values.head(svd.singularValues().size()) = svd.singularValues();
    return values;
  }

  // Ritz values only decrease. Those below the bound have stopped doing so,
  // down to the rounding errors of J V. The first one above it shows that no
  // other singular value is below: after some iterations, a direction below the
  // bound would have shown in it.
  bool IsConverged(const VectorXd& before, const VectorXd& now, double bound,
                   int iteration) const {
    const double noise = 8.0 * kEpsilon * largest_;
    for (Eigen::Index k = now.size() - 1; k >= 0; --k) {
      if (now(k) > bound * largest_) {
        return now(k) >= 0.9 * before(k) ||
               (iteration >= kIterationsToShow && now(k) > kShown * largest_);
      }
      if (now(k) > noise && !(now(k) >= 0.99 * before(k))) return false;
    }
    return iteration >= kIterationsToShow;
  }

  const Execution execution_;
  const BlockJacobian& jacobian_;
  const CellsByColumn cells_;
  const double largest_;
  NormalEquations equations_;
  AlignedBuffer values_;
  std::unique_ptr<NativeFactor<double>> factor_;
};

bool FindSparse(const Execution& execution, const BlockJacobian& jacobian,
                double bound, SmallSingularValues* result,
                std::string* message) {
  const BlockJacobianStructure& s = *jacobian.structure;
  const int n = s.num_columns();
  result->largest = LargestSingularValue(execution, jacobian, CellsByColumn(s));
  const std::vector<HeldDirection> local =
      FindLocalDirections(execution, jacobian);
  for (const HeldDirection& held : local) {
    if (!held.is_zero_column) result->local.push_back(held.direction);
  }
  const HeldJacobian held(jacobian, local);
  SubspaceIteration iteration(execution, held.get(), result->largest);
  if (!iteration.Factorize(message)) return false;
  int count = std::min(n, kFirstVectors);
  while (!iteration.Run(count, bound, &result->values, &result->vectors) &&
         count < n) {
    if (count >= kMaxVectors) {
      result->is_complete = false;
      break;
    }
    count = std::min({n, 2 * count, kMaxVectors});
  }
  return true;
}

}  // namespace

bool FindSmallSingularValues(const Execution& execution,
                             const BlockJacobian& jacobian, double bound,
                             SmallSingularValues* result,
                             std::string* message) {
  *result = {};
  message->clear();
  if (jacobian.structure->num_columns() <= kMaxDenseColumns) {
    FindDense(execution, jacobian, bound, result);
    return true;
  }
  return FindSparse(execution, jacobian, bound, result, message);
}

}  // namespace ceres::internal
