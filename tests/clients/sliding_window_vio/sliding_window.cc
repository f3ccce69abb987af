// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "sliding_window.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace vio {
namespace {

ceres::Problem::Options WindowOptions() {
  ceres::Problem::Options options;
  options.enable_fast_removal = true;
  options.loss_function_ownership = ceres::DO_NOT_TAKE_OWNERSHIP;
  return options;
}

// All bearings share it, and it outlives every problem.
ceres::LossFunction* BearingLoss() {
  static ceres::HuberLoss loss(2.5);
  return &loss;
}

}  // namespace

SlidingWindow::SlidingWindow(int size)
    : size_(size), problem_(WindowOptions()), loss_(BearingLoss()) {}

void SlidingWindow::Start(const Frame& frame, double sigma) {
  Frame& first = frames_[next_frame_++];
  first = frame;
  AddPose(first.pose);
  problem_.AddParameterBlock(first.speed, 6);
  const Eigen::MatrixXd A = Eigen::MatrixXd::Identity(12, 12) / sigma;
  problem_.AddResidualBlock(new LinearPrior(A, Eigen::VectorXd::Zero(12),
                                            {{first.pose, first.pose + 7},
                                             {first.speed, first.speed + 6}}),
                            nullptr, first.pose, first.speed);
}

void SlidingWindow::AddFrame(const Preintegration& measured,
                             const std::map<int, Eigen::Vector2d>& bearings,
                             double sigma) {
  Frame& before = frames_.rbegin()->second;
  const int id = next_frame_++;
  Frame& frame = frames_[id];
  frame = before;
  const Eigen::Map<const Eigen::Quaterniond> q(before.pose + 3);
  const Eigen::Map<const Eigen::Vector3d> v(before.speed),
      bias(before.speed + 3);
  const double t = measured.seconds;
  Eigen::Map<Eigen::Vector3d>(frame.pose) +=
      t * v + 0.5 * t * t * kGravity +
      q * (measured.position + measured.position_by_bias * bias);
  Eigen::Map<Eigen::Quaterniond>(frame.pose + 3) =
      (q * measured.turn).normalized();
  Eigen::Map<Eigen::Vector3d>(frame.speed) +=
      t * kGravity + q * (measured.velocity + measured.velocity_by_bias * bias);

  AddPose(frame.pose);
  problem_.AddResidualBlock(new InertialError(measured), nullptr, before.pose,
                            before.speed, frame.pose, frame.speed);
  for (const auto& [landmark, bearing] : bearings) {
    if (finished_.count(landmark) == 0) See(landmark, {id, bearing}, sigma);
  }
}

// The third sighting of a landmark adds it with all three.
void SlidingWindow::See(int landmark, const Sighting& sighting, double sigma) {
  std::vector<Sighting>& track = tracks_[landmark];
  track.push_back(sighting);
  if (track.size() < 3) return;
  double* position = landmarks_[landmark].position;
  std::size_t first = track.size() - 1;
  if (track.size() == 3) {
    Triangulate(track, position);
    first = 0;
  }
  for (std::size_t i = first; i < track.size(); ++i) {
    problem_.AddResidualBlock(new BearingError(track[i].bearing, sigma), loss_,
                              frames_.at(track[i].frame).pose, position);
  }
}

void SlidingWindow::Triangulate(const std::vector<Sighting>& track,
                                double* position) const {
  Eigen::Matrix3d A = Eigen::Matrix3d::Zero();
  Eigen::Vector3d b = Eigen::Vector3d::Zero();
  for (const Sighting& sighting : track) {
    const double* pose = frames_.at(sighting.frame).pose;
    const Eigen::Vector3d ray = Eigen::Map<const Eigen::Quaterniond>(pose + 3) *
                                sighting.bearing.homogeneous().normalized();
    const Eigen::Matrix3d across =
        Eigen::Matrix3d::Identity() - ray * ray.transpose();
    A += across;
    b += across * Eigen::Map<const Eigen::Vector3d>(pose);
  }
  Eigen::Map<Eigen::Vector3d>(position).noalias() = A.ldlt().solve(b);
}

double SlidingWindow::Solve() {
  ceres::Solver::Options options;
  options.max_num_iterations = 30;
  options.function_tolerance = 1e-12;
  options.linear_solver_type = ceres::DENSE_QR;
  if (!landmarks_.empty()) {
    options.linear_solver_type = ceres::DENSE_SCHUR;
    auto* ordering = new ceres::ParameterBlockOrdering;
    for (auto& [id, landmark] : landmarks_) {
      ordering->AddElementToGroup(landmark.position, 0);
    }
    for (auto& [id, frame] : frames_) {
      ordering->AddElementToGroup(frame.pose, 1);
      ordering->AddElementToGroup(frame.speed, 1);
    }
    options.linear_solver_ordering.reset(ordering);
  }
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem_, &summary);
  if (!summary.IsSolutionUsable()) {
    std::fprintf(stderr, "%s\n", summary.FullReport().c_str());
    std::exit(1);
  }
  return summary.final_cost;
}

void SlidingWindow::Shrink() {
  if (static_cast<int>(frames_.size()) < size_) return;
  std::set<int> landmarks;
  const std::vector<double*> dropped = BlocksOfOldest(&landmarks);
  const Information information = Linearize(dropped);
  for (double* block : dropped) problem_.RemoveParameterBlock(block);
  num_removed_blocks_ += static_cast<int>(dropped.size());
  AddPriorOn(information, static_cast<int>(dropped.size()));

  const int oldest = frames_.begin()->first;
  for (auto track = tracks_.begin(); track != tracks_.end();) {
    if (track->second.front().frame == oldest) {
      finished_.insert(track->first);
      track = tracks_.erase(track);
    } else {
      ++track;
    }
  }
  for (const int landmark : landmarks) landmarks_.erase(landmark);
  frames_.erase(oldest);
}

std::vector<double*> SlidingWindow::BlocksOfOldest(
    std::set<int>* landmarks) const {
  const auto& [oldest, frame] = *frames_.begin();
  std::vector<double*> blocks = {const_cast<double*>(frame.pose),
                                 const_cast<double*>(frame.speed)};
  for (const auto& [id, landmark] : landmarks_) {
    if (tracks_.at(id).front().frame != oldest) continue;
    landmarks->insert(id);
    blocks.push_back(const_cast<double*>(landmark.position));
  }
  return blocks;
}

// The normal equations of the residual blocks of `dropped`, whose columns come
// first.
SlidingWindow::Information SlidingWindow::Linearize(
    const std::vector<double*>& dropped) const {
  Information information;
  information.blocks = dropped;
  std::vector<ceres::ResidualBlockId> ids;
  for (const double* block : dropped) {
    std::vector<ceres::ResidualBlockId> more;
    problem_.GetResidualBlocksForParameterBlock(block, &more);
    for (ceres::ResidualBlockId id : more) {
      if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
    }
  }
  std::vector<double*>& blocks = information.blocks;
  for (ceres::ResidualBlockId id : ids) {
    std::vector<double*> touched;
    problem_.GetParameterBlocksForResidualBlock(id, &touched);
    for (double* block : touched) {
      if (std::find(blocks.begin(), blocks.end(), block) == blocks.end()) {
        blocks.push_back(block);
      }
    }
  }
  int columns = 0;
  for (const double* block : blocks) {
    information.offsets.push_back(columns);
    columns += problem_.ParameterBlockTangentSize(block);
  }
  information.H = Eigen::MatrixXd::Zero(columns, columns);
  information.g = Eigen::VectorXd::Zero(columns);
  for (ceres::ResidualBlockId id : ids) {
    std::vector<double*> touched;
    problem_.GetParameterBlocksForResidualBlock(id, &touched);
    const int rows =
        problem_.GetCostFunctionForResidualBlock(id)->num_residuals();
    Eigen::VectorXd residuals(rows);
    std::vector<ceres::Matrix> jacobians;
    std::vector<double*> pointers;
    for (const double* block : touched) {
      jacobians.emplace_back(rows, problem_.ParameterBlockTangentSize(block));
    }
    for (ceres::Matrix& jacobian : jacobians) {
      pointers.push_back(jacobian.data());
    }
    if (!problem_.EvaluateResidualBlock(id, true, nullptr, residuals.data(),
                                        pointers.data())) {
      std::fprintf(stderr, "a residual block cannot be evaluated\n");
      std::exit(1);
    }
    ceres::Matrix J = ceres::Matrix::Zero(rows, columns);
    for (std::size_t i = 0; i < touched.size(); ++i) {
      const auto at = std::find(blocks.begin(), blocks.end(), touched[i]);
      J.middleCols(information.offsets[at - blocks.begin()],
                   jacobians[i].cols()) = jacobians[i];
    }
    information.H.noalias() += J.transpose() * J;
    information.g.noalias() += J.transpose() * residuals;
  }
  return information;
}

// Eliminates the first blocks, and writes the rest as |A x + b|^2 by the
// eigenvectors of the Schur complement.
void SlidingWindow::AddPriorOn(const Information& information,
                               int num_dropped) {
  const int m = information.offsets[num_dropped];
  const int n = static_cast<int>(information.g.size()) - m;
  const Eigen::LDLT<Eigen::MatrixXd> ldlt(information.H.topLeftCorner(m, m));
  const Eigen::MatrixXd coupling = information.H.bottomLeftCorner(n, m);
  const Eigen::MatrixXd S = information.H.bottomRightCorner(n, n) -
                            coupling * ldlt.solve(coupling.transpose());
  const Eigen::VectorXd s =
      information.g.tail(n) - coupling * ldlt.solve(information.g.head(m));
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(S);
  const Eigen::VectorXd roots = eigen.eigenvalues().cwiseMax(1e-3).cwiseSqrt();
  const Eigen::MatrixXd A =
      roots.asDiagonal() * eigen.eigenvectors().transpose();
  const Eigen::VectorXd b = roots.cwiseInverse().asDiagonal() *
                            (eigen.eigenvectors().transpose() * s);
  const std::vector<double*> kept(information.blocks.begin() + num_dropped,
                                  information.blocks.end());
  std::vector<std::vector<double>> x0;
  for (double* block : kept) {
    x0.emplace_back(block, block + problem_.ParameterBlockSize(block));
  }
  problem_.AddResidualBlock(new LinearPrior(A, b, x0), nullptr, kept);
  num_prior_rows_ = n;
}

}  // namespace vio
