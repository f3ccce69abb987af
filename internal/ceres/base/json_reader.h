// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_BASE_JSON_READER_H_
#define CERES_INTERNAL_BASE_JSON_READER_H_

#include <string>
#include <utility>
#include <vector>

#include "ceres/parallel/detail/export.h"

namespace ceres::internal {

// A JSON value (RFC 8259). In texts, escape sequences are replaced by the
// characters, in UTF-8, that they stand for.
struct JsonValue {
  enum class Kind { kNull, kBool, kNumber, kString, kArray, kObject };
  Kind kind = Kind::kNull;
  bool truth = false;
  double number = 0.0;
  std::string text;
  std::vector<JsonValue> items;
  std::vector<std::pair<std::string, JsonValue>> members;

  bool Is(Kind wanted) const { return kind == wanted; }
  // The first member with this name, or null.
  CERES_PARALLEL_EXPORT const JsonValue* Find(const std::string& name) const;
};

// Reads one value with nothing but spaces around it. Returns false and says
// what is wrong, at which line and column (in bytes), if the text is not JSON,
// or if it is nested more than 64 levels deep. Numbers are read exactly, in
// every locale; those beyond the range of double are errors.
CERES_PARALLEL_EXPORT bool ReadJson(const std::string& json, JsonValue* value,
                                    std::string* error);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_BASE_JSON_READER_H_
