// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// The enumerations of the API: one table for each.

#ifndef VESTA_PYTHON_ENUMS_H_
#define VESTA_PYTHON_ENUMS_H_

#include <vector>

#include "ceres/types.h"

namespace vesta::python {

template <typename E>
struct Enumerator {
  const char* name;
  E value;
  const char* doc;
};

// Specializations have `name`, the name of the enumeration, and the table
// `Enumerators()`.
template <typename E>
struct EnumTraits;

#define VESTA_ENUM_TRAITS(E)                                       \
  template <>                                                      \
  struct EnumTraits<ceres::E> {                                    \
    static constexpr const char* name = #E;                        \
    static const std::vector<Enumerator<ceres::E>>& Enumerators(); \
  }
VESTA_ENUM_TRAITS(Ownership);
VESTA_ENUM_TRAITS(LinearSolverType);
VESTA_ENUM_TRAITS(PreconditionerType);
VESTA_ENUM_TRAITS(VisibilityClusteringType);
VESTA_ENUM_TRAITS(JacobianStorage);
VESTA_ENUM_TRAITS(SparseLinearAlgebraLibraryType);
VESTA_ENUM_TRAITS(LinearSolverOrderingType);
VESTA_ENUM_TRAITS(DenseLinearAlgebraLibraryType);
VESTA_ENUM_TRAITS(LoggingType);
VESTA_ENUM_TRAITS(MinimizerType);
VESTA_ENUM_TRAITS(LineSearchDirectionType);
VESTA_ENUM_TRAITS(NonlinearConjugateGradientType);
VESTA_ENUM_TRAITS(LineSearchType);
VESTA_ENUM_TRAITS(TrustRegionStrategyType);
VESTA_ENUM_TRAITS(DoglegType);
VESTA_ENUM_TRAITS(TerminationType);
VESTA_ENUM_TRAITS(CallbackReturnType);
VESTA_ENUM_TRAITS(DumpFormatType);
VESTA_ENUM_TRAITS(LineSearchInterpolationType);
VESTA_ENUM_TRAITS(CovarianceAlgorithmType);
VESTA_ENUM_TRAITS(NumericDiffMethodType);
#undef VESTA_ENUM_TRAITS

}  // namespace vesta::python

#endif  // VESTA_PYTHON_ENUMS_H_
