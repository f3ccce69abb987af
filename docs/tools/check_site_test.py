# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Tests of check_site.py. Run by scripts/docs.sh --check."""

import pytest

import check_site


@pytest.fixture
def number_of_mistakes(tmp_path, capsys):
    """A function from the body of a page to the number of its mistakes."""
    (tmp_path / "other.html").write_text('<h1 id="here">Other</h1>')
    (tmp_path / "style.css").write_text("a { color: red }")

    def check(body, style=""):
        (tmp_path / "index.html").write_text(f'<html><body id="top">{body}</body></html>')
        (tmp_path / "style.css").write_text(style)
        failed = check_site.main([str(tmp_path)])
        count = int(capsys.readouterr().out.split("links: ")[1].split()[0])
        assert failed == (1 if count else 0)
        return count

    return check


@pytest.mark.parametrize("body", [
    '<a href="other.html">x</a>', '<a href="other.html#here">x</a>', '<a href="#top">x</a>', '<a href="other.html?q=1">x</a>',
    '<a href="https://example.org/a">x</a>', '<link rel="stylesheet" href="style.css?v=1">', '<img src="data:image/png;base64,AA">'])
def test_good_links(number_of_mistakes, body):
    assert number_of_mistakes(body) == 0


@pytest.mark.parametrize("body", [
    '<a href="absent.html">x</a>', '<a href="other.html#absent">x</a>', '<a href="#absent">x</a>', '<img src="absent.svg">',
    '<a href="http:///a">x</a>', '<a href="javascript:x()">x</a>'])
def test_broken_links(number_of_mistakes, body):
    assert number_of_mistakes(body) == 1


@pytest.mark.parametrize("body", [
    '<script src="https://cdn.example.org/a.js"></script>', '<link rel="stylesheet" href="//fonts.example.org/a.css">',
    '<img src="http://example.org/a.png">', '<img srcset="https://example.org/a.png 2x">', '<link rel="preconnect" href="https://a.org">'])
def test_resources_from_the_network(number_of_mistakes, body):
    assert number_of_mistakes(body) == 1


def test_style_sheets(number_of_mistakes):
    assert number_of_mistakes("", '@import "https://example.org/a.css";') == 1
    assert number_of_mistakes("", "a { background: url(absent.png) }") == 1
    assert number_of_mistakes("", "/* url(absent.png) */ a { background: url('data:image/png;base64,AA') }") == 0
