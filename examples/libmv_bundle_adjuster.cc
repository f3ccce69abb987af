// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Bundle adjustment of a film shot with one camera: all residuals share the
// intrinsic parameters, of which a SubsetManifold lets some vary.
//
//   libmv_bundle_adjuster --input=problem_01.bin [--refine_intrinsics=radial]
//
// Prints: Final   focal length 8090.*, principal point 1024 540, radial -0.132
// Prints: Root mean square distance of markers: 1.303.* -> 1.292

#include <cmath>
#include <cstddef>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "ceres/ceres.h"
#include "ceres/rotation.h"
#include "gflags/gflags.h"
#include "libmv_file.h"

DEFINE_string(input, "", "libmv's binary file; required.");
DEFINE_string(refine_intrinsics, "",
              "none; radial: focal length, k1 and k2. Empty: radial if the "
              "file's markers are in pixels, else none.");

namespace ceres::examples {
namespace {

// residual = marker of a point under the model in libmv_file.h - marker found.
class MarkerError {
 public:
  MarkerError(double x, double y) : x_(x), y_(y) {}

  template <typename T>
  bool operator()(const T* intrinsics, const T* pose, const T* point,
                  T* residuals) const {
    T p[3];
    AngleAxisRotatePoint(pose, point, p);
    for (int i = 0; i < 3; ++i) p[i] += pose[3 + i];
    // A point that is not in front of a camera has no image.
    if (p[2] <= 0.0) return false;
    const T x = p[0] / p[2];
    const T y = p[1] / p[2];

    // Brown, "Decentering distortion of lenses", 1966.
    const T* k = intrinsics + kRadial1;
    const T& p1 = intrinsics[kTangential1];
    const T& p2 = intrinsics[kTangential2];
    const T r2 = x * x + y * y;
    const T radial = 1.0 + r2 * (k[0] + r2 * (k[1] + r2 * k[2]));
    const T xy = 2.0 * x * y;
    const T distorted_x = x * radial + p1 * xy + p2 * (r2 + 2.0 * x * x);
    const T distorted_y = y * radial + p2 * xy + p1 * (r2 + 2.0 * y * y);

    const T& focal_length = intrinsics[kFocalLength];
    residuals[0] =
        focal_length * distorted_x + intrinsics[kPrincipalPointX] - x_;
    residuals[1] =
        focal_length * distorted_y + intrinsics[kPrincipalPointY] - y_;
    return true;
  }

 private:
  double x_;
  double y_;
};

enum class Refinement { kNone, kRadial };

bool ReadRefinement(const LibmvProblem& libmv, Refinement* refinement) {
  if (FLAGS_refine_intrinsics.empty()) {
    *refinement =
        libmv.markers_in_pixels ? Refinement::kRadial : Refinement::kNone;
    return true;
  }
  if (FLAGS_refine_intrinsics != "none" &&
      FLAGS_refine_intrinsics != "radial") {
    std::cerr << "--refine_intrinsics=" << FLAGS_refine_intrinsics
              << " is neither none nor radial.\n";
    return false;
  }
  *refinement = FLAGS_refine_intrinsics == "radial" ? Refinement::kRadial
                                                    : Refinement::kNone;
  return true;
}

void BuildProblem(Refinement refinement, LibmvProblem* libmv,
                  Problem* problem) {
  for (const LibmvProblem::Marker& marker : libmv->markers) {
    problem->AddResidualBlock(
        new AutoDiffCostFunction<MarkerError, 2, kNumLibmvIntrinsics, 6, 3>(
            new MarkerError(marker.x, marker.y)),
        nullptr, libmv->intrinsics, libmv->cameras[marker.camera].pose,
        libmv->points[marker.point].position);
  }
  if (refinement == Refinement::kNone) {
    problem->SetParameterBlockConstant(libmv->intrinsics);
  } else {
    problem->SetManifold(
        libmv->intrinsics,
        new SubsetManifold(kNumLibmvIntrinsics,
                           {kPrincipalPointX, kPrincipalPointY, kRadial3,
                            kTangential1, kTangential2}));
  }
  // Moving, turning and scaling everything changes no marker. One camera that
  // stands still fixes all but the scale, on which damping keeps its hold.
  problem->SetParameterBlockConstant(
      libmv->cameras[libmv->markers.front().camera].pose);
}

// Cameras share no residual, and neither do points: either kind can be
// eliminated. A film has many images and few tracks, and elimination of the
// larger part leaves the smaller system.
std::shared_ptr<ParameterBlockOrdering> MakeOrdering(const Problem& problem,
                                                     LibmvProblem* libmv) {
  const size_t camera_columns = 6 * libmv->cameras.size();
  const size_t point_columns = 3 * libmv->points.size();
  const int camera_group = camera_columns > point_columns ? 0 : 1;
  auto ordering = std::make_shared<ParameterBlockOrdering>();
  for (LibmvProblem::Camera& camera : libmv->cameras) {
    if (!problem.HasParameterBlock(camera.pose)) continue;
    ordering->AddElementToGroup(camera.pose, camera_group);
  }
  for (LibmvProblem::Point& point : libmv->points) {
    if (!problem.HasParameterBlock(point.position)) continue;
    ordering->AddElementToGroup(point.position, 1 - camera_group);
  }
  ordering->AddElementToGroup(libmv->intrinsics, 1);
  return ordering;
}

void PrintIntrinsics(const char* when, const LibmvProblem& libmv) {
  const double* values = libmv.intrinsics;
  std::cout << when << " focal length " << values[kFocalLength]
            << ", principal point " << values[kPrincipalPointX] << " "
            << values[kPrincipalPointY] << ", radial " << values[kRadial1]
            << " " << values[kRadial2] << " " << values[kRadial3]
            << ", tangential " << values[kTangential1] << " "
            << values[kTangential2] << "\n";
}

// The exit status.
int Run() {
  LibmvProblem libmv;
  std::string error;
  if (!ReadLibmv(FLAGS_input, &libmv, &error)) {
    std::cerr << error << "\n";
    return 1;
  }
  if (libmv.markers.empty()) {
    std::cerr << FLAGS_input << ": there are no markers.\n";
    return 1;
  }
  Refinement refinement = Refinement::kNone;
  if (!ReadRefinement(libmv, &refinement)) return 1;
  std::cout << "Problem: " << libmv.cameras.size() << " cameras, "
            << libmv.points.size() << " points, " << libmv.markers.size()
            << " markers.\n";
  PrintIntrinsics("Initial", libmv);

  Problem problem;
  BuildProblem(refinement, &libmv, &problem);
  Solver::Options options;
  options.linear_solver_type = DENSE_SCHUR;
  options.linear_solver_ordering = MakeOrdering(problem, &libmv);
  options.max_num_iterations = 100;
  options.minimizer_progress_to_stdout = true;
  Solver::Summary summary;
  Solve(options, &problem, &summary);

  std::cout << summary.FullReport() << "\n";
  PrintIntrinsics("Final  ", libmv);
  const double num_markers = static_cast<double>(libmv.markers.size());
  std::cout << "Root mean square distance of markers: "
            << std::sqrt(2.0 * summary.initial_cost / num_markers) << " -> "
            << std::sqrt(2.0 * summary.final_cost / num_markers) << "\n";
  return summary.IsSolutionUsable() ? 0 : 1;
}

}  // namespace
}  // namespace ceres::examples

int main(int argc, char** argv) {
  gflags::SetUsageMessage("libmv_bundle_adjuster --input=FILE [flags]");
  gflags::ParseCommandLineFlags(&argc, &argv, true);
  if (FLAGS_input.empty()) {
    std::cerr << "Usage: libmv_bundle_adjuster --input=FILE [flags]\n";
    return 1;
  }
  return ceres::examples::Run();
}
