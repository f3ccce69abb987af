// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Random problems whose null spaces are known, diagnosed.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <deque>
#include <map>
#include <random>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "Eigen/Dense"
#include "ceres/autodiff_cost_function.h"
#include "ceres/crs_matrix.h"
#include "ceres/diagnosis.h"
#include "ceres/diagnosis/cost_of_lambda.h"
#include "ceres/loss_function.h"
#include "ceres/manifold.h"
#include "ceres/problem.h"
#include "ceres/rotation.h"
#include "gtest/gtest.h"

namespace ceres {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Kind = DirectionKind;

// A problem made of parts, and the kinds of the directions that each of them
// leaves undetermined.
class Planted {
 public:
  explicit Planted(unsigned seed) : random_(seed) {
    const int num_parts = Uniform(1, 3);
    for (int k = 0; k < num_parts; ++k) AddPart();
    while (Uniform(0, 1) != 0) AddSmall();
  }

  Problem* problem() { return &problem_; }

  // Gauge freedoms of all parts but the largest have the kind kNotConnected.
  std::multiset<Kind> Kinds() const {
    std::multiset<Kind> kinds = small_kinds_;
    std::size_t largest = 0;
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      if (parts_[k].num_columns > parts_[largest].num_columns) largest = k;
    }
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      for (const Kind kind : parts_[k].kinds) {
        const bool is_gauge =
            kind >= Kind::kGaugeTranslation && kind <= Kind::kGauge;
        kinds.insert(is_gauge && k != largest ? Kind::kNotConnected : kind);
      }
    }
    return kinds;
  }

 private:
  struct Part {
    int num_columns = 0;
    std::vector<Kind> kinds;

    void Add(int count, Kind kind) { kinds.insert(kinds.end(), count, kind); }
  };

  int Uniform(int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random_);
  }
  double Normal() { return std::normal_distribution<double>()(random_); }
  double* Block(int size) {
    blocks_.emplace_back(size);
    for (double& x : blocks_.back()) x = Normal();
    return blocks_.back().data();
  }
  LossFunction* Loss() {
    switch (Uniform(0, 3)) {
      case 0:
        return new HuberLoss(0.5);
      case 1:
        return new CauchyLoss(1.0);
      default:
        return nullptr;
    }
  }
  // A connected graph: a chain or a tree, and more edges. It is connected
  // without the last vertex, too.
  std::vector<std::pair<int, int>> Graph(int n) {
    std::vector<std::pair<int, int>> edges;
    const bool is_chain = Uniform(0, 1) != 0;
    for (int k = 1; k < n; ++k) {
      edges.emplace_back(is_chain ? k - 1 : Uniform(0, k - 1), k);
    }
    for (int k = Uniform(0, n); k > 0 && n > 2; --k) {
      const int a = Uniform(0, n - 1);
      const int b = Uniform(0, n - 1);
      if (a != b) edges.emplace_back(a, b);
    }
    return edges;
  }
  int Size() { return Uniform(0, 9) == 0 ? Uniform(40, 80) : Uniform(3, 12); }

  void AddPart() {
    switch (Uniform(0, 5)) {
      case 0:
        AddVectors<1>(Kind::kGaugeTranslation);
        break;
      case 1:
        AddVectors<2>(Kind::kGaugeTranslation);
        break;
      case 2:
        AddVectors<3>(Kind::kGaugeTranslation);
        break;
      case 3:
        AddPlanarPoses();
        break;
      case 4:
        AddPoses();
        break;
      default:
        AddScene();
    }
  }

  template <int kSize>
  void AddVectors(Kind kind) {
    Part part;
    std::vector<double*> x(Size());
    for (double*& block : x) block = Block(kSize);
    for (const auto& [a, b] : Graph(static_cast<int>(x.size()))) {
      const Eigen::Matrix<double, kSize, kSize> w =
          Eigen::Matrix<double, kSize, kSize>::NullaryExpr(
              [this] { return Normal(); });
      problem_.AddResidualBlock(
          Cost<kSize, kSize, kSize>([w](auto* a, auto* b, auto* r) {
            for (int i = 0; i < kSize; ++i) {
              r[i] = 0.3 * (b[0] - a[0]);
              for (int j = 0; j < kSize; ++j) {
                r[i] += (w(i, j) + (i == j ? 3.0 : 0.0)) * (b[j] - a[j]);
              }
            }
          }),
          Loss(), x[a], x[b]);
    }
    part.num_columns = kSize * static_cast<int>(x.size());
    switch (Uniform(0, 3)) {
      case 0:
        problem_.SetParameterBlockConstant(x.back());
        part.num_columns -= kSize;
        break;
      case 1:
        // Equal bounds hold the coordinate.
        problem_.SetParameterLowerBound(x[1], 0, x[1][0]);
        problem_.SetParameterUpperBound(x[1], 0, x[1][0]);
        part.num_columns -= 1;
        part.Add(kSize - 1, kind);
        break;
      default:
        part.Add(kSize, kind);
    }
    parts_.push_back(part);
  }

  void AddPlanarPoses() {
    Part part;
    std::vector<double*> x(Size());
    for (double*& block : x) block = Block(3);
    for (const auto& [a, b] : Graph(static_cast<int>(x.size()))) {
      problem_.AddResidualBlock(Cost<3, 3, 3>([](auto* a, auto* b, auto* r) {
                                  using std::cos;
                                  using std::sin;
                                  const auto dx = b[0] - a[0];
                                  const auto dy = b[1] - a[1];
                                  r[0] = cos(a[2]) * dx + sin(a[2]) * dy - 1.0;
                                  r[1] =
                                      2.0 * (-sin(a[2]) * dx + cos(a[2]) * dy);
                                  r[2] = b[2] - a[2] - 0.1;
                                }),
                                Loss(), x[a], x[b]);
    }
    part.num_columns = 3 * static_cast<int>(x.size());
    if (Uniform(0, 3) == 0) {
      problem_.SetParameterBlockConstant(x.back());
      part.num_columns -= 3;
    } else {
      part.Add(2, Kind::kGaugeTranslation);
      part.Add(1, Kind::kGaugeRotation);
    }
    parts_.push_back(part);
  }

  // Position and quaternion in one block or in two.
  void AddPoses() {
    Part part;
    const int n = Size();
    std::vector<double*> p(n);
    std::vector<double*> q(n);
    for (int k = 0; k < n; ++k) {
      p[k] = Block(3);
      q[k] = Block(4);
      Eigen::Map<Eigen::Vector4d>(q[k]).normalize();
    }
    for (const auto& [a, b] : Graph(n)) {
      problem_.AddResidualBlock(
          Cost<6, 3, 4, 3, 4>(
              [](auto* pa, auto* qa, auto* pb, auto* qb, auto* r) {
                using T = std::remove_reference_t<decltype(r[0])>;
                const T inverse[4] = {qa[0], -qa[1], -qa[2], -qa[3]};
                const T d[3] = {pb[0] - pa[0], pb[1] - pa[1], pb[2] - pa[2]};
                UnitQuaternionRotatePoint(inverse, d, r);
                T relative[4];
                QuaternionProduct(inverse, qb, relative);
                r[0] -= 1.0;
                for (int k = 0; k < 3; ++k)
                  r[3 + k] = 2.0 * relative[1 + k] - 0.3;
              }),
          Loss(), p[a], q[a], p[b], q[b]);
    }
    for (int k = 0; k < n; ++k) {
      problem_.SetManifold(q[k], new QuaternionManifold);
    }
    part.num_columns = 6 * n;
    if (Uniform(0, 3) == 0) {
      problem_.SetParameterBlockConstant(p.back());
      problem_.SetParameterBlockConstant(q.back());
      part.num_columns -= 6;
    } else {
      part.Add(3, Kind::kGaugeTranslation);
      part.Add(3, Kind::kGaugeRotation);
    }
    parts_.push_back(part);
  }

  void AddScene() {
    Part part;
    const int num_cameras = Uniform(3, 5);
    const int num_points = 12 + Size();
    std::vector<double*> cameras(num_cameras);
    std::vector<double*> points(num_points);
    for (double*& camera : cameras) {
      camera = Block(7);
      for (int k = 0; k < 3; ++k) camera[k] *= 0.3;
      camera[5] = 8.0 + Normal();
      camera[6] = 500.0 + 20.0 * Normal();
    }
    for (double*& point : points) point = Block(3);
    const auto observe = [&](double* camera, double* point) {
      problem_.AddResidualBlock(
          Cost<2, 7, 3>([](auto* camera, auto* point, auto* r) {
            using T = std::remove_reference_t<decltype(r[0])>;
            T x[3];
            AngleAxisRotatePoint(camera, point, x);
            x[0] += camera[3];
            x[1] += camera[4];
            x[2] += camera[5];
            r[0] = camera[6] * x[0] / x[2] - 1.0;
            r[1] = camera[6] * x[1] / x[2] + 2.0;
          }),
          nullptr, camera, point);
    };
    for (double* point : points) {
      for (double* camera : cameras) observe(camera, point);
    }
    part.num_columns = 7 * num_cameras + 3 * num_points;
    part.Add(3, Kind::kGaugeTranslation);
    part.Add(3, Kind::kGaugeRotation);
    part.Add(1, Kind::kGaugeScale);
    for (int k = Uniform(-1, 3); k > 0; --k) {
      observe(cameras[0], Block(3));
      part.num_columns += 3;
      part.Add(1, Kind::kTooFewResiduals);
    }
    parts_.push_back(part);
  }

  // Parts of one or two blocks.
  void AddSmall() {
    switch (Uniform(0, 6)) {
      case 0:
        problem_.AddParameterBlock(Block(2), 2);
        small_kinds_.insert({Kind::kNoResiduals, Kind::kNoResiduals});
        break;
      case 1:
      case 2: {
        double* const a = Block(1);
        double* const b = Block(1);
        for (int k = 1; k < 5; ++k) {
          problem_.AddResidualBlock(
              Cost<1, 1, 1>([k](auto* a, auto* b, auto* r) {
                r[0] = a[0] * b[0] * double(k) - 1.0;
              }),
              nullptr, a, b);
        }
        const bool is_bounded = Uniform(0, 1) != 0;
        if (is_bounded) {
          problem_.SetParameterLowerBound(a, 0, *a - 1.0);
          problem_.SetParameterUpperBound(a, 0, *a + 2.0);
        }
        small_kinds_.insert(is_bounded ? Kind::kHeldByBound
                                       : Kind::kCombination);
        break;
      }
      case 3: {
        double* const x = Block(4);
        for (int k = 1; k < 7; ++k) {
          problem_.AddResidualBlock(
              Cost<1, 4>([k](auto* x, auto* r) {
                r[0] = (x[0] + 2.0 * x[2]) * std::cos(double(k)) +
                       x[1] * std::sin(double(k)) + x[3] * double(k) - 1.0;
              }),
              Loss(), x);
        }
        small_kinds_.insert(Kind::kCombination);
        break;
      }
      case 4: {
        double* const x = Block(3);
        problem_.AddResidualBlock(Cost<2, 3>([](auto* x, auto* r) {
                                    r[0] = x[0] - 1.0;
                                    r[1] = x[0] + x[2];
                                  }),
                                  nullptr, x);
        small_kinds_.insert(Kind::kNoInfluence);
        break;
      }
      case 5: {
        double* const x = Block(2);
        x[1] = 0.0;
        problem_.AddResidualBlock(Cost<2, 2>([](auto* x, auto* r) {
                                    r[0] = x[0] - 1.0;
                                    r[1] = x[1] * x[1] - 2.0;
                                  }),
                                  nullptr, x);
        small_kinds_.insert(Kind::kZeroDerivative);
        break;
      }
      default: {
        double* const x = Block(2);
        problem_.AddResidualBlock(
            Cost<1, 2>([](auto* x, auto* r) { r[0] = x[0] + x[1]; }), nullptr,
            x);
        problem_.AddResidualBlock(
            Cost<1, 2>([](auto* x, auto* r) { r[0] = x[0] - x[1] - 100.0; }),
            new TukeyLoss(1.0), x);
        small_kinds_.insert(Kind::kLossFunction);
      }
    }
  }

  std::mt19937 random_;
  std::deque<std::vector<double>> blocks_;
  Problem problem_;
  std::vector<Part> parts_;
  std::multiset<Kind> small_kinds_;
};

// The columns of a problem, and its null space by a dense decomposition of the
// Jacobian with columns of norm 1.
struct DenseNullSpace {
  std::map<std::pair<const double*, int>, int> columns;
  std::vector<const double*> block;  // By column.
  VectorXd norms;
  MatrixXd basis;  // Orthonormal, in scaled coordinates.

  explicit DenseNullSpace(Problem* problem) {
    std::vector<double*> blocks;
    problem->GetParameterBlocks(&blocks);
    std::vector<bool> is_free;
    for (double* values : blocks) {
      const int n = problem->ParameterBlockTangentSize(values);
      for (int k = 0; k < n; ++k) {
        columns[{values, k}] = static_cast<int>(block.size());
        block.push_back(values);
        const bool is_pinned = !problem->HasManifold(values) &&
                               problem->GetParameterLowerBound(values, k) ==
                                   problem->GetParameterUpperBound(values, k);
        is_free.push_back(!is_pinned &&
                          !problem->IsParameterBlockConstant(values));
      }
    }
    CRSMatrix crs;
    EXPECT_TRUE(problem->Evaluate({}, nullptr, nullptr, nullptr, &crs));
    const auto n = static_cast<int>(block.size());
    MatrixXd j = MatrixXd::Zero(crs.num_rows, n);
    for (int row = 0; row < crs.num_rows; ++row) {
      for (int k = crs.rows[row]; k < crs.rows[row + 1]; ++k) {
        if (is_free[crs.cols[k]]) j(row, crs.cols[k]) = crs.values[k];
      }
    }
    norms = j.colwise().norm();
    for (int k = 0; k < n; ++k) {
      if (norms(k) == 0.0) norms(k) = 1.0;
      j.col(k) /= norms(k);
    }
    // A row holds a column that does not vary.
    MatrixXd held = MatrixXd::Zero(j.rows() + n, n);
    held.topRows(j.rows()) = j;
    for (int k = 0; k < n; ++k) {
      if (!is_free[k]) held(j.rows() + k, k) = 1.0;
    }
    // With BDCSVD of Eigen 3.4.0 some of these bases were not null vectors of
    // J, perhaps because many singular values are equal.
    const Eigen::JacobiSVD<MatrixXd> svd(held, Eigen::ComputeThinV);
    int rank = 0;
    for (int k = 0; k < n; ++k) {
      rank += svd.singularValues()(k) > 1e-12 * svd.singularValues()(0);
    }
    basis = svd.matrixV().rightCols(n - rank);
  }
};

struct Outcome {
  bool has_dimension;
  bool has_span;
  bool names_blocks;
  bool has_kinds;
};

Outcome Judge(const DenseNullSpace& expected, std::multiset<Kind> kinds,
              const Diagnosis& diagnosis) {
  Outcome outcome = {};
  const auto dimension = static_cast<int>(diagnosis.undetermined.size());
  outcome.has_dimension =
      diagnosis.status == Diagnosis::Status::kComplete &&
      dimension == static_cast<int>(kinds.size()) &&
      dimension == expected.basis.cols() &&
      diagnosis.rank == diagnosis.num_coordinates - dimension;
  MatrixXd found = MatrixXd::Zero(expected.basis.rows(), dimension);
  std::set<const double*> named;
  for (int k = 0; k < dimension; ++k) {
    const Direction& direction = diagnosis.undetermined[k];
    const auto kind = kinds.find(direction.kind);
    if (kind != kinds.end()) kinds.erase(kind);
    for (const Direction::Entry& entry : direction.entries) {
      named.insert(entry.parameter_block);
      const int column =
          expected.columns.at({entry.parameter_block, entry.coordinate});
      found(column, k) = entry.value * expected.norms(column);
    }
    found.col(k).normalize();
  }
  outcome.has_kinds = kinds.empty();
  if (!outcome.has_dimension || dimension == 0) {
    outcome.has_span = outcome.names_blocks = outcome.has_dimension;
    return outcome;
  }
  // The sine of the largest angle.
  const Eigen::ColPivHouseholderQR<MatrixXd> qr(found);
  const MatrixXd q =
      qr.householderQ() * MatrixXd::Identity(found.rows(), dimension);
  const MatrixXd outside =
      expected.basis - q * (q.transpose() * expected.basis);
  outcome.has_span =
      qr.rank() == dimension &&
      (dimension == 0 || outside.colwise().norm().maxCoeff() < 1e-6);
  std::set<const double*> moving;
  for (Eigen::Index k = 0; k < expected.basis.rows(); ++k) {
    if (expected.basis.row(k).norm() > 1e-6) moving.insert(expected.block[k]);
  }
  outcome.names_blocks = named == moving;
  return outcome;
}

// VESTA_PLANTED_PROBLEMS sets the number of problems, VESTA_PLANTED_SEED the
// first seed.
int FromEnvironment(const char* name, int otherwise) {
  const char* const text = std::getenv(name);
  return text != nullptr ? std::atoi(text) : otherwise;
}

TEST(PlantedNullSpace, IsFoundWithItsSpanBlocksAndKinds) {
  const int num_problems = FromEnvironment("VESTA_PLANTED_PROBLEMS", 150);
  const int first = FromEnvironment("VESTA_PLANTED_SEED", 1);
  int num_wrong_kinds = 0;
  for (int seed = first; seed < first + num_problems; ++seed) {
    SCOPED_TRACE(seed);
    Planted planted(seed);
    const DenseNullSpace expected(planted.problem());
    const Diagnosis diagnosis = Diagnose({}, planted.problem());
    const Outcome outcome = Judge(expected, planted.Kinds(), diagnosis);
    EXPECT_TRUE(outcome.has_dimension)
        << planted.Kinds().size() << " " << expected.basis.cols() << "\n"
        << diagnosis.ToString();
    if (!outcome.has_dimension) continue;
    EXPECT_TRUE(outcome.has_span) << diagnosis.ToString();
    EXPECT_TRUE(outcome.names_blocks) << diagnosis.ToString();
    if (!outcome.has_kinds) {
      ++num_wrong_kinds;
      if (std::getenv("VESTA_PLANTED_VERBOSE") != nullptr) {
        ADD_FAILURE() << diagnosis.ToString();
      }
    }
  }
  EXPECT_LE(num_wrong_kinds, num_problems / 100);
}

// Bodies of points whose distances to each other and to the hinge are measured.
// The hinge is constant: each body turns about it, and nothing connects them.
template <int kSize>
void ExpectHingedBodiesToTurn(int seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<std::vector<double>> blocks(1 + 2 * (kSize + 1) + seed % 3);
  for (std::vector<double>& block : blocks) {
    for (int k = 0; k < kSize; ++k) block.push_back(normal(random));
  }
  Problem problem;
  const auto measure = [&](int a, int b) {
    problem.AddResidualBlock(
        Cost<1, kSize, kSize>([](auto* a, auto* b, auto* r) {
          using std::sqrt;
          r[0] = (b[0] - a[0]) * (b[0] - a[0]);
          for (int k = 1; k < kSize; ++k) {
            r[0] += (b[k] - a[k]) * (b[k] - a[k]);
          }
          r[0] = sqrt(r[0]) - 1.0;
        }),
        nullptr, blocks[a].data(), blocks[b].data());
  };
  const int num_blocks = static_cast<int>(blocks.size());
  for (const auto& [begin, end] :
       {std::pair(1, kSize + 1), std::pair(kSize + 1, num_blocks)}) {
    for (int a = begin; a < end; ++a) {
      measure(0, a);
      for (int b = begin; b < a; ++b) measure(b, a);
    }
  }
  problem.SetParameterBlockConstant(blocks[0].data());
  const Diagnosis diagnosis = Diagnose({}, &problem);
  constexpr int kRotations = kSize * (kSize - 1) / 2;
  std::multiset<Kind> kinds;
  for (int k = 0; k < kRotations; ++k) {
    kinds.insert({Kind::kGaugeRotation, Kind::kNotConnected});
  }
  const Outcome outcome = Judge(DenseNullSpace(&problem), kinds, diagnosis);
  EXPECT_TRUE(outcome.has_dimension) << diagnosis.ToString();
  EXPECT_TRUE(outcome.has_span) << diagnosis.ToString();
  EXPECT_TRUE(outcome.names_blocks) << diagnosis.ToString();
  EXPECT_TRUE(outcome.has_kinds) << diagnosis.ToString();
}

TEST(PlantedNullSpace, AConstantBlockThatSplitsTheGraphIsAHinge) {
  for (int seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    ExpectHingedBodiesToTurn<2>(seed);
    ExpectHingedBodiesToTurn<3>(seed);
  }
}

TEST(PlantedNullSpace, AConstantBlockDeterminesAllPartsThatItSplits) {
  for (int constant = 0; constant < 7; ++constant) {
    SCOPED_TRACE(constant);
    std::vector<std::vector<double>> x(7, {0.5, 2.0});
    Problem problem;
    for (std::size_t k = 1; k < x.size(); ++k) {
      problem.AddResidualBlock(Cost<2, 2, 2>([](auto* a, auto* b, auto* r) {
                                 r[0] = b[0] - a[0];
                                 r[1] = b[1] - a[1] - 1.0;
                               }),
                               nullptr, x[k - 1].data(), x[k].data());
    }
    problem.SetParameterBlockConstant(x[constant].data());
    const Diagnosis diagnosis = Diagnose({}, &problem);
    EXPECT_TRUE(diagnosis.IsDetermined()) << diagnosis.ToString();
    EXPECT_EQ(diagnosis.rank, 12);
  }
}

// Cameras with intrinsics of their own or common ones. One camera is constant:
// the scene can only be scaled about its center.
void ExpectSceneToScale(int seed, int num_intrinsics, bool is_part_constant) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<std::vector<double>> intrinsics(
      num_intrinsics, {500.0, 0.1, -0.02, 0.0, 0.0, 2.0, 3.0, 0.0});
  std::vector<std::vector<double>> cameras(6, std::vector<double>(6));
  std::vector<std::vector<double>> points(15, std::vector<double>(3));
  for (auto* blocks : {&cameras, &points}) {
    for (std::vector<double>& block : *blocks) {
      for (double& x : block)
        x = (blocks == &cameras ? 0.3 : 1.0) * normal(random);
    }
  }
  Problem problem;
  for (std::size_t k = 0; k < cameras.size(); ++k) {
    cameras[k][5] += 8.0;
    for (std::vector<double>& point : points) {
      problem.AddResidualBlock(
          Cost<2, 8, 6, 3>([](auto* in, auto* camera, auto* point, auto* r) {
            using T = std::remove_reference_t<decltype(r[0])>;
            T x[3];
            AngleAxisRotatePoint(camera, point, x);
            const T u = (x[0] + camera[3]) / (x[2] + camera[5]);
            const T v = (x[1] + camera[4]) / (x[2] + camera[5]);
            const T squared = u * u + v * v;
            const T scale = in[0] * (1.0 + squared * (in[1] + squared * in[2]));
            r[0] = scale * u + in[5] - 1.0;
            r[1] = scale * v + in[6] + 2.0;
          }),
          nullptr, intrinsics[k % num_intrinsics].data(), cameras[k].data(),
          point.data());
    }
  }
  for (std::vector<double>& block : intrinsics) {
    if (is_part_constant) {
      problem.SetManifold(block.data(), new SubsetManifold(8, {3, 4, 5, 6, 7}));
    } else {
      problem.SetParameterBlockConstant(block.data());
    }
  }
  problem.SetParameterBlockConstant(cameras[seed % cameras.size()].data());
  const Diagnosis diagnosis = Diagnose({}, &problem);
  ASSERT_EQ(diagnosis.undetermined.size(), 1u) << diagnosis.ToString();
  EXPECT_EQ(diagnosis.undetermined[0].kind, Kind::kGaugeScale)
      << diagnosis.ToString();
}

TEST(PlantedNullSpace, SceneWithAConstantCameraHasAScale) {
  for (int seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    for (const int num_intrinsics : {1, 2, 6}) {
      ExpectSceneToScale(seed, num_intrinsics, /*is_part_constant=*/true);
      ExpectSceneToScale(seed, num_intrinsics, /*is_part_constant=*/false);
    }
  }
}

// Cameras that see all points but the last `num_single` ones, which the first
// camera sees alone. Motions of the whole scene move these, too: the further
// away they are, the more.
void ExpectDepthsOfSinglePoints(int seed, int num_single, double distance) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<std::vector<double>> cameras(4, std::vector<double>(7));
  std::vector<std::vector<double>> points(12 + num_single);
  for (std::vector<double>& camera : cameras) {
    for (double& x : camera) x = 0.3 * normal(random);
    camera[5] += 8.0;
    camera[6] += 500.0;
  }
  Problem problem;
  for (std::size_t k = 0; k < points.size(); ++k) {
    const bool is_single = k >= 12;
    for (int i = 0; i < 3; ++i) {
      points[k].push_back((is_single ? distance : 1.0) * normal(random));
    }
    if (is_single) points[k][2] = std::abs(points[k][2]) + distance;
    for (std::vector<double>& camera : cameras) {
      if (is_single && &camera != &cameras[0]) continue;
      problem.AddResidualBlock(
          Cost<2, 7, 3>([](auto* camera, auto* point, auto* r) {
            using T = std::remove_reference_t<decltype(r[0])>;
            T x[3];
            AngleAxisRotatePoint(camera, point, x);
            r[0] = camera[6] * (x[0] + camera[3]) / (x[2] + camera[5]) - 1.0;
            r[1] = camera[6] * (x[1] + camera[4]) / (x[2] + camera[5]) + 2.0;
          }),
          nullptr, camera.data(), points[k].data());
    }
  }
  std::multiset<Kind> kinds;
  for (int k = 0; k < 3; ++k) {
    kinds.insert({Kind::kGaugeTranslation, Kind::kGaugeRotation});
  }
  kinds.insert(Kind::kGaugeScale);
  for (int k = 0; k < num_single; ++k) kinds.insert(Kind::kTooFewResiduals);
  const Diagnosis diagnosis = Diagnose({}, &problem);
  const Outcome outcome = Judge(DenseNullSpace(&problem), kinds, diagnosis);
  EXPECT_TRUE(outcome.has_dimension && outcome.has_span)
      << diagnosis.ToString();
  EXPECT_TRUE(outcome.has_kinds) << diagnosis.ToString();
  for (const Direction& direction : diagnosis.undetermined) {
    if (direction.kind != Kind::kTooFewResiduals) continue;
    EXPECT_LE(direction.entries.size(), 3u) << diagnosis.ToString();
  }
}

TEST(PlantedNullSpace, PointsThatAreSeenOnceAreNamedWhereverTheyAre) {
  // Two pivots of the null space are in the block of the point.
  Planted two_pivots(52043);
  EXPECT_TRUE(Judge(DenseNullSpace(two_pivots.problem()), two_pivots.Kinds(),
                    Diagnose({}, two_pivots.problem()))
                  .has_kinds);
  for (int seed = 1; seed <= 5; ++seed) {
    for (const int num_single : {1, 2, 40}) {
      for (const double distance : {0.1, 1.0, 10.0, 100.0}) {
        SCOPED_TRACE(testing::Message()
                     << seed << ' ' << num_single << ' ' << distance);
        ExpectDepthsOfSinglePoints(seed, num_single, distance);
      }
    }
  }
}

TEST(PlantedNullSpace, BitsDoNotDependOnTheNumberOfThreads) {
  for (int seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    Planted planted(seed);
    std::string expected;
    for (const int num_threads : {1, 2, 3, 4, 8}) {
      DiagnosisOptions options;
      options.num_threads = num_threads;
      options.compute_redundancy = true;
      const std::string json = Diagnose(options, planted.problem()).ToJson();
      if (expected.empty()) expected = json;
      EXPECT_EQ(json, expected);
    }
  }
}

}  // namespace
}  // namespace ceres
