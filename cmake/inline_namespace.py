#!/usr/bin/env python3
# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Copies the sources of the library, with an inline namespace within namespace ceres: VESTA_INLINE_NAMESPACE.

    inline_namespace.py NAME SOURCE_ROOT COPY_ROOT

Copies SOURCE_ROOT/include/ceres and SOURCE_ROOT/internal/ceres. In C++ files it rewrites the three forms in which they open
and close namespace ceres, and keeps the number of each line:
    namespace ceres::a::b {              namespace ceres { inline namespace NAME { namespace a::b {
    }  // namespace ceres::a::b          }}}  // namespace ceres::a::b
    namespace ceres { class X; }         namespace ceres { inline namespace NAME { class X; }}
A file with another form, or whose openings and closings do not match, is an error. A copy is written only if it changes, and
files that the sources no longer have are removed, so that builds stay incremental.
"""

import pathlib
import re
import sys

CODE = {".h", ".cc"}
OPENING = re.compile(r"namespace ceres((?:::\w+)*) \{")
CLOSING = re.compile(r"\}  // namespace ceres((?:::\w+)*)$")
MENTION = re.compile(r"(?<!using )\bnamespace ceres\b")


class MismatchError(Exception):
    """A namespace that is not opened and closed as the rules say."""


def rewrite_line(line, name, scopes):
    """Returns the line for the copy. scopes: the inner parts ("" or "::a::b") of the namespaces ceres that are open."""
    opening = OPENING.match(line)
    if opening:
        inner = opening.group(1)
        opened = f"namespace ceres {{ inline namespace {name} {{" + (f" namespace {inner[2:]} {{" if inner else "")
        rest = line[opening.end():]
        if not rest:
            scopes.append(inner)
        elif rest.count("{") + 1 == rest.count("}") and rest.endswith("}"):
            rest += "}" * (2 if inner else 1)
        else:
            raise MismatchError("namespace ceres must end on its line, or the line must end with the opening brace")
        return opened + rest
    closing = CLOSING.match(line)
    if closing:
        if not scopes or scopes[-1] != closing.group(1):
            raise MismatchError(f"closes namespace ceres{closing.group(1)}, which is not the one that is open")
        return "}" * (2 if scopes.pop() else 1) + line
    if MENTION.search(line.split("//")[0]) or (line.startswith("}") and MENTION.search(line)):
        raise MismatchError("has namespace ceres in a form that is not known")
    return line


def rewrite(text, name):
    """Returns the text of a C++ file for the copy. Raises MismatchError with the number of a line."""
    scopes = []
    lines = text.split("\n")
    for index, line in enumerate(lines):
        try:
            lines[index] = rewrite_line(line, name, scopes)
        except MismatchError as error:
            raise MismatchError(f"{index + 1}: {error}") from None
    if scopes:
        raise MismatchError(f"{len(lines)}: does not close namespace ceres{scopes[-1]}")
    return "\n".join(lines)


def copy_tree(name, source_root, copy_root):
    """Copies both trees."""
    wanted = set()
    for tree in ("include/ceres", "internal/ceres"):
        for source in sorted((source_root / tree).rglob("*")):
            if source.is_dir():
                continue
            copy = copy_root / source.relative_to(source_root)
            wanted.add(copy)
            content = source.read_bytes()
            if source.suffix in CODE:
                try:
                    content = rewrite(content.decode(), name).encode()
                except MismatchError as error:
                    raise SystemExit(f"{source}:{error}") from None
            if not copy.exists() or copy.read_bytes() != content:
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_bytes(content)
    for copy in copy_root.rglob("*"):
        if copy.is_file() and copy not in wanted:
            copy.unlink()


if __name__ == "__main__":
    if len(sys.argv) != 4:
        raise SystemExit(__doc__)
    copy_tree(sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]))
