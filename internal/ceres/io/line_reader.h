// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_IO_LINE_READER_H_
#define CERES_INTERNAL_IO_LINE_READER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ceres::internal {

// The places at which '#' begins a comment.
enum class Comments { kAnywhere, kAtTheBeginOfLines };

// Cuts a text into lines, and lines into tokens. A line ends with LF, CR LF, CR
// or the text. Reads fail after the first failure; error() says which file and
// line, what was expected, and which token was found.
class LineReader {
 public:
  // Refers to its arguments. `name` says where the text came from.
  LineReader(std::string_view text, const std::string& name, Comments comments)
      : text_(text), name_(name), comments_(comments) {}

  // Goes to the next line, and returns false at the end of the text and after a
  // failure. Empty lines count.
  bool NextLine();

  // The first line is 1.
  int line() const { return line_; }

  // Tokens of the line that have not been read yet.
  int num_tokens_left() const {
    return static_cast<int>(tokens_.size() - next_);
  }

  // All that follows the token that was read last, without spaces at its ends.
  std::string_view RestOfLine() const;

  // The next token; empty at the end of the line.
  std::string_view NextToken();

  // Positions in the text: of the next token, and behind the last one.
  std::size_t NextPosition() const;
  std::size_t LastEnd() const;

  // An integer in [0, 2^64), a finite number. `what` names it in messages.
  [[nodiscard]] bool ReadId(const char* what, std::uint64_t* id);
  [[nodiscard]] bool ReadInteger(const char* what, std::int64_t lower,
                                 std::int64_t upper, std::int64_t* value);
  [[nodiscard]] bool ReadNumbers(const char* what, int count, double* values);
  // Four numbers, which are normalized; all but zero are accepted.
  [[nodiscard]] bool ReadQuaternion(double* quaternion);
  [[nodiscard]] bool ExpectEnd();

  // Records a failure in this line, or in another. Returns false.
  bool Fail(const std::string& message) { return FailInLine(line_, message); }
  bool FailInLine(int line, const std::string& message);
  bool Expected(const std::string& what, std::string_view found);

  const std::string& error() const { return error_; }

 private:
  std::string_view text_;
  const std::string& name_;
  Comments comments_;
  std::size_t position_ = 0;  // of the next line
  int line_ = 0;
  std::string_view content_;  // the line without its comment
  std::vector<std::string_view> tokens_;
  std::size_t next_ = 0;
  std::string error_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_IO_LINE_READER_H_
