# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Writes the type of the options of a solve as keywords: a TypedDict of the setters of SolverOptions.

Usage: option_values.py _core.pyi _option_values.pyi
The build calls it, so that names and types of options stand in the tables of python/src/options.cc only.
"""

import ast
import sys
from pathlib import Path


def option_values(stub: str) -> str:
    """The text of _option_values.pyi for the text of _core.pyi."""
    tree = ast.parse(stub)
    imports = [ast.unparse(node) for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    types = {}
    for node in classes["SolverOptions"].body:
        if isinstance(node, ast.FunctionDef) and any(ast.unparse(d) == f"{node.name}.setter" for d in node.decorator_list):
            arguments = [*node.args.posonlyargs, *node.args.args]
            types[node.name] = ast.unparse(arguments[1].annotation)
    used = {name.id for text in types.values() for name in ast.walk(ast.parse(text)) if isinstance(name, ast.Name)}
    lines = [
        '"""Written by python/tools/option_values.py."""',
        "",
        *imports,
        "from typing import TypedDict",
        "",
        f"from ._core import {', '.join(sorted(used & classes.keys()))}",
        "",
        "class OptionValues(TypedDict, total=False):",
        '    """The options of `SolverOptions` by name."""',
        "",
        *(f"    {name}: {text}" for name, text in types.items()),
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    Path(sys.argv[2]).write_text(option_values(Path(sys.argv[1]).read_text()))
