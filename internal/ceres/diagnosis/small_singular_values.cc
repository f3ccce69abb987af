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

// Calls visit(column block, cell) for the cells of a row block.
template <typename Visit>
void VisitCells(const BlockJacobian& jacobian, int row, const Visit& visit) {
  const BlockJacobianStructure& s = *jacobian.structure;
  const double* const values = jacobian.row_block(row);
  for (int c = s.first_cell[row]; c < s.first_cell[row + 1]; ++c) {
    const int column = s.cell_column[c];
    visit(column, ConstCell(values + s.cell_position[c], s.row_size(row),
                            s.column_size(column)));
  }
}

// The largest number of cells in a row bounds the norm of a matrix whose
// column blocks are bounded: |J|^2 <= (cells in a row) (largest block norm)^2.
double NormBound(const BlockJacobian& jacobian) {
  const BlockJacobianStructure& s = *jacobian.structure;
  // |J|_2 <= |J'J|_inf^(1/2); with columns of norm 1, J'J has entries of at
  // most 1, and power iteration is tighter.
  VectorXd x = VectorXd::Ones(s.num_columns()).normalized();
  VectorXd y(s.num_columns());
  double norm = 0.0;
  for (int k = 0; k < 8; ++k) {
    y.setZero();
    for (int row = 0; row < s.num_row_blocks(); ++row) {
      VectorXd product = VectorXd::Zero(s.row_size(row));
      VisitCells(jacobian, row, [&](int column, const ConstCell& cell) {
        product += cell * x.segment(s.column_offset[column], cell.cols());
      });
      VisitCells(jacobian, row, [&](int column, const ConstCell& cell) {
        y.segment(s.column_offset[column], cell.cols()) +=
            cell.transpose() * product;
      });
    }
    norm = y.norm();
    if (!(norm > 0.0)) break;
    x = y / norm;
  }
  return std::sqrt(norm);
}

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

void FindDense(const Execution& execution, const BlockJacobian& jacobian,
               double bound, SmallSingularValues* result) {
  const int n = jacobian.structure->num_columns();
  const MatrixXd r = TriangularFactor(execution, jacobian);
  const Eigen::JacobiSVD<MatrixXd> svd(r, Eigen::ComputeFullV);
  result->largest = n > 0 ? svd.singularValues()(0) : 0.0;
  int count = 0;
  while (count < n &&
         svd.singularValues()(n - 1 - count) <= bound * result->largest) {
    ++count;
  }
  count = std::min(n, count + 1);
  result->values.resize(count);
  result->vectors.resize(n, count);
  for (int k = 0; k < count; ++k) {
    result->values[k] = svd.singularValues()(n - 1 - k);
    result->vectors.col(k) = svd.matrixV().col(n - 1 - k);
  }
}

// A direction of one column block.
struct LocalDirection {
  int column_block;
  VectorXd vector;
};

// The directions of single column blocks that J maps to zero, orthonormal
// within each block.
std::vector<LocalDirection> FindLocalDirections(const Execution& execution,
                                                const BlockJacobian& jacobian) {
  const BlockJacobianStructure& s = *jacobian.structure;
  const CellsByColumn cells(s);
  std::vector<std::vector<VectorXd>> found(s.num_column_blocks());
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
    const Eigen::JacobiSVD<MatrixXd> svd(stacked, Eigen::ComputeFullV);
    for (int k = 0; k < n; ++k) {
      const double value =
          k < svd.singularValues().size() ? svd.singularValues()(k) : 0.0;
      if (value <= kLocalZero) found[block].push_back(svd.matrixV().col(k));
    }
  });
  std::vector<LocalDirection> directions;
  for (int block = 0; block < s.num_column_blocks(); ++block) {
    for (VectorXd& vector : found[block]) {
      directions.push_back({block, std::move(vector)});
    }
  }
  return directions;
}

// J with one more row for each local direction.
class HeldJacobian {
 public:
  HeldJacobian(const BlockJacobian& jacobian,
               const std::vector<LocalDirection>& directions) {
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
    for (const LocalDirection& direction : directions) {
      AppendRowBlock(1, {direction.column_block}, &structure_);
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
    for (const LocalDirection& direction : directions) {
      std::copy_n(direction.vector.data(), direction.vector.size(),
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

// J V by row blocks, and J'W.
MatrixXd Multiply(const Execution& execution, const BlockJacobian& jacobian,
                  const MatrixXd& v) {
  const BlockJacobianStructure& s = *jacobian.structure;
  MatrixXd w = MatrixXd::Zero(s.num_rows(), v.cols());
  ParallelFor(execution, 0, s.num_row_blocks(), [&](int row) {
    VisitCells(jacobian, row, [&](int column, const ConstCell& cell) {
      w.middleRows(s.row_offset[row], cell.rows()).noalias() +=
          cell * v.middleRows(s.column_offset[column], cell.cols());
    });
  });
  return w;
}

MatrixXd TransposeMultiply(const Execution& execution,
                           const BlockJacobian& jacobian,
                           const CellsByColumn& cells, const MatrixXd& w) {
  const BlockJacobianStructure& s = *jacobian.structure;
  MatrixXd x = MatrixXd::Zero(s.num_columns(), w.cols());
  ParallelFor(execution, 0, s.num_column_blocks(), [&](int block) {
    for (int k = cells.first[block]; k < cells.first[block + 1]; ++k) {
      const auto [row, cell] = cells.cells[k];
      const ConstCell values(jacobian.row_block(row) + s.cell_position[cell],
                             s.row_size(row), s.column_size(block));
      x.middleRows(s.column_offset[block], values.cols()).noalias() +=
          values.transpose() * w.middleRows(s.row_offset[row], values.rows());
    }
  });
  return x;
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
    VectorXd before = VectorXd::Constant(count, 1.0);
    for (int iteration = 0;; ++iteration) {
      CheckStop(execution_);
      v = Orthonormal(v - Solve(TransposeMultiply(
                              execution_, jacobian_, cells_,
                              Multiply(execution_, jacobian_, v))));
      const MatrixXd w = Multiply(execution_, jacobian_, v);
      const Eigen::HouseholderQR<MatrixXd> qr(w);
      const MatrixXd r =
          qr.matrixQR().topRows(std::min<Eigen::Index>(w.rows(), count))
              .template triangularView<Eigen::Upper>();
      const Eigen::JacobiSVD<MatrixXd> svd(r, Eigen::ComputeFullV);
      v = v * svd.matrixV();
      VectorXd now = VectorXd::Zero(count);
      now.head(svd.singularValues().size()) = svd.singularValues();
      const bool converged = IsConverged(before, now, bound);
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
  MatrixXd Solve(const MatrixXd& b) {
    MatrixXd x(b.rows(), b.cols());
    std::string message;
    for (Eigen::Index k = 0; k < b.cols(); ++k) {
      CheckStop(execution_);
      if (factor_->Solve(b.col(k).data(), x.col(k).data(), &message) !=
          LinearSolverTermination::kSuccess) {
        x.col(k).setZero();
      }
    }
    return x;
  }

  // Ritz values only decrease. Those that matter have stopped doing so, down to
  // the rounding errors of J V.
  bool IsConverged(const VectorXd& before, const VectorXd& now,
                   double bound) const {
    const double noise = 8.0 * kEpsilon * largest_;
    bool has_larger = false;
    for (Eigen::Index k = now.size() - 1; k >= 0; --k) {
      if (now(k) > noise && !(now(k) >= 0.9 * before(k))) return false;
      // The first one above the bound must have settled, too.
      if (now(k) > bound * largest_) {
        has_larger = true;
        break;
      }
    }
    return has_larger || now.size() == 0 || before(0) < 1.0;
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
  result->largest = NormBound(jacobian);
  const std::vector<LocalDirection> local =
      FindLocalDirections(execution, jacobian);
  const HeldJacobian held(jacobian, local);
  SubspaceIteration iteration(execution, held.get(), result->largest);
  if (!iteration.Factorize(message)) return false;
  std::vector<double> values;
  MatrixXd vectors;
  int count = std::min(n, kFirstVectors);
  while (!iteration.Run(count, bound, &values, &vectors) && count < n) {
    if (count >= kMaxVectors) {
      result->is_complete = false;
      break;
    }
    count = std::min({n, 2 * count, kMaxVectors});
  }
  const auto num_local = static_cast<Eigen::Index>(local.size());
  result->values.assign(local.size(), 0.0);
  result->values.insert(result->values.end(), values.begin(), values.end());
  result->vectors = MatrixXd::Zero(n, num_local + vectors.cols());
  for (Eigen::Index k = 0; k < num_local; ++k) {
    const LocalDirection& direction = local[k];
    result->vectors.col(k).segment(s.column_offset[direction.column_block],
                                   direction.vector.size()) = direction.vector;
  }
  result->vectors.rightCols(vectors.cols()) = vectors;
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
