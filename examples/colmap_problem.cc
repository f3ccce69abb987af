// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "colmap_problem.h"

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "ceres/autodiff_cost_function.h"
#include "ceres/manifold.h"
#include "ceres/product_manifold.h"
#include "ceres/rotation.h"

namespace ceres::examples {
namespace {

// The indices of fx, fy, cx, cy, k1, k2, p1, p2 in the parameters of a camera
// model; -1: the value is zero.
using ParameterPlaces = std::array<int, 8>;

ParameterPlaces PlacesOf(const std::string& model) {
  if (model == "SIMPLE_PINHOLE") return {0, 0, 1, 2, -1, -1, -1, -1};
  if (model == "PINHOLE") return {0, 1, 2, 3, -1, -1, -1, -1};
  if (model == "SIMPLE_RADIAL") return {0, 0, 1, 2, 3, -1, -1, -1};
  if (model == "RADIAL") return {0, 0, 1, 2, 3, 4, -1, -1};
  return {0, 1, 2, 3, 4, 5, 6, 7};  // OPENCV
}

// The image of a point minus its key point. With (x, y) = P.xy / P.z, P = R X +
// t, and d = 1 + k1 r^2 + k2 r^4:
//
//   u = fx (d x + 2 p1 x y + p2 (r^2 + 2 x^2)) + cx,
//   v = fy (d y + 2 p2 x y + p1 (r^2 + 2 y^2)) + cy.
struct ColmapReprojectionError {
  template <typename T>
  bool operator()(const T* pose, const T* point, const T* parameters,
                  T* residual) const {
    T k[8];
    for (int i = 0; i < 8; ++i) {
      k[i] = places[i] < 0 ? T(0.0) : parameters[places[i]];
    }
    T p[3];
    UnitQuaternionRotatePoint(pose, point, p);
    for (int i = 0; i < 3; ++i) p[i] += pose[4 + i];
    const T x = p[0] / p[2];
    const T y = p[1] / p[2];
    const T xx = x * x, yy = y * y, xy = x * y;
    const T rr = xx + yy;
    const T d = 1.0 + rr * (k[4] + rr * k[5]);
    const T u = d * x + 2.0 * k[6] * xy + k[7] * (rr + 2.0 * xx);
    const T v = d * y + 2.0 * k[7] * xy + k[6] * (rr + 2.0 * yy);
    residual[0] = k[0] * u + k[2] - key[0];
    residual[1] = k[1] * v + k[3] - key[1];
    return true;
  }

  ParameterPlaces places;
  double key[2];
};

template <int kNumParameters>
CostFunction* NewCost(const ColmapReprojectionError& error) {
  return new AutoDiffCostFunction<ColmapReprojectionError, 2, 7, 3,
                                  kNumParameters>(
      new ColmapReprojectionError(error));
}

CostFunction* NewCost(const ColmapReprojectionError& error,
                      std::size_t num_parameters) {
  switch (num_parameters) {
    case 3:
      return NewCost<3>(error);
    case 4:
      return NewCost<4>(error);
    case 5:
      return NewCost<5>(error);
    default:
      return NewCost<8>(error);
  }
}

// Calls the function with each view of a point.
template <typename Visit>
void ForEachView(io::ColmapModel* model, const Visit& visit) {
  for (io::ColmapModel::Point& point : model->points) {
    for (const io::ColmapModel::View& view : point.views) {
      io::ColmapModel::Image& image = model->images[view.image];
      io::ColmapModel::Camera& camera = model->cameras[image.camera];
      const auto& seen = image.observations[view.observation];
      visit(ColmapReprojectionError{PlacesOf(camera.model), {seen.x, seen.y}},
            &image, &point, &camera);
    }
  }
}

}  // namespace

void BuildColmapProblem(LossFunction* loss, io::ColmapModel* model,
                        Problem* problem) {
  ForEachView(
      model,
      [&](const ColmapReprojectionError& error, io::ColmapModel::Image* image,
          io::ColmapModel::Point* point, io::ColmapModel::Camera* camera) {
        problem->AddResidualBlock(NewCost(error, camera->parameters.size()),
                                  loss, image->world_to_camera.data(),
                                  point->position.data(),
                                  camera->parameters.data());
      });
  for (io::ColmapModel::Image& image : model->images) {
    double* const pose = image.world_to_camera.data();
    if (!problem->HasParameterBlock(pose)) continue;
    problem->SetManifold(
        pose, new ProductManifold<QuaternionManifold, EuclideanManifold<3>>);
  }
  for (io::ColmapModel::Camera& camera : model->cameras) {
    if (!problem->HasParameterBlock(camera.parameters.data())) continue;
    const ParameterPlaces places = PlacesOf(camera.model);
    problem->SetManifold(
        camera.parameters.data(),
        new SubsetManifold(static_cast<int>(camera.parameters.size()),
                           {places[2], places[3]}));
  }
}

void OrderColmapBlocks(io::ColmapModel* model,
                       ParameterBlockOrdering* ordering) {
  ForEachView(model,
              [&](const ColmapReprojectionError& /*error*/,
                  io::ColmapModel::Image* image, io::ColmapModel::Point* point,
                  io::ColmapModel::Camera* camera) {
                ordering->AddElementToGroup(point->position.data(), 0);
                ordering->AddElementToGroup(image->world_to_camera.data(), 1);
                ordering->AddElementToGroup(camera->parameters.data(), 1);
              });
}

void UpdateColmapErrors(io::ColmapModel* model) {
  for (io::ColmapModel::Point& point : model->points) point.error = 0.0;
  ForEachView(
      model,
      [&](const ColmapReprojectionError& error, io::ColmapModel::Image* image,
          io::ColmapModel::Point* point, io::ColmapModel::Camera* camera) {
        double residual[2];
        error(image->world_to_camera.data(), point->position.data(),
              camera->parameters.data(), residual);
        point->error += std::hypot(residual[0], residual[1]) /
                        static_cast<double>(point->views.size());
      });
}

}  // namespace ceres::examples
