// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <cmath>
#include <map>
#include <random>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "Eigen/Dense"
#include "ceres/autodiff_cost_function.h"
#include "ceres/diagnosis.h"
#include "ceres/diagnosis/cost_of_lambda.h"
#include "ceres/dynamic_autodiff_cost_function.h"
#include "ceres/evaluation_callback.h"
#include "ceres/manifold.h"
#include "ceres/problem.h"
#include "ceres/rotation.h"
#include "ceres/sized_cost_function.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Kind = DirectionKind;
using testing::HasSubstr;
using testing::Not;

std::map<Kind, int> KindsOf(const Diagnosis& diagnosis) {
  std::map<Kind, int> kinds;
  for (const Direction& direction : diagnosis.undetermined) {
    ++kinds[direction.kind];
  }
  return kinds;
}
using Kinds = std::map<Kind, int>;

TEST(Saddles, AProductAtZeroIsASaddle) {
  double x = 0.0;
  double y = 0.0;
  Problem problem;
  problem.AddResidualBlock(
      Cost<1, 1, 1>([](auto* x, auto* y, auto* r) { r[0] = x[0] * y[0]; }),
      nullptr, &x, &y);
  const Diagnosis diagnosis = Diagnose({}, &problem);
  EXPECT_EQ(KindsOf(diagnosis), (Kinds{{Kind::kZeroDerivative, 2}}))
      << diagnosis.ToString();
}

TEST(Saddles, ACombinationWhoseDerivativeVanishesIsASaddle) {
  double x = 1.5;
  double y = 1.5;
  Problem problem;
  problem.AddResidualBlock(Cost<2, 1, 1>([](auto* x, auto* y, auto* r) {
                             r[0] = x[0] + y[0] - 1.0;
                             r[1] = (x[0] - y[0]) * (x[0] - y[0]);
                           }),
                           nullptr, &x, &y);
  Diagnosis diagnosis = Diagnose({}, &problem);
  EXPECT_EQ(KindsOf(diagnosis), (Kinds{{Kind::kZeroDerivative, 1}}))
      << diagnosis.ToString();
  ASSERT_EQ(diagnosis.undetermined[0].entries.size(), 2u);
  EXPECT_NEAR(diagnosis.undetermined[0].entries[0].value,
              -diagnosis.undetermined[0].entries[1].value, 1e-12);
  y = 1.7;
  EXPECT_TRUE(Diagnose({}, &problem).IsDetermined());
}

// The points coincide: the direction of their difference is a saddle, and the
// translation of both is free.
TEST(Saddles, ASquaredDistanceAtZeroHidesATranslation) {
  double p[2] = {1.0, 2.0};
  double q[2] = {1.0, 2.0};
  Problem problem;
  problem.AddResidualBlock(Cost<1, 2, 2>([](auto* p, auto* q, auto* r) {
                             r[0] = (p[0] - q[0]) * (p[0] - q[0]) +
                                    (p[1] - q[1]) * (p[1] - q[1]);
                           }),
                           nullptr, p, q);
  const Diagnosis diagnosis = Diagnose({}, &problem);
  EXPECT_EQ(KindsOf(diagnosis),
            (Kinds{{Kind::kGaugeTranslation, 2}, {Kind::kZeroDerivative, 2}}))
      << diagnosis.ToString();
  for (const Direction& direction : diagnosis.undetermined) {
    if (direction.kind != Kind::kGaugeTranslation) continue;
    ASSERT_EQ(direction.entries.size(), 2u);
    EXPECT_NEAR(direction.entries[0].value, direction.entries[1].value, 1e-5);
  }
}

TEST(Saddles, AngleDifferencesAtZeroLeaveTheCommonAngleFree) {
  double angle[3] = {0.3, 0.3, 0.3};
  Problem problem;
  for (int k = 0; k < 3; ++k) {
    problem.AddResidualBlock(Cost<1, 1, 1>([](auto* a, auto* b, auto* r) {
                               using std::cos;
                               r[0] = 1.0 - cos(a[0] - b[0]);
                             }),
                             nullptr, angle + k, angle + (k + 1) % 3);
  }
  const Diagnosis diagnosis = Diagnose({}, &problem);
  const Kinds kinds = KindsOf(diagnosis);
  ASSERT_EQ(diagnosis.undetermined.size(), 3u);
  EXPECT_EQ(kinds.at(Kind::kZeroDerivative), 2) << diagnosis.ToString();
  EXPECT_EQ(kinds.count(Kind::kNoInfluence), 0u);
}

// The axis of a body lies in the axis of symmetry of the residuals. A rotation
// about it is free, the two others are not.
TEST(Saddles, RotationAboutAnAxisOfSymmetryIsFree) {
  double q[4] = {1.0, 0.0, 0.0, 0.0};
  Problem problem;
  problem.AddResidualBlock(Cost<1, 4>([](auto* q, auto* r) {
                             using T = std::remove_reference_t<decltype(r[0])>;
                             const T axis[3] = {T(0.0), T(0.0), T(1.0)};
                             T rotated[3];
                             QuaternionRotatePoint(q, axis, rotated);
                             r[0] = rotated[2] - 1.0;
                           }),
                           nullptr, q);
  problem.SetManifold(q, new QuaternionManifold);
  const Diagnosis diagnosis = Diagnose({}, &problem);
  ASSERT_EQ(diagnosis.undetermined.size(), 3u);
  EXPECT_EQ(KindsOf(diagnosis).at(Kind::kZeroDerivative), 2)
      << diagnosis.ToString();
}

TEST(Saddles, TheLengthOfAQuaternionWithoutManifoldIsNoSaddle) {
  for (const bool is_identity : {true, false}) {
    double q[4] = {2.0, 0.0, 0.0, 0.0};
    if (!is_identity) q[2] = 0.7;
    Problem problem;
    problem.AddResidualBlock(
        Cost<6, 4>([](auto* q, auto* r) {
          using T = std::remove_reference_t<decltype(r[0])>;
          const T points[2][3] = {{T(1.0), T(0.2), T(0.1)},
                                  {T(0.3), T(1.1), T(-0.4)}};
          for (int k = 0; k < 2; ++k) {
            QuaternionRotatePoint(q, points[k], r + 3 * k);
            for (int i = 0; i < 3; ++i) r[3 * k + i] -= points[k][i];
          }
        }),
        nullptr, q);
    const Diagnosis diagnosis = Diagnose({}, &problem);
    ASSERT_EQ(KindsOf(diagnosis), (Kinds{{Kind::kCombination, 1}}))
        << diagnosis.ToString();
    EXPECT_THAT(diagnosis.undetermined[0].remedy,
                HasSubstr("QuaternionManifold"));
    problem.SetManifold(q, new QuaternionManifold);
    EXPECT_TRUE(Diagnose({}, &problem).IsDetermined());
  }
}

TEST(Saddles, TheScaleOfHomogeneousCoordinatesIsNoSaddle) {
  double point[4] = {0.0, 0.0, 0.0, 3.0};
  Problem problem;
  problem.AddResidualBlock(Cost<3, 4>([](auto* p, auto* r) {
                             for (int i = 0; i < 3; ++i) r[i] = p[i] / p[3];
                           }),
                           nullptr, point);
  const Diagnosis diagnosis = Diagnose({}, &problem);
  ASSERT_EQ(KindsOf(diagnosis), (Kinds{{Kind::kCombination, 1}}))
      << diagnosis.ToString();
  EXPECT_THAT(diagnosis.undetermined[0].remedy, HasSubstr("SphereManifold"));
}

// The derivatives by the amplitude and the frequency differ by the square of
// the frequency only.
TEST(Saddles, ASineOfFrequencyZeroIsASaddle) {
  double amplitude = 1.0;
  double frequency = 0.0;
  Problem problem;
  for (const double t : {0.5, 1.0, 1.5, 2.0}) {
    problem.AddResidualBlock(Cost<1, 1, 1>([t](auto* a, auto* w, auto* r) {
                               using std::sin;
                               r[0] = a[0] * sin(w[0] * t) - 0.5;
                             }),
                             nullptr, &amplitude, &frequency);
  }
  const Diagnosis diagnosis = Diagnose({}, &problem);
  EXPECT_EQ(KindsOf(diagnosis), (Kinds{{Kind::kZeroDerivative, 1}}))
      << diagnosis.ToString();
}

// The first coordinate lies along the values by chance.
TEST(Saddles, ACoordinateAlongTheValuesIsNoLength) {
  double x[2] = {2.0, 0.0};
  Problem problem;
  problem.AddResidualBlock(
      Cost<1, 2>([](auto* x, auto* r) { r[0] = x[0] * x[1]; }), nullptr, x);
  const Diagnosis diagnosis = Diagnose({}, &problem);
  ASSERT_EQ(diagnosis.undetermined.size(), 1u);
  EXPECT_THAT(diagnosis.undetermined[0].remedy,
              Not(HasSubstr("SphereManifold")));
}

// The product depends on y only if x is not zero. There, one direction is free.
TEST(Saddles, TheFactorOfZeroIsNoSaddle) {
  double x = 0.0;
  double y = 1.0;
  Problem problem;
  problem.AddResidualBlock(
      Cost<1, 1, 1>([](auto* x, auto* y, auto* r) { r[0] = x[0] * y[0]; }),
      nullptr, &x, &y);
  const Diagnosis diagnosis = Diagnose({}, &problem);
  EXPECT_EQ(KindsOf(diagnosis), (Kinds{{Kind::kCombination, 1}}))
      << diagnosis.ToString();
}

TEST(Saddles, FreedomThatTurnsWithTheValuesIsNoSaddle) {
  double x[3] = {0.7, -1.2, 2.0};
  Problem problem;
  problem.AddResidualBlock(Cost<1, 3>([](auto* x, auto* r) {
                             r[0] = x[0] * x[0] + 3.0 * x[1] * x[2];
                           }),
                           nullptr, x);
  const Diagnosis diagnosis = Diagnose({}, &problem);
  EXPECT_EQ(KindsOf(diagnosis).count(Kind::kZeroDerivative), 0u)
      << diagnosis.ToString();
  EXPECT_EQ(diagnosis.undetermined.size(), 2u);
}

// Keeps the values that it finds in the user's memory.
class CopyOfValues : public EvaluationCallback {
 public:
  explicit CopyOfValues(std::vector<double>* values) : values_(values) {}

  void PrepareForEvaluation(bool, bool) override {
    if (++num_calls > last_call) throw std::runtime_error("The last call.");
    copy = *values_;
  }

  std::vector<double> copy;
  int num_calls = 0;
  int last_call = 1000;

 private:
  std::vector<double>* const values_;
};

// r = f(copy of x), whatever the parameters are.
class OfCopy : public SizedCostFunction<1, 1> {
 public:
  OfCopy(const CopyOfValues* callback, int k) : callback_(callback), k_(k) {}

  bool Evaluate(double const* const*, double* residuals,
                double** jacobians) const override {
    const double x = callback_->copy[k_];
    residuals[0] = x * x - 1.0;
    if (jacobians != nullptr) jacobians[0][0] = 2.0 * x;
    return true;
  }

 private:
  const CopyOfValues* const callback_;
  const int k_;
};

// x[0] at a saddle; nothing depends on x[2].
TEST(Saddles, AnEvaluationCallbackSeesTheValuesThatAreEvaluated) {
  std::vector<double> x = {0.0, 0.5, 2.0};
  const std::vector<double> before = x;
  CopyOfValues callback(&x);
  Problem::Options options;
  options.evaluation_callback = &callback;
  Problem problem(options);
  for (int k : {0, 1}) {
    problem.AddResidualBlock(new OfCopy(&callback, k), nullptr, &x[k]);
  }
  problem.AddResidualBlock(
      Cost<1, 1>([](auto* x, auto* r) { r[0] = 0.0 * x[0]; }), nullptr, &x[2]);
  const Kinds expected = {{Kind::kZeroDerivative, 1}, {Kind::kNoInfluence, 1}};
  EXPECT_EQ(KindsOf(Diagnose({}, &problem)), expected);
  EXPECT_EQ(x, before);
  EXPECT_EQ(callback.copy, before);
  const int num_calls = callback.num_calls;
  ASSERT_GT(num_calls, 2);
  // An exception in any call leaves the values.
  for (callback.last_call = 0; callback.last_call < num_calls;
       ++callback.last_call) {
    SCOPED_TRACE(callback.last_call);
    callback.num_calls = 0;
    EXPECT_THROW(static_cast<void>(Diagnose({}, &problem)), std::runtime_error);
    EXPECT_EQ(x, before);
  }
}

// Residuals A (x - c) and, for each row b of B, (b (x - c))^2. At c, the null
// space is that of A; that of A and B together is free.
struct Forms {
  MatrixXd a, b;
  VectorXd center;
  template <typename T>
  bool operator()(T const* const* x, T* r) const {
    for (int i = 0; i < a.rows() + b.rows(); ++i) {
      T sum(0.0);
      for (int k = 0; k < a.cols(); ++k) {
        sum += (i < a.rows() ? a(i, k) : b(i - a.rows(), k)) *
               (x[k][0] - center(k));
      }
      r[i] = i < a.rows() ? sum : sum * sum;
    }
    return true;
  }
};

int RankOf(const MatrixXd& m) {
  Eigen::ColPivHouseholderQR<MatrixXd> qr(m);
  qr.setThreshold(1e-10);
  return static_cast<int>(qr.rank());
}

TEST(Saddles, FreeDirectionsAreThoseOfAllForms) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    const auto draw = [&] { return normal(random); };
    const int n = 3 + static_cast<int>(random() % 8);
    const int num_linear = static_cast<int>(random() % (n - 1));
    const int num_squares = 1 + static_cast<int>(random() % (n - num_linear));
    Forms forms{MatrixXd::NullaryExpr(num_linear, n, draw),
                MatrixXd::NullaryExpr(num_squares, n, draw),
                VectorXd::NullaryExpr(n, draw)};
    VectorXd x = forms.center;
    Problem problem;
    auto* cost = new DynamicAutoDiffCostFunction<Forms>(new Forms(forms));
    std::vector<double*> blocks;
    for (int k = 0; k < n; ++k) {
      cost->AddParameterBlock(1);
      blocks.push_back(x.data() + k);
    }
    cost->SetNumResiduals(num_linear + num_squares);
    problem.AddResidualBlock(cost, nullptr, blocks);
    const Diagnosis diagnosis = Diagnose({}, &problem);
    MatrixXd both(num_linear + num_squares, n);
    both << forms.a, forms.b;
    ASSERT_EQ(static_cast<int>(diagnosis.undetermined.size()), n - num_linear);
    int num_saddles = 0;
    MatrixXd found = MatrixXd::Zero(n, n - num_linear);
    for (int k = 0; k < n - num_linear; ++k) {
      const Direction& direction = diagnosis.undetermined[k];
      for (const Direction::Entry& entry : direction.entries) {
        found(entry.parameter_block_index, k) = entry.value;
      }
      const VectorXd v = found.col(k).normalized();
      EXPECT_LT((forms.a * v).norm(), 1e-6);
      if (direction.kind == Kind::kZeroDerivative) {
        ++num_saddles;
        EXPECT_GT((forms.b * v).norm(), 1e-6);
      } else {
        EXPECT_LT((both * v).norm(), 1e-3) << diagnosis.ToString();
      }
    }
    EXPECT_EQ(num_saddles, RankOf(both) - num_linear) << diagnosis.ToString();
    EXPECT_EQ(RankOf(found), n - num_linear);
  }
}

// Larger than what is treated as dense, with the same bits for each number of
// threads.
TEST(Saddles, AreFoundInALongChain) {
  constexpr int kBlocks = 400;
  std::vector<double> x(2 * kBlocks);
  for (int k = 0; k < kBlocks; ++k) {
    x[2 * k] = std::sin(k);
    x[2 * k + 1] = 1.0;
  }
  Problem problem;
  for (int k = 1; k < kBlocks; ++k) {
    problem.AddResidualBlock(Cost<2, 2, 2>([](auto* a, auto* b, auto* r) {
                               r[0] = b[0] - a[0] - 1.0;
                               r[1] = (b[1] - a[1]) + 0.1 * (b[0] - a[0]);
                             }),
                             nullptr, &x[2 * k - 2], &x[2 * k]);
  }
  // Holds the second coordinate of the whole, but not at these values.
  problem.AddResidualBlock(
      Cost<1, 2>([](auto* a, auto* r) { r[0] = (a[1] - 1.0) * (a[1] - 1.0); }),
      nullptr, x.data());
  DiagnosisOptions options;
  const Diagnosis diagnosis = Diagnose(options, &problem);
  ASSERT_EQ(diagnosis.undetermined.size(), 2u) << diagnosis.ToString();
  const Direction& free = diagnosis.undetermined[1];
  EXPECT_EQ(diagnosis.undetermined[0].kind, Kind::kZeroDerivative)
      << diagnosis.ToString();
  EXPECT_NE(free.kind, Kind::kZeroDerivative);
  for (const int num_threads : {2, 4, 8}) {
    options.num_threads = num_threads;
    EXPECT_EQ(Diagnose(options, &problem).ToJson(), diagnosis.ToJson());
  }
}

// Blocks of 6 and of 3 values, with residuals L_i x_i - M_j y_j. The ranges of
// all M_j have one vector w in common. So x_i = L_i^-1 w and M_j y_j = w is a
// motion of all blocks, which no reading of the values explains.
TEST(Saddles, AMotionOfAllBlocksLooksLikeAGauge) {
  constexpr int kNumX = 3;
  constexpr int kNumY = 4;
  using Matrix6 = Eigen::Matrix<double, 6, 6>;
  using Matrix63 = Eigen::Matrix<double, 6, 3>;
  for (unsigned seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    const auto draw = [&] { return normal(random); };
    const Eigen::Matrix<double, 6, 1> w =
        Eigen::Matrix<double, 6, 1>::NullaryExpr(draw);
    std::vector<Matrix6> l;
    std::vector<Matrix63> m;
    for (int i = 0; i < kNumX; ++i) l.push_back(Matrix6::NullaryExpr(draw));
    for (int j = 0; j < kNumY; ++j) {
      Matrix63 own = Matrix63::NullaryExpr(draw);
      own.col(0) = w;
      m.push_back(own * Eigen::Matrix3d::NullaryExpr(draw));
    }
    std::vector<double> x(6 * kNumX);
    std::vector<double> y(3 * kNumY);
    for (double& value : x) value = draw();
    for (double& value : y) value = draw();
    Problem problem;
    for (int i = 0; i < kNumX; ++i) {
      for (int j = 0; j < kNumY; ++j) {
        problem.AddResidualBlock(
            Cost<6, 6, 3>([l = l[i], m = m[j]](auto* x, auto* y, auto* r) {
              for (int row = 0; row < 6; ++row) {
                r[row] = l(row, 0) * x[0] - 1.0;
                for (int k = 1; k < 6; ++k) r[row] += l(row, k) * x[k];
                for (int k = 0; k < 3; ++k) r[row] -= m(row, k) * y[k];
              }
            }),
            nullptr, &x[6 * i], &y[3 * j]);
      }
    }
    const Diagnosis diagnosis = Diagnose({}, &problem);
    ASSERT_EQ(KindsOf(diagnosis), (Kinds{{Kind::kGauge, 1}}))
        << diagnosis.ToString();
    EXPECT_THAT(diagnosis.undetermined[0].cause,
                HasSubstr("looks like a gauge freedom"));
    EXPECT_THAT(diagnosis.undetermined[0].cause,
                HasSubstr("All 7 connected parameter blocks of sizes 3 and 6"));
    // Held: determined.
    problem.SetParameterBlockConstant(y.data());
    EXPECT_TRUE(Diagnose({}, &problem).IsDetermined());
  }
}

}  // namespace
}  // namespace ceres
