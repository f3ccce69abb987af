# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Tests of the ranking of docs/_static/search.js, by Node.js and the stemmer of Sphinx. Run by scripts/docs.sh --check."""

import json
import pathlib
import re
import shutil
import subprocess
import types

import pytest
from sphinx.search import IndexBuilder
from sphinx.search.en import SearchEnglish

SCRIPT = pathlib.Path(__file__).resolve().parent.parent / "_static" / "search.js"
node = shutil.which("node")
pytestmark = pytest.mark.skipif(node is None, reason="needs Node.js")

STEMMER = IndexBuilder.get_js_stemmer_code(types.SimpleNamespace(lang=SearchEnglish({})))
RANK = """
const stemmer = new Stemmer();
const {texts, query} = JSON.parse(require("fs").readFileSync(0, "utf8"));
console.log(JSON.stringify(makeRanker(texts, (word) => stemmer.stemWord(word), new Set(["the", "of", "to"]))(query)));
"""

# Name: title, headings, words of users, text.
PAGES = {
    "losses": ("Reduce the influence of outliers", ["Huber"], ["robust kernel"], "A loss function of residuals. The scale of the loss"),
    "pool": ("Run loops on a thread pool", ["Colour of a worker"], [], "ParallelFor runs a loop. num_threads is the number of workers"),
    "camera": ("Calibrate a camera", ["The centre of the image"], [], "A chessboard, seen from many sides. Residuals, residuals, residuals"),
    "ros": ("Use it with ROS 2", [], [], "A node with a thread of its own"),
    "api/losses": ("Outlier classes", [], [], "HuberLoss"),
}
SYNONYMS = [["outlier", "gross error", "blunder"], ["chessboard", "calibration target"]]


def rank(query, pages=PAGES, synonyms=SYNONYMS, links=()):
    """The names of the pages that a query finds, the best first, and the result of each."""
    vocabulary = {}

    def numbers(text):
        words = re.findall(r"\w+", text)
        return [number for word in dict.fromkeys(words) for number in (vocabulary.setdefault(word, len(vocabulary)), words.count(word))]

    texts = {
        "pages": [
            {
                "page": page,
                "headings": [[title, "top"]] + [[heading, heading.lower().replace(" ", "-")] for heading in headings],
                "names": [],
                "users": users,
                "links": numbers(" ".join(text for target, text in links if target == page)),
                "counts": numbers(text),
            }
            for page, (title, headings, users, text) in pages.items()
        ],
        "synonyms": synonyms,
    }
    texts["vocabulary"] = list(vocabulary)
    program = "\n".join(["const window = globalThis;", STEMMER, SCRIPT.read_text(encoding="utf-8"), RANK])
    done = subprocess.run([node, "-e", program], input=json.dumps({"texts": texts, "query": query}), capture_output=True, text=True, check=True)
    results = json.loads(done.stdout)
    return [result["page"] for result in results], {result["page"]: result for result in results}


@pytest.mark.parametrize(
    ("query", "page"),
    [
        ("calibrating cameras", "camera"),  # Endings.
        ("image center", "camera"),  # American and British.
        ("worker color", "pool"),
        ("threadpool", "pool"),  # Words that are joined here and apart there, and the reverse.
        ("chess board", "camera"),
        ("parallel_for", "pool"),  # Names by their parts.
        ("NumThreads", "pool"),
        ("ros2", "ros"),
        ("calibarte camrea", "camera"),  # Typing errors: letters exchanged.
        ("outlirs", "losses"),  # A letter lacks.
        ("hubber", "losses"),  # A letter too many.
        ("how do I get rid of the outliers", "losses"),  # Questions.
        ("gross errors", "losses"),  # Synonyms of several words.
        ("calibration targets", "camera"),
        ("robust kernels", "losses"),  # Words of users.
    ],
)
def test_a_query_finds_its_page(query, page):
    assert rank(query)[0][0] == page


def test_a_title_counts_more_than_many_words_of_the_text():
    pages = {"title": ("Residuals", [], [], "Short"), "text": ("Other", [], [], "residuals " * 10)}
    assert rank("residual", pages)[0] == ["title", "text"]


def test_a_page_that_has_all_words_comes_before_one_that_has_some():
    pages = {"some": ("One", [], [], "threads, threads"), "all": ("Two", [], [], "number of threads, of a container")}
    assert rank("threads container", pages)[0] == ["all", "some"]


def test_words_of_links_lead_to_the_page_that_they_point_to():
    pages = {"from": ("One", [], [], "solver stops"), "to": ("Two", [], [], "nothing")}
    assert rank("stops early", pages, links=[("to", "solver stops early")])[0][0] == "to"


def test_a_guide_comes_before_the_reference():
    assert rank("outliers")[0][:2] == ["losses", "api/losses"]


def test_the_name_of_a_class_leads_to_its_page():
    pages = {"api/problem": ("Problem", [], [], "Problem"), "guide": ("Solve a problem", [], [], "A problem, a problem, a problem")}
    assert rank("Problem", pages)[0] == ["api/problem", "guide"]


def test_a_result_leads_to_the_heading_that_has_the_query():
    result = rank("huber")[1]["losses"]
    assert (result["anchor"], result["heading"]) == ("huber", "Huber")
    assert rank("outliers")[1]["losses"]["heading"] is None


def test_a_query_without_a_known_word_finds_nothing():
    assert rank("zzzzzz")[0] == []
    assert rank("how do I")[0] == []
    assert rank("")[0] == []
