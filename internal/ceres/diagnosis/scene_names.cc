// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/diagnosis/scene_names.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "Eigen/Core"
#include "ceres/diagnosis/scene_motions.h"

namespace ceres::internal {
namespace {

class SceneNamer {
 public:
  SceneNamer(const DiagnosisOptions& options, const DiagnosedProblem& problem,
             const std::vector<double>& norms, const DirectionWriter& writer,
             std::vector<FoundDirection>* directions)
      : options_(options),
        problem_(problem),
        norms_(norms),
        writer_(writer),
        directions_(*directions) {}

  void NamePart(int part) {
    constexpr std::size_t kMaxDirections = 64;
    std::vector<int> own;  // Few entries first.
    for (std::size_t k = 0; k < directions_.size(); ++k) {
      const DirectionKind kind = directions_[k].kind;
      if (directions_[k].part == part && kind != DirectionKind::kLossFunction &&
          kind != DirectionKind::kZeroDerivative) {
        own.push_back(static_cast<int>(k));
      }
    }
    if (own.empty() || own.size() > kMaxDirections) return;
    std::stable_sort(own.begin(), own.end(), [&](int a, int b) {
      return directions_[a].entries.size() < directions_[b].entries.size();
    });
    std::vector<Direction> directions;
    for (const int k : own) {
      directions.push_back(writer_.EntriesOf(norms_, directions_[k].entries));
    }
    const std::vector<SceneMotion> motions =
        FindSceneMotions(options_.scene, problem_.impl(), directions);
    ReplaceByMotions(own, directions, motions);
  }

 private:
  // Motions replace directions that depend on them, those with many entries
  // first. A name by a usual meaning of the values gives way: it may be wrong,
  // as that of a longitude whose shift is a rotation.
  void ReplaceByMotions(const std::vector<int>& own,
                        const std::vector<Direction>& directions,
                        const std::vector<SceneMotion>& motions) {
    const auto count = static_cast<Eigen::Index>(own.size());
    Eigen::MatrixXd basis(count, 0);
    const auto add = [&](Eigen::VectorXd v) {
      v.normalize();
      for (int round = 0; round < 2; ++round) {
        const Eigen::VectorXd along = basis.transpose() * v;
        v -= basis * along;
      }
      if (!(v.norm() > 1e-4)) return false;
      basis.conservativeResize(Eigen::NoChange, basis.cols() + 1);
      basis.rightCols(1) = v.normalized();
      return true;
    };
    std::vector<FoundDirection> added;
    for (const SceneMotion& motion : motions) {
      if (!add(motion.coefficients)) continue;
      added.push_back({CombinationOf(own, directions, motion.coefficients),
                       KindOf(motion.kind), directions_[own[0]].part});
    }
    std::vector<int> replaced;
    for (Eigen::Index k = 0; k < count; ++k) {
      if (!add(Eigen::VectorXd::Unit(count, k))) replaced.push_back(own[k]);
    }
    if (replaced.size() != added.size()) return;
    std::sort(replaced.begin(), replaced.end());
    for (std::size_t k = 0; k < added.size(); ++k) {
      directions_[replaced[k]] = std::move(added[k]);
    }
  }

  // Coefficients are of tangent directions, the result is scaled.
  SparseVector CombinationOf(const std::vector<int>& own,
                             const std::vector<Direction>& directions,
                             const Eigen::VectorXd& coefficients) const {
    std::map<int, double> sum;
    for (std::size_t k = 0; k < own.size(); ++k) {
      const SparseVector& entries = directions_[own[k]].entries;
      for (std::size_t i = 0; i < entries.size(); ++i) {
        const int column = entries[i].first;
        const double norm = norms_[column];
        sum[column] += coefficients(static_cast<Eigen::Index>(k)) *
                       directions[k].entries[i].value *
                       (norm > 0.0 ? norm : 1.0);
      }
    }
    double largest = 0.0;
    for (const auto& [column, value] : sum) {
      largest = std::max(largest, std::abs(value));
    }
    SparseVector result;
    for (const auto& [column, value] : sum) {
      if (std::abs(value) > 1e-7 * largest) {
        result.emplace_back(column, value / largest);
      }
    }
    return result;
  }

  const DiagnosisOptions& options_;
  const DiagnosedProblem& problem_;
  const std::vector<double>& norms_;
  const DirectionWriter& writer_;
  std::vector<FoundDirection>& directions_;
};

}  // namespace

void NameSceneMotions(const DiagnosisOptions& options,
                      const DiagnosedProblem& problem,
                      const std::vector<double>& norms,
                      const DirectionWriter& writer, int part,
                      std::vector<FoundDirection>* directions) {
  SceneNamer(options, problem, norms, writer, directions).NamePart(part);
}

}  // namespace ceres::internal
