// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "ceres/base/format.h"
#include "ceres/diagnosis.h"
#include "ceres/diagnosis/diagnose_problem.h"
#include "ceres/problem/problem_impl.h"

namespace ceres::internal {
namespace {

// A failure must reach the user soon.
constexpr double kMaxSeconds = 10.0;

std::string Count(std::size_t n) {
  return Format("%d direction%s", static_cast<int>(n), n == 1 ? "" : "s");
}

std::string ToSentences(const Diagnosis& diagnosis,
                        std::size_t max_directions) {
  std::vector<const Direction*> directions;
  for (const Direction& direction : diagnosis.undetermined) {
    // A block without residuals is in no matrix.
    if (direction.kind != DirectionKind::kNoResiduals) {
      directions.push_back(&direction);
    }
  }
  std::string counts;
  if (!directions.empty()) {
    counts = " leave " + Count(directions.size()) + " undetermined";
  }
  if (!diagnosis.weak.empty()) {
    counts += directions.empty() ? " determine " : " and determine ";
    counts += Count(diagnosis.weak.size()) + " weakly";
  }
  for (const Direction& direction : diagnosis.weak) {
    directions.push_back(&direction);
  }
  if (directions.empty()) return "";

  // Several directions of one block may have the same sentences.
  std::vector<std::string> sentences;
  for (const Direction* direction : directions) {
    std::string own = direction->cause + ' ' + direction->remedy;
    if (std::find(sentences.begin(), sentences.end(), own) != sentences.end()) {
      continue;
    }
    if (sentences.size() == max_directions) break;
    sentences.push_back(std::move(own));
  }
  std::string text = " The residuals" + counts + ".";
  for (std::size_t k = 0; k < sentences.size(); ++k) {
    text += Format(" (%d) ", static_cast<int>(k) + 1) + sentences[k];
  }
  return text + " Diagnose has all data.";
}

}  // namespace

std::string DescribeDirections(DiagnosisOptions options,
                               std::size_t max_directions,
                               ProblemImpl* problem) noexcept {
  try {
    options.max_time_in_seconds =
        std::min(options.max_time_in_seconds, kMaxSeconds);
    Diagnosis diagnosis;
    DiagnoseProblem(options, problem, &diagnosis);
    if (diagnosis.status != Diagnosis::Status::kComplete) return "";
    return ToSentences(diagnosis, max_directions);
  } catch (...) {
    // User code throws, or memory is lacking.
    return "";
  }
}

}  // namespace ceres::internal
