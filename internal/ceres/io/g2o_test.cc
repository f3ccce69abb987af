// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/io/g2o.h"

#include <cmath>
#include <cstdint>
#include <locale>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::io {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Type = PoseGraph::EdgeType;

const char kPlane[] =
    "# a comment\n"
    "\n"
    "EDGE_SE2 7 3 1 -2e-1 +3 10 1 2 20 3 30\r\n"
    "  VERTEX_SE2\t7 0 0 0   # the first one\n"
    "VERTEX_SE2 3 1.5 .5 7\n"
    "VERTEX_XY 100 4 5\n"
    "EDGE_SE2_XY 3 100 2.5 4.5 9 1 8\n"
    "PARAMS_SE2OFFSET 0 0.1 0.2 0.3\n"
    "EDGE_SE2_XY 7 100 0 2.5 4.5 9 1 8\n"
    "EDGE_BEARING_SE2_XY 7 100 0.75 50\n"
    "BR 3 100 0.5 6 0.1 0.25\n"
    "EDGE_PRIOR_SE2 3 1 2 0.5 1 0 0 2 0 3\n"
    "EDGE_PRIOR_SE2_XY 7 1 2 4 0 5\n"
    "EDGE_PRIOR_XY 100 3 4 6 0 7\n"
    "FIX 7 100";

const char kSpace[] =
    "VERTEX_SE3:QUAT 0 1 2 3 0 0 0 1\n"
    "VERTEX_SE3:QUAT 1 4 5 6 0 0.6001 0 0.8\n"
    "VERTEX_TRACKXYZ 2 7 8 9\n"
    "EDGE_SE3:QUAT 0 1 7 8 9 1 0 0 0 "
    "11 0.1 0.2 0.3 0.4 0.5 12 0.6 0.7 0.8 0.9 13 1 1.1 1.2 14 1.3 1.4 15 1.5 "
    "16\n"
    "EDGE_SE3_TRACKXYZ 0 2 5 1 2 3 4 0.1 0.2 5 0.3 6\n"
    "PARAMS_SE3OFFSET 5 0.1 0.2 0.3 0 0 1 0\n"
    "EDGE_SE3_PRIOR 1 5 7 8 9 0 0 0 1 "
    "1 0 0 0 0 0 2 0 0 0 0 3 0 0 0 4 0 0 5 0 6\n"
    "EDGE_POINTXYZ_PRIOR 2 1 2 3 1 0 0 1 0 1\n";

// `text` with its only `from` replaced.
std::string Replaced(std::string text, const std::string& from,
                     const std::string& to) {
  const std::size_t position = text.find(from);
  EXPECT_NE(position, std::string::npos) << from;
  EXPECT_EQ(text.find(from, position + 1), std::string::npos) << from;
  return text.replace(position, from.size(), to);
}

PoseGraph Parsed(const std::string& text, bool initialize = false) {
  PoseGraph graph;
  std::string error;
  G2oOptions options;
  options.initialize_missing_vertices = initialize;
  EXPECT_TRUE(ParseG2o(text, "graph.g2o", options, &graph, &error))
      << error << "\n"
      << text;
  return graph;
}

// The message for a text that must not parse and must leave the graph alone.
std::string ParseError(const std::string& text, bool initialize = false) {
  PoseGraph graph;
  graph.vertices.resize(42);
  std::string error;
  G2oOptions options;
  options.initialize_missing_vertices = initialize;
  EXPECT_FALSE(ParseG2o(text, "graph.g2o", options, &graph, &error)) << text;
  EXPECT_EQ(graph.vertices.size(), 42u);
  EXPECT_TRUE(graph.edges.empty());
  return error;
}

TEST(ParseG2o, ReadsEveryRecordOfThePlane) {
  const PoseGraph graph = Parsed(kPlane);
  EXPECT_EQ(graph.dimension, 2);
  ASSERT_EQ(graph.vertices.size(), 3u);
  EXPECT_EQ(graph.vertices[0].id, 7u);
  EXPECT_TRUE(graph.vertices[0].is_fixed);
  EXPECT_THAT(graph.vertices[1].value, ElementsAre(1.5, 0.5, 7, 0, 0, 0, 0));
  EXPECT_FALSE(graph.vertices[1].is_fixed);
  EXPECT_TRUE(graph.vertices[2].is_landmark);
  EXPECT_TRUE(graph.vertices[2].is_fixed);
  ASSERT_EQ(graph.offsets.size(), 1u);
  EXPECT_EQ(graph.offsets[0].pose[2], 0.3);
  std::vector<Type> types;
  for (const PoseGraph::Edge& edge : graph.edges) types.push_back(edge.type);
  ASSERT_THAT(types,
              ElementsAre(Type::kRelativePose, Type::kLandmark, Type::kLandmark,
                          Type::kBearing, Type::kBearingAndRange, Type::kPose,
                          Type::kPosition, Type::kPosition));
  const PoseGraph::Edge& first = graph.edges[0];
  EXPECT_EQ(first.x, 0);
  EXPECT_EQ(first.y, 1);
  EXPECT_EQ(first.measurement[1], -0.2);
  const std::vector<double> information(first.information.begin(),
                                        first.information.begin() + 9);
  EXPECT_THAT(information, ElementsAre(10, 1, 2, 1, 20, 3, 2, 3, 30));
  EXPECT_EQ(graph.edges[1].offset, -1);
  EXPECT_EQ(graph.edges[2].offset, 0);
  EXPECT_EQ(graph.edges[2].information[1], 1.0);
  EXPECT_EQ(graph.edges[3].information[0], 50.0);
  EXPECT_NEAR(graph.edges[4].information[0], 100.0, 1e-12);
  EXPECT_EQ(graph.edges[4].information[3], 16.0);
  EXPECT_EQ(graph.edges[5].y, -1);
  EXPECT_EQ(graph.edges[7].x, 2);
}

TEST(ParseG2o, ReadsEveryRecordOfSpaceAndNormalizesQuaternions) {
  const PoseGraph graph = Parsed(kSpace);
  EXPECT_EQ(graph.dimension, 3);
  ASSERT_EQ(graph.vertices.size(), 3u);
  const double length = std::hypot(0.6001, 0.8);
  EXPECT_NEAR(graph.vertices[1].value[4], 0.6001 / length, 1e-15);
  EXPECT_NEAR(graph.vertices[1].value[6], 0.8 / length, 1e-15);
  ASSERT_EQ(graph.edges.size(), 4u);
  const auto& information = graph.edges[0].information;
  EXPECT_EQ(information[35], 16.0);
  EXPECT_EQ(information[5], 0.5);
  EXPECT_EQ(information[5 * 6], 0.5);
  EXPECT_EQ(information[1 * 6 + 2], 0.6);
  EXPECT_EQ(information[4 * 6 + 5], 1.5);
  EXPECT_EQ(graph.edges[1].type, Type::kLandmark);
  EXPECT_EQ(graph.edges[1].offset, 0);
  EXPECT_EQ(graph.edges[1].information[5], 0.3);
  EXPECT_EQ(graph.edges[2].type, Type::kPose);
  EXPECT_EQ(graph.edges[2].information[35], 6.0);
  EXPECT_EQ(graph.edges[3].type, Type::kPosition);
  EXPECT_EQ(graph.edges[3].x, 2);
}

TEST(ParseG2o, ReadsTheRecordsOfToro) {
  const PoseGraph plane = Parsed(
      "VERTEX2 0 0 0 0\nVERTEX2 1 1 0 0\nEDGE2 0 1 1 2 3 10 1 20 30 2 3\n");
  const std::vector<double> information(plane.edges[0].information.begin(),
                                        plane.edges[0].information.begin() + 9);
  EXPECT_THAT(information, ElementsAre(10, 1, 2, 1, 20, 3, 2, 3, 30));

  // R = Rz(yaw) Ry(pitch) Rx(roll): yaw turns x to y, then roll turns y to z.
  const std::string identity = " 1 0 0 0 0 0 1 0 0 0 0 1 0 0 0 1 0 0 1 0 1\n";
  const double half_pi = std::acos(0.0);
  const std::string angle = std::to_string(half_pi);
  const PoseGraph space =
      Parsed("VERTEX3 0 1 2 3 0 0 " + angle + "\nVERTEX3 1 1 2 3 " + angle +
             " 0 0\n" + "EDGE3 0 1 1 2 3 0 " + angle + " 0" + identity);
  const double root = std::sqrt(0.5);
  EXPECT_NEAR(space.vertices[0].value[5], root, 1e-6);
  EXPECT_NEAR(space.vertices[1].value[3], root, 1e-6);
  EXPECT_NEAR(space.edges[0].measurement[4], root, 1e-6);
}

TEST(ParseG2o, KeepsIdsOf64Bits) {
  // GTSAM's key of x0, nanoseconds since 1970, the largest id.
  for (const std::uint64_t id :
       {std::uint64_t{8646911284551352320u}, std::uint64_t{1645005900600844860},
        ~std::uint64_t{0}, (std::uint64_t{1} << 53) + 1}) {
    const std::string name = std::to_string(id);
    const PoseGraph graph = Parsed("FIX " + name + "\nVERTEX_SE2 " + name +
                                   " 0 0 0\nVERTEX_SE2 1 0 0 0\nEDGE_SE2 1 " +
                                   name + " 1 0 0 1 0 0 1 0 1\n");
    EXPECT_EQ(graph.vertices[0].id, id);
    EXPECT_TRUE(graph.vertices[0].is_fixed);
    EXPECT_EQ(graph.edges[0].y, 0);
    std::string text;
    std::string error;
    ASSERT_TRUE(FormatG2o(graph, &text, &error)) << error;
    EXPECT_EQ(text, graph.text);
  }
  EXPECT_THAT(ParseError("VERTEX_SE2 18446744073709551616 0 0 0\n"),
              HasSubstr("found \"18446744073709551616\""));
}

TEST(ParseG2o, TakesAnyLineEndsAndAByteOrderMark) {
  const std::string lines[] = {"VERTEX_SE2 0 0 0 0", "VERTEX_SE2 1 1 0 0 # b",
                               "", "EDGE_SE2 0 1 1 0 0 1 0 0 1 0 1"};
  for (const char* end : {"\n", "\r\n", "\r", "\n\n", "\r\n\t\r\n"}) {
    for (const char* mark : {"", "\xef\xbb\xbf"}) {
      for (const bool ends : {false, true}) {
        std::string text = mark;
        for (const std::string& line : lines) text += line + end;
        if (!ends) text.resize(text.find_last_of("1") + 1);
        const PoseGraph graph = Parsed(text);
        EXPECT_EQ(graph.vertices.size(), 2u);
        EXPECT_EQ(graph.edges.size(), 1u);
      }
    }
  }
  EXPECT_THAT(ParseError("VERTEX_SE2 0 0 0 0\r\rVERTEX_SE2 1 x 0 0\r"),
              StartsWith("graph.g2o:3: "));
}

TEST(ParseG2o, RefusesOtherEncodingsAndCompressedFilesByName) {
  const auto expect = [](const std::string& text, const char* name) {
    EXPECT_THAT(ParseError(text),
                AllOf(StartsWith("graph.g2o:1: "), HasSubstr(name)));
  };
  std::string wide;
  for (const char c : std::string("VERTEX_SE2 0 0 0 0\n")) {
    wide += c;
    wide += '\0';
  }
  expect(wide, "UTF-16");
  expect("\xff\xfe" + wide, "UTF-16");
  expect(std::string(1, '\0') + wide, "UTF-16");
  expect("\xfe\xff" + wide, "UTF-16");
  expect(std::string("\xff\xfe\0\0", 4) + wide, "UTF-32");
  expect("\x1f\x8b\x08", "gzip");
  expect("BZh91AY", "bzip2");
  expect(std::string("\xfd\x37zXZ\0", 6), "xz");
  expect("PK\x03\x04", "zip");
}

TEST(ParseG2o, NamesFileLineTagAndCountOfARecordThatIsCutShort) {
  EXPECT_EQ(ParseError(Replaced(kPlane, " 3 30\r", "\r")),
            "graph.g2o:3: expected 11 numbers, got 9, after EDGE_SE2");
  EXPECT_EQ(ParseError(Replaced(kPlane, ".5 7\n", ".5 7 8\n")),
            "graph.g2o:5: expected 4 numbers, got 5, after VERTEX_SE2");
  EXPECT_EQ(ParseError("VERTEX_SE2 0 0 0 0\nFIX # nothing\n"),
            "graph.g2o:2: expected the id of a vertex, but the line ends");
}

TEST(ParseG2o, RefusesWhatIsNoId) {
  for (const char* id : {"-1", "1.5", "x", "1e3", "+1", "0x10", "1,"}) {
    EXPECT_EQ(ParseError(Replaced(kPlane, "VERTEX_SE2 3",
                                  std::string("VERTEX_SE2 ") + id)),
              "graph.g2o:5: expected the id of a vertex, an integer in [0, "
              "2^64), found \"" +
                  std::string(id) + "\"");
  }
}

TEST(ParseG2o, RefusesWhatIsNoFiniteNumber) {
  for (const char* number :
       {"nan", "inf", "-Infinity", "1e999", "1,5", "0x1", "--1", "1D-3", "1d0",
        "1e", "1e+", ".", "+", "1_000",
        "\xc2\xa0"
        "1"}) {
    EXPECT_THAT(
        ParseError(Replaced(kPlane, "1.5 .5", number + std::string(" .5"))),
        StartsWith("graph.g2o:5: expected a number, a finite number, "
                   "found \""))
        << number;
  }
  EXPECT_EQ(
      Parsed(Replaced(kPlane, "1.5 .5", "1e-400 .5")).vertices[1].value[0],
      0.0);
}

TEST(ParseG2o, DoesNotDependOnTheLocale) {
  // A global C++ locale with a decimal comma and grouping.
  struct Comma : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };
  const std::locale previous =
      std::locale::global(std::locale(std::locale::classic(), new Comma));
  const PoseGraph graph = Parsed(Replaced(kPlane, "1.5 .5", "1234.5 1e-310"));
  std::string text;
  std::string error;
  PoseGraph copy = graph;
  copy.text.clear();
  EXPECT_TRUE(FormatG2o(copy, &text, &error)) << error;
  std::locale::global(previous);
  EXPECT_EQ(graph.vertices[1].value[0], 1234.5);
  EXPECT_EQ(graph.vertices[1].value[1], 1e-310);
  EXPECT_THAT(text, HasSubstr("VERTEX_SE2 3 1234.5 1e-310 7\n"));
}

TEST(ParseG2o, RefusesUnknownRecordsByName) {
  for (const char* tag : {"VERTEX_SE2D", "vertex_se2", "VERTEX_CAM",
                          "EDGE_SE3_OFFSET", "ODOMETRY", "PARAMS_CAMERA"}) {
    EXPECT_THAT(ParseError(Replaced(kPlane, "VERTEX_XY 100", tag)),
                AllOf(StartsWith("graph.g2o:6: "),
                      HasSubstr("found \"" + std::string(tag) + "\"")));
  }
  EXPECT_THAT(ParseError("LANDMARK 0 1 2 3 4 5 6\n"),
              HasSubstr("EDGE_SE2_XY instead"));
}

TEST(ParseG2o, RefusesAMixtureOfPlaneAndSpace) {
  EXPECT_EQ(ParseError(std::string(kPlane) + "\n" + kSpace),
            "graph.g2o:16: expected records of the plane, as in line 3, found "
            "\"VERTEX_SE3:QUAT\"");
}

TEST(ParseG2o, RefusesEdgesThatTheirVerticesDoNotFit) {
  EXPECT_THAT(
      ParseError(Replaced(kPlane, "VERTEX_SE2 3", "VERTEX_SE2 4")),
      StartsWith("graph.g2o:3: an edge names the pose 3, which the file "
                 "lacks: add its VERTEX_SE2 record"));
  EXPECT_EQ(
      ParseError(Replaced(kPlane, "EDGE_SE2 7 3", "EDGE_SE2 7 7")),
      "graph.g2o:3: expected an edge between two vertices, found 7 twice");
  EXPECT_EQ(ParseError(Replaced(kPlane, "VERTEX_SE2 3", "VERTEX_SE2 7")),
            "graph.g2o:5: the pose 7 is given twice, here and in line 4");
  EXPECT_EQ(ParseError(Replaced(kPlane, "VERTEX_XY 100", "VERTEX_XY 7")),
            "graph.g2o:6: the landmark 7 is given twice, here and in line 4");
  EXPECT_EQ(ParseError(Replaced(kPlane, "EDGE_SE2 7 3", "EDGE_SE2 7 100")),
            "graph.g2o:3: expected the id of a pose after EDGE_SE2, found the "
            "landmark 100 of line 6");
  EXPECT_EQ(ParseError(Replaced(kPlane, "FIX 7 100", "FIX 7 101")),
            "graph.g2o:15: FIX names the vertex 101, which the file lacks");
  EXPECT_EQ(ParseError(Replaced(kPlane, "OFFSET 0", "OFFSET 1")),
            "graph.g2o:9: expected an offset with a record, found none of 0 "
            "(PARAMS_SE2OFFSET)");
}

TEST(ParseG2o, RefusesInformationThatIsNotPositiveSemidefinite) {
  EXPECT_EQ(ParseError(Replaced(kSpace, " 16\n", " -16\n")),
            "graph.g2o:4: expected a positive semidefinite information matrix "
            "after EDGE_SE3:QUAT, found one with a negative eigenvalue");
  // A zero on the diagonal of a row that is not zero; negative determinant.
  for (const char* matrix : {"0 1 8", "1 3 8", "9 1 -8", "1e-20 1 1e-20"}) {
    EXPECT_THAT(ParseError(Replaced(kPlane, "3 100 2.5 4.5 9 1 8",
                                    std::string("3 100 2.5 4.5 ") + matrix)),
                StartsWith("graph.g2o:7: expected a positive semidefinite"))
        << matrix;
  }
  for (const char* matrix :
       {"0 0 0", "0 0 8", "1 1 1", "1e-20 1 1e20", "9 3 1", "9 3.00001 1"}) {
    Parsed(Replaced(kPlane, "3 100 2.5 4.5 9 1 8",
                    std::string("3 100 2.5 4.5 ") + matrix));
  }
  EXPECT_THAT(ParseError(Replaced(kPlane, "0.1 0.25", "0.1 0")),
              HasSubstr("positive standard deviation"));
}

// The information of one edge, read without the coupling of indefinite ones.
std::vector<double> InformationWithoutCoupling(const std::string& tag,
                                               int num_entries,
                                               const std::string& text) {
  G2oOptions options;
  options.drop_indefinite_couplings = true;
  PoseGraph graph;
  std::string error;
  EXPECT_TRUE(ParseG2o(text, "graph.g2o", options, &graph, &error)) << error;
  std::vector<double> information;
  if (graph.edges.empty()) return information;
  information.assign(graph.edges[0].information.begin(),
                     graph.edges[0].information.begin() + num_entries);
  // The written text can be read without the option.
  std::string written;
  EXPECT_TRUE(FormatG2o(graph, &written, &error)) << error;
  PoseGraph again;
  EXPECT_TRUE(ParseG2o(written, tag, {}, &again, &error)) << error;
  EXPECT_EQ(again.edges[0].information, graph.edges[0].information);
  return information;
}

const char kTwoPosesOfThePlane[] =
    "VERTEX_SE2 0 0 0 0\nVERTEX_SE2 1 1 0 0\nEDGE_SE2 0 1 1 0 0 ";

TEST(ParseG2o, DropsTheCouplingOfIndefiniteMatricesIfAsked) {
  const std::string plane = kTwoPosesOfThePlane;
  // Blocks 4, 1; 1, 5 and 2. The coupling 9 makes the matrix indefinite.
  EXPECT_THAT(InformationWithoutCoupling("plane", 9, plane + "4 1 9 5 0 2\n"),
              ElementsAre(4, 1, 0, 1, 5, 0, 0, 0, 2));
  // Semidefinite matrices keep their coupling.
  EXPECT_THAT(InformationWithoutCoupling("plane", 9, plane + "4 1 1 5 0 2\n"),
              ElementsAre(4, 1, 1, 1, 5, 0, 1, 0, 2));
  const std::string space =
      "VERTEX_SE3:QUAT 0 0 0 0 0 0 0 1\nVERTEX_SE3:QUAT 1 0 0 0 0 0 0 1\n"
      "EDGE_SE3:QUAT 0 1 0 0 0 0 0 0 1 "
      "4 1 0 0 0 0 5 0 0 0 0 6 80 0 0 7 2 0 8 0 9\n";
  EXPECT_THAT(InformationWithoutCoupling("space", 36, space),
              ElementsAre(4, 1, 0, 0, 0, 0, 1, 5, 0, 0, 0, 0,  //
                          0, 0, 6, 0, 0, 0, 0, 0, 0, 7, 2, 0,  //
                          0, 0, 0, 2, 8, 0, 0, 0, 0, 0, 0, 9));
}

TEST(ParseG2o, RefusesIndefiniteBlocksAndNamesTheOptionForOthers) {
  const std::string plane = kTwoPosesOfThePlane;
  EXPECT_THAT(ParseError(plane + "4 1 9 5 0 2\n"),
              HasSubstr("(G2oOptions::drop_indefinite_couplings)"));
  G2oOptions options;
  options.drop_indefinite_couplings = true;
  for (const char* matrix : {"4 9 0 5 0 2", "4 1 0 5 0 -2", "-4 1 9 5 0 2"}) {
    PoseGraph graph;
    std::string error;
    EXPECT_FALSE(ParseG2o(plane + matrix, "graph.g2o", options, &graph, &error))
        << matrix;
    EXPECT_EQ(error,
              "graph.g2o:3: expected a positive semidefinite information "
              "matrix after EDGE_SE2, found one with a negative eigenvalue");
  }
}

TEST(ParseG2o, RefusesAQuaternionOfLengthZero) {
  EXPECT_EQ(ParseError(Replaced(kSpace, "1 0 0 0 11", "0 0 0 0 11")),
            "graph.g2o:4: expected a quaternion, found one of length 0.000000");
  EXPECT_THAT(ParseError(Replaced(kSpace, "1 0 0 0 11", "1e200 0 0 0 11")),
              HasSubstr("of length inf"));
}

TEST(ParseG2o, RefusesFilesWithoutVerticesAndEdges) {
  for (const char* text :
       {"", "\n", "# nothing\n", "FIX 0\n", "\xef\xbb\xbf"}) {
    EXPECT_THAT(ParseError(text), HasSubstr("expected poses of one kind"));
  }
}

TEST(ParseG2o, ShowsOnlyTheBeginningOfABinaryFile) {
  const std::string error = ParseError(std::string(100000, '\xf7'));
  EXPECT_LT(error.size(), 200u);
  EXPECT_THAT(error, HasSubstr("????...\""));
}

TEST(ReadG2o, SaysWhichFileCannotBeRead) {
  PoseGraph graph;
  std::string error;
  EXPECT_FALSE(ReadG2o("/no/such/graph.g2o", {}, &graph, &error));
  EXPECT_THAT(error,
              AllOf(HasSubstr("/no/such/graph.g2o"), HasSubstr("No such")));
}

}  // namespace
}  // namespace ceres::io
