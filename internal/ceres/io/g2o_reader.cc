// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ceres/base/number.h"
#include "ceres/io/g2o_records.h"
#include "ceres/io/line_reader.h"
#include "ceres/io/pose_graph.h"
#include "ceres/io/text_file.h"

namespace ceres::internal {
namespace {

using io::PoseGraph;
using Kind = G2oRecordKind;

// Reads all records, then connects edges with vertices, which may come later.
class G2oParser {
 public:
  G2oParser(std::string_view text, const std::string& name,
            const io::G2oOptions& options)
      : reader_(text, name, Comments::kAnywhere),
        name_(name),
        options_(options) {}

  bool Parse(G2oFile* file) {
    while (reader_.NextLine()) {
      if (reader_.num_tokens_left() > 0 && !ReadRecord()) return false;
    }
    if (!reader_.error().empty() || !ExpectPoses()) return false;
    num_vertices_of_file_ = graph().vertices.size();
    if (!ConnectEdges() || !FixVertices() || !Initialize()) return false;
    *file = std::move(file_);
    return true;
  }

  std::string error() const {
    return error_.empty() ? reader_.error() : error_;
  }

 private:
  // What an edge names.
  struct Reference {
    std::uint64_t ids[2];
    std::uint64_t offset;
    bool has_offset;
    int line;
    const Kind* kind;
  };

  PoseGraph& graph() { return file_.graph; }

  bool ReadRecord() {
    const std::string_view tag = reader_.NextToken();
    const Kind* kind = FindG2oRecordKind(tag);
    if (kind == nullptr) return RefuseTag(tag);
    if (!CheckDimension(*kind)) return false;
    switch (kind->subject) {
      case Kind::Subject::kFix:
        return ReadFix();
      case Kind::Subject::kVertex:
        return ReadVertex(*kind);
      case Kind::Subject::kOffset:
        return ReadOffset(*kind);
      case Kind::Subject::kEdge:
        return ReadEdge(*kind);
    }
    return false;
  }

  bool RefuseTag(std::string_view tag) {
    std::string hint;
    if (tag == "LANDMARK") {
      hint =
          ": programs disagree on whether it has a covariance, an information "
          "matrix or its root, use EDGE_SE2_XY instead";
    }
    return reader_.Fail(
        "expected a tag that ceres/io/g2o.h lists, VERTEX_SE2 for example, "
        "found " +
        io::QuoteToken(tag) + hint);
  }

  bool CheckDimension(const Kind& kind) {
    if (kind.dimension == 0 || kind.dimension == dimension_) return true;
    if (dimension_ == 0) {
      dimension_ = graph().dimension = kind.dimension;
      line_of_dimension_ = reader_.line();
      return true;
    }
    return reader_.Fail(std::string("expected records of ") +
                        (dimension_ == 2 ? "the plane" : "space") +
                        ", as in line " + std::to_string(line_of_dimension_) +
                        ", found " + io::QuoteToken(kind.tag));
  }

  // That the record has this many fields behind its tag.
  bool ExpectFields(const Kind& kind, int expected) {
    if (reader_.num_tokens_left() == expected) return true;
    return reader_.Fail("expected " + internal::CountOf(expected, "number") +
                        ", got " + std::to_string(reader_.num_tokens_left()) +
                        ", after " + std::string(kind.tag));
  }

  bool ReadFix() {
    if (reader_.num_tokens_left() == 0) {
      return reader_.Expected("the id of a vertex", "");
    }
    while (reader_.num_tokens_left() > 0) {
      std::uint64_t id = 0;
      if (!reader_.ReadId("the id of a vertex", &id)) return false;
      fixed_.emplace_back(id, reader_.line());
    }
    return true;
  }

  bool ReadVertex(const Kind& kind) {
    PoseGraph::Vertex vertex;
    vertex.is_landmark = kind.takes_landmark;
    if (!ExpectFields(kind, 1 + kind.NumValues()) ||
        !reader_.ReadId("the id of a vertex", &vertex.id)) {
      return false;
    }
    const std::size_t begin = reader_.NextPosition();
    if (!ReadG2oValues(kind, &reader_, &vertex.value)) return false;
    file_.vertex_texts.push_back({&kind, begin, reader_.LastEnd()});
    return AddVertex(vertex);
  }

  bool AddVertex(const PoseGraph::Vertex& vertex) {
    const int index = static_cast<int>(graph().vertices.size());
    const auto [place, is_new] = index_of_.emplace(vertex.id, index);
    if (!is_new) {
      return reader_.Fail(Describe(vertex) + " is given twice, here and in " +
                          "line " + std::to_string(lines_[place->second]));
    }
    graph().vertices.push_back(vertex);
    lines_.push_back(reader_.line());
    return true;
  }

  bool ReadOffset(const Kind& kind) {
    PoseGraph::Offset offset;
    if (!ExpectFields(kind, 1 + kind.NumValues()) ||
        !reader_.ReadId("the id of an offset", &offset.id) ||
        !ReadG2oValues(kind, &reader_, &offset.pose)) {
      return false;
    }
    const int index = static_cast<int>(graph().offsets.size());
    if (!index_of_offset_.emplace(offset.id, index).second) {
      return reader_.Fail("the offset " + std::to_string(offset.id) +
                          " is given twice");
    }
    graph().offsets.push_back(offset);
    return true;
  }

  bool ReadEdge(const Kind& kind) {
    PoseGraph::Edge edge;
    Reference reference{{0, 0}, 0, false, reader_.line(), &kind};
    const int n = kind.NumVertices();
    const int expected = n + kind.NumValues() + kind.NumWeights();
    reference.has_offset =
        kind.may_have_offset && reader_.num_tokens_left() == expected + 1;
    if (!reference.has_offset && !ExpectFields(kind, expected)) return false;
    for (int i = 0; i < n; ++i) {
      if (!reader_.ReadId("the id of a vertex", &reference.ids[i])) {
        return false;
      }
    }
    if (reference.has_offset &&
        !reader_.ReadId("the id of an offset", &reference.offset)) {
      return false;
    }
    edge.type = kind.type;
    bool has_dropped = false;
    if (!ReadG2oValues(kind, &reader_, &edge.measurement) ||
        !ReadG2oInformation(kind, graph().ErrorSize(edge),
                            options_.drop_indefinite_couplings, &reader_,
                            edge.information.data(), &has_dropped)) {
      return false;
    }
    if (has_dropped && file_.num_dropped_couplings++ == 0) {
      file_.first_dropped_line = reader_.line();
    }
    if (n == 2 && reference.ids[0] == reference.ids[1]) {
      return reader_.Fail("expected an edge between two vertices, found " +
                          std::to_string(reference.ids[0]) + " twice");
    }
    graph().edges.push_back(edge);
    references_.push_back(reference);
    return true;
  }

  bool ExpectPoses() {
    if (dimension_ != 0) return true;
    error_ = name_ +
             ": expected poses of one kind, in the plane (VERTEX_SE2) or in "
             "space (VERTEX_SE3:QUAT), found none";
    return false;
  }

  bool ConnectEdges() {
    for (std::size_t i = 0; i < references_.size(); ++i) {
      PoseGraph::Edge& edge = graph().edges[i];
      const Reference& reference = references_[i];
      int* const ends[2] = {&edge.x, &edge.y};
      const int n = reference.kind->NumVertices();
      for (int k = 0; k < n; ++k) {
        const bool is_landmark = reference.kind->takes_landmark && k == n - 1;
        if (!FindVertex(reference.ids[k], is_landmark, reference, ends[k])) {
          return false;
        }
      }
      if (!reference.has_offset) continue;
      const auto offset = index_of_offset_.find(reference.offset);
      if (offset == index_of_offset_.end()) {
        return reader_.FailInLine(
            reference.line, "expected an offset with a record, found none of " +
                                std::to_string(reference.offset) + " (" +
                                std::string(OffsetKind(dimension_).tag) + ")");
      }
      edge.offset = offset->second;
    }
    return true;
  }

  bool FindVertex(std::uint64_t id, bool is_landmark,
                  const Reference& reference, int* index) {
    auto place = index_of_.find(id);
    if (place == index_of_.end()) {
      PoseGraph::Vertex vertex;
      vertex.id = id;
      vertex.is_landmark = is_landmark;
      if (!options_.initialize_missing_vertices) {
        return reader_.FailInLine(
            reference.line,
            "an edge names " + Describe(vertex) +
                ", which the file lacks: add its " +
                std::string(VertexKind(dimension_, is_landmark).tag) +
                " record, or read the file with vertices initialized from "
                "edges");
      }
      place = index_of_.emplace(id, static_cast<int>(graph().vertices.size()))
                  .first;
      graph().vertices.push_back(vertex);
      file_.vertex_texts.emplace_back();
      lines_.push_back(reference.line);
    }
    *index = place->second;
    const PoseGraph::Vertex& vertex = graph().vertices[*index];
    if (vertex.is_landmark == is_landmark) return true;
    return reader_.FailInLine(
        reference.line, std::string("expected the id of a ") +
                            (is_landmark ? "landmark" : "pose") + " after " +
                            std::string(reference.kind->tag) + ", found " +
                            Describe(vertex) + " of line " +
                            std::to_string(lines_[*index]));
  }

  bool FixVertices() {
    for (const auto& [id, line] : fixed_) {
      const auto place = index_of_.find(id);
      if (place == index_of_.end()) {
        return reader_.FailInLine(line, "FIX names the vertex " +
                                            std::to_string(id) +
                                            ", which the file lacks");
      }
      graph().vertices[place->second].is_fixed = true;
    }
    return true;
  }

  bool Initialize() {
    std::vector<bool> is_missing(graph().vertices.size(), false);
    std::fill(is_missing.begin() + num_vertices_of_file_, is_missing.end(),
              true);
    if (num_vertices_of_file_ == is_missing.size() ||
        io::InitializeVertices(is_missing, &graph(), &error_)) {
      return true;
    }
    error_ = name_ + ": " + error_;
    return false;
  }

  static std::string Describe(const PoseGraph::Vertex& vertex) {
    return (vertex.is_landmark ? "the landmark " : "the pose ") +
           std::to_string(vertex.id);
  }

  LineReader reader_;
  const std::string& name_;
  const io::G2oOptions& options_;
  G2oFile file_;
  int dimension_ = 0;
  int line_of_dimension_ = 0;
  std::size_t num_vertices_of_file_ = 0;
  std::unordered_map<std::uint64_t, int> index_of_;
  std::unordered_map<std::uint64_t, int> index_of_offset_;
  std::vector<int> lines_;  // of vertices
  std::vector<Reference> references_;
  std::vector<std::pair<std::uint64_t, int>> fixed_;
  std::string error_;
};

}  // namespace

bool ParseG2oFile(std::string_view text, const std::string& name,
                  const io::G2oOptions& options, G2oFile* file,
                  std::string* error) {
  G2oParser parser(text, name, options);
  if (parser.Parse(file)) return true;
  *error = parser.error();
  return false;
}

}  // namespace ceres::internal
