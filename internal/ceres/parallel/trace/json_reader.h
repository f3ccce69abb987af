// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_TRACE_JSON_READER_H_
#define CERES_INTERNAL_PARALLEL_TRACE_JSON_READER_H_

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace ceres::parallel::detail {

// Reads JSON (RFC 8259) value by value, without building a tree: the caller
// says what it expects next. What is not there ends in std::runtime_error with
// the position.
class JsonReader {
 public:
  // text outlives the reader.
  explicit JsonReader(std::string_view text) : text_(text) {}

  // Calls member(key) for each member; member reads its value, or skips it.
  template <typename Member>
  void ReadObject(const Member& member) {
    Expect('{');
    if (Accept('}')) return;
    do {
      const std::string key = ReadString();
      Expect(':');
      member(key);
    } while (Accept(','));
    Expect('}');
  }

  // Calls element() for each element; element reads it, or skips it.
  template <typename Element>
  void ReadArray(const Element& element) {
    Expect('[');
    if (Accept(']')) return;
    do {
      element();
    } while (Accept(','));
    Expect(']');
  }

  std::string ReadString();
  double ReadNumber();
  // Any value. Nesting is limited, so that no file can exhaust the stack.
  void Skip() { Skip(0); }
  void ExpectEnd();

  [[noreturn]] void Fail(const std::string& expected) const {
    throw std::runtime_error("not a trace: at byte " +
                             std::to_string(position_) + " expected " +
                             expected);
  }

 private:
  void Skip(int depth);
  char Peek();  // Behind white space; 0 at the end.
  void Expect(char c);
  bool Accept(char c);
  void ExpectWord(std::string_view word);
  void AppendEscaped(std::string* string);

  const std::string_view text_;
  std::size_t position_ = 0;
};

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_TRACE_JSON_READER_H_
