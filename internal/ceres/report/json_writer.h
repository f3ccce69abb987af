// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_REPORT_JSON_WRITER_H_
#define CERES_INTERNAL_REPORT_JSON_WRITER_H_

#include <cstdint>
#include <string>
#include <vector>

namespace ceres::internal {

// Writes nested JSON (RFC 8259) without spaces. For one thread. The caller sees
// to it that each member of an object has a key and that each Begin has its
// End. Numbers that JSON does not have are null.
//
//   JsonWriter json;
//   json.BeginObject();
//   json.Key("sizes").BeginArray();
//   json.Value(1).Value(2);
//   json.EndArray();
//   json.EndObject();
//   json.text();  // {"sizes":[1,2]}
class JsonWriter {
 public:
  JsonWriter& BeginObject() { return Begin('{'); }
  JsonWriter& EndObject() { return End('}'); }
  JsonWriter& BeginArray() { return Begin('['); }
  JsonWriter& EndArray() { return End(']'); }

  JsonWriter& Key(const char* name);

  JsonWriter& Value(const std::string& text);
  JsonWriter& Value(const char* text) { return Value(std::string(text)); }
  JsonWriter& Value(bool value);
  JsonWriter& Value(int value) { return Value(std::int64_t{value}); }
  JsonWriter& Value(std::int64_t value);
  // Six significant digits, in every locale.
  JsonWriter& Value(double value);
  template <typename T>
  JsonWriter& Value(const std::vector<T>& values) {
    BeginArray();
    for (const T& value : values) Value(value);
    return EndArray();
  }

  template <typename T>
  JsonWriter& Member(const char* name, const T& value) {
    return Key(name).Value(value);
  }

  const std::string& text() const { return text_; }

 private:
  JsonWriter& Begin(char bracket);
  JsonWriter& End(char bracket);
  // Writes the comma in front of all values but the first.
  void Separate();

  std::string text_;
  bool needs_comma_ = false;
};

// Returns the same JSON in a form that a <script> element of an HTML page can
// contain: no '<', and no line terminators of JavaScript other than newline.
std::string JsonForScript(const std::string& json);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_REPORT_JSON_WRITER_H_
