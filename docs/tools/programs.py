# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Ends each page that shows a part of a program with links to the whole program and to the headers beside it."""

import pathlib
import re

DOCS = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = re.compile(r"^\s*`{3,}\{literalinclude\} (\S+\.(?:cc|c|py))\s*$", re.M)
HEADER = re.compile(r'^#include "([^"]+)"', re.M)


def with_headers(path, found):
    """Appends the file and the headers that it includes from its own folder, each once."""
    if path in found or not path.is_file():
        return
    found.append(path)
    for name in HEADER.findall(path.read_text(encoding="utf-8")):
        with_headers(path.parent / name, found)


def links(page, text):
    """The last paragraph of a page with the given text, or an empty string. A page is named without suffix, from DOCS."""
    folder = (DOCS / page).parent
    found = []
    for name in PROGRAM.findall(text):
        with_headers((folder / name).resolve(), found)
    if not found:
        return ""
    up = "../" * page.count("/")
    targets = [f"{up}{path.relative_to(DOCS)}" if path.is_relative_to(DOCS) else f"{up}../{path.relative_to(DOCS.parent)}" for path in found]
    downloads = [f"{{download}}`{path.name} <{target}>`" for path, target in zip(found, targets)]
    return "Whole programs of this page: " + ", ".join(downloads) + "."


def add_links(app, page, source):
    # The first page has its links on cards.
    if page != "index" and not page.startswith("notes/"):
        source[0] = source[0].rstrip("\n") + "\n\n" + links(page, source[0]) + "\n"


def setup(app):
    app.connect("source-read", add_links)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
