// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/diagnosis/direction_sentences.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include "ceres/base/format.h"

namespace ceres::internal {
namespace {

constexpr std::size_t kMaxNames = 3;

std::string Plural(std::size_t count, const char* noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

// Entries are sorted by parameter block.
std::size_t NumBlocks(const Direction& direction) {
  std::size_t count = 0;
  int last = -1;
  for (const Direction::Entry& entry : direction.entries) {
    if (entry.parameter_block_index != last) ++count;
    last = entry.parameter_block_index;
  }
  return count;
}

// "coordinate 2 of camera 7", or "12 coordinates of camera 7, camera 8".
std::string Coordinates(const std::map<int, std::string>& names,
                        const Direction& direction) {
  const std::string blocks = BlocksOf(names, direction);
  if (direction.entries.size() == 1) {
    return "coordinate " + std::to_string(direction.entries[0].coordinate) +
           " of " + blocks;
  }
  return Plural(direction.entries.size(), "coordinate") + " of " + blocks;
}

// The names of constraints, in quotes.
std::string Constraints(const Direction& direction) {
  const std::vector<std::string>& names = direction.constraints;
  std::string text = names.size() == 1 ? "the constraint" : "the constraints";
  for (std::size_t k = 0; k < std::min(names.size(), kMaxNames); ++k) {
    text += std::string(k == 0 ? " \"" : ", \"") + names[k] + '"';
  }
  if (names.size() > kMaxNames) {
    text += " and " + std::to_string(names.size() - kMaxNames) + " more";
  }
  return text;
}

std::string Combination(const std::map<int, std::string>& names,
                        const Direction& direction) {
  return (direction.entries.size() > 1 ? "this combination of " : "") +
         Coordinates(names, direction);
}

// The numbers of values of the parameter blocks: "size 3", "sizes 3, 4 and 6".
std::string SizesOf(const ProblemImpl& problem, const Direction& direction) {
  std::set<int> sizes;
  for (const Direction::Entry& entry : direction.entries) {
    sizes.insert(
        problem.parameter_blocks()[entry.parameter_block_index]->size());
  }
  std::string text = sizes.size() == 1 ? "size " : "sizes ";
  for (auto size = sizes.begin(); size != sizes.end(); ++size) {
    if (size != sizes.begin()) {
      text += std::next(size) == sizes.end() ? " and " : ", ";
    }
    text += std::to_string(*size);
  }
  return text;
}

struct Sentences {
  std::string cause;
  const char* remedy;
};

Sentences OfGauge(const ProblemImpl& problem, const Direction& direction,
                  const std::string& blocks, const std::string& motion) {
  const std::string moving =
      Plural(NumBlocks(direction), "parameter block") + " (" + blocks + ")";
  switch (direction.kind) {
    case DirectionKind::kGaugeTranslation:
      return {moving +
                  " can be shifted together: the residuals depend on relative "
                  "positions only.",
              "Set one position constant, or add a prior to one."};
    case DirectionKind::kGaugeRotation:
      return {moving +
                  " can be turned together: the residuals do not depend on the "
                  "orientation of the whole.",
              "Set one pose constant, or add a prior to one."};
    case DirectionKind::kGaugeScale:
      return {
          moving +
              " can be scaled together: the residuals do not depend on the "
              "size of the whole.",
          "Hold one distance: add a residual block for a known distance, or "
          "set two positions constant."};
    case DirectionKind::kNotConnected:
      return {
          "A part of " + moving + " can " + (motion.empty() ? "move" : motion) +
              " as a whole: no residual block connects it to the rest.",
          "Add residual blocks between the part and the rest, or set one of "
          "its parameter blocks constant."};
    default:
      return {"All " + std::to_string(NumBlocks(direction)) +
                  " connected parameter blocks of " +
                  SizesOf(problem, direction) + " (" + blocks +
                  ") move together: looks like a gauge freedom.",
              "Set one of them constant, or add a prior to one."};
  }
}

Sentences OfOther(const std::map<int, std::string>& names,
                  const Direction& direction, const std::string& blocks,
                  const std::string& motion) {
  switch (direction.kind) {
    case DirectionKind::kNoResiduals:
      return {
          "No residual block depends on " + blocks + ".",
          "Add residual blocks, set the parameter block constant, or remove "
          "it."};
    case DirectionKind::kLossFunction:
      return {
          "Loss functions have made the residual blocks ineffective that "
          "would determine " +
              Coordinates(names, direction) + ".",
          "Start closer to the solution, use a wider loss function, or "
          "remove the parameter blocks that only outliers determine."};
    case DirectionKind::kZeroDerivative:
      return {"The residuals depend on " + Combination(names, direction) +
                  ", but not to first order at these values: they are at a "
                  "saddle or in a symmetric position.",
              "Start from other values."};
    case DirectionKind::kNoInfluence:
      return {"No residual changes with " + Coordinates(names, direction) +
                  " near these values.",
              "Check that the cost functions use the coordinate and write its "
              "derivatives. Start where it has an effect, or hold it constant "
              "with a SubsetManifold."};
    case DirectionKind::kTooFewResiduals:
      return {"The residuals that depend on " + blocks +
                  " are fewer than its coordinates.",
              "Add observations or a prior, or remove the parameter block."};
    case DirectionKind::kHeldByBound:
      return {"No residual determines " + Combination(names, direction) +
                  ": only bounds end the motion.",
              "Add residual blocks or a prior, or hold a coordinate constant."};
    case DirectionKind::kHeldByPrior:
      return {
          "Only priors (residual blocks of one parameter block) determine " +
              Combination(names, direction) + ".",
          "If the priors are not trustworthy, add observations."};
    case DirectionKind::kHeldByConstraint:
      return {
          "No residual determines " + Combination(names, direction) +
              ": only " + Constraints(direction) + " hold" +
              (direction.constraints.size() == 1 ? "s" : "") + " it.",
          "None, if the constraints are exact. Otherwise use residual blocks "
          "with the accuracy of the condition, or add observations."};
    case DirectionKind::kWeak:
      return {
          "The residuals determine " + Combination(names, direction) +
              Format(" by %.1e of what they determine best.", direction.ratio),
          "Add observations that tell the coordinates apart, add a prior, "
          "or hold a coordinate constant."};
    default:
      if (!motion.empty()) {
        return {"The values of " + blocks + " can " + motion +
                    ": the residuals depend on their ratios only.",
                "Give the parameter block a manifold: QuaternionManifold or "
                "EigenQuaternionManifold for a rotation, SphereManifold for a "
                "direction or homogeneous coordinates. If the length should "
                "count, add residual blocks that determine it."};
      }
      if (direction.entries.size() == 1) {
        return {Coordinates(names, direction) +
                    " can change without a change of any residual at these "
                    "values, and together with others elsewhere: the residuals "
                    "determine only a combination of them.",
                "Hold one of the coordinates constant, give the parameter "
                "block a manifold, or add a residual block that determines "
                "one of them by itself."};
      }
      return {Coordinates(names, direction) +
                  " can change together without a change of any residual: the "
                  "residuals determine only a combination of them.",
              "Hold one of the coordinates constant, or add a residual block "
              "that determines one of them by itself."};
  }
}

}  // namespace

std::string NameOfBlock(const std::map<int, std::string>& names, int index) {
  const auto found = names.find(index);
  return found != names.end() ? found->second
                              : "parameter block " + std::to_string(index);
}

std::string BlocksOf(const std::map<int, std::string>& names,
                     const Direction& direction) {
  std::vector<std::pair<int, double>> blocks;  // Index and size of the motion.
  for (const Direction::Entry& entry : direction.entries) {
    const double size =
        std::abs(entry.effect != 0.0 ? entry.effect : entry.value);
    if (blocks.empty() || blocks.back().first != entry.parameter_block_index) {
      blocks.emplace_back(entry.parameter_block_index, 0.0);
    }
    blocks.back().second = std::max(blocks.back().second, size);
  }
  const std::size_t num_names = std::min(blocks.size(), kMaxNames);
  std::partial_sort(
      blocks.begin(), blocks.begin() + static_cast<std::ptrdiff_t>(num_names),
      blocks.end(), [](const auto& a, const auto& b) {
        return a.second != b.second ? a.second > b.second : a.first < b.first;
      });
  std::string text;
  for (std::size_t k = 0; k < num_names; ++k) {
    if (k > 0) text += ", ";
    text += NameOfBlock(names, blocks[k].first);
  }
  if (blocks.size() > kMaxNames) {
    text += " and " + std::to_string(blocks.size() - kMaxNames) + " more";
  }
  return text;
}

void WriteSentences(const std::map<int, std::string>& names,
                    const ProblemImpl& problem, const std::string& motion,
                    Direction* direction) {
  const std::string blocks = BlocksOf(names, *direction);
  const bool is_gauge = direction->kind >= DirectionKind::kGaugeTranslation &&
                        direction->kind <= DirectionKind::kNotConnected;
  const Sentences sentences = is_gauge
                                  ? OfGauge(problem, *direction, blocks, motion)
                                  : OfOther(names, *direction, blocks, motion);
  direction->cause = sentences.cause;
  direction->remedy = sentences.remedy;
}

}  // namespace ceres::internal
