// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/diagnosis/saddles.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "Eigen/Eigenvalues"
#include "Eigen/QR"
#include "ceres/diagnosis/null_space.h"
#include "ceres/diagnosis/sparse_basis.h"

namespace ceres::internal {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// The sine of the angle between a free direction and the null space nearby.
// Much larger than the steps, much smaller than the angles of other directions.
constexpr double kTilt = 1e-2;
// Entries of free directions below this are due to the steps.
constexpr double kNegligible = 1e-3;
// Singular values below this, divided by the largest one, may be null at a
// point nearby: the derivatives by a coordinate that are zero at the user's
// values are small there, and have large relative errors.
constexpr double kNullNearby = 1e-9;
// Larger matrices of null vectors are not compared.
constexpr double kMaxEntries = 1e7;

MatrixXd Orthonormal(const MatrixXd& v) {
  if (v.cols() == 0) return v;
  const Eigen::HouseholderQR<MatrixXd> qr(v);
  return qr.householderQ() * MatrixXd::Identity(v.rows(), v.cols());
}

bool IsUnnamed(DirectionKind kind) {
  return kind == DirectionKind::kNoInfluence || kind == DirectionKind::kGauge ||
         kind == DirectionKind::kTooFewResiduals ||
         kind == DirectionKind::kCombination;
}

// A point near the user's values.
struct NearbyPoint {
  double step = 0.0;          // Relative to the values.
  std::vector<double> state;  // `blocks` points to it.
  std::vector<MovableBlock> blocks;
  std::optional<ScaledJacobian> scaled;
  std::vector<std::unique_ptr<JacobianPart>> parts;
};

class SaddleFinder {
 public:
  SaddleFinder(const Execution& execution, const ScaledJacobian& scaled,
               double weak_ratio, DiagnosedProblem* problem,
               std::vector<FoundDirection>* directions)
      : execution_(execution),
        scaled_(scaled),
        weak_ratio_(weak_ratio),
        problem_(problem),
        directions_(directions) {}

  void Run(int largest_part, std::size_t largest_part_columns) {
    largest_part_ = largest_part;
    largest_part_columns_ = largest_part_columns;
    if (directions_->empty()) return;
    FindZeroRows();
    const bool has_unnamed = std::any_of(
        directions_->begin(), directions_->end(),
        [](const FoundDirection& found) { return IsUnnamed(found.kind); });
    if (!(has_unnamed || has_zero_rows_) || !Evaluate(0, &points_[0])) return;
    for (std::size_t p = 0; p < points_[0].parts.size(); ++p) {
      const JacobianPart& part = *points_[0].parts[p];
      std::vector<int> own = DirectionsOf(part);
      const bool is_suspect =
          std::any_of(
              own.begin(), own.end(),
              [&](int k) { return IsUnnamed((*directions_)[k].kind); }) ||
          (!own.empty() &&
           std::any_of(part.row_blocks.begin(), part.row_blocks.end(),
                       [&](int row) { return has_zero_row_[row]; }));
      if (is_suspect) {
        Separate(static_cast<int>(p), std::move(own));
      }
    }
    Replace();
  }

 private:
  // Row blocks with a row of zeros. Such a row may hold a named motion at other
  // values.
  void FindZeroRows() {
    const BlockJacobianStructure& s = *scaled_.jacobian.structure;
    has_zero_row_.assign(s.num_row_blocks(), false);
    for (int row = 0; row < s.num_row_blocks(); ++row) {
      const double* const values = scaled_.jacobian.row_block(row);
      const int end = s.first_cell[row + 1];
      const auto is_zero = [&](int i) {
        for (int c = s.first_cell[row]; c < end; ++c) {
          const int n = s.column_size(s.cell_column[c]);
          const double* const own = values + s.cell_position[c] + i * n;
          for (int k = 0; k < n; ++k) {
            if (own[k] != 0.0) return false;
          }
        }
        return true;
      };
      const int num_rows = s.row_size(row);
      for (int i = 0; i < num_rows && !has_zero_row_[row]; ++i) {
        has_zero_row_[row] = is_zero(i);
      }
      has_zero_rows_ = has_zero_rows_ || has_zero_row_[row];
    }
  }

  // Large beside rounding errors, small beside angles. The second one is for
  // functions whose domain ends nearby.
  bool Evaluate(int which, NearbyPoint* point) {
    return Evaluate(which, {1e-4, 1e-8}, point);
  }

  // At the first step with which the problem can be evaluated.
  bool Evaluate(int which, std::initializer_list<double> steps,
                NearbyPoint* point) {
    for (const double step : steps) {
      BlockJacobian jacobian;
      if (!problem_->EvaluateNearby(which, step, &point->state, &jacobian)) {
        continue;
      }
      point->step = step;
      point->blocks = problem_->MovableBlocksAt(point->state);
      point->scaled.emplace(execution_, std::move(jacobian),
                            problem_->Magnitudes());
      point->parts = FindParts(execution_, point->scaled->jacobian);
      return true;
    }
    return false;
  }

  // The directions in the columns of a part. A part of J nearby consists of
  // whole parts of J and of columns that are zero there.
  std::vector<int> DirectionsOf(const JacobianPart& part) const {
    std::vector<int> own;
    for (std::size_t k = 0; k < directions_->size(); ++k) {
      const FoundDirection& found = (*directions_)[k];
      if (found.kind != DirectionKind::kLossFunction &&
          std::binary_search(part.columns.begin(), part.columns.end(),
                             found.entries[0].first)) {
        own.push_back(static_cast<int>(k));
      }
    }
    return own;
  }

  // A unit of the coordinate of a column, for angles: the norm of the column.
  // If it is zero at the user's values, the norm nearby is the step times the
  // norm at a distance of about the values themselves.
  double UnitOf(int column) const {
    const double norm = scaled_.norms[column];
    return norm > 0.0 ? norm
                      : points_[0].scaled->norms[column] / points_[0].step;
  }

  // A vector by columns of the part, of norm 1. factors: by which entries are
  // multiplied, by columns of the part.
  static VectorXd ToDense(const JacobianPart& part, const SparseVector& entries,
                          const std::vector<double>& factors) {
    VectorXd v = VectorXd::Zero(static_cast<Index>(part.columns.size()));
    for (const auto& [column, value] : entries) {
      const auto at =
          std::lower_bound(part.columns.begin(), part.columns.end(), column) -
          part.columns.begin();
      v(at) = value * factors[at];
    }
    return v / v.norm();
  }

  // The null vectors of a part at a point, and behind them those that are weak
  // because of rounding errors or because the point is near.
  bool FindNullAndNearlyNull(const NearbyPoint& point, const JacobianPart& part,
                             std::vector<NullVector>* vectors,
                             std::size_t* num_null) const {
    NullSpace space;
    std::string message;
    if (!FindNullSpace(execution_, part, point.scaled->norms, point.blocks,
                       weak_ratio_, &space, &message)) {
      return false;
    }
    *vectors = std::move(space.null_vectors);
    *num_null = vectors->size();
    for (WeakVector& weak : space.weak) {
      if (weak.ratio < kNullNearby) {
        vectors->push_back({std::move(weak.entries), std::nullopt});
      }
    }
    return true;
  }

  // Whether a part has this many null vectors at a point that is so far away
  // that no singular value of a saddle is below kNullNearby.
  bool HasNullVectorsFarAway(const JacobianPart& part, std::size_t count) {
    if (!far_.scaled && !Evaluate(0, {1e-2}, &far_)) return false;
    for (const auto& other : far_.parts) {
      std::vector<NullVector> vectors;
      std::size_t num_null = 0;
      if (other->columns == part.columns) {
        return FindNullAndNearlyNull(far_, *other, &vectors, &num_null) &&
               vectors.size() >= count;
      }
    }
    return false;
  }

  // A basis of the null space of a part at a point. False: there is none.
  bool FindBasis(const NearbyPoint& point, const JacobianPart& part,
                 MatrixXd* basis, std::vector<NullVector>* vectors) {
    std::size_t num_null = 0;
    if (!FindNullAndNearlyNull(point, part, vectors, &num_null)) return false;
    if (vectors->size() > num_null &&
        !HasNullVectorsFarAway(part, vectors->size())) {
      vectors->resize(num_null);
    }
    std::vector<double> factors;
    for (const int column : part.columns) {
      const double norm = point.scaled->norms[column];
      if (!(norm > 0.0)) vectors->push_back({{{column, 1.0}}, std::nullopt});
      factors.push_back(norm > 0.0 ? UnitOf(column) / norm : 1.0);
    }
    basis->resize(static_cast<Index>(part.columns.size()),
                  static_cast<Index>(vectors->size()));
    for (std::size_t k = 0; k < vectors->size(); ++k) {
      basis->col(static_cast<Index>(k)) =
          ToDense(part, (*vectors)[k].entries, factors);
    }
    return basis->allFinite();
  }

  // The coefficients of the free directions, in the orthonormal basis `space`
  // of those at the user's values. False: unknown, or all of them are free.
  bool FindFree(const JacobianPart& part, const MatrixXd& space,
                const MatrixXd& first, MatrixXd* free) {
    const Index count = space.cols();
    if (first.cols() == 0) {
      free->resize(count, 0);
      return true;
    }
    if (!has_second_) {
      if (!Evaluate(1, &points_[1])) return false;
      has_second_ = true;
    }
    const JacobianPart* second_part = nullptr;
    for (const auto& other : points_[1].parts) {
      if (other->columns == part.columns) second_part = other.get();
    }
    MatrixXd second;
    std::vector<NullVector> ignored;
    if (second_part == nullptr ||
        !FindBasis(points_[1], *second_part, &second, &ignored) ||
        second.cols() >= count) {
      return false;
    }
    MatrixXd outside = 2.0 * MatrixXd::Identity(count, count);
    for (const MatrixXd& nearby : {first, second}) {
      const MatrixXd inside = space.transpose() * Orthonormal(nearby);
      outside -= inside * inside.transpose();
    }
    const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(outside);
    const Index num_free =
        (eigen.eigenvalues().array() < kTilt * kTilt).count();
    *free = eigen.eigenvectors().leftCols(num_free);
    return num_free < count;
  }

  void Separate(int p, std::vector<int> own) {
    const JacobianPart& part = *points_[0].parts[p];
    const auto count = static_cast<Index>(own.size());
    const auto n = static_cast<Index>(part.columns.size());
    if (static_cast<double>(n) * static_cast<double>(count) > kMaxEntries) {
      NameColumns(own);
      return;
    }
    MatrixXd nearby;
    std::vector<NullVector> nearby_vectors;
    if (!FindBasis(points_[0], part, &nearby, &nearby_vectors) ||
        nearby.cols() > count) {
      return;
    }
    if (nearby.cols() == count) {
      for (const int k : own) NameFree(k);
      return;
    }
    MatrixXd given(n, count);
    const std::vector<double> ones(part.columns.size(), 1.0);
    for (Index k = 0; k < count; ++k) {
      given.col(k) = ToDense(part, (*directions_)[own[k]].entries, ones);
    }
    const MatrixXd space = Orthonormal(given);
    MatrixXd free;
    if (!FindFree(part, space, nearby, &free)) return;
    const MatrixXd coefficients = space.transpose() * given;
    MatrixXd found(count, 0);  // Orthonormal: the free directions found so far.
    std::vector<int> others = KeepFree(own, coefficients, free, &found);
    if (!NameSaddles(own, coefficients, free, others)) return;
    AddFree(p, space, free, nearby, nearby_vectors, found);
  }

  // A column that is zero at the user's values only, and leaves as many
  // directions free elsewhere.
  void NameFree(int k) {
    FoundDirection& found = (*directions_)[k];
    if (found.kind == DirectionKind::kNoInfluence &&
        points_[0].scaled->norms[found.entries[0].first] > 0.0) {
      found.kind = DirectionKind::kCombination;
    }
  }

  // Columns that are zero at the user's values only.
  void NameColumns(const std::vector<int>& own) {
    for (const int k : own) {
      FoundDirection& found = (*directions_)[k];
      if (found.kind == DirectionKind::kNoInfluence &&
          points_[0].scaled->norms[found.entries[0].first] > 0.0) {
        found.kind = DirectionKind::kZeroDerivative;
      }
    }
  }

  // v minus its part along orthonormal vectors, twice (Parlett, The Symmetric
  // Eigenvalue Problem, 6.9).
  static VectorXd Beside(const MatrixXd& basis, VectorXd v) {
    for (int round = 0; round < 2; ++round) {
      const VectorXd along = basis.transpose() * v;
      v -= basis * along;
    }
    return v;
  }
  static bool AddIfIndependent(const VectorXd& v, MatrixXd* basis) {
    const VectorXd beside = Beside(*basis, v);
    if (!(beside.norm() > kTilt * v.norm())) return false;
    basis->conservativeResize(Eigen::NoChange, basis->cols() + 1);
    basis->rightCols(1) = beside.normalized();
    return true;
  }

  // Returns the places in `own` of the directions that are not free by
  // themselves, fewest entries first.
  std::vector<int> KeepFree(const std::vector<int>& own,
                            const MatrixXd& coefficients, const MatrixXd& free,
                            MatrixXd* found) {
    std::vector<int> others;
    for (std::size_t k = 0; k < own.size(); ++k) {
      const VectorXd v = coefficients.col(static_cast<Index>(k));
      if (Beside(free, v).norm() <= kTilt) {
        AddIfIndependent(v, found);
        NameFree(own[k]);
      } else {
        others.push_back(static_cast<int>(k));
      }
    }
    std::stable_sort(others.begin(), others.end(), [&](int a, int b) {
      return (*directions_)[own[a]].entries.size() <
             (*directions_)[own[b]].entries.size();
    });
    return others;
  }

  // False, without a change: the directions do not complete a basis.
  bool NameSaddles(const std::vector<int>& own, const MatrixXd& coefficients,
                   const MatrixXd& free, const std::vector<int>& others) {
    MatrixXd basis = free;
    std::vector<int> saddles;
    std::vector<int> replaced;
    for (const int k : others) {
      (AddIfIndependent(coefficients.col(k), &basis) ? saddles : replaced)
          .push_back(own[k]);
    }
    if (basis.cols() != coefficients.rows()) return false;
    for (const int k : saddles) {
      (*directions_)[k].kind = DirectionKind::kZeroDerivative;
    }
    replaced_.insert(replaced_.end(), replaced.begin(), replaced.end());
    return true;
  }

  // Completes the basis `found` of the free directions: by null vectors of the
  // point nearby, which have names, then by any.
  void AddFree(int p, const MatrixXd& space, const MatrixXd& free,
               const MatrixXd& nearby, const std::vector<NullVector>& vectors,
               MatrixXd found) {
    const MatrixXd space_free = space * free;
    for (Index k = 0; k < nearby.cols() && found.cols() < free.cols(); ++k) {
      const VectorXd along = space_free.transpose() * nearby.col(k);
      if (!((nearby.col(k) - space_free * along).norm() <= kTilt)) continue;
      if (!AddIfIndependent(free * along, &found)) continue;
      Add(p, space_free * along, vectors[k].gauge);
    }
    MatrixXd rest(space.cols(), 0);
    for (Index k = 0; k < free.cols() && found.cols() < free.cols(); ++k) {
      if (!AddIfIndependent(free.col(k), &found)) continue;
      rest.conservativeResize(Eigen::NoChange, rest.cols() + 1);
      rest.rightCols(1) = found.rightCols(1);
    }
    if (rest.cols() == 0) return;
    const SparseBasis basis = MakeSparseBasis(space * rest, kNegligible);
    for (Index k = 0; k < basis.vectors.cols(); ++k) {
      Add(p, basis.vectors.col(k), std::nullopt);
    }
  }

  void Add(int p, const VectorXd& v, const std::optional<GaugeKind>& gauge) {
    const JacobianPart& part = *points_[0].parts[p];
    const double largest = v.cwiseAbs().maxCoeff();
    FoundDirection added;
    double smallest = 0.0;
    for (Index k = 0; k < v.size(); ++k) {
      if (std::abs(v(k)) < kNegligible * largest) continue;
      const int column = part.columns[k];
      added.entries.emplace_back(column, v(k) / largest);
      const double norm = scaled_.norms[column];
      if (norm > 0.0 && (smallest == 0.0 || norm < smallest)) smallest = norm;
    }
    // Columns that are zero at the user's values have no scale there: their
    // entries are tangent coordinates, beside others with the smallest norm.
    if (smallest == 0.0) smallest = 1.0;
    for (auto& [column, value] : added.entries) {
      if (!(scaled_.norms[column] > 0.0)) value *= smallest / UnitOf(column);
    }
    const bool is_largest = part.columns.size() >= largest_part_columns_;
    added.part = is_largest ? largest_part_ : kSmallPart;
    added.kind = gauge ? KindOf(*gauge)
                       : KindOfNullVector(*problem_, *points_[0].scaled, part,
                                          added.entries);
    added_.push_back(std::move(added));
  }

  void Replace() {
    std::sort(replaced_.begin(), replaced_.end());
    for (auto k = replaced_.rbegin(); k != replaced_.rend(); ++k) {
      directions_->erase(directions_->begin() + *k);
    }
    for (FoundDirection& added : added_) {
      directions_->push_back(std::move(added));
    }
  }

  static constexpr int kSmallPart = -2;

  const Execution execution_;
  const ScaledJacobian& scaled_;
  const double weak_ratio_;
  DiagnosedProblem* const problem_;
  std::vector<FoundDirection>* const directions_;
  int largest_part_ = -1;
  std::size_t largest_part_columns_ = 0;
  NearbyPoint points_[2];
  NearbyPoint far_;  // Evaluated if it is needed.
  bool has_second_ = false;
  std::vector<bool> has_zero_row_;  // By row block of J at the user's values.
  bool has_zero_rows_ = false;
  std::vector<int> replaced_;
  std::vector<FoundDirection> added_;
};

}  // namespace

void SeparateSaddles(const Execution& execution, const ScaledJacobian& scaled,
                     double weak_ratio, int largest_part,
                     std::size_t largest_part_columns,
                     DiagnosedProblem* problem,
                     std::vector<FoundDirection>* directions) {
  SaddleFinder(execution, scaled, weak_ratio, problem, directions)
      .Run(largest_part, largest_part_columns);
}

}  // namespace ceres::internal
