#!/usr/bin/env python3
# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Removes from Doxygen's XML what the API reference does not show.

- Private members, destructors without a comment, and members whose comment begins with "For the solver".
- Links to internal names, which have no page.
- Descriptions of namespaces, which are on every page.
- The slashes that Doxygen keeps in front of code in a comment.

Names headers in the index by their paths, so that a page can tell ceres/pose_graph.h from ceres/io/pose_graph.h.

Usage: clean_xml.py XML_FOLDER
"""

import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

INTERNAL = re.compile(r"(class|struct|namespace|union)?ceres_1_1(internal|parallel_1_1detail)(_1_1.*)?$")


def comment(member):
    parts = [member.find(tag) for tag in ("briefdescription", "detaileddescription")]
    return "".join("".join(part.itertext()) for part in parts if part is not None).strip()


def is_hidden(element):
    if element.tag in ("sectiondef", "memberdef", "innerclass") and (
            element.get("prot") == "private" or (element.get("kind") or "").startswith(("private-", "friend"))):
        return True
    if element.tag == "memberdef":
        text = comment(element)
        return text.startswith("For the solver") or (element.findtext("name").startswith("~") and not text)
    return False


def clean(root):
    for parent in list(root.iter()):
        for child in list(parent):
            if is_hidden(child):
                parent.remove(child)
        if parent.tag == "verbatim":
            parent.text = re.sub(r"(?m)^[ \t]*///[ ]?", "", parent.text or "").strip("\n")
        if INTERNAL.match(re.sub(r"^(class|struct|namespace|union)", "", parent.get("refid") or "")):
            del parent.attrib["refid"]
    for compound in root.iter("compounddef"):
        if compound.get("kind") == "namespace":
            for tag in ("briefdescription", "detaileddescription"):
                for description in compound.findall(tag):
                    description.clear()
    # Sections that have become empty.
    for compound in root.iter("compounddef"):
        for section in list(compound.findall("sectiondef")):
            if section.find("memberdef") is None and section.find("member") is None:
                compound.remove(section)


def name_headers_by_path(folder):
    tree = ElementTree.parse(folder / "index.xml")
    for compound in tree.getroot().iter("compound"):
        if compound.get("kind") == "file":
            definition = ElementTree.parse(folder / f"{compound.get('refid')}.xml").getroot().find("compounddef")
            compound.find("name").text = definition.find("location").get("file")
    tree.write(folder / "index.xml", encoding="utf-8", xml_declaration=True)


def main(arguments):
    folder = pathlib.Path(arguments[0])
    name_headers_by_path(folder)
    for path in folder.glob("*.xml"):
        if path.name not in ("index.xml", "Doxyfile.xml"):
            tree = ElementTree.parse(path)
            clean(tree.getroot())
            tree.write(path, encoding="utf-8", xml_declaration=True)


if __name__ == "__main__":
    main(sys.argv[1:])
