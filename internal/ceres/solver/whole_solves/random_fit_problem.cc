// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/solver/whole_solves/random_fit_problem.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "ceres/solver/whole_solves/fit_shapes.h"

namespace ceres::internal {
namespace {

// A parameter of a cost function: z = (x[block][offset] - origin) / unit, or a
// number if block is -1.
struct Argument {
  int block;
  int offset;
  double unit;
  double origin;
  double value;
};

struct RowResiduals {
  template <typename T>
  bool operator()(T const* const* x, T* residuals) const {
    std::vector<T> z;
    for (size_t i = 0; i < rows.size(); ++i) {
      z.clear();
      for (const Argument& from : arguments[i]) {
        z.push_back(from.block < 0
                        ? T(from.value)
                        : (x[from.block][from.offset] - from.origin) /
                              from.unit);
      }
      residuals[i] = factor * EvaluateRow(rows[i], z.data());
    }
    return true;
  }
  std::vector<FitRow> rows;
  std::vector<std::vector<Argument>> arguments;  // by row
  double factor;
};

// An angle in [-pi, pi).
struct HeadingPlus {
  template <typename T>
  bool Plus(const T* x, const T* delta, T* sum) const {
    sum[0] = Wrap(x[0] + delta[0]);
    return true;
  }
  template <typename T>
  bool Minus(const T* y, const T* x, T* difference) const {
    difference[0] = Wrap(y[0] - x[0]);
    return true;
  }
  template <typename T>
  static T Wrap(const T& angle) {
    using std::floor;
    constexpr double kTurn = 2.0 * 3.14159265358979323846;
    return angle - kTurn * floor((angle + 0.5 * kTurn) / kTurn);
  }
};

bool IsQuaternion(const RandomFit& fit, int parameter) {
  return fit.kind == RandomFit::Kind::kAlignment && parameter < 4;
}

// The size of the group of parameters that begins at a parameter.
int GroupSize(const RandomFit& fit, int parameter) {
  switch (fit.kind) {
    case RandomFit::Kind::kNetwork:
      return 2;
    case RandomFit::Kind::kPose:
      return parameter == 0 ? 2 : 1;
    case RandomFit::Kind::kAlignment:
      return parameter == 0 ? 4 : 3;
    default:
      return fit.num_parameters();
  }
}

}  // namespace

RandomFitProblem::RandomFitProblem(const RandomFit& fit, const Change& change,
                                   const std::vector<double>* near)
    : fit_(fit), change_(change), initial_(fit.start) {
  if (near != nullptr) {
    initial_ = *near;
    for (size_t j = 0; j < initial_.size(); ++j) {
      initial_[j] += (j % 2 == 0 ? 1.0 : -1.0) * change.distance;
    }
  }
  PlaceParameters();
  AddParameterBlocks();
  AddBounds();
  AddResidualBlocks();
}

double RandomFitProblem::Unit(int j) const {
  return fit_.HasUnit(j) ? change_.units[j % change_.units.size()] : 1.0;
}

double RandomFitProblem::Origin(int j) const {
  return fit_.HasUnit(j) ? change_.origins[j % change_.origins.size()] : 0.0;
}

void RandomFitProblem::PlaceParameters() {
  const int n = fit_.num_parameters();
  const int end = change_.last == Change::Last::kRemoved ? n - 1 : n;
  block_.assign(n, -1);
  offset_.assign(n, 0);
  for (int j = 0; j < end;) {
    int size = change_.blocks == Change::Blocks::kOne ? n : GroupSize(fit_, j);
    if (change_.blocks == Change::Blocks::kSingle && !IsQuaternion(fit_, j)) {
      size = 1;
    }
    if (change_.last == Change::Last::kBlock && j < n - 1) {
      size = std::min(size, n - 1 - j);
    }
    std::vector<int> members;
    for (; size > 0 && j < end; --size, ++j) {
      block_[j] = static_cast<int>(members_.size());
      offset_[j] = static_cast<int>(members.size());
      members.push_back(j);
    }
    members_.push_back(members);
  }
}

void RandomFitProblem::AddParameterBlocks() {
  for (const std::vector<int>& members : members_) {
    values_.emplace_back();
    for (const int j : members) values_.back().push_back(User(j, initial_[j]));
  }
  for (std::vector<double>& values : values_) {
    block_pointers_.push_back(values.data());
  }
  const int num_blocks = static_cast<int>(members_.size());
  for (int i = 0; i < num_blocks; ++i) {
    const int block = change_.reverses_parameters ? num_blocks - 1 - i : i;
    problem_.AddParameterBlock(block_pointers_[block],
                               static_cast<int>(members_[block].size()),
                               NewManifold(block));
  }
  if (change_.last == Change::Last::kBlock) {
    problem_.SetParameterBlockConstant(block_pointers_.back());
  }
}

Manifold* RandomFitProblem::NewManifold(int block) const {
  using Manifolds = Change::Manifolds;
  const std::vector<int>& members = members_[block];
  const int size = static_cast<int>(members.size());
  const bool is_last = members.back() == fit_.num_parameters() - 1;
  if (IsQuaternion(fit_, members[0])) {
    if (size == 4) return new QuaternionManifold;
    return new ProductManifold<QuaternionManifold, EuclideanManifold<3>>;
  }
  if (change_.last == Change::Last::kCoordinate && is_last) {
    return new SubsetManifold(size, {size - 1});
  }
  switch (change_.manifolds) {
    case Manifolds::kNeeded:
      return nullptr;
    case Manifolds::kEuclidean:
      return new EuclideanManifold<ceres::DYNAMIC>(size);
    case Manifolds::kSubset:
      return new SubsetManifold(size, {});
    case Manifolds::kProduct:
      return new ProductManifold<EuclideanManifold<1>,
                                 EuclideanManifold<ceres::DYNAMIC>>(
          EuclideanManifold<1>(), EuclideanManifold<ceres::DYNAMIC>(size - 1));
    case Manifolds::kHeading:
      break;
  }
  return fit_.kind == RandomFit::Kind::kPose && size == 1 && members[0] == 2
             ? new AutoDiffManifold<HeadingPlus, 1, 1>
             : nullptr;
}

void RandomFitProblem::AddBounds() {
  if (change_.bounds == Change::Bounds::kNone) return;
  const double infinity = std::numeric_limits<double>::infinity();
  for (size_t block = 0; block < members_.size(); ++block) {
    if (IsQuaternion(fit_, members_[block][0])) continue;
    double* const values = block_pointers_[block];
    for (size_t i = 0; i < members_[block].size(); ++i) {
      const int index = static_cast<int>(i);
      const int j = members_[block][i];
      const double truth = fit_.truth[j];
      if (change_.bounds == Change::Bounds::kInfinite) {
        problem_.SetParameterLowerBound(values, index, -infinity);
        problem_.SetParameterUpperBound(values, index, infinity);
        continue;
      }
      const bool is_far = change_.bounds == Change::Bounds::kFar;
      const double far = is_far ? 1e4 : 10.0;
      const double low = truth - (!is_far && j == 0 ? 0.0 : far);
      const double high = truth + (!is_far && j == 1 ? 0.0 : far);
      problem_.SetParameterLowerBound(values, index, User(j, low));
      problem_.SetParameterUpperBound(values, index, User(j, high));
      const double start = std::min(std::max(initial_[j], low), high);
      values[index] = User(j, start);
    }
  }
}

void RandomFitProblem::AddResidualBlocks() {
  std::vector<const FitRow*> order;
  for (const FitRow& row : fit_.rows) order.push_back(&row);
  if (change_.reverses_residuals) std::reverse(order.begin(), order.end());
  for (size_t i = 0; i < order.size(); i += change_.rows_per_block) {
    const size_t end = std::min(order.size(), i + change_.rows_per_block);
    for (int copy = 0; copy < change_.num_copies; ++copy) {
      AddResidualBlock({order.begin() + i, order.begin() + end});
    }
  }
}

void RandomFitProblem::AddResidualBlock(
    const std::vector<const FitRow*>& rows) {
  std::vector<int> blocks;
  RowResiduals residuals;
  for (const FitRow* row : rows) {
    residuals.rows.push_back(*row);
    residuals.arguments.emplace_back();
    for (const int j : row->parameters) {
      int place = -1;
      if (block_[j] >= 0) {
        const auto found = std::find(blocks.begin(), blocks.end(), block_[j]);
        place = static_cast<int>(found - blocks.begin());
        if (found == blocks.end()) blocks.push_back(block_[j]);
      }
      residuals.arguments.back().push_back(
          {place, offset_[j], Unit(j), Origin(j), initial_[j]});
    }
  }
  if (blocks.empty()) return;
  residuals.factor =
      change_.loss == Change::Loss::kScaled ? 1.0 : change_.residual_unit;
  if (!fit_.is_robust()) {
    residuals.factor *= std::sqrt(1.0 / change_.num_copies);
  }
  auto* cost = new DynamicAutoDiffCostFunction<RowResiduals>(
      new RowResiduals(std::move(residuals)));
  std::vector<double*> pointers;
  for (const int block : blocks) {
    cost->AddParameterBlock(static_cast<int>(members_[block].size()));
    pointers.push_back(block_pointers_[block]);
  }
  cost->SetNumResiduals(static_cast<int>(rows.size()));
  problem_.AddResidualBlock(cost, NewLoss(), pointers);
}

LossFunction* RandomFitProblem::NewLoss() const {
  using Loss = Change::Loss;
  const double unit =
      change_.loss == Loss::kScaled ? 1.0 : change_.residual_unit;
  LossFunction* loss = nullptr;
  if (fit_.is_robust()) {
    loss = new CauchyLoss(fit_.loss_scale * unit);
    if (change_.num_copies > 1) {
      loss = new ScaledLoss(loss, 1.0 / change_.num_copies, TAKE_OWNERSHIP);
    }
  }
  switch (change_.loss) {
    case Loss::kPlain:
      return loss;
    case Loss::kScaled:
      return new ScaledLoss(loss, change_.residual_unit * change_.residual_unit,
                            TAKE_OWNERSHIP);
    case Loss::kComposed:
      if (loss == nullptr) loss = new TrivialLoss;
      return new ComposedLoss(loss, TAKE_OWNERSHIP, new TrivialLoss,
                              TAKE_OWNERSHIP);
    case Loss::kWrapper:
      return new LossFunctionWrapper(loss, TAKE_OWNERSHIP);
    case Loss::kHugeHuber:
      break;
  }
  if (loss == nullptr) return new HuberLoss(1e8 * unit);
  return new ComposedLoss(new HuberLoss(1e8 * unit), TAKE_OWNERSHIP, loss,
                          TAKE_OWNERSHIP);
}

std::vector<double> RandomFitProblem::Natural() const {
  std::vector<double> z = initial_;
  for (size_t block = 0; block < members_.size(); ++block) {
    for (size_t i = 0; i < members_[block].size(); ++i) {
      const int j = members_[block][i];
      z[j] = (values_[block][i] - Origin(j)) / Unit(j);
    }
  }
  return z;
}

}  // namespace ceres::internal
