// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/diagnosis/null_space.h"

#include <algorithm>
#include <cmath>
#include <limits>

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

  void AppendTo(std::vector<NullVector>* null_vectors) const {
    for (const auto& [block, basis] : bases_) {
      for (Index k = 0; k < basis.vectors.cols(); ++k) {
        VectorXd whole = VectorXd::Zero(part_.structure().num_columns());
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

// The motions of the part, and what J maps them to, a column for each.
std::vector<ScaledMotion> FindMotions(const Execution& execution,
                                      const JacobianPart& part,
                                      const std::vector<double>& column_norms,
                                      const std::vector<MovableBlock>& blocks,
                                      int* dimension,
                                      RowMajorMatrix* products) {
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
  *products = gauge.motions.empty()
                  ? RowMajorMatrix(part.structure().num_rows(), 0)
                  : std::move(gauge.products);
  std::vector<ScaledMotion> motions;
  for (GaugeMotion& motion : gauge.motions) {
    // The columns of norm zero are directions of their own. A motion moves
    // several things, so that it is not zero.
    motion.direction.array() *= own_norms.array();
    const double factor = 1.0 / motion.direction.cwiseAbs().maxCoeff();
    motion.direction *= factor;
    products->col(static_cast<Index>(motions.size())) *= factor;
    motions.push_back({motion.kind, std::move(motion.direction)});
  }
  return motions;
}

// An orthonormal basis of the motions, without their parts along local
// directions. products: of the motions.
KnownVectors BasisOf(const Execution& execution,
                     const std::vector<ScaledMotion>& motions,
                     const RowMajorMatrix& products, const LocalSpace& local,
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
  KnownVectors known{std::move(v), products(Eigen::all, kept)};
  MultiplyBy(execution, to_basis, &known.products);
  return known;
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

// Marks the vectors of the basis that the motions replace: those with many
// entries, if there is a choice. Motions that depend on others are removed.
std::vector<bool> ReplacedByMotions(const MatrixXd& basis,
                                    const MatrixXd& reduced_motions,
                                    const std::vector<int>& pivot,
                                    std::vector<ScaledMotion>* motions) {
  constexpr double kUsablePivot = 0.1;
  std::vector<bool> is_replaced(basis.cols(), false);
  MatrixXd c(basis.cols(), reduced_motions.cols());
  for (Index k = 0; k < basis.cols(); ++k) {
    c.row(k) = reduced_motions.row(pivot[k]) / basis(pivot[k], k);
  }
  std::vector<ScaledMotion> kept;
  for (Index m = 0; m < c.cols(); ++m) {
    double largest = 0.0;
    for (Index k = 0; k < c.rows(); ++k) {
      if (!is_replaced[k]) largest = std::max(largest, std::abs(c(k, m)));
    }
    if (!(largest > kInNullSpace)) continue;
    Index best = -1;
    Index best_count = 0;
    for (Index k = 0; k < c.rows(); ++k) {
      if (is_replaced[k] || std::abs(c(k, m)) < kUsablePivot * largest)
        continue;
      const Index count = (basis.col(k).array() != 0.0).count();
      if (count > best_count) {
        best = k;
        best_count = count;
      }
    }
    is_replaced[best] = true;
    for (Index other = m + 1; other < c.cols(); ++other) {
      const double factor = c(best, other) / c(best, m);
      c.col(other) -= factor * c.col(m);
      c(best, other) = 0.0;
    }
    kept.push_back(std::move((*motions)[m]));
  }
  *motions = std::move(kept);
  return is_replaced;
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
  RowMajorMatrix products;
  std::vector<ScaledMotion> motions =
      FindMotions(execution, part, column_norms, blocks,
                  &result->gauge_dimension, &products);
  if (!is_dense &&
      !FindSmallSparse(execution, part.jacobian(), part.cells(), weak_ratio,
                       local_directions,
                       BasisOf(execution, motions, products, local, n), &small,
                       message)) {
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
  local.AppendTo(&result->null_vectors);
  if (num_null == 0) return true;

  // Errors of null vectors along the weakest other direction.
  const double negligible = std::clamp(
      10.0 * std::numeric_limits<double>::epsilon() / result->smallest_ratio,
      kNegligible, kMostNegligible);
  // Those of the sparse path are orthogonal to local directions already.
  const MatrixXd null_vectors =
      is_dense ? local.ComplementIn(small.vectors.leftCols(num_null))
               : MatrixXd(small.vectors.leftCols(num_null));
  if (null_vectors.cols() == 0) return true;
  KeepMotionsIn(null_vectors, local, &motions);
  MatrixXd reduced = null_vectors;
  local.Reduce(&reduced);
  const SparseBasis basis = MakeSparseBasis(reduced, negligible);
  for (const int pivot : basis.pivot) {
    result->pivots.push_back(part.columns[pivot]);
  }
  MatrixXd reduced_motions(null_vectors.rows(), motions.size());
  for (std::size_t k = 0; k < motions.size(); ++k) {
    reduced_motions.col(static_cast<Index>(k)) = motions[k].vector;
  }
  local.Reduce(&reduced_motions);
  const std::vector<bool> is_replaced =
      ReplacedByMotions(basis.vectors, reduced_motions, basis.pivot, &motions);
  for (const ScaledMotion& motion : motions) {
    result->null_vectors.push_back(
        {ToSparse(part, motion.vector, kNegligible), motion.kind});
  }
  for (Index k = 0; k < basis.vectors.cols(); ++k) {
    if (is_replaced[k]) continue;
    result->null_vectors.push_back(
        {ToSparse(part, basis.vectors.col(k), negligible), std::nullopt});
  }
  return true;
}

}  // namespace ceres::internal
