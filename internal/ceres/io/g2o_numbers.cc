// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "ceres/io/g2o_records.h"

namespace ceres::internal {
namespace {

bool ReadSigmas(int n, LineReader* reader, double* information) {
  double sigmas[2];
  if (!reader->ReadNumbers("a standard deviation", n, sigmas)) return false;
  for (int i = 0; i < n; ++i) {
    information[i * n + i] = 1.0 / sigmas[i] / sigmas[i];
    // Neither zero nor infinite, and nor is its square.
    if (!(sigmas[i] > 0.0) || !std::isnormal(information[i * n + i])) {
      return reader->Fail("expected a positive standard deviation, found " +
                          std::to_string(sigmas[i]));
    }
  }
  return true;
}

bool IsSemidefinite(const double* information, int n) {
  double root[36];
  return io::SquareRootInformation(information, n, root);
}

// Drops the coupling of the first p coordinates with the others. Returns
// whether that leaves a positive semidefinite matrix.
bool DropCoupling(int p, int n, double* information) {
  for (int row = 0; row < p; ++row) {
    for (int col = p; col < n; ++col) {
      information[row * n + col] = information[col * n + row] = 0.0;
    }
  }
  return IsSemidefinite(information, n);
}

}  // namespace

bool ReadG2oValues(const G2oRecordKind& kind, LineReader* reader,
                   io::PoseGraph::Values* values) {
  const int size = kind.NumValues();
  if (size < 6) return reader->ReadNumbers("a number", size, values->data());
  double* const rotation = values->data() + 3;
  if (!reader->ReadNumbers("a coordinate", 3, values->data())) return false;
  if (kind.rotation == G2oRecordKind::Rotation::kQuaternion) {
    return reader->ReadQuaternion(rotation);
  }
  double euler[3];
  if (!reader->ReadNumbers("an angle", 3, euler)) return false;
  EulerToQuaternion(euler, rotation);
  return true;
}

bool ReadG2oInformation(const G2oRecordKind& kind, int n, bool may_drop,
                        LineReader* reader, double* information,
                        bool* has_dropped) {
  *has_dropped = false;
  if (kind.weight == G2oRecordKind::Weight::kSigmas) {
    return ReadSigmas(n, reader, information);
  }
  double numbers[21];
  if (!reader->ReadNumbers("an entry of the information matrix",
                           kind.NumWeights(), numbers)) {
    return false;
  }
  if (kind.weight == G2oRecordKind::Weight::kToro) {
    // xx xy yy tt xt yt becomes xx xy xt yy yt tt.
    std::rotate(numbers + 2, numbers + 4, numbers + 5);
    std::swap(numbers[4], numbers[5]);
  }
  const double* next = numbers;
  for (int row = 0; row < n; ++row) {
    for (int col = row; col < n; ++col) {
      information[row * n + col] = information[col * n + row] = *next++;
    }
  }
  if (IsSemidefinite(information, n)) return true;
  const bool is_pose = kind.type == io::PoseGraph::EdgeType::kRelativePose ||
                       kind.type == io::PoseGraph::EdgeType::kPose;
  const char* hint = "";
  if (is_pose && DropCoupling(kind.dimension, n, information)) {
    *has_dropped = may_drop;
    if (may_drop) return true;
    hint =
        ": its blocks of position and of rotation are positive semidefinite, "
        "read the file without the coupling of indefinite matrices "
        "(G2oOptions::drop_indefinite_couplings)";
  }
  return reader->Fail(
      "expected a positive semidefinite information matrix after " +
      std::string(kind.tag) + ", found one with a negative eigenvalue" + hint);
}

}  // namespace ceres::internal
