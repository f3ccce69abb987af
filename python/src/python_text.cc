// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "python_text.h"

#include <cctype>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace vesta::python {
namespace {

// Functions that messages name without their class.
const std::set<std::string>& Functions() {
  static const auto* const names = new std::set<std::string>{
      "AddEqualityConstraint",
      "AddInequalityConstraint",
      "AddParameterBlock",
      "AddResidualBlock",
      "SetManifold",
      "SetParameterBlockConstant",
      "SetParameterBlockVariable",
      "SetParameterLowerBound",
      "SetParameterUpperBound",
  };
  return *names;
}

// Classes whose functions and fields messages name. So do those of options.
const std::set<std::string>& Classes() {
  static const auto* const names = new std::set<std::string>{
      "Covariance", "Diagnosis", "HtmlReport", "Problem", "Solver",
  };
  return *names;
}

// Names that the rules do not give.
const std::map<std::string, std::string>& Exceptions() {
  static const auto* const names = new std::map<std::string, std::string>{
      {"ceres::Solve", "solve"},
      {"DiagnosisOptions::max_time_in_seconds", "max_time"},
      {"Solver::Options", "SolverOptions"},
      {"Covariance::Options", "CovarianceOptions"},
      {"ceres::SolveMany", "fit_many"},
      {"SolveGraduated", "robust losses"},
      {"GradientChecker", "finite differences"},
      {"HtmlReport::Options::trace", "C++ programs can record one"},
  };
  return *names;
}

bool IsUpper(char c) { return std::isupper(static_cast<unsigned char>(c)); }
bool IsWord(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

bool IsOptions(const std::string& name) {
  const std::string end = "Options";
  return name.size() >= end.size() &&
         name.compare(name.size() - end.size(), end.size(), end) == 0;
}

// AddResidualBlock -> add_residual_block.
std::string SnakeCase(const std::string& name) {
  std::string result;
  for (const char c : name) {
    if (IsUpper(c) && !result.empty()) result += '_';
    result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return result;
}

std::vector<std::string> Split(const std::string& name) {
  std::vector<std::string> parts;
  size_t at = 0;
  for (size_t end; (end = name.find("::", at)) != std::string::npos;) {
    parts.push_back(name.substr(at, end - at));
    at = end + 2;
  }
  parts.push_back(name.substr(at));
  return parts;
}

std::string PythonName(const std::string& name) {
  const auto exception = Exceptions().find(name);
  if (exception != Exceptions().end()) return exception->second;
  std::vector<std::string> parts = Split(name);
  if (parts.size() > 1 && parts[0] == "ceres") parts.erase(parts.begin());
  const std::string last = parts.back();
  if (parts.size() == 1) {
    return Functions().count(last) != 0 ? SnakeCase(last) : last;
  }
  // Options have their names alone.
  if (IsOptions(parts[parts.size() - 2])) return last;
  // Types of our own.
  if (parts[0] == "vesta") return last;
  if (Classes().count(parts[0]) == 0) return name;
  if (parts[0] == "Solver") parts.erase(parts.begin());
  const bool is_function = parts.size() > 1 && IsUpper(last[0]);
  std::string result;
  for (size_t k = 0; k + 1 < parts.size(); ++k) result += parts[k] + ".";
  return result + (is_function ? SnakeCase(last) : last);
}

}  // namespace

std::string PythonText(const std::string& message) {
  std::string result;
  size_t at = 0;
  while (at < message.size()) {
    size_t end = at;
    while (end < message.size() &&
           (IsWord(message[end]) ||
            (end > at && message.compare(end, 2, "::") == 0 &&
             end + 2 < message.size() && IsWord(message[end + 2])))) {
      end += message[end] == ':' ? 2 : 1;
    }
    if (end == at) {
      result += message[at++];
      continue;
    }
    const std::string name = message.substr(at, end - at);
    const bool is_plain =
        !IsUpper(name[0]) && name.find(':') == std::string::npos;
    result += is_plain ? name : PythonName(name);
    at = end;
  }
  return result;
}

}  // namespace vesta::python
