#!/usr/bin/env python3
# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Plants violations in a small tree and expects check_layers.py to find each, and nothing else."""

import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True  # The source tree is not ours to write to.
from check_layers import Tree

LAYERS = "# a comment\nparallel:\nkernels:\nlinear: parallel kernels\nschur: linear\n"


class CheckLayersTest(unittest.TestCase):
    def problems(self, **files):
        """Checks a tree of the given files, whose names have '__' for '/' and end in '_h' or '_cc'."""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder).resolve()
            (root / "include/ceres").mkdir(parents=True)
            (root / "internal/ceres").mkdir(parents=True)
            (root / "internal/ceres/layers.txt").write_text(LAYERS)
            for name, text in files.items():
                stem, _, suffix = name.replace("__", "/").rpartition("_")
                path = root / f"{stem}.{suffix}"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return Tree(root).check()

    def test_downward_includes_are_accepted(self):
        self.assertEqual([], self.problems(
            include__ceres__context_h="#include <memory>\n",
            include__ceres__parallel__pool_h="#include <atomic>\n",
            internal__ceres__context_impl_h='#include "ceres/context.h"\n#include "ceres/parallel/pool.h"\n',
            internal__ceres__parallel__loops_h='#include "ceres/execution/context_impl.h"\n',
            internal__ceres__linear__vector_h='#include "ceres/execution/loops.h"\n#include "Eigen/Core"\n',
            internal__ceres__schur__slabs_cc='#include "ceres/linear/vector.h"\n#include "ceres/execution/loops.h"\n'))

    def test_upward_include_is_found_with_its_line(self):
        found = self.problems(internal__ceres__schur__slabs_h="",
                              internal__ceres__linear__vector_cc='#include <vector>\n#include "ceres/schur/slabs.h"\n')
        self.assertEqual(1, len(found))
        self.assertTrue(found[0].startswith("internal/ceres/linear/vector.cc:2: "), found[0])

    def test_sideways_include_is_found(self):
        self.assertEqual(1, len(self.problems(internal__ceres__kernels__gemm_h="",
                                              internal__ceres__parallel__loops_h='#include "ceres/kernels/gemm.h"\n')))

    def test_tests_obey_the_layers_too(self):
        self.assertEqual(1, len(self.problems(internal__ceres__schur__slabs_h="",
                                              internal__ceres__linear__vector_test_cc='#include "ceres/schur/slabs.h"\n')))

    def test_public_header_must_not_include_internal_one(self):
        self.assertEqual(1, len(self.problems(internal__ceres__linear__vector_h="",
                                              include__ceres__solver_h='#include "ceres/linear/vector.h"\n')))

    def test_runtime_api_uses_the_standard_library_only(self):
        self.assertEqual(3, len(self.problems(
            include__ceres__types_h="", include__ceres__parallel__a_h='#include "ceres/types.h"\n',
            include__ceres__parallel__b_h='#include "Eigen/Core"\n',
            internal__ceres__parallel__c_cc='#include "glog/logging.h"\n')))

    def test_root_must_not_include_a_layer(self):
        self.assertEqual(1, len(self.problems(internal__ceres__linear__vector_h="",
                                              internal__ceres__context_impl_h='#include "ceres/linear/vector.h"\n')))

    def test_root_sources_but_not_headers_may_use_the_runtime(self):
        runtime = {"internal__ceres__parallel__execution_h": ""}
        self.assertEqual([], self.problems(internal__ceres__context_impl_cc='#include "ceres/execution/execution.h"\n', **runtime))
        self.assertEqual(1, len(self.problems(
            internal__ceres__context_impl_h='#include "ceres/execution/execution.h"\n', **runtime)))

    def test_missing_header_of_ours_is_found(self):
        self.assertEqual(1, len(self.problems(
            include__ceres__solver_h='#include "ceres/internal/config.h"\n#include "ceres/problem.h"\n')))

    def test_same_path_twice_is_found(self):
        self.assertEqual(1, len(self.problems(include__ceres__parallel__loop_h="", internal__ceres__parallel__loop_h="")))

    def test_include_cycle_is_found(self):
        found = self.problems(internal__ceres__linear__a_h='#include "ceres/linear/b.h"\n',
                              internal__ceres__linear__b_h='#include "ceres/linear/a.h"\n')
        self.assertEqual(1, len(found))
        self.assertIn("a.h -> b.h -> a.h", found[0])

    def test_unknown_folder_is_found(self):
        self.assertEqual(1, len(self.problems(internal__ceres__misc__a_h="")))

    def test_table_must_be_bottom_up(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "internal/ceres").mkdir(parents=True)
            (root / "internal/ceres/layers.txt").write_text("schur: linear\nlinear:\n")
            with self.assertRaises(SystemExit):
                Tree(root)


if __name__ == "__main__":
    unittest.main()
