// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/schur/cluster_preconditioner.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ceres/execution/loops.h"
#include "ceres/logging/logging.h"
#include "ceres/schur/schur_submatrix.h"
#include "ceres/schur/view_clusters.h"

namespace ceres::internal {
namespace {

Visibility VisibilityOf(const SchurPlan& plan) {
  Visibility visibility;
  visibility.num_views = plan.num_remaining_blocks();
  const int num_points = plan.num_points();
  visibility.first_view.assign(
      plan.cliques().first_camera().begin(),
      plan.cliques().first_camera().begin() + num_points + 1);
  const int num_cameras = visibility.first_view.back();
  visibility.view.reserve(num_cameras);
  for (int camera = 0; camera < num_cameras; ++camera) {
    visibility.view.push_back(plan.cliques().camera_column()[camera] -
                              num_points);
  }
  return visibility;
}

// Clusters see what their views see.
Visibility VisibilityOfClusters(const Visibility& of_views,
                                const std::vector<int>& cluster) {
  Visibility result;
  for (const int c : cluster) {
    result.num_views = std::max(result.num_views, c + 1);
  }
  const int num_points = static_cast<int>(of_views.first_view.size()) - 1;
  std::vector<int> seen;
  for (int p = 0; p < num_points; ++p) {
    seen.clear();
    for (int k = of_views.first_view[p]; k < of_views.first_view[p + 1]; ++k) {
      seen.push_back(cluster[of_views.view[k]]);
    }
    std::sort(seen.begin(), seen.end());
    seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
    result.view.insert(result.view.end(), seen.begin(), seen.end());
    result.first_view.push_back(static_cast<int>(result.view.size()));
  }
  return result;
}

// Which blocks of S are kept.
struct Selection {
  std::vector<int> cluster;          // by view
  std::vector<PathNeighbors> paths;  // by cluster; empty: CLUSTER_JACOBI

  bool AreNeighbors(int i, int j) const {
    return !paths.empty() && paths[cluster[i]].Has(cluster[j]);
  }
  bool Has(int i, int j) const {
    return cluster[i] == cluster[j] || AreNeighbors(i, j);
  }
};

// The columns >= `row` of the wanted blocks of a row that are not zero in S:
// those of the plan, and those of views that share points.
std::vector<int> WantedColumns(const SchurPlan& plan,
                               const SimilarityGraph& graph,
                               const Selection& selection, int row) {
  const BlockSymmetricStructure& pattern = plan.pattern();
  std::vector<int> shared;
  for (const SimilarityGraph::Edge& edge : graph.edges[row]) {
    if (edge.view > row) shared.push_back(edge.view);
  }
  std::vector<int> columns;
  std::set_union(pattern.entry_column.begin() + pattern.first_entry[row],
                 pattern.entry_column.begin() + pattern.first_entry[row + 1],
                 shared.begin(), shared.end(), std::back_inserter(columns));
  columns.erase(std::remove_if(columns.begin(), columns.end(),
                               [&](int j) { return !selection.Has(row, j); }),
                columns.end());
  return columns;
}

// A connected part of M.
struct Part {
  std::vector<int> views;  // ascending
  int first_column = 0;    // in vectors ordered by part
  BlockSymmetricStructure pattern;
  std::vector<char> between_clusters;  // by entry
  int64_t first_value = 0;
  std::unique_ptr<SparseCholesky> cholesky;
};

class ClusterPreconditioner final : public SchurPreconditioner {
 public:
  ClusterPreconditioner(PreconditionerType type,
                        VisibilityClusteringType clustering,
                        const SparseCholesky::Options& options,
                        const Execution& execution, const SchurPlan& plan)
      : execution_(execution), plan_(plan) {
    const Visibility visibility = VisibilityOf(plan);
    const SimilarityGraph graph = ComputeSimilarity(execution, visibility);
    Selection selection;
    selection.cluster = ClusterViews(clustering, graph);
    if (type == CLUSTER_TRIDIAGONAL) {
      selection.paths = FindHeavyPaths(ComputeSimilarity(
          execution, VisibilityOfClusters(visibility, selection.cluster)));
    }
    CutIntoParts(graph, selection);
    for (Part& part : parts_) {
      part.cholesky =
          SparseCholesky::Create(options, part.pattern, /*group=*/nullptr);
    }
    x_.Resize(size());
    y_.Resize(size());
  }

  LinearSolverTermination Update(const SchurEliminator& eliminator,
                                 std::string* message) override {
    submatrix_->Assemble(eliminator, values_.data());
    struct Result {
      LinearSolverTermination termination;
      std::string message;
    };
    std::vector<Result> results(parts_.size());
    ParallelFor(execution_, 0, num_parts(), [&](int p) {
      results[p].termination = Factorize(&parts_[p], &results[p].message);
    });
    for (const Result& result : results) {
      if (result.termination == LinearSolverTermination::kSuccess) continue;
      *message = "The preconditioner of clusters of views: " + result.message;
      return result.termination;
    }
    return LinearSolverTermination::kSuccess;
  }

  void Apply(const double* x, double* y) const override {
    const std::vector<int>& offset = plan_.pattern().block_offset;
    ParallelFor(execution_, 0, num_parts(), [&](int p) {
      const Part& part = parts_[p];
      double* const x_part = x_.data() + part.first_column;
      double* const y_part = y_.data() + part.first_column;
      for (size_t k = 0; k < part.views.size(); ++k) {
        const int view = part.views[k];
        std::copy(x + offset[view], x + offset[view + 1],
                  x_part + part.pattern.block_offset[k]);
      }
      std::string message;
      if (part.cholesky->Solve(x_part, y_part, &message) !=
          LinearSolverTermination::kSuccess) {
        // Conjugate gradients see it, and fail.
        std::fill_n(y_part, part.pattern.size(),
                    std::numeric_limits<double>::quiet_NaN());
      }
      for (size_t k = 0; k < part.views.size(); ++k) {
        std::copy_n(y_part + part.pattern.block_offset[k],
                    plan_.width(part.views[k]), y + offset[part.views[k]]);
      }
    });
  }
  int size() const override { return plan_.pattern().size(); }

 private:
  int num_parts() const { return static_cast<int>(parts_.size()); }

  // Parts with many views first, so that none of these is left at the end.
  void CutIntoParts(const SimilarityGraph& graph, const Selection& selection) {
    const int num_views = plan_.num_remaining_blocks();
    std::vector<std::vector<int>> columns(num_views);
    ParallelFor(execution_, 0, num_views, [&](int i) {
      columns[i] = WantedColumns(plan_, graph, selection, i);
    });
    DisjointSets sets(num_views);
    for (int i = 0; i < num_views; ++i) {
      for (const int j : columns[i]) sets.Unite(i, j);
    }
    std::vector<std::vector<int>> views(num_views);
    for (int i = 0; i < num_views; ++i) views[sets.Find(i)].push_back(i);
    for (std::vector<int>& members : views) {
      if (members.empty()) continue;
      parts_.emplace_back();
      parts_.back().views = std::move(members);
    }
    std::stable_sort(parts_.begin(), parts_.end(),
                     [](const Part& a, const Part& b) {
                       return a.views.size() > b.views.size();
                     });
    LayOutParts(columns, selection);
  }

  void LayOutParts(const std::vector<std::vector<int>>& columns,
                   const Selection& selection) {
    const int num_views = plan_.num_remaining_blocks();
    std::vector<int> place(num_views);  // within its part
    std::vector<std::vector<SchurSubmatrix::Block>> rows(num_views);
    int next_column = 0;
    int64_t next_value = 0;
    for (Part& part : parts_) {
      part.first_column = next_column;
      part.first_value = next_value;
      BlockSymmetricStructure& pattern = part.pattern;
      for (const int view : part.views) {
        place[view] = pattern.num_blocks();
        pattern.block_offset.push_back(pattern.size() + plan_.width(view));
      }
      for (const int i : part.views) {
        for (const int j : columns[i]) {
          rows[i].push_back({i, j, next_value + pattern.num_values()});
          pattern.entry_column.push_back(place[j]);
          pattern.value_offset.push_back(
              pattern.num_values() + int64_t{plan_.width(i)} * plan_.width(j));
          part.between_clusters.push_back(selection.AreNeighbors(i, j));
        }
        pattern.first_entry.push_back(
            static_cast<int>(pattern.entry_column.size()));
      }
      next_column += pattern.size();
      next_value += pattern.num_values();
    }
    std::vector<SchurSubmatrix::Block> blocks;
    for (const auto& row : rows) {
      blocks.insert(blocks.end(), row.begin(), row.end());
    }
    values_.Resize(next_value);
    submatrix_.emplace(execution_, plan_, std::move(blocks));
  }

  LinearSolverTermination Factorize(Part* part, std::string* message) {
    Execution execution = execution_;
    if (num_parts() > 1) execution.num_threads = 1;
    double* const values = values_.data() + part->first_value;
    const LinearSolverTermination termination =
        part->cholesky->Factorize(execution, values, message);
    if (termination != LinearSolverTermination::kFailure ||
        !HalveBetweenClusters(*part, values)) {
      return termination;
    }
    message->clear();
    return part->cholesky->Factorize(execution, values, message);
  }

  // False: there is nothing between clusters.
  static bool HalveBetweenClusters(const Part& part, double* values) {
    const std::vector<int64_t>& offset = part.pattern.value_offset;
    bool any = false;
    for (size_t k = 0; k < part.between_clusters.size(); ++k) {
      if (!part.between_clusters[k]) continue;
      any = true;
      for (int64_t v = offset[k]; v < offset[k + 1]; ++v) values[v] *= 0.5;
    }
    return any;
  }

  const Execution execution_;
  const SchurPlan& plan_;
  std::vector<Part> parts_;
  std::optional<SchurSubmatrix> submatrix_;
  AlignedBuffer values_;
  mutable AlignedBuffer x_;  // ordered by part
  mutable AlignedBuffer y_;
};

}  // namespace

std::unique_ptr<SchurPreconditioner> CreateClusterPreconditioner(
    PreconditionerType type, VisibilityClusteringType clustering,
    const SparseCholesky::Options& options, const Execution& execution,
    const SchurPlan& plan) {
  VESTA_CHECK(type == CLUSTER_JACOBI || type == CLUSTER_TRIDIAGONAL);
  return std::make_unique<ClusterPreconditioner>(type, clustering, options,
                                                 execution, plan);
}

}  // namespace ceres::internal
