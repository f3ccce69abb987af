// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Says what a trace that ceres::parallel::Trace::WriteJson wrote tells about a
// program: work, span, parallelism, time lost, and how fast it would be with
// more threads.
//
//   trace_summary trace.json        or  trace_summary < trace.json

#include "ceres/parallel/trace_summary.h"

#include <exception>
#include <fstream>
#include <iostream>
#include <string>

namespace {

int Print(std::istream& json, const std::string& name) {
  try {
    std::cout << ceres::parallel::SummarizeJson(json);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "trace_summary: " << name << ": " << error.what() << "\n";
    return 1;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 1) return Print(std::cin, "standard input");
  if (argc > 2 || argv[1][0] == '-') {
    std::cerr << "usage: trace_summary [trace.json]\n";
    return 2;
  }
  std::ifstream file(argv[1]);
  if (!file) {
    std::cerr << "trace_summary: cannot open " << argv[1] << "\n";
    return 1;
  }
  return Print(file, argv[1]);
}
