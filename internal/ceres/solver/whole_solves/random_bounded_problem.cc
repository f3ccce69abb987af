// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/solver/whole_solves/random_bounded_problem.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ceres::internal {
namespace {

enum class Shape { kLinear, kQuadratic, kSine, kExponential };

template <typename T>
T Apply(Shape shape, const T& t) {
  using std::exp;
  using std::sin;
  switch (shape) {
    case Shape::kLinear:
      return t;
    case Shape::kQuadratic:
      return t * t;
    case Shape::kSine:
      return sin(3.0 * t);
    case Shape::kExponential:
      break;
  }
  return exp(t);
}

// One residual, a function of the parameters x of all its blocks.
struct Residual {
  bool is_of_form;            // a function of a linear form; otherwise a sum
  std::vector<Shape> shapes;  // by parameter; if is_of_form: the first one
  std::vector<double> coefficients;  // by parameter
  double target;

  template <typename T>
  T Evaluate(const std::vector<T>& x) const {
    T form(0.0);
    T sum(0.0);
    for (size_t j = 0; j < x.size(); ++j) {
      form += coefficients[j] * x[j];
      sum += coefficients[j] * Apply(shapes[j], x[j]);
    }
    return (is_of_form ? Apply(shapes[0], form) : sum) - target;
  }
};

struct RandomResiduals {
  template <typename T>
  bool operator()(T const* const* parameters, T* values) const {
    std::vector<T> x;
    for (size_t b = 0; b < sizes.size(); ++b) {
      x.insert(x.end(), parameters[b], parameters[b] + sizes[b]);
    }
    for (const Residual& residual : residuals) *values++ = residual.Evaluate(x);
    return true;
  }
  std::vector<int> sizes;
  std::vector<Residual> residuals;
};

}  // namespace

RandomBoundedProblem::RandomBoundedProblem(int seed, Bounds bounds)
    : random_(seed) {
  blocks_.resize(DrawInt(2, 8));
  while (may_have_bounds_.empty()) {
    for (std::vector<double>& block : blocks_) {
      if (!block.empty()) problem_.RemoveParameterBlock(block.data());
      AddParameterBlock(&block);
    }
  }
  if (bounds == Bounds::kSome) AddBounds();
  const int num_blocks = static_cast<int>(blocks_.size());
  const int num_residual_blocks = DrawInt(num_blocks, 3 * num_blocks);
  for (int i = 0; i < num_residual_blocks; ++i) {
    AddResidualBlock(i % num_blocks);
  }
}

double RandomBoundedProblem::DrawReal(double low, double high) {
  constexpr double kUnit = 1.0 / (uint64_t{1} << 53);
  return low + (high - low) * (random_() >> 11) * kUnit;
}

int RandomBoundedProblem::DrawInt(int low, int high) {
  return low + static_cast<int>(random_() % (high - low + 1));
}

void RandomBoundedProblem::AddParameterBlock(std::vector<double>* block) {
  const int size = DrawInt(1, 4);
  block->resize(size);
  double squared_norm = 0.0;
  for (double& value : *block) {
    value = DrawReal(-1.0, 1.0);
    squared_norm += value * value;
  }
  Manifold* manifold = nullptr;
  if (size > 1 && DrawInt(0, 4) == 0) {
    if (size == 2) {
      manifold = new SubsetManifold(2, {DrawInt(0, 1)});
    } else {
      for (double& value : *block) value /= std::sqrt(squared_norm);
      if (size == 3) manifold = new SphereManifold<3>;
      if (size == 4) manifold = new QuaternionManifold;
    }
  }
  problem_.AddParameterBlock(block->data(), size, manifold);
  if (DrawInt(0, 6) == 0) {
    problem_.SetParameterBlockConstant(block->data());
  } else if (manifold == nullptr) {
    may_have_bounds_.push_back(block);
  }
}

void RandomBoundedProblem::AddBounds() {
  const int num_candidates = static_cast<int>(may_have_bounds_.size());
  for (int i = 0; i < (num_candidates + 1) / 2; ++i) {
    std::swap(may_have_bounds_[i],
              may_have_bounds_[DrawInt(i, num_candidates - 1)]);
    std::vector<double>& block = *may_have_bounds_[i];
    for (size_t k = 0; k < block.size(); ++k) {
      const int index = static_cast<int>(k);
      problem_.SetParameterLowerBound(block.data(), index, block[k] - 0.3);
      problem_.SetParameterUpperBound(block.data(), index, block[k] + 0.4);
    }
  }
}

void RandomBoundedProblem::AddResidualBlock(int first_block) {
  const int num_blocks = static_cast<int>(blocks_.size());
  std::vector<int> indices = {first_block};
  for (int i = DrawInt(0, 2); i > 0; --i) {
    const int index = DrawInt(0, num_blocks - 1);
    if (std::count(indices.begin(), indices.end(), index) == 0) {
      indices.push_back(index);
    }
  }
  std::vector<int> sizes;
  std::vector<double*> parameters;
  for (const int index : indices) {
    sizes.push_back(static_cast<int>(blocks_[index].size()));
    parameters.push_back(blocks_[index].data());
  }
  CostFunction* const cost = DrawCost(sizes);
  problem_.AddResidualBlock(cost, DrawLoss(), parameters);
}

CostFunction* RandomBoundedProblem::DrawCost(const std::vector<int>& sizes) {
  int num_parameters = 0;
  for (const int size : sizes) num_parameters += size;
  std::vector<Residual> residuals(DrawInt(1, 4));
  for (Residual& residual : residuals) {
    residual.is_of_form = DrawInt(0, 1) == 0;
    residual.target = DrawReal(-2.0, 2.0);
    for (int j = 0; j < num_parameters; ++j) {
      residual.shapes.push_back(static_cast<Shape>(DrawInt(0, 3)));
      residual.coefficients.push_back(DrawReal(-1.0, 1.0));
    }
  }
  auto* cost = new DynamicAutoDiffCostFunction<RandomResiduals>(
      new RandomResiduals{sizes, residuals});
  for (const int size : sizes) cost->AddParameterBlock(size);
  cost->SetNumResiduals(static_cast<int>(residuals.size()));
  return cost;
}

LossFunction* RandomBoundedProblem::DrawLoss() {
  switch (DrawInt(0, 7)) {
    case 0:
      return new HuberLoss(0.5);
    case 1:
      return new CauchyLoss(0.7);
    case 2:
      return new SoftLOneLoss(1.0);
    case 3:
      return new ArctanLoss(2.0);
    default:
      return nullptr;
  }
}

bool RandomBoundedProblem::IsFeasible() const {
  for (const std::vector<double>& block : blocks_) {
    for (size_t k = 0; k < block.size(); ++k) {
      const int index = static_cast<int>(k);
      if (block[k] < problem_.GetParameterLowerBound(block.data(), index) ||
          block[k] > problem_.GetParameterUpperBound(block.data(), index)) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace ceres::internal
