# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""The examples of python/README.md run, in order, and draw its pictures; so does the first program of the site."""

import re

import numpy as np
import pytest


def test_examples_of_the_readme(source_folder, tmp_path, monkeypatch, capsys):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    text = (source_folder / "README.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, flags=re.S)
    assert len(blocks) >= 6
    names: dict = {}
    for block in blocks:
        exec(compile(block, "README.md", "exec"), names)
    for picture in re.findall(r"\(pictures/(\w+\.png)\)", text):
        assert (tmp_path / picture).stat().st_size > 5000, picture
        assert (source_folder / "pictures" / picture).exists(), picture
    truth = np.array([2.5, 1.3, 0.5])
    np.testing.assert_allclose(names["params"], truth, atol=0.2)
    assert np.abs(names["robust"].x - truth).max() < np.abs(names["plain"].x - truth).max()
    before = np.sqrt(np.mean((names["start"] - names["true_points"]) ** 2))
    after = np.sqrt(np.mean((names["points"] - names["true_points"]) ** 2))
    assert after < 0.2 * before
    gap = np.linalg.norm(names["poses"][:, :2] - names["truth"][:, :2], axis=1)
    drift = np.linalg.norm(names["odometry"][:, :2] - names["truth"][:, :2], axis=1)
    assert gap.max() < 0.5 * drift.max()


def test_the_first_program_of_the_site(source_folder, capsys):
    text = (source_folder.parent / "docs" / "snippets" / "first_solve.py").read_text()
    exec(compile(text, "first_solve.py", "exec"), {})
    assert capsys.readouterr().out == "[10.] True\n"
