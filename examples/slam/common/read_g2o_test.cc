// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "slam/common/read_g2o.h"

#include <cmath>
#include <string>

#include "ceres/constants.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "shared_data.h"
#include "slam/pose_graph_2d/types.h"
#include "slam/pose_graph_3d/types.h"

namespace ceres::examples {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const char kPlane[] =
    "# comment\n"
    "\n"
    "EDGE_SE2 7 3 1 -2e-1 +3 10 1 2 20 3 30\r\n"
    "  VERTEX_SE2\t7 0 0 0\n"
    "VERTEX_SE2 3 1.5 .5 7";

const char kSpace[] =
    "VERTEX_SE3:QUAT 0 1 2 3 0 0 0 1\n"
    "VERTEX_SE3:QUAT 1 4 5 6 0 0.6001 0 0.8\n"
    "EDGE_SE3:QUAT 0 1 7 8 9 1 0 0 0 "
    "11 0.1 0.2 0.3 0.4 0.5 12 0.6 0.7 0.8 0.9 13 1 1.1 1.2 14 1.3 1.4 15 1.5 "
    "16\n";

// `text` with its only `from` replaced.
std::string Replaced(std::string text, const std::string& from,
                     const std::string& to) {
  const size_t position = text.find(from);
  EXPECT_NE(position, std::string::npos) << from;
  EXPECT_EQ(text.find(from, position + 1), std::string::npos) << from;
  return text.replace(position, from.size(), to);
}

// The message for a text that must not parse and must leave the graph alone.
template <typename Graph>
std::string ParseError(const std::string& text) {
  Graph graph;
  graph.poses[42] = {};
  std::string error;
  EXPECT_FALSE(ParseG2o(text, "graph.g2o", &graph, &error)) << text;
  EXPECT_TRUE(graph.constraints.empty());
  EXPECT_EQ(graph.poses.size(), 1u);
  EXPECT_EQ(graph.poses.count(42), 1u);
  return error;
}

std::string PlaneError(const std::string& from, const std::string& to) {
  return ParseError<PoseGraph2d>(Replaced(kPlane, from, to));
}

std::string SpaceError(const std::string& from, const std::string& to) {
  return ParseError<PoseGraph3d>(Replaced(kSpace, from, to));
}

TEST(ParseG2o, ReadsPlanarRecordsInAnyOrder) {
  PoseGraph2d graph;
  std::string error;
  ASSERT_TRUE(ParseG2o(kPlane, "graph.g2o", &graph, &error)) << error;
  ASSERT_EQ(graph.poses.size(), 2u);
  EXPECT_EQ(graph.poses[3].x, 1.5);
  EXPECT_EQ(graph.poses[3].y, 0.5);
  EXPECT_NEAR(graph.poses[3].yaw_radians, 7.0 - 2.0 * constants::pi, 1e-15);
  ASSERT_EQ(graph.constraints.size(), 1u);
  const Constraint2d& constraint = graph.constraints[0];
  EXPECT_EQ(constraint.id_begin, 7);
  EXPECT_EQ(constraint.id_end, 3);
  EXPECT_EQ(constraint.x, 1.0);
  EXPECT_EQ(constraint.y, -0.2);
  EXPECT_EQ(constraint.yaw_radians, 3.0);
  Eigen::Matrix3d information;
  information << 10, 1, 2, 1, 20, 3, 2, 3, 30;
  EXPECT_EQ(constraint.information, information);
}

TEST(ParseG2o, ReadsSpatialRecordsAndNormalizesTheirQuaternions) {
  PoseGraph3d graph;
  std::string error;
  ASSERT_TRUE(ParseG2o(kSpace, "graph.g2o", &graph, &error)) << error;
  ASSERT_EQ(graph.poses.size(), 2u);
  EXPECT_EQ(graph.poses[1].p, Eigen::Vector3d(4, 5, 6));
  const double length = std::hypot(0.6001, 0.8);
  EXPECT_NEAR(graph.poses[1].q.y(), 0.6001 / length, 1e-15);
  EXPECT_NEAR(graph.poses[1].q.w(), 0.8 / length, 1e-15);
  ASSERT_EQ(graph.constraints.size(), 1u);
  const Constraint3d& constraint = graph.constraints[0];
  EXPECT_EQ(constraint.t_be.p, Eigen::Vector3d(7, 8, 9));
  EXPECT_EQ(constraint.t_be.q.x(), 1.0);
  const auto& information = constraint.information;
  EXPECT_EQ(information.diagonal()[5], 16.0);
  EXPECT_EQ(information(0, 5), 0.5);
  EXPECT_EQ(information(1, 2), 0.6);
  EXPECT_EQ(information(4, 5), 1.5);
  EXPECT_EQ(information, information.transpose());
}

TEST(ParseG2o, NamesFileAndLineOfARecordThatIsCutShort) {
  const std::string text = kPlane;
  const std::string line = "graph.g2o:3: ";
  EXPECT_THAT(
      PlaneError("7 3 1 -2e-1 +3 10 1 2 20 3 30", ""),
      StartsWith(line + "expected the id of the pose seen from, an integer in "
                        "[0, 2147483647], but the line ends"));
  EXPECT_THAT(
      PlaneError(" -2e-1 +3 10 1 2 20 3 30", ""),
      StartsWith(line + "expected y, a finite number, but the line ends"));
  EXPECT_THAT(
      PlaneError(" 3 30", ""),
      StartsWith(line + "expected an entry of the information matrix, a "
                        "finite number, but the line ends"));
}

TEST(ParseG2o, RefusesEveryTruncationOfTheText) {
  const std::string text = kSpace;
  // A cut within the last number may leave a number.
  for (size_t length = 0; length < text.size() - 3; ++length) {
    EXPECT_THAT(ParseError<PoseGraph3d>(text.substr(0, length)),
                AllOf(StartsWith("graph.g2o"), HasSubstr("expected ")))
        << length;
  }
}

TEST(ParseG2o, RefusesWhatIsNoId) {
  for (const char* id : {"-1", "1.5", "x", "2147483648", "1e3"}) {
    EXPECT_EQ(PlaneError("VERTEX_SE2 3", std::string("VERTEX_SE2 ") + id),
              "graph.g2o:5: expected the id of a pose, an integer in [0, "
              "2147483647], found \"" +
                  std::string(id) + "\"");
  }
}

TEST(ParseG2o, RefusesWhatIsNoFiniteNumber) {
  for (const char* number : {"nan", "inf", "1e999", "1,5", "0x1", "--1"}) {
    EXPECT_EQ(PlaneError("1.5", number),
              "graph.g2o:5: expected x, a finite number, found \"" +
                  std::string(number) + "\"");
  }
}

TEST(ParseG2o, RefusesFieldsAfterTheEndOfARecord) {
  EXPECT_EQ(PlaneError(".5 7", ".5 7 8"),
            "graph.g2o:5: expected the end of the line, found \"8\"");
}

TEST(ParseG2o, RefusesRecordsOfAnotherKind) {
  EXPECT_EQ(ParseError<PoseGraph2d>(kSpace),
            "graph.g2o:1: expected VERTEX_SE2 or EDGE_SE2, found "
            "\"VERTEX_SE3:QUAT\"");
  EXPECT_EQ(ParseError<PoseGraph3d>(kPlane),
            "graph.g2o:3: expected VERTEX_SE3:QUAT or EDGE_SE3:QUAT, found "
            "\"EDGE_SE2\"");
}

TEST(ParseG2o, RefusesEdgesThatTheirVerticesDoNotFit) {
  EXPECT_EQ(PlaneError("VERTEX_SE2 3", "VERTEX_SE2 4"),
            "graph.g2o:3: expected poses with a VERTEX_SE2 record, found no "
            "record of pose 3");
  EXPECT_EQ(PlaneError("EDGE_SE2 7 3", "EDGE_SE2 7 7"),
            "graph.g2o:3: expected an edge between two poses, found pose 7 "
            "twice");
  EXPECT_EQ(PlaneError("VERTEX_SE2 3", "VERTEX_SE2 7"),
            "graph.g2o:5: expected an id that no pose has yet, found 7");
}

TEST(ParseG2o, RefusesAnInformationMatrixThatIsNotPositiveDefinite) {
  EXPECT_EQ(SpaceError(" 16\n", " -16\n"),
            "graph.g2o:3: expected a positive definite information matrix, "
            "found one that has no Cholesky factor");
}

TEST(ParseG2o, RefusesAQuaternionFarFromUnitLength) {
  EXPECT_THAT(SpaceError("0.6001", "0.7"),
              StartsWith("graph.g2o:2: expected a quaternion of unit length, "
                         "found length 1.06"));
  EXPECT_THAT(SpaceError("1 0 0 0 11", "0 0 0 0 11"),
              EndsWith("found length 0.000000"));
}

TEST(ParseG2o, RefusesAFileWithoutEdges) {
  EXPECT_EQ(ParseError<PoseGraph2d>(""),
            "graph.g2o: expected at least one EDGE_SE2 record, found none");
}

TEST(ParseG2o, ShowsOnlyTheBeginningOfABinaryFile) {
  const std::string error =
      ParseError<PoseGraph3d>(std::string(100000, '\xff'));
  EXPECT_LT(error.size(), 200u);
  EXPECT_THAT(error, HasSubstr("????...\""));
}

TEST(ReadG2oFile, SaysWhichFileCannotBeRead) {
  PoseGraph2d graph;
  std::string error;
  EXPECT_FALSE(ReadG2oFile("/no/such/graph.g2o", &graph, &error));
  EXPECT_THAT(
      error, AllOf(HasSubstr("/no/such/graph.g2o"), HasSubstr("No such file")));
}

template <typename Graph>
void ExpectCounts(const char* name, size_t num_poses, size_t num_constraints) {
  const auto text =
      internal::ReadSharedData(std::string("pose_graph/") + name + ".g2o");
  if (!text.has_value()) {
    GTEST_SKIP() << "no " << name << ".g2o in " << internal::SharedDataFolder();
  }
  Graph graph;
  std::string error;
  ASSERT_TRUE(ParseG2o(*text, name, &graph, &error)) << error;
  EXPECT_EQ(graph.poses.size(), num_poses) << name;
  EXPECT_EQ(graph.constraints.size(), num_constraints) << name;
}

TEST(ParseG2o, ReadsPublishedGraphs) {
  ExpectCounts<PoseGraph2d>("MIT", 808, 827);
  ExpectCounts<PoseGraph2d>("INTEL_slambook", 1228, 1483);
  ExpectCounts<PoseGraph3d>("tinyGrid3D", 9, 11);
  ExpectCounts<PoseGraph3d>("smallGrid3D", 125, 297);
}

}  // namespace
}  // namespace ceres::examples
