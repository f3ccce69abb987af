// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/diagnosis/small_singular_values.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <utility>

#include "Eigen/QR"
#include "Eigen/SVD"
#include "ceres/diagnosis/scaled_jacobian.h"
#include "ceres/diagnosis/shifted_least_squares.h"
#include "ceres/execution/loops.h"

namespace ceres::internal {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using ConstCell = Eigen::Map<const RowMajorMatrix>;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

// Singular values below this multiple of the largest one count as zero when
// directions of single blocks are held.
constexpr double kLocalZero = 64.0 * kEpsilon;
// The shift of J'J. Larger than the rounding errors of J'J and its
// factorization, smaller than the squares of singular values that converge at
// once.
constexpr double kShift = 1e-12;
constexpr int kFirstVectors = 1;
constexpr int kMaxVectors = 768;
constexpr int kMaxIterations = 24;
// After that many iterations, the part of a vector along a direction below the
// bound exceeds its parts along singular values above kShown.
constexpr int kIterationsToShow = 2;
constexpr double kShown = 1e-4;

// R of J = Q R.
MatrixXd TriangularFactorOfRows(const Execution& execution,
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

// The inner products of the columns of a block, row by row: the lower triangle.
class BlockProducts {
 public:
  explicit BlockProducts(int size) : n_(size), g_(std::size_t{1} * n_ * n_) {}

  void Add(const double* rows, int num_rows) {
    const double* a = rows;
    for (int r = 0; r < num_rows; ++r, a += n_) {
      for (int i = 0; i < n_; ++i) {
        for (int j = 0; j <= i; ++j) g_[i * n_ + j] += a[i] * a[j];
      }
    }
  }

  // Whether the pivots of the Cholesky factorization are not small.
  bool HaveLargePivots() const {
    constexpr double kClear = 1e-4;
    std::vector<double> l = g_;
    for (int i = 0; i < n_; ++i) {
      for (int j = 0; j <= i; ++j) {
        double sum = l[i * n_ + j];
        for (int k = 0; k < j; ++k) sum -= l[i * n_ + k] * l[j * n_ + k];
        if (i == j) {
          if (!(sum > kClear)) return false;
          l[i * n_ + i] = std::sqrt(sum);
        } else {
          l[i * n_ + j] = sum / l[j * n_ + j];
        }
      }
    }
    return true;
  }

 private:
  const int n_;
  std::vector<double> g_;
};

// Whether the columns of a block are clearly independent. False: unknown. More
// rows cannot make pivots smaller, so that some rows are often enough.
bool AreIndependent(const BlockJacobian& jacobian, const CellsByColumn& cells,
                    int block) {
  const BlockJacobianStructure& s = *jacobian.structure;
  const int n = s.column_size(block);
  BlockProducts products(n);
  int num_rows = 0;
  int next_check = 4 * n;
  for (int k = cells.first[block]; k < cells.first[block + 1]; ++k) {
    const auto [row, cell] = cells.cells[k];
    products.Add(jacobian.row_block(row) + s.cell_position[cell],
                 s.row_size(row));
    num_rows += s.row_size(row);
    if (num_rows < next_check) continue;
    if (products.HaveLargePivots()) return true;
    next_check = 4 * num_rows;
  }
  return products.HaveLargePivots();
}

// R of the cells of a column block, or the cells themselves if they are few.
MatrixXd StackedCells(const BlockJacobian& jacobian, const CellsByColumn& cells,
                      int block) {
  const BlockJacobianStructure& s = *jacobian.structure;
  const int n = s.column_size(block);
  MatrixXd stacked = MatrixXd::Zero(0, n);
  MatrixXd rows(0, n);
  for (int k = cells.first[block]; k < cells.first[block + 1]; ++k) {
    const auto [row, cell] = cells.cells[k];
    const ConstCell values(jacobian.row_block(row) + s.cell_position[cell],
                           s.row_size(row), n);
    rows.resize(stacked.rows() + values.rows(), n);
    rows << stacked, values;
    stacked = rows;
    if (rows.rows() > 2 * n) {
      const Eigen::HouseholderQR<MatrixXd> qr(rows);
      stacked =
          MatrixXd(qr.matrixQR().topRows(n).triangularView<Eigen::Upper>());
    }
  }
  return stacked;
}

// J with one more row for each local direction. Adjacent column blocks on which
// the same rows depend, such as x, y and the angle of a pose, are one column
// block: the columns are the same, and there are fewer cells. Eliminated blocks
// stay as they are: their rows stay together, with those of directions.
class HeldJacobian {
 public:
  HeldJacobian(const Execution& execution, const BlockJacobian& jacobian,
               const CellsByColumn& cells,
               const std::vector<LocalDirection>& directions) {
    MergeBlocks(*jacobian.structure, cells);
    if (directions.empty() &&
        structure_.column_offset == jacobian.structure->column_offset) {
      given_ = &jacobian;
      given_cells_ = &cells;
      return;
    }
    ListRows(*jacobian.structure, directions);
    PlaceRows(*jacobian.structure, directions);
    held_.structure = &structure_;
    held_.values.Resize(structure_.num_values());
    ParallelFor(execution, 0, structure_.num_row_blocks(), [&](int row) {
      std::fill_n(held_.row_block(row),
                  structure_.row_block_offset[row + 1] -
                      structure_.row_block_offset[row],
                  0.0);
      if (source_[row] >= 0) {
        CopyRow(jacobian, row);
        return;
      }
      const LocalDirection& direction = directions[~source_[row]];
      std::copy_n(direction.vector.data(), direction.vector.size(),
                  held_.row_block(row) +
                      structure_.cell_position[structure_.first_cell[row]] +
                      place_[direction.column_block]);
    });
    held_cells_.emplace(structure_);
  }
  HeldJacobian(const HeldJacobian&) = delete;
  HeldJacobian& operator=(const HeldJacobian&) = delete;

  const BlockJacobian& get() const {
    return given_ != nullptr ? *given_ : held_;
  }
  const CellsByColumn& cells() const {
    return given_ != nullptr ? *given_cells_ : *held_cells_;
  }

 private:
  void MergeBlocks(const BlockJacobianStructure& s,
                   const CellsByColumn& cells) {
    constexpr int kMaxMergedColumns = 9;
    const auto have_same_rows = [&](int a, int b) {
      const int count = cells.first[a + 1] - cells.first[a];
      if (cells.first[b + 1] - cells.first[b] != count) return false;
      return std::equal(
          cells.cells.begin() + cells.first[a],
          cells.cells.begin() + cells.first[a + 1],
          cells.cells.begin() + cells.first[b],
          cells.cells.begin() + cells.first[b + 1],
          [](const auto& x, const auto& y) { return x.row == y.row; });
    };
    for (int block = 0; block < s.num_column_blocks(); ++block) {
      const int end = s.column_offset[block + 1];
      std::vector<int>& offset = structure_.column_offset;
      if (block > s.num_eliminated &&
          end - offset[offset.size() - 2] <= kMaxMergedColumns &&
          have_same_rows(block - 1, block)) {
        offset.back() = end;
      } else {
        offset.push_back(end);
      }
      merged_into_.push_back(structure_.num_column_blocks() - 1);
      place_.push_back(s.column_offset[block] - offset[offset.size() - 2]);
    }
  }

  // The rows of each eliminated block and of its directions, then the others.
  void ListRows(const BlockJacobianStructure& s,
                const std::vector<LocalDirection>& directions) {
    std::vector<std::vector<int>> of_eliminated(s.num_eliminated);
    std::vector<int> others;
    for (std::size_t k = 0; k < directions.size(); ++k) {
      const int block = directions[k].column_block;
      (block < s.num_eliminated ? of_eliminated[block] : others)
          .push_back(~static_cast<int>(k));
    }
    structure_.num_eliminated = s.num_eliminated;
    int row = 0;
    for (int block = 0; block < s.num_eliminated; ++block) {
      for (; row < s.eliminated_first_row[block + 1]; ++row) {
        source_.push_back(row);
      }
      source_.insert(source_.end(), of_eliminated[block].begin(),
                     of_eliminated[block].end());
      structure_.eliminated_first_row.push_back(
          static_cast<int>(source_.size()));
    }
    for (; row < s.num_row_blocks(); ++row) source_.push_back(row);
    source_.insert(source_.end(), others.begin(), others.end());
  }

  void PlaceRows(const BlockJacobianStructure& s,
                 const std::vector<LocalDirection>& directions) {
    std::vector<int> columns;
    own_cell_.resize(s.first_cell[s.num_row_blocks()]);
    for (const int row : source_) {
      columns.clear();
      if (row < 0) {
        columns.push_back(merged_into_[directions[~row].column_block]);
        AppendRowBlock(1, columns, &structure_);
        continue;
      }
      for (int c = s.first_cell[row]; c < s.first_cell[row + 1]; ++c) {
        const int merged = merged_into_[s.cell_column[c]];
        const auto at = std::find(columns.begin(), columns.end(), merged);
        own_cell_[c] = static_cast<int>(at - columns.begin());
        if (at == columns.end()) columns.push_back(merged);
      }
      AppendRowBlock(s.row_size(row), columns, &structure_);
    }
    CutIntoRowChunks(&structure_);
  }

  void CopyRow(const BlockJacobian& jacobian, int own_row) {
    const BlockJacobianStructure& s = *jacobian.structure;
    const int row = source_[own_row];
    for (int c = s.first_cell[row]; c < s.first_cell[row + 1]; ++c) {
      const int column = s.cell_column[c];
      const int n = s.column_size(column);
      const int merged_size = structure_.column_size(merged_into_[column]);
      const double* const from = jacobian.row_block(row) + s.cell_position[c];
      double* const to =
          held_.row_block(own_row) +
          structure_
              .cell_position[structure_.first_cell[own_row] + own_cell_[c]] +
          place_[column];
      for (int i = 0; i < s.row_size(row); ++i) {
        std::copy_n(from + i * n, n, to + i * merged_size);
      }
    }
  }

  const BlockJacobian* given_ = nullptr;        // If nothing differs,
  const CellsByColumn* given_cells_ = nullptr;  // and its cells.
  std::vector<int> merged_into_;                // By column block,
  std::vector<int> place_;     // and the place of its first column.
  std::vector<int> own_cell_;  // By cell: the place in its row.
  std::vector<int> source_;    // By own row: the row, or ~ the direction.
  BlockJacobianStructure structure_;
  BlockJacobian held_;
  std::optional<CellsByColumn> held_cells_;
};

// The largest singular value, from below: the Ritz value of J'J in the Krylov
// space of x and J'J x, for an x to which all columns contribute (Golub and Van
// Loan, Matrix Computations, 10.1).
double LargestSingularValue(const Execution& execution,
                            const BlockJacobian& jacobian,
                            const CellsByColumn& cells) {
  const RowMajorMatrix x =
      RowMajorMatrix::Ones(jacobian.structure->num_columns(), 1).normalized();
  const RowMajorMatrix y = Multiply(execution, jacobian, x);
  RowMajorMatrix z = TransposeMultiply(execution, jacobian, cells, y);
  const double first = y.squaredNorm();
  z -= first * x;
  const double beside = z.norm();
  double square = first;
  if (beside > 1e-6 * first) {
    z /= beside;
    const double second = Multiply(execution, jacobian, z).squaredNorm();
    // The larger eigenvalue of [first beside; beside second].
    square =
        0.5 * (first + second) + std::hypot(0.5 * (first - second), beside);
  }
  // A column has norm 1.
  return std::max(1.0, std::sqrt(square));
}

// Uniform in [-1, 1], the same for every library.
RowMajorMatrix RandomMatrix(Eigen::Index rows, Eigen::Index columns) {
  std::mt19937_64 random(1);
  RowMajorMatrix m(rows, columns);
  for (Eigen::Index i = 0; i < rows; ++i) {
    for (Eigen::Index j = 0; j < columns; ++j) {
      m(i, j) = static_cast<double>(random() >> 11) * 0x1p-52 - 1.0;
    }
  }
  return m;
}

// The inverse of J'J + s I, and the iteration with it.
class SubspaceIteration {
 public:
  // Parameters must outlive this.
  SubspaceIteration(const Execution& execution, const BlockJacobian& jacobian,
                    const CellsByColumn& cells, const RowMajorMatrix& known,
                    double largest)
      : execution_(execution),
        jacobian_(jacobian),
        known_(known),
        largest_(largest),
        inverse_(ShiftedLeastSquares::Create(execution, jacobian, cells)) {}

  bool Factorize(std::string* message) {
    // Rounding errors of large fill may exceed the first shift.
    for (double shift = kShift; shift < 1e-6; shift *= 10.0) {
      switch (inverse_->Factorize(std::sqrt(shift) * largest_, message)) {
        case ShiftedLeastSquares::Outcome::kSuccess:
          return true;
        case ShiftedLeastSquares::Outcome::kNoMemory:
          return false;
        case ShiftedLeastSquares::Outcome::kNotPositiveDefinite:
          break;
      }
    }
    return false;
  }

  // Finds singular vectors V of J of singular values at most bound * largest_,
  // and one more, besides the known ones, and W = J V. False: all `count` Ritz
  // values are below.
  bool Run(int count, double bound, RowMajorMatrix* v, RowMajorMatrix* w) {
    *v = RandomMatrix(jacobian_.structure->num_columns(), count);
    ProjectFromKnown(v);
    *w = Multiply(execution_, jacobian_, *v);
    VectorXd now = VectorXd::Constant(count, largest_);
    for (int iteration = 1;; ++iteration) {
      CheckStop(execution_);
      *v -= inverse_->Solve(*w);
      ProjectFromKnown(v);
      MakeOrthonormal(execution_, v);
      *w = Multiply(execution_, jacobian_, *v);
      const VectorXd before = now;
      now = Rotate(v, w);
      if (IsConverged(before, now, bound, iteration) ||
          iteration == kMaxIterations) {
        break;
      }
    }
    int small = 0;
    while (small < count && now(count - 1 - small) <= bound * largest_) ++small;
    const int kept = std::min(count, small + 1);
    *v = RowMajorMatrix(v->rightCols(kept));
    *w = RowMajorMatrix(w->rightCols(kept));
    return small < count;
  }

 private:
  // Removes the parts along known vectors.
  void ProjectFromKnown(RowMajorMatrix* v) const {
    // Twice is enough (Parlett, The Symmetric Eigenvalue Problem, 6.9).
    for (int round = 0; round < 2 && known_.cols() > 0; ++round) {
      SubtractProduct(execution_, known_, InnerProducts(execution_, known_, *v),
                      v);
    }
  }

  // Rotates V and W = J V so that the columns of W are orthogonal. Returns
  // their norms, the Ritz values, descending.
  VectorXd Rotate(RowMajorMatrix* v, RowMajorMatrix* w) const {
    const Eigen::JacobiSVD<MatrixXd> svd(TriangularFactor(execution_, *w),
                                         Eigen::ComputeFullV);
    MultiplyBy(execution_, svd.matrixV(), v);
    MultiplyBy(execution_, svd.matrixV(), w);
    return svd.singularValues();
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
  const RowMajorMatrix& known_;
  const double largest_;
  std::unique_ptr<ShiftedLeastSquares> inverse_;
};

// The singular values of J restricted to the space of the orthonormal vectors
// U and V, ascending, and their vectors.
void RitzOf(const Execution& execution, const RowMajorMatrix& u,
            const RowMajorMatrix& ju, const RowMajorMatrix& v,
            const RowMajorMatrix& jv, SmallSingularValues* result) {
  const Eigen::Index count = u.cols() + v.cols();
  const Eigen::JacobiSVD<MatrixXd> svd(TriangularFactor(execution, ju, jv),
                                       Eigen::ComputeFullV);
  result->values.resize(count);
  for (Eigen::Index k = 0; k < count; ++k) {
    result->values[k] = svd.singularValues()(count - 1 - k);
  }
  const MatrixXd rotation = svd.matrixV().rowwise().reverse();
  result->vectors = u * rotation.topRows(u.cols());
  result->vectors += v * rotation.bottomRows(v.cols());
}

}  // namespace

LocalDirections FindLocalDirections(const Execution& execution,
                                    const BlockJacobian& jacobian,
                                    const CellsByColumn& cells) {
  const BlockJacobianStructure& s = *jacobian.structure;
  std::vector<std::vector<VectorXd>> found(s.num_column_blocks());
  std::vector<int> num_zero(s.num_column_blocks(), 0);
  ParallelFor(execution, 0, s.num_column_blocks(), [&](int block) {
    if (AreIndependent(jacobian, cells, block)) return;
    const int n = s.column_size(block);
    const MatrixXd stacked = StackedCells(jacobian, cells, block);
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
  LocalDirections directions;
  for (int block = 0; block < s.num_column_blocks(); ++block) {
    for (int k = 0; k < static_cast<int>(found[block].size()); ++k) {
      (k < num_zero[block] ? directions.zero_columns : directions.others)
          .push_back({block, std::move(found[block][k])});
    }
  }
  return directions;
}

SmallSingularValues FindSmallDense(const Execution& execution,
                                   const BlockJacobian& jacobian,
                                   double bound) {
  SmallSingularValues result;
  const int n = jacobian.structure->num_columns();
  const MatrixXd r = TriangularFactorOfRows(execution, jacobian);
  const std::vector<bool> is_zero = ZeroColumns(jacobian);
  std::vector<int> kept;
  for (int k = 0; k < n; ++k) {
    if (!is_zero[k]) kept.push_back(k);
  }
  const auto num_kept = static_cast<int>(kept.size());
  const MatrixXd squeezed = r(Eigen::all, kept);
  const Eigen::JacobiSVD<MatrixXd> svd(squeezed, Eigen::ComputeFullV);
  result.largest = num_kept > 0 ? svd.singularValues()(0) : 0.0;
  int count = 0;
  while (count < num_kept &&
         svd.singularValues()(num_kept - 1 - count) <= bound * result.largest) {
    ++count;
  }
  count = std::min(num_kept, count + 1);
  result.values.resize(count);
  result.vectors = MatrixXd::Zero(n, count);
  for (int k = 0; k < count; ++k) {
    result.values[k] = svd.singularValues()(num_kept - 1 - k);
    result.vectors.col(k)(kept) = svd.matrixV().col(num_kept - 1 - k);
  }
  return result;
}

bool FindSmallSparse(const Execution& execution, const BlockJacobian& jacobian,
                     const CellsByColumn& cells, double bound,
                     const LocalDirections& local, const KnownVectors& known,
                     SmallSingularValues* result, std::string* message) {
  *result = {};
  message->clear();
  const int n = jacobian.structure->num_columns();
  std::vector<LocalDirection> held_directions = local.zero_columns;
  held_directions.insert(held_directions.end(), local.others.begin(),
                         local.others.end());
  const HeldJacobian held(execution, jacobian, cells, held_directions);
  // Rows that hold null directions of norm 1 add singular values 1, which are
  // at most the largest one: the columns of J have norm 1.
  const BlockJacobian& own = held.get();
  result->largest = LargestSingularValue(execution, own, held.cells());
  SubspaceIteration iteration(execution, own, held.cells(), known.vectors,
                              result->largest);
  if (!iteration.Factorize(message)) return false;
  const auto num_known = static_cast<int>(known.vectors.cols());
  RowMajorMatrix v(n, 0);
  RowMajorMatrix w(own.structure->num_rows(), 0);
  int count = std::min(n - num_known, kFirstVectors);
  while (count > 0 && !iteration.Run(count, bound, &v, &w) &&
         count < n - num_known) {
    if (count >= kMaxVectors) {
      result->is_complete = false;
      break;
    }
    count = std::min({n - num_known, 2 * count, kMaxVectors});
  }
  // All vectors below the bound together: known ones may be inaccurate.
  const RowMajorMatrix products_with_held =
      held_directions.empty() ? RowMajorMatrix()
                              : Multiply(execution, own, known.vectors);
  RitzOf(execution, known.vectors,
         held_directions.empty() ? known.products : products_with_held, v, w,
         result);
  return true;
}

}  // namespace ceres::internal
