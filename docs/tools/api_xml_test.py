# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Tests of clean_xml.py and undocumented.py. Run by scripts/docs.sh --check."""

import xml.etree.ElementTree as ElementTree

import clean_xml
import undocumented


def member(name, comment="", protection="public", extra=""):
    return (f'<memberdef kind="function" prot="{protection}"><name>{name}</name><argsstring>{extra}</argsstring>'
            f'<briefdescription/><detaileddescription>{comment}</detaileddescription>'
            '<location file="ceres/a.h" line="7"/></memberdef>')


def document(members, kind="public-func", comment="A class."):
    return ('<doxygen><compounddef kind="class" prot="public"><compoundname>ceres::A</compoundname>'
            f'<sectiondef kind="{kind}">{members}</sectiondef><briefdescription/>'
            f'<detaileddescription>{comment}</detaileddescription><location file="ceres/a.h" line="3"/></compounddef></doxygen>')


def names_after_cleaning(text):
    root = ElementTree.fromstring(text)
    clean_xml.clean(root)
    return [element.findtext("name") for element in root.iter("memberdef")]


def test_private_members_and_plain_destructors_are_hidden():
    members = member("F") + member("g_", protection="private") + member("~A") + member("Impl", "For the solver.")
    assert names_after_cleaning(document(members)) == ["F"]
    assert names_after_cleaning(document(member("~A", "Waits."))) == ["~A"]


def test_empty_sections_vanish():
    root = ElementTree.fromstring(document(member("x_", protection="private"), kind="private-attrib"))
    clean_xml.clean(root)
    assert root.find(".//sectiondef") is None


def test_slashes_in_front_of_code_vanish():
    root = ElementTree.fromstring("<a><verbatim>\n/// x = 1;\n///   y;</verbatim></a>")
    clean_xml.clean(root)
    assert root.findtext("verbatim") == "x = 1;\n  y;"


def test_links_to_internal_names_vanish():
    root = ElementTree.fromstring('<a><ref refid="classceres_1_1internal_1_1X">X</ref><ref refid="classceres_1_1Y">Y</ref></a>')
    clean_xml.clean(root)
    assert [element.get("refid") for element in root] == [None, "classceres_1_1Y"]


def test_undocumented_names(tmp_path):
    members = member("F") + member("G", "Does it.") + member("~A") + member("A", extra="(const A)=delete")
    members += member("A", extra="(T) -&gt; A") + member("H", extra="(int x) const override")
    (tmp_path / "class.xml").write_text(document(members))
    assert undocumented.undocumented(tmp_path) == [("ceres/a.h", 7, "ceres::A::F")]
    (tmp_path / "class.xml").write_text(document("", comment=""))
    assert undocumented.undocumented(tmp_path) == [("ceres/a.h", 3, "ceres::A")]
