# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Tests of programs.py. Run by scripts/docs.sh --check."""

import pytest

import programs


@pytest.fixture
def docs(tmp_path, monkeypatch):
    monkeypatch.setattr(programs, "DOCS", tmp_path / "docs")
    snippets = tmp_path / "docs" / "snippets"
    snippets.mkdir(parents=True)
    (snippets / "a.cc").write_text('#include "scene.h"\n#include "ceres/ceres.h"\n#include "noise.h"\n')
    (snippets / "scene.h").write_text('#include "noise.h"\n#include "scene.h"\n')
    (snippets / "noise.h").write_text("#include <random>\n")
    (snippets / "b.py").write_text("")
    (tmp_path / "examples").mkdir()
    (tmp_path / "examples" / "c.cc").write_text("")
    return tmp_path / "docs"


def include(path, option=""):
    return f"```{{literalinclude}} {path}\n{option}```\n"


def test_a_part_of_a_program_gives_links_to_the_program_and_its_headers_once(docs):
    text = include("../snippets/a.cc", ':start-after: "// [x]"\n') + include("../snippets/a.cc") + include("../snippets/b.py")
    line = programs.links("solving/page", text)
    assert line == ("Whole programs of this page: {download}`a.cc <../snippets/a.cc>`, {download}`scene.h <../snippets/scene.h>`, "
                    "{download}`noise.h <../snippets/noise.h>`, {download}`b.py <../snippets/b.py>`.")


def test_links_are_relative_to_the_page(docs):
    assert "<snippets/b.py>" in programs.links("page", include("snippets/b.py"))
    assert "<../../examples/c.cc>" in programs.links("parallel/page", include("../../examples/c.cc"))
    assert "<../examples/c.cc>" in programs.links("page", include("../examples/c.cc"))


def test_pages_without_programs_get_nothing(docs):
    assert programs.links("page", "# Text\n" + include("snippets/a.out")) == ""


def test_pages_of_the_reference_name_the_guides_whose_programs_use_their_classes(docs):
    (docs / "solving").mkdir()
    (docs / "solving" / "covariance.md").write_text("# A\n" + include("../snippets/a.cc"))
    (docs / "snippets" / "a.cc").write_text("ceres::Covariance covariance;\n")
    headers = docs.parent / "include"
    headers.mkdir()
    (headers / "covariance.h").write_text("class CERES_EXPORT Covariance {\n  struct Inner {};\n};\n")
    (headers / "other.h").write_text("struct CovarianceOf {\n};\n")
    by_page = programs.programs_by_page()
    assert programs.users("```{doxygenfile} covariance.h\n```\n", headers, by_page) == ["solving/covariance"]
    assert programs.users("```{doxygenfile} other.h\n```\n", headers, by_page) == []
    everywhere = {f"solving/{i}": "Covariance" for i in range(programs.MOST_USERS + 1)}
    assert programs.users("```{doxygenfile} covariance.h\n```\n", headers, everywhere) == []
