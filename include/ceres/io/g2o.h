// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_IO_G2O_H_
#define CERES_PUBLIC_IO_G2O_H_

// Reads and writes pose graphs as text: the format of g2o (Kuemmerle, Grisetti,
// Strasdat, Konolige and Burgard, "g2o: A general framework for graph
// optimization", 2011), and the older records of TORO and GTSAM. A record is a
// line:
//
//   VERTEX_SE2 id x y yaw              VERTEX2
//   VERTEX_SE3:QUAT id x y z qx qy qz qw
//   VERTEX3 id x y z roll pitch yaw    R = Rz(yaw) Ry(pitch) Rx(roll)
//   VERTEX_XY id x y
//   VERTEX_TRACKXYZ id x y z           VERTEX_XYZ
//   FIX id...                          vertices that are held
//   PARAMS_SE2OFFSET id x y yaw        poses of sensors on the body
//   PARAMS_SE3OFFSET id x y z qx qy qz qw
//   EDGE_SE2 a b x y yaw I             the pose b seen from a
//   EDGE_SE3:QUAT a b x y z qx qy qz qw I
//   EDGE2 a b x y yaw Ixx Ixy Iyy Itt Ixt Iyt
//   EDGE3 a b x y z roll pitch yaw I
//   EDGE_SE2_XY a b [offset] x y I     the landmark b seen from a
//   EDGE_SE3_TRACKXYZ a b [offset] x y z I
//   EDGE_BEARING_SE2_XY a b angle I
//   BR a b angle range sigma_of_angle sigma_of_range
//   EDGE_PRIOR_SE2 a x y yaw I         the measured pose a
//   EDGE_SE3_PRIOR a [offset] x y z qx qy qz qw I
//   EDGE_PRIOR_SE2_XY a x y I          the measured position of the pose a
//   EDGE_PRIOR_XY a x y I              the measured landmark a
//   EDGE_POINTXYZ_PRIOR a x y z I      EDGE_XYZ_PRIOR
//
// I is the upper triangle of the information matrix, by rows. Names at the
// right are other names of the same record. [offset] is the id of a PARAMS
// record. Ids are integers in [0, 2^64). Records may come in any order. A file
// has records of the plane or of space, not of both. '#' begins a comment.
// Lines end with LF, CR LF or CR. A byte order mark of UTF-8 is skipped.
//
// Everything else is an error, with the number of the line and the token: other
// records, numbers that are not finite, information matrices that are not
// positive semidefinite, quaternions of length zero (others are normalized),
// ids that are given twice, edges of vertices that the file lacks. LANDMARK is
// refused, since programs disagree on what its last three numbers are. Edges
// with an information matrix of zero are kept.
//
// Functions may be called by several threads at once, for different graphs.

#include <string>
#include <string_view>

#include "ceres/internal/export.h"
#include "ceres/io/pose_graph.h"
#include "ceres/parallel/detail/language.h"

namespace ceres::io {

// How files are read.
struct G2oOptions {
  // Whether edges may name vertices that the file lacks. InitializeVertices
  // computes their values, and they stand behind the others, in the order in
  // which edges name them.
  bool initialize_missing_vertices = false;

  // Whether an information matrix of a pose that has a negative eigenvalue is
  // read without its coupling of position and rotation, if the blocks of
  // position and of rotation are positive semidefinite. A warning in the log
  // says how many matrices these are. The blocks keep their numbers, while the
  // nearest semidefinite matrix would gain information that nobody measured.
  bool drop_indefinite_couplings = false;
};

// Reads a file. Returns false on failure, with *graph unchanged, and then says
// in *error which file and line, what was expected and what was found.
[[nodiscard]] CERES_EXPORT bool ReadG2o(const std::string& path,
                                        const G2oOptions& options,
                                        PoseGraph* graph, std::string* error);

// Reads text that came from `name`, which appears in messages only.
[[nodiscard]] CERES_EXPORT bool ParseG2o(std::string_view text,
                                         const std::string& name,
                                         const G2oOptions& options,
                                         PoseGraph* graph, std::string* error);

// The text of a graph. If the graph was read from a file and differs from it in
// the values of vertices only, this is the text of the file with the new
// values: order, tags, comments, spaces and line ends stay. Vertices that the
// file lacks come behind. Otherwise, and if couplings were dropped, all is
// written anew. Numbers have the
// digits that it takes to read the same bits again, at most 17. Returns false
// and says in *error what is wrong with the graph: a number that is not finite,
// an id that two vertices have, an index out of range.
[[nodiscard]] CERES_EXPORT bool FormatG2o(const PoseGraph& graph,
                                          std::string* text,
                                          std::string* error);

// Writes this text by WriteFile (ceres/io/text_file.h): nothing is half
// written.
[[nodiscard]] CERES_EXPORT bool WriteG2o(const PoseGraph& graph,
                                         const std::string& path,
                                         std::string* error);

}  // namespace ceres::io

#endif  // CERES_PUBLIC_IO_G2O_H_
