// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/io/g2o.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <utility>

#include "ceres/base/all_finite.h"
#include "ceres/base/number.h"
#include "ceres/io/g2o_records.h"
#include "ceres/io/text_file.h"
#include "ceres/logging/logging.h"

namespace ceres::internal {
namespace {

using io::PoseGraph;
using Type = PoseGraph::EdgeType;

std::string NameOf(const PoseGraph::Vertex& vertex) {
  return (vertex.is_landmark ? "the landmark " : "the pose ") +
         std::to_string(vertex.id);
}

bool CheckEdges(const PoseGraph& graph, std::string* error) {
  const int num_vertices = static_cast<int>(graph.vertices.size());
  const int num_offsets = static_cast<int>(graph.offsets.size());
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    const PoseGraph::Edge& e = graph.edges[i];
    const std::string name = "the edge " + std::to_string(i);
    const bool is_prior = e.type == Type::kPose || e.type == Type::kPosition;
    if (e.x < 0 || e.x >= num_vertices || e.y >= num_vertices ||
        (e.y < 0) != is_prior || e.offset < -1 || e.offset >= num_offsets) {
      *error = name + " has an index out of range";
      return false;
    }
    if (!AllFinite(e.measurement) || !AllFinite(e.information)) {
      *error = name + " has a number that is not finite";
      return false;
    }
  }
  return true;
}

bool CheckGraph(const PoseGraph& graph, std::string* error) {
  if (graph.dimension != 2 && graph.dimension != 3) {
    *error = "the dimension of a pose graph is 2 or 3, not " +
             std::to_string(graph.dimension);
    return false;
  }
  std::unordered_map<std::uint64_t, int> index_of;
  for (const PoseGraph::Vertex& vertex : graph.vertices) {
    if (!AllFinite(vertex.value)) {
      *error = NameOf(vertex) + " has a value that is not finite";
      return false;
    }
    if (!index_of.emplace(vertex.id, 0).second) {
      *error = NameOf(vertex) + " is given twice";
      return false;
    }
  }
  for (const PoseGraph::Offset& offset : graph.offsets) {
    if (!AllFinite(offset.pose)) {
      *error = "the offset " + std::to_string(offset.id) +
               " has a number that is not finite";
      return false;
    }
  }
  return CheckEdges(graph, error);
}

bool SameEdges(const PoseGraph& a, const PoseGraph& b) {
  if (a.edges.size() != b.edges.size()) return false;
  // By kind, since some programs keep the edges of each kind together.
  const auto sorted = [](const PoseGraph& graph) {
    const auto kind = [&graph](const PoseGraph::Edge* edge) {
      return std::pair(edge->type, graph.vertices[edge->x].is_landmark);
    };
    std::vector<const PoseGraph::Edge*> edges;
    for (const PoseGraph::Edge& edge : graph.edges) edges.push_back(&edge);
    std::stable_sort(
        edges.begin(), edges.end(),
        [&kind](const auto* x, const auto* y) { return kind(x) < kind(y); });
    return edges;
  };
  const auto id = [](const PoseGraph& graph, int vertex) {
    return vertex < 0 ? 0 : graph.vertices[vertex].id;
  };
  const auto edges_a = sorted(a);
  const auto edges_b = sorted(b);
  for (std::size_t i = 0; i < edges_a.size(); ++i) {
    const PoseGraph::Edge& x = *edges_a[i];
    const PoseGraph::Edge& y = *edges_b[i];
    if (x.type != y.type || x.offset != y.offset || id(a, x.x) != id(b, y.x) ||
        id(a, x.y) != id(b, y.y) || x.measurement != y.measurement ||
        x.information != y.information) {
      return false;
    }
  }
  return true;
}

// Whether the graphs differ in the values of vertices and in order only. For
// each vertex of a, sets where it is in b.
bool SameButForValues(const PoseGraph& a, const PoseGraph& b,
                      std::vector<int>* places) {
  if (a.dimension != b.dimension || a.vertices.size() != b.vertices.size() ||
      a.offsets.size() != b.offsets.size()) {
    return false;
  }
  std::unordered_map<std::uint64_t, int> index_of;
  for (const PoseGraph::Vertex& vertex : b.vertices) {
    index_of.emplace(vertex.id, static_cast<int>(index_of.size()));
  }
  for (const PoseGraph::Vertex& vertex : a.vertices) {
    const auto place = index_of.find(vertex.id);
    if (place == index_of.end()) return false;
    const PoseGraph::Vertex& other = b.vertices[place->second];
    if (vertex.is_landmark != other.is_landmark ||
        vertex.is_fixed != other.is_fixed) {
      return false;
    }
    places->push_back(place->second);
  }
  for (std::size_t i = 0; i < a.offsets.size(); ++i) {
    if (a.offsets[i].id != b.offsets[i].id ||
        a.offsets[i].pose != b.offsets[i].pose) {
      return false;
    }
  }
  return SameEdges(a, b);
}

void AppendId(std::uint64_t id, std::string* line) {
  *line += ' ' + std::to_string(id);
}

// The numbers with a space between.
void AppendNumbers(const double* numbers, int count, std::string* line) {
  for (int i = 0; i < count; ++i) {
    if (i > 0) *line += ' ';
    io::AppendNumber(numbers[i], ' ', line);
    line->pop_back();
  }
}

void AppendValues(const G2oRecordKind& kind, const PoseGraph::Values& values,
                  std::string* line) {
  PoseGraph::Values numbers = values;
  if (kind.rotation == G2oRecordKind::Rotation::kEuler) {
    QuaternionToEuler(values.data() + 3, numbers.data() + 3);
  }
  AppendNumbers(numbers.data(), kind.NumValues(), line);
}

std::string VertexLine(const PoseGraph& graph,
                       const PoseGraph::Vertex& vertex) {
  const G2oRecordKind& kind = VertexKind(graph.dimension, vertex.is_landmark);
  std::string line(kind.tag);
  AppendId(vertex.id, &line);
  line += ' ';
  AppendValues(kind, vertex.value, &line);
  return line;
}

void AppendWeights(const G2oRecordKind& kind, const PoseGraph::Edge& edge,
                   int n, std::string* line) {
  for (int row = 0; row < n; ++row) {
    for (int col = row; col < n; ++col) {
      double number = edge.information[row * n + col];
      if (kind.weight == G2oRecordKind::Weight::kSigmas) {
        if (row != col) continue;
        // Without effect: a standard deviation whose square is finite.
        number = number > 1e-300 ? 1.0 / std::sqrt(number) : 1e150;
      }
      *line += ' ';
      AppendNumbers(&number, 1, line);
    }
  }
}

std::string EdgeLine(const PoseGraph& graph, const PoseGraph::Edge& edge) {
  const int last = edge.y < 0 ? edge.x : edge.y;
  const G2oRecordKind& kind =
      EdgeKind(graph.dimension, edge.type, graph.vertices[last].is_landmark);
  std::string line(kind.tag);
  AppendId(graph.vertices[edge.x].id, &line);
  if (edge.y >= 0) AppendId(graph.vertices[edge.y].id, &line);
  if (edge.offset >= 0) AppendId(graph.offsets[edge.offset].id, &line);
  line += ' ';
  AppendValues(kind, edge.measurement, &line);
  AppendWeights(kind, edge, graph.ErrorSize(edge), &line);
  return line;
}

std::string NewText(const PoseGraph& graph) {
  std::string text;
  for (const PoseGraph::Offset& offset : graph.offsets) {
    const G2oRecordKind& kind = OffsetKind(graph.dimension);
    text += kind.tag;
    AppendId(offset.id, &text);
    text += ' ';
    AppendValues(kind, offset.pose, &text);
    text += '\n';
  }
  for (const PoseGraph::Vertex& vertex : graph.vertices) {
    text += VertexLine(graph, vertex) + '\n';
  }
  for (const PoseGraph::Vertex& vertex : graph.vertices) {
    if (vertex.is_fixed) text += "FIX " + std::to_string(vertex.id) + '\n';
  }
  for (const PoseGraph::Edge& edge : graph.edges) {
    text += EdgeLine(graph, edge) + '\n';
  }
  return text;
}

// The text of the file with the values of `graph`. Values that are those of the
// file keep their digits.
std::string UpdatedText(const G2oFile& file, std::string_view content,
                        const PoseGraph& graph,
                        const std::vector<int>& places) {
  std::string_view end_of_line = "\n";
  const std::size_t end = content.find_first_of("\r\n");
  if (end != std::string_view::npos && content[end] == '\r') {
    end_of_line = content.substr(end + 1, 1) == "\n" ? "\r\n" : "\r";
  }
  std::string text;
  std::size_t copied = 0;
  for (std::size_t i = 0; i < file.vertex_texts.size(); ++i) {
    const G2oFile::VertexText& place = file.vertex_texts[i];
    const PoseGraph::Vertex& vertex = graph.vertices[places[i]];
    if (place.kind == nullptr) break;
    if (vertex.value == file.graph.vertices[i].value) continue;
    text += content.substr(copied, place.begin - copied);
    AppendValues(*place.kind, vertex.value, &text);
    copied = place.end;
  }
  text += content.substr(copied);
  for (std::size_t i = 0; i < file.vertex_texts.size(); ++i) {
    if (file.vertex_texts[i].kind != nullptr) continue;
    if (!text.empty() && text.back() != '\n' && text.back() != '\r') {
      text += end_of_line;
    }
    text += VertexLine(graph, graph.vertices[places[i]]);
    text += end_of_line;
  }
  return text;
}

}  // namespace
}  // namespace ceres::internal

namespace ceres::io {

bool ParseG2o(std::string_view text, const std::string& name,
              const G2oOptions& options, PoseGraph* graph, std::string* error) {
  std::string_view content = text;
  internal::G2oFile file;
  if (!StartText(name, &content, error) ||
      !internal::ParseG2oFile(content, name, options, &file, error)) {
    return false;
  }
  if (file.num_dropped_couplings > 0) {
    VESTA_LOG(kWarning)
        << name << ": "
        << internal::CountOf(file.num_dropped_couplings,
                             "information matrix with a negative eigenvalue",
                             "information matrices with a negative eigenvalue")
        << " read without the coupling of position and rotation, as "
           "G2oOptions::drop_indefinite_couplings asks. The first is in line "
        << file.first_dropped_line << ".";
  }
  *graph = std::move(file.graph);
  graph->text = text;
  return true;
}

bool ReadG2o(const std::string& path, const G2oOptions& options,
             PoseGraph* graph, std::string* error) {
  std::string text;
  return ReadFile(path, &text, error) &&
         ParseG2o(text, path, options, graph, error);
}

bool FormatG2o(const PoseGraph& graph, std::string* text, std::string* error) {
  if (!internal::CheckGraph(graph, error)) return false;
  std::string_view content = graph.text;
  internal::G2oFile file;
  std::vector<int> places;
  std::string ignored;
  G2oOptions options;
  options.initialize_missing_vertices = true;
  if (!graph.text.empty() && StartText("", &content, &ignored) &&
      internal::ParseG2oFile(content, "", options, &file, &ignored) &&
      internal::SameButForValues(file.graph, graph, &places)) {
    const std::size_t mark = graph.text.size() - content.size();
    *text = graph.text.substr(0, mark) +
            internal::UpdatedText(file, content, graph, places);
  } else {
    *text = internal::NewText(graph);
  }
  return true;
}

bool WriteG2o(const PoseGraph& graph, const std::string& path,
              std::string* error) {
  std::string text;
  if (!FormatG2o(graph, &text, error)) {
    *error = path + ": cannot write it: " + *error;
    return false;
  }
  return WriteFile(text, path, error);
}

}  // namespace ceres::io
