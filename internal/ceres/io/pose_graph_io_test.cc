// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Writing pose graphs, square roots of information matrices, and values that
// files lack.

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "Eigen/Core"
#include "ceres/io/g2o.h"
#include "ceres/io/pose_graph.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::io {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using Matrix =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

PoseGraph Parsed(const std::string& text, bool initialize = false) {
  PoseGraph graph;
  std::string error;
  G2oOptions options;
  options.initialize_missing_vertices = initialize;
  EXPECT_TRUE(ParseG2o(text, "graph.g2o", options, &graph, &error)) << error;
  return graph;
}

std::string Formatted(const PoseGraph& graph) {
  std::string text;
  std::string error;
  EXPECT_TRUE(FormatG2o(graph, &text, &error)) << error;
  return text;
}

const char kFile[] =
    "\xef\xbb\xbf# title\r\n"
    "VERTEX2 5  1.0 2.00 3e0  # start\r\n"
    "\r\n"
    "FIX 5\r\n"
    "  VERTEX_SE2 4 0.1 0.2 0.3\r\n"
    "VERTEX_XY 9 1 2\r\n"
    "EDGE_SE2 5 4 1 0 0 1.50 0 0 1 0 1\r\n"
    "EDGE_SE2_XY 5 9 1 0 2 0 2";

TEST(FormatG2o, GivesBackAFileThatNothingHasChanged) {
  EXPECT_EQ(Formatted(Parsed(kFile)), kFile);
}

TEST(FormatG2o, ReplacesTheValuesThatHaveChangedAndNothingElse) {
  PoseGraph graph = Parsed(kFile);
  graph.vertices[1].value = {1.0 / 3.0, -1e-17, 0.3};
  graph.vertices[2].value[1] = 2.5;
  std::string expected = kFile;
  expected.replace(expected.find("0.1 0.2 0.3"), 11,
                   "0.3333333333333333 -1e-17 0.3");
  expected.replace(expected.find("9 1 2\r"), 5, "9 1 2.5");
  EXPECT_EQ(Formatted(graph), expected);
  const PoseGraph again = Parsed(Formatted(graph));
  EXPECT_EQ(again.vertices[1].value, graph.vertices[1].value);
}

TEST(FormatG2o, KeepsAnglesOfToroInSpace) {
  const std::string identity = " 1 0 0 0 0 0 1 0 0 0 0 1 0 0 0 1 0 0 1 0 1\n";
  PoseGraph graph = Parsed(
      "VERTEX3 0 1 2 3 0.1 -0.2 0.3\nVERTEX3 1 0 0 0 0 0 0\nEDGE3 0 1 1 "
      "2 3 0.3 0.2 0.1" +
      identity);
  graph.vertices[0].value[0] = 7.0;
  const PoseGraph again = Parsed(Formatted(graph));
  EXPECT_THAT(Formatted(graph), HasSubstr("VERTEX3 0 7 2 3 0."));
  for (int k = 0; k < 7; ++k) {
    EXPECT_NEAR(again.vertices[0].value[k], graph.vertices[0].value[k], 1e-14);
  }
  // Looking straight up: yaw and roll are one angle.
  const double root = std::sqrt(0.5);
  graph.vertices[0].value = {7, 2, 3, 0.5, -0.5, 0.5, 0.5};
  const PoseGraph up = Parsed(Formatted(graph));
  const Eigen::Map<const Eigen::Vector4d> q(up.vertices[0].value.data() + 3);
  EXPECT_NEAR(std::abs(q.dot(Eigen::Vector4d(0.5, -0.5, 0.5, 0.5))), 1.0, 1e-9);
  graph.vertices[0].value = {7, 2, 3, 0, -root, 0, root};
  const PoseGraph pitched = Parsed(Formatted(graph));
  EXPECT_NEAR(std::abs(pitched.vertices[0].value[4]), root, 1e-9);
}

TEST(FormatG2o, WritesEverythingAnewIfMoreThanValuesHaveChanged) {
  for (int change = 0; change < 4; ++change) {
    PoseGraph graph = Parsed(kFile);
    if (change == 0) graph.vertices[1].is_fixed = true;
    if (change == 1) graph.edges.pop_back();
    if (change == 2) graph.edges[0].measurement[0] = 1.25;
    if (change == 3) graph.text.clear();
    const PoseGraph again = Parsed(Formatted(graph));
    ASSERT_EQ(again.vertices.size(), graph.vertices.size());
    for (std::size_t i = 0; i < graph.vertices.size(); ++i) {
      EXPECT_EQ(again.vertices[i].id, graph.vertices[i].id);
      EXPECT_EQ(again.vertices[i].value, graph.vertices[i].value);
      EXPECT_EQ(again.vertices[i].is_fixed, graph.vertices[i].is_fixed);
    }
    ASSERT_EQ(again.edges.size(), graph.edges.size());
    for (std::size_t i = 0; i < graph.edges.size(); ++i) {
      EXPECT_EQ(again.edges[i].measurement, graph.edges[i].measurement);
      EXPECT_EQ(again.edges[i].information, graph.edges[i].information);
    }
  }
}

TEST(FormatG2o, RefusesGraphsThatAreNone) {
  const auto expect_error = [](PoseGraph graph, const char* message) {
    std::string text;
    std::string error;
    EXPECT_FALSE(FormatG2o(graph, &text, &error));
    EXPECT_THAT(error, HasSubstr(message));
  };
  PoseGraph graph = Parsed(kFile);
  graph.vertices[1].value[0] = std::nan("");
  expect_error(graph, "the pose 4 has a value that is not finite");
  graph = Parsed(kFile);
  graph.vertices[1].id = 5;
  expect_error(graph, "the pose 5 is given twice");
  graph = Parsed(kFile);
  graph.edges[0].y = 3;
  expect_error(graph, "the edge 0 has an index out of range");
  graph = Parsed(kFile);
  graph.edges[1].information[0] = HUGE_VAL;
  expect_error(graph, "the edge 1 has a number that is not finite");
}

TEST(WriteG2o, LeavesTheOldFileIfItCannotWrite) {
  const fs::path folder = fs::temp_directory_path() / "pose_graph_io_test";
  fs::remove_all(folder);
  fs::create_directory(folder);
  const std::string path = (folder / "graph.g2o").string();
  PoseGraph graph = Parsed(kFile);
  std::string error;
  ASSERT_TRUE(WriteG2o(graph, path, &error)) << error;
  graph.vertices[1].value[0] = std::nan("");
  EXPECT_FALSE(WriteG2o(graph, path, &error));
  EXPECT_THAT(error, HasSubstr(path));
  std::ifstream file(path, std::ios::binary);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), kFile);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 1);
  EXPECT_FALSE(WriteG2o(Parsed(kFile), (folder / "no" / "g").string(), &error));
  if (fs::exists("/dev/full")) {
    EXPECT_FALSE(WriteG2o(Parsed(kFile), "/dev/full", &error));
    EXPECT_THAT(error, HasSubstr("/dev/full"));
  }
  fs::remove_all(folder);
}

TEST(SquareRootInformation, IsTriangularAndHasTheProduct) {
  for (int n = 1; n <= 6; ++n) {
    for (int rank = 0; rank <= n; ++rank) {
      // Columns of very different units.
      Matrix B = Matrix::Zero(rank, n);
      for (int i = 0; i < rank; ++i) {
        for (int j = 0; j < n; ++j) {
          B(i, j) = std::sin(1.0 + 3.0 * i + 7.0 * j + i * j) *
                    std::pow(10.0, 3 * j - 6);
        }
      }
      const Matrix A = B.transpose() * B;
      Matrix W(n, n);
      ASSERT_TRUE(SquareRootInformation(A.data(), n, W.data()))
          << n << " " << rank;
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < i; ++j) EXPECT_EQ(W(i, j), 0.0);
      }
      const Matrix product = W.transpose() * W;
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
          const double size = std::sqrt(A(i, i) * A(j, j));
          EXPECT_NEAR(product(i, j), A(i, j), 2e-4 * size) << n << " " << rank;
        }
      }
    }
  }
}

TEST(SquareRootInformation, RefusesOtherMatrices) {
  Matrix W(2, 2);
  for (const auto& [a, b, c] : {std::tuple{1.0, 2.0, 1.0},
                                {-1.0, 0.0, 1.0},
                                {0.0, 1.0, 0.0},
                                {std::nan(""), 0.0, 1.0},
                                {1.0, 0.0, HUGE_VAL},
                                {1e-9, 1e-8, 1e-9}}) {
    const double matrix[4] = {a, b, b, c};
    EXPECT_FALSE(SquareRootInformation(matrix, 2, W.data()))
        << a << " " << b << " " << c;
  }
}

TEST(InitializeVertices, FollowsEdgesInTheOrderOfTheFile) {
  // A unit square; the loop closure from 3 to 0 comes last and is wrong.
  const std::string edge = " 1 0 1.5707963267948966 1 0 0 1 0 1\n";
  const PoseGraph graph =
      Parsed("EDGE_SE2 0 1" + edge + "EDGE_SE2 1 2" + edge + "EDGE_SE2 2 3" +
                 edge + "EDGE_SE2 3 0 9 9 9 1 0 0 1 0 1\n" +
                 "EDGE_SE2_XY 1 50 2 1 1 0 1\nBR 2 51 0 3 1 1\n",
             /*initialize=*/true);
  ASSERT_EQ(graph.vertices.size(), 6u);
  const auto expect_near = [&](int i, double x, double y) {
    EXPECT_NEAR(graph.vertices[i].value[0], x, 1e-12) << i;
    EXPECT_NEAR(graph.vertices[i].value[1], y, 1e-12) << i;
  };
  expect_near(0, 0, 0);
  expect_near(1, 1, 0);
  expect_near(2, 1, 1);
  expect_near(3, 0, 1);
  EXPECT_EQ(graph.vertices[4].id, 50u);
  expect_near(4, 0, 2);
  expect_near(5, -2, 1);
}

TEST(InitializeVertices, StartsAtValuesOfTheFileAndAtPriors) {
  const std::string one = " 1 0 0 1 0 1\n";
  const PoseGraph graph =
      Parsed("EDGE_SE2 3 2 1 0 0" + one + "EDGE_SE2 2 1 1 0 0" + one +
                 "VERTEX_SE2 1 10 20 0\nEDGE_SE2 7 8 1 0 0" + one +
                 "EDGE_PRIOR_SE2 8 5 6 0" + one + "EDGE_SE2 30 31 1 0 0" + one,
             /*initialize=*/true);
  const auto value = [&](std::uint64_t id) {
    for (const auto& vertex : graph.vertices) {
      if (vertex.id == id) return vertex.value[0];
    }
    return -1.0;
  };
  EXPECT_EQ(value(1), 10.0);
  EXPECT_EQ(value(2), 9.0);
  EXPECT_EQ(value(3), 8.0);
  EXPECT_EQ(value(8), 5.0);
  EXPECT_EQ(value(7), 4.0);
  EXPECT_EQ(value(30), 0.0);
  EXPECT_EQ(value(31), 1.0);
}

TEST(InitializeVertices, GivesBackAFileWithItsVertices) {
  const std::string text =
      "EDGE_SE3:QUAT 0 1 1 2 3 0 0 1 0 1 0 0 0 0 0 1 0 0 0 0 1 0 0 0 1 0 0 1 0 "
      "1";
  const PoseGraph graph = Parsed(text, /*initialize=*/true);
  const std::string written = Formatted(graph);
  EXPECT_EQ(written, text +
                         "\nVERTEX_SE3:QUAT 0 0 0 0 0 0 0 1\n"
                         "VERTEX_SE3:QUAT 1 1 2 3 0 0 1 0\n");
  EXPECT_EQ(Parsed(written).vertices[1].value, graph.vertices[1].value);
}

TEST(InitializeVertices, NamesALandmarkThatOnlyBearingsSee) {
  PoseGraph graph;
  std::string error;
  G2oOptions options;
  options.initialize_missing_vertices = true;
  EXPECT_FALSE(ParseG2o("VERTEX_SE2 0 0 0 0\nEDGE_BEARING_SE2_XY 0 5 1 1\n",
                        "graph.g2o", options, &graph, &error));
  EXPECT_THAT(error, HasSubstr("no edge determines the landmark 5"));
}

}  // namespace
}  // namespace ceres::io
