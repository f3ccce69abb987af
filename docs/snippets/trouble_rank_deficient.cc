// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Measurements that do not determine all parameters: Diagnose says which
// directions, why, and what to do.

#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ceres/ceres.h"
#include "ceres/diagnosis.h"
#include "small_bundle.h"

namespace {

// [diagnose]
using Names = std::map<const double*, std::string>;

// Diagnoses the problem at the present values of its parameters. As text,
// Diagnosis::ToString has more.
void Ask(const Names& names, ceres::Problem* problem) {
  ceres::DiagnosisOptions options;
  options.parameter_block_name = [&names](const double* block) {
    const auto name = names.find(block);
    return name == names.end() ? std::string() : name->second;
  };
  const ceres::Diagnosis diagnosis = ceres::Diagnose(options, problem);
  std::printf("rank %d of %d\n", static_cast<int>(diagnosis.rank),
              static_cast<int>(diagnosis.num_coordinates));
  for (const ceres::Direction& direction : diagnosis.undetermined) {
    std::printf("%s:", ceres::DirectionKindToString(direction.kind));
    // A direction has two signs.
    const double sign = direction.entries[0].value < 0.0 ? -1.0 : 1.0;
    for (const ceres::Direction::Entry& entry : direction.entries) {
      std::printf(" %s[%d] %+.2f", names.at(entry.parameter_block).c_str(),
                  entry.coordinate, sign * entry.value);
    }
    std::printf("\n  %s\n", direction.remedy.c_str());
  }
}
// [/diagnose]

// [gauge]
// The motion of a robot in the plane from pose a to pose b: x, y, angle.
struct Motion {
  template <typename T>
  bool operator()(const T* a, const T* b, T* residual) const {
    const T c = cos(a[2]), s = sin(a[2]);
    residual[0] = (c * (b[0] - a[0]) + s * (b[1] - a[1]) - forward) / 0.1;
    residual[1] = (c * (b[1] - a[1]) - s * (b[0] - a[0])) / 0.1;
    residual[2] = (b[2] - a[2] - turn) / 0.01;
    return true;
  }
  double forward, turn;
};

// Three poses that measure each other: the whole map can be moved.
void GaugeFreedom() {
  std::array<double, 3> pose[3] = {
      {0.0, 0.0, 0.0}, {1.0, 0.0, 1.0}, {1.5, 0.8, 2.0}};
  const Names names = {{pose[0].data(), "pose 0"},
                       {pose[1].data(), "pose 1"},
                       {pose[2].data(), "pose 2"}};
  ceres::Problem problem;
  for (const auto& [a, b] : {std::pair(0, 1), {1, 2}, {0, 2}}) {
    problem.AddResidualBlock(new ceres::AutoDiffCostFunction<Motion, 3, 3, 3>(
                                 new Motion{1.0, 1.0 * (b - a)}),
                             nullptr, pose[a].data(), pose[b].data());
  }
  Ask(names, &problem);

  problem.SetParameterBlockConstant(pose[0].data());
  Ask(names, &problem);
}
// [/gauge]

// [sum]
// y = (a + b) exp(-c t): the data determine the sum of a and b only.
struct Decay {
  template <typename T>
  bool operator()(const T* a, const T* b, const T* c, T* residual) const {
    residual[0] = (a[0] + b[0]) * exp(-c[0] * t) - y;
    return true;
  }
  double t, y;
};

void SumOfTwoParameters() {
  double a = 1.0, b = 0.5, c = 0.2;
  ceres::Problem problem;
  for (const double t : {0.0, 1.0, 2.0, 3.0, 4.0}) {
    problem.AddResidualBlock(new ceres::AutoDiffCostFunction<Decay, 1, 1, 1, 1>(
                                 new Decay{t, 1.4 * std::exp(-0.3 * t)}),
                             nullptr, &a, &b, &c);
  }
  Ask({{&a, "a"}, {&b, "b"}, {&c, "c"}}, &problem);
}
// [/sum]

// [seen_once]
// A point that one camera sees can move along its ray.
void PointSeenOnce() {
  SmallBundle bundle(3, 12);
  SmallBundle::Point lonely = {0.5, 0.2, 5.0};
  bundle.problem.AddResidualBlock(
      new SmallBundle::Cost(new SmallBundle::ReprojectionError{50.0, 20.0}),
      nullptr, bundle.cameras[0].data(), lonely.data());
  Ask({{lonely.data(), "the point"}}, &bundle.problem);
}
// [/seen_once]

// [symmetric]
// y = sin(w t) with w = 0: the residuals depend on the amplitude, but not here.
struct Sine {
  template <typename T>
  bool operator()(const T* amplitude, const T* w, T* residual) const {
    residual[0] = amplitude[0] * sin(w[0] * t) - y;
    return true;
  }
  double t, y;
};

void SymmetricStart() {
  double amplitude = 1.0, w = 0.0;
  ceres::Problem problem;
  for (const double t : {0.5, 1.0, 1.5, 2.0}) {
    problem.AddResidualBlock(new ceres::AutoDiffCostFunction<Sine, 1, 1, 1>(
                                 new Sine{t, 2.0 * std::sin(1.1 * t)}),
                             nullptr, &amplitude, &w);
  }
  Ask({{&amplitude, "amplitude"}, {&w, "frequency"}}, &problem);
}
// [/symmetric]

// [unchecked]
// Heights from measured differences. Two differences lead from A to B and one
// from B to C: nothing checks the last one.
struct HeightDifference {
  template <typename T>
  bool operator()(const T* from, const T* to, T* residual) const {
    residual[0] = (to[0] - from[0] - metres) / sigma;
    return true;
  }
  double metres, sigma;
};

void UncheckedMeasurement() {
  double a = 0.0, b = 0.0, c = 0.0;
  ceres::Problem problem;
  std::map<ceres::ResidualBlockId, const char*> tags;
  const auto measure = [&](const char* tag, double* from, double* to,
                           double metres) {
    tags[problem.AddResidualBlock(
        new ceres::AutoDiffCostFunction<HeightDifference, 1, 1, 1>(
            new HeightDifference{metres, 0.01}),
        nullptr, from, to)] = tag;
  };
  measure("A to B", &a, &b, 1.00);
  measure("A to B again", &a, &b, 1.02);
  measure("A to B, wrong", &a, &b, 1.31);
  measure("B to C", &b, &c, 2.00);
  problem.SetParameterBlockConstant(&a);
  ceres::Solver::Summary summary;
  ceres::Solve(ceres::Solver::Options(), &problem, &summary);

  ceres::DiagnosisOptions options;
  options.compute_redundancy = true;
  for (const ceres::ResidualCheck& check :
       ceres::Diagnose(options, &problem).residual_blocks) {
    std::printf(
        "%-14s redundancy %.2f, standardized residual %4.1f, smallest "
        "detectable error %.3f m\n",
        tags[check.residual_block], check.redundancy,
        check.largest_standardized_residual,
        0.01 * check.smallest_detectable_error);
  }
}
// [/unchecked]

}  // namespace

int main() {
  std::printf("-- gauge\n");
  GaugeFreedom();
  std::printf("-- sum\n");
  SumOfTwoParameters();
  std::printf("-- point\n");
  PointSeenOnce();
  std::printf("-- symmetric\n");
  SymmetricStart();
  std::printf("-- unchecked\n");
  UncheckedMeasurement();
}
