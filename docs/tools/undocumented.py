#!/usr/bin/env python3
# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Prints the public names that have no documentation, from Doxygen's XML, by header.

Public names are the classes, functions, types, constants and members that users may write. These need no words of their own:
destructors, deleted and defaulted functions, operators =, deduction guides, private classes, and functions that override one of a
base class, which is counted there.

Usage: undocumented.py [--count] XML_FOLDER   --count prints their number alone. Ends with 1 if there are any.
"""

import collections
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree


def is_documented(element):
    return any((part := element.find(tag)) is not None and "".join(part.itertext()).strip()
               for tag in ("briefdescription", "detaileddescription", "inbodydescription"))


def speaks_for_itself(member):
    name = member.findtext("name")
    arguments = member.findtext("argsstring") or ""
    return (name.startswith("~") or name == "operator=" or arguments.endswith(("=delete", "=default"))
            or re.match(r"\(.*\)\s*->", arguments) is not None or member.find("reimplements") is not None
            or re.search(r"\boverride\b", arguments) is not None)


def is_unnamed(member):
    name = member.findtext("name") or ""
    return not name or name.startswith("@")


def undocumented(folder):
    """Tuples of header, line and name."""
    result = []
    for path in sorted(folder.glob("*.xml")):
        for compound in ElementTree.parse(path).getroot().iter("compounddef"):
            kind = compound.get("kind")
            if kind in ("class", "struct", "union") and compound.get("prot") == "public" and not is_documented(compound):
                location = compound.find("location")
                result.append((location.get("file"), int(location.get("line")), compound.findtext("compoundname")))
            if kind not in ("class", "struct", "union", "namespace") or compound.get("prot") == "private":
                continue
            for member in compound.iter("memberdef"):
                if member.get("prot") == "private" or member.get("kind") == "friend" or speaks_for_itself(member):
                    continue
                location = member.find("location")
                name = f"{compound.findtext('compoundname')}::{member.findtext('name')}"
                if not is_documented(member) and not is_unnamed(member):
                    result.append((location.get("file"), int(location.get("line")), name))
                for value in member.iter("enumvalue"):
                    if not is_documented(value):
                        result.append((location.get("file"), int(location.get("line")), f"{name}::{value.findtext('name')}"))
    return sorted(set(result))


def main(arguments):
    names = undocumented(pathlib.Path(arguments[-1]))
    if "--count" not in arguments:
        for header, line, name in names:
            print(f"{header}:{line}: {name}")
        print()
        for header, number in collections.Counter(header for header, _, _ in names).most_common():
            print(f"{number:5} {header}")
    print(f"{len(names)} public names have no documentation.")
    return 1 if names else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
