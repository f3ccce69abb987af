// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Three robots map a plane at the same time. Each has a thread that drives and
// a thread that optimizes its pose graph while the robot goes on.

#include <ceres/ceres.h>

#include <array>
#include <cmath>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "seeded_noise.h"

namespace {

constexpr double kPi = 3.14159265358979323846;

// x, y in meters and the heading in radians.
using Pose = std::array<double, 3>;

struct Edge {
  int from;
  int to;
  Pose motion;
};

template <typename T>
T WrapAngle(const T& angle) {
  using std::floor;
  const double turn = 2.0 * kPi;
  return angle - turn * floor((angle + kPi) / turn);
}

Pose Compose(const Pose& a, const Pose& b) {
  const double c = std::cos(a[2]);
  const double s = std::sin(a[2]);
  return {a[0] + c * b[0] - s * b[1], a[1] + s * b[0] + c * b[1],
          WrapAngle(a[2] + b[2])};
}

Pose Between(const Pose& a, const Pose& b) {
  const double c = std::cos(a[2]);
  const double s = std::sin(a[2]);
  const double dx = b[0] - a[0];
  const double dy = b[1] - a[1];
  return {c * dx + s * dy, -s * dx + c * dy, WrapAngle(b[2] - a[2])};
}

struct HeadingManifold {
  template <typename T>
  bool Plus(const T* x, const T* delta, T* x_plus_delta) const {
    *x_plus_delta = WrapAngle(*x + *delta);
    return true;
  }
  template <typename T>
  bool Minus(const T* y, const T* x, T* y_minus_x) const {
    *y_minus_x = WrapAngle(*y - *x);
    return true;
  }
};

struct MotionError {
  template <typename T>
  bool operator()(const T* a, const T* a_heading, const T* b,
                  const T* b_heading, T* residuals) const {
    using std::cos;
    using std::sin;
    const T c = cos(*a_heading);
    const T s = sin(*a_heading);
    const T dx = b[0] - a[0];
    const T dy = b[1] - a[1];
    residuals[0] = (c * dx + s * dy - motion[0]) / 0.02;
    residuals[1] = (c * dy - s * dx - motion[1]) / 0.02;
    residuals[2] = WrapAngle(*b_heading - *a_heading - motion[2]) / 0.005;
    return true;
  }
  Pose motion;
};

class PoseGraphNode {
 public:
  // `context` may be null, and may be shared with other nodes.
  explicit PoseGraphNode(ceres::Context* context)
      : context_(context), poses_(1, Pose{{0.0, 0.0, 0.0}}) {
    thread_ = std::thread([this] { OptimizeWhenAsked(); });
  }
  ~PoseGraphNode() {
    if (thread_.joinable()) Finish();
  }

  // Called by the thread that drives.
  void AddMotion(const Pose& motion) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const int last = static_cast<int>(poses_.size()) - 1;
    poses_.push_back(Compose(poses_.back(), motion));
    edges_.push_back({last, last + 1, motion});
  }
  void CloseLoop(int from, int to, const Pose& motion) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      edges_.push_back({from, to, motion});
      asked_ = true;
    }
    wake_.notify_one();
  }

  // Waits until the other thread has optimized `count` times.
  void WaitForOptimizations(int count) {
    std::unique_lock<std::mutex> lock(mutex_);
    optimized_.wait(lock, [=] { return num_optimizations_ >= count; });
  }

  // Waits for the other thread, then optimizes with all edges.
  void Finish() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      finished_ = true;
    }
    wake_.notify_one();
    thread_.join();
    usable_ = Optimize(edges_, 1e-13, &poses_, &final_cost_) && usable_;
  }

  // After Finish().
  const std::vector<Pose>& poses() const { return poses_; }
  int num_edges() const { return static_cast<int>(edges_.size()); }
  int num_optimizations() const { return num_optimizations_; }
  double final_cost() const { return final_cost_; }
  bool usable() const { return usable_; }

 private:
  void OptimizeWhenAsked() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (true) {
      wake_.wait(lock, [this] { return asked_ || finished_; });
      if (!asked_) return;
      asked_ = false;
      std::vector<Pose> poses = poses_;
      const std::vector<Edge> edges = edges_;
      lock.unlock();
      double cost;
      const bool usable = Optimize(edges, 1e-6, &poses, &cost);
      lock.lock();
      ++num_optimizations_;
      usable_ = usable_ && usable;
      Merge(poses);
      optimized_.notify_all();
    }
  }

  // Poses that were added meanwhile move with the last one of `optimized`.
  void Merge(const std::vector<Pose>& optimized) {
    const Pose last = poses_[optimized.size() - 1];
    for (std::size_t i = 0; i < poses_.size(); ++i) {
      poses_[i] = i < optimized.size()
                      ? optimized[i]
                      : Compose(optimized.back(), Between(last, poses_[i]));
    }
  }

  bool Optimize(const std::vector<Edge>& edges, double tolerance,
                std::vector<Pose>* poses, double* cost) const {
    ceres::Problem::Options problem_options;
    problem_options.context = context_;
    ceres::Problem problem(problem_options);
    ceres::LossFunction* loss = new ceres::CauchyLoss(3.0);
    ceres::Manifold* heading =
        new ceres::AutoDiffManifold<HeadingManifold, 1, 1>;
    for (const Edge& edge : edges) {
      double* a = (*poses)[edge.from].data();
      double* b = (*poses)[edge.to].data();
      problem.AddResidualBlock(
          new ceres::AutoDiffCostFunction<MotionError, 3, 2, 1, 2, 1>(
              new MotionError{edge.motion}),
          edge.to == edge.from + 1 ? nullptr : loss, a, a + 2, b, b + 2);
      problem.SetManifold(a + 2, heading);
      problem.SetManifold(b + 2, heading);
    }
    problem.SetParameterBlockConstant((*poses)[0].data());
    problem.SetParameterBlockConstant((*poses)[0].data() + 2);
    ceres::Solver::Options options;
    options.linear_solver_type = ceres::SPARSE_NORMAL_CHOLESKY;
    options.num_threads = 2;
    options.function_tolerance = tolerance;
    options.max_num_iterations = 100;
    ceres::Solver::Summary summary;
    ceres::Solve(options, &problem, &summary);
    *cost = summary.final_cost;
    return summary.IsSolutionUsable();
  }

  ceres::Context* context_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable optimized_;
  bool asked_ = false;
  bool finished_ = false;
  bool usable_ = true;
  int num_optimizations_ = 0;
  double final_cost_ = -1.0;
  std::vector<Pose> poses_;
  std::vector<Edge> edges_;
  std::thread thread_;
};

Pose Disturbed(const Pose& motion, clients::SeededNoise* noise) {
  Pose result;
  result[0] = motion[0] + 0.02 * noise->Normal();
  result[1] = motion[1] + 0.02 * noise->Normal();
  result[2] = motion[2] + 0.005 * noise->Normal();
  return result;
}

// Laps of 60 motions around a square with round corners. Every fifth pose after
// the first lap sees the pose of the lap before. One loop in ten is wrong.
std::vector<Pose> Drive(int laps, std::uint64_t seed, PoseGraphNode* node) {
  constexpr int kLap = 60;
  clients::SeededNoise noise(seed);
  std::vector<Pose> truth(1, Pose{{0.0, 0.0, 0.0}});
  for (int i = 1; i <= laps * kLap; ++i) {
    const double turn = i % 15 < 3 ? kPi / 6.0 : 0.0;
    const Pose motion = {0.5, 0.0, turn};
    truth.push_back(Compose(truth.back(), motion));
    node->AddMotion(Disturbed(motion, &noise));
    if (i < kLap || i % 5 != 0) continue;
    const int seen = i - kLap;
    Pose between = Disturbed(Between(truth[seen], truth[i]), &noise);
    if (i % 50 == 0) between[0] += 5.0;
    node->CloseLoop(seen, i, between);
    if (i % kLap == 0) node->WaitForOptimizations(i / kLap);
  }
  return truth;
}

void PrintRobot(const std::string& robot, const PoseGraphNode& node,
                const std::vector<Pose>& truth) {
  double sum = 0.0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const Pose off = Between(truth[i], node.poses()[i]);
    sum += off[0] * off[0] + off[1] * off[1];
  }
  clients::PrintFigure(("poses_" + robot).c_str(), truth.size());
  clients::PrintFigure(("edges_" + robot).c_str(), node.num_edges());
  clients::PrintFigure(("final_cost_" + robot).c_str(), node.final_cost());
  clients::PrintFigure(("position_rms_" + robot).c_str(),
                       std::sqrt(sum / truth.size()));
  clients::PrintFigure(("optimized_while_driving_" + robot).c_str(),
                       node.num_optimizations() > 3);
  clients::PrintFigure(("usable_" + robot).c_str(), node.usable());
}

}  // namespace

int main() {
  constexpr int kNumRobots = 3;
  const std::unique_ptr<ceres::Context> shared(ceres::Context::Create());
  std::vector<std::unique_ptr<PoseGraphNode>> nodes;
  for (int i = 0; i < kNumRobots; ++i) {
    nodes.emplace_back(new PoseGraphNode(i < 2 ? shared.get() : nullptr));
  }
  std::vector<std::vector<Pose>> truths(kNumRobots);
  std::vector<std::thread> robots;
  for (int i = 0; i < kNumRobots; ++i) {
    robots.emplace_back([i, &nodes, &truths] {
      truths[i] = Drive(4 + 2 * i, 11 + i, nodes[i].get());
      nodes[i]->Finish();
    });
  }
  for (std::thread& robot : robots) robot.join();
  bool usable = true;
  for (int i = 0; i < kNumRobots; ++i) {
    PrintRobot(std::to_string(i), *nodes[i], truths[i]);
    usable = usable && nodes[i]->usable();
  }
  return usable ? 0 : 1;
}
