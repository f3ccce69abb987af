# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

"""Compiler options of our own targets, and macros for tests and examples."""

load("@rules_cc//cc:defs.bzl", "cc_binary", "cc_test")

# The folder of this repository in the tree that Bazel compiles in: "." or external/NAME.
_ROOT = Label("//:BUILD.bazel").workspace_root or "."

PUBLIC_COPTS = ["-std=c++17"]

# For sources that include headers of internal/.
INTERNAL_COPTS = PUBLIC_COPTS + ["-I%s/internal" % _ROOT, "-DVESTA_NO_GLOG"]

def generated_include(folder):
    """Returns the option that makes the compiler search a folder of generated files."""
    return "-I$(GENDIR)/%s/%s" % (_ROOT, folder)

def program_name(source):
    """Returns the name of a source without its folder and suffix."""
    return source.split("/")[-1].rsplit(".", 1)[0]

def vesta_test(source, deps):
    """Makes the test of one source, named as the file is."""
    cc_test(
        name = program_name(source),
        size = "medium",
        srcs = [source],
        copts = INTERNAL_COPTS,
        linkstatic = True,
        deps = deps + ["//:test_main"],
    )

def vesta_example(source, deps, prefix = ""):
    """Makes the program of one source, named as the file is."""
    cc_binary(
        name = prefix + program_name(source),
        srcs = [source],
        copts = PUBLIC_COPTS,
        deps = deps,
    )
