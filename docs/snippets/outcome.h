// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef VESTA_DOCS_SNIPPETS_OUTCOME_H_
#define VESTA_DOCS_SNIPPETS_OUTCOME_H_

// Prints how a solve of the documentation ended.

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>

#include "ceres/solver.h"

// Prints text in lines of at most 80 characters, broken at spaces.
inline void PrintWrapped(const std::string& text) {
  std::size_t column = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end =
        std::min(text.find_first_of(" \n", begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    if (column > 0 && column + 1 + word.size() > 80) {
      std::printf("\n    %s", word.c_str());
      column = 4 + word.size();
    } else {
      const char* separator = begin > 0 && text[begin - 1] == ' ' ? " " : "";
      column += std::printf("%s%s", separator, word.c_str());
    }
    if (end < text.size() && text[end] == '\n') {
      std::printf("\n");
      column = 0;
    }
    begin = end + 1;
  }
  std::printf("\n");
}

// Prints the termination type and the message. Leaves out what differs between
// processors: the sign of NaN, and the numbers of a convergence test.
inline void PrintOutcome(const ceres::Solver::Summary& summary) {
  std::string message = summary.message;
  if (summary.termination_type == ceres::CONVERGENCE) {
    message = message.substr(0, message.find(':'));
  }
  for (std::size_t i; (i = message.find("-nan")) != std::string::npos;) {
    message.erase(i, 1);
  }
  PrintWrapped(
      std::string(ceres::TerminationTypeToString(summary.termination_type)) +
      ": " + message);
}

#endif  // VESTA_DOCS_SNIPPETS_OUTCOME_H_
