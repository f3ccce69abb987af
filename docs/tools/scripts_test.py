# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Tests of what all shell scripts of the repository have in common. Run by scripts/docs.sh --check."""

import pathlib
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SCRIPTS = sorted([*ROOT.glob("scripts/*.sh"), *ROOT.glob("docs/tools/*.sh")])
PARTS = sorted(ROOT.glob("scripts/measure/*.sh"))


@pytest.fixture
def answer(tmp_path):
    """A function from a command to what it prints, where it finds no other program than these: it can build nothing."""
    for program in ("awk", "bash", "dirname"):
        (tmp_path / program).symlink_to(shutil.which(program))

    def run(*command):
        done = subprocess.run(["bash", *map(str, command)], env={"PATH": str(tmp_path)}, capture_output=True, text=True, cwd=ROOT)
        assert done.returncode == 0 and done.stderr == ""
        return done.stdout

    return run


def comment(script):
    """The comment at the head of a script, behind the lines of the licence."""
    lines = script.read_text(encoding="utf-8").split("\n#\n", 1)[1].split("\n")
    end = next(i for i, line in enumerate(lines) if not line.startswith("#"))
    return "".join(line.removeprefix("#").removeprefix(" ") + "\n" for line in lines[:end])


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
@pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["--ci", "--help"]], ids=" ".join)
def test_scripts_answer_help_by_the_comment_at_their_head(script, arguments, answer):
    assert answer(script, *arguments) == comment(script)


@pytest.mark.parametrize("part", PARTS, ids=lambda path: path.name)
def test_measurements_answer_help_by_the_comment_at_their_head(part, answer):
    assert answer(ROOT / "scripts" / "measure.sh", part.stem, "--help") == comment(part)
