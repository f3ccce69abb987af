#!/usr/bin/env python3
# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Checks every #include of the library against internal/ceres/layers.txt.

    check_layers.py [REPOSITORY_ROOT]

Prints one line per violation, "file:line: what is wrong", and exits with 1 if there is any. The rules:
  1. a folder of internal/ceres includes only from itself, from the layers named in layers.txt and from what those may use;
  2. headers at the root of internal/ceres (context_impl.h) include each other and public headers only; their sources and
     tests may also use the runtime;
  3. include/ceres never includes internal/ceres, and include/ceres/parallel includes nothing but itself and the standard library;
  4. the runtime (internal/ceres/parallel, its tests aside) includes no third-party header, and of the public headers of the
     solver only what a Context is;
  5. no two headers have the same "ceres/..." path, and no header includes itself through others;
  6. every "ceres/..." header is ours: one that is missing here would be taken, silently, from a Ceres of the system.
"""

import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')
SOURCES = ("*.h", "*.cc")

# What the runtime's names for the solver need from outside the runtime.
RUNTIME_MAY_USE = {"ceres/context.h", "ceres/context_impl.h", "ceres/internal/export.h", "ceres/internal/config.h"}
GENERATED = {"ceres/internal/config.h", "ceres/internal/export.h"}
STANDARD = re.compile(r"^[a-z_0-9]+$|^(sys|linux|asm)/[a-z_0-9]+\.h$|^(unistd|pthread|sched|immintrin|x86intrin|errno|time)\.h$")


def read_layers(path):
    """Returns {layer: set of layers it may include, itself among them} of layers.txt, whose order must be bottom up."""
    allowed = {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        name, _, below = line.partition(":")
        closure = {name}
        for layer in below.split():
            if layer not in allowed:
                raise SystemExit(f"{path}:{number}: layer {name} uses {layer}, which does not stand above this line")
            closure |= allowed[layer]
        allowed[name] = closure
    return allowed


def is_test_or_benchmark(path):
    """Of foo_test.cc, foo_benchmark.cc, headers that tests share, such as foo_test_utils.h, and models, such as foo_model.h."""
    return not {"test", "benchmark", "model"}.isdisjoint(path.stem.split("_"))


class Tree:
    """The files of the library, by place: "public", "runtime api", "root" of internal/ceres, or the name of a layer."""

    def __init__(self, root):
        self.root = root
        self.allowed = read_layers(root / "internal/ceres/layers.txt")
        self.files = []
        self.headers = {}  # "ceres/..." path -> file
        self.problems = []
        for folder in ("include", "internal"):
            for pattern in SOURCES:
                for path in sorted((root / folder / "ceres").rglob(pattern)):
                    self.files.append(path)
                    if path.suffix == ".h":
                        self._add_header(path, path.relative_to(root / folder).as_posix())

    def _add_header(self, path, name):
        if name in self.headers:
            self.report(path, 1, f'"{name}" is also the path of {self.headers[name].relative_to(self.root)}')
        self.headers[name] = path

    def report(self, path, line, message):
        self.problems.append(f"{path.relative_to(self.root)}:{line}: {message}")

    def place(self, path):
        parts = path.relative_to(self.root).parts
        if parts[0] == "include":
            return "runtime api" if parts[2] == "parallel" else "public"
        return parts[2] if len(parts) > 3 else "root"

    def includes(self, path):
        """Yields (line number, name, quoted) of each #include."""
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = INCLUDE.match(line)
            if match:
                yield number, match.group(2), match.group(1) == '"'

    def check(self):
        graph = {path: [] for path in self.files}
        for path in self.files:
            place = self.place(path)
            if place not in ("public", "runtime api", "root") and place not in self.allowed:
                self.report(path, 1, f"folder {place} is not in layers.txt")
                continue
            for line, name, _ in self.includes(path):
                target = self.headers.get(name)
                if target is not None:
                    graph[path].append((line, target))
                    self._check_own(path, line, name, place, self.place(target))
                else:
                    self._check_foreign(path, line, name, place)
        self._check_cycles(graph)
        return self.problems

    def _check_own(self, path, line, name, place, target):
        if place == "runtime api":
            good = target == "runtime api"
        elif place == "public":
            good = target in ("public", "runtime api")
        elif place == "root":
            good = target in ("public", "runtime api", "root") or (target == "parallel" and path.suffix == ".cc")
        elif place == "parallel" and target == "public":
            good = name in RUNTIME_MAY_USE or is_test_or_benchmark(path)
        else:
            good = target in ("public", "runtime api", "root") or target in self.allowed[place]
        if not good:
            self.report(path, line, f'{place} must not include "{name}" of {target}')

    def _check_foreign(self, path, line, name, place):
        if name.startswith("ceres/") and name not in GENERATED:
            self.report(path, line, f'"{name}" does not exist')
            return
        if place not in ("runtime api", "parallel") or is_test_or_benchmark(path):
            return
        if name not in GENERATED and not STANDARD.match(name):
            self.report(path, line, f'the runtime must not include "{name}": the standard library only')

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
