// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// A vehicle drives along a wall of landmarks, and keeps the last frames only.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "ceres/ceres.h"
#include "ceres/linearized_prior.h"
#include "ceres/marginalization.h"
#include "ceres/sliding_window.h"
#include "noise.h"

namespace {

// [cost]
// The move from one pose (x, y, heading) to the next, in the frame of the
// first.
struct Odometry {
  template <typename T>
  bool operator()(const T* a, const T* b, T* r) const {
    using std::cos;
    using std::sin;
    const T dx = b[0] - a[0], dy = b[1] - a[1];
    r[0] = (cos(a[2]) * dx + sin(a[2]) * dy - move[0]) / 0.05;
    r[1] = (-sin(a[2]) * dx + cos(a[2]) * dy - move[1]) / 0.05;
    r[2] = (b[2] - a[2] - move[2]) / 0.01;
    return true;
  }
  std::array<double, 3> move;
};

// The position of a landmark in the frame of a pose.
struct Sight {
  template <typename T>
  bool operator()(const T* a, const T* landmark, T* r) const {
    using std::cos;
    using std::sin;
    const T dx = landmark[0] - a[0], dy = landmark[1] - a[1];
    r[0] = (cos(a[2]) * dx + sin(a[2]) * dy - seen[0]) / 0.1;
    r[1] = (-sin(a[2]) * dx + cos(a[2]) * dy - seen[1]) / 0.1;
    return true;
  }
  std::array<double, 2> seen;
};
// [/cost]

using OdometryCost = ceres::AutoDiffCostFunction<Odometry, 3, 3, 3>;
using SightCost = ceres::AutoDiffCostFunction<Sight, 2, 3, 2>;

// Poses and landmarks, in the order of their times. A deque does not move its
// elements.
std::deque<std::array<double, 3>> poses;
std::deque<std::array<double, 2>> landmarks;

// A landmark stands at every metre of the wall y = 2. Frame k is at x = k.
constexpr int kFirstLandmark = -2;

void AddFrame(int frame, Noise* noise, ceres::SlidingWindow* window) {
  ceres::Problem* problem = window->problem();
  poses.push_back(poses.empty() ? std::array<double, 3>{0.0, 0.0, 0.0}
                                : poses.back());
  double* const pose = poses.back().data();
  if (frame == 0) {
    problem->AddParameterBlock(pose, 3);
    problem->SetParameterBlockConstant(pose);
  } else {
    pose[0] += 1.0;
    const std::array<double, 3> move = {
        1.0 + noise->Normal(0.05), noise->Normal(0.05), noise->Normal(0.01)};
    problem->AddResidualBlock(new OdometryCost(new Odometry{move}), nullptr,
                              poses[poses.size() - 2].data(), pose);
  }
  window->Add(pose, frame);
  // Landmarks up to two metres before and behind.
  while (frame == 0 && landmarks.size() < 4) {
    landmarks.push_back({kFirstLandmark + 1.0 * landmarks.size(), 2.0});
  }
  landmarks.push_back({pose[0] + 2.0, pose[1] + 2.0});
  for (int i = 0; i < 5; ++i) {
    double* const landmark = landmarks[landmarks.size() - 5 + i].data();
    const std::array<double, 2> seen = {i - 2.0 + noise->Normal(0.1),
                                        2.0 + noise->Normal(0.1)};
    problem->AddResidualBlock(new SightCost(new Sight{seen}),
                              new ceres::HuberLoss(3.0), pose, landmark);
    window->Add(landmark, frame);  // the time of the last sight
  }
}

// [free]
// Memory of blocks that were marginalized.
void FreeOldBlocks(ceres::SlidingWindow* window) {
  const ceres::Problem& problem = *window->problem();
  while (!problem.HasParameterBlock(poses.front().data())) poses.pop_front();
  while (!problem.HasParameterBlock(landmarks.front().data())) {
    landmarks.pop_front();
  }
}
// [/free]

// [save]
void SaveAndRead(const ceres::LinearizedPrior& prior) {
  const std::string bytes = prior.ToBinary();
  std::string error;
  const std::unique_ptr<ceres::LinearizedPrior> same =
      ceres::LinearizedPrior::FromBinary(bytes, /*manifolds=*/{}, &error);
  std::printf("saved and read: %s\n", same != nullptr && same->A() == prior.A()
                                          ? "same bits"
                                          : error.c_str());
}
// [/save]

// [sparsify]
void Sparsify(const ceres::LinearizedPrior& prior) {
  ceres::LinearizedPrior::Pattern tree;
  std::vector<ceres::LinearizedPrior::Part> parts;
  std::string error;
  if (!prior.ChowLiuTree(&tree, &error) ||
      !prior.Sparsify(tree, &parts, &error)) {
    std::printf("%s\n", error.c_str());
    return;
  }
  std::size_t most = 0;
  for (const auto& part : parts) most = std::max(most, part.blocks.size());
  std::printf("%zu blocks: %zu parts of at most %zu blocks\n",
              prior.blocks().size(), parts.size(), most);
}
// [/sparsify]

}  // namespace

int main() {
  Noise noise;
  // [loop]
  ceres::SlidingWindow::Options options;
  options.solver.linear_solver_type = ceres::DENSE_NORMAL_CHOLESKY;
  ceres::SlidingWindow window(options);
  for (int frame = 0; frame < 200; ++frame) {
    AddFrame(frame, &noise, &window);
    if (!window.Solve().IsSolutionUsable()) return 1;
    if (!window.Advance(frame, 5.0)) {
      std::printf("%s\n", window.last_marginalization().message.c_str());
      return 1;
    }
    FreeOldBlocks(&window);
    // [/loop]
    if (frame % 50 != 49) continue;
    // [summary]
    const ceres::MarginalizationSummary& summary =
        window.last_marginalization();
    std::printf("frame %3d: %d blocks; prior on %zu blocks, rank %d of %d\n",
                frame, window.problem()->NumParameterBlocks(),
                summary.neighbours.size(), summary.rank, summary.num_columns);
    // [/summary]
  }
  const auto& prior = dynamic_cast<const ceres::LinearizedPrior&>(
      *window.problem()->GetCostFunctionForResidualBlock(
          window.last_marginalization().prior));
  SaveAndRead(prior);
  Sparsify(prior);
}
