// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/report/type_names.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

namespace ceres::internal {
namespace {

void RemoveAll(std::string_view part, std::string* text) {
  for (std::size_t at = text->find(part); at != std::string::npos;
       at = text->find(part, at)) {
    text->erase(at, part.size());
  }
}

// The first template argument of "Name<A, B>" if Name is one of the cost
// functions that differentiate a functor; else the whole name.
std::string FunctorOf(const std::string& name) {
  constexpr std::string_view kSuffix = "DiffCostFunction";
  const std::size_t open = name.find('<');
  if (open == std::string::npos || open < kSuffix.size() ||
      name.compare(open - kSuffix.size(), kSuffix.size(), kSuffix) != 0) {
    return name;
  }
  int depth = 0;
  for (std::size_t i = open; i < name.size(); ++i) {
    if (name[i] == '<' || name[i] == '(') ++depth;
    if (name[i] == '>' || name[i] == ')') --depth;
    const bool ends =
        (name[i] == ',' && depth == 1) || (name[i] == '>' && depth == 0);
    if (ends) return name.substr(open + 1, i - open - 1);
  }
  return name;
}

}  // namespace

std::string ShortTypeName(const std::string& demangled) {
  std::string name = demangled;
  RemoveAll("(anonymous namespace)::", &name);
  // The name of GCC 12 and earlier.
  RemoveAll("{anonymous}::", &name);
  name = FunctorOf(name);
  RemoveAll("ceres::examples::", &name);
  RemoveAll("ceres::", &name);
  return name;
}

std::string ReadableTypeName(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> demangled(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), std::free);
  return ShortTypeName(status == 0 ? demangled.get() : type.name());
}

}  // namespace ceres::internal
