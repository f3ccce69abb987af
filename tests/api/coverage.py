#!/usr/bin/env python3
# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Counts the names of the public API that the tests of this folder use.

    coverage.py CHECKLIST [NUM_REQUIRED]

CHECKLIST is shared/api/public_api.md, whose Appendix E lists the names of each header. A name of `cost_function.h` is
covered if it stands in the code of a test of the suite CostFunctionH in one of the files *_api_test.cc, or in that of a
function Expect...() there, or in a header of this folder, that the test calls; comments and strings do not count. Ends with 1
if fewer names than NUM_REQUIRED are covered, with 77 if there is no CHECKLIST.
"""

import pathlib
import re
import sys

SKIPPED = 77


def read_checklist(text):
    """The names that Appendix E lists, by header."""
    names = {}
    appendix = text[text.index("## Appendix E"):]
    for header, listed in re.findall(r"^\* \*\*`(\S+)`\*\* \(\d+\): (.*)$", appendix, re.MULTILINE):
        names[header] = re.findall(r"`([^`]+)`", listed)
    return names


def suite_of(header):
    """cost_function.h -> CostFunctionH"""
    return "".join(part.capitalize() for part in re.split(r"[_.]", header))


def strip_comments_and_strings(source):
    pattern = r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'"
    return re.sub(pattern, lambda match: " " if match[0][0] == "/" else '""', source, flags=re.DOTALL)


def body_at(code, start):
    """What stands between a brace, which start is behind, and its counterpart."""
    depth, end = 1, start
    while depth > 0:
        depth += {"{": 1, "}": -1}.get(code[end], 0)
        end += 1
    return code[start:end]


def names_in(body):
    found = re.findall(r"operator\s*(?:\(\)|<<|[-+*/])|[A-Za-z_]\w*", body)
    return {name.replace(" ", "") for name in found}


def helper_names(code):
    """The identifiers and operators in the bodies of functions Expect...()."""
    return {helper[1]: names_in(body_at(code, helper.end()))
            for helper in re.finditer(r"\bvoid (Expect\w+)\([^{};]*\{", code)}


def used_names(source, shared_helpers):
    """The identifiers and operators in the bodies of tests, and of the functions Expect...() that they call, by suite."""
    used = {}
    code = strip_comments_and_strings(source)
    helpers = {**shared_helpers, **helper_names(code)}
    for test in re.finditer(r"\bTEST\((\w+),\s*\w+\)\s*\{", code):
        names = names_in(body_at(code, test.end()))
        called = [helpers[name] for name in names if name in helpers]
        used.setdefault(test[1], set()).update(names, *called)
    return used


def main():
    checklist = pathlib.Path(sys.argv[1])
    num_required = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    if not checklist.exists():
        print(f"{checklist} is not here: nothing to compare with.")
        return SKIPPED
    folder = pathlib.Path(__file__).parent
    helpers = {}
    for path in sorted(folder.glob("*.h")):
        helpers.update(helper_names(strip_comments_and_strings(path.read_text())))
    used = {}
    for path in sorted(folder.glob("*_api_test.cc")):
        for suite, names in used_names(path.read_text(), helpers).items():
            used.setdefault(suite, set()).update(names)
    num_names = num_covered = 0
    for header, names in read_checklist(checklist.read_text()).items():
        missing = [name for name in names if name not in used.get(suite_of(header), set())]
        num_names += len(names)
        num_covered += len(names) - len(missing)
        if missing:
            print(f"{header}: not covered: {' '.join(missing)}")
    print(f"{num_covered} of {num_names} names are covered.")
    return 0 if num_covered >= num_required else 1


if __name__ == "__main__":
    sys.exit(main())
