// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_BASE_JSON_WRITER_H_
#define CERES_INTERNAL_BASE_JSON_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "ceres/parallel/detail/export.h"

namespace ceres::internal {

// How a JsonWriter writes.
struct JsonStyle {
  // Members and elements of the outermost levels stand on lines of their own,
  // but not the elements of a list that is written as one value. The rest is
  // written without spaces.
  int num_levels_on_lines = 0;
  // Spaces per level in front of such a line.
  int indent = 2;
  // Numbers have as many digits as give the same bits again, and NaN and the
  // infinities, which JSON lacks, are the strings "NaN", "Infinity" and
  // "-Infinity". Otherwise numbers have six significant digits, and those that
  // JSON lacks are null.
  bool is_exact = false;
};

// Writes nested JSON (RFC 8259), the same in every locale. For one thread. The
// caller sees to it that each member of an object has a key and that each Begin
// has its End.
//
//   JsonWriter json;
//   json.BeginObject();
//   json.Key("sizes").BeginArray();
//   json.Value(1).Value(2);
//   json.EndArray();
//   json.EndObject();
//   json.text();  // {"sizes":[1,2]}
//
// Texts are UTF-8 (RFC 3629). Each byte of a text that is not part of a UTF-8
// sequence becomes the replacement character U+FFFD: messages of user code may
// contain such bytes.
class CERES_PARALLEL_EXPORT JsonWriter {
 public:
  explicit JsonWriter(const JsonStyle& style = {}) : style_(style) {}

  JsonWriter& BeginObject() { return Begin('{'); }
  JsonWriter& EndObject() { return End('}'); }
  JsonWriter& BeginArray() { return Begin('['); }
  JsonWriter& EndArray() { return End(']'); }

  // The name of the next member. It has no character that JSON escapes.
  JsonWriter& Key(std::string_view name);

  JsonWriter& Value(std::string_view text);
  JsonWriter& Value(const std::string& text) {
    return Value(std::string_view(text));
  }
  JsonWriter& Value(const char* text) { return Value(std::string_view(text)); }
  JsonWriter& Value(bool value);
  JsonWriter& Value(int value) { return Value(std::int64_t{value}); }
  JsonWriter& Value(std::int64_t value);
  JsonWriter& Value(double value);
  // An array of numbers.
  template <typename T>
  JsonWriter& Value(const T* values, std::size_t size);
  template <typename T>
  JsonWriter& Value(const std::vector<T>& values) {
    return Value(values.data(), values.size());
  }
  // A value that is JSON already, or members of an object with commas between
  // them.
  JsonWriter& Json(std::string_view json);

  template <typename T>
  JsonWriter& Member(std::string_view name, const T& value) {
    return Key(name).Value(value);
  }

  const std::string& text() const { return text_; }
  // Moves the text to a stream, whatever the format of the stream is.
  void FlushTo(std::ostream* out);

 private:
  JsonWriter& Begin(char bracket);
  JsonWriter& End(char bracket);
  // Writes what stands between the last value and the next.
  void Separate();
  void BreakLine();

  const JsonStyle style_;
  std::string text_;
  int depth_ = 0;
  bool needs_comma_ = false;
  bool is_after_key_ = false;
};

template <typename T>
JsonWriter& JsonWriter::Value(const T* values, std::size_t size) {
  Separate();
  text_ += '[';
  for (std::size_t i = 0; i < size; ++i) {
    if (i > 0) text_ += ',';
    is_after_key_ = true;  // nothing else stands between these values
    Value(values[i]);
  }
  text_ += ']';
  return *this;
}

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_BASE_JSON_WRITER_H_
