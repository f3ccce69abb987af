// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/diagnosis/gauge.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>

#include "Eigen/QR"
#include "Eigen/SVD"
#include "ceres/diagnosis/motion_readings.h"
#include "ceres/diagnosis/scaled_jacobian.h"
#include "ceres/diagnosis/tall_matrices.h"

namespace ceres::internal {
namespace {

using Eigen::MatrixXd;
using RowMajor =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
// A column for each of: translations x, y, z, rotations x, y, z, scale.
constexpr int kNumMotions = 7;
constexpr int kScaleMotion = 6;
using Motions =
    Eigen::Matrix<double, Eigen::Dynamic, kNumMotions, Eigen::RowMajor>;

// |J g| / (|J| |g|) of a motion that J does not notice: the rounding errors of
// J, of g and of the products.
constexpr double kUnnoticed = 1e-9;
constexpr int kRowsOfATuple = 4;
constexpr std::int64_t kMaxCombinations = 20000;
constexpr int kMaxVerified = 4;

SimilarityMotion MotionOf(int k) {
  SimilarityMotion motion;
  if (k < 3) motion.translation(k) = 1.0;
  if (k >= 3 && k < kScaleMotion) motion.rotation(k - 3) = 1.0;
  if (k == kScaleMotion) motion.scale = 1.0;
  return motion;
}

bool IsMotionOf(int dimension, int k) {
  switch (dimension) {
    case 1:
      return k == 0 || k == kScaleMotion;
    case 2:
      return k == 0 || k == 1 || k == 5 || k == kScaleMotion;
    default:
      return true;
  }
}

// Values that belong together: one block, or two or three blocks of one value
// each, such as x, y and the angle of a pose. The same rows depend on them.
struct Thing {
  std::vector<int> blocks;
  std::vector<double> values;
};

struct Things {
  std::vector<Thing> things;
  std::vector<int> of_block;  // The thing of a block,
  std::vector<int> place;     // and the place of the block in it.
};

Things ThingsOf(const BlockJacobianStructure& s, const CellsByColumn& cells,
                const std::vector<MovableBlock>& blocks) {
  constexpr std::size_t kMaxTogether = 3;
  std::vector<std::vector<int>> groups(blocks.size());
  std::vector<int> singles;
  for (int b = 0; b < s.num_column_blocks(); ++b) {
    if (blocks[b].size == 1) {
      singles.push_back(b);
    } else {
      groups[b] = {b};
    }
  }
  const auto is_before = [&](int a, int b) {
    const auto begin = cells.cells.begin();
    return std::lexicographical_compare(
        begin + cells.first[a], begin + cells.first[a + 1],
        begin + cells.first[b], begin + cells.first[b + 1],
        [](const auto& x, const auto& y) { return x.row < y.row; });
  };
  std::stable_sort(singles.begin(), singles.end(), is_before);
  for (std::size_t begin = 0, end = 0; begin < singles.size(); begin = end) {
    while (end < singles.size() && !is_before(singles[begin], singles[end])) {
      ++end;
    }
    if (end - begin <= kMaxTogether) {
      groups[singles[begin]].assign(singles.begin() + begin,
                                    singles.begin() + end);
    } else {
      for (std::size_t k = begin; k < end; ++k)
        groups[singles[k]] = {singles[k]};
    }
  }
  Things result;
  result.of_block.resize(blocks.size());
  result.place.resize(blocks.size());
  for (std::vector<int>& group : groups) {
    if (group.empty()) continue;
    Thing thing;
    for (const int b : group) {
      result.of_block[b] = static_cast<int>(result.things.size());
      result.place[b] = static_cast<int>(thing.blocks.size());
      thing.blocks.push_back(b);
      thing.values.insert(thing.values.end(), blocks[b].values,
                          blocks[b].values + blocks[b].size);
    }
    result.things.push_back(std::move(thing));
  }
  return result;
}

// Memory of TangentMotions, for many things.
struct TangentScratch {
  Motions ambient;
  Eigen::VectorXd derivative;
};

// The motions of a thing in tangent coordinates, by its blocks. False: a
// manifold fails.
bool TangentMotions(const Thing& thing, const std::vector<MovableBlock>& blocks,
                    const MotionReading& reading, TangentScratch* scratch,
                    std::vector<Motions>* motions) {
  const auto size = static_cast<int>(thing.values.size());
  Motions& ambient = scratch->ambient;
  ambient.setZero(size, kNumMotions);
  for (int k = 0; k < kNumMotions; ++k) {
    if (reading.dimension != 0 && !IsMotionOf(reading.dimension, k)) continue;
    scratch->derivative.setZero(size);
    reading.move(thing.values.data(), size, MotionOf(k),
                 scratch->derivative.data());
    ambient.col(k) = scratch->derivative;
  }
  if (!ambient.allFinite()) return false;
  motions->resize(thing.blocks.size());
  int first = 0;
  for (std::size_t k = 0; k < thing.blocks.size(); ++k) {
    const MovableBlock& block = blocks[thing.blocks[k]];
    const auto own = ambient.middleRows(first, block.size);
    first += block.size;
    if (block.manifold == nullptr) {
      (*motions)[k] = own;
      continue;
    }
    RowMajor minus(block.manifold->TangentSize(), block.size);
    if (!block.manifold->MinusJacobian(block.values, minus.data())) {
      return false;
    }
    (*motions)[k] = minus * own;
    if (!(*motions)[k].allFinite()) return false;
  }
  return true;
}

// Things that are read alike: those whose blocks have the same sizes.
struct BlockClasses {
  Things things;
  std::vector<int> of_thing;
  std::vector<int> size;  // By class: of a thing.

  int OfBlock(int block) const { return of_thing[things.of_block[block]]; }
};

BlockClasses ClassesOf(const BlockJacobianStructure& s,
                       const CellsByColumn& cells,
                       const std::vector<MovableBlock>& blocks) {
  BlockClasses classes{ThingsOf(s, cells, blocks), {}, {}};
  std::map<std::vector<std::tuple<int, int, bool>>, int> known;
  for (const Thing& thing : classes.things.things) {
    std::vector<std::tuple<int, int, bool>> sizes;
    for (const int b : thing.blocks) {
      const MovableBlock& block = blocks[b];
      const bool has_manifold = block.manifold != nullptr;
      sizes.emplace_back(
          block.size, has_manifold ? block.manifold->TangentSize() : block.size,
          has_manifold);
    }
    const auto [at, is_new] = known.try_emplace(
        std::move(sizes), static_cast<int>(classes.size.size()));
    if (is_new) {
      classes.size.push_back(static_cast<int>(thing.values.size()));
    }
    classes.of_thing.push_back(at->second);
  }
  return classes;
}

// Some rows for each tuple of classes that the rows depend on.
std::vector<int> SampleRows(const BlockJacobianStructure& s,
                            const BlockClasses& classes) {
  std::map<std::vector<int>, std::vector<int>> rows_of;
  std::vector<int> tuple;
  auto last = rows_of.end();
  for (int row = 0; row < s.num_row_blocks(); ++row) {
    tuple.clear();
    for (int c = s.first_cell[row]; c < s.first_cell[row + 1]; ++c) {
      tuple.push_back(classes.OfBlock(s.cell_column[c]));
    }
    if (last == rows_of.end() || last->first != tuple) {
      last = rows_of.try_emplace(tuple).first;
    }
    last->second.push_back(row);
  }
  std::vector<int> sample;
  for (const auto& [tuple, rows] : rows_of) {
    const auto count = static_cast<std::int64_t>(rows.size());
    const std::int64_t wanted = std::min<std::int64_t>(count, kRowsOfATuple);
    for (std::int64_t k = 0; k < wanted; ++k) {
      sample.push_back(rows[k * count / wanted]);
    }
  }
  return sample;
}

// A combination: a reading for each class.
using Combination = std::vector<int>;

int Rank(const Motions& products) {
  const Eigen::JacobiSVD<MatrixXd> svd(products);
  return static_cast<int>((svd.singularValues().array() > kUnnoticed).count());
}

// The products of sampled cells with the motions of their blocks, for each
// reading.
class SampledProducts {
 public:
  SampledProducts(const BlockJacobian& jacobian, const double* column_scale,
                  const std::vector<MovableBlock>& blocks,
                  const BlockClasses& classes) {
    const BlockJacobianStructure& s = *jacobian.structure;
    TangentScratch scratch;
    for (const int row : SampleRows(s, classes)) {
      Row sampled{s.row_size(row), {}};
      for (int c = s.first_cell[row]; c < s.first_cell[row + 1]; ++c) {
        const int b = s.cell_column[c];
        const Eigen::Map<const RowMajor> cell(
            jacobian.row_block(row) + s.cell_position[c], s.row_size(row),
            s.column_size(b));
        Cell products{classes.OfBlock(b), {}};
        const Thing& thing = classes.things.things[classes.things.of_block[b]];
        for (const MotionReading& reading :
             ReadingsOfSize(static_cast<int>(thing.values.size()))) {
          Product product;
          std::vector<Motions> of_blocks;
          product.is_known =
              TangentMotions(thing, blocks, reading, &scratch, &of_blocks);
          if (product.is_known) {
            Motions& motions = of_blocks[classes.things.place[b]];
            for (int i = 0; i < s.column_size(b); ++i) {
              motions.row(i) *= column_scale[s.column_offset[b] + i];
            }
            product.value = cell * motions;
            product.size = cell.cwiseAbs() * motions.cwiseAbs();
          }
          products.by_reading.push_back(std::move(product));
        }
        sampled.cells.push_back(std::move(products));
      }
      rows_.push_back(std::move(sampled));
    }
  }

  // The number of motions, and combinations of them, that no sampled row
  // notices, although the blocks of the rows move. -1: the combination cannot
  // be evaluated.
  int NumUnnoticed(const Combination& combination, int dimension) const {
    Eigen::Index num_rows = 0;
    Eigen::Index num_cell_rows = 0;
    for (const Row& row : rows_) {
      num_rows += row.size;
      num_cell_rows += row.size * static_cast<Eigen::Index>(row.cells.size());
    }
    Motions sums = Motions::Zero(num_rows, kNumMotions);
    Motions terms(num_cell_rows, kNumMotions);
    Eigen::Array<double, 1, kNumMotions> size;
    size.setZero();
    Eigen::Index at = 0;
    Eigen::Index at_term = 0;
    for (const Row& row : rows_) {
      for (const Cell& cell : row.cells) {
        const Product& product = cell.by_reading[combination[cell.block_class]];
        if (!product.is_known) return -1;
        sums.middleRows(at, row.size) += product.value;
        terms.middleRows(at_term, row.size) = product.value;
        at_term += row.size;
        size = size.max(product.size.colwise().maxCoeff().array());
      }
      at += row.size;
    }
    // Columns of motions that move nothing are zero in both.
    for (int k = 0; k < kNumMotions; ++k) {
      const bool counts = IsMotionOf(dimension, k) && size(k) > 0.0;
      sums.col(k) *= counts ? 1.0 / size(k) : 0.0;
      terms.col(k) *= counts ? 1.0 / size(k) : 0.0;
    }
    return Rank(terms) - Rank(sums);
  }

 private:
  struct Product {
    bool is_known = false;
    Motions value;
    Motions size;  // The sum of the absolute values of the terms.
  };
  struct Cell {
    int block_class;
    std::vector<Product> by_reading;
  };
  struct Row {
    int size;
    std::vector<Cell> cells;
  };
  std::vector<Row> rows_;
};

// 1, 2 or 3, or 0 if the readings do not fit together or nothing moves.
int DimensionOf(const Combination& combination, const BlockClasses& classes) {
  int dimension = 0;
  for (std::size_t k = 0; k < combination.size(); ++k) {
    const int own = ReadingsOfSize(classes.size[k])[combination[k]].dimension;
    if (own == 0) continue;
    if (dimension != 0 && own != dimension) return 0;
    dimension = own;
  }
  return dimension;
}

// Calls visit(combination) for each combination.
template <typename Visit>
void VisitCombinations(const BlockClasses& classes, const Visit& visit) {
  Combination combination(classes.size.size(), 0);
  for (std::int64_t count = 0; count < kMaxCombinations; ++count) {
    visit(combination);
    std::size_t k = 0;
    while (k < combination.size() &&
           ++combination[k] ==
               static_cast<int>(ReadingsOfSize(classes.size[k]).size())) {
      combination[k++] = 0;
    }
    if (k == combination.size()) return;
  }
}

// The motions that move something: their numbers, and what J maps them to.
struct UsedMotions {
  std::vector<int> numbers;
  RowMajorMatrix products;
};

// A basis of the motions that no row notices, as coefficients of the used ones.
// Empty: there are none. scaled: the seven motions.
MatrixXd UnnoticedMotions(const Execution& execution,
                          const BlockJacobian& jacobian, const Motions& scaled,
                          int dimension, UsedMotions* used) {
  const Eigen::RowVectorXd norms = scaled.colwise().norm();
  used->numbers.clear();
  for (int k = 0; k < kNumMotions; ++k) {
    if (IsMotionOf(dimension, k) && norms(k) > 0.0) used->numbers.push_back(k);
  }
  const auto count = static_cast<Eigen::Index>(used->numbers.size());
  const RowMajorMatrix g = scaled(Eigen::all, used->numbers);
  const Eigen::VectorXd factors = norms(used->numbers).cwiseInverse();
  // g D^-1 = U S V'. A combination that moves nothing is no motion.
  const MatrixXd r = TriangularFactor(execution, g) * factors.asDiagonal();
  const Eigen::JacobiSVD<MatrixXd> moving(r, Eigen::ComputeFullV);
  constexpr double kStill = 1e-7;
  const Eigen::Index rank = (moving.singularValues().array() > kStill).count();
  const MatrixXd coefficients =
      factors.asDiagonal() * moving.matrixV().leftCols(rank) *
      moving.singularValues().head(rank).cwiseInverse().asDiagonal();
  used->products = Multiply(execution, jacobian, g);
  const MatrixXd product =
      TriangularFactor(execution, used->products) * coefficients;
  const Eigen::JacobiSVD<MatrixXd> svd(product, Eigen::ComputeFullV);
  MatrixXd unnoticed(count, 0);
  for (Eigen::Index k = 0; k < rank; ++k) {
    const Eigen::VectorXd v = svd.matrixV().col(k);
    if ((product * v).norm() > kUnnoticed) continue;
    unnoticed.conservativeResize(Eigen::NoChange, unnoticed.cols() + 1);
    unnoticed.col(unnoticed.cols() - 1) = coefficients * v;
  }
  return unnoticed;
}

// A basis of the same motions: pure translations first, then rotations, then
// the scale.
MatrixXd InOrder(MatrixXd motions, const std::vector<int>& used) {
  Eigen::Index done = 0;
  // Eliminates from the last motion to the first, so that those which need no
  // later one come first.
  for (auto k = static_cast<Eigen::Index>(used.size()) - 1;
       k >= 0 && done < motions.cols(); --k) {
    const Eigen::Index left = motions.cols() - done;
    Eigen::Index at = 0;
    const double size = motions.row(k).head(left).cwiseAbs().maxCoeff(&at);
    const double largest = motions.leftCols(left).cwiseAbs().maxCoeff();
    if (!(size > 1e-8 * largest)) {
      motions.row(k).head(left).setZero();
      continue;
    }
    motions.col(at).swap(motions.col(left - 1));
    motions.col(left - 1) /= motions(k, left - 1);
    for (Eigen::Index other = 0; other < motions.cols(); ++other) {
      if (other == left - 1) continue;
      motions.col(other) -= motions(k, other) * motions.col(left - 1);
      motions(k, other) = 0.0;
    }
    ++done;
  }
  return motions;
}

// Whether more than one thing moves: every direction of one thing alone is a
// motion of space.
bool MovesSeveral(const Things& things, const BlockJacobianStructure& s,
                  const double* column_scale,
                  const Eigen::VectorXd& direction) {
  constexpr double kStill = 1e-7;
  const Eigen::VectorXd scaled = direction.cwiseProduct(
      Eigen::Map<const Eigen::VectorXd>(column_scale, s.num_columns()));
  const double largest = scaled.cwiseAbs().maxCoeff();
  int first = -1;
  for (int b = 0; b < s.num_column_blocks(); ++b) {
    const auto own =
        scaled.segment(s.column_offset[b], s.column_size(b)).cwiseAbs();
    if (!(own.maxCoeff() > kStill * largest)) continue;
    if (first >= 0 && things.of_block[b] != first) return true;
    first = things.of_block[b];
  }
  return false;
}

// Whether translations, rotations and the scale, as far as the motion has them,
// are fewer than the coordinates that they move. If not, any direction of these
// coordinates is such a motion: it says nothing of the residuals. scaled: the
// seven motions; coefficients: of the motion.
bool IsSpecial(const Motions& scaled, const Eigen::VectorXd& coefficients) {
  constexpr double kAbsent = 1e-7;
  const Eigen::VectorXd sizes =
      coefficients.cwiseAbs().cwiseProduct(scaled.colwise().norm().transpose());
  const double absent = kAbsent * sizes.maxCoeff();
  std::vector<int> motions;
  for (int k = 0; k < kNumMotions; ++k) {
    const int first = k < 3 ? 0 : k < kScaleMotion ? 3 : kScaleMotion;
    const int count = first == kScaleMotion ? 1 : 3;
    if (sizes.segment(first, count).maxCoeff() > absent) motions.push_back(k);
  }
  std::vector<Eigen::Index> moving;
  for (Eigen::Index row = 0; row < scaled.rows(); ++row) {
    if (scaled(row, motions).cwiseAbs().maxCoeff() == 0.0) continue;
    moving.push_back(row);
    if (moving.size() > motions.size()) return true;
  }
  const MatrixXd moves = scaled(moving, motions);
  const Eigen::ColPivHouseholderQR<MatrixXd> qr(moves);
  return qr.rank() < moves.rows();
}

GaugeKind KindOf(const Eigen::VectorXd& motion, const std::vector<int>& used) {
  GaugeKind kind = GaugeKind::kTranslation;
  for (Eigen::Index k = 0; k < motion.size(); ++k) {
    if (motion(k) == 0.0) continue;
    if (used[k] == kScaleMotion) return GaugeKind::kScale;
    if (used[k] >= 3) kind = GaugeKind::kRotation;
  }
  return kind;
}

// Whether translations count. That blocks of one value make a point together is
// a guess, which needs translations in all directions.
bool ShiftsSpace(const Things& things, int dimension, const MatrixXd& found,
                 const std::vector<int>& used) {
  int count = 0;
  for (Eigen::Index k = 0; k < found.cols(); ++k) {
    count += KindOf(found.col(k), used) == GaugeKind::kTranslation ? 1 : 0;
  }
  return count >= dimension ||
         std::all_of(
             things.things.begin(), things.things.end(),
             [](const Thing& thing) { return thing.blocks.size() == 1; });
}

}  // namespace

Gauge FindGauge(const Execution& execution, const BlockJacobian& jacobian,
                const CellsByColumn& cells, const double* column_scale,
                const std::vector<MovableBlock>& blocks) {
  const BlockJacobianStructure& s = *jacobian.structure;
  const BlockClasses classes = ClassesOf(s, cells, blocks);
  const SampledProducts products(jacobian, column_scale, blocks, classes);
  std::vector<std::pair<int, Combination>> candidates;
  VisitCombinations(classes, [&](const Combination& combination) {
    const int dimension = DimensionOf(combination, classes);
    if (dimension == 0) return;
    const int count = products.NumUnnoticed(combination, dimension);
    if (count > 0) candidates.emplace_back(count, combination);
  });
  // Stable: among equals, the usual readings come first.
  std::stable_sort(
      candidates.begin(), candidates.end(),
      [](const auto& a, const auto& b) { return a.first > b.first; });
  Gauge best;
  int verified = 0;
  for (const auto& [count, combination] : candidates) {
    if (static_cast<int>(best.motions.size()) >= count ||
        verified++ == kMaxVerified) {
      break;
    }
    Motions motions = Motions::Zero(s.num_columns(), kNumMotions);
    bool is_known = true;
    const std::vector<Thing>& things = classes.things.things;
    std::vector<Motions> own;
    TangentScratch scratch;
    for (std::size_t t = 0; t < things.size() && is_known; ++t) {
      const MotionReading& reading = ReadingsOfSize(static_cast<int>(
          things[t].values.size()))[combination[classes.of_thing[t]]];
      is_known = TangentMotions(things[t], blocks, reading, &scratch, &own);
      for (std::size_t k = 0; k < own.size() && is_known; ++k) {
        motions.middleRows(s.column_offset[things[t].blocks[k]],
                           own[k].rows()) = own[k];
      }
    }
    if (!is_known) continue;
    const int dimension = DimensionOf(combination, classes);
    const Motions scaled =
        Eigen::Map<const Eigen::VectorXd>(column_scale, s.num_columns())
            .asDiagonal() *
        motions;
    UsedMotions used;
    MatrixXd found =
        UnnoticedMotions(execution, jacobian, scaled, dimension, &used);
    if (found.cols() <= static_cast<Eigen::Index>(best.motions.size())) {
      continue;
    }
    found = InOrder(std::move(found), used.numbers);
    best = {dimension, {}, {}, {}};
    std::vector<Eigen::Index> kept;
    MatrixXd coefficients = MatrixXd::Zero(kNumMotions, found.cols());
    coefficients(used.numbers, Eigen::all) = found;
    const bool shifts =
        ShiftsSpace(classes.things, dimension, found, used.numbers);
    for (Eigen::Index k = 0; k < found.cols(); ++k) {
      Eigen::VectorXd direction = motions * coefficients.col(k);
      if (!shifts &&
          KindOf(found.col(k), used.numbers) == GaugeKind::kTranslation) {
        continue;
      }
      if (MovesSeveral(classes.things, s, column_scale, direction) &&
          IsSpecial(scaled, coefficients.col(k))) {
        best.motions.push_back(
            {KindOf(found.col(k), used.numbers), std::move(direction)});
        kept.push_back(k);
      }
    }
    best.products = std::move(used.products);
    best.coefficients = found(Eigen::all, kept);
  }
  return best;
}

}  // namespace ceres::internal
