// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// The texts of a Diagnosis.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "ceres/base/format.h"
#include "ceres/base/json_writer.h"
#include "ceres/diagnosis.h"
#include "ceres/diagnosis/direction_sentences.h"

namespace ceres {
namespace internal {
namespace {

constexpr std::size_t kMaxDirections = 20;
constexpr std::size_t kMaxEntries = 4;
constexpr std::size_t kMaxResidualBlocks = 10;

const char* StatusToString(Diagnosis::Status status) {
  switch (status) {
    case Diagnosis::Status::kComplete:
      return "kComplete";
    case Diagnosis::Status::kNotEvaluated:
      return "kNotEvaluated";
    case Diagnosis::Status::kStopped:
      return "kStopped";
    case Diagnosis::Status::kFailed:
      return "kFailed";
  }
  return "";
}

// "camera 3[4] -1, camera 7[4] 0.5 and 312 more".
std::string EntriesOf(const Diagnosis& diagnosis, const Direction& direction) {
  std::vector<const Direction::Entry*> entries;
  for (const Direction::Entry& entry : direction.entries) {
    entries.push_back(&entry);
  }
  const auto size = [](const Direction::Entry& entry) {
    return std::abs(entry.effect != 0.0 ? entry.effect : entry.value);
  };
  std::stable_sort(entries.begin(), entries.end(),
                   [&](const auto* a, const auto* b) {
                     return size(*a) > size(*b) * (1.0 + 1e-6);
                   });
  std::string text;
  for (std::size_t k = 0; k < std::min(entries.size(), kMaxEntries); ++k) {
    if (k > 0) text += ", ";
    text += NameOfBlock(diagnosis.parameter_block_names,
                        entries[k]->parameter_block_index) +
            Format("[%d] %.3g", entries[k]->coordinate, entries[k]->value);
  }
  if (entries.size() > kMaxEntries) {
    text +=
        Format(" and %d more", static_cast<int>(entries.size() - kMaxEntries));
  }
  return text;
}

void AppendDirections(const Diagnosis& diagnosis, const char* title,
                      const std::vector<Direction>& directions,
                      std::string* text) {
  if (directions.empty()) return;
  *text += std::string(title) + ":\n";
  for (std::size_t k = 0; k < std::min(directions.size(), kMaxDirections);
       ++k) {
    const Direction& direction = directions[k];
    *text += Format("%3d. %s: ", static_cast<int>(k) + 1,
                    DirectionKindToString(direction.kind)) +
             EntriesOf(diagnosis, direction) + "\n     " + direction.cause +
             "\n     " + direction.remedy + "\n";
  }
  if (directions.size() > kMaxDirections) {
    *text += Format("     and %d more\n",
                    static_cast<int>(directions.size() - kMaxDirections));
  }
}

void AppendScales(const Diagnosis& diagnosis, std::string* text) {
  const std::vector<BadlyScaledCoordinate>& list = diagnosis.badly_scaled;
  if (list.empty()) return;
  *text += "Badly scaled coordinates:\n";
  for (std::size_t k = 0; k < std::min(list.size(), kMaxDirections); ++k) {
    *text += "     " +
             NameOfBlock(diagnosis.parameter_block_names,
                         list[k].parameter_block_index) +
             Format("[%d]: column norm %.1e; use %.1e times a variable\n",
                    list[k].coordinate, list[k].column_norm, list[k].scale);
  }
  if (list.size() > kMaxDirections) {
    *text += Format("     and %d more\n",
                    static_cast<int>(list.size() - kMaxDirections));
  }
}

void AppendChecks(const Diagnosis& diagnosis, std::string* text) {
  if (diagnosis.residual_blocks.empty()) return;
  std::vector<std::size_t> unchecked;
  for (std::size_t k = 0; k < diagnosis.residual_blocks.size(); ++k) {
    if (diagnosis.residual_blocks[k].is_unchecked) unchecked.push_back(k);
  }
  *text +=
      Format("Residual blocks in which an error shows in no residual: %d of %d",
             static_cast<int>(unchecked.size()),
             static_cast<int>(diagnosis.residual_blocks.size()));
  for (std::size_t k = 0; k < std::min(unchecked.size(), kMaxResidualBlocks);
       ++k) {
    const ResidualCheck& check = diagnosis.residual_blocks[unchecked[k]];
    *text += (k == 0 ? ": " : ", ") +
             (check.tag.empty() ? "residual block " +
                                      std::to_string(check.residual_block_index)
                                : check.tag);
  }
  *text += unchecked.size() > kMaxResidualBlocks ? ", ...\n" : "\n";
}

void WriteDirections(const char* name, const std::vector<Direction>& directions,
                     JsonWriter* json) {
  json->Key(name).BeginArray();
  for (const Direction& direction : directions) {
    json->BeginObject();
    json->Member("kind", DirectionKindToString(direction.kind));
    json->Member("ratio", direction.ratio);
    json->Member("cause", direction.cause);
    json->Member("remedy", direction.remedy);
    json->Key("constraints").BeginArray();
    for (const std::string& name : direction.constraints) json->Value(name);
    json->EndArray();
    json->Key("entries").BeginArray();
    for (const Direction::Entry& entry : direction.entries) {
      json->BeginObject();
      json->Member("parameter_block", entry.parameter_block_index);
      json->Member("coordinate", entry.coordinate);
      json->Member("value", entry.value);
      json->Member("effect", entry.effect);
      json->EndObject();
    }
    json->EndArray();
    json->EndObject();
  }
  json->EndArray();
}

void WriteLists(const Diagnosis& diagnosis, JsonWriter* json) {
  json->Key("badly_scaled").BeginArray();
  for (const BadlyScaledCoordinate& scale : diagnosis.badly_scaled) {
    json->BeginObject();
    json->Member("parameter_block", scale.parameter_block_index);
    json->Member("coordinate", scale.coordinate);
    json->Member("column_norm", scale.column_norm);
    json->Member("scale", scale.scale);
    json->EndObject();
  }
  json->EndArray();
  json->Key("residual_blocks").BeginArray();
  for (const ResidualCheck& check : diagnosis.residual_blocks) {
    json->BeginObject();
    json->Member("residual_block", check.residual_block_index);
    json->Member("tag", check.tag);
    json->Member("redundancy", check.redundancy);
    json->Member("smallest_redundancy", check.smallest_redundancy);
    json->Member("is_unchecked", check.is_unchecked);
    json->Member("largest_standardized_residual",
                 check.largest_standardized_residual);
    json->Member("smallest_detectable_error", check.smallest_detectable_error);
    json->EndObject();
  }
  json->EndArray();
  json->Key("parameter_block_names").BeginArray();
  for (const auto& [index, name] : diagnosis.parameter_block_names) {
    json->BeginObject();
    json->Member("parameter_block", index);
    json->Member("name", name);
    json->EndObject();
  }
  json->EndArray();
}

}  // namespace
}  // namespace internal

const char* DirectionKindToString(DirectionKind kind) {
  switch (kind) {
    case DirectionKind::kNoResiduals:
      return "kNoResiduals";
    case DirectionKind::kLossFunction:
      return "kLossFunction";
    case DirectionKind::kZeroDerivative:
      return "kZeroDerivative";
    case DirectionKind::kNoInfluence:
      return "kNoInfluence";
    case DirectionKind::kGaugeTranslation:
      return "kGaugeTranslation";
    case DirectionKind::kGaugeRotation:
      return "kGaugeRotation";
    case DirectionKind::kGaugeScale:
      return "kGaugeScale";
    case DirectionKind::kGauge:
      return "kGauge";
    case DirectionKind::kNotConnected:
      return "kNotConnected";
    case DirectionKind::kTooFewResiduals:
      return "kTooFewResiduals";
    case DirectionKind::kCombination:
      return "kCombination";
    case DirectionKind::kHeldByBound:
      return "kHeldByBound";
    case DirectionKind::kHeldByPrior:
      return "kHeldByPrior";
    case DirectionKind::kHeldByConstraint:
      return "kHeldByConstraint";
    case DirectionKind::kWeak:
      return "kWeak";
  }
  return "";
}

std::string Diagnosis::ToString() const {
  using internal::Format;
  std::string text = Format(
      "%lld residuals in %lld residual blocks, %lld coordinates in %lld "
      "parameter blocks: rank %lld (at most %lld by structure).\n",
      static_cast<long long>(num_residuals),
      static_cast<long long>(num_residual_blocks),
      static_cast<long long>(num_coordinates),
      static_cast<long long>(num_parameter_blocks),
      static_cast<long long>(rank), static_cast<long long>(structural_rank));
  if (status != Status::kComplete) {
    text = "The diagnosis is not complete: " + message + "\n" + text;
  } else if (!message.empty()) {
    text = message + "\n" + text;
  }
  if (!rank_statement.empty()) text += rank_statement + "\n";
  internal::AppendDirections(*this, "Undetermined", undetermined, &text);
  internal::AppendDirections(*this, "Weak", weak, &text);
  internal::AppendDirections(
      *this, "Held by priors, bounds or constraints only", held, &text);
  internal::AppendScales(*this, &text);
  internal::AppendChecks(*this, &text);
  return text;
}

std::string Diagnosis::ToJson() const {
  internal::JsonStyle style;
  style.num_levels_on_lines = 2;
  style.is_exact = true;
  internal::JsonWriter json(style);
  json.BeginObject();
  json.Member("status", internal::StatusToString(status));
  json.Member("message", message);
  json.Member("num_parameter_blocks", num_parameter_blocks);
  json.Member("num_coordinates", num_coordinates);
  json.Member("num_residual_blocks", num_residual_blocks);
  json.Member("num_residuals", num_residuals);
  json.Member("structural_rank", structural_rank);
  json.Member("rank", rank);
  json.Member("largest_null_ratio", largest_null_ratio);
  json.Member("smallest_ratio", smallest_ratio);
  json.Member("is_rank_certain", is_rank_certain);
  json.Member("rank_statement", rank_statement);
  json.Member("variance_factor", variance_factor);
  internal::WriteDirections("undetermined", undetermined, &json);
  internal::WriteDirections("weak", weak, &json);
  internal::WriteDirections("held", held, &json);
  internal::WriteLists(*this, &json);
  json.EndObject();
  return json.text();
}

}  // namespace ceres
