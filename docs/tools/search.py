# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""What the search of the site finds: no dated notes, no parameters of functions, and pages by the words that users know.

search_words.json lists for each page words of users, of other libraries too. They become entries of the index, which count
most in a search. docs/_static/search.js ranks the results; docs/tools/search_trial.sh shows the first results of words.
"""

import json
import pathlib

from notebooks import change_text
from sphinx.domains.cpp import CPPDomain

WORDS_FILE = pathlib.Path(__file__).resolve().parent / "search_words.json"
WORDS = json.loads(WORDS_FILE.read_text(encoding="utf-8"))
PARAMETERS = ("functionParam", "templateParam", "templateTypeParam", "templateTemplateParam")


class SearchedDomain(CPPDomain):
    """C++ without parameters of functions and templates: "manifold" had more than 200 hits among them."""

    def get_objects(self):
        return (item for item in super().get_objects() if item[2] not in PARAMETERS)


def add_words(app, page, source):
    if page.startswith("notes/"):
        source[0] = "---\nnosearch: true\n---\n" + source[0]
        return
    app.env.note_dependency(str(WORDS_FILE))
    if page not in WORDS:
        return
    entries = "".join(f"```{{index}} single: {word}\n```\n" for word in WORDS[page])

    def add_entries(text):
        # Behind the title, which has to be the first text of a page. A page that includes another has none.
        title, _, rest = text.partition("\n") if text.startswith("# ") else ("", "", text)
        return f"{title}\n\n{entries}{rest}"

    change_text(source, add_entries)


def setup(app):
    app.add_domain(SearchedDomain, override=True)
    app.connect("source-read", add_words)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
