# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""What the search of the site finds: no dated notes, and pages by the words that users know.

Writes _static/search_pages.js, from which docs/_static/search.js ranks the pages: their headings, names of the API, and how often each word
is in their text. search_words.json lists for each page words of users that its text lacks. search_synonyms.json lists groups of
terms that mean the same in different fields. docs/tools/search_trial.sh shows the first results of queries.
"""

import collections
import json
import pathlib
import re

from docutils import nodes
from sphinx import addnodes
from sphinx.domains.cpp import CPPDomain

TOOLS = pathlib.Path(__file__).resolve().parent
WORDS = json.loads((TOOLS / "search_words.json").read_text(encoding="utf-8"))
SYNONYMS = json.loads((TOOLS / "search_synonyms.json").read_text(encoding="utf-8"))
PARAMETERS = ("functionParam", "templateParam", "templateTypeParam", "templateTemplateParam")
WORD = re.compile(r"\w+")


class SearchedDomain(CPPDomain):
    """C++ without parameters of functions and templates: "manifold" had more than 200 hits among them."""

    def get_objects(self):
        return (item for item in super().get_objects() if item[2] not in PARAMETERS)


def leave_notes_out(app, page, source):
    if page.startswith("notes/"):
        source[0] = "---\nnosearch: true\n---\n" + source[0]


def page_text(doctree):
    """The headings of a page, each with its anchor, the names that it documents, and the numbers of its words."""
    headings, names = [], []
    words = collections.Counter()

    def walk(node):
        if isinstance(node, nodes.Text):
            words.update(WORD.findall(node))
        elif isinstance(node, nodes.title):
            headings.append([node.astext(), node.parent["ids"][0] if node.parent.get("ids") else ""])
        elif isinstance(node, nodes.strong) and node.parent.index(node) == 0:
            headings.append([node.astext(), ""])  # A question of faq.md.
        elif isinstance(node, addnodes.desc_signature):
            names.extend(name.astext() for name in node.findall(addnodes.desc_name))
        elif not isinstance(node, (nodes.raw, nodes.math, nodes.math_block, nodes.comment, nodes.image)):
            for child in node.children:
                walk(child)

    walk(doctree)
    return headings, sorted(set(names)), words


def link_texts(doctree):
    """For each link to another page the page and the text that says what is found there: a row of a table, or the link's own."""
    for link in doctree.findall(addnodes.pending_xref):
        if link.get("refdomain") == "doc":
            around = link
            while around is not None and not isinstance(around, nodes.row):
                around = around.parent
            yield link["reftarget"], (around or link).astext()


def search_pages(env):
    vocabulary = {}

    def numbers(words):
        """Words as indices of the vocabulary and how often each is there, in one list."""
        return [number for word, count in sorted(words.items()) for number in (vocabulary.setdefault(word, len(vocabulary)), count)]

    doctrees = {page: env.get_doctree(page) for page in sorted(env.found_docs) if not page.startswith("notes/")}
    links = {page: collections.Counter() for page in doctrees}
    for page, doctree in doctrees.items():
        for target, text in link_texts(doctree):
            if target in links and target != page:
                links[target].update(WORD.findall(text))
    pages = []
    for page, doctree in doctrees.items():
        headings, names, words = page_text(doctree)
        pages.append({
            "page": page,
            "headings": headings,
            "names": names,
            "users": WORDS.get(page, []),
            "links": numbers(links[page]),
            "counts": numbers(words),
        })
    return {"pages": pages, "vocabulary": list(vocabulary), "synonyms": SYNONYMS}


def write_pages(app, exception):
    if exception is None and app.builder.format == "html":
        text = json.dumps(search_pages(app.env), ensure_ascii=False, separators=(",", ":"))
        (pathlib.Path(app.outdir) / "_static" / "search_pages.js").write_text(f"const searchPages = {text};\n", encoding="utf-8")


def add_scripts(app, page, template, context, doctree):
    if page == "search":
        # In front of Sphinx's, so that its listener is called first.
        app.add_js_file("search_pages.js", priority=400)
        app.add_js_file("search.js", priority=400)


def setup(app):
    app.add_domain(SearchedDomain, override=True)
    app.connect("source-read", leave_notes_out)
    app.connect("html-page-context", add_scripts)
    app.connect("build-finished", write_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
