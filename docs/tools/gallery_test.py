# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Tests of the cards of the gallery."""

import gallery
import pytest


@pytest.mark.parametrize(("text", "sentence"), [
    ("One thing. Another.", "One thing."),
    ("Fits a circle to points:\n", "Fits a circle to points."),
    ("Of version 2.2 of Ceres. More.", "Of version 2.2 of Ceres."),
    ("See [the page](page.md) first. More.", "See the page first."),
])
def test_a_card_has_the_first_sentence(text, sentence):
    assert gallery.first_sentence(text) == sentence


def test_all_programs_are_found_by_their_main():
    names = {path.stem for path in (gallery.ROOT / "examples").iterdir() if path.is_file() and gallery.is_program(path)}
    assert {"circle_fit", "ellipse_approximation", "denoising", "helloworld", "nist"} <= names
    assert "bal_file" not in names and "bal_file_test" not in names


def test_each_program_says_what_it_does():
    for folder in ("examples", "examples/parallel"):
        for path in (gallery.ROOT / folder).iterdir():
            if path.is_file() and gallery.is_program(path):
                assert gallery.comment_of(path)[0], path


def test_the_card_of_a_page_has_picture_and_program():
    lines = gallery.page_card("recipes/hand_eye")
    assert ":img-top: /pictures/hand_eye.svg" in lines
    assert any("hand_eye.cc" in line and "download" in line for line in lines)
    assert "**[Calibrate a camera on a robot hand](/recipes/hand_eye.md)**" in lines


def test_the_card_of_a_notebook_has_its_first_picture_and_the_notebook():
    lines = gallery.page_card("notebooks/curve_fit")
    assert ":img-top: /notebooks/outputs/curve_fit_1.png" in lines
    assert any("curve_fit.ipynb" in line and "download" in line for line in lines)
    assert "**[Notebook: fit a curve](/notebooks/curve_fit.md)**" in lines
