#!/usr/bin/env python3
# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Tests the rules of cmake/inline_namespace.py, and applies them to the sources of the library."""

import pathlib
import re
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True  # The source tree is not ours to write to.
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "cmake"))
from inline_namespace import MismatchError, copy_tree, rewrite


class RewriteTest(unittest.TestCase):
    def test_namespace_ceres(self):
        self.assertEqual(rewrite("namespace ceres {\nint x;\n}  // namespace ceres\n", "v"),
                         "namespace ceres { inline namespace v {\nint x;\n}}  // namespace ceres\n")

    def test_nested_namespace(self):
        self.assertEqual(rewrite("namespace ceres::a::b {\n}  // namespace ceres::a::b", "v"),
                         "namespace ceres { inline namespace v { namespace a::b {\n}}}  // namespace ceres::a::b")

    def test_one_line(self):
        self.assertEqual(rewrite("namespace ceres { class X; }", "v"),
                         "namespace ceres { inline namespace v { class X; }}")
        self.assertEqual(rewrite("namespace ceres::a { struct X { int y; }; }", "v"),
                         "namespace ceres { inline namespace v { namespace a { struct X { int y; }; }}}")

    def test_namespaces_in_sequence_and_others_between(self):
        text = "namespace ceres {\nnamespace {\n}  // namespace\n}  // namespace ceres\n" \
               "namespace Eigen {\n}  // namespace Eigen\nnamespace ceres::a {\n}  // namespace ceres::a\n"
        copy = rewrite(text, "v")
        self.assertEqual(copy.count("inline namespace v {"), 2)
        self.assertEqual(copy.count("{"), copy.count("}"))
        self.assertEqual(copy.count("\n"), text.count("\n"))

    def test_comments_and_using_directives_stay(self):
        text = "// Code in namespace ceres, and users'.\nusing namespace ceres::internal;\nnamespace ceres_examples {}\n"
        self.assertEqual(rewrite(text, "v"), text)

    def assert_refused(self, text, line):
        with self.assertRaisesRegex(MismatchError, f"^{line}: "):
            rewrite(text, "v")

    def test_mismatches_are_refused_with_their_line(self):
        self.assert_refused("namespace ceres {\n", 2)
        self.assert_refused("\n}  // namespace ceres\n", 2)
        self.assert_refused("namespace ceres {\n}  // namespace ceres::a\n", 2)
        self.assert_refused("namespace ceres::a {\n}  // namespace ceres\n", 2)
        self.assert_refused("namespace ceres {\nnamespace ceres::a {\n}  // namespace ceres\n", 3)

    def test_unknown_forms_are_refused(self):
        self.assert_refused("namespace ceres\n{\n", 1)
        self.assert_refused("  namespace ceres {\n", 1)
        self.assert_refused("namespace c = ceres; namespace ceres {}\n", 1)
        self.assert_refused("namespace ceres { class X;\n", 1)
        self.assert_refused("namespace ceres {\n} // namespace ceres\n", 2)


class CopyTest(unittest.TestCase):
    def test_sources_of_the_library_keep_their_lines_and_all_get_the_namespace(self):
        with tempfile.TemporaryDirectory() as folder:
            copy_root = pathlib.Path(folder)
            copy_tree("v", ROOT, copy_root)
            num_files = 0
            for source in (ROOT / "internal/ceres").rglob("*.cc"):
                text = source.read_text()
                copy = (copy_root / source.relative_to(ROOT)).read_text()
                self.assertEqual(text.count("\n"), copy.count("\n"), source)
                self.assertEqual(text.count("\nnamespace ceres"), copy.count("inline namespace v {"), source)
                num_files += 1
            self.assertGreater(num_files, 100)

    def test_unchanged_copies_are_not_written_and_stale_ones_removed(self):
        with tempfile.TemporaryDirectory() as folder:
            root, copy_root = pathlib.Path(folder, "source"), pathlib.Path(folder, "copy")
            for name in ("include/ceres/a.h", "internal/ceres/b.cc", "internal/ceres/c.txt"):
                path = root / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text("namespace ceres {\n}  // namespace ceres\n")
            copy_tree("v", root, copy_root)
            self.assertNotIn("inline", (copy_root / "internal/ceres/c.txt").read_text())
            before = (copy_root / "include/ceres/a.h").stat().st_mtime_ns
            (root / "internal/ceres/b.cc").unlink()
            copy_tree("v", root, copy_root)
            self.assertEqual((copy_root / "include/ceres/a.h").stat().st_mtime_ns, before)
            self.assertFalse((copy_root / "internal/ceres/b.cc").exists())

    def test_mismatch_names_the_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "source/include/ceres/a.h")
            path.parent.mkdir(parents=True)
            path.write_text("namespace ceres {\n")
            with self.assertRaisesRegex(SystemExit, "a.h:2: does not close"):
                copy_tree("v", pathlib.Path(folder, "source"), pathlib.Path(folder, "copy"))


class CNamesTest(unittest.TestCase):
    def test_each_symbol_of_the_c_interface_gets_a_suffix(self):
        api = (ROOT / "include/ceres/c_api.h").read_text()
        names = set(re.findall(r"^CERES_EXPORT [^(]*?(ceres_\w+)\(", api, re.MULTILINE))
        names |= set(re.findall(r"^struct (ceres_\w+);", api, re.MULTILINE))
        self.assertGreater(len(names), 10)
        renamed = (ROOT / "include/ceres/internal/c_names.h").read_text()
        self.assertEqual(names, set(re.findall(r"^#define (ceres_\w+) ", renamed, re.MULTILINE)))
        for name in names:
            self.assertIn(f"VESTA_C_NAME({name})", renamed)


if __name__ == "__main__":
    unittest.main()
