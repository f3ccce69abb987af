// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/diagnosis/tall_matrices.h"

#include <algorithm>
#include <utility>

#include "Eigen/Cholesky"
#include "Eigen/QR"
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

// The R of TriangularFactor if the columns are clearly independent.
bool FactorizeInnerProducts(const Execution& execution, const RowMajorMatrix& a,
                            MatrixXd* r) {
  constexpr double kClear = 1e-3;
  constexpr double kTooSmall = 1e-280;
  MatrixXd products = InnerProducts(execution, a, a);
  const VectorXd squares = products.diagonal();
  if (!products.allFinite() || !(squares.array() > kTooSmall).all()) {
    return false;
  }
  const VectorXd norms = squares.cwiseSqrt();
  const VectorXd factors = norms.cwiseInverse();
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
  return ParallelReduce(
      execution, 0, static_cast<int>(a.rows()),
      MatrixXd(MatrixXd::Zero(a.cols(), b.cols())),
      [&](IndexRange rows) {
        MatrixXd sum = MatrixXd::Zero(a.cols(), b.cols());
        for (int row = rows.begin; row < rows.end; row += kBlockRows) {
          const int size = std::min(kBlockRows, rows.end - row);
          sum.noalias() +=
              a.middleRows(row, size).transpose() * b.middleRows(row, size);
        }
        return sum;
      },
      [](MatrixXd x, const MatrixXd& y) {
        x += y;
        return x;
      },
      kBlockRows);
}

MatrixXd TriangularFactor(const Execution& execution, const RowMajorMatrix& a) {
  MatrixXd r;
  if (a.cols() == 0 || FactorizeInnerProducts(execution, a, &r)) return r;
  const Eigen::HouseholderQR<MatrixXd> qr(a);
  r = MatrixXd::Zero(a.cols(), a.cols());
  const Eigen::Index rows = std::min(a.rows(), a.cols());
  r.topRows(rows) =
      qr.matrixQR().topRows(rows).template triangularView<Eigen::Upper>();
  return r;
}

void MakeOrthonormal(const Execution& execution, RowMajorMatrix* a) {
  for (int round = 0; round < 2 && a->cols() > 0; ++round) {
    MatrixXd r;
    if (!FactorizeInnerProducts(execution, *a, &r)) {
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
  if (m.rows() == m.cols()) {
    ForBlocksOfRows(execution, a->rows(),
                    [&](Eigen::Index first, Eigen::Index size) {
                      auto rows = a->middleRows(first, size);
                      rows = rows * m;
                    });
    return;
  }
  RowMajorMatrix product(a->rows(), m.cols());
  ForBlocksOfRows(execution, a->rows(),
                  [&](Eigen::Index first, Eigen::Index size) {
                    product.middleRows(first, size).noalias() =
                        a->middleRows(first, size) * m;
                  });
  *a = std::move(product);
}

void AppendColumns(const RowMajorMatrix& b, RowMajorMatrix* a) {
  RowMajorMatrix both(a->rows(), a->cols() + b.cols());
  both << *a, b;
  *a = std::move(both);
}

}  // namespace ceres::internal
