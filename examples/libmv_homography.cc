// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Estimates the homography H between two images of a plane, from points x_i
// that were found in both, by the symmetric transfer error
//
//   1/2 sum_i |H x_i - y_i|^2 + |H^-1 y_i - x_i|^2
//
// (Hartley and Zisserman, "Multiple view geometry in computer vision", 2nd
// edition, 2004, section 4.2.2). It starts at the algebraic estimate (DLT,
// section 4.1) from four points of one corner, and ends as soon as all points
// are met well enough: a callback sees to that. H is known up to scale, so it
// stays on a sphere.
//
// Prints: Transfer error: .* -> 0.000.*, stopped by the callback
// Prints: Largest difference from the true homography: 0.00

#include <cstddef>
#include <iostream>
#include <vector>

#include "Eigen/Core"
#include "Eigen/Dense"
#include "ceres/ceres.h"
#include "random.h"

namespace ceres::examples {
namespace {

using Homography = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

struct Match {
  double x[2];
  double y[2];
};

// y = H x; nothing is checked of what lies at infinity.
template <typename T>
void Transfer(const Eigen::Matrix<T, 3, 3>& h, const double x[2], T y[2]) {
  const T w = h(2, 0) * x[0] + h(2, 1) * x[1] + h(2, 2);
  for (int i = 0; i < 2; ++i) {
    y[i] = (h(i, 0) * x[0] + h(i, 1) * x[1] + h(i, 2)) / w;
  }
}

// Four residuals: H x - y, H^-1 y - x. The parameter block is H, row-major.
class SymmetricTransferError {
 public:
  explicit SymmetricTransferError(const Match& match) : match_(match) {}

  template <typename T>
  bool operator()(const T* h, T* residuals) const {
    Eigen::Matrix<T, 3, 3> forward;
    for (int i = 0; i < 9; ++i) forward(i / 3, i % 3) = h[i];
    // The scale of a homography does not matter: no need to divide by det H.
    Eigen::Matrix<T, 3, 3> backward;
    for (int i = 0; i < 3; ++i) {
      backward.col(i) =
          forward.row((i + 1) % 3).cross(forward.row((i + 2) % 3)).transpose();
    }
    Transfer(forward, match_.x, residuals);
    Transfer(backward, match_.y, residuals + 2);
    for (int i = 0; i < 2; ++i) {
      residuals[i] -= match_.y[i];
      residuals[2 + i] -= match_.x[i];
    }
    return true;
  }

 private:
  Match match_;
};

// The H of norm 1 that minimises |A h|: each match gives two rows of A,
// equations that are linear in H and hold where H x = y.
Homography AlgebraicEstimate(const std::vector<Match>& matches) {
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(2 * matches.size(), 9);
  for (size_t i = 0; i < matches.size(); ++i) {
    const Match& match = matches[i];
    for (int k = 0; k < 2; ++k) {
      const Eigen::Vector3d x(match.x[0], match.x[1], 1.0);
      a.row(2 * i + k).segment<3>(3 * k) = x.transpose();
      a.row(2 * i + k).tail<3>() = -match.y[k] * x.transpose();
    }
  }
  const Eigen::VectorXd h = a.jacobiSvd(Eigen::ComputeFullV).matrixV().col(8);
  return Eigen::Map<const Homography>(h.data());
}

// Ends a solve when the root mean square of the residuals is small enough.
class StopWhenGoodEnough final : public IterationCallback {
 public:
  StopWhenGoodEnough(double wanted, size_t num_matches)
      : wanted_cost_(0.5 * 4.0 * static_cast<double>(num_matches) * wanted *
                     wanted) {}

  CallbackReturnType operator()(const IterationSummary& summary) override {
    return summary.cost <= wanted_cost_ ? SOLVER_TERMINATE_SUCCESSFULLY
                                        : SOLVER_CONTINUE;
  }

 private:
  double wanted_cost_;
};

// Points of a grid, moved by the homography and by noise.
std::vector<Match> MakeMatches(const Homography& h, double noise) {
  std::vector<Match> matches;
  Random random(1);
  const Eigen::Matrix3d column_major = h;
  for (int i = 0; i < 10; ++i) {
    for (int j = 0; j < 10; ++j) {
      Match match{{10.0 * i, 10.0 * j}, {0.0, 0.0}};
      Transfer(column_major, match.x, match.y);
      for (double& y : match.y) y += noise * random.Normal();
      matches.push_back(match);
    }
  }
  return matches;
}

// The exit status.
int Run() {
  constexpr double kNoise = 1e-3;  // pixels
  Homography truth;
  truth << 0.92, 0.17, 34.5,  //
      -0.21, 1.08, -12.25,    //
      0.0015, -0.0008, 1.0;
  const std::vector<Match> matches = MakeMatches(truth, kNoise);
  Homography h =
      AlgebraicEstimate({matches[0], matches[1], matches[10], matches[11]});

  Problem problem;
  for (const Match& match : matches) {
    problem.AddResidualBlock(
        new AutoDiffCostFunction<SymmetricTransferError, 4, 9>(
            new SymmetricTransferError(match)),
        nullptr, h.data());
  }
  problem.SetManifold(h.data(), new SphereManifold<9>);

  // Much better than the noise makes no sense.
  StopWhenGoodEnough stop(2.0 * kNoise, matches.size());
  Solver::Options options;
  options.linear_solver_type = DENSE_QR;
  options.max_num_iterations = 100;
  options.function_tolerance = 0.0;
  options.minimizer_progress_to_stdout = true;
  options.callbacks.push_back(&stop);
  Solver::Summary summary;
  Solve(options, &problem, &summary);
  h /= h(2, 2);

  std::cout << summary.BriefReport() << "\nTrue homography:\n"
            << truth << "\nFound:\n"
            << h << "\n";
  std::cout << "Transfer error: " << summary.initial_cost << " -> "
            << summary.final_cost
            << (summary.termination_type == USER_SUCCESS
                    ? ", stopped by the callback\n"
                    : "\n");
  std::cout << "Largest difference from the true homography: "
            << (h - truth).cwiseAbs().maxCoeff() << "\n";
  return summary.IsSolutionUsable() ? 0 : 1;
}

}  // namespace
}  // namespace ceres::examples

int main() { return ceres::examples::Run(); }
