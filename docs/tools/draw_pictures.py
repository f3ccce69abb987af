#!/usr/bin/env python3
# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Runs each docs/pictures/NAME.py, which draws docs/pictures/NAME.svg. Files that begin with _ are modules for the others.

Usage: draw_pictures.py [NAME...]   draws all without names.
"""

import pathlib
import runpy
import sys

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "pictures"


def main(names):
    sys.path.insert(0, str(FOLDER))
    scripts = [FOLDER / f"{name}.py" for name in names] or sorted(FOLDER.glob("[!_]*.py"))
    for script in scripts:
        svg = script.with_suffix(".svg")
        svg.unlink(missing_ok=True)
        runpy.run_path(str(script), run_name="__main__")
        if not svg.is_file():
            sys.exit(f"{script} has not drawn {svg.name}")


if __name__ == "__main__":
    main(sys.argv[1:])
