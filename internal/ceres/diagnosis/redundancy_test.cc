// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/diagnosis/redundancy.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "Eigen/Core"
#include "Eigen/Eigenvalues"
#include "Eigen/SVD"
#include "ceres/diagnosis/sparse_basis.h"
#include "ceres/linear/random_jacobian.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::HasSubstr;

constexpr double kEverythingDense = 1e18;
constexpr double kNothingDense = 0.0;

// A Jacobian of cells that are given one by one.
struct Network {
  BlockJacobianStructure structure;
  BlockJacobian jacobian;

  explicit Network(const std::vector<int>& column_sizes) {
    for (const int size : column_sizes) {
      structure.column_offset.push_back(structure.num_columns() + size);
    }
  }
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  void AddRow(const std::vector<int>& columns,
              const std::vector<MatrixXd>& cells) {
    rows_.push_back(cells);
    AppendRowBlock(static_cast<int>(cells[0].rows()), columns, &structure);
  }
  // Residuals are zero.
  void Finish() {
    CutIntoRowChunks(&structure);
    jacobian.structure = &structure;
    jacobian.values.Resize(structure.num_values());
    std::fill_n(jacobian.values.data(), structure.num_values(), 0.0);
    for (int row = 0; row < structure.num_row_blocks(); ++row) {
      for (int c = structure.first_cell[row]; c < structure.first_cell[row + 1];
           ++c) {
        const MatrixXd transposed =
            rows_[row][c - structure.first_cell[row]].transpose();
        std::copy_n(transposed.data(), transposed.size(),
                    jacobian.row_block(row) + structure.cell_position[c]);
      }
    }
  }
  void SetResiduals(const VectorXd& residuals) {
    for (int row = 0; row < structure.num_row_blocks(); ++row) {
      std::copy_n(residuals.data() + structure.row_offset[row],
                  structure.row_size(row), jacobian.row_block(row));
    }
  }
  void ScaleColumns(const VectorXd& factor) {
    for (int row = 0; row < structure.num_row_blocks(); ++row) {
      for (int c = structure.first_cell[row]; c < structure.first_cell[row + 1];
           ++c) {
        const int block = structure.cell_column[c];
        double* cell = jacobian.row_block(row) + structure.cell_position[c];
        for (int i = 0; i < structure.row_size(row); ++i) {
          for (int k = 0; k < structure.column_size(block); ++k) {
            *cell++ *= factor(structure.column_offset[block] + k);
          }
        }
      }
    }
  }

 private:
  std::vector<std::vector<MatrixXd>> rows_;
};

class Random {
 public:
  explicit Random(int seed) : generator_(seed) {}
  int Upto(int n) {
    return std::uniform_int_distribution<int>(0, n)(generator_);
  }
  double Uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(generator_);
  }
  MatrixXd Matrix(int rows, int columns) {
    std::normal_distribution<double> normal;
    return MatrixXd::NullaryExpr(
        rows, columns,
        [&](Eigen::Index, Eigen::Index) { return normal(generator_); });
  }
  // Two different numbers of [0, n).
  std::pair<int, int> Pair(int n) {
    const int a = Upto(n - 1);
    const int b = (a + 1 + Upto(n - 2)) % n;
    return {a, b};
  }

 private:
  std::mt19937 generator_;
};

// Differences of nodes with `size` coordinates, times a regular matrix: a
// spanning tree and more edges. `num_parts`: that nothing connects.
std::unique_ptr<Network> MakeLeveling(int num_nodes, int size, int num_more,
                                      int num_parts, Random* random) {
  auto network = std::make_unique<Network>(std::vector<int>(num_nodes, size));
  const auto add = [&](int a, int b) {
    const MatrixXd weight =
        MatrixXd::Identity(size, size) + 0.2 * random->Matrix(size, size);
    network->AddRow({a, b}, {-weight, weight});
  };
  for (int node = num_parts; node < num_nodes; ++node) {
    add(node - num_parts * (1 + random->Upto(node / num_parts - 1)), node);
  }
  for (int k = 0; k < num_more; ++k) {
    const int part = random->Upto(num_parts - 1);
    const int in_part = (num_nodes - part - 1) / num_parts + 1;
    if (in_part < 2) continue;
    const auto [a, b] = random->Pair(in_part);
    add(part + num_parts * a, part + num_parts * b);
  }
  network->Finish();
  return network;
}

// Rows of 1 to 6 residuals with cells in 1 to 3 of some blocks of 1 to 5
// coordinates; some have fewer residuals than coordinates.
std::unique_ptr<Network> MakeMixed(int num_blocks, int num_rows,
                                   Random* random) {
  std::vector<int> sizes(num_blocks);
  for (int& size : sizes) size = 1 + random->Upto(4);
  auto network = std::make_unique<Network>(sizes);
  std::vector<int> order(num_blocks);
  std::iota(order.begin(), order.end(), 0);
  for (int row = 0; row < num_rows; ++row) {
    const int num_cells = 1 + random->Upto(std::min(2, num_blocks - 1));
    for (int k = 0; k < num_cells; ++k) {
      std::swap(order[k], order[k + random->Upto(num_blocks - 1 - k)]);
    }
    const int num_residuals = 1 + random->Upto(5);
    std::vector<MatrixXd> cells;
    for (int k = 0; k < num_cells; ++k) {
      cells.push_back(random->Matrix(num_residuals, sizes[order[k]]));
    }
    network->AddRow({order.begin(), order.begin() + num_cells}, cells);
  }
  network->Finish();
  return network;
}

// Cameras of 6 coordinates and points of 3; some points are seen once.
std::unique_ptr<Network> MakeScene(int num_cameras, int num_points,
                                   Random* random) {
  std::vector<int> sizes(num_cameras, 6);
  sizes.resize(num_cameras + num_points, 3);
  auto network = std::make_unique<Network>(sizes);
  for (int camera = 0; camera < num_cameras; ++camera) {
    network->AddRow({camera}, {random->Matrix(6, 6)});
  }
  for (int point = 0; point < num_points; ++point) {
    const int num_views = 1 + random->Upto(num_cameras - 1);
    for (int view = 0; view < num_views; ++view) {
      network->AddRow({view, num_cameras + point},
                      {random->Matrix(2, 6), random->Matrix(2, 3)});
    }
  }
  network->Finish();
  return network;
}

// Whether a block or a combination of blocks is undetermined varies.
std::unique_ptr<Network> MakeNetwork(int seed) {
  Random random(seed);
  const int n = 3 + random.Upto(12);
  switch (seed % 6) {
    case 0:
      return MakeLeveling(n, 1, 2 * n, 1, &random);
    case 1:
      return MakeLeveling(n, 3, n, 1, &random);
    case 2:
      return MakeLeveling(n + 3, 1 + random.Upto(2), n, 3, &random);
    case 3:
      return MakeMixed(n, 3 * n, &random);
    case 4:
      return MakeMixed(n, n, &random);  // often not determined
    default:
      return MakeScene(2 + random.Upto(3), n, &random);
  }
}

// Columns of norm 1, or zero.
MatrixXd ScaledJacobian(const BlockJacobian& jacobian) {
  MatrixXd j = DenseJacobian(jacobian);
  for (Eigen::Index k = 0; k < j.cols(); ++k) {
    const double largest = j.col(k).cwiseAbs().maxCoeff();
    if (largest > 0.0) j.col(k) = (j.col(k) / largest).normalized();
  }
  return j;
}

struct Reference {
  MatrixXd projector;
  int rank;
  std::vector<int> held_columns;
};

Reference ComputeDense(const BlockJacobian& jacobian) {
  const MatrixXd j = ScaledJacobian(jacobian);
  const Eigen::JacobiSVD<MatrixXd> svd(
      j, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const VectorXd& s = svd.singularValues();
  Reference reference;
  reference.rank = static_cast<int>((s.array() > 1e-12 * s(0)).count());
  const MatrixXd u = svd.matrixU().leftCols(reference.rank);
  reference.projector =
      MatrixXd::Identity(j.rows(), j.rows()) - u * u.transpose();
  const Eigen::Index null_dimension = j.cols() - reference.rank;
  if (null_dimension > 0) {
    reference.held_columns =
        MakeSparseBasis(svd.matrixV().rightCols(null_dimension), 1e-9).pivot;
    std::sort(reference.held_columns.begin(), reference.held_columns.end());
  }
  return reference;
}

Redundancy Compute(const BlockJacobian& jacobian,
                   const RedundancyOptions& options) {
  Redundancy redundancy;
  std::string message;
  EXPECT_TRUE(
      ComputeRedundancy(Execution(), jacobian, options, &redundancy, &message))
      << message;
  return redundancy;
}

RedundancyOptions Hold(const std::vector<int>& columns,
                       double max_dense_operations) {
  RedundancyOptions options;
  options.held_columns = columns;
  options.max_dense_operations = max_dense_operations;
  return options;
}

void ExpectNear(const Redundancy& redundancy, const Reference& reference,
                const BlockJacobianStructure& s, double tolerance) {
  EXPECT_EQ(redundancy.rank, reference.rank);
  ASSERT_EQ(redundancy.row_blocks.size(),
            static_cast<size_t>(s.num_row_blocks()));
  double sum = 0.0;
  for (int row = 0; row < s.num_row_blocks(); ++row) {
    const int size = s.row_size(row);
    const MatrixXd block = reference.projector.block(
        s.row_offset[row], s.row_offset[row], size, size);
    const double smallest =
        Eigen::SelfAdjointEigenSolver<MatrixXd>(block).eigenvalues()(0);
    const RowBlockCheck& check = redundancy.row_blocks[row];
    EXPECT_NEAR(check.redundancy, block.trace(), tolerance);
    EXPECT_NEAR(check.smallest_eigenvalue, smallest, tolerance);
    for (int i = 0; i < size; ++i) {
      EXPECT_NEAR(redundancy.diagonal[s.row_offset[row] + i], block(i, i),
                  tolerance);
    }
    sum += check.redundancy;
  }
  EXPECT_EQ(redundancy.degrees_of_freedom, s.num_rows() - reference.rank);
  EXPECT_NEAR(sum, redundancy.degrees_of_freedom, tolerance * s.num_rows());
}

TEST(Redundancy, IsThatOfTheDenseProjector) {
  int num_deficient = 0;
  for (int seed = 0; seed < 600; ++seed) {
    SCOPED_TRACE(seed);
    const auto network = MakeNetwork(seed);
    const Reference reference = ComputeDense(network->jacobian);
    num_deficient += reference.held_columns.empty() ? 0 : 1;
    for (const double dense : {kNothingDense, kEverythingDense}) {
      ExpectNear(
          Compute(network->jacobian, Hold(reference.held_columns, dense)),
          reference, network->structure, 1e-10);
    }
  }
  EXPECT_GT(num_deficient, 200);
}

TEST(Redundancy, DoesNotDependOnUnitsOfParameters) {
  for (int seed = 0; seed < 120; ++seed) {
    SCOPED_TRACE(seed);
    const auto network = MakeNetwork(seed);
    const Reference reference = ComputeDense(network->jacobian);
    Random random(seed + 1000);
    VectorXd factor(network->structure.num_columns());
    for (double& f : factor) f = std::pow(10.0, random.Uniform(-12.0, 12.0));
    network->ScaleColumns(factor);
    for (const double dense : {kNothingDense, kEverythingDense}) {
      ExpectNear(
          Compute(network->jacobian, Hold(reference.held_columns, dense)),
          reference, network->structure, 1e-10);
    }
  }
}

TEST(Redundancy, SurvivesColumnsWhoseSquaresOverflow) {
  const auto network = MakeNetwork(3);
  const Reference reference = ComputeDense(network->jacobian);
  VectorXd factor(network->structure.num_columns());
  for (Eigen::Index k = 0; k < factor.size(); ++k) {
    factor(k) = k % 2 == 0 ? 1e250 : 1e-250;
  }
  network->ScaleColumns(factor);
  for (const double dense : {kNothingDense, kEverythingDense}) {
    ExpectNear(Compute(network->jacobian, Hold(reference.held_columns, dense)),
               reference, network->structure, 1e-10);
  }
}

// The depth of each point moves its pixels by 1e-6 of what other directions do.
TEST(Redundancy, IsAccurateIfDirectionsOfSingleBlocksAreWeak) {
  Random random(7);
  std::vector<int> sizes(4, 6);
  sizes.resize(20, 3);
  Network network(sizes);
  for (int camera = 0; camera < 4; ++camera) {
    network.AddRow({camera}, {random.Matrix(6, 6)});
  }
  for (int point = 4; point < 20; ++point) {
    const MatrixXd shape = random.Matrix(2, 2);
    const MatrixXd mixed = random.Matrix(3, 3);
    for (int camera = 0; camera < 4; ++camera) {
      MatrixXd cell(2, 3);
      cell.leftCols(2) = shape;
      cell.col(2) = 1e-6 * random.Matrix(2, 1);
      network.AddRow({camera, point}, {random.Matrix(2, 6), cell * mixed});
    }
  }
  network.Finish();
  const Reference reference = ComputeDense(network.jacobian);
  EXPECT_TRUE(reference.held_columns.empty());
  const Redundancy redundancy =
      Compute(network.jacobian, Hold({}, kNothingDense));
  EXPECT_LT(redundancy.error, 1e-12);
  ExpectNear(redundancy, reference, network.structure, 1e-9);
}

// Two scalar blocks that differ by 1e-6: J'J has the condition number 1e12.
TEST(Redundancy, SmallProblemsAreAccurateIfDirectionsAreWeak) {
  Random random(8);
  Network network({1, 1, 1});
  for (int row = 0; row < 20; ++row) {
    const MatrixXd cell = random.Matrix(1, 1);
    network.AddRow({0, 1, 2}, {cell, cell + 1e-6 * random.Matrix(1, 1),
                               random.Matrix(1, 1)});
  }
  network.Finish();
  const Redundancy redundancy = Compute(network.jacobian, RedundancyOptions());
  EXPECT_LT(redundancy.error, 1e-14);
  ExpectNear(redundancy, ComputeDense(network.jacobian), network.structure,
             1e-9);
  // And the estimate of the error tells that sparse arithmetic is not.
  EXPECT_GT(Compute(network.jacobian, Hold({}, kNothingDense)).error, 1e-6);
}

// Two parts that hang together by measurements of little weight.
TEST(Redundancy, TakesDenseArithmeticIfSparseOneIsNotAccurate) {
  Random random(9);
  Network network(std::vector<int>(12, 1));
  const auto add = [&](int a, int b, double weight) {
    const MatrixXd cell = MatrixXd::Constant(1, 1, weight);
    network.AddRow({a, b}, {-cell, cell});
  };
  for (int k = 0; k < 20; ++k) {
    const auto [a, b] = random.Pair(6);
    add(a, b, random.Uniform(0.5, 1.5));
    add(a + 6, b + 6, random.Uniform(0.5, 1.5));
  }
  for (int k = 0; k < 3; ++k) add(k, 6 + k, 1e-6 * random.Uniform(0.5, 1.5));
  network.Finish();
  const Reference reference = ComputeDense(network.jacobian);
  ASSERT_EQ(reference.held_columns.size(), 1u);
  RedundancyOptions options = Hold(reference.held_columns, 43 * 144 / 20);
  const Redundancy accurate = Compute(network.jacobian, options);
  EXPECT_LT(accurate.error, 1e-14);
  ExpectNear(accurate, reference, network.structure, 1e-9);
  options.max_dense_operations = 43 * 144 / 40;  // No patience.
  EXPECT_GT(Compute(network.jacobian, options).error, 1e-6);
}

TEST(Redundancy, OfEdgesOfGraphsIsKnown) {
  constexpr int kNodes = 9;
  const MatrixXd one = MatrixXd::Ones(1, 1);
  Network complete(std::vector<int>(kNodes, 1));
  Network cycle(std::vector<int>(kNodes, 1));
  for (int a = 0; a < kNodes; ++a) {
    cycle.AddRow({a, (a + 1) % kNodes}, {-one, one});
    for (int b = a + 1; b < kNodes; ++b) complete.AddRow({a, b}, {-one, one});
  }
  complete.Finish();
  cycle.Finish();
  for (const double dense : {kNothingDense, kEverythingDense}) {
    // Any node can be held.
    for (int held = 0; held < kNodes; ++held) {
      for (const double q :
           Compute(complete.jacobian, Hold({held}, dense)).diagonal) {
        EXPECT_NEAR(q, 1.0 - 2.0 / kNodes, 1e-14);
      }
      for (const double q :
           Compute(cycle.jacobian, Hold({held}, dense)).diagonal) {
        EXPECT_NEAR(q, 1.0 / kNodes, 1e-14);
      }
    }
  }
}

// Whether an edge is a bridge: its ends are not connected without it.
bool IsBridge(const Network& network, int edge) {
  const BlockJacobianStructure& s = network.structure;
  std::vector<int> part(s.num_column_blocks());
  std::iota(part.begin(), part.end(), 0);
  const auto ends = [&](int row) {
    return std::pair(s.cell_column[s.first_cell[row]],
                     s.cell_column[s.first_cell[row] + 1]);
  };
  for (int row = 0; row < s.num_row_blocks(); ++row) {
    if (row == edge) continue;
    const auto [a, b] = ends(row);
    const int from = part[a], to = part[b];
    std::replace(part.begin(), part.end(), from, to);
  }
  const auto [a, b] = ends(edge);
  return part[a] != part[b];
}

TEST(Redundancy, IsZeroExactlyForBridges) {
  int num_bridges = 0;
  for (int seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const int size = 1 + seed % 3;
    const auto network = MakeLeveling(20, size, 8, 1, &random);
    std::vector<int> held(size);
    std::iota(held.begin(), held.end(), 0);
    const Redundancy redundancy =
        Compute(network->jacobian,
                Hold(held, seed % 2 == 0 ? kNothingDense : kEverythingDense));
    for (int row = 0; row < network->structure.num_row_blocks(); ++row) {
      const RowBlockCheck& check = redundancy.row_blocks[row];
      const bool is_bridge = IsBridge(*network, row);
      num_bridges += is_bridge ? 1 : 0;
      EXPECT_EQ(check.IsUnchecked(), is_bridge);
      EXPECT_EQ(std::isinf(check.smallest_detectable_error), is_bridge);
      if (is_bridge) {
        EXPECT_LT(check.redundancy, 1e-12);
      } else {
        EXPECT_GT(check.redundancy, 1e-3);
      }
    }
  }
  EXPECT_GT(num_bridges, 200);
}

// A row block of which one direction alone determines a coordinate.
TEST(Redundancy, SmallestEigenvalueShowsAnUncheckedDirection) {
  Network network({1, 1});
  MatrixXd both(2, 2);
  both << 1.0, 1.0, 1.0, -1.0;  // residuals see x + y and x - y
  for (const double x : {1.0, 2.0, 3.0}) {
    network.AddRow({0}, {MatrixXd::Constant(1, 1, x)});
  }
  network.AddRow({0, 1}, {both.col(0), both.col(1)});
  network.Finish();
  const RowBlockCheck check =
      Compute(network.jacobian, RedundancyOptions()).row_blocks[3];
  // The row block alone determines y: R_bb has the eigenvalues 0 and
  // 1 - 2 / (2 + 1 + 4 + 9).
  EXPECT_NEAR(check.redundancy, 1.0 - 2.0 / 16.0, 1e-14);
  EXPECT_FALSE(check.IsUnchecked());
  EXPECT_TRUE(check.HasUncheckedDirection());
  // But each residual is checked.
  EXPECT_NEAR(check.smallest_detectable_error,
              NonCentrality(0.001, 0.8) / std::sqrt(0.5 * check.redundancy),
              1e-12);
}

// r = R e for errors e of normal distribution and one blunder.
TEST(Redundancy, StandardizedResidualsFindABlunderOfTenSigma) {
  int num_found = 0;
  for (int seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const int n = 6 + random.Upto(10);
    const auto network = seed % 2 == 0
                             ? MakeLeveling(n, 1 + seed % 3, 5 * n, 1, &random)
                             : MakeMixed(n, 12 * n, &random);
    const BlockJacobianStructure& s = network->structure;
    const Reference reference = ComputeDense(network->jacobian);
    VectorXd errors = random.Matrix(s.num_rows(), 1);
    const int blunder = random.Upto(s.num_row_blocks() - 1);
    errors(s.row_offset[blunder]) = 10.0;
    network->SetResiduals(reference.projector * errors);
    const Redundancy redundancy =
        Compute(network->jacobian, Hold(reference.held_columns, kNothingDense));
    const auto largest = std::max_element(
        redundancy.row_blocks.begin(), redundancy.row_blocks.end(),
        [](const RowBlockCheck& a, const RowBlockCheck& b) {
          return a.largest_standardized_residual <
                 b.largest_standardized_residual;
        });
    num_found += largest - redundancy.row_blocks.begin() == blunder ? 1 : 0;
  }
  EXPECT_EQ(num_found, 200);
}

// Standardized residuals of many networks have variance 1, and the estimated
// variance is that of the errors.
TEST(Redundancy, StandardizedResidualsHaveVarianceOne) {
  constexpr double kSigma = 3.0;
  double sum = 0.0, variance = 0.0, estimated = 0.0;
  int count = 0;
  constexpr int kNetworks = 200;
  for (int seed = 0; seed < kNetworks; ++seed) {
    Random random(seed);
    const auto network = MakeLeveling(8, 1, 12, 1, &random);
    const Reference reference = ComputeDense(network->jacobian);
    network->SetResiduals(kSigma * reference.projector *
                          random.Matrix(network->structure.num_rows(), 1));
    RedundancyOptions options = Hold(reference.held_columns, kNothingDense);
    options.variance_factor = kSigma * kSigma;
    const Redundancy known = Compute(network->jacobian, options);
    options.variance_factor = 0.0;
    const Redundancy unknown = Compute(network->jacobian, options);
    variance += unknown.variance_factor / kNetworks;
    for (size_t row = 0; row < known.row_blocks.size(); ++row) {
      if (known.row_blocks[row].IsUnchecked()) continue;
      sum += std::pow(known.row_blocks[row].largest_standardized_residual, 2);
      estimated +=
          std::pow(unknown.row_blocks[row].largest_standardized_residual, 2);
      ++count;
    }
  }
  EXPECT_NEAR(sum / count, 1.0, 0.1);
  EXPECT_NEAR(estimated / count, 1.0, 0.1);
  EXPECT_NEAR(variance, kSigma * kSigma, 0.1 * kSigma * kSigma);
}

// A curve fit: all residuals are in one row block.
TEST(Redundancy, OneRowBlockMayHaveManyResiduals) {
  Random random(4);
  constexpr int kResiduals = 30000;
  const MatrixXd left = random.Matrix(kResiduals, 1);
  const MatrixXd right = random.Matrix(kResiduals, 2);
  Network network({1, 2});
  network.AddRow({0, 1}, {left, right});
  network.Finish();
  MatrixXd j(kResiduals, 3);
  j << left, right;
  const MatrixXd gram = j.transpose() * j;
  const VectorXd leverage =
      (j * gram.inverse()).cwiseProduct(j).rowwise().sum();
  for (const double dense : {kNothingDense, kEverythingDense}) {
    const Redundancy redundancy = Compute(network.jacobian, Hold({}, dense));
    EXPECT_NEAR(redundancy.row_blocks[0].redundancy, kResiduals - 3, 1e-7);
    EXPECT_NEAR(redundancy.row_blocks[0].smallest_eigenvalue, 0.0, 1e-12);
    EXPECT_NEAR(redundancy.diagonal[17], 1.0 - leverage(17), 1e-13);
  }
}

TEST(Redundancy, RowsWithoutCellsAreWhollyChecked) {
  Network network({2, 0, 1});
  network.AddRow({0}, {MatrixXd::Identity(2, 2)});
  network.AddRow({1}, {MatrixXd(3, 0)});
  network.Finish();
  AppendRowBlock(2, {}, &network.structure);
  CutIntoRowChunks(&network.structure);
  network.jacobian.values.Resize(network.structure.num_values());
  std::fill_n(network.jacobian.values.data(), network.structure.num_values(),
              1.0);
  for (const double dense : {kNothingDense, kEverythingDense}) {
    const Redundancy redundancy = Compute(network.jacobian, Hold({}, dense));
    EXPECT_EQ(redundancy.row_blocks[1].redundancy, 3.0);
    EXPECT_EQ(redundancy.row_blocks[2].redundancy, 2.0);
    EXPECT_EQ(redundancy.row_blocks[2].largest_standardized_residual, 1.0);
    EXPECT_EQ(redundancy.rank, 1);  // All entries of the cell are 1.
  }
}

TEST(Redundancy, OfProblemsWithoutRowsOrColumns) {
  Network none({});
  none.Finish();
  EXPECT_TRUE(Compute(none.jacobian, RedundancyOptions()).row_blocks.empty());
  Network no_rows({2, 3});
  no_rows.Finish();
  for (const double dense : {kNothingDense, kEverythingDense}) {
    const Redundancy redundancy = Compute(no_rows.jacobian, Hold({}, dense));
    EXPECT_EQ(redundancy.rank, 0);
    EXPECT_EQ(redundancy.degrees_of_freedom, 0);
  }
}

TEST(Redundancy, NamesWhatIsMissing) {
  Random random(5);
  const auto network = MakeLeveling(12, 2, 20, 1, &random);
  Redundancy redundancy;
  std::string message;
  // Nobody holds the translation.
  EXPECT_FALSE(ComputeRedundancy(Execution(), network->jacobian,
                                 Hold({}, kNothingDense), &redundancy,
                                 &message));
  EXPECT_THAT(message, HasSubstr("not held"));
  network->jacobian.values.data()[1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(ComputeRedundancy(Execution(), network->jacobian,
                                 Hold({0, 1}, kNothingDense), &redundancy,
                                 &message));
  EXPECT_THAT(message, HasSubstr("not finite"));
}

TEST(Redundancy, HasTheSameBitsForAllThreads) {
  for (const double dense : {kNothingDense, kEverythingDense}) {
    Random random(6);
    const auto network =
        MakeLeveling(dense > 0.0 ? 40 : 600, 3, 900, 1, &random);
    network->SetResiduals(random.Matrix(network->structure.num_rows(), 1));
    EXPECT_TRUE(HasSameBitsForAllThreads([&](const Execution& execution) {
      Redundancy redundancy;
      std::string message;
      EXPECT_TRUE(ComputeRedundancy(execution, network->jacobian,
                                    Hold({0, 1, 2}, dense), &redundancy,
                                    &message))
          << message;
      std::vector<double> all = redundancy.diagonal;
      for (const RowBlockCheck& check : redundancy.row_blocks) {
        all.push_back(check.redundancy);
        all.push_back(check.smallest_eigenvalue);
        all.push_back(check.largest_standardized_residual);
        all.push_back(check.smallest_detectable_error);
      }
      return all;
    }));
  }
}

TEST(Redundancy, NonCentralityIsThatOfTheTables) {
  EXPECT_NEAR(NonCentrality(0.001, 0.8), 4.1321, 1e-4);
  EXPECT_NEAR(NonCentrality(0.01, 0.8), 3.4175, 1e-4);
  EXPECT_NEAR(NonCentrality(0.05, 0.8), 2.8016, 1e-4);
  EXPECT_NEAR(NonCentrality(0.001, 0.5), 3.2905, 1e-4);
}

TEST(Redundancy, SmallestDetectableErrorIsInUnitsOfResiduals) {
  Network network({1});
  for (int row = 0; row < 4; ++row) {
    network.AddRow({0}, {MatrixXd::Ones(1, 1)});
  }
  network.Finish();
  RedundancyOptions options;
  options.variance_factor = 4.0;
  for (const RowBlockCheck& check :
       Compute(network.jacobian, options).row_blocks) {
    EXPECT_NEAR(check.smallest_detectable_error,
                NonCentrality(0.001, 0.8) * 2.0 / std::sqrt(0.75), 1e-12);
  }
}

}  // namespace
}  // namespace ceres::internal
