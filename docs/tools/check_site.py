#!/usr/bin/env python3
# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Checks the built site: links and anchors lead somewhere, and no page loads anything from the network.

Links to other sites are checked for their syntax only.

Usage: check_site.py FOLDER   prints the mistakes; ends with 1 if there are any.
"""

import html.parser
import pathlib
import re
import sys
import urllib.parse

# Attributes that make a browser load a file while it shows the page. <link> loads for these relations.
LOADED = {("img", "src"), ("script", "src"), ("iframe", "src"), ("source", "src"), ("video", "src"), ("audio", "src"),
          ("embed", "src"), ("object", "data"), ("image", "href"), ("use", "href")}
LOADING_RELATIONS = {"stylesheet", "icon", "preload", "prefetch", "modulepreload", "preconnect", "dns-prefetch", "manifest"}


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.anchors = set()
        self.links = []  # Line, address, whether it is loaded with the page.
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.anchors.update(values[name] for name in ("id", "name") if values.get(name))
        for name, value in attributes:
            name = name.removeprefix("xlink:")
            if value is None or name not in ("href", "src", "data", "srcset"):
                continue
            loaded = (tag, name) in LOADED
            if tag == "link":
                loaded = bool(LOADING_RELATIONS & set((values.get("rel") or "").lower().split()))
            if name == "srcset":
                self.links += [(self.getpos()[0], part.split()[0], True) for part in value.split(",") if part.split()]
            elif name != "data" or tag == "object":
                self.links.append((self.getpos()[0], value, loaded))


def is_external(address):
    return bool(re.match(r"^([a-z][a-z0-9+.-]*:)?//", address, re.IGNORECASE))


def check_link(page, pages, address, loaded):
    """What is wrong with the link, or None."""
    parts = urllib.parse.urlsplit(address)
    if parts.scheme in ("data", "mailto", "javascript"):
        return None if parts.scheme != "javascript" else f"'{address}' is a script"
    if is_external(address) or parts.scheme:
        if loaded:
            return f"'{address}' is loaded from the network"
        return None if parts.scheme in ("http", "https") and parts.hostname and " " not in address else f"'{address}' is no address"
    target = page if not parts.path else (page.parent / urllib.parse.unquote(parts.path)).resolve()
    if target.is_dir():
        target /= "index.html"
    if not target.is_file():
        return f"'{address}': there is no such file"
    fragment = urllib.parse.unquote(parts.fragment)
    if fragment and target.suffix == ".html" and not loaded and fragment not in pages[target].anchors:
        return f"'{address}': there is no such anchor"
    return None


def check_style_sheet(path):
    text = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    mistakes = []
    for address in re.findall(r"url\(\s*['\"]?([^'\")]+)", text) + re.findall(r"@import\s+['\"]([^'\"]+)", text):
        if is_external(address):
            mistakes.append(f"{path}: '{address}' is loaded from the network")
        elif not address.startswith(("data:", "#")) and not (path.parent / re.split(r"[?#]", address)[0]).is_file():
            mistakes.append(f"{path}: '{address}': there is no such file")
    return mistakes


def main(arguments):
    root = pathlib.Path(arguments[0]).resolve()
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(root.rglob("*.html"))}
    if not pages:
        print(f"There are no pages in {root}.")
        return 1
    mistakes = []
    num_links = 0
    for path, page in pages.items():
        for line, address, loaded in page.links:
            num_links += 1
            mistake = check_link(path, pages, address, loaded)
            if mistake:
                mistakes.append(f"{path.relative_to(root)}:{line}: {mistake}")
    for path in sorted(root.rglob("*.css")):
        mistakes += check_style_sheet(path)
    print("\n".join(mistakes))
    print(f"{len(pages)} pages, {num_links} links: {len(mistakes)} broken or loaded from the network.")
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
