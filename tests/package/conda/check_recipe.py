# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Parses and renders packaging/conda/recipe.yaml with rattler-build's own code (PyPI: py-rattler-build).

Usage: check_recipe.py RECIPE
"""

import sys

import rattler_build


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:
        recipe = rattler_build.Stage0Recipe.from_yaml(file.read())
    variants = list(recipe.render(rattler_build.VariantConfig(), rattler_build.RenderConfig()))
    if len(variants) != 1:
        sys.exit(f"The recipe has {len(variants)} variants, not one")
    print(f"{sys.argv[1]}: rattler-build {rattler_build.rattler_build_version()} reads and renders it")


if __name__ == "__main__":
    main()
