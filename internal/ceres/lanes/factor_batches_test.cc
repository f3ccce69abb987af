// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/factors/factor_batches.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include "Eigen/Core"
#include "ceres/analytic_batch.h"
#include "ceres/autodiff_cost_function.h"
#include "ceres/factors/alignment_factors.h"
#include "ceres/factors/landmark.h"
#include "ceres/factors/range_bearing.h"
#include "ceres/factors/relative_factors.h"
#include "ceres/factors/reprojection.h"
#include "ceres/jet.h"
#include "ceres/kernels/every_target.h"
#include "ceres/rotation.h"
#include "gtest/gtest.h"

namespace ceres {
namespace {

// Compares one row of a batch with a cost function, in units of eps and the
// largest result.
void ExpectRowOf(const CostFunction& function, const ResidualBatch& batch,
                 const std::vector<const double*>& parameters, double bound) {
  const int num_residuals = function.num_residuals();
  std::vector<double> expected(num_residuals), actual;
  std::vector<std::vector<double>> matrices;
  std::vector<double*> jacobians, batch_jacobians;
  int size = num_residuals;
  for (const std::int32_t block : function.parameter_block_sizes()) {
    matrices.emplace_back(num_residuals * block);
    size += num_residuals * block;
  }
  actual.resize(size);
  double* next = actual.data() + num_residuals;
  for (std::vector<double>& matrix : matrices) {
    jacobians.push_back(matrix.data());
    batch_jacobians.push_back(next);
    next += matrix.size();
  }
  ASSERT_EQ(batch.num_residuals(), num_residuals);
  ASSERT_EQ(batch.parameter_block_sizes(), function.parameter_block_sizes());
  ASSERT_TRUE(
      function.Evaluate(parameters.data(), expected.data(), jacobians.data()));
  const std::int64_t row = 0;
  ASSERT_EQ(batch.Evaluate({1, &row, parameters.data()},
                           {actual.data(), batch_jacobians.data(), size}),
            1);
  for (const std::vector<double>& matrix : matrices) {
    expected.insert(expected.end(), matrix.begin(), matrix.end());
  }
  double scale = 0.0, error = 0.0;
  for (int i = 0; i < size; ++i) {
    scale = std::max(scale, std::abs(expected[i]));
    error = std::max(error, std::abs(expected[i] - actual[i]));
  }
  EXPECT_LE(error, bound * scale * std::numeric_limits<double>::epsilon());
}

// Random elements and data.
class FactorBatches : public ::testing::Test {
 protected:
  double Next() { return normal_(random_); }
  std::vector<double> Vector(int size) {
    std::vector<double> result(size);
    for (double& x : result) x = Next();
    return result;
  }
  template <typename Group>
  std::vector<double> Element() {
    const std::vector<double> tangent = Vector(Group::kTangentSize);
    std::vector<double> result(Group::kAmbientSize);
    Group::Exp(tangent.data(), result.data());
    return result;
  }

  template <typename Group>
  void CheckGroup() {
    constexpr int kSize = Group::kTangentSize;
    const std::vector<double> a = Element<Group>(), b = Element<Group>(),
                              measured = Element<Group>();
    typename factors::BetweenFactor<Group>::Matrix W;
    std::vector<double> data = measured;
    for (int i = 0; i < kSize; ++i) {
      for (int j = 0; j < kSize; ++j) {
        W(i, j) = Next();
        data.push_back(W(i, j));
      }
    }
    const BatchColumns columns(data.data(), 1, static_cast<int>(data.size()));
    const std::unique_ptr<CostFunction> between(
        factors::BetweenFactor<Group>::Create(measured.data(), W));
    ExpectRowOf(*between, factors::BetweenBatch<Group>(columns),
                {a.data(), b.data()}, 64.0);
    const std::unique_ptr<CostFunction> prior(
        factors::PriorFactor<Group>::Create(measured.data(), W));
    ExpectRowOf(*prior, factors::PriorBatch<Group>(columns), {a.data()}, 64.0);
  }

  template <typename Camera>
  void CheckCamera() {
    const std::vector<double> pose = Element<factors::SE3>();
    const std::vector<double> extrinsics = Element<factors::SE3>();
    const double local[3] = {0.3 * Next(), 0.3 * Next(),
                             3.0 + std::abs(Next())};
    double body[3], point[3], rig_point[3];
    factors::SE3::Act(pose.data(), local, point);
    factors::SE3::Act(extrinsics.data(), local, body);
    factors::SE3::Act(pose.data(), body, rig_point);
    std::vector<double> intrinsics = Vector(Camera::kNumIntrinsics);
    const double data[3] = {Next(), Next(), 0.5 + std::abs(Next())};
    const BatchColumns columns(data, 1, 3);
    const std::unique_ptr<CostFunction> factor(
        factors::ReprojectionFactor<Camera>::Create(data[0], data[1], data[2]));
    ExpectRowOf(*factor, factors::ReprojectionBatch<Camera>(columns),
                {pose.data(), point, intrinsics.data()}, 16.0);
    const std::unique_ptr<CostFunction> rig(
        factors::RigReprojectionFactor<Camera>::Create(data[0], data[1],
                                                       data[2]));
    ExpectRigResiduals(
        *rig, factors::RigReprojectionBatch<Camera>(columns),
        {pose.data(), extrinsics.data(), rig_point, intrinsics.data()});
    CheckStoredPose<Camera, factors::InversePose<factors::SE3>>(
        local, Element<factors::SE3>(), columns);
    CheckStoredPose<Camera, factors::AngleAxisInversePose>(local, Vector(6),
                                                           columns);
  }

  // A pose that takes a point to `local`.
  template <typename Camera, typename Pose>
  void CheckStoredPose(const double* local, std::vector<double> pose,
                       const BatchColumns& columns) {
    constexpr int kTranslation = Pose::kAmbientSize - 3;
    const std::vector<double> point = Vector(3);
    double image[3];
    Pose::ActInverse(pose.data(), point.data(), image);
    for (int i = 0; i < 3; ++i) pose[kTranslation + i] += local[i] - image[i];
    const std::vector<double> intrinsics = Vector(Camera::kNumIntrinsics);
    const double* const data = columns.Row(0, nullptr);
    const std::unique_ptr<CostFunction> factor(
        factors::ReprojectionFactor<Camera, Pose>::Create(data[0], data[1],
                                                          data[2]));
    ExpectRowOf(*factor, factors::ReprojectionBatch<Camera, Pose>(columns),
                {pose.data(), point.data(), intrinsics.data()}, 16.0);
  }

  template <typename Pose>
  void CheckLandmark() {
    using Factor = factors::LandmarkFactor<Pose>;
    constexpr int kSize = Factor::kSize;
    const std::vector<double> pose = Element<Pose>(), sensor = Element<Pose>(),
                              landmark = Vector(kSize);
    typename Factor::Vector measured;
    typename Factor::Matrix W;
    std::vector<double> data;
    for (double& z : measured) data.push_back(z = Next());
    for (int i = 0; i < kSize; ++i) {
      for (int j = 0; j < kSize; ++j) data.push_back(W(i, j) = Next());
    }
    data.insert(data.end(), sensor.begin(), sensor.end());
    const AutoDiffCostFunction<Factor, kSize, Pose::kAmbientSize, kSize> factor(
        new Factor(measured, W, sensor.data()));
    const auto size = static_cast<int>(data.size());
    ExpectRowOf(
        factor,
        factors::LandmarkBatch<Pose>(BatchColumns(data.data(), 1, size)),
        {pose.data(), landmark.data()}, 16.0);
    ExpectRowOf(factor,
                factors::LandmarkBatch<Pose>(BatchColumns::Shared(data, 1)),
                {pose.data(), landmark.data()}, 16.0);
  }

  // The Jacobians of the rig factor are in tangent coordinates times
  // MinusJacobian: only their products with PlusJacobian are comparable.
  void ExpectRigResiduals(const CostFunction& function,
                          const ResidualBatch& batch,
                          const std::vector<const double*>& parameters) {
    double expected[2], actual[2];
    ASSERT_TRUE(function.Evaluate(parameters.data(), expected, nullptr));
    const std::int64_t row = 0;
    ASSERT_EQ(
        batch.Evaluate({1, &row, parameters.data()}, {actual, nullptr, 2}), 1);
    for (int i = 0; i < 2; ++i) {
      EXPECT_NEAR(actual[i], expected[i], 1e-14 * (1 + std::abs(expected[i])));
    }
  }

 private:
  std::mt19937_64 random_{5};
  std::normal_distribution<double> normal_;
};

TEST_F(FactorBatches, GroupsAreThoseOfFactors) {
  for (int round = 0; round < 20; ++round) {
    CheckGroup<factors::SO2>();
    CheckGroup<factors::SE2>();
    CheckGroup<factors::SO3>();
    CheckGroup<factors::SE3>();
    CheckGroup<factors::EigenSE3>();
    CheckGroup<factors::Sim3>();
  }
}

TEST_F(FactorBatches, CamerasAreThoseOfFactors) {
  for (int round = 0; round < 20; ++round) {
    CheckCamera<factors::PinholeCamera>();
    CheckCamera<factors::SimpleRadialCamera>();
    CheckCamera<factors::RadialCamera>();
    CheckCamera<factors::OpenCV4Camera>();
    CheckCamera<factors::OpenCVCamera>();
    CheckCamera<factors::FisheyeCamera>();
  }
}

TEST_F(FactorBatches, LandmarksAndPlanesAreThoseOfFactors) {
  for (int round = 0; round < 20; ++round) {
    CheckLandmark<factors::SE2>();
    CheckLandmark<factors::SE3>();
    CheckLandmark<factors::EigenSE3>();
    const std::vector<double> pose = Element<factors::SE3>(), p = Vector(3),
                              q = Vector(3);
    const Eigen::Vector3d n =
        Eigen::Vector3d(Next(), Next(), Next()).normalized();
    const Eigen::Vector3d point(p.data()), plane_point(q.data());
    const double sigma = 0.1 + std::abs(Next());
    const double data[8] = {
        p[0], p[1], p[2], n[0], n[1], n[2], n.dot(plane_point), sigma};
    const std::unique_ptr<CostFunction> factor(
        factors::PointToPlaneFactor<>::Create(point, plane_point, n, sigma));
    ExpectRowOf(*factor, factors::PointToPlaneBatch<>(BatchColumns(data, 1, 8)),
                {pose.data()}, 16.0);
  }
}

TEST_F(FactorBatches, RangesAndBearingsAreThoseOfFactors) {
  for (int round = 0; round < 20; ++round) {
    const double data[2] = {Next(), 0.1 + std::abs(Next())};
    const BatchColumns columns(data, 1, 2);
    const std::vector<double> pose = Element<factors::SE3>();
    const std::vector<double> landmark = Vector(3);
    const std::unique_ptr<CostFunction> range(
        factors::RangeFactor<factors::SE3>::Create(data[0], data[1]));
    ExpectRowOf(*range, factors::RangeBatch<factors::SE3>(columns),
                {pose.data(), landmark.data()}, 0.0);
    const std::vector<double> planar = Element<factors::SE2>();
    const std::unique_ptr<CostFunction> bearing(
        factors::PlanarBearingFactor::Create(data[0], data[1]));
    ExpectRowOf(*bearing, factors::PlanarBearingBatch(columns),
                {planar.data(), landmark.data()}, 16.0);
  }
}

// The kernel sees its row, writes where it should, and fails as it says.
// The results of rows, one after the other: residuals, derivatives by the
// camera, by the point.
constexpr int kSnavelySize = 26;

std::vector<double> EvaluateAll(const ResidualBatch& batch,
                                const std::vector<const double*>& parameters,
                                bool with_jacobians = true) {
  const auto count = static_cast<int>(parameters.size() / 2);
  std::vector<std::int64_t> rows(count);
  std::iota(rows.begin(), rows.end(), 0);
  std::vector<double> results(static_cast<std::size_t>(count) * kSnavelySize);
  double* jacobians[] = {results.data() + 2, results.data() + 20};
  EXPECT_EQ(
      batch.Evaluate(
          {count, rows.data(), parameters.data()},
          {results.data(), with_jacobians ? jacobians : nullptr, kSnavelySize}),
      count);
  return results;
}

// Cameras that are turned by angles of all magnitudes, and points.
struct SnavelyRows {
  explicit SnavelyRows(int count) {
    std::mt19937_64 random(3);
    std::normal_distribution<double> normal;
    constexpr double kAngles[] = {0.0,  1e-300, 1e-160, 1e-20, 1e-12, 1e-8,
                                  1e-6, 1e-4,   1e-2,   0.3,   1.0,   3.0,
                                  3.14, 6.2,    6.4,    50.0};
    for (int i = 0; i < count; ++i) {
      double axis[3], norm = 0.0;
      for (double& x : axis) {
        x = normal(random);
        norm += x * x;
      }
      for (const double x : axis) {
        cameras.push_back(kAngles[i % 16] * (x / std::sqrt(norm)));
      }
      const double x[3] = {normal(random), normal(random),
                           3.0 + std::abs(normal(random))};
      double moved[3];
      AngleAxisRotatePoint(&cameras[cameras.size() - 3], x, moved);
      for (int k = 0; k < 2; ++k) cameras.push_back(0.3 * normal(random));
      cameras.push_back(-moved[2] - 4.0 - std::abs(normal(random)));
      cameras.insert(cameras.end(),
                     {500.0, 0.1 * normal(random), 0.01 * normal(random)});
      points.insert(points.end(), x, x + 3);
      for (int k = 0; k < 2; ++k) observed.push_back(100.0 * normal(random));
    }
    for (int i = 0; i < count; ++i) {
      parameters.push_back(&cameras[9 * i]);
      parameters.push_back(&points[3 * i]);
    }
  }
  std::vector<double> cameras, points, observed;
  std::vector<const double*> parameters;
};

// The functor in extended precision.
std::vector<double> ExactRow(const double* camera, const double* point,
                             const double* observed) {
  using J = Jet<long double, 12>;
  J x[9], y[3], residuals[2];
  for (int k = 0; k < 9; ++k) x[k] = J(camera[k], k);
  for (int k = 0; k < 3; ++k) y[k] = J(point[k], 9 + k);
  const long double data[2] = {observed[0], observed[1]};
  factors::SnavelyReprojection()(x, y, data, residuals);
  std::vector<double> result;
  for (const J& r : residuals) result.push_back(static_cast<double>(r.a));
  for (const int first : {0, 9}) {
    for (const J& r : residuals) {
      for (int k = first; k < (first == 0 ? 9 : 12); ++k) {
        result.push_back(static_cast<double>(r.v[k]));
      }
    }
  }
  return result;
}

TEST(SnavelyBatch, HasTheDerivativesOfTheFunctorAtAllAngles) {
  constexpr int kCount = 640;
  const SnavelyRows rows(kCount);
  const factors::SnavelyBatch batch(
      BatchColumns(rows.observed.data(), kCount, 2));
  internal::kernels::ForEachTarget([&] {
    const std::vector<double> results = EvaluateAll(batch, rows.parameters);
    for (int i = 0; i < kCount; ++i) {
      const std::vector<double> expected = ExactRow(
          &rows.cameras[9 * i], &rows.points[3 * i], &rows.observed[2 * i]);
      // Residuals, by camera, by point.
      const int begins[] = {0, 2, 20, kSnavelySize};
      for (int part = 0; part < 3; ++part) {
        double scale = 0.0, error = 0.0;
        for (int k = begins[part]; k < begins[part + 1]; ++k) {
          scale = std::max(scale, std::abs(expected[k]));
          error = std::max(
              error, std::abs(results[i * kSnavelySize + k] - expected[k]));
        }
        // Residuals are differences of larger numbers. A rounded angle changes
        // a rotation in proportion to the angle.
        if (part == 0) scale = std::max(scale, 100.0);
        const double angle =
            std::hypot(rows.cameras[9 * i], rows.cameras[9 * i + 1],
                       rows.cameras[9 * i + 2]);
        EXPECT_LE(error, 16 * (1.0 + angle) * scale *
                             std::numeric_limits<double>::epsilon())
            << "row " << i << " part " << part;
      }
    }
  });
}

TEST(SnavelyBatch, RowsDoNotDependOnOthersOrOnWhatIsWanted) {
  constexpr int kCount = 200;
  const SnavelyRows rows(kCount);
  const factors::SnavelyBatch batch(
      BatchColumns(rows.observed.data(), kCount, 2), 0.25);
  const std::vector<double> all = EvaluateAll(batch, rows.parameters);
  const std::vector<double> residuals =
      EvaluateAll(batch, rows.parameters, /*with_jacobians=*/false);
  for (std::int64_t i = 0; i < kCount; ++i) {
    double alone[kSnavelySize];
    double* jacobians[] = {alone + 2, nullptr};
    ASSERT_EQ(batch.Evaluate({1, &i, &rows.parameters[2 * i]},
                             {alone, jacobians, kSnavelySize}),
              1);
    EXPECT_TRUE(std::equal(alone, alone + 20, &all[i * kSnavelySize]));
    EXPECT_TRUE(std::equal(alone, alone + 2, &residuals[i * kSnavelySize]));
  }
  // The weight, and columns instead of rows.
  std::vector<double> u, v;
  for (int i = 0; i < kCount; ++i) {
    u.push_back(rows.observed[2 * i]);
    v.push_back(rows.observed[2 * i + 1]);
  }
  const factors::SnavelyBatch heavy(
      BatchColumns(std::vector<const double*>{u.data(), v.data()}, kCount),
      1.0);
  const std::vector<double> four_times = EvaluateAll(heavy, rows.parameters);
  for (std::size_t k = 0; k < all.size(); ++k) {
    EXPECT_EQ(four_times[k], 4.0 * all[k]);
  }
}

TEST(SnavelyBatch, NamesTheFirstRowThatIsNotFinite) {
  constexpr int kCount = 150;
  for (const int bad : {0, 1, 63, 64, 100, 149}) {
    SnavelyRows rows(kCount);
    const factors::SnavelyBatch batch(
        BatchColumns(rows.observed.data(), kCount, 2));
    std::vector<std::int64_t> numbers(kCount);
    std::iota(numbers.begin(), numbers.end(), 0);
    std::vector<double> results(kCount * kSnavelySize);
    double* jacobians[] = {results.data() + 2, results.data() + 20};
    const auto evaluate = [&](double* const* wanted) {
      return batch.Evaluate({kCount, numbers.data(), rows.parameters.data()},
                            {results.data(), wanted, kSnavelySize});
    };
    rows.observed[2 * bad + 1] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(evaluate(nullptr), bad);
    rows.observed[2 * bad + 1] = 0.0;
    rows.points[3 * bad] = std::numeric_limits<double>::infinity();
    rows.points[3 * (kCount - 1)] = std::numeric_limits<double>::infinity();
    EXPECT_EQ(evaluate(jacobians), bad);
  }
}

TEST(AnalyticBatch, CallsTheKernelForEachRow) {
  const std::vector<double> x = {1.0, 2.0, -3.0, 4.0};
  const std::vector<double> first = {2.0, 3.0, 5.0, 7.0};
  const std::vector<double> second = {0.5, 0.25, 1.0, 2.0};
  std::vector<double> interleaved;
  for (int i = 0; i < 4; ++i) {
    interleaved.insert(interleaved.end(), {first[i], second[i]});
  }
  const auto kernel = [](const double* const* parameters, const double* data,
                         double* residuals, double* const* jacobians) {
    const double x = parameters[0][0];
    if (x < 0.0) return false;
    residuals[0] = data[0] * x;
    residuals[1] = data[1] * x * x;
    if (jacobians != nullptr && jacobians[0] != nullptr) {
      jacobians[0][0] = data[0];
      jacobians[0][1] = 2.0 * data[1] * x;
    }
    return true;
  };
  for (const BatchColumns& data :
       {BatchColumns(interleaved.data(), 4, 2),
        BatchColumns({first.data(), second.data()}, 4),
        BatchColumns::Join({BatchColumns(first.data(), 4, 1),
                            BatchColumns(&interleaved[1], 4, 1, 2)})}) {
    const auto batch = MakeAnalyticBatch<2, 1>(kernel, data);
    const std::int64_t rows[] = {3, 0, 1};
    const double* parameters[] = {&x[3], &x[0], &x[1]};
    double results[3 * 5];
    double* jacobians[] = {results + 2};
    ASSERT_EQ(batch->Evaluate({3, rows, parameters}, {results, jacobians, 5}),
              3);
    for (int i = 0; i < 3; ++i) {
      const double value = *parameters[i];
      EXPECT_EQ(results[5 * i], first[rows[i]] * value);
      EXPECT_EQ(results[5 * i + 1], second[rows[i]] * value * value);
      EXPECT_EQ(results[5 * i + 2], first[rows[i]]);
      EXPECT_EQ(results[5 * i + 3], 2.0 * second[rows[i]] * value);
    }
    double residuals[2 * 3];
    EXPECT_EQ(batch->Evaluate({3, rows, parameters}, {residuals, nullptr, 2}),
              3);
    EXPECT_EQ(residuals[2], results[5]);
    parameters[1] = &x[2];
    EXPECT_EQ(batch->Evaluate({3, rows, parameters}, {residuals, nullptr, 2}),
              1);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    parameters[1] = &nan;
    EXPECT_EQ(batch->Evaluate({3, rows, parameters}, {residuals, nullptr, 2}),
              1);
  }
}

}  // namespace
}  // namespace ceres
