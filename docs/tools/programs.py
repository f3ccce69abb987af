# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Ends pages with links: those that show a part of a program with the whole program and the headers beside it, and those of
docs/api with the pages whose programs use a class of the page.
"""

import pathlib
import re

DOCS = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = re.compile(r"^\s*`{3,}\{literalinclude\} (\S+\.(?:cc|c|py))\s*$", re.M)
DOCUMENTED = re.compile(r"^```\{doxygenfile\} (\S+)", re.M)
CLASS = re.compile(r"^(?:class|struct) (?:\w+_EXPORT )?(\w+)(?: final)?(?: :| \{)", re.M)
MOST_USERS = 12  # More pages use what every program needs: the solver, residual blocks.
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


def programs_by_page():
    """What the programs of each guide say, by the page without suffix."""
    result = {}
    for path in sorted(DOCS.rglob("*.md")):
        page = path.relative_to(DOCS).with_suffix("").as_posix()
        if "/" in page and not page.startswith(("api/", "notes/")):
            files = [(path.parent / name).resolve() for name in PROGRAM.findall(path.read_text(encoding="utf-8"))]
            result[page] = "\n".join(file.read_text(encoding="utf-8") for file in dict.fromkeys(files) if file.is_file())
    return result


def users(text, headers, programs):
    """The pages whose programs use a class of the headers that a page of the reference shows. `headers` is a folder."""
    names = set()
    for name in DOCUMENTED.findall(text):
        for path in headers.rglob(name):
            names.update(CLASS.findall(path.read_text(encoding="utf-8")))
    if not names:
        return []
    found = re.compile(r"\b(?:" + "|".join(sorted(names)) + r")\b")
    pages = [page for page, program in programs.items() if found.search(program)]
    return pages if len(pages) <= MOST_USERS else []


def add_links(app, page, source):
    # The first page has its links on cards.
    if page == "index" or page.startswith("notes/"):
        return
    line = links(page, source[0])
    if page.startswith("api/"):
        pages = users(source[0], DOCS.parent / "include", programs_by_page())
        line = "Used on these pages: " + ", ".join(f"[](../{user}.md)" for user in pages) + "." if pages else ""
    source[0] = source[0].rstrip("\n") + "\n\n" + line + "\n"


def setup(app):
    app.connect("source-read", add_links)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
