// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Evaluates a factor that has closed forms, with all its Jacobians, for
// scripts/measure.sh factor_instructions:
//
//   factor_driver                                       lists the factors
//   factor_driver FACTOR closed_form|automatic REPETITIONS
//
// Closed forms must take less than a third of the instructions of automatic
// derivatives.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "ceres/autodiff_cost_function.h"
#include "ceres/factors/imu_factor.h"
#include "ceres/factors/reprojection.h"

namespace {

using ceres::AutoDiffCostFunction;
using ceres::CostFunction;
using ceres::factors::ImuPreintegration;
using ceres::factors::SE3;

// A factor with its parameter blocks.
struct Case {
  const char* name;
  std::unique_ptr<CostFunction> closed_form;
  std::unique_ptr<CostFunction> automatic;
  std::vector<std::vector<double>> blocks;
};

template <int kNumResiduals, int... kSizes, typename Factor>
void Add(const char* name, const Factor& factor,
         std::vector<std::vector<double>> blocks, std::vector<Case>* cases) {
  cases->push_back(
      {name,
       std::make_unique<ceres::internal::FactorCostFunction<
           Factor, kNumResiduals, kSizes...>>(factor),
       std::make_unique<AutoDiffCostFunction<Factor, kNumResiduals, kSizes...>>(
           new Factor(factor)),
       std::move(blocks)});
}

template <typename Group>
std::vector<double> At(double phase) {
  std::vector<double> tangent(Group::kTangentSize);
  for (int i = 0; i < Group::kTangentSize; ++i) {
    tangent[i] = 0.3 * phase - 0.1 * i;
  }
  std::vector<double> x(Group::kAmbientSize);
  Group::Exp(tangent.data(), x.data());
  return x;
}

template <typename Camera>
void AddRig(const char* name, std::vector<Case>* cases) {
  std::vector<double> intrinsics(Camera::kNumIntrinsics, 0.01);
  intrinsics[0] = intrinsics[1] = 500.0;
  Add<2, 7, 7, 3, Camera::kNumIntrinsics>(
      name, ceres::factors::RigReprojectionFactor<Camera>(300.0, 200.0, 0.5),
      {At<SE3>(0.1), At<SE3>(0.2), {0.3, -0.2, 5.0}, intrinsics}, cases);
}

std::vector<Case> MakeCases() {
  using namespace ceres::factors;
  std::vector<Case> cases;
  AddRig<OpenCVCamera>("rig_opencv", &cases);
  AddRig<FisheyeCamera>("rig_fisheye", &cases);
  ImuPreintegration imu(ImuNoise(), ImuPreintegration::Vector6::Zero());
  for (int i = 0; i < 20; ++i) {
    imu.Integrate({0.1, 0.2 * i, 0.3}, {0.1, 0.2, 9.8}, 0.01);
  }
  Add<9, 7, 3, 6, 7, 3>("imu", ImuFactor<SE3>(imu, {0.0, 0.0, -9.81}),
                        {At<SE3>(0.3),
                         {1.0, 2.0, 3.0},
                         {0.1, 0.1, 0.1, 0.2, 0.2, 0.2},
                         At<SE3>(0.5),
                         {1.0, 2.0, 3.0}},
                        &cases);
  return cases;
}

void Repeat(const CostFunction& cost, const Case& c, int repetitions) {
  std::vector<const double*> parameters;
  std::vector<std::vector<double>> jacobians;
  std::vector<double*> pointers;
  for (const std::vector<double>& block : c.blocks) {
    parameters.push_back(block.data());
    jacobians.emplace_back(block.size() * cost.num_residuals());
  }
  for (std::vector<double>& jacobian : jacobians) {
    pointers.push_back(jacobian.data());
  }
  std::vector<double> residuals(cost.num_residuals());
  for (int i = 0; i < repetitions; ++i) {
    if (!cost.Evaluate(parameters.data(), residuals.data(), pointers.data())) {
      std::fprintf(stderr, "%s: the evaluation failed\n", c.name);
      std::exit(1);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<Case> cases = MakeCases();
  if (argc == 1) {
    for (const Case& c : cases) std::printf("%s\n", c.name);
    return 0;
  }
  for (const Case& c : cases) {
    if (argc != 4 || std::strcmp(argv[1], c.name) != 0) continue;
    const bool closed_form = std::strcmp(argv[2], "closed_form") == 0;
    Repeat(closed_form ? *c.closed_form : *c.automatic, c, std::atoi(argv[3]));
    return 0;
  }
  std::fprintf(stderr,
               "usage: factor_driver FACTOR closed_form|automatic REPETITIONS\n"
               "Without arguments, lists the factors.\n");
  return 1;
}
