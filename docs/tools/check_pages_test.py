# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Tests of check_pages.py. Run by scripts/docs.sh --check."""

import pytest

import check_pages

PROGRAM = "int main() {\n  // [loop]\n  Run();\n  // [/loop]\n  // [twice]\n  // [twice]\n}\n"


@pytest.fixture
def mistakes(tmp_path):
    """A function from the text of a page to what is wrong with it."""
    snippets = tmp_path / "docs" / "snippets"
    snippets.mkdir(parents=True)
    (snippets / "program.cc").write_text(PROGRAM)
    (tmp_path / "docs" / "page.cc").write_text(PROGRAM)

    def check(text):
        page = tmp_path / "docs" / "page.md"
        page.write_text(text)
        return [mistake for _, mistake in check_pages.check_page(tmp_path, page)]

    return check


def include(path, *options):
    return f"```{{literalinclude}} {path}\n" + "".join(f":{option}\n" for option in options) + "```\n"


def test_text_and_commands_are_allowed(mistakes):
    assert mistakes("# A\n\n```text\na\n```\n\n```console\n$ ls\n```\n") == []


@pytest.mark.parametrize("language", ["c++", "cpp", "python", "cmake", ""])
def test_code_in_a_page_is_refused(mistakes, language):
    assert len(mistakes(f"```{language}\nx\n```\n")) == 1


def test_code_blocks_as_directives_are_refused(mistakes):
    assert len(mistakes("```{code-block} c++\nx\n```\n")) == 1
    assert len(mistakes("````{note}\n```{code-block} c++\nx\n```\n````\n")) == 1


def test_cells_are_allowed_in_notebooks_only(tmp_path):
    cell = "# A\n\n```{code-cell}\nx = 1\n```\n"
    folder = tmp_path / "docs" / "notebooks"
    folder.mkdir(parents=True)
    for page, count in ((folder / "a.md", 0), (folder.parent / "a.md", 1)):
        page.write_text(cell)
        assert len(check_pages.check_page(tmp_path, page)) == count


def test_indented_blocks_are_refused_but_not_in_lists(mistakes):
    assert len(mistakes("A\n\n    code\n")) == 1
    assert mistakes("- A\n\n    text\n") == []


def test_includes_with_markers(mistakes):
    assert mistakes(include("snippets/program.cc", 'start-after: "// [loop]"', 'end-before: "// [/loop]"')) == []


def test_unknown_files_and_places_are_refused(mistakes):
    assert "no file" in mistakes(include("snippets/other.cc"))[0]
    assert "neither" in mistakes(include("page.cc"))[0]


def test_unknown_repeated_and_reversed_markers_are_refused(mistakes):
    assert "no marker" in mistakes(include("snippets/program.cc", 'start-after: "// [pool]"'))[0]
    assert "2 times" in mistakes(include("snippets/program.cc", 'start-after: "// [twice]"'))[0]
    assert "above" in mistakes(include("snippets/program.cc", 'start-after: "// [/loop]"', 'end-before: "// [loop]"'))[0]


def test_unclosed_blocks_are_refused(mistakes):
    assert mistakes("```text\nx\n") == ["the block is not closed"]


def test_snippets_need_outputs_and_outputs_snippets(tmp_path):
    (tmp_path / "a.cc").touch()
    (tmp_path / "b.out").touch()
    assert len(check_pages.check_snippets(tmp_path)) == 2
    (tmp_path / "a.out").touch()
    (tmp_path / "b.cc").touch()
    assert check_pages.check_snippets(tmp_path) == []


def test_each_header_is_on_one_page(tmp_path):
    include_folder = tmp_path / "include" / "ceres"
    (include_folder / "parallel").mkdir(parents=True)
    (tmp_path / "docs" / "api").mkdir(parents=True)
    for header in ("ceres.h", "a.h", "parallel/b.h"):
        (include_folder / header).touch()
    page = tmp_path / "docs" / "api" / "page.md"
    page.write_text("```{doxygenfile} a.h\n```\n```{doxygenfile} b.h\n```\n")
    assert check_pages.check_headers(tmp_path) == []
    page.write_text("```{doxygenfile} a.h\n```\n```{doxygenfile} a.h\n```\n```{doxygenfile} c.h\n```\n")
    assert len(check_pages.check_headers(tmp_path)) == 3
