// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_EVALUATION_BATCH_PAIR_H_
#define CERES_INTERNAL_EVALUATION_BATCH_PAIR_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "ceres/evaluation/evaluation_test_utils.h"
#include "ceres/loss_function.h"
#include "ceres/manifold.h"
#include "ceres/problem.h"
#include "ceres/problem/cost_function_batch.h"
#include "ceres/sphere_manifold.h"

namespace ceres::internal {

// For tests: two random problems that mean the same, one with residual batches
// and one with residual blocks in their place, in the same order. Each has
// values of its own. Cameras and points are parameter arrays; a lens is one
// block for all rows.
class BatchPair {
 public:
  struct Features {
    bool with_losses = false;
    bool with_manifolds = false;
    bool with_constants = false;
    bool with_bounds = false;
    bool with_weights = false;
    bool with_rows_off = false;
    bool with_removals = false;
    bool with_other_blocks = false;
  };
  static Features All() {
    return {true, true, true, true, true, true, true, true};
  }

  struct Side {
    explicit Side(const Problem::Options& options) : problem(options) {}
    std::vector<double> values;
    Problem problem;
    std::vector<ResidualBatchId> batches;
  };

  BatchPair(unsigned seed, const Features& features,
            const Problem::Options& options = {})
      : features_(features),
        random_(seed),
        camera_size_(1 + Draw(7)),
        point_size_(1 + Draw(4)),
        batched(options),
        plain(options) {
    values_.resize(kCameras * camera_size_ + kPoints * point_size_ + kLens);
    for (double& value : values_) value = 0.1 + Uniform();
    for (Side* side : {&batched, &plain}) AddArrays(side);
    const int num_batches = 1 + Draw(3);
    for (int b = 0; b < num_batches; ++b) {
      if (features_.with_other_blocks) AddOthers(Draw(12));
      AddBatch(b);
    }
    if (features_.with_other_blocks) AddOthers(Draw(12));
    if (features_.with_constants) HoldSome();
    if (features_.with_bounds) BoundSome();
    if (features_.with_rows_off) SwitchSomeOff();
    if (features_.with_removals) RemoveSome();
  }

  std::vector<double*> Points(Side* side) const {
    std::vector<double*> points;
    for (int p = 0; p < kPoints; ++p) {
      double* const point = Point(side, p);
      if (side->problem.HasParameterBlock(point)) points.push_back(point);
    }
    return points;
  }
  void Reset() {
    for (Side* side : {&batched, &plain}) side->values = values_;
  }

 private:
  static constexpr int kCameras = 6;
  static constexpr int kPoints = 40;
  static constexpr int kLens = 2;

  // A cost function times a weight. Off: zeros.
  class Weighted final : public CostFunction {
   public:
    Weighted(std::unique_ptr<CostFunction> function, double weight)
        : function_(std::move(function)), weight_(weight) {
      set_num_residuals(function_->num_residuals());
      *mutable_parameter_block_sizes() = function_->parameter_block_sizes();
    }
    bool Evaluate(double const* const* parameters, double* residuals,
                  double** jacobians) const override {
      if (!function_->Evaluate(parameters, residuals, jacobians)) return false;
      const auto finish = [this](double* values, int size) {
        for (int i = 0; i < size; ++i) {
          values[i] = is_off ? 0.0 : weight_ * values[i];
        }
      };
      finish(residuals, num_residuals());
      const std::vector<std::int32_t>& sizes = parameter_block_sizes();
      for (std::size_t k = 0; jacobians != nullptr && k < sizes.size(); ++k) {
        if (jacobians[k] != nullptr) {
          finish(jacobians[k], num_residuals() * sizes[k]);
        }
      }
      return true;
    }
    bool is_off = false;

   private:
    const std::unique_ptr<CostFunction> function_;
    const double weight_;
  };

  int Draw(int n) { return static_cast<int>(random_() % n); }
  double Uniform() { return random_() / 4294967296.0; }
  double* Camera(Side* side, int c) const {
    return side->values.data() + c * camera_size_;
  }
  double* Point(Side* side, int p) const {
    return Camera(side, kCameras) + p * point_size_;
  }
  double* Lens(Side* side) const { return Point(side, kPoints); }

  void AddArrays(Side* side) {
    side->values = values_;
    Manifold* of_cameras = nullptr;
    Manifold* of_points = nullptr;
    if (features_.with_manifolds) {
      if (camera_size_ == 4) {
        of_cameras = new QuaternionManifold;
      } else if (camera_size_ > 1) {
        of_cameras = new SubsetManifold(camera_size_, {camera_size_ / 2});
      }
      if (point_size_ == 3) of_points = new SphereManifold<3>;
    }
    side->problem.AddParameterArray(Camera(side, 0), kCameras, camera_size_,
                                    of_cameras);
    side->problem.AddParameterArray(Point(side, 0), kPoints, point_size_,
                                    of_points);
  }

  LossFunction* NewLoss(int kind) const {
    switch (kind) {
      case 0:
        return nullptr;
      case 1:
        return new HuberLoss(0.3);
      case 2:
        return new CauchyLoss(0.5);
      default:
        return new ScaledLoss(nullptr, 2.0, TAKE_OWNERSHIP);
    }
  }

  void AddBatch(int b) {
    // The arguments: a camera and a point; a camera, the lens and a point; two
    // cameras; a point.
    const int kind = Draw(4);
    const int num_residuals = 1 + Draw(3);
    const int num_rows = Draw(4) == 0 ? Draw(2) : 20 + Draw(200);
    std::vector<std::int32_t> sizes;
    if (kind == 0) sizes = {camera_size_, point_size_};
    if (kind == 1) sizes = {camera_size_, kLens, point_size_};
    if (kind == 2) sizes = {camera_size_, camera_size_};
    if (kind == 3) sizes = {point_size_};
    std::vector<std::int32_t> first(num_rows);
    std::vector<std::int64_t> last(num_rows);
    for (int i = 0; i < num_rows; ++i) {
      first[i] = Draw(kCameras);
      last[i] = kind == 2 ? (first[i] + 1 + Draw(kCameras - 1)) % kCameras
                          : Draw(kPoints);
    }
    weights_.push_back(std::make_unique<std::vector<double>>());
    std::vector<double>& weights = *weights_.back();
    for (int i = 0; i < num_rows; ++i) weights.push_back(0.5 + Uniform());
    const bool is_weighted = features_.with_weights && Draw(2) == 0;
    const int loss = features_.with_losses ? Draw(4) : 0;

    const int seed = 1000 * b;
    CostFunctionBatch::Functions functions;
    LossFunction* const loss_of_plain = num_rows == 0 ? nullptr : NewLoss(loss);
    // A batch without rows adds the block too.
    if (kind == 1) plain.problem.AddParameterBlock(Lens(&plain), kLens);
    for (int i = 0; i < num_rows; ++i) {
      const std::vector<int> int_sizes(sizes.begin(), sizes.end());
      functions.push_back(
          std::make_unique<SineCost>(num_residuals, int_sizes, seed + i));
      auto* const weighted = new Weighted(
          std::make_unique<SineCost>(num_residuals, int_sizes, seed + i),
          is_weighted ? weights[i] : 1.0);
      std::vector<double*> blocks;
      if (kind <= 2) blocks.push_back(Camera(&plain, first[i]));
      if (kind == 1) blocks.push_back(Lens(&plain));
      blocks.push_back(kind == 2 ? Camera(&plain, static_cast<int>(last[i]))
                                 : Point(&plain, static_cast<int>(last[i])));
      rows_.push_back(
          {b, i, weighted,
           plain.problem.AddResidualBlock(weighted, loss_of_plain, blocks)});
    }
    const ParameterArray cameras(Camera(&batched, 0), kCameras, camera_size_);
    const ParameterArray points(Point(&batched, 0), kPoints, point_size_);
    std::vector<BatchArgument> arguments;
    if (kind <= 2) arguments.emplace_back(cameras, first);
    if (kind == 1) arguments.emplace_back(Lens(&batched));
    arguments.emplace_back(kind == 2 ? cameras : points, last);
    batched.batches.push_back(batched.problem.AddResidualBatch(
        std::make_unique<CostFunctionBatch>(num_residuals, sizes,
                                            std::move(functions)),
        NewLoss(loss), arguments));
    if (is_weighted) {
      batched.problem.SetResidualBatchWeights(batched.batches.back(),
                                              weights.data());
    }
  }

  void AddOthers(int count) {
    for (int i = 0; i < count; ++i) {
      const int num_residuals = 1 + Draw(2);
      const int camera = Draw(kCameras);
      const int point = Draw(kPoints);
      const int seed = 100000 + Draw(1000);
      for (Side* side : {&batched, &plain}) {
        side->problem.AddResidualBlock(
            new SineCost(num_residuals, {camera_size_, point_size_}, seed),
            nullptr, Camera(side, camera), Point(side, point));
      }
    }
  }

  void HoldSome() {
    const int first_camera = Draw(kCameras);
    const int step = 2 + Draw(5);
    for (Side* side : {&batched, &plain}) {
      side->problem.SetParameterBlockConstant(Camera(side, first_camera));
      for (int p = 0; p < kPoints; p += step) {
        side->problem.SetParameterBlockConstant(Point(side, p));
      }
    }
  }

  void BoundSome() {
    if (features_.with_manifolds && point_size_ == 3) return;
    for (Side* side : {&batched, &plain}) {
      for (int p = 1; p < kPoints; p += 3) {
        side->problem.SetParameterUpperBound(Point(side, p), 0, 1.2);
      }
    }
  }

  void SwitchSomeOff() {
    for (Row& row : rows_) {
      if (Draw(5) != 0) continue;
      row.of_plain->is_off = true;
      batched.problem.SetRowActive(batched.batches[row.batch], row.number,
                                   false);
    }
  }

  // Rows, and a point with all that depends on it.
  void RemoveSome() {
    for (Row& row : rows_) {
      if (Draw(10) != 0) continue;
      plain.problem.RemoveResidualBlock(row.id);
      batched.problem.RemoveResidualBlock(
          batched.problem.GetResidualBlockForRow(batched.batches[row.batch],
                                                 row.number));
    }
    const int point = Draw(kPoints);
    for (Side* side : {&batched, &plain}) {
      side->problem.RemoveParameterBlock(Point(side, point));
    }
  }

  struct Row {
    int batch;
    int number;
    Weighted* of_plain;
    ResidualBlockId id;
  };
  const Features features_;
  std::mt19937 random_;
  const int camera_size_;
  const int point_size_;
  std::vector<double> values_;
  std::vector<std::unique_ptr<std::vector<double>>> weights_;
  std::vector<Row> rows_;

 public:
  Side batched;
  Side plain;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_EVALUATION_BATCH_PAIR_H_
