// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Readers and writers of files (ceres/io) for vesta/io.py. Arrays are bytes in
// the order of the machine, which Python turns into NumPy arrays.

#include "file_formats.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ceres/io/bal.h"
#include "ceres/io/bundler.h"
#include "ceres/io/g2o.h"
#include "ceres/io/text_file.h"
#include "common.h"

namespace vesta::python {
namespace {

namespace io = ceres::io;

nb::dict GraphToDict(const io::PoseGraph& graph) {
  std::vector<std::uint64_t> ids, offset_ids;
  std::vector<std::uint8_t> is_landmark, is_fixed, types;
  std::vector<double> values, offsets, measurements, information;
  std::vector<std::int64_t> ends;
  for (const io::PoseGraph::Vertex& vertex : graph.vertices) {
    ids.push_back(vertex.id);
    is_landmark.push_back(vertex.is_landmark ? 1 : 0);
    is_fixed.push_back(vertex.is_fixed ? 1 : 0);
    Append(vertex.value, &values);
  }
  for (const io::PoseGraph::Offset& offset : graph.offsets) {
    offset_ids.push_back(offset.id);
    Append(offset.pose, &offsets);
  }
  measurements.reserve(7 * graph.edges.size());
  information.reserve(36 * graph.edges.size());
  for (const io::PoseGraph::Edge& edge : graph.edges) {
    types.push_back(static_cast<std::uint8_t>(edge.type));
    for (const int end : {edge.x, edge.y, edge.offset}) ends.push_back(end);
    Append(edge.measurement, &measurements);
    Append(edge.information, &information);
  }
  nb::dict result;
  result["dimension"] = graph.dimension;
  result["ids"] = ToBytes(ids);
  result["is_landmark"] = ToBytes(is_landmark);
  result["is_fixed"] = ToBytes(is_fixed);
  result["values"] = ToBytes(values);
  result["offset_ids"] = ToBytes(offset_ids);
  result["offsets"] = ToBytes(offsets);
  result["types"] = ToBytes(types);
  result["ends"] = ToBytes(ends);
  result["measurements"] = ToBytes(measurements);
  result["information"] = ToBytes(information);
  return result;
}

}  // namespace

io::PoseGraph GraphFromDict(const nb::dict& dict) {
  const auto bytes = [&dict](const char* name) {
    return nb::cast<nb::bytes>(dict[name]);
  };
  const auto ids = FromBytes<std::uint64_t>(bytes("ids"));
  const auto is_landmark = FromBytes<std::uint8_t>(bytes("is_landmark"));
  const auto is_fixed = FromBytes<std::uint8_t>(bytes("is_fixed"));
  const auto values = FromBytes<double>(bytes("values"));
  const auto offset_ids = FromBytes<std::uint64_t>(bytes("offset_ids"));
  const auto offsets = FromBytes<double>(bytes("offsets"));
  const auto types = FromBytes<std::uint8_t>(bytes("types"));
  const auto ends = FromBytes<std::int64_t>(bytes("ends"));
  const auto measurements = FromBytes<double>(bytes("measurements"));
  const auto information = FromBytes<double>(bytes("information"));
  io::PoseGraph graph;
  graph.dimension = nb::cast<int>(dict["dimension"]);
  graph.text = View(bytes("text"));
  graph.vertices.resize(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    io::PoseGraph::Vertex& vertex = graph.vertices[i];
    vertex.id = ids[i];
    vertex.is_landmark = is_landmark.at(i) != 0;
    vertex.is_fixed = is_fixed.at(i) != 0;
    for (int k = 0; k < 7; ++k) vertex.value[k] = values.at(7 * i + k);
  }
  graph.offsets.resize(offset_ids.size());
  for (std::size_t i = 0; i < offset_ids.size(); ++i) {
    graph.offsets[i].id = offset_ids[i];
    for (int k = 0; k < 7; ++k)
      graph.offsets[i].pose[k] = offsets.at(7 * i + k);
  }
  graph.edges.resize(types.size());
  for (std::size_t i = 0; i < types.size(); ++i) {
    io::PoseGraph::Edge& edge = graph.edges[i];
    edge.type = static_cast<io::PoseGraph::EdgeType>(types[i]);
    edge.x = static_cast<int>(ends.at(3 * i));
    edge.y = static_cast<int>(ends.at(3 * i + 1));
    edge.offset = static_cast<int>(ends.at(3 * i + 2));
    for (int k = 0; k < 7; ++k) {
      edge.measurement[k] = measurements.at(7 * i + k);
    }
    for (int k = 0; k < 36; ++k) {
      edge.information[k] = information.at(36 * i + k);
    }
  }
  return graph;
}

namespace {

nb::dict ParseG2o(const nb::bytes& text, const std::string& name,
                  bool initialize, bool drop_indefinite_couplings) {
  io::PoseGraph graph;
  std::string error;
  io::G2oOptions options;
  options.initialize_missing_vertices = initialize;
  options.drop_indefinite_couplings = drop_indefinite_couplings;
  if (!io::ParseG2o(View(text), name, options, &graph, &error)) {
    RaiseValueError(error);
  }
  return GraphToDict(graph);
}

nb::bytes FormatG2o(const nb::dict& dict) {
  std::string text;
  std::string error;
  if (!io::FormatG2o(GraphFromDict(dict), &text, &error)) {
    RaiseValueError(error);
  }
  return nb::bytes(text.data(), text.size());
}

void WriteFile(const std::string& path, const nb::bytes& contents) {
  std::string error;
  if (!io::WriteFile(std::string(View(contents)), path, &error)) {
    RaiseOSError(error);
  }
}

nb::tuple SceneToTuple(const io::BalProblem& problem) {
  return nb::make_tuple(ToBytes(problem.cameras), ToBytes(problem.points),
                        ToBytes(problem.camera_index),
                        ToBytes(problem.point_index),
                        ToBytes(problem.observations));
}

io::BalProblem SceneFromTuple(const nb::tuple& arrays) {
  const auto bytes = [&arrays](int i) {
    return nb::cast<nb::bytes>(arrays[i]);
  };
  io::BalProblem problem;
  problem.cameras = FromBytes<double>(bytes(0));
  problem.points = FromBytes<double>(bytes(1));
  problem.camera_index = FromBytes<int>(bytes(2));
  problem.point_index = FromBytes<int>(bytes(3));
  problem.observations = FromBytes<double>(bytes(4));
  return problem;
}

nb::tuple ParseBal(const nb::bytes& text, const std::string& name) {
  io::BalProblem problem;
  std::string error;
  if (!io::ParseBal(View(text), name, &problem, &error)) RaiseValueError(error);
  return SceneToTuple(problem);
}

// Numbers are finite: Python has checked them.
void WriteBal(const std::string& path, const nb::tuple& arrays) {
  std::string error;
  if (!io::WriteBal(SceneFromTuple(arrays), path, &error)) RaiseOSError(error);
}

nb::tuple ParseBundler(const nb::bytes& text, const std::string& name) {
  io::BundlerScene scene;
  std::string error;
  if (!io::ParseBundler(View(text), name, &scene, &error)) {
    RaiseValueError(error);
  }
  std::vector<std::int64_t> colors;
  for (const auto& color : scene.colors) Append(color, &colors);
  return nb::make_tuple(SceneToTuple(scene.problem), ToBytes(colors),
                        ToBytes(scene.keys));
}

void WriteBundler(const std::string& path, const nb::tuple& arrays,
                  const nb::bytes& colors, const nb::bytes& keys) {
  io::BundlerScene scene;
  scene.problem = SceneFromTuple(arrays);
  const auto channels = FromBytes<std::int64_t>(colors);
  for (std::size_t i = 0; i + 2 < channels.size(); i += 3) {
    scene.colors.push_back({static_cast<int>(channels[i]),
                            static_cast<int>(channels[i + 1]),
                            static_cast<int>(channels[i + 2])});
  }
  scene.keys = FromBytes<std::int64_t>(keys);
  std::string error;
  if (!io::WriteBundler(scene, path, &error)) RaiseOSError(error);
}

}  // namespace

void BindFileFormats(nb::module_& module) {
  module.def("_parse_g2o", &ParseG2o, nb::arg("text"), nb::arg("name"),
             nb::arg("initialize"), nb::arg("drop_indefinite_couplings"));
  module.def("_format_g2o", &FormatG2o, nb::arg("graph"));
  module.def("_write_file", &WriteFile, nb::arg("path"), nb::arg("contents"));
  module.def("_parse_bal", &ParseBal, nb::arg("text"), nb::arg("name"));
  module.def("_write_bal", &WriteBal, nb::arg("path"), nb::arg("arrays"));
  module.def("_parse_bundler", &ParseBundler, nb::arg("text"), nb::arg("name"));
  module.def("_write_bundler", &WriteBundler, nb::arg("path"),
             nb::arg("arrays"), nb::arg("colors"), nb::arg("keys"));
  BindColmap(module);
}

}  // namespace vesta::python
