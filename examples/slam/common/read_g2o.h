// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Reads pose graphs in g2o text form: a record a line, blank lines and lines
// that begin with '#' left out.
//
//   VERTEX_SE2 id x y yaw                           (pose_graph_2d/types.h)
//   EDGE_SE2 a b dx dy dyaw I11 I12 I13 I22 I23 I33
//   VERTEX_SE3:QUAT id x y z qx qy qz qw            (pose_graph_3d/types.h)
//   EDGE_SE3:QUAT a b dx dy dz qx qy qz qw I11 I12 ... I66
//
// A vertex is a pose and its initial value; an edge says how pose b was seen
// from pose a, with the upper triangle of the information matrix (the inverse
// of the covariance) by rows. Metres and radians. A file holds one kind.

#ifndef VESTA_EXAMPLES_SLAM_COMMON_READ_G2O_H_
#define VESTA_EXAMPLES_SLAM_COMMON_READ_G2O_H_

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "slam/common/g2o_record.h"
#include "text_file.h"

namespace ceres::examples {

// Poses by id, and the constraints between them in the order of the file.
//
// Pose and Constraint have a member kTag, the tag of their records, and a
// function ReadFields(G2oRecord*, Pose*) for what follows the id or ids;
// Constraint has the ids as members id_begin and id_end.
template <typename Pose, typename Constraint>
struct PoseGraph {
  std::map<int, Pose> poses;
  std::vector<Constraint> constraints;
};

namespace g2o {

template <typename Pose>
bool ReadPose(G2oRecord* record, std::map<int, Pose>* poses) {
  int id = 0;
  Pose pose;
  if (!record->ReadId("the id of a pose", &id) || !ReadFields(record, &pose) ||
      !record->ExpectEnd()) {
    return false;
  }
  if (poses->emplace(id, pose).second) return true;
  return record->Fail("expected an id that no pose has yet, found " +
                      std::to_string(id));
}

template <typename Constraint>
bool ReadConstraint(G2oRecord* record, std::vector<Constraint>* constraints) {
  Constraint constraint;
  if (!record->ReadId("the id of the pose seen from", &constraint.id_begin) ||
      !record->ReadId("the id of the pose seen", &constraint.id_end) ||
      !ReadFields(record, &constraint) || !record->ExpectEnd()) {
    return false;
  }
  if (constraint.id_begin == constraint.id_end) {
    return record->Fail("expected an edge between two poses, found pose " +
                        std::to_string(constraint.id_begin) + " twice");
  }
  constraints->push_back(std::move(constraint));
  return true;
}

// Reads a record of either kind. Blank lines and comments change nothing.
template <typename Pose, typename Constraint>
bool ReadRecord(G2oRecord* record, PoseGraph<Pose, Constraint>* graph) {
  if (record->tag().empty() || record->tag().front() == '#') return true;
  if (record->tag() == Pose::kTag) return ReadPose(record, &graph->poses);
  if (record->tag() == Constraint::kTag) {
    return ReadConstraint(record, &graph->constraints);
  }
  return record->Fail(std::string("expected ") + Pose::kTag + " or " +
                      Constraint::kTag + ", found " +
                      QuoteToken(record->tag()));
}

}  // namespace g2o

// Reads text that came from `name`, which appears in error messages only.
// Returns false on failure, with *graph unchanged, and then says in *error
// which file, which line, what was expected and what was found.
template <typename Pose, typename Constraint>
[[nodiscard]] bool ParseG2o(std::string_view text, const std::string& name,
                            PoseGraph<Pose, Constraint>* graph,
                            std::string* error) {
  PoseGraph<Pose, Constraint> parsed;
  // The line of each constraint: its poses may stand further down.
  std::vector<int> line_of_constraint;
  int line_number = 0;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(line.size() < text.size() ? line.size() + 1
                                                 : line.size());
    G2oRecord record(line, ++line_number, name);
    if (!g2o::ReadRecord(&record, &parsed)) {
      *error = record.error();
      return false;
    }
    line_of_constraint.resize(parsed.constraints.size(), line_number);
  }
  if (parsed.constraints.empty()) {
    *error = name + ": expected at least one " + Constraint::kTag +
             " record, found none";
    return false;
  }
  for (size_t i = 0; i < parsed.constraints.size(); ++i) {
    for (const int id :
         {parsed.constraints[i].id_begin, parsed.constraints[i].id_end}) {
      if (parsed.poses.count(id) != 0) continue;
      *error = name + ":" + std::to_string(line_of_constraint[i]) +
               ": expected poses with a " + Pose::kTag +
               " record, found no record of pose " + std::to_string(id);
      return false;
    }
  }
  *graph = std::move(parsed);
  return true;
}

// Reads a file.
template <typename Pose, typename Constraint>
[[nodiscard]] bool ReadG2oFile(const std::string& path,
                               PoseGraph<Pose, Constraint>* graph,
                               std::string* error) {
  std::string text;
  return ReadFile(path, &text, error) && ParseG2o(text, path, graph, error);
}

}  // namespace ceres::examples

#endif  // VESTA_EXAMPLES_SLAM_COMMON_READ_G2O_H_
