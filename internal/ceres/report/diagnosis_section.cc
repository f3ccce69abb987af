// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/report/diagnosis_section.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ceres/base/format.h"
#include "ceres/diagnosis.h"
#include "ceres/diagnosis/moved_values.h"

namespace ceres::internal {
namespace {

constexpr std::size_t kMaxEntries = 6;
constexpr int kMaxMotionSamples = 300;
constexpr double kMaxSeconds = 60.0;

using Position = std::array<double, 3>;

// The positions of a scene that arrows start from: points, then poses.
std::vector<Position> Positions(const ReportScene& scene) {
  std::vector<Position> positions;
  const auto sample = [](std::size_t size) {
    return EvenSample(static_cast<int>(size), kMaxMotionSamples);
  };
  for (const int i : sample(scene.points.size())) {
    positions.push_back(scene.points[i]);
  }
  for (const int i : sample(scene.poses.size())) {
    positions.push_back(scene.poses[i].position);
  }
  return positions;
}

// The motions of the positions; the longest has length 1. Empty: nothing moves.
std::vector<Position> MotionsAlong(const Direction& direction,
                                   const HtmlReport::Options& options,
                                   Problem* problem) {
  MovedValues moved(direction, *problem->mutable_impl());
  const double step = moved.Step();
  if (!moved.MoveBy(step)) return {};
  const std::vector<Position> ahead = Positions(options.scene());
  if (!moved.MoveBy(-step)) return {};
  const std::vector<Position> behind = Positions(options.scene());
  if (ahead.size() != behind.size()) return {};
  std::vector<Position> motions(ahead.size());
  double longest = 0.0;
  double farthest = 0.0;
  for (std::size_t i = 0; i < motions.size(); ++i) {
    for (int k = 0; k < 3; ++k) {
      motions[i][k] = ahead[i][k] - behind[i][k];
      farthest = std::max(farthest, std::abs(ahead[i][k]));
    }
    longest = std::max(longest,
                       std::hypot(motions[i][0], motions[i][1], motions[i][2]));
  }
  // Below this, differences are rounding errors.
  if (!(longest > 1e-12 * farthest) || !std::isfinite(longest)) return {};
  for (Position& motion : motions) {
    for (double& x : motion) x /= longest;
  }
  return motions;
}

// The entries that matter most, with names: "camera 3 [4] -1".
std::vector<std::string> LargestEntries(const Diagnosis& diagnosis,
                                        const Direction& direction) {
  std::vector<Direction::Entry> entries = direction.entries;
  const auto size = [](const Direction::Entry& entry) {
    return std::abs(entry.effect != 0.0 ? entry.effect : entry.value);
  };
  std::stable_sort(
      entries.begin(), entries.end(),
      [&](const auto& a, const auto& b) { return size(a) > size(b); });
  std::vector<std::string> texts;
  for (std::size_t k = 0; k < std::min(entries.size(), kMaxEntries); ++k) {
    const Direction::Entry& entry = entries[k];
    const auto name =
        diagnosis.parameter_block_names.find(entry.parameter_block_index);
    const bool is_named =
        name != diagnosis.parameter_block_names.end() && !name->second.empty();
    texts.push_back((is_named
                         ? name->second
                         : Format("block %d", entry.parameter_block_index)) +
                    Format("[%d] %+.3g", entry.coordinate, entry.value));
  }
  return texts;
}

void Append(const Diagnosis& diagnosis,
            const std::vector<Direction>& directions,
            const HtmlReport::Options& options, Problem* problem,
            DiagnosisSection* section) {
  for (const Direction& direction : directions) {
    if (section->directions.size() == kMaxReportDirections) return;
    DiagnosedDirection shown;
    shown.kind = DirectionKindToString(direction.kind);
    shown.ratio = direction.ratio;
    shown.cause = direction.cause;
    shown.remedy = direction.remedy;
    shown.num_entries = static_cast<int>(direction.entries.size());
    shown.entries = LargestEntries(diagnosis, direction);
    if (options.scene) {
      shown.motions = MotionsAlong(direction, options, problem);
    }
    section->directions.push_back(std::move(shown));
  }
}

void WriteChecks(const Diagnosis& diagnosis, DiagnosisSection* section,
                 ResidualSection* residuals) {
  std::map<int, const ResidualCheck*> checks;
  for (const ResidualCheck& check : diagnosis.residual_blocks) {
    checks.emplace(check.residual_block_index, &check);
    section->num_unchecked += check.is_unchecked ? 1 : 0;
  }
  section->num_checked = static_cast<int>(checks.size());
  for (WorstBlock& block : residuals->worst) {
    const auto check = checks.find(block.index);
    if (check == checks.end()) continue;
    block.redundancy = check->second->redundancy;
    block.standardized = check->second->largest_standardized_residual;
  }
}

}  // namespace

DiagnosisSection CollectDiagnosis(const HtmlReport::Options& options,
                                  int num_threads, Problem* problem,
                                  ResidualSection* residuals) {
  DiagnosisOptions diagnosis_options;
  diagnosis_options.compute_redundancy = true;
  diagnosis_options.num_threads = std::max(1, num_threads);
  diagnosis_options.max_time_in_seconds = kMaxSeconds;
  diagnosis_options.parameter_block_name = options.parameter_block_name;
  diagnosis_options.scene = options.scene;
  const Diagnosis diagnosis = Diagnose(diagnosis_options, problem);
  DiagnosisSection section;
  section.is_made = true;
  section.message = diagnosis.message;
  section.rank_statement = diagnosis.rank_statement;
  section.num_coordinates = diagnosis.num_coordinates;
  section.num_undetermined = static_cast<int>(diagnosis.undetermined.size());
  section.num_weak = static_cast<int>(diagnosis.weak.size());
  Append(diagnosis, diagnosis.undetermined, options, problem, &section);
  Append(diagnosis, diagnosis.weak, options, problem, &section);
  if (!section.directions.empty() && options.scene) {
    section.positions = Positions(options.scene());
  }
  WriteChecks(diagnosis, &section, residuals);
  return section;
}

}  // namespace ceres::internal
