# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Checks the files that package managers and hosted CI read.

Each recipe names the version of CMakeLists.txt. Workflows name scripts that exist, and actionlint, if it is installed, finds
nothing in them. Usage: check_packaging.py [REPOSITORY_ROOT]
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

# By file: where it names the version.
VERSIONS = {
    "pyproject.toml": r'^version = "([^"]*)"',
    "MODULE.bazel": r'^    version = "([^"]*)"',
    "package.xml": r"<version>([^<]*)</version>",
    "packaging/vcpkg/ports/ceres/vcpkg.json": r'"version": "([^"]*)"',
    "packaging/conda/recipe.yaml": r'^  version: "([^"]*)"',
}


def version_errors(root: Path) -> list[str]:
    match = re.search(r"^project\(Ceres VERSION ([0-9.]+)", (root / "CMakeLists.txt").read_text(), re.M)
    if match is None:
        return ["CMakeLists.txt: no version"]
    errors = []
    for name, pattern in VERSIONS.items():
        found = re.search(pattern, (root / name).read_text(), re.M)
        version = found[1] if found else "none"
        if version != match[1]:
            errors.append(f"{name}: the version is {version}, that of CMakeLists.txt {match[1]}")
    return errors


def workflow_errors(root: Path) -> list[str]:
    workflows = sorted((root / ".github" / "workflows").glob("*.yml"))
    errors = [] if workflows else [".github/workflows: no workflow"]
    for workflow in workflows:
        for script in re.findall(r"run: (\S*scripts/\S+|\.ci/\S+)", workflow.read_text()):
            if not os.access(root / script, os.X_OK):
                errors.append(f"{workflow.name}: there is no program {script}")
    actionlint = shutil.which("actionlint")
    if actionlint is None:
        print("actionlint is not installed: the syntax of workflows is not checked")
    elif workflows:
        result = subprocess.run([actionlint, *workflows], capture_output=True, text=True)
        if result.returncode != 0:
            errors.append(result.stdout + result.stderr)
    return errors


def main() -> None:
    root = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    errors = version_errors(root) + workflow_errors(root)
    for error in errors:
        print(error, file=sys.stderr)
    sys.exit(bool(errors))


if __name__ == "__main__":
    main()
