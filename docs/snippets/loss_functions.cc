// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ceres/ceres.h"

// Prints rho(r^2) / 2 and the weight rho'(r^2) of residuals r.
int main() {
  std::vector<std::pair<std::string, std::unique_ptr<ceres::LossFunction>>>
      losses;
  losses.emplace_back("squared", new ceres::TrivialLoss);
  losses.emplace_back("HuberLoss(1)", new ceres::HuberLoss(1));
  losses.emplace_back("SoftLOneLoss(1)", new ceres::SoftLOneLoss(1));
  losses.emplace_back("CauchyLoss(1)", new ceres::CauchyLoss(1));
  losses.emplace_back("ArctanLoss(1)", new ceres::ArctanLoss(1));
  losses.emplace_back("TukeyLoss(2)", new ceres::TukeyLoss(2));

  std::printf("%-16s %5s %8s %8s\n", "loss", "r", "cost", "weight");
  for (const auto& [name, loss] : losses) {
    for (int i = 0; i <= 40; ++i) {
      const double r = i / 10.0;
      double rho[3];
      loss->Evaluate(r * r, rho);
      std::printf("%-16s %5.2f %8.4f %8.4f\n", name.c_str(), r, rho[0] / 2,
                  rho[1]);
    }
  }
}
