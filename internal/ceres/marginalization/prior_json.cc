// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// The JSON format of LinearizedPrior, version 1:
//
//   {"format":"vesta.linearized_prior","version":1,
//    "blocks":[{"tangent_size":3,"point":[...]},...],"A":[[...],...],"b":[...]}

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ceres/base/format.h"
#include "ceres/base/json_reader.h"
#include "ceres/base/json_writer.h"
#include "ceres/linearized_prior.h"
#include "ceres/logging/logging.h"
#include "ceres/marginalization/prior_data.h"

namespace ceres {
namespace {

using internal::Format;
using internal::JsonValue;
using internal::kMaxPriorSize;
using internal::kPriorVersion;
using internal::PriorData;
using internal::Refuse;

constexpr char kJsonFormat[] = "vesta.linearized_prior";
// One line, with numbers that give the same bits again.
constexpr internal::JsonStyle kStyle = {0, 0, true};

// A JSON array of numbers.
bool ReadNumbers(const JsonValue* json, std::vector<double>* numbers) {
  if (json == nullptr || !json->Is(JsonValue::Kind::kArray)) return false;
  numbers->clear();
  for (const JsonValue& item : json->items) {
    if (!item.Is(JsonValue::Kind::kNumber)) return false;
    numbers->push_back(item.number);
  }
  return true;
}

Vector ToVector(const std::vector<double>& numbers) {
  return ConstVectorRef(numbers.data(), numbers.size());
}

bool ReadJsonBlocks(const JsonValue* blocks, PriorData* data) {
  if (blocks == nullptr || !blocks->Is(JsonValue::Kind::kArray) ||
      blocks->items.empty()) {
    return false;
  }
  std::vector<double> numbers;
  for (const JsonValue& block : blocks->items) {
    const JsonValue* tangent_size = block.Find("tangent_size");
    if (tangent_size == nullptr ||
        !tangent_size->Is(JsonValue::Kind::kNumber) ||
        !(tangent_size->number >= 0.0 &&
          tangent_size->number <= kMaxPriorSize) ||
        tangent_size->number != std::floor(tangent_size->number) ||
        !ReadNumbers(block.Find("point"), &numbers) || numbers.empty()) {
      return false;
    }
    data->tangent_size.push_back(static_cast<int>(tangent_size->number));
    data->points.push_back(ToVector(numbers));
  }
  return true;
}

bool ReadJsonMatrix(const JsonValue* rows, PriorData* data) {
  if (rows == nullptr || !rows->Is(JsonValue::Kind::kArray) ||
      rows->items.empty()) {
    return false;
  }
  const std::int64_t num_columns = data->num_columns();
  data->a.resize(static_cast<Eigen::Index>(rows->items.size()), num_columns);
  std::vector<double> numbers;
  for (std::size_t i = 0; i < rows->items.size(); ++i) {
    if (!ReadNumbers(&rows->items[i], &numbers) ||
        static_cast<std::int64_t>(numbers.size()) != num_columns) {
      return false;
    }
    data->a.row(static_cast<Eigen::Index>(i)) = ToVector(numbers).transpose();
  }
  return true;
}

}  // namespace

std::string LinearizedPrior::ToJson(std::string* error) const {
  if (!internal::CanBeWritten(*this, error)) return "";
  internal::JsonWriter json(kStyle);
  const auto add_numbers = [&json](const double* values, Eigen::Index size) {
    json.Value(values, static_cast<std::size_t>(size));
  };
  json.BeginObject();
  json.Member("format", kJsonFormat);
  json.Member("version", std::int64_t{kPriorVersion});
  json.Key("blocks").BeginArray();
  for (std::size_t k = 0; k < blocks_.size(); ++k) {
    json.BeginObject();
    json.Member("tangent_size", first_column_[k + 1] - first_column_[k]);
    json.Key("point");
    add_numbers(blocks_[k].point.data(), blocks_[k].point.size());
    json.EndObject();
  }
  json.EndArray();
  json.Key("A").BeginArray();
  for (Eigen::Index i = 0; i < A_.rows(); ++i) {
    add_numbers(A_.data() + i * A_.cols(), A_.cols());
  }
  json.EndArray();
  json.Key("b");
  add_numbers(b_.data(), b_.size());
  json.EndObject();
  return json.text();
}

std::unique_ptr<LinearizedPrior> LinearizedPrior::FromJson(
    const std::string& json, const std::vector<const Manifold*>& manifolds,
    std::string* error) {
  VESTA_CHECK(error != nullptr) << "LinearizedPrior::FromJson needs an error "
                                   "text; null was given.";
  JsonValue value;
  if (!internal::ReadJson(json, &value, error)) return nullptr;
  const JsonValue* format = value.Find("format");
  const JsonValue* version = value.Find("version");
  if (format == nullptr || format->text != kJsonFormat || version == nullptr) {
    return Refuse(error, "The JSON text is not that of a LinearizedPrior.");
  }
  if (version->number != kPriorVersion) {
    return Refuse(error, Format("The JSON text of the LinearizedPrior has "
                                "version %g; this library reads version %u.",
                                version->number, kPriorVersion));
  }
  PriorData prior;
  std::vector<double> b;
  if (!ReadJsonBlocks(value.Find("blocks"), &prior) ||
      !ReadJsonMatrix(value.Find("A"), &prior) ||
      !ReadNumbers(value.Find("b"), &b) ||
      static_cast<Eigen::Index>(b.size()) != prior.a.rows()) {
    return Refuse(error,
                  "The JSON text of the LinearizedPrior lacks a member, or its "
                  "sizes do not agree.");
  }
  prior.b = ToVector(b);
  return internal::MakePrior(std::move(prior), manifolds, error);
}

}  // namespace ceres
