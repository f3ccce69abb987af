# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""The notebooks of docs/notebooks run, and print and draw what the site shows."""

import pathlib
import sys

import pytest

DOCS = next(
    (folder / "docs" for folder in pathlib.Path(__file__).resolve().parents if (folder / "docs" / "notebooks").is_dir()),
    None,
)
if DOCS is None:
    pytest.skip("The notebooks are not there.", allow_module_level=True)
for module in ("jupytext", "nbclient", "ipykernel", "matplotlib"):
    pytest.importorskip(module)
sys.path.insert(0, str(DOCS / "tools"))
notebooks = pytest.importorskip("notebooks")


@pytest.mark.parametrize("name", notebooks.names())
def test_a_notebook_prints_and_draws_what_the_site_shows(name):
    run = notebooks.execute(name)
    shown = notebooks.stored(name)
    remedy = f"Run docs/tools/notebooks.py execute {name}, and look at the pictures."
    assert [cell["code"] for cell in run] == [cell["code"] for cell in shown], remedy
    assert [cell["text"] for cell in run] == [cell["text"] for cell in shown], remedy
    # Pictures differ between versions of Matplotlib.
    assert [len(cell["pictures"]) for cell in run] == [len(cell["pictures"]) for cell in shown], remedy


def test_outputs_of_other_code_are_refused(monkeypatch):
    shown = notebooks.stored("curve_fit")
    shown[1]["code"] += "\n"
    monkeypatch.setattr(notebooks, "stored", lambda name: shown)
    with pytest.raises(SystemExit, match="execute curve_fit"):
        notebooks.join("curve_fit")
