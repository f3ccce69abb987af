// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/diagnosis/null_space.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "Eigen/Core"
#include "Eigen/SVD"
#include "ceres/diagnosis/small_singular_values.h"
#include "ceres/diagnosis/sparse_basis.h"

namespace ceres::internal {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Index = Eigen::Index;

// Values below are null, those above are not.
constexpr double kSurelyNull = 2e-15;
constexpr double kSurelyNotNull = 1e-13;
constexpr double kWideGap = 100.0;
// Entries of null vectors below this, relative to the largest one, are rounding
// errors.
constexpr double kNegligible = 1e-7;
constexpr double kMostNegligible = 1e-5;
// The sine of the angle below which a motion lies in the null space.
constexpr double kInNullSpace = 1e-6;

// v (by columns of the part) as a sparse vector of the whole.
SparseVector ToSparse(const JacobianPart& part, const VectorXd& v,
                      double negligible) {
  SparseVector entries;
  const double largest = v.size() > 0 ? v.cwiseAbs().maxCoeff() : 0.0;
  if (!(largest > 0.0)) return entries;
  entries.reserve((v.cwiseAbs().array() >= negligible * largest).count());
  for (Index k = 0; k < v.size(); ++k) {
    const double value = v(k) / largest;
    if (std::abs(value) >= negligible) {
      entries.emplace_back(part.columns[k], value);
    }
  }
  return entries;
}

// Directions of single column blocks, by block.
class LocalSpace {
 public:
  LocalSpace(const JacobianPart& part,
             const std::vector<LocalDirection>& directions)
      : part_(part), directions_(directions) {
    for (std::size_t begin = 0; begin < directions.size();) {
      std::size_t end = begin;
      const int block = directions[begin].column_block;
      while (end < directions.size() && directions[end].column_block == block) {
        ++end;
      }
      MatrixXd space(directions[begin].vector.size(), end - begin);
      for (std::size_t k = begin; k < end; ++k) {
        space.col(static_cast<Index>(k - begin)) = directions[k].vector;
      }
      bases_.emplace_back(block, MakeSparseBasis(space, kNegligible));
      begin = end;
    }
  }

  // v minus its part in the space.
  void Project(Eigen::Ref<VectorXd> v) const {
    for (const LocalDirection& direction : directions_) {
      auto segment =
          v.segment(part_.structure().column_offset[direction.column_block],
                    direction.vector.size());
      segment -= direction.vector.dot(segment) * direction.vector;
    }
  }

  // An orthonormal basis of the part of span(v) that is orthogonal to the
  // space. v: orthonormal; its span contains the space.
  MatrixXd ComplementIn(MatrixXd v) const {
    if (directions_.empty()) return v;
    for (Index k = 0; k < v.cols(); ++k) Project(v.col(k));
    // The singular values are 0 and 1.
    const Eigen::JacobiSVD<MatrixXd> svd(v, Eigen::ComputeThinU);
    return svd.matrixU().leftCols((svd.singularValues().array() > 0.5).count());
  }

  // Makes vectors zero in the pivot rows: of vectors that differ by the space,
  // those with the fewest entries.
  void Reduce(MatrixXd* vectors) const {
    for (const auto& [block, basis] : bases_) {
      auto rows = vectors->middleRows(part_.structure().column_offset[block],
                                      basis.vectors.rows());
      for (Index k = 0; k < basis.vectors.cols(); ++k) {
        const int pivot = basis.pivot[k];
        const Eigen::RowVectorXd factor =
            rows.row(pivot) / basis.vectors(pivot, k);
        rows -= basis.vectors.col(k) * factor;
        rows.row(pivot).setZero();
      }
    }
  }

  // The coefficients of vectors in the sparse basis of the space, if the rest
  // of each vector is zero in the pivot rows.
  MatrixXd Coefficients(const MatrixXd& vectors) const {
    MatrixXd coefficients(directions_.size(), vectors.cols());
    Index row = 0;
    for (const auto& [block, basis] : bases_) {
      const int offset = part_.structure().column_offset[block];
      for (Index k = 0; k < basis.vectors.cols(); ++k) {
        const int pivot = basis.pivot[k];
        coefficients.row(row++) =
            vectors.row(offset + pivot) / basis.vectors(pivot, k);
      }
    }
    return coefficients;
  }

  // The numbers of entries of the vectors of the sparse basis.
  std::vector<Index> NumEntries() const {
    std::vector<Index> counts;
    for (const auto& [block, basis] : bases_) {
      for (Index k = 0; k < basis.vectors.cols(); ++k) {
        counts.push_back((basis.vectors.col(k).array() != 0.0).count());
      }
    }
    return counts;
  }

  // The vectors of the sparse basis that are not replaced.
  void AppendTo(const std::vector<bool>& is_replaced,
                std::vector<NullVector>* null_vectors) const {
    std::size_t place = 0;
    for (const auto& [block, basis] : bases_) {
      for (Index k = 0; k < basis.vectors.cols(); ++k) {
        if (is_replaced[place++]) continue;
        SparseVector entries;
        const int first = part_.columns[part_.structure().column_offset[block]];
        for (Index i = 0; i < basis.vectors.rows(); ++i) {
          const double value = basis.vectors(i, k);
          if (value != 0.0) {
            entries.emplace_back(first + static_cast<int>(i), value);
          }
        }
        null_vectors->push_back({std::move(entries), std::nullopt});
      }
    }
  }

 private:
  const JacobianPart& part_;
  const std::vector<LocalDirection>& directions_;
  std::vector<std::pair<int, SparseBasis>> bases_;
};

// Motions of the part, in scaled coordinates.
struct ScaledMotion {
  GaugeKind kind;
  VectorXd vector;
};

// J of motions, a column for each: values coefficients.
struct MotionProducts {
  RowMajorMatrix values;
  MatrixXd coefficients;
};

// The motions of the part, and what J maps them to.
std::vector<ScaledMotion> FindMotions(const Execution& execution,
                                      const JacobianPart& part,
                                      const std::vector<double>& column_norms,
                                      const std::vector<MovableBlock>& blocks,
                                      int* dimension,
                                      MotionProducts* products) {
  std::vector<MovableBlock> own_blocks;
  own_blocks.reserve(part.column_blocks.size());
  for (const int block : part.column_blocks) {
    own_blocks.push_back(blocks[block]);
  }
  VectorXd own_norms(part.columns.size());
  for (Index k = 0; k < own_norms.size(); ++k) {
    own_norms(k) = column_norms[part.columns[k]];
  }
  Gauge gauge = FindGauge(execution, part.jacobian(), part.cells(),
                          own_norms.data(), own_blocks);
  *dimension = gauge.dimension;
  if (gauge.motions.empty()) {
    *products = {RowMajorMatrix(part.structure().num_rows(), 0), {}};
    return {};
  }
  *products = {std::move(gauge.products), std::move(gauge.coefficients)};
  std::vector<ScaledMotion> motions;
  for (GaugeMotion& motion : gauge.motions) {
    // The columns of norm zero are directions of their own. A motion moves
    // several things, so that it is not zero.
    motion.direction.array() *= own_norms.array();
    const double factor = 1.0 / motion.direction.cwiseAbs().maxCoeff();
    motion.direction *= factor;
    products->coefficients.col(static_cast<Index>(motions.size())) *= factor;
    motions.push_back({motion.kind, std::move(motion.direction)});
  }
  return motions;
}

// An orthonormal basis of the motions, without their parts along local
// directions. products: of the motions.
KnownVectors BasisOf(const Execution& execution,
                     const std::vector<ScaledMotion>& motions,
                     MotionProducts products, const LocalSpace& local,
                     Index num_columns) {
  RowMajorMatrix v(num_columns, motions.size());
  VectorXd sizes(motions.size());
  for (std::size_t k = 0; k < motions.size(); ++k) {
    VectorXd projected = motions[k].vector;
    sizes(static_cast<Index>(k)) = projected.norm();
    local.Project(projected);
    v.col(static_cast<Index>(k)) = projected;
  }
  const MatrixXd r = TriangularFactor(execution, v);
  std::vector<Index> kept;
  for (Index k = 0; k < r.cols(); ++k) {
    if (std::abs(r(k, k)) > kInNullSpace * sizes(k)) kept.push_back(k);
  }
  const auto count = static_cast<Index>(kept.size());
  if (count < v.cols()) v = RowMajorMatrix(v(Eigen::all, kept));
  MatrixXd to_basis = MatrixXd::Identity(v.cols(), v.cols());
  // Twice: the first round leaves the errors of dependent columns.
  for (int round = 0; round < 2; ++round) {
    const MatrixXd own =
        round == 0 && count == r.cols() ? r : TriangularFactor(execution, v);
    const MatrixXd inverse = own.triangularView<Eigen::Upper>().solve(
        MatrixXd::Identity(count, count));
    MultiplyBy(execution, inverse, &v);
    to_basis *= inverse;
  }
  MultiplyBy(execution, products.coefficients(Eigen::all, kept) * to_basis,
             &products.values);
  return {std::move(v), std::move(products.values)};
}

// Removes the motions that do not lie in the null space, or in the space of
// local directions.
void KeepMotionsIn(const MatrixXd& null_vectors, const LocalSpace& local,
                   std::vector<ScaledMotion>* motions) {
  std::vector<ScaledMotion> kept;
  for (ScaledMotion& motion : *motions) {
    VectorXd projected = motion.vector;
    local.Project(projected);
    const double size = projected.norm();
    if (!(size > kInNullSpace * motion.vector.norm())) continue;
    const VectorXd outside =
        projected - null_vectors * (null_vectors.transpose() * projected);
    if (outside.norm() <= kInNullSpace * size) {
      kept.push_back(std::move(motion));
    }
  }
  *motions = std::move(kept);
}

// Marks the vectors of a basis that the motions replace: those with the most
// entries of which the others and the motions are a basis, which is the basis
// of a matroid of largest weight, found greedily (Edmonds, Matroids and the
// Greedy Algorithm, 1971). Motions that depend on others are removed.
// coefficients: of the motions (columns) in the basis. num_entries: of the
// vectors of the basis.
std::vector<bool> ReplacedByMotions(const MatrixXd& coefficients,
                                    const std::vector<Index>& num_entries,
                                    std::vector<ScaledMotion>* motions) {
  // v minus its part along orthonormal vectors.
  const auto beside = [](const MatrixXd& basis, VectorXd v) {
    for (int round = 0; round < 2; ++round) {
      const VectorXd along = basis.transpose() * v;
      v -= basis * along;
    }
    return v;
  };
  const auto add = [](const VectorXd& v, MatrixXd* basis) {
    basis->conservativeResize(Eigen::NoChange, basis->cols() + 1);
    basis->rightCols(1) = v.normalized();
  };
  MatrixXd q(coefficients.rows(), 0);
  std::vector<ScaledMotion> kept;
  for (Index m = 0; m < coefficients.cols(); ++m) {
    const VectorXd v = beside(q, coefficients.col(m));
    if (!(v.norm() > kInNullSpace)) continue;
    add(v, &q);
    kept.push_back(std::move((*motions)[m]));
  }
  *motions = std::move(kept);
  std::vector<Index> order(num_entries.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    return num_entries[a] > num_entries[b];
  });
  std::vector<bool> is_replaced(num_entries.size(), false);
  MatrixXd rows(q.cols(), 0);
  // Coefficients have the units of the vectors, so independence is relative to
  // a row. The largest angle that completes the basis is taken.
  for (double angle = 1e-3; rows.cols() < q.cols() && angle > 1e-12;
       angle *= 1e-3) {
    for (const Index k : order) {
      if (rows.cols() == q.cols()) break;
      const double size = q.row(k).norm();
      if (is_replaced[k] || size <= kInNullSpace * angle) continue;
      const VectorXd v = beside(rows, q.row(k).transpose());
      if (!(v.norm() > angle * size)) continue;
      add(v, &rows);
      is_replaced[k] = true;
    }
  }
  return is_replaced;
}

// Writes a sparse basis of the space of the null vectors and of local
// directions, with motions as far as they lie in it. null_vectors: orthonormal,
// and orthogonal to local directions.
void AppendNullVectors(const JacobianPart& part, const LocalSpace& local,
                       const MatrixXd& null_vectors, double negligible,
                       std::vector<ScaledMotion> motions, NullSpace* result) {
  std::vector<Index> num_entries = local.NumEntries();
  const auto num_local = static_cast<Index>(num_entries.size());
  if (null_vectors.cols() == 0) {
    local.AppendTo(std::vector<bool>(num_local), &result->null_vectors);
    return;
  }
  KeepMotionsIn(null_vectors, local, &motions);
  MatrixXd reduced = null_vectors;
  local.Reduce(&reduced);
  const SparseBasis basis = MakeSparseBasis(reduced, negligible);
  for (const int pivot : basis.pivot) {
    result->pivots.push_back(part.columns[pivot]);
  }
  MatrixXd moved(null_vectors.rows(), motions.size());
  for (std::size_t k = 0; k < motions.size(); ++k) {
    moved.col(static_cast<Index>(k)) = motions[k].vector;
  }
  MatrixXd coefficients(num_local + basis.vectors.cols(), moved.cols());
  coefficients.topRows(num_local) = local.Coefficients(moved);
  local.Reduce(&moved);
  for (Index k = 0; k < basis.vectors.cols(); ++k) {
    const int pivot = basis.pivot[k];
    coefficients.row(num_local + k) =
        moved.row(pivot) / basis.vectors(pivot, k);
    num_entries.push_back((basis.vectors.col(k).array() != 0.0).count());
  }
  const std::vector<bool> is_replaced =
      ReplacedByMotions(coefficients, num_entries, &motions);
  local.AppendTo(is_replaced, &result->null_vectors);
  for (const ScaledMotion& motion : motions) {
    result->null_vectors.push_back(
        {ToSparse(part, motion.vector, kNegligible), motion.kind});
  }
  for (Index k = 0; k < basis.vectors.cols(); ++k) {
    if (is_replaced[num_local + k]) continue;
    result->null_vectors.push_back(
        {ToSparse(part, basis.vectors.col(k), negligible), std::nullopt});
  }
}

}  // namespace

int CountNullValues(const std::vector<double>& ratios, bool* has_gap) {
  const auto clamped = [](double ratio) {
    return std::clamp(ratio, kSurelyNull, kSurelyNotNull);
  };
  const auto count = static_cast<int>(ratios.size());
  int cut = 0;
  double widest = 0.0;
  bool is_between = false;
  for (int k = 0; k <= count; ++k) {
    const double below = k > 0 ? clamped(ratios[k - 1]) : kSurelyNull;
    const double above = k < count ? clamped(ratios[k]) : kSurelyNotNull;
    if (above / below > widest) {
      widest = above / below;
      cut = k;
    }
    is_between |= k < count && ratios[k] > 4.0 * kSurelyNull &&
                  ratios[k] < kSurelyNotNull;
  }
  *has_gap = !is_between && (cut == 0 || cut == count ||
                             ratios[cut] > kWideGap * ratios[cut - 1]);
  return cut;
}

bool FindNullSpace(const Execution& execution, const JacobianPart& part,
                   const std::vector<double>& column_norms,
                   const std::vector<MovableBlock>& blocks, double weak_ratio,
                   NullSpace* result, std::string* message) {
  *result = {};
  const int n = part.structure().num_columns();
  const bool is_dense = n <= kMaxDenseColumns;
  SmallSingularValues small;
  const LocalDirections local_directions =
      FindLocalDirections(execution, part.jacobian(), part.cells());
  if (is_dense) {
    small = FindSmallDense(execution, part.jacobian(), weak_ratio);
  }
  const LocalSpace local(part, local_directions.others);
  MotionProducts products;
  std::vector<ScaledMotion> motions =
      FindMotions(execution, part, column_norms, blocks,
                  &result->gauge_dimension, &products);
  if (!is_dense && !FindSmallSparse(execution, part.jacobian(), part.cells(),
                                    weak_ratio, local_directions,
                                    BasisOf(execution, motions,
                                            std::move(products), local, n),
                                    &small, message)) {
    return false;
  }
  std::vector<double> ratios;
  for (const double value : small.values) {
    ratios.push_back(value / small.largest);
  }
  const int num_null = CountNullValues(ratios, &result->has_gap);
  result->is_complete = small.is_complete;
  if (num_null > 0) result->largest_null_ratio = ratios[num_null - 1];
  const auto num_values = static_cast<int>(ratios.size());
  if (num_null < num_values) {
    result->smallest_ratio = std::min(1.0, ratios[num_null]);
  }
  for (int k = num_null; k < num_values && ratios[k] <= weak_ratio; ++k) {
    result->weak.push_back(
        {ratios[k], ToSparse(part, small.vectors.col(k), kNegligible)});
  }
  // Errors of null vectors along the weakest other direction.
  const double negligible = std::clamp(
      10.0 * std::numeric_limits<double>::epsilon() / result->smallest_ratio,
      kNegligible, kMostNegligible);
  // The sparse path finds vectors that are orthogonal to local directions.
  const MatrixXd null_vectors =
      is_dense ? local.ComplementIn(small.vectors.leftCols(num_null))
               : MatrixXd(small.vectors.leftCols(num_null));
  AppendNullVectors(part, local, null_vectors, negligible, std::move(motions),
                    result);
  return true;
}

}  // namespace ceres::internal
