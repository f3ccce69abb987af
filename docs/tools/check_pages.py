#!/usr/bin/env python3
# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Checks the sources of the documentation site.

- Code in a page comes by literalinclude from docs/snippets or examples/, where tests compile and run it. A fenced block may
  hold commands (console) and plain text (text).
- Code in a page of docs/notebooks is in cells, which a test of the Python package executes.
- The file of a literalinclude exists, and so do its markers, once each and in this order.
- Output comes from the .out file of a snippet that exists, and each snippet has its output.
- Each public header is on one page of docs/api.
Dated notes (docs/notes) are not checked.

Usage: check_pages.py ROOT   prints the mistakes; ends with 1 if there are any.
"""

import pathlib
import re
import sys

PLAIN_LANGUAGES = ("console", "text")
FENCE = re.compile(r"^(\s*)(`{3,}|~{3,}|:{3,})\s*(\S*)\s*(.*?)\s*$")
INCLUDE_ALL = ("ceres.h", "parallel.h")  # They include the others and declare nothing.


def blocks(lines):
    """Tuples of line number, word behind the fence, argument, and the lines inside, of outer and nested blocks."""
    open_blocks = []
    for number, line in enumerate(lines, 1):
        match = FENCE.match(line)
        if match and open_blocks and not match.group(3) and match.group(2).startswith(open_blocks[-1][0]):
            _, first, word, argument, inside = open_blocks.pop()
            yield first, word, argument, inside
            continue
        for block in open_blocks:
            block[4].append(line)
        is_code = open_blocks and not open_blocks[-1][2].startswith("{")
        if match and not is_code:
            open_blocks.append((match.group(2), number, match.group(3), match.group(4), []))
    for _, first, word, argument, inside in open_blocks:
        yield first, "unclosed " + word, argument, inside


def options(inside):
    result = {}
    for line in inside:
        match = re.match(r"^\s*:([a-z-]+):\s*(.*?)\s*$", line)
        if not match:
            break
        result[match.group(1)] = match.group(2).strip("\"'")
    return result


def check_include(root, page, argument, inside):
    path = (page.parent / argument).resolve()
    if not path.is_file():
        return [f"there is no file {argument}"]
    relative = path.relative_to(root) if path.is_relative_to(root) else path
    if relative.parts[:2] != ("docs", "snippets") and relative.parts[0] != "examples":
        return [f"{argument} is neither in docs/snippets nor in examples/"]
    mistakes = []
    given = options(inside)
    lines = path.read_text(encoding="utf-8").splitlines()
    place = {}
    for option in ("start-after", "start-at", "end-before", "end-at"):
        if option not in given:
            continue
        found = [i for i, line in enumerate(lines) if given[option] in line]
        if not found:
            mistakes.append(f"{argument} has no marker '{given[option]}'")
        elif len(found) > 1 and option in ("start-after", "end-before"):
            mistakes.append(f"{argument} has the marker '{given[option]}' {len(found)} times")
        else:
            place[option] = found[0]
    if place.get("end-before", len(lines)) <= place.get("start-after", -1):
        mistakes.append(f"{argument}: '{given['end-before']}' is above '{given['start-after']}'")
    return mistakes


def check_page(root, page):
    """The mistakes of a page, each with its line."""
    lines = page.read_text(encoding="utf-8").splitlines()
    mistakes = []
    for number, word, argument, inside in blocks(lines):
        if word.startswith("unclosed"):
            mistakes.append((number, "the block is not closed"))
        elif word == "{literalinclude}":
            mistakes += [(number, mistake) for mistake in check_include(root, page, argument, inside)]
        elif word == "{code-cell}" and page.parent == root / "docs" / "notebooks":
            continue
        elif word.startswith("{code") or word.startswith("{sourcecode"):
            mistakes.append((number, f"code must come by literalinclude from docs/snippets or examples/, not by {word}"))
        elif not word.startswith("{") and word not in PLAIN_LANGUAGES:
            mistakes.append((number, f"a block of '{word or 'no language'}': use literalinclude, or one of "
                                     f"{', '.join(PLAIN_LANGUAGES)}"))
    fenced = set()
    for number, _, _, inside in blocks(lines):
        fenced.update(range(number, number + len(inside) + 1))
    in_list = False
    for number, line in enumerate(lines, 1):
        if number in fenced:
            continue
        if re.match(r"^\s*([-*]|\d+\.) ", line):
            in_list = True
        elif line.strip() and not line.startswith(" "):
            in_list = False
        elif re.match(r"^ {4,}\S", line) and not in_list and not lines[number - 2].strip():
            mistakes.append((number, "an indented block: use a fenced block of text, or literalinclude"))
    return mistakes


def check_snippets(folder):
    mistakes = []
    for source in sorted(folder.rglob("*.cc")):
        if not source.with_suffix(".out").is_file():
            mistakes.append(f"{source}: {source.stem}.out is missing; run docs/tools/update_snippet_outputs.sh {source.stem}")
    for output in sorted(folder.rglob("*.out")):
        if not output.with_suffix(".cc").is_file():
            mistakes.append(f"{output}: there is no {output.stem}.cc that prints it")
    return mistakes


def check_headers(root):
    """A page names a header by the end of its path: by its folder, too, if two headers have one name."""
    folder = root / "include" / "ceres"
    headers = [path.relative_to(root).as_posix() for part in ("", "factors", "io", "parallel")
               for path in sorted((folder / part).glob("*.h")) if path.name not in INCLUDE_ALL]
    documented = []
    for page in sorted((root / "docs" / "api").glob("*.md")):
        documented += re.findall(r"^```{doxygenfile} (\S+)", page.read_text(encoding="utf-8"), re.MULTILINE)
    mistakes = []
    for header in headers:
        count = sum(f"/{header}".endswith(f"/{name}") for name in documented)
        if count != 1:
            mistakes.append(f"{header.rpartition('/')[2]} is on {count} pages of docs/api instead of one")
    return mistakes + [f"docs/api: there is no public header {name}" for name in documented
                       if not any(f"/{header}".endswith(f"/{name}") for header in headers)]


def main(arguments):
    root = pathlib.Path(arguments[0]).resolve()
    docs = root / "docs"
    mistakes = []
    for page in sorted(docs.rglob("*.md")):
        if docs / "notes" not in page.parents:
            mistakes += [f"{page.relative_to(root)}:{number}: {mistake}" for number, mistake in check_page(root, page)]
    mistakes += check_snippets(docs / "snippets") + check_headers(root)
    print("\n".join(mistakes) or "The sources of the pages are correct.")
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
