// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Calibrates a camera with pictures of a board: numeric derivatives of a camera
// model that is not written for Jets, bounds, a robust loss, covariances, and a
// check of the one Jacobian that was written by hand.

#include <ceres/ceres.h>
#include <ceres/rotation.h>

#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "seeded_noise.h"

namespace {

// fx, fy, cx, cy, k1, k2.
using Camera = std::array<double, 6>;
// A rotation vector and a translation: from the board to the camera.
using BoardPose = std::array<double, 6>;

struct Corner {
  int picture;
  double x, y;  // on the board, in meters
  double u, v;  // in the picture, in pixels
};

const Camera kTrueCamera = {910.0, 905.0, 642.0, 355.0, -0.18, 0.06};

bool Project(const double* camera, const double* board, const double* corner,
             double* pixel) {
  double p[3];
  ceres::AngleAxisRotatePoint(board, corner, p);
  for (int i = 0; i < 3; ++i) p[i] += board[3 + i];
  if (p[2] <= 0.0) return false;
  const double x = p[0] / p[2];
  const double y = p[1] / p[2];
  const double r2 = x * x + y * y;
  const double bend = 1.0 + camera[4] * r2 + camera[5] * r2 * r2;
  pixel[0] = camera[0] * bend * x + camera[2];
  pixel[1] = camera[1] * bend * y + camera[3];
  return true;
}

class CornerError {
 public:
  explicit CornerError(const Corner& corner) : corner_(corner) {}

  bool operator()(const double* camera, const double* board,
                  double* residuals) const {
    const double on_board[3] = {corner_.x, corner_.y, 0.0};
    if (!Project(camera, board, on_board, residuals)) return false;
    residuals[0] -= corner_.u;
    residuals[1] -= corner_.v;
    return true;
  }

 private:
  Corner corner_;
};

// The pixels of the sensor are almost square: log(fx / fy) is near zero. With
// `wrong`, one derivative has the wrong sign.
class SquarePixels : public ceres::SizedCostFunction<1, 6> {
 public:
  SquarePixels(double sigma, bool wrong) : sigma_(sigma), wrong_(wrong) {}

  bool Evaluate(double const* const* parameters, double* residuals,
                double** jacobians) const override {
    const double fx = parameters[0][0];
    const double fy = parameters[0][1];
    residuals[0] = std::log(fx / fy) / sigma_;
    if (jacobians != nullptr && jacobians[0] != nullptr) {
      for (int i = 0; i < 6; ++i) jacobians[0][i] = 0.0;
      jacobians[0][0] = 1.0 / (fx * sigma_);
      jacobians[0][1] = (wrong_ ? 1.0 : -1.0) / (fy * sigma_);
    }
    return true;
  }

 private:
  double sigma_;
  bool wrong_;
};

bool JacobianIsRight(const ceres::CostFunction& function,
                     const Camera& camera) {
  const std::vector<const ceres::Manifold*> manifolds = {nullptr};
  const ceres::NumericDiffOptions numeric;
  ceres::GradientChecker checker(&function, &manifolds, numeric);
  const double* blocks[] = {camera.data()};
  ceres::GradientChecker::ProbeResults results;
  const bool right = checker.Probe(blocks, 1e-6, &results);
  return right && results.maximum_relative_error < 1e-6;
}

struct Pictures {
  std::vector<BoardPose> truth;
  std::vector<Corner> corners;
  int num_wrong = 0;
};

// Twelve pictures of a board with 9 x 6 corners, 3 cm apart.
Pictures TakePictures() {
  clients::SeededNoise noise(4242);
  Pictures pictures;
  for (int i = 0; i < 12; ++i) {
    BoardPose board;
    for (int k = 0; k < 3; ++k) board[k] = noise.Uniform(-0.5, 0.5);
    board[3] = noise.Uniform(-0.20, -0.05);
    board[4] = noise.Uniform(-0.15, 0.0);
    board[5] = noise.Uniform(0.30, 0.45);
    pictures.truth.push_back(board);
    for (int j = 0; j < 54; ++j) {
      Corner corner{i, 0.03 * (j % 9), 0.03 * (j / 9), 0.0, 0.0};
      const double on_board[3] = {corner.x, corner.y, 0.0};
      double pixel[2] = {0.0, 0.0};
      Project(kTrueCamera.data(), board.data(), on_board, pixel);
      corner.u = pixel[0] + 0.3 * noise.Normal();
      corner.v = pixel[1] + 0.3 * noise.Normal();
      if (noise.Uniform(0.0, 1.0) < 0.02) {
        corner.v += 15.0;
        ++pictures.num_wrong;
      }
      pictures.corners.push_back(corner);
    }
  }
  return pictures;
}

void AddCorners(const Pictures& pictures, Camera* camera,
                std::vector<BoardPose>* boards, ceres::Problem* problem) {
  for (const Corner& corner : pictures.corners) {
    ceres::CostFunction* error =
        new ceres::NumericDiffCostFunction<CornerError, ceres::CENTRAL, 2, 6,
                                           6>(new CornerError(corner));
    problem->AddResidualBlock(error, new ceres::CauchyLoss(1.0), camera->data(),
                              (*boards)[corner.picture].data());
  }
  problem->AddResidualBlock(new SquarePixels(0.02, false), nullptr,
                            camera->data());
  for (int i = 0; i < 2; ++i) {
    problem->SetParameterLowerBound(camera->data(), i, 300.0);
    problem->SetParameterUpperBound(camera->data(), i, 3000.0);
  }
  problem->SetParameterLowerBound(camera->data(), 4, -0.5);
  problem->SetParameterUpperBound(camera->data(), 4, 0.5);
}

ceres::Solver::Summary Calibrate(ceres::Problem* problem) {
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_NORMAL_CHOLESKY;
  options.max_num_iterations = 200;
  options.function_tolerance = 1e-14;
  options.parameter_tolerance = 1e-12;
  ceres::Solver::Summary summary;
  ceres::Solve(options, problem, &summary);
  return summary;
}

ceres::Solver::Summary CalibrateWithBound(double k2_bound, Camera* camera,
                                          ceres::Problem* problem) {
  problem->SetParameterLowerBound(camera->data(), 5, -k2_bound);
  problem->SetParameterUpperBound(camera->data(), 5, k2_bound);
  return Calibrate(problem);
}

// The least cost with the k2 that `camera` has.
double CostWithConstantK2(const Pictures& pictures, Camera camera,
                          std::vector<BoardPose> boards) {
  ceres::Problem problem;
  AddCorners(pictures, &camera, &boards, &problem);
  problem.SetManifold(camera.data(),
                      new ceres::SubsetManifold(6, std::vector<int>(1, 5)));
  return Calibrate(&problem).final_cost;
}

// Prints the standard deviations of the camera. Returns false if there are
// none.
bool PrintDeviations(const std::string& name,
                     ceres::CovarianceAlgorithmType algorithm,
                     const Camera& camera, const BoardPose& board,
                     ceres::Problem* problem) {
  ceres::Covariance::Options options;
  options.algorithm_type = algorithm;
  ceres::Covariance covariance(options);
  const std::vector<std::pair<const double*, const double*>> pairs = {
      {camera.data(), camera.data()}, {camera.data(), board.data()}};
  if (!covariance.Compute(pairs, problem)) return false;
  double own[36];
  double with_board[36];
  covariance.GetCovarianceBlock(camera.data(), camera.data(), own);
  covariance.GetCovarianceBlock(camera.data(), board.data(), with_board);
  clients::PrintFigure((name + "_sigma_fx").c_str(), std::sqrt(own[0]));
  clients::PrintFigure((name + "_sigma_cy").c_str(), std::sqrt(own[3 * 7]));
  clients::PrintFigure((name + "_sigma_k1").c_str(), std::sqrt(own[4 * 7]));
  clients::PrintFigure((name + "_covariance_fx_z").c_str(), with_board[5]);
  return true;
}

int CountWrongCorners(const Pictures& pictures, const Camera& camera,
                      const std::vector<BoardPose>& boards) {
  int count = 0;
  for (const Corner& corner : pictures.corners) {
    double error[2];
    CornerError functor(corner);
    if (!functor(camera.data(), boards[corner.picture].data(), error) ||
        std::hypot(error[0], error[1]) > 5.0) {
      ++count;
    }
  }
  return count;
}

}  // namespace

int main() {
  const Pictures pictures = TakePictures();
  Camera camera = {800.0, 800.0, 640.0, 360.0, 0.0, 0.0};
  std::vector<BoardPose> boards = pictures.truth;
  clients::SeededNoise noise(9);
  for (BoardPose& board : boards) {
    for (double& value : board) value += 0.01 * noise.Normal();
  }
  clients::PrintFigure("right_jacobian_passes",
                       JacobianIsRight(SquarePixels(0.02, false), camera));
  clients::PrintFigure("wrong_jacobian_passes",
                       JacobianIsRight(SquarePixels(0.02, true), camera));

  ceres::Problem problem;
  AddCorners(pictures, &camera, &boards, &problem);
  // The true k2 is outside of the first bound.
  const ceres::Solver::Summary bounded =
      CalibrateWithBound(0.02, &camera, &problem);
  const double least = CostWithConstantK2(pictures, camera, boards);
  clients::PrintFigure("cost_with_k2_at_bound", least);
  clients::PrintFigure("bounded_cost_by_least", bounded.final_cost / least);
  clients::PrintFigure("bounded_k2", camera[5]);
  const ceres::Solver::Summary summary =
      CalibrateWithBound(0.5, &camera, &problem);
  clients::PrintFigure("final_cost", summary.final_cost);
  const char* const names[] = {"fx", "fy", "cx", "cy", "k1", "k2"};
  for (int i = 0; i < 6; ++i) clients::PrintFigure(names[i], camera[i]);
  clients::PrintFigure("wrong_corners_found",
                       CountWrongCorners(pictures, camera, boards));
  clients::PrintFigure("wrong_corners_made", pictures.num_wrong);

  const bool known = PrintDeviations("sparse_qr", ceres::SPARSE_QR, camera,
                                     boards[0], &problem) &&
                     PrintDeviations("dense_svd", ceres::DENSE_SVD, camera,
                                     boards[0], &problem);
  return known && bounded.IsSolutionUsable() && summary.IsSolutionUsable() ? 0
                                                                           : 1;
}
