#!/usr/bin/env python3
# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Checks every #include of the library against internal/ceres/layers.txt.

    check_layers.py [REPOSITORY_ROOT]

Prints one line per violation, "file:line: what is wrong", and exits with 1 if there is any. The rules:
  1. A file of internal/ceres belongs to the layer of its folder, a public header to the layer whose list in layers.txt
     names it. A file includes only from its own layer, from the layers that layers.txt names for it and from what those may use.
     Tests beside a layer whose folder lies in that of another layer (parallel/pool) belong to the outer one (parallel), if the
     outer one may use the inner one.
  2. No public header includes internal/ceres. Headers of the runtime include, of the public headers, those of the runtime only.
  3. The layers `base`, `parallel` and those in the folder of `parallel` include no third-party header, their tests aside.
  4. No two files have the same name, public headers aside, and no header includes itself through others.
  5. Every "ceres/..." header exists here. A missing one would be taken, silently, from a Ceres of the system.
  6. What depends on the operating system or the compiler stands in the files of PLATFORM only, tests aside.
"""

import fnmatch
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')
GENERATED = {"ceres/internal/config.h", "ceres/internal/export.h"}
STANDARD = re.compile(r"^[a-z_0-9]+$")
# Rule 6.
SYSTEM = re.compile(r"\b(__linux__|__unix__|__APPLE__|_WIN32|_MSC_VER|__attribute__|__builtin_\w+|__declspec)\b"
                    r"|#\s*include\s*<(?:(?:sys|linux)/\w+|unistd|pthread|sched|dlfcn|fcntl|io|windows|ucontext|\w*intrin)\.h>")
PLATFORM = re.compile(r"internal/ceres/base/(?:platform(?:_\w+)?\.(?:h|cc)|intrinsics\.h|flush_denormals\.h)$"
                      r"|include/ceres/parallel/detail/(?:compiler|export)\.h$"
                      r"|include/ceres/internal/(?:port|jet_derivative|jet_functions|disable_warnings|reenable_warnings)\.h$")


def is_of_runtime(layer):
    """Of the library Ceres::parallel, `base` aside."""
    return layer.split("/")[0] == "parallel"


class Layers:
    """The table of layers.txt."""

    def __init__(self, path):
        self.allowed = {}  # layer -> layers it may include, itself among them
        self.headers = {}  # public header relative to include/ceres -> layer
        self.patterns = []  # (pattern, layer)
        layer = None
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if not line.strip() or line.startswith("#"):
                continue
            if line[0].isspace():
                self._add_headers(path, number, layer, line.split())
            else:
                layer = self._add_layer(path, number, line)

    def _add_layer(self, path, number, line):
        name, _, below = line.partition(":")
        closure = {name}
        for layer in below.split():
            if layer not in self.allowed:
                raise SystemExit(f"{path}:{number}: layer {name} uses {layer}, which does not stand above this line")
            closure |= self.allowed[layer]
        self.allowed[name] = closure
        return name

    def _add_headers(self, path, number, layer, names):
        for name in names:
            if name in self.headers:
                raise SystemExit(f"{path}:{number}: {name} belongs to {self.headers[name]} and {layer}")
            if "*" in name:
                self.patterns.append((name, layer))
            else:
                self.headers[name] = layer

    def of_header(self, name):
        """The layer of a public header, or None if no line names it."""
        if name in self.headers:
            return self.headers[name]
        for pattern, layer in self.patterns:
            # A * of the table does not stand for a folder.
            if pattern.count("/") == name.count("/") and fnmatch.fnmatchcase(name, pattern):
                return layer
        return None


def is_test_code(path):
    """Of foo_test.cc, foo_benchmark.cc, headers that tests share (foo_test_utils.h), and files in testing/ and models/."""
    return (not {"test", "benchmark"}.isdisjoint(path.stem.split("_"))
            or not {"testing", "models"}.isdisjoint(path.parts))


class Tree:
    """The files of the library and the layer of each."""

    def __init__(self, root):
        self.root = root
        self.layers = Layers(root / "internal/ceres/layers.txt")
        self.files = []
        self.headers = {}  # "ceres/..." path -> file
        self.names = {}  # file name -> file
        self.problems = []
        for folder in ("include", "internal"):
            for pattern in ("*.h", "*.cc"):
                for path in sorted((root / folder / "ceres").rglob(pattern)):
                    self._add(path, path.relative_to(root / folder).as_posix())

    def _add(self, path, name):
        self.files.append(path)
        other = self.names.get(path.name)
        if other is not None and not (self.is_public(path) and self.is_public(other)):
            self.report(path, 1, f"has the name of {other.relative_to(self.root)}")
        self.names[path.name] = path
        if path.suffix == ".h":
            self.headers[name] = path

    def report(self, path, line, message):
        self.problems.append(f"{path.relative_to(self.root)}:{line}: {message}")

    def is_public(self, path):
        return path.relative_to(self.root).parts[0] == "include"

    def layer(self, path):
        """The layer of a file, or None if layers.txt has none for it."""
        parts = path.relative_to(self.root).parts
        if parts[0] == "include":
            return self.layers.of_header("/".join(parts[2:]))
        for depth in (2, 1):
            layer = "/".join(parts[2:2 + depth])
            if len(parts) > 2 + depth and layer in self.layers.allowed:
                outer = parts[2]
                return outer if layer in self.layers.allowed[outer] and is_test_code(path) else layer
        return None

    def includes(self, path):
        """Yields (line number, name) of each #include."""
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = INCLUDE.match(line)
            if match:
                yield number, match.group(2)

    def check(self):
        graph = {path: [] for path in self.files}
        for path in self.files:
            layer = self.layer(path)
            if layer is None:
                self.report(path, 1, "belongs to no layer of layers.txt")
                continue
            for line, name in self.includes(path):
                target = self.headers.get(name)
                if target is not None:
                    graph[path].append((line, target))
                    self._check_own(path, line, name, layer, target)
                else:
                    self._check_foreign(path, line, name, layer)
            self._check_system(path)
        self._check_table()
        self._check_cycles(graph)
        return self.problems

    def _check_own(self, path, line, name, layer, target):
        if self.is_public(path) and not self.is_public(target):
            self.report(path, line, f'a public header must not include "{name}"')
        below = self.layer(target)
        if below is not None and below not in self.layers.allowed[layer]:
            self.report(path, line, f'{layer} must not include "{name}" of {below}')
        if self.is_public(path) and is_of_runtime(layer) and not name.startswith("ceres/parallel/"):
            self.report(path, line, f'the runtime must not include "{name}" of the solver')

    def _check_foreign(self, path, line, name, layer):
        if name.startswith("ceres/") and name not in GENERATED:
            self.report(path, line, f'"{name}" does not exist')
            return
        # Public headers of `base` that are not the runtime's may have an optional logging library.
        runtime = is_of_runtime(layer) or (layer == "base" and not self.is_public(path))
        if (runtime and not is_test_code(path) and name not in GENERATED and not STANDARD.match(name)
                and not self._is_platform(path)):
            self.report(path, line, f'the runtime must not include "{name}": the standard library only')

    def _is_platform(self, path):
        return PLATFORM.match(path.relative_to(self.root).as_posix()) is not None

    def _check_system(self, path):
        if is_test_code(path) or self._is_platform(path):
            return
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = SYSTEM.search(line.partition("//")[0])
            if match:
                self.report(path, number, f"'{match.group(0)}' belongs in base/platform.h, base/intrinsics.h or "
                                          "parallel/detail/compiler.h")

    def _check_table(self):
        for name in self.layers.headers:
            if f"ceres/{name}" not in self.headers and f"ceres/{name}" not in GENERATED:
                self.problems.append(f"internal/ceres/layers.txt:1: there is no include/ceres/{name}")

    def _check_cycles(self, graph):
        done, stack = set(), []

        def visit(path):
            if path in stack:
                loop = stack[stack.index(path):] + [path]
                self.report(path, 1, "include cycle: " + " -> ".join(p.name for p in loop))
                return
            if path in done:
                return
            stack.append(path)
            for _, target in graph[path]:
                visit(target)
            stack.pop()
            done.add(path)

        for path in self.files:
            visit(path)


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    tree = Tree(root)
    problems = tree.check()
    for problem in problems:
        print(problem)
    print(f"{len(tree.files)} files, {len(problems)} violations")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
