// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/diagnosis/tall_matrices.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "Eigen/Cholesky"
#include "Eigen/QR"
#include "ceres/diagnosis/wide_products.h"
#include "ceres/execution/loops.h"

namespace ceres::internal {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// The rows that a thread reads at a time: they fit in its cache.
constexpr int kBlockRows = 512;

// Calls f(first row, number of rows) for blocks of rows.
template <typename F>
void ForBlocksOfRows(const Execution& execution, Eigen::Index num_rows,
                     const F& f) {
  const auto num_blocks =
      static_cast<int>((num_rows + kBlockRows - 1) / kBlockRows);
  ParallelFor(execution, 0, num_blocks, [&](int block) {
    const Eigen::Index first = Eigen::Index{block} * kBlockRows;
    f(first, std::min<Eigen::Index>(kBlockRows, num_rows - first));
  });
}

// Whether columns may be zero: then R has a column of zeros.
enum class ZeroColumns { kAllowed, kNotAllowed };

// R of A, from A'A, if the columns are clearly independent.
bool FactorizeInnerProducts(MatrixXd products, ZeroColumns zero_columns,
                            MatrixXd* r) {
  constexpr double kClear = 1e-3;
  constexpr double kTooSmall = 1e-280;
  if (!products.allFinite()) return false;
  VectorXd norms = products.diagonal().cwiseSqrt();
  VectorXd factors(norms.size());
  for (Eigen::Index k = 0; k < norms.size(); ++k) {
    const bool is_zero = products(k, k) == 0.0;
    if (is_zero ? zero_columns == ZeroColumns::kNotAllowed
                : products(k, k) < kTooSmall) {
      return false;
    }
    factors(k) = is_zero ? 1.0 : 1.0 / norms(k);
    if (is_zero) products(k, k) = 1.0;
  }
  products = factors.asDiagonal() * products * factors.asDiagonal();
  const Eigen::LLT<MatrixXd> llt(products);
  if (llt.info() != Eigen::Success) return false;
  *r = llt.matrixU();
  if (!(r->diagonal().array().square() > kClear).all()) return false;
  *r = *r * norms.asDiagonal();
  return true;
}

}  // namespace

MatrixXd InnerProducts(const Execution& execution, const RowMajorMatrix& a,
                       const RowMajorMatrix& b) {
  if (a.cols() == 0 || b.cols() == 0) {
    return MatrixXd::Zero(a.cols(), b.cols());
  }
  const auto m = static_cast<int>(a.cols());
  const auto n = static_cast<int>(b.cols());
  const RowMajorMatrix zero = RowMajorMatrix::Zero(m, n);
  return ParallelReduce(
      execution, 0, static_cast<int>(a.rows()), zero,
      [&](IndexRange rows) {
        RowMajorMatrix sum = zero;
        RowMajorMatrix part;  // Of few rows, for small rounding errors.
        for (int row = rows.begin; row < rows.end; row += kBlockRows) {
          const int size = std::min(kBlockRows, rows.end - row);
          WithConstantWidth(n, [&](auto width) {
            if constexpr (width == 0) {
              sum.noalias() +=
                  a.middleRows(row, size).transpose() * b.middleRows(row, size);
            } else {
              part = zero;
              AddTransposedProduct<width>(a.row(row).data(), size, m,
                                          b.row(row).data(), n, part.data());
              sum += part;
            }
          });
        }
        return sum;
      },
      [](RowMajorMatrix x, const RowMajorMatrix& y) {
        x += y;
        return x;
      },
      kBlockRows);
}

MatrixXd TriangularFactor(const Execution& execution, const RowMajorMatrix& a) {
  return TriangularFactor(execution, a, RowMajorMatrix(a.rows(), 0));
}

MatrixXd TriangularFactor(const Execution& execution, const RowMajorMatrix& a,
                          const RowMajorMatrix& b) {
  const Eigen::Index n = a.cols() + b.cols();
  MatrixXd products(n, n);
  products.topLeftCorner(a.cols(), a.cols()) = InnerProducts(execution, a, a);
  products.bottomRightCorner(b.cols(), b.cols()) =
      InnerProducts(execution, b, b);
  const MatrixXd between = InnerProducts(execution, a, b);
  products.topRightCorner(a.cols(), b.cols()) = between;
  products.bottomLeftCorner(b.cols(), a.cols()) = between.transpose();
  MatrixXd r = MatrixXd::Zero(n, n);
  if (n == 0 ||
      FactorizeInnerProducts(std::move(products), ZeroColumns::kAllowed, &r)) {
    return r;
  }
  MatrixXd both(a.rows(), n);
  both << a, b;
  const Eigen::HouseholderQR<MatrixXd> qr(both);
  const Eigen::Index rows = std::min(a.rows(), n);
  r.topRows(rows) =
      qr.matrixQR().topRows(rows).template triangularView<Eigen::Upper>();
  return r;
}

void MakeOrthonormal(const Execution& execution, RowMajorMatrix* a) {
  for (int round = 0; round < 2 && a->cols() > 0; ++round) {
    MatrixXd r;
    if (!FactorizeInnerProducts(InnerProducts(execution, *a, *a),
                                ZeroColumns::kNotAllowed, &r)) {
      const Eigen::HouseholderQR<MatrixXd> qr(*a);
      *a = qr.householderQ() * MatrixXd::Identity(a->rows(), a->cols());
      return;
    }
    MultiplyBy(execution,
               r.triangularView<Eigen::Upper>().solve(
                   MatrixXd::Identity(r.rows(), r.cols())),
               a);
  }
}

void SubtractProduct(const Execution& execution, const RowMajorMatrix& b,
                     const MatrixXd& m, RowMajorMatrix* a) {
  if (b.cols() == 0) return;
  ForBlocksOfRows(
      execution, a->rows(), [&](Eigen::Index first, Eigen::Index size) {
        a->middleRows(first, size).noalias() -= b.middleRows(first, size) * m;
      });
}

void MultiplyBy(const Execution& execution, const MatrixXd& m,
                RowMajorMatrix* a) {
  const RowMajorMatrix factor = m;
  const auto from = static_cast<int>(m.rows());
  const auto to = static_cast<int>(m.cols());
  RowMajorMatrix resized(from == to ? 0 : a->rows(), to);
  double* const result = from == to ? a->data() : resized.data();
  WithConstantWidth(to, [&](auto width) {
    ForBlocksOfRows(
        execution, a->rows(), [&](Eigen::Index first, Eigen::Index size) {
          std::vector<double> product(size * to);
          AddProduct<width>(a->data() + first * from, static_cast<int>(size),
                            from, factor.data(), to, product.data());
          std::copy(product.begin(), product.end(), result + first * to);
        });
  });
  if (from != to) *a = std::move(resized);
}

}  // namespace ceres::internal
