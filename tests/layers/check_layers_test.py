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

LAYERS = """# a comment
base:
parallel: base
  parallel/* parallel/detail/*
kernels: base
linear: parallel kernels
schur/plan: linear
schur: schur/plan
modelling: base
minimizer: linear modelling
minimizer/search: minimizer
solver: minimizer/search schur
"""


class CheckLayersTest(unittest.TestCase):
    def problems(self, headers=(), **files):
        """Checks a tree of the given files, whose names have '__' for '/' and end in '_h' or '_cc'.

        headers: lines "layer: public headers", which are added to the table.
        """
        table = LAYERS
        for line in headers:
            layer, _, names = line.partition(":")
            lines = table.splitlines(keepends=True)
            at = next(k for k, text in enumerate(lines) if text.startswith(f"{layer}:"))
            lines.insert(at + 1, f" {names}\n")
            table = "".join(lines)
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder).resolve()
            (root / "include/ceres").mkdir(parents=True)
            (root / "internal/ceres").mkdir(parents=True)
            (root / "internal/ceres/layers.txt").write_text(table)
            for name, text in files.items():
                stem, _, suffix = name.replace("__", "/").rpartition("_")
                path = root / f"{stem}.{suffix}"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return Tree(root).check()

    def assertOneProblem(self, start, found):
        self.assertEqual(1, len(found), found)
        self.assertTrue(found[0].startswith(start), found[0])

    def test_downward_includes_are_accepted(self):
        self.assertEqual([], self.problems(
            headers=["base: types.h", "solver: solver.h"],
            include__ceres__types_h="#include <memory>\n",
            include__ceres__solver_h='#include "ceres/types.h"\n#include "ceres/parallel/thread_pool.h"\n',
            include__ceres__parallel__thread_pool_h="#include <atomic>\n",
            internal__ceres__parallel__pool__parking_h='#include "ceres/parallel/thread_pool.h"\n',
            internal__ceres__linear__vector_h='#include "ceres/parallel/pool/parking.h"\n#include "Eigen/Core"\n',
            internal__ceres__schur__chunks_cc='#include "ceres/linear/vector.h"\n#include "ceres/types.h"\n'))

    def test_upward_include_is_found_with_its_line(self):
        self.assertOneProblem("internal/ceres/linear/vector.cc:2: ", self.problems(
            internal__ceres__schur__chunks_h="",
            internal__ceres__linear__vector_cc='#include <vector>\n#include "ceres/schur/chunks.h"\n'))

    def test_sideways_include_is_found(self):
        self.assertEqual(1, len(self.problems(internal__ceres__kernels__gemm_h="",
                                              internal__ceres__parallel__loops_h='#include "ceres/kernels/gemm.h"\n')))

    def test_tests_obey_the_layers_too(self):
        self.assertEqual(1, len(self.problems(internal__ceres__schur__chunks_h="",
                                              internal__ceres__linear__vector_test_cc='#include "ceres/schur/chunks.h"\n')))

    def test_test_of_an_inner_layer_belongs_to_the_outer_one_above_it(self):
        files = {"internal__ceres__schur__chunks_h": "",
                 "internal__ceres__schur__plan__plan_test_cc": '#include "ceres/schur/chunks.h"\n'}
        self.assertEqual([], self.problems(**files))
        files["internal__ceres__schur__plan__plan_cc"] = files.pop("internal__ceres__schur__plan__plan_test_cc")
        self.assertOneProblem("internal/ceres/schur/plan/plan.cc:1: ", self.problems(**files))

    def test_test_of_an_inner_layer_above_the_outer_one_belongs_to_the_inner_one(self):
        self.assertEqual([], self.problems(
            internal__ceres__minimizer__search__search_h="",
            internal__ceres__minimizer__search__search_test_cc='#include "ceres/minimizer/search/search.h"\n'))
        self.assertOneProblem("internal/ceres/minimizer/step_test.cc:1: ", self.problems(
            internal__ceres__minimizer__search__search_h="",
            internal__ceres__minimizer__step_test_cc='#include "ceres/minimizer/search/search.h"\n'))

    def test_public_header_of_a_higher_layer_is_found(self):
        self.assertOneProblem("internal/ceres/minimizer/step.h:1: ", self.problems(
            headers=["solver: solver.h"], include__ceres__solver_h="",
            internal__ceres__minimizer__step_h='#include "ceres/solver.h"\n'))

    def test_public_headers_obey_the_layers_too(self):
        self.assertOneProblem("include/ceres/cost.h:1: ", self.problems(
            headers=["modelling: cost.h", "solver: solver.h"], include__ceres__solver_h="",
            include__ceres__cost_h='#include "ceres/solver.h"\n'))

    def test_public_header_without_a_layer_is_found(self):
        self.assertOneProblem("include/ceres/cost.h:1: ", self.problems(include__ceres__cost_h=""))

    def test_header_of_the_table_must_exist(self):
        self.assertOneProblem("internal/ceres/layers.txt:1: ", self.problems(headers=["solver: solver.h"]))

    def test_public_header_must_not_include_internal_one(self):
        found = self.problems(headers=["solver: solver.h"], internal__ceres__linear__vector_h="",
                              include__ceres__solver_h='#include "ceres/linear/vector.h"\n')
        self.assertOneProblem("include/ceres/solver.h:1: ", found)

    def test_runtime_uses_the_standard_library_only(self):
        self.assertEqual(3, len(self.problems(
            headers=["base: types.h"], include__ceres__types_h="",
            include__ceres__parallel__a_h='#include "ceres/types.h"\n',
            include__ceres__parallel__b_h='#include "Eigen/Core"\n',
            internal__ceres__base__c_cc='#include "glog/logging.h"\n')))

    def test_test_code_of_the_runtime_may_use_other_libraries(self):
        self.assertEqual([], self.problems(
            internal__ceres__parallel__pool__a_test_cc='#include "gtest/gtest.h"\n',
            internal__ceres__parallel__testing__b_h='#include "gtest/gtest.h"\n',
            internal__ceres__parallel__models__c_h='#include "gtest/gtest.h"\n'))

    def test_missing_header_of_ours_is_found(self):
        self.assertEqual(1, len(self.problems(
            headers=["solver: solver.h internal/config.h"],
            include__ceres__solver_h='#include "ceres/internal/config.h"\n#include "ceres/problem.h"\n')))

    def test_same_name_twice_is_found(self):
        self.assertEqual(1, len(self.problems(internal__ceres__kernels__product_cc="", internal__ceres__schur__product_cc="")))

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

    def test_calls_of_the_system_stand_in_the_platform_files(self):
        accepted = {
            "internal__ceres__base__platform_linux_cc": "#include <unistd.h>\n#if defined(__linux__)\n#endif\n",
            "internal__ceres__linear__solver_test_cc": "#include <unistd.h>\n",
            "internal__ceres__linear__other_cc": "int x;  // as __builtin_ctz\n",
        }
        self.assertEqual([], [p for p in self.problems(**{
            name.replace("platform_linux", "platform"): text for name, text in accepted.items()})])
        for text in ("#include <sys/mman.h>\n", "#if defined(_WIN32)\n#endif\n", "int y = __builtin_ctz(4);\n"):
            self.assertOneProblem("internal/ceres/linear/solver.cc:1: ",
                                  self.problems(internal__ceres__linear__solver_cc=text))


if __name__ == "__main__":
    unittest.main()
