// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SOLVER_WHOLE_SOLVES_RANDOM_FIT_PROBLEM_H_
#define CERES_INTERNAL_SOLVER_WHOLE_SOLVES_RANDOM_FIT_PROBLEM_H_

#include <cmath>
#include <vector>

#include "ceres/ceres.h"
#include "ceres/solver/whole_solves/random_fit.h"

namespace ceres::internal {

// How a fit becomes a Problem. No field changes the minimum. Defaults: natural
// coordinates, a parameter block for each group of parameters, a residual block
// for each row, no bounds, no manifolds but those of quaternions.
struct Change {
  // Parameter j of the problem is origin_j + unit_j z_j, where the fit has
  // units. Lists are repeated if they are shorter than the parameters.
  std::vector<double> units = {1.0};
  std::vector<double> origins = {0.0};
  double residual_unit = 1.0;

  // Order and number of blocks.
  bool reverses_residuals = false;
  bool reverses_parameters = false;
  int rows_per_block = 1;
  int num_copies = 1;  // of each residual block, weights of 1 / num_copies
  enum class Blocks { kGroups, kOne, kSingle };
  Blocks blocks = Blocks::kGroups;

  // Other spellings. kScaled: the residual unit is the factor of a ScaledLoss.
  enum class Loss { kPlain, kScaled, kComposed, kWrapper, kHugeHuber };
  Loss loss = Loss::kPlain;
  enum class Manifolds { kNeeded, kEuclidean, kSubset, kProduct, kHeading };
  Manifolds manifolds = Manifolds::kNeeded;

  // kActive: parameter 0 is not below, parameter 1 not above the truth; the
  // others have bounds 10 away. kFar: 1e4 away. kInfinite: set to infinity.
  enum class Bounds { kNone, kActive, kFar, kInfinite };
  Bounds bounds = Bounds::kNone;

  // The last parameter keeps its start. kBlock: as a constant block.
  // kCoordinate: as a constant coordinate of a SubsetManifold. kRemoved: as a
  // number in the cost function.
  enum class Last { kFree, kBlock, kCoordinate, kRemoved };
  Last last = Last::kFree;

  // The initial point. 0: the start of the fit. t: the point
  // `target` of RandomFitProblem, and t times (1, -1, 1, ...) away.
  double distance = 0.0;
};

// A Problem that is made of a fit. Uses public headers only.
class RandomFitProblem {
 public:
  // near: null, or a point z to begin at, plus change.distance.
  RandomFitProblem(const RandomFit& fit, const Change& change,
                   const std::vector<double>* near = nullptr);
  RandomFitProblem(const RandomFitProblem&) = delete;
  RandomFitProblem& operator=(const RandomFitProblem&) = delete;

  Problem* problem() { return &problem_; }
  // The parameters in natural coordinates.
  std::vector<double> Natural() const;
  // The size of a parameter of the problem, in the unit of natural coordinates.
  double Size(int j, double z) const { return std::abs(User(j, z) / Unit(j)); }
  // A cost of the problem in the natural unit of residuals.
  double NaturalCost(double cost) const {
    return cost / (change_.residual_unit * change_.residual_unit);
  }
  // The parameter blocks, in order of the parameters.
  const std::vector<double*>& blocks() const { return block_pointers_; }

 private:
  double Unit(int j) const;
  double Origin(int j) const;
  double User(int j, double z) const { return Origin(j) + Unit(j) * z; }
  void PlaceParameters();
  void AddParameterBlocks();
  void AddBounds();
  void AddResidualBlocks();
  void AddResidualBlock(const std::vector<const FitRow*>& rows);
  Manifold* NewManifold(int block) const;
  LossFunction* NewLoss() const;

  const RandomFit& fit_;
  const Change change_;
  std::vector<double> initial_;  // natural
  // Parameter j is element offset_[j] of block block_[j]; -1: of none.
  std::vector<int> block_;
  std::vector<int> offset_;
  std::vector<std::vector<int>> members_;  // the parameters of each block
  std::vector<std::vector<double>> values_;
  std::vector<double*> block_pointers_;
  Problem problem_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SOLVER_WHOLE_SOLVES_RANDOM_FIT_PROBLEM_H_
