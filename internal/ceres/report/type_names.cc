// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/report/type_names.h"

#if defined(__GNUC__)
#include <cxxabi.h>
#endif

#include <cctype>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

namespace ceres::internal {
namespace {

// True if an identifier or a qualified name goes on at text[at].
bool ContinuesName(const std::string& text, std::size_t at) {
  if (at == 0) return false;
  const char before = text[at - 1];
  return std::isalnum(static_cast<unsigned char>(before)) != 0 ||
         before == '_' || before == ':';
}

void RemoveAll(std::string_view part, std::string* text) {
  for (std::size_t at = text->find(part); at != std::string::npos;
       at = text->find(part, at)) {
    text->erase(at, part.size());
  }
}

// Removes `name` where no longer name ends with it: an outermost namespace, or
// a keyword.
void RemoveWhole(std::string_view name, std::string* text) {
  for (std::size_t at = text->find(name); at != std::string::npos;
       at = text->find(name, at)) {
    if (ContinuesName(*text, at)) {
      ++at;
    } else {
      text->erase(at, name.size());
    }
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
  // The name of GCC 12 and earlier, and that of MSVC.
  RemoveAll("{anonymous}::", &name);
  RemoveAll("`anonymous namespace'::", &name);
  // MSVC says what a type is.
  for (const char* kind : {"class ", "struct ", "enum "}) {
    RemoveWhole(kind, &name);
  }
  name = FunctorOf(name);
  RemoveWhole("ceres::examples::", &name);
  RemoveWhole("ceres::", &name);
  return name;
}

std::string ReadableTypeName(const std::type_info* type) {
  if (type == nullptr) return "class without type information";
#if defined(__GNUC__)
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> demangled(
      abi::__cxa_demangle(type->name(), nullptr, nullptr, &status), std::free);
  return ShortTypeName(status == 0 ? demangled.get() : type->name());
#else
  return ShortTypeName(type->name());
#endif
}

}  // namespace ceres::internal
