// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_IO_POSE_GRAPH_H_
#define CERES_PUBLIC_IO_POSE_GRAPH_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "ceres/internal/export.h"
#include "ceres/parallel/detail/language.h"

namespace ceres::io {

// A pose graph: poses, landmarks, and what was measured between them. Lengths
// are in metres, or any other unit; angles are in radians.
//
//                   the plane (dimension 2)   space (dimension 3)
//   pose, 7 numbers x, y, yaw                 x, y, z, qx, qy, qz, qw
//   landmark        x, y                      x, y, z
//
// A pose maps points from its frame to the world. Quaternions follow Hamilton
// and have unit norm. Numbers of an array that a kind does not use are zero.
// Copies are independent. Thread safety: as for a standard container.
struct PoseGraph {
  // Numbers of a pose or a landmark.
  using Values = std::array<double, 7>;

  // A pose or a landmark: its name, and its estimate.
  struct Vertex {
    // Poses and landmarks share one set of ids.
    std::uint64_t id = 0;
    // Whether this is a landmark. Otherwise it is a pose.
    bool is_landmark = false;
    // Whether the estimate shall not change (FIX).
    bool is_fixed = false;
    // The estimate.
    Values value{};
  };

  // The pose of a sensor in the frame of the body that carries it (PARAMS).
  struct Offset {
    // Offsets have a set of ids of their own.
    std::uint64_t id = 0;
    // A pose.
    Values pose{};
  };

  // What an edge measures. z is the measurement, x the first vertex, a pose, y
  // the second one, s the offset of the sensor (or identity).
  enum class EdgeType {
    kRelativePose,  // z = x^-1 y for a pose y.
    kLandmark,      // z = (x s)^-1 y for a landmark y.
    kBearing,       // z = atan2 of (x s)^-1 y, for a landmark y of the plane.
    kBearingAndRange,  // The same, and the distance.
    kPose,             // z = x s: a prior.
    kPosition,         // z = the position of x, a pose or a landmark: a prior.
  };

  // A measurement.
  struct Edge {
    // What is measured.
    EdgeType type = EdgeType::kRelativePose;
    // Indices into `vertices`; that of y is -1 for a prior.
    int x = -1;
    int y = -1;
    // Index into `offsets`, or -1 for identity.
    int offset = -1;
    // z: a pose, a point, an angle, or an angle and a length.
    Values measurement{};
    // The inverse covariance of z: n x n numbers, row-major, symmetric and
    // positive semidefinite, with n = ErrorSize(). Its order is that of the
    // measurement, with three numbers for the rotation of a pose in space: the
    // rotation vector of the error, in the frame of y or of x s.
    std::array<double, 36> information{};
  };

  // The number of independent errors of an edge: 6 for a pose in space.
  CERES_EXPORT int ErrorSize(const Edge& edge) const;

  // Numbers of a pose: 3 or 7.
  int PoseSize() const { return dimension == 2 ? 3 : 7; }

  // 2 for the plane, 3 for space.
  int dimension = 2;
  // In the order of the file.
  std::vector<Vertex> vertices;
  std::vector<Offset> offsets;
  std::vector<Edge> edges;
  // The file that the graph was read from, for writers. Empty if none was.
  std::string text;
};

// The upper triangular W with W' W = an information matrix (n x n numbers,
// row-major, 1 <= n <= 6): its Cholesky factor. Rows of W are zero where the
// matrix is singular. Returns false if the matrix is not positive semidefinite,
// beyond the rounding of numbers that were written with five significant
// digits, or not finite. Golub and Van Loan, "Matrix Computations", 4th
// edition, section 4.2.8 (pivoting), after a scaling to a unit diagonal.
[[nodiscard]] CERES_EXPORT bool SquareRootInformation(const double* information,
                                                      int n, double* W);

// Computes the values of vertices that are missing (one entry for each vertex)
// from those at the other ends of edges, and
// in each part of the graph without any value from its first pose, which
// becomes the identity, or takes its measured pose. Of all edges that lead from
// a known vertex to an unknown one, the first in the order of the file is
// taken: in a file that a robot wrote while it moved, odometry comes before
// loop closures. Returns false and says in *error which vertex has no edge that
// determines it.
[[nodiscard]] CERES_EXPORT bool InitializeVertices(
    const std::vector<bool>& is_missing, PoseGraph* graph, std::string* error);

}  // namespace ceres::io

#endif  // CERES_PUBLIC_IO_POSE_GRAPH_H_
