// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Readers of files that are cut off or have other tokens: each reads a file or
// says what is wrong with it. What a reader accepts is finite, and a writer
// takes it.

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "ceres/io/bal.h"
#include "ceres/io/bundler.h"
#include "ceres/io/colmap.h"
#include "ceres/io/g2o.h"
#include "gtest/gtest.h"

namespace ceres::io {
namespace {

namespace fs = std::filesystem;

const char* const kTokens[] = {"",           "-1",
                               "0",          "1",
                               "nan",        "inf",
                               "1e999",      "1D-3",
                               "2147483648", "18446744073709551615",
                               "1e12",       "1000000000000",
                               "-0",         "x",
                               "#",          "\r",
                               "\n",         "\n\n",
                               "VERTEX_SE2", "EDGE_SE2",
                               "FIX",        "\xff\xfe",
                               "1,5",        "0x1p3",
                               "BR",         "EDGE2",
                               "VERTEX3",    "99999999999999999999999"};

// Calls the reader with every prefix of the text, with every token replaced,
// left out or doubled, and with bytes flipped.
void ForEachMutation(const std::string& text,
                     const std::function<void(const std::string&)>& read) {
  for (std::size_t length = 0; length <= text.size(); ++length) {
    read(text.substr(0, length));
    read(text.substr(length));
  }
  for (std::size_t begin = 0; begin < text.size(); ++begin) {
    if (text[begin] <= ' ' || (begin > 0 && text[begin - 1] > ' ')) continue;
    std::size_t end = begin;
    while (end < text.size() && text[end] > ' ') ++end;
    const std::string token = text.substr(begin, end - begin);
    for (const char* other : kTokens) {
      read(text.substr(0, begin) + other + text.substr(end));
    }
    read(text.substr(0, begin) + token + " " + text.substr(begin));
  }
  std::uint32_t state = 1;
  for (int i = 0; i < 2000; ++i) {
    std::string mutated = text;
    for (int k = 0; k < 1 + i % 3; ++k) {
      state = state * 1664525u + 1013904223u;
      mutated[(state >> 8) % mutated.size()] = static_cast<char>(state >> 24);
    }
    read(mutated);
  }
}

const char kPlane[] =
    "VERTEX_SE2 0 0 0 0\nVERTEX_SE2 1 1 0 0.5\nVERTEX_XY 2 1 1\nFIX 0\n"
    "EDGE_SE2 0 1 1 0 0.5 10 1 2 20 3 30\nPARAMS_SE2OFFSET 0 1 2 3\n"
    "EDGE_SE2_XY 1 2 0 1 1 4 0 4\nBR 0 2 0.7 1.4 0.1 0.1 # bearing\n"
    "EDGE_BEARING_SE2_XY 1 2 0.1 9\nEDGE_PRIOR_SE2 0 0 0 0 1 0 0 1 0 1\n";
const char kSpace[] =
    "VERTEX_SE3:QUAT 0 1 2 3 0 0 0 1\nVERTEX3 1 1 2 4 0.1 0.2 0.3\n"
    "VERTEX_TRACKXYZ 2 1 1 1\nPARAMS_SE3OFFSET 4 0 0 0 0 0 0 1\n"
    "EDGE_SE3:QUAT 0 1 0 0 1 0 0 0 1 "
    "9 0 0 0 0 0 9 0 0 0 0 9 0 0 0 9 0 0 9 0 9\n"
    "EDGE_SE3_TRACKXYZ 0 2 4 1 2 3 1 0 0 1 0 1\n";

TEST(MutatedFiles, PoseGraphsAreReadOrRefused) {
  for (const char* text : {kPlane, kSpace}) {
    for (const bool initialize : {false, true}) {
      int num_accepted = 0;
      int num_refused = 0;
      ForEachMutation(text, [&](const std::string& mutated) {
        PoseGraph graph;
        std::string error;
        G2oOptions options;
        options.initialize_missing_vertices = initialize;
        if (!ParseG2o(mutated, "graph.g2o", options, &graph, &error)) {
          EXPECT_EQ(error.compare(0, 9, "graph.g2o"), 0) << error;
          ++num_refused;
          return;
        }
        ++num_accepted;
        std::string written;
        EXPECT_TRUE(FormatG2o(graph, &written, &error)) << error << mutated;
        graph.text.clear();
        EXPECT_TRUE(FormatG2o(graph, &written, &error)) << error << mutated;
        PoseGraph again;
        EXPECT_TRUE(ParseG2o(written, "again", {}, &again, &error)) << error;
        EXPECT_EQ(again.edges.size(), graph.edges.size());
      });
      EXPECT_GT(num_accepted, 100);
      EXPECT_GT(num_refused, 1000);
    }
  }
}

TEST(MutatedFiles, BalProblemsAreReadOrRefused) {
  const std::string text =
      "2 1 2\n0 0 -1.5 2e1\n1 0 3 4\n1 2 3 4 5 6 7 8 9\n"
      "10 11 12 13 14 15 16 17 18\n.5 -0 1\n";
  int num_refused = 0;
  ForEachMutation(text, [&](const std::string& mutated) {
    BalProblem problem;
    std::string error;
    if (!ParseBal(mutated, "bal", &problem, &error)) {
      EXPECT_EQ(error.compare(0, 4, "bal:"), 0) << error;
      ++num_refused;
      return;
    }
    for (const int i : problem.camera_index) {
      EXPECT_TRUE(i >= 0 && i < problem.num_cameras());
    }
    for (const int i : problem.point_index) {
      EXPECT_TRUE(i >= 0 && i < problem.num_points());
    }
    for (const double x : problem.points) EXPECT_TRUE(std::isfinite(x));
  });
  EXPECT_GT(num_refused, 1000);
}

TEST(MutatedFiles, ScenesOfBundlerAreReadOrRefused) {
  const std::string text =
      "# Bundle file v0.3\n2 1\n500 0 0\n1 0 0\n0 1 0\n0 0 1\n0 0 0\n"
      "0 0 0\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n1 2 3\n1 2 3\n1 0 7 1.5 2.5\n";
  int num_refused = 0;
  ForEachMutation(text, [&](const std::string& mutated) {
    BundlerScene scene;
    std::string error;
    if (!ParseBundler(mutated, "out", &scene, &error)) {
      EXPECT_EQ(error.compare(0, 4, "out:"), 0) << error;
      ++num_refused;
      return;
    }
    for (const int i : scene.problem.camera_index) {
      EXPECT_TRUE(i >= 0 && i < scene.problem.num_cameras());
    }
  });
  EXPECT_GT(num_refused, 1000);
}

TEST(MutatedFiles, ModelsOfColmapAreReadOrRefused) {
  const fs::path folder = fs::temp_directory_path() / "mutated_files_test";
  fs::remove_all(folder);
  fs::create_directory(folder);
  const std::pair<const char*, std::string> files[] = {
      {"cameras.txt", "1 SIMPLE_RADIAL 9 9 5 4 4 0.1\n"},
      {"images.txt", "1 1 0 0 0 1 2 3 1 a b.jpg\n1.5 2.5 7 3 4 -1\n"},
      {"points3D.txt", "7 1 2 3 10 20 30 0.5 1 0\n"}};
  const auto write = [&](const char* name, const std::string& text) {
    std::ofstream(folder / name, std::ios::binary) << text;
  };
  for (const auto& [name, text] : files) write(name, text);
  int num_refused = 0;
  for (const auto& [name, text] : files) {
    ForEachMutation(text, [&, file = name](const std::string& mutated) {
      write(file, mutated);
      ColmapModel model;
      std::string error;
      if (!ReadColmap(folder.string(), &model, &error)) {
        EXPECT_EQ(error.find(folder.string()), 0u) << error;
        ++num_refused;
        return;
      }
      for (const auto& image : model.images) {
        EXPECT_LT(image.camera, static_cast<int>(model.cameras.size()));
      }
    });
    write(name, text);
  }
  EXPECT_GT(num_refused, 1000);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace ceres::io
