// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// The kinds of records of pose graph files, and the texts that they make.

#ifndef CERES_INTERNAL_IO_G2O_RECORDS_H_
#define CERES_INTERNAL_IO_G2O_RECORDS_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ceres/io/g2o.h"
#include "ceres/io/line_reader.h"
#include "ceres/io/pose_graph.h"

namespace ceres::internal {

// What a line says, by its tag.
struct G2oRecordKind {
  enum class Subject { kVertex, kFix, kOffset, kEdge };
  // How the numbers of a pose in space stand.
  enum class Rotation { kQuaternion, kEuler };
  // How the information stands: the upper triangle by rows, TORO's order of the
  // plane, standard deviations.
  enum class Weight { kRows, kToro, kSigmas };

  std::string_view tag;
  Subject subject;
  int dimension;  // 0: of the plane and of space
  io::PoseGraph::EdgeType type = io::PoseGraph::EdgeType::kRelativePose;
  bool takes_landmark = false;  // as the vertex, or as the last one of an edge
  bool may_have_offset = false;
  Rotation rotation = Rotation::kQuaternion;
  Weight weight = Weight::kRows;

  // The number of vertices that an edge names.
  int NumVertices() const;
  // Numbers of the estimate, of the offset, or of the measurement.
  int NumValues() const;
  // Numbers behind the measurement.
  int NumWeights() const;
};

// Null for a tag that is none.
const G2oRecordKind* FindG2oRecordKind(std::string_view tag);

// The first kind of vertices, offsets or edges in the table that can hold this.
const G2oRecordKind& VertexKind(int dimension, bool is_landmark);
const G2oRecordKind& OffsetKind(int dimension);
const G2oRecordKind& EdgeKind(int dimension, io::PoseGraph::EdgeType type,
                              bool takes_landmark);

// What a file says, and where the numbers of vertices stand in its text.
struct G2oFile {
  struct VertexText {
    // Null: the file has no record of this vertex.
    const G2oRecordKind* kind = nullptr;
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  io::PoseGraph graph;
  std::vector<VertexText> vertex_texts;
  // Edges whose couplings were dropped, and the line of the first one.
  int num_dropped_couplings = 0;
  int first_dropped_line = 0;
};

// Reads a text without byte order mark.
[[nodiscard]] bool ParseG2oFile(std::string_view text, const std::string& name,
                                const io::G2oOptions& options, G2oFile* file,
                                std::string* error);

// Reads the numbers of a pose, a point or a measurement from a line of this
// kind.
[[nodiscard]] bool ReadG2oValues(const G2oRecordKind& kind, LineReader* reader,
                                 io::PoseGraph::Values* values);
// Reads the information matrix of n x n numbers. *has_dropped receives whether
// its coupling was dropped, which needs may_drop; see io::G2oOptions.
[[nodiscard]] bool ReadG2oInformation(const G2oRecordKind& kind, int n,
                                      bool may_drop, LineReader* reader,
                                      double* information, bool* has_dropped);

// Roll, pitch and yaw of a rotation, and its unit quaternion x, y, z, w:
// R = Rz(yaw) Ry(pitch) Rx(roll).
void EulerToQuaternion(const double* euler, double* quaternion);
void QuaternionToEuler(const double* quaternion, double* euler);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_IO_G2O_RECORDS_H_
