// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/autodiff_batch.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <thread>
#include <tuple>
#include <typeinfo>
#include <utility>
#include <vector>

#include "Eigen/Core"
#include "Eigen/Geometry"
#include "ceres/autodiff_cost_function.h"
#include "ceres/factors/camera_models.h"
#include "ceres/factors/planar_groups.h"
#include "ceres/factors/similarity_group.h"
#include "ceres/factors/spatial_groups.h"
#include "ceres/kernels/every_target.h"
#include "ceres/rotation.h"
#include "gtest/gtest.h"

namespace ceres {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr int kDataSize = 3;

// The residual block of a row: the functor with the data of the row.
template <typename Functor>
struct RowFunctor {
  template <typename... Pointers>
  bool operator()(Pointers... pointers) const {
    constexpr std::size_t kBlocks = sizeof...(Pointers) - 1;
    return Call(std::make_tuple(pointers...),
                std::make_index_sequence<kBlocks>());
  }
  template <typename Tuple, std::size_t... k>
  bool Call(const Tuple& pointers, std::index_sequence<k...>) const {
    return functor(std::get<k>(pointers)..., data,
                   std::get<sizeof...(k)>(pointers));
  }
  Functor functor;
  const double* data;
};

// Rows of a batch with random parameters and data.
template <typename Functor, int kNumResiduals, int... Ns>
class Rows {
 public:
  static constexpr int kNumBlocks = sizeof...(Ns);
  static constexpr int kSizes[] = {Ns...};
  static constexpr int kNumParameters = (0 + ... + Ns);
  static constexpr int kRowSize = kNumResiduals * (1 + kNumParameters);

  explicit Rows(int size, int seed = 1, double scale = 1.0)
      : batch_(BatchColumns::Own(MakeData(size, seed, scale), kDataSize)),
        size_(size) {
    data_ = MakeData(size, seed, scale);
    std::mt19937_64 random(seed + 1000);
    std::normal_distribution<double> normal;
    values_.resize(static_cast<std::size_t>(size) * kNumParameters);
    for (double& value : values_) value = scale * normal(random);
    Point();
  }

  double* parameters(int row) { return &values_[row * kNumParameters]; }
  const AutoDiffBatch<Functor, kNumResiduals, Ns...>& batch() const {
    return batch_;
  }

  // The residuals and Jacobians of rows, one after the other.
  int Evaluate(const std::vector<std::int64_t>& rows,
               std::vector<double>* results, bool with_jacobians = true) const {
    results->assign(rows.size() * kRowSize, kNaN);
    std::vector<const double*> parameters;
    for (const std::int64_t row : rows) {
      for (int k = 0; k < kNumBlocks; ++k) {
        parameters.push_back(pointers_[row * kNumBlocks + k]);
      }
    }
    double* jacobians[kNumBlocks];
    double* next = results->data() + kNumResiduals;
    for (int k = 0; k < kNumBlocks; ++k) {
      jacobians[k] = next;
      next += kNumResiduals * kSizes[k];
    }
    return batch_.Evaluate(
        {static_cast<int>(rows.size()), rows.data(), parameters.data()},
        {results->data(), with_jacobians ? jacobians : nullptr, kRowSize});
  }

  // The results of one row by AutoDiffCostFunction.
  bool EvaluateBlock(int row, std::vector<double>* results) const {
    results->assign(kRowSize, kNaN);
    const AutoDiffCostFunction<RowFunctor<Functor>, kNumResiduals, Ns...> block(
        new RowFunctor<Functor>{Functor(), &data_[row * kDataSize]});
    double* jacobians[kNumBlocks];
    double* next = results->data() + kNumResiduals;
    for (int k = 0; k < kNumBlocks; ++k) {
      jacobians[k] = next;
      next += kNumResiduals * kSizes[k];
    }
    if (!block.Evaluate(&pointers_[row * kNumBlocks], results->data(),
                        jacobians)) {
      return false;
    }
    return std::all_of(results->begin(), results->end(),
                       [](double x) { return std::isfinite(x); });
  }

  int size() const { return size_; }

 private:
  static std::vector<double> MakeData(int size, int seed, double scale) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    std::vector<double> data(static_cast<std::size_t>(size) * kDataSize);
    for (double& value : data) value = scale * normal(random);
    return data;
  }

  void Point() {
    for (int i = 0; i < size_; ++i) {
      const double* next = parameters(i);
      for (const int block_size : kSizes) {
        pointers_.push_back(next);
        next += block_size;
      }
    }
  }

  AutoDiffBatch<Functor, kNumResiduals, Ns...> batch_;
  int size_;
  std::vector<double> data_, values_;
  std::vector<const double*> pointers_;
};

// The largest difference of results from those of residual blocks, in units of
// eps and the largest number of the same residual: itself or its derivatives.
// Infinite if other rows fail.
template <typename RowsT, int kNumResiduals>
double LargestError(const RowsT& rows) {
  double largest = 0.0;
  std::vector<double> expected, actual;
  int num_evaluated = 0;
  for (int i = 0; i < rows.size(); ++i) {
    const bool is_valid = rows.EvaluateBlock(i, &expected);
    if (rows.Evaluate({i}, &actual) != (is_valid ? 1 : 0)) {
      ADD_FAILURE() << "row " << i << " should " << (is_valid ? "not " : "")
                    << "fail";
      return 1e300;
    }
    if (!is_valid) continue;
    ++num_evaluated;
    double scale = std::numeric_limits<double>::min();
    for (const double x : expected) scale = std::max(scale, std::abs(x));
    for (std::size_t k = 0; k < expected.size(); ++k) {
      largest = std::max(largest, std::abs(expected[k] - actual[k]) / scale /
                                      std::numeric_limits<double>::epsilon());
    }
  }
  EXPECT_GT(num_evaluated, 0);
  return largest;
}

// Checks one functor: against residual blocks, with every instruction set, and
// that a row does not depend on those beside it.
template <typename Functor, int kNumResiduals, int... Ns>
void ExpectRowsOfBlocks(double bound, double scale = 1.0) {
  using RowsT = Rows<Functor, kNumResiduals, Ns...>;
  SCOPED_TRACE(typeid(Functor).name());
  internal::kernels::ForEachTarget([&] {
    const RowsT rows(70, 1, scale);
    const double error = LargestError<RowsT, kNumResiduals>(rows);
    EXPECT_LE(error, bound);
    // Valid rows, in several numbers and orders.
    std::vector<std::int64_t> valid;
    std::vector<std::vector<double>> alone(rows.size());
    for (int i = 0; i < rows.size(); ++i) {
      if (rows.Evaluate({i}, &alone[i]) == 1) valid.push_back(i);
    }
    for (std::size_t count = 1; count <= valid.size();
         count += count < 20 ? 1 : 13) {
      std::vector<std::int64_t> some(valid.end() - count, valid.end());
      std::reverse(some.begin(), some.begin() + count / 2);
      std::vector<double> together, values;
      ASSERT_EQ(rows.Evaluate(some, &together), static_cast<int>(count));
      ASSERT_EQ(rows.Evaluate(some, &values, false), static_cast<int>(count));
      for (std::size_t i = 0; i < count; ++i) {
        for (int k = 0; k < RowsT::kRowSize; ++k) {
          const std::size_t place = i * RowsT::kRowSize + k;
          ASSERT_EQ(together[place], alone[some[i]][k]) << i << " of " << count;
          if (k >= kNumResiduals) continue;
          ASSERT_EQ(together[place], values[place]);
        }
      }
    }
  });
}

#define FUNCTOR1(name, ...)                               \
  struct name {                                           \
    template <typename T, typename D>                     \
    bool operator()(const T* x, const D* d, T* r) const { \
      __VA_ARGS__;                                        \
      return true;                                        \
    }                                                     \
  };
#define FUNCTOR2(name, ...)                                           \
  struct name {                                                       \
    template <typename T, typename D>                                 \
    bool operator()(const T* x, const T* y, const D* d, T* r) const { \
      __VA_ARGS__;                                                    \
      return true;                                                    \
    }                                                                 \
  };

// Arithmetic, and what has the bits of AutoDiffCostFunction.
FUNCTOR1(Line, r[0] = x[0] * d[0] + x[1] - d[1])
FUNCTOR1(Sharing, using std::exp; using std::sin;
         r[0] = sin(x[0] * d[1] + x[1] / d[0]) * (T(1.0) / T(d[2])) -
                T(exp(d[0] * d[2])))
FUNCTOR1(Rational, r[0] = (x[0] * x[1] - 2.0) / (x[0] * x[0] + T(1.0)) - d[0];
         r[1] = -x[1] * 3.0 / d[1] + x[0] / 7.0)
FUNCTOR2(Norm, using std::sqrt; const T s = x[0] * y[0] + x[1] * x[1] + 4.0;
         r[0] = sqrt(s * s + y[1] * y[1]) - d[0])
FUNCTOR1(Comparison, (void)d; if (x[0] > x[1]) r[0] = x[0] * x[1];
         else r[0] = x[0] / (x[1] * x[1] + 1.0))
FUNCTOR1(Ternary, r[0] = x[0] < d[0] ? x[1] * x[1] : x[0];
         r[1] = x[1] >= T(0) && x[0] != x[1] ? -x[0] : x[1] - d[1])
FUNCTOR1(Absolute, using std::abs; using std::floor; using std::ceil;
         r[0] = abs(x[0] - d[0]) * x[1]; r[1] = floor(x[0]) * x[1] + ceil(x[1]))
FUNCTOR1(
    Horner, T sum = T(0.0);
    for (int i = 3; i >= 0; --i) { sum = sum * d[0] + x[i]; } r[0] = sum - d[1];
    r[1] = sum * sum)
FUNCTOR1(Selected, (void)d; r[0] = Select(x[0] < x[1], x[0] * x[0], x[1]);
         r[1] = Select(x[0] > 0.0, x[1], -x[1]))
FUNCTOR1(Extremes, using std::fmin; using std::fmax;
         r[0] = fmax(x[0], x[1]) * 2.0 + fmin(x[0] * x[0], T(d[0])))
FUNCTOR1(Signs, using std::copysign; r[0] = copysign(x[0], x[1]) * x[2] - d[0])
FUNCTOR1(LibraryFunctions, using std::tan; using std::asin; using std::sinh;
         using std::tanh; using std::cbrt; using std::expm1; using std::exp2;
         r[0] = tan(x[0]) + cbrt(x[1]) * d[0];
         r[1] = asin(x[0] / (x[0] * x[0] + 2.0)) + tanh(x[1]))
FUNCTOR1(Classified, using std::isnan; using std::isfinite; using std::isnormal;
         r[0] = isnan(x[0]) || !isfinite(x[1]) || !isnormal(x[0]) ? T(0.0)
                                                                  : x[0] * d[0])
FUNCTOR1(Constants, (void)x; (void)d; r[0] = T(2.5); r[1] = x[1])
FUNCTOR1(Squares, (void)d; const T a = x[0] * x[0]; const T b = x[1] * x[1];
         r[0] = (a + b) * (a - b) - (-x[0]) * (-(x[1] * -2.0)))
FUNCTOR2(EigenProducts, using Vector = Eigen::Matrix<T, 3, 1>;
         const Eigen::Map<const Vector> a(x), b(y); Vector c = a.cross(b);
         c += a * T(d[0]); const T dot = a.dot(c); r[0] = dot;
         r[1] = c.norm() + c.squaredNorm())
FUNCTOR2(EigenRotation, using Quaternion = Eigen::Quaternion<T>;
         using Vector = Eigen::Matrix<T, 3, 1>;
         const Quaternion q = Eigen::Map<const Quaternion>(x).normalized();
         const Vector p = q * Eigen::Map<const Vector>(y);
         for (int i = 0; i < 3; ++i) r[i] = p[i] - d[i])

TEST(AutoDiffBatch, ArithmeticHasTheBitsOfBlocks) {
  ExpectRowsOfBlocks<Line, 1, 2>(0.0);
  ExpectRowsOfBlocks<Rational, 2, 2>(0.0);
  ExpectRowsOfBlocks<Norm, 1, 2, 2>(0.0);
  ExpectRowsOfBlocks<Comparison, 1, 2>(0.0);
  ExpectRowsOfBlocks<Ternary, 2, 2>(0.0);
  ExpectRowsOfBlocks<Absolute, 2, 2>(0.0);
  ExpectRowsOfBlocks<Horner, 2, 4>(0.0);
  ExpectRowsOfBlocks<Selected, 2, 2>(0.0);
  ExpectRowsOfBlocks<Extremes, 1, 2>(0.0);
  ExpectRowsOfBlocks<Signs, 1, 3>(0.0);
  ExpectRowsOfBlocks<LibraryFunctions, 2, 2>(0.0);
  ExpectRowsOfBlocks<Classified, 1, 2>(0.0);
  ExpectRowsOfBlocks<Constants, 2, 2>(0.0);
  ExpectRowsOfBlocks<Squares, 1, 2>(0.0);
  ExpectRowsOfBlocks<EigenProducts, 2, 3, 3>(0.0);
  ExpectRowsOfBlocks<EigenRotation, 3, 4, 3>(0.0);
}

// Huge and tiny numbers, too: squares overflow or are denormal.
TEST(AutoDiffBatch, HugeAndTinyNumbersHaveTheBitsOfBlocks) {
  for (const double scale :
       {1e150, 1e-150, 1e-160, 1e200, 1e-300, 1e-310, 1e300}) {
    SCOPED_TRACE(scale);
    ExpectRowsOfBlocks<Line, 1, 2>(0.0, std::min(scale, 1e150));
    ExpectRowsOfBlocks<Absolute, 2, 2>(0.0, std::min(scale, 1e150));
    ExpectRowsOfBlocks<Constants, 2, 2>(0.0, scale);
    ExpectRowsOfBlocks<Squares, 1, 2>(0.0, std::min(scale, 1e70));
    ExpectRowsOfBlocks<Ternary, 2, 2>(0.0, std::min(scale, 1e150));
  }
}

FUNCTOR2(Snavely, T p[3]; AngleAxisRotatePoint(x, y, p);
         for (int k = 0; k < 3; ++k) p[k] += x[3 + k];
         const T inverse = T(-1.0) / p[2]; const T u = p[0] * inverse;
         const T v = p[1] * inverse; const T square = u * u + v * v;
         const T f = x[6] * (T(1.0) + square * (x[7] + x[8] * square));
         r[0] = f * u - T(d[0]); r[1] = f * v - T(d[1]))
FUNCTOR2(QuaternionPoint, T p[3]; QuaternionRotatePoint(x, y, p);
         for (int i = 0; i < 3; ++i) r[i] = p[i] - d[i])
FUNCTOR2(QuaternionBetween, T inverse[4]; T between[4]; T angle_axis[3];
         QuaternionConjugate(x, inverse);
         QuaternionProduct(inverse, y, between);
         QuaternionToAngleAxis(between, angle_axis);
         for (int i = 0; i < 3; ++i) r[i] = angle_axis[i] - d[i])
FUNCTOR1(MatrixRoundTrip, T matrix[9]; T angle_axis[3];
         AngleAxisToRotationMatrix(x, matrix); matrix[0] *= 1.0;
         RotationMatrixToAngleAxis(matrix, angle_axis);
         for (int i = 0; i < 3; ++i) r[i] = angle_axis[i] * d[i] + matrix[i])
FUNCTOR1(AngleAxisQuaternion, T q[4]; AngleAxisToQuaternion(x, q);
         for (int i = 0; i < 4; ++i) r[i] = q[i] * d[0])
FUNCTOR1(SmallAngles, T a[3]; for (int i = 0; i < 3; ++i) a[i] = x[i] * 1e-9;
         T p[3]; const T point[3] = {T(d[0]), T(d[1]), T(d[2])};
         AngleAxisRotatePoint(a, point, p);
         for (int i = 0; i < 3; ++i) r[i] = p[i])
FUNCTOR1(Angles, using std::atan2; using std::sin; using std::cos;
         r[0] = atan2(x[0], x[1]) - d[0]; r[1] = sin(x[0]) * cos(x[1] * d[1]))
FUNCTOR1(Exponentials, using std::exp; using std::log; using std::log1p;
         r[0] = exp(x[0] * d[0]) * x[1];
         r[1] = log(x[0] * x[0] + 1.0) + log1p(x[1] * x[1]))
FUNCTOR1(Powers, using std::pow; const T a = x[0] * x[0] + 0.5;
         r[0] = pow(a, 2.5) + pow(x[1], 3.0);
         r[1] = pow(a, x[1]) - pow(2.0, x[0]) * d[0])
FUNCTOR1(ErrorFunctions, using std::erf; using std::erfc; using std::hypot;
         r[0] = erf(x[0]) + d[0] * erfc(x[1]); r[1] = hypot(x[0], x[1]))
struct Pinhole {
  template <typename T, typename D>
  bool operator()(const T* x, const T* y, const D* d, T* r) const {
    if (!factors::PinholeCamera::Project(x, y, r)) return false;
    for (int i = 0; i < 2; ++i) r[i] -= T(d[i]);
    return true;
  }
};
template <typename Camera>
struct Projection {
  template <typename T, typename D>
  bool operator()(const T* x, const T* y, const D* d, T* r) const {
    if (!Camera::Project(x, y, r)) return false;
    for (int i = 0; i < 2; ++i) r[i] -= T(d[i]);
    return true;
  }
};
template <typename Group>
struct Between {
  template <typename T, typename D>
  bool operator()(const T* x, const T* y, const D* d, T* r) const {
    T between[Group::kAmbientSize];
    Group::Between(x, y, between);
    T error[Group::kTangentSize];
    Group::Log(between, error);
    for (int i = 0; i < Group::kTangentSize; ++i) {
      r[i] = error[i] * T(d[0]) - T(d[1]);
    }
    return true;
  }
};

TEST(AutoDiffBatch, RotationsAndCamerasHaveAFewUlps) {
  ExpectRowsOfBlocks<Snavely, 2, 9, 3>(128.0);
  ExpectRowsOfBlocks<QuaternionPoint, 3, 4, 3>(0.0);
  ExpectRowsOfBlocks<QuaternionBetween, 3, 4, 4>(32.0);
  ExpectRowsOfBlocks<MatrixRoundTrip, 3, 3>(64.0);
  ExpectRowsOfBlocks<AngleAxisQuaternion, 4, 3>(32.0);
  ExpectRowsOfBlocks<SmallAngles, 3, 3>(0.0);
  ExpectRowsOfBlocks<Angles, 2, 2>(32.0);
  ExpectRowsOfBlocks<Exponentials, 2, 2>(32.0);
  ExpectRowsOfBlocks<Powers, 2, 2>(32.0);
  ExpectRowsOfBlocks<ErrorFunctions, 2, 2>(32.0);
  ExpectRowsOfBlocks<Projection<factors::PinholeCamera>, 2, 4, 3>(0.0);
  ExpectRowsOfBlocks<Projection<factors::RadialCamera>, 2, 5, 3>(0.0);
  ExpectRowsOfBlocks<Projection<factors::OpenCVCamera>, 2, 9, 3>(0.0);
  ExpectRowsOfBlocks<Projection<factors::FisheyeCamera>, 2, 8, 3>(32.0);
}

TEST(AutoDiffBatch, GroupsHaveAFewUlps) {
  ExpectRowsOfBlocks<Between<factors::SE2>, 3, 3, 3>(64.0);
  ExpectRowsOfBlocks<Between<factors::SO3>, 3, 4, 4>(64.0);
  ExpectRowsOfBlocks<Between<factors::SE3>, 6, 7, 7>(64.0);
  ExpectRowsOfBlocks<Between<factors::Sim3>, 7, 8, 8>(64.0);
}

// Each of 7 comparisons may have another outcome: more combinations than are
// kept.
FUNCTOR1(
    ManyBranches, T sum = T(d[0]); for (int i = 0; i < 7; ++i) {
      if (x[i] > T(0.0)) {
        sum = sum * x[i] + 1.0;
      } else {
        sum += x[i] / (x[i] * x[i] + 2.0);
      }
    } r[0] = sum)

TEST(AutoDiffBatch, HasTheBitsOfBlocksWithManyCombinationsOfBranches) {
  const Rows<ManyBranches, 1, 7> rows(1000);
  std::vector<std::int64_t> all(rows.size());
  for (int i = 0; i < rows.size(); ++i) all[i] = i;
  std::vector<double> together, expected, values;
  ASSERT_EQ(rows.Evaluate(all, &together), rows.size());
  ASSERT_EQ(rows.Evaluate(all, &values, false), rows.size());
  for (int i = 0; i < rows.size(); ++i) {
    ASSERT_TRUE(rows.EvaluateBlock(i, &expected));
    for (int k = 0; k < 8; ++k) ASSERT_EQ(together[8 * i + k], expected[k]);
    ASSERT_EQ(values[8 * i], expected[0]);
  }
}

// Recorded and computed by several threads at once.
TEST(AutoDiffBatch, ThreadsRecordAndComputeTheSame) {
  const Rows<ManyBranches, 1, 7> rows(300);
  const Rows<ManyBranches, 1, 7> others(300);
  std::vector<std::int64_t> all(rows.size());
  for (int i = 0; i < rows.size(); ++i) all[i] = i;
  std::vector<double> expected;
  ASSERT_EQ(others.Evaluate(all, &expected), rows.size());
  std::vector<std::vector<double>> results(4);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      std::vector<std::int64_t> order = all;
      std::rotate(order.begin(), order.begin() + 70 * t, order.end());
      std::vector<double> rotated;
      if (rows.Evaluate(order, &rotated) != rows.size()) return;
      std::rotate(rotated.begin(), rotated.end() - 8 * 70 * t, rotated.end());
      results[t] = rotated;
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<double>& result : results) {
    EXPECT_EQ(result, expected);
  }
}

// Fails where x < -0.5, and is not finite where x > 2.
FUNCTOR1(Failing, using std::sqrt; if (x[0] < T(-0.5)) return false;
         r[0] = sqrt(2.0 - x[0]) + d[0]; r[1] = x[1] * d[1])

TEST(AutoDiffBatch, ReturnsTheFirstRowThatFails) {
  Rows<Failing, 2, 2> rows(150);
  std::vector<std::int64_t> all(rows.size());
  for (int i = 0; i < rows.size(); ++i) {
    all[i] = i;
    rows.parameters(i)[0] = 0.25;
  }
  std::vector<double> results;
  EXPECT_EQ(rows.Evaluate(all, &results), 150);
  rows.parameters(140)[0] = -1.0;
  EXPECT_EQ(rows.Evaluate(all, &results), 140);
  rows.parameters(77)[0] = 3.0;
  EXPECT_EQ(rows.Evaluate(all, &results), 77);
  EXPECT_EQ(rows.Evaluate(all, &results, false), 77);
  // A residual that is finite, with a derivative that is not.
  rows.parameters(20)[0] = 2.0;
  EXPECT_EQ(rows.Evaluate(all, &results), 20);
  EXPECT_EQ(rows.Evaluate(all, &results, false), 77);
  rows.parameters(10)[1] = kNaN;
  EXPECT_EQ(rows.Evaluate(all, &results), 10);
  std::reverse(all.begin(), all.end());
  EXPECT_EQ(rows.Evaluate(all, &results), 150 - 1 - 140);
}

TEST(AutoDiffBatch, FailsForDataThatAreNotNumbers) {
  std::vector<double> values(3 * 40, 1.0);
  values[3 * 30 + 1] = kNaN;
  const AutoDiffBatch<Line, 1, 2> batch(BatchColumns(values.data(), 40, 3));
  const double line[2] = {1.0, 2.0};
  std::vector<std::int64_t> rows;
  const std::vector<const double*> parameters(40, line);
  for (int i = 0; i < 40; ++i) rows.push_back(i);
  std::vector<double> residuals(40);
  EXPECT_EQ(batch.Evaluate({40, rows.data(), parameters.data()},
                           {residuals.data(), nullptr, 1}),
            30);
}

// The user's rows, the user's columns, and rows that the batch has taken over.
TEST(AutoDiffBatch, TakesDataInAnyForm) {
  constexpr int kRows = 21;
  std::vector<double> values, first, second, wide, backwards;
  const std::vector<double> line = {0.5, 2.0};
  for (int i = 0; i < kRows; ++i) {
    first.push_back(0.1 * i);
    second.push_back(1.0 / (1 + i));
    values.insert(values.end(), {first.back(), second.back()});
    wide.insert(wide.end(), {-1.0, first.back(), second.back(), -2.0, -3.0});
    backwards.insert(backwards.begin(), {first.back(), second.back()});
  }
  const std::vector<BatchColumns> forms = {
      BatchColumns(values.data(), kRows, 2),
      BatchColumns({first.data(), second.data()}, kRows),
      BatchColumns::Own(values, 2),
      // Columns of a wider table, and of several tables.
      BatchColumns(wide.data() + 1, kRows, 2, 5),
      BatchColumns::Join({BatchColumns(wide.data() + 1, kRows, 1, 5),
                          BatchColumns(second.data(), kRows, 1)}),
      BatchColumns::Join({BatchColumns(kRows), BatchColumns::Own(first, 1),
                          BatchColumns(values.data() + 1, kRows, 1, 2)}),
      // From the last row to the first.
      BatchColumns(backwards.data() + 2 * (kRows - 1), kRows, 2, -2)};
  for (const BatchColumns& data : forms) {
    const AutoDiffBatch<Line, 1, 2> batch(data);
    EXPECT_EQ(batch.num_rows(), kRows);
    std::vector<std::int64_t> rows;
    const std::vector<const double*> parameters(kRows, line.data());
    for (int i = 0; i < kRows; ++i) rows.push_back(kRows - 1 - i);
    std::vector<double> results(3 * kRows);
    double* jacobians[] = {&results[1]};
    ASSERT_EQ(batch.Evaluate({kRows, rows.data(), parameters.data()},
                             {results.data(), jacobians, 3}),
              kRows);
    for (int i = 0; i < kRows; ++i) {
      const double x = first[kRows - 1 - i], y = second[kRows - 1 - i];
      EXPECT_EQ(results[3 * i], line[0] * x + line[1] - y);
      EXPECT_EQ(results[3 * i + 1], x);
      EXPECT_EQ(results[3 * i + 2], 1.0);
    }
  }
}

// A number that all rows share has the bits of a column that repeats it.
TEST(AutoDiffBatch, SharedNumbersHaveTheBitsOfColumns) {
  constexpr int kRows = 70;
  std::mt19937_64 random(8);
  std::normal_distribution<double> normal;
  std::vector<double> x, shared = {normal(random), normal(random)}, table;
  std::vector<double> lines;
  for (int i = 0; i < kRows; ++i) {
    x.push_back(normal(random));
    lines.insert(lines.end(), {normal(random), normal(random)});
    table.insert(table.end(), {shared[0], x.back(), shared[1]});
  }
  const BatchColumns column(x.data(), kRows, 1);
  const auto share = [&](int i) {
    return BatchColumns::Shared({shared[i]}, kRows);
  };
  const AutoDiffBatch<Sharing, 1, 2> expected(
      BatchColumns(table.data(), kRows, 3));
  const AutoDiffBatch<Sharing, 1, 2> actual(
      BatchColumns::Join({share(0), column, share(1)}));
  std::vector<std::int64_t> rows(kRows);
  std::vector<const double*> parameters;
  for (int i = 0; i < kRows; ++i) {
    rows[i] = i;
    parameters.push_back(&lines[2 * i]);
  }
  std::vector<double> results[2];
  const auto evaluate = [&](const ResidualBatch& batch,
                            std::vector<double>* to) {
    to->resize(3 * kRows);
    double* jacobians[] = {to->data() + 1};
    EXPECT_EQ(batch.Evaluate({kRows, rows.data(), parameters.data()},
                             {to->data(), jacobians, 3}),
              kRows);
  };
  evaluate(expected, &results[0]);
  evaluate(actual, &results[1]);
  EXPECT_EQ(results[0], results[1]);
  // All numbers are shared.
  evaluate(AutoDiffBatch<Sharing, 1, 2>(
               BatchColumns::Shared({shared[0], x[3], shared[1]}, kRows)),
           &results[1]);
  EXPECT_EQ(results[0][9], results[1][9]);
  EXPECT_EQ(results[0][10], results[1][10]);
}

// Fewer columns than the functor reads, among them none.
TEST(AutoDiffBatchDeathTest, ColumnsThatAreMissingAreNamed) {
  const double values[3] = {}, line[2] = {1.0, 2.0};
  const std::int64_t row = 0;
  const double* const parameters = line;
  double results[3];
  double* jacobians[] = {results + 1};
  const auto evaluate = [&](const BatchColumns& columns) {
    const AutoDiffBatch<Line, 1, 2> batch(columns);
    return batch.Evaluate({1, &row, &parameters}, {results, jacobians, 3});
  };
  EXPECT_EQ(evaluate(BatchColumns(values, 1, 3)), 1);
  EXPECT_EQ(evaluate(BatchColumns::Shared({1.0, 2.0}, 1)), 1);
  EXPECT_DEATH(evaluate(BatchColumns(values, 1, 1)),
               "reads column 1 of the data, counted from 0. There are 1 col");
  EXPECT_DEATH(evaluate(BatchColumns::Shared({1.0}, 1)), "reads column 1 of");
  EXPECT_DEATH(evaluate(BatchColumns(1)), "reads column [01] of");
}

TEST(BatchColumnsDeathTest, PartsOfOtherLengthsAreNotJoined) {
  const double values[4] = {};
  EXPECT_DEATH(BatchColumns::Join({BatchColumns(values, 4, 1),
                                   BatchColumns::Shared({1.0}, 3)}),
               "parts of 4 and 3 rows cannot be joined");
  EXPECT_DEATH(BatchColumns::Join({}), "nothing to join");
}

// As in AutoDiffCostFunction, a residual that is not written is impossible.
FUNCTOR1(Forgetful, (void)d; r[0] = x[0] * x[1])

TEST(AutoDiffBatch, MarksResidualsThatAreNotWritten) {
  const Rows<Forgetful, 2, 2> rows(9);
  std::vector<double> results, expected;
  ASSERT_EQ(rows.Evaluate({3, 4, 5}, &results), 3);
  ASSERT_TRUE(rows.EvaluateBlock(4, &expected));
  for (int k = 0; k < 6; ++k) EXPECT_EQ(results[6 + k], expected[k]);
  EXPECT_EQ(results[1], kImpossibleValue);
}

// Jacobians that are not wanted are not written.
TEST(AutoDiffBatch, LeavesOutJacobians) {
  std::vector<double> data(2 * 11, 0.5), x(2 * 11, 1.5), y(2 * 11, 2.5);
  const AutoDiffBatch<Norm, 1, 2, 2> batch(BatchColumns(data.data(), 11, 2));
  std::vector<std::int64_t> rows;
  std::vector<const double*> parameters;
  for (int i = 0; i < 11; ++i) {
    rows.push_back(i);
    parameters.insert(parameters.end(), {&x[2 * i], &y[2 * i]});
  }
  std::vector<double> all(5 * 11, -7.0), some(5 * 11, -7.0);
  double* both[] = {&all[1], &all[3]};
  double* second[] = {nullptr, &some[3]};
  const BatchRows batch_rows = {11, rows.data(), parameters.data()};
  ASSERT_EQ(batch.Evaluate(batch_rows, {all.data(), both, 5}), 11);
  ASSERT_EQ(batch.Evaluate(batch_rows, {some.data(), second, 5}), 11);
  for (int i = 0; i < 5 * 11; ++i) {
    EXPECT_EQ(some[i], i % 5 == 1 || i % 5 == 2 ? -7.0 : all[i]);
  }
}

}  // namespace
}  // namespace ceres
