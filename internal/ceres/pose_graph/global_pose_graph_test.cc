// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// The functions of ceres/pose_graph.h on planted graphs: random ones with noise
// up to where the relaxation is tight, and rings with a known wrong minimum.

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "ceres/pose_graph.h"
#include "ceres/pose_graph/chordal_graph.h"
#include "ceres/pose_graph/pose_graph_test_utils.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Statement = PoseGraphStatement;

PoseGraphOptions QuietOptions() {
  PoseGraphOptions options;
  options.solver.logging_type = SILENT;
  options.solver.max_num_iterations = 100;
  return options;
}

double ChordalCost(const io::PoseGraph& graph) {
  ChordalGraph chordal;
  std::string error;
  EXPECT_TRUE(chordal.Create(graph, &error)) << error;
  return chordal.Cost(chordal.ReadPoses(graph));
}

io::PoseGraph WithPoses(io::PoseGraph graph,
                        const std::vector<io::PoseGraph::Values>& poses) {
  for (std::size_t i = 0; i < poses.size(); ++i) {
    graph.vertices[i].value = poses[i];
  }
  return graph;
}

TEST(SolvePoseGraphGlobally, CertifiesRandomGraphs) {
  std::mt19937 random(1);
  int num_certified = 0;
  for (int trial = 0; trial < 300; ++trial) {
    RandomGraphOptions graph_options;
    graph_options.dimension = 2 + trial % 2;
    graph_options.num_poses = 10 + trial % 40;
    graph_options.num_loops = graph_options.num_poses;
    graph_options.rotation_noise = 0.001 * std::pow(60.0, (trial % 7) / 6.0);
    graph_options.position_noise = 0.01 * std::pow(30.0, (trial % 5) / 4.0);
    const io::PoseGraph truth = MakeRandomGraph(graph_options, &random);
    io::PoseGraph graph = truth;
    PoseGraphSummary summary;
    SolvePoseGraphGlobally(QuietOptions(), &graph, &summary);
    ASSERT_EQ(summary.termination_type, CONVERGENCE) << summary.message;
    const PoseGraphCertificate& certificate = summary.certificate;
    EXPECT_LE(certificate.gap, 1e-8 * certificate.cost);
    // The truth is a point like any other.
    EXPECT_GE(ChordalCost(truth), certificate.lower_bound);
    EXPECT_NEAR(ChordalCost(WithPoses(graph, summary.chordal_poses)),
                certificate.cost, 1e-9 * certificate.cost);
    num_certified += certificate.statement == Statement::kCertified ? 1 : 0;
  }
  EXPECT_EQ(num_certified, 300);
}

// With precise positions and imprecise rotations the relaxation has minima of a
// higher rank only. The bound is theirs, and the gap remains.
TEST(SolvePoseGraphGlobally, ReportsTheGapOfALooseRelaxation) {
  std::mt19937 random(20);
  int num_loose = 0;
  for (int trial = 0; trial < 30; ++trial) {
    RandomGraphOptions graph_options;
    graph_options.dimension = 2 + trial % 2;
    graph_options.rotation_noise = 0.4;
    graph_options.position_noise = 0.01;
    io::PoseGraph graph = MakeRandomGraph(graph_options, &random);
    PoseGraphSummary summary;
    SolvePoseGraphGlobally(QuietOptions(), &graph, &summary);
    const PoseGraphCertificate& certificate = summary.certificate;
    ASSERT_TRUE(summary.IsSolutionUsable()) << summary.message;
    if (certificate.statement == Statement::kCertified) continue;
    ++num_loose;
    EXPECT_EQ(certificate.statement, Statement::kNegativeCurvature);
    EXPECT_GT(certificate.gap, 1e-8 * certificate.cost);
    EXPECT_LT(certificate.gap, 0.5 * certificate.cost);
    double least = certificate.cost;
    for (const auto& step : summary.steps) least = std::min(least, step.cost);
    EXPECT_LE(certificate.lower_bound, least);
    EXPECT_GE(certificate.lower_bound, least * (1 - 1e-6));
    // The staircase ended with a certificate, and not at its largest rank.
    EXPECT_THAT(certificate.message, HasSubstr("no higher rank"));
    PoseGraphOptions low = QuietOptions();
    low.max_rank = graph_options.dimension;
    SolvePoseGraphGlobally(low, &graph, &summary);
    EXPECT_THAT(summary.certificate.message, Not(HasSubstr("no higher rank")));
  }
  EXPECT_GT(num_loose, 10);
}

TEST(SolvePoseGraphGlobally, LeavesTheWrongMinimumOfARing) {
  std::mt19937 random(2);
  for (int trial = 0; trial < 100; ++trial) {
    const int dimension = 2 + trial % 2;
    const int num_poses = 12 + trial % 30;
    const int turns = trial % 4 < 2 ? 1 : -1;
    const io::PoseGraph turned = MakeTurnedRing(
        dimension, num_poses, turns, 0.01 * (1 + trial % 5), &random);
    PoseGraphOptions options = QuietOptions();
    options.start = PoseGraphStart::kCurrentValues;
    const PoseGraphCertificate wrong = CertifyPoseGraph(options, turned);
    EXPECT_EQ(wrong.statement, Statement::kNegativeCurvature) << wrong.message;
    EXPECT_LT(wrong.direction_curvature, 0.0);
    io::PoseGraph graph = turned;
    PoseGraphSummary summary;
    SolvePoseGraphGlobally(options, &graph, &summary);
    EXPECT_EQ(summary.certificate.statement, Statement::kCertified)
        << "dimension " << dimension << ", " << num_poses
        << " poses: " << summary.certificate.message;
    EXPECT_GT(summary.steps.size(), 1u);
    EXPECT_LT(summary.certificate.cost, 0.1 * wrong.stationary_cost);
    EXPECT_LE(wrong.lower_bound, summary.certificate.cost * (1 + 1e-9));
  }
}

// A lower bound is one of all points: no certificate, of whatever point, has
// one above the minimum.
TEST(CertifyPoseGraph, NeverClaimsMoreThanTheMinimum) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 60; ++trial) {
    RandomGraphOptions graph_options;
    graph_options.dimension = 2 + trial % 2;
    graph_options.num_poses = 15;
    graph_options.num_loops = 5 + trial % 20;
    graph_options.rotation_noise = 0.2 + 0.05 * (trial % 10);
    io::PoseGraph graph = MakeRandomGraph(graph_options, &random);
    PoseGraphSummary summary;
    SolvePoseGraphGlobally(QuietOptions(), &graph, &summary);
    graph = WithPoses(graph, summary.chordal_poses);
    const double best = summary.certificate.cost;
    EXPECT_LE(summary.certificate.lower_bound, best);
    PoseGraphOptions options = QuietOptions();
    for (const double noise : {1e-9, 1e-6, 1e-4, 1e-2, 0.3, 3.0}) {
      io::PoseGraph moved = graph;
      PerturbPoses(noise, noise, &random, &moved);
      for (const int num_iterations : {-1, 0, 2, 200}) {
        options.refine = num_iterations >= 0;
        options.max_num_iterations = std::max(0, num_iterations);
        const PoseGraphCertificate certificate =
            CertifyPoseGraph(options, moved);
        EXPECT_LE(certificate.lower_bound, best * (1 + 1e-12));
        EXPECT_GE(certificate.cost, best * (1 - 1e-12));
        if (certificate.statement == Statement::kCertified) {
          EXPECT_LE(certificate.cost, best * (1 + 1.1e-8)) << noise;
        }
        if (certificate.statement == Statement::kNextToCertified) {
          EXPECT_LE(certificate.stationary_cost, best * (1 + 1.1e-8)) << noise;
        }
      }
    }
  }
}

// Weights of 1e12 beside those of 1e4 must not hide a wrong minimum.
TEST(CertifyPoseGraph, SeesAWrongMinimumBesideRigidEdges) {
  std::mt19937 random(21);
  for (const int dimension : {2, 3}) {
    for (const int turns : {0, 1}) {
      io::PoseGraph graph = MakeTurnedRing(dimension, 20, turns, 0.01, &random);
      for (int i = 0; i < 20; ++i) {
        io::PoseGraph::Vertex vertex = graph.vertices[i];
        vertex.id = 20 + i;
        graph.vertices.push_back(vertex);
        const io::PoseGraph::Values identity =
            FromPoseMatrix(PoseMatrix::Identity(dimension + 1, dimension + 1));
        graph.edges.push_back(
            MakeEdge(dimension, i, 20 + i, identity, 1e-6, 1e-6));
      }
      const PoseGraphCertificate certificate =
          CertifyPoseGraph(QuietOptions(), graph);
      io::PoseGraph best = graph;
      PoseGraphSummary summary;
      SolvePoseGraphGlobally(QuietOptions(), &best, &summary);
      EXPECT_LE(certificate.lower_bound, summary.certificate.cost * (1 + 1e-9));
      if (turns == 1) {
        EXPECT_NE(certificate.statement, Statement::kCertified);
        EXPECT_NE(certificate.statement, Statement::kNextToCertified);
      }
    }
  }
}

TEST(CertifyPoseGraph, StatesTheSameInAnyUnit) {
  std::mt19937 random(4);
  for (const int dimension : {2, 3}) {
    RandomGraphOptions graph_options;
    graph_options.dimension = dimension;
    io::PoseGraph right = MakeRandomGraph(graph_options, &random);
    const io::PoseGraph wrong = MakeTurnedRing(dimension, 20, 1, 0.02, &random);
    for (const io::PoseGraph& original : {right, wrong}) {
      const PoseGraphCertificate expected =
          CertifyPoseGraph(QuietOptions(), original);
      for (const double unit : {1e-6, 1e-3, 1e3, 1e6}) {
        io::PoseGraph graph = original;
        for (auto& vertex : graph.vertices) {
          for (int k = 0; k < dimension; ++k) vertex.value[k] *= unit;
        }
        for (auto& edge : graph.edges) {
          const int size = dimension == 2 ? 3 : 6;
          for (int k = 0; k < dimension; ++k) {
            edge.measurement[k] *= unit;
            edge.information[k * size + k] /= unit * unit;
          }
        }
        const PoseGraphCertificate certificate =
            CertifyPoseGraph(QuietOptions(), graph);
        EXPECT_EQ(certificate.statement, expected.statement) << unit;
        EXPECT_NEAR(certificate.cost, expected.cost, 1e-9 * expected.cost);
        EXPECT_NEAR(certificate.stationary_cost, expected.stationary_cost,
                    1e-9 * expected.stationary_cost);
        EXPECT_NEAR(certificate.direction_curvature,
                    expected.direction_curvature,
                    0.05 * std::abs(expected.direction_curvature));
      }
    }
  }
}

TEST(CertifyPoseGraph, CertifiesMeasurementsWithoutNoise) {
  std::mt19937 random(5);
  for (const int dimension : {2, 3}) {
    RandomGraphOptions graph_options;
    graph_options.dimension = dimension;
    graph_options.rotation_noise = 0.0;
    graph_options.position_noise = 0.0;
    const io::PoseGraph truth = MakeRandomGraph(graph_options, &random);
    const PoseGraphCertificate certificate =
        CertifyPoseGraph(QuietOptions(), truth);
    EXPECT_EQ(certificate.statement, Statement::kCertified)
        << certificate.message;
    io::PoseGraph graph = truth;
    PerturbPoses(1.0, 1.0, &random, &graph);
    PoseGraphSummary summary;
    SolvePoseGraphGlobally(QuietOptions(), &graph, &summary);
    EXPECT_EQ(summary.certificate.statement, Statement::kCertified)
        << summary.certificate.message;
    EXPECT_THAT(
        ValuesOf(graph),
        ::testing::Pointwise(::testing::DoubleNear(1e-6), ValuesOf(truth)));
  }
}

TEST(CertifyPoseGraph, BoundsTheGeodesicCost) {
  std::mt19937 random(6);
  for (int trial = 0; trial < 20; ++trial) {
    RandomGraphOptions graph_options;
    graph_options.dimension = 2 + trial % 2;
    io::PoseGraph graph = MakeRandomGraph(graph_options, &random);
    for (io::PoseGraph::Edge& edge : graph.edges) {
      const int size = graph.ErrorSize(edge);
      for (int k = 0; k < size; ++k) {
        edge.information[k * size + k] *= 1.0 + 2.0 * ((trial + k) % 3);
      }
    }
    PoseGraphSummary summary;
    SolvePoseGraphGlobally(QuietOptions(), &graph, &summary);
    EXPECT_TRUE(summary.certificate.is_anisotropic);
    EXPECT_GT(summary.certificate.geodesic_lower_bound, 0.0);
    EXPECT_LE(summary.certificate.geodesic_lower_bound,
              summary.geodesic.final_cost);
  }
}

TEST(InitializePoseGraph, FindsExactPosesFromNothing) {
  std::mt19937 random(7);
  for (const int dimension : {2, 3}) {
    RandomGraphOptions graph_options;
    graph_options.dimension = dimension;
    graph_options.rotation_noise = 0.0;
    graph_options.position_noise = 0.0;
    const io::PoseGraph truth = MakeRandomGraph(graph_options, &random);
    for (const PoseGraphStart start :
         {PoseGraphStart::kChordal, PoseGraphStart::kSpanningTree,
          PoseGraphStart::kOdometry, PoseGraphStart::kIncremental,
          PoseGraphStart::kAuto}) {
      io::PoseGraph graph = truth;
      for (std::size_t i = 1; i < graph.vertices.size(); ++i) {
        graph.vertices[i].value = {};
        if (dimension == 3) graph.vertices[i].value[6] = 1.0;
      }
      PoseGraphOptions options = QuietOptions();
      options.start = start;
      const PoseGraphInitialization result =
          InitializePoseGraph(options, &graph);
      ASSERT_EQ(result.termination_type, CONVERGENCE) << result.message;
      for (std::size_t i = 0; i < graph.vertices.size(); ++i) {
        const PoseMatrix difference =
            ToPoseMatrix(dimension, graph.vertices[i].value) -
            ToPoseMatrix(dimension, truth.vertices[i].value);
        EXPECT_LT(difference.norm(), 1e-6)
            << PoseGraphStartToString(start) << " pose " << i;
      }
      const bool is_auto = start == PoseGraphStart::kAuto;
      EXPECT_EQ(result.trials.size(), is_auto ? 4u : 1u);
      EXPECT_EQ(result.num_parts, 1);
    }
  }
}

TEST(InitializePoseGraph, TakesTheBestOfTheStarts) {
  std::mt19937 random(8);
  RandomGraphOptions graph_options;
  graph_options.rotation_noise = 0.3;
  io::PoseGraph graph = MakeRandomGraph(graph_options, &random);
  PoseGraphOptions options = QuietOptions();
  options.start = PoseGraphStart::kAuto;
  const PoseGraphInitialization result = InitializePoseGraph(options, &graph);
  for (const PoseGraphInitialization::Trial& trial : result.trials) {
    EXPECT_LE(result.cost, trial.final_cost);
    EXPECT_LE(trial.final_cost, trial.initial_cost);
  }
  EXPECT_NEAR(ChordalCost(graph), result.cost, 1e-9 * result.cost);
}

// Each part is a graph of its own.
TEST(SolvePoseGraphGlobally, SolvesDisconnectedGraphs) {
  std::mt19937 random(9);
  for (const int dimension : {2, 3}) {
    io::PoseGraph turned = MakeTurnedRing(dimension, 20, 1, 0.02, &random);
    RandomGraphOptions graph_options;
    graph_options.dimension = dimension;
    const io::PoseGraph other = MakeRandomGraph(graph_options, &random);
    double sum = 0.0;
    PoseGraphOptions options = QuietOptions();
    options.start = PoseGraphStart::kCurrentValues;
    for (io::PoseGraph graph : {turned, other}) {
      PoseGraphSummary summary;
      SolvePoseGraphGlobally(options, &graph, &summary);
      sum += summary.certificate.cost;
    }
    io::PoseGraph both = turned;
    const int offset = static_cast<int>(turned.vertices.size());
    for (io::PoseGraph::Vertex vertex : other.vertices) {
      vertex.id += offset;
      both.vertices.push_back(vertex);
    }
    for (io::PoseGraph::Edge edge : other.edges) {
      edge.x += offset;
      edge.y += offset;
      both.edges.push_back(edge);
    }
    // And a pose without edges, far away.
    io::PoseGraph::Vertex lonely = both.vertices[0];
    lonely.id = 1000;
    lonely.value[0] = 1e5;
    both.vertices.push_back(lonely);
    PoseGraphSummary summary;
    SolvePoseGraphGlobally(options, &both, &summary);
    EXPECT_EQ(summary.initialization.num_parts, 3);
    EXPECT_EQ(summary.certificate.statement, Statement::kCertified)
        << summary.certificate.message;
    EXPECT_NEAR(summary.certificate.cost, sum, 1e-7 * sum);
    EXPECT_EQ(both.vertices.back().value, lonely.value);
    EXPECT_EQ(both.vertices[offset].value, other.vertices[0].value);
  }
}

TEST(SolvePoseGraphGlobally, SolvesGraphsOfFewPoses) {
  for (const int dimension : {2, 3}) {
    io::PoseGraph graph;
    graph.dimension = dimension;
    for (int num_poses = 0; num_poses < 3; ++num_poses) {
      PoseGraphSummary summary;
      SolvePoseGraphGlobally(QuietOptions(), &graph, &summary);
      EXPECT_TRUE(summary.IsSolutionUsable()) << summary.message;
      EXPECT_EQ(summary.certificate.statement, Statement::kCertified)
          << summary.certificate.message;
      EXPECT_EQ(summary.initialization.num_parts, num_poses);
      io::PoseGraph::Vertex vertex;
      vertex.id = num_poses;
      vertex.value = {1.0, 2.0, 0.5};
      if (dimension == 3) vertex.value = {1.0, 2.0, 0.5, 0.5, 0.5, 0.5, 0.5};
      graph.vertices.push_back(vertex);
    }
  }
}

TEST(SolvePoseGraphGlobally, CountsEdgesBetweenTheSamePoses) {
  std::mt19937 random(10);
  RandomGraphOptions graph_options;
  io::PoseGraph once = MakeRandomGraph(graph_options, &random);
  io::PoseGraph twice = once;
  for (const io::PoseGraph::Edge& edge : once.edges) {
    // One more edge measures the position, and one the rotation, from the other
    // side.
    io::PoseGraph::Edge position = edge;
    for (int k = 3; k < 6; ++k) position.information[7 * k] = 0.0;
    twice.edges.push_back(position);
    io::PoseGraph::Edge rotation = edge;
    std::swap(rotation.x, rotation.y);
    rotation.measurement =
        FromPoseMatrix(InversePose(ToPoseMatrix(3, edge.measurement)));
    for (int k = 0; k < 3; ++k) rotation.information[7 * k] = 0.0;
    twice.edges.push_back(rotation);
  }
  PoseGraphSummary first, second;
  SolvePoseGraphGlobally(QuietOptions(), &once, &first);
  SolvePoseGraphGlobally(QuietOptions(), &twice, &second);
  EXPECT_EQ(second.certificate.statement, Statement::kCertified)
      << second.message;
  EXPECT_NEAR(second.certificate.cost, 2.0 * first.certificate.cost,
              1e-8 * first.certificate.cost);
}

TEST(SolvePoseGraphGlobally, KeepsTheFixedPose) {
  std::mt19937 random(11);
  RandomGraphOptions graph_options;
  io::PoseGraph graph = MakeRandomGraph(graph_options, &random);
  const double cost = [&] {
    io::PoseGraph copy = graph;
    PoseGraphSummary summary;
    SolvePoseGraphGlobally(QuietOptions(), &copy, &summary);
    return summary.certificate.cost;
  }();
  graph.vertices[7].is_fixed = true;
  graph.vertices[7].value[0] = 1e4;
  const io::PoseGraph::Values kept = graph.vertices[7].value;
  PoseGraphSummary summary;
  SolvePoseGraphGlobally(QuietOptions(), &graph, &summary);
  EXPECT_EQ(summary.certificate.statement, Statement::kCertified);
  EXPECT_EQ(graph.vertices[7].value, kept);
  EXPECT_NEAR(summary.certificate.cost, cost, 1e-9 * cost);
}

// Calls all functions, which must refuse the graph and leave it as it is.
void ExpectRefused(const io::PoseGraph& refused, const std::string& why,
                   const PoseGraphOptions& options = QuietOptions()) {
  io::PoseGraph graph = refused;
  const PoseGraphInitialization start = InitializePoseGraph(options, &graph);
  EXPECT_EQ(start.termination_type, FAILURE);
  EXPECT_THAT(start.message, HasSubstr(why));
  const PoseGraphCertificate certificate = CertifyPoseGraph(options, graph);
  EXPECT_EQ(certificate.statement, Statement::kFailure);
  EXPECT_THAT(certificate.BriefReport(), HasSubstr(why));
  PoseGraphSummary summary;
  SolvePoseGraphGlobally(options, &graph, &summary);
  EXPECT_EQ(summary.termination_type, FAILURE);
  EXPECT_THAT(summary.message, HasSubstr(why));
  EXPECT_FALSE(summary.IsSolutionUsable());
  for (std::size_t i = 0; i < graph.vertices.size(); ++i) {
    for (int k = 0; k < 7; ++k) {
      const double a = graph.vertices[i].value[k];
      const double b = refused.vertices[i].value[k];
      EXPECT_TRUE(a == b || (std::isnan(a) && std::isnan(b)));
    }
  }
}

TEST(PoseGraph, RefusesWhatItCannotCertify) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  std::mt19937 random(12);
  for (const int dimension : {2, 3}) {
    RandomGraphOptions graph_options;
    graph_options.dimension = dimension;
    const io::PoseGraph graph = MakeRandomGraph(graph_options, &random);
    const auto changed = [&](const auto& change) {
      io::PoseGraph result = graph;
      change(&result);
      return result;
    };
    using Graph = io::PoseGraph;
    ExpectRefused(changed([](Graph* g) { g->edges[3].y = g->edges[3].x; }),
                  "Edge 3, between the vertices 3 and 3, connects a vertex "
                  "with itself");
    ExpectRefused(changed([](Graph* g) { g->edges[4].y = 77; }), "Edge 4 has");
    ExpectRefused(changed([](Graph* g) { g->edges[4].x = -1; }), "Edge 4 has");
    ExpectRefused(changed([](Graph* g) { g->edges[5].measurement[1] = kNaN; }),
                  "Edge 5, between the vertices 5 and 6, has a measurement");
    ExpectRefused(changed([](Graph* g) { g->edges[5].information[0] = -1.0; }),
                  "Edge 5, between the vertices 5 and 6, has an information");
    ExpectRefused(changed([](Graph* g) { g->edges[5].information[1] = kNaN; }),
                  "Edge 5, between the vertices 5 and 6, has an information");
    ExpectRefused(changed([](Graph* g) { g->vertices[2].value[0] = kNaN; }),
                  "vertex 2 is not a pose");
    ExpectRefused(changed([](Graph* g) { g->vertices[2].is_landmark = true; }),
                  "Vertex 2 is a landmark");
    ExpectRefused(
        changed([](Graph* g) { g->edges[1].type = Graph::EdgeType::kPose; }),
        "Edge 1, between the vertices 1 and 2, is not a relative");
    ExpectRefused(changed([](Graph* g) {
                    g->vertices[2].is_fixed = g->vertices[9].is_fixed = true;
                  }),
                  "The vertices 2 and 9 are fixed and connected");
    ExpectRefused(changed([](Graph* g) { g->dimension = 4; }), "dimension");
    PoseGraphOptions options = QuietOptions();
    options.relative_gap = 0.0;
    ExpectRefused(graph, "PoseGraphOptions::relative_gap = 0", options);
    options = QuietOptions();
    options.max_rank = 1;
    ExpectRefused(graph, "PoseGraphOptions::max_rank = 1", options);
    options = QuietOptions();
    options.solver.num_threads = 0;
    ExpectRefused(graph, "num_threads", options);
    options = QuietOptions();
    options.solver.linear_solver_ordering =
        std::make_shared<ParameterBlockOrdering>();
    ExpectRefused(graph, "linear_solver_ordering", options);
  }
}

TEST(SolvePoseGraphGlobally, HasTheSameBitsForAllThreads) {
  std::mt19937 random(13);
  for (const int dimension : {2, 3}) {
    io::PoseGraph turned = MakeTurnedRing(dimension, 60, 1, 0.02, &random);
    RandomGraphOptions graph_options;
    graph_options.dimension = dimension;
    graph_options.num_poses = 200;
    graph_options.num_loops = 200;
    const io::PoseGraph large = MakeRandomGraph(graph_options, &random);
    for (const io::PoseGraph& original : {turned, large}) {
      std::vector<double> expected;
      for (const int num_threads : {1, 2, 3, 4, 8}) {
        io::PoseGraph graph = original;
        PoseGraphOptions options = QuietOptions();
        options.start = PoseGraphStart::kCurrentValues;
        options.solver.num_threads = num_threads;
        PoseGraphSummary summary;
        SolvePoseGraphGlobally(options, &graph, &summary);
        std::vector<double> values = ValuesOf(graph);
        values.push_back(summary.certificate.cost);
        values.push_back(summary.certificate.lower_bound);
        values.push_back(summary.certificate.min_eigenvalue_bound);
        if (num_threads == 1) expected = values;
        EXPECT_EQ(values, expected) << num_threads << " threads";
      }
    }
  }
}

TEST(SolvePoseGraphGlobally, ReportsProgressAfterTheStartAndEachStep) {
  std::mt19937 random(7);
  io::PoseGraph graph = MakeTurnedRing(2, 40, 1, 0.01, &random);
  PoseGraphOptions options = QuietOptions();
  options.start = PoseGraphStart::kCurrentValues;
  std::vector<PoseGraphSummary> seen;
  options.progress = [&seen](const PoseGraphSummary& summary) {
    seen.push_back(summary);
  };
  PoseGraphSummary summary;
  SolvePoseGraphGlobally(options, &graph, &summary);
  ASSERT_GE(summary.steps.size(), 3u);
  ASSERT_EQ(seen.size(), summary.steps.size() + 1);
  for (std::size_t k = 0; k < seen.size(); ++k) {
    EXPECT_EQ(seen[k].initialization.cost, summary.initialization.cost);
    ASSERT_EQ(seen[k].steps.size(), k);
    if (k == 0) continue;
    EXPECT_EQ(seen[k].steps.back().cost, summary.steps[k - 1].cost);
    EXPECT_EQ(seen[k].steps.back().rank, summary.steps[k - 1].rank);
  }
}

TEST(SolvePoseGraphGlobally, LeavesTheGraphIfProgressThrows) {
  std::mt19937 random(8);
  const io::PoseGraph original = MakeRandomGraph({}, &random);
  io::PoseGraph graph = original;
  PoseGraphOptions options = QuietOptions();
  options.progress = [](const PoseGraphSummary& summary) {
    if (!summary.steps.empty()) throw std::runtime_error("stop");
  };
  PoseGraphSummary summary;
  EXPECT_THROW(SolvePoseGraphGlobally(options, &graph, &summary),
               std::runtime_error);
  EXPECT_EQ(ValuesOf(graph), ValuesOf(original));
}

TEST(SolvePoseGraphGlobally, StopsWhenCancelledAndAtTheTimeLimit) {
  std::mt19937 random(14);
  RandomGraphOptions graph_options;
  const io::PoseGraph original = MakeRandomGraph(graph_options, &random);
  parallel::CancellationSource source;
  source.Cancel();
  for (const bool is_cancelled : {true, false}) {
    PoseGraphOptions options = QuietOptions();
    if (is_cancelled) {
      options.solver.cancellation_token = source.token();
    } else {
      options.solver.max_solver_time_in_seconds = 0.0;
    }
    const std::string why =
        is_cancelled ? "Cancelled by" : "max_solver_time_in_seconds = 0";
    io::PoseGraph graph = original;
    const PoseGraphInitialization start = InitializePoseGraph(options, &graph);
    EXPECT_EQ(start.termination_type, NO_CONVERGENCE);
    EXPECT_THAT(start.message, HasSubstr(why));
    const PoseGraphCertificate certificate = CertifyPoseGraph(options, graph);
    EXPECT_EQ(certificate.statement, Statement::kFailure);
    EXPECT_THAT(certificate.message, HasSubstr(why));
    PoseGraphSummary summary;
    SolvePoseGraphGlobally(options, &graph, &summary);
    EXPECT_EQ(summary.termination_type, NO_CONVERGENCE);
    EXPECT_THAT(summary.message, HasSubstr(why));
    EXPECT_EQ(ValuesOf(graph), ValuesOf(original));
  }
}

}  // namespace
}  // namespace ceres::internal
