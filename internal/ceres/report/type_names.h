// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_REPORT_TYPE_NAMES_H_
#define CERES_INTERNAL_REPORT_TYPE_NAMES_H_

#include <string>
#include <typeinfo>

namespace ceres::internal {

// The name of a class for people: demangled, without anonymous namespaces and
// `ceres::`. A cost function that differentiates a functor has the name of the
// functor: "Reprojection" for AutoDiffCostFunction<Reprojection, 2, 9, 3>.
std::string ReadableTypeName(const std::type_info* type);

// The same for a demangled name.
std::string ShortTypeName(const std::string& demangled);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_REPORT_TYPE_NAMES_H_
