#!/usr/bin/env python3
# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Holds the headers that Bazel generates against those of a CMake build, without Bazel: runs bazel/config.bzl as Python.

Usage: config_header_test.py SOURCE_FOLDER BUILD_FOLDER FEATURE=VALUE...
The features are those of bazel/config.bzl, with the values that CMake found. Ends with 1 where a header differs.
"""

import difflib
import itertools
import pathlib
import sys


def configure(template, substitutions):
    for old, new in substitutions.items():
        template = template.replace(old, new)
    return template


def differences(expected, actual):
    return "".join(difflib.unified_diff(expected.splitlines(True), actual.splitlines(True), "CMake", "Bazel"))


def main():
    source, build = map(pathlib.Path, sys.argv[1:3])
    values = dict(argument.split("=") for argument in sys.argv[3:])
    features = {name: value.upper() in ("ON", "1", "TRUE") for name, value in values.items()}
    bzl = {}
    exec((source / "bazel/config.bzl").read_text(encoding="utf-8"), bzl)

    def template(header):
        return (source / f"cmake/{header}.in").read_text(encoding="utf-8")

    def of_cmake(header):
        return (build / f"include/ceres/internal/{header}").read_text(encoding="utf-8")

    errors = []
    of_bazel = configure(template("config.h"), bzl["substitutions"](bzl["config_macros"](features)))
    errors.append(differences(of_cmake("config.h"), of_bazel))
    if "#define CERES_STATIC_DEFINE\n" in of_cmake("export.h"):
        of_bazel = configure(template("export.h"), bzl["substitutions"](bzl["EXPORT_MACROS"]))
        errors.append(differences(of_cmake("export.h"), of_bazel))

    # Every combination of Bazel's flags says the same features, and leaves nothing to CMake.
    flags = ("ceres_2_3", "glog", "lapack", "metis", "suitesparse")
    for enabled in itertools.product((False, True), repeat=len(flags)):
        of_flags = bzl["features_of_flags"](dict(zip(flags, enabled)))
        if of_flags.keys() != features.keys():
            errors.append(f"CMake has the features {sorted(features)}, Bazel {sorted(of_flags)}\n")
        header = configure(template("config.h"), bzl["substitutions"](bzl["config_macros"](of_flags)))
        if "cmakedefine" in header:
            errors.append(f"bazel/config.bzl leaves lines as they are in:\n{header}")
    errors = [error for error in errors if error]
    print("\n".join(errors[:3]) or "The headers are the same.")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
