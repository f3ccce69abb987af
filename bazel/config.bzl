# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

"""What ceres/internal/config.h says of a build.

This file is valid Python as well: tests/bazel/config_header_test.py runs it and compares its result with CMake's.
"""

def features_of_flags(flags):
    """Returns the features of a build whose command line has these flags, as CMake would find them."""
    return {
        "ceres_2_3": flags["ceres_2_3"],
        "cholmod_float": False,  # Needs CHOLMOD 5.1.
        "cholmod_partition": flags["suitesparse"],
        "custom_blas": True,
        "eigen_sparse": True,
        "glog": flags["glog"],
        "lapack": flags["lapack"],
        "lapack_is_openblas": flags["lapack"],
        "metis": flags["metis"],
        "suitesparse": flags["suitesparse"],
    }

def config_macros(features):
    """Returns whether each macro that cmake/config.h.in leaves to the build is defined."""
    return {
        "CERES_NO_CHOLMOD_FLOAT": not features["cholmod_float"],
        "CERES_NO_CHOLMOD_PARTITION": not features["cholmod_partition"],
        "CERES_NO_CUSTOM_BLAS": not features["custom_blas"],
        "CERES_NO_EIGEN_METIS": not features["metis"],
        "CERES_NO_LAPACK": not features["lapack"],
        "CERES_NO_SUITESPARSE": not features["suitesparse"],
        "CERES_USE_EIGEN_SPARSE": features["eigen_sparse"],
        "VESTA_CERES_2_3": features["ceres_2_3"],
        "VESTA_LAPACK_IS_OPENBLAS": features["lapack_is_openblas"],
        "VESTA_LOG_WITH_GLOG": features["glog"],
    }

# Bazel links static libraries into programs.
EXPORT_MACROS = {"CERES_STATIC_DEFINE": True}

def substitutions(macros):
    """Returns what to replace in a template, so that the result is that of CMake's configure_file."""
    result = {}
    for name in macros:
        line = "#define %s\n" % name if macros[name] else "/* #undef %s */\n" % name
        result["#cmakedefine %s\n" % name] = line

    # CMake alone writes an inline namespace into the sources.
    name = "VESTA_INLINE_NAMESPACE"
    result["#cmakedefine %s @%s@\n" % (name, name)] = "/* #undef %s */\n" % name
    return result
