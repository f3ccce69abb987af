# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Sphinx's configuration. scripts/docs.sh runs Doxygen and draws the pictures before it runs Sphinx."""

import importlib.metadata
import pathlib
import re
import shutil
import sys

from docutils import nodes
from sphinx import addnodes

DOCS = pathlib.Path(__file__).resolve().parent
BUILD = DOCS.parent / "build" / "docs"
sys.path.insert(0, str(DOCS / "tools"))

MARKER = re.compile(r"^\s*// \[/?[\w-]+\]$")

project = "Vesta"
author = "The Vesta Authors"
copyright = "2026, The Vesta Authors"

extensions = ["myst_nb", "breathe", "sphinx.ext.mathjax", "sphinx_copybutton", "sphinx_design", "gallery", "notebooks", "programs", "search"]
# The site has the .ipynb files that docs/tools/notebooks.py makes from these texts and their outputs.
exclude_patterns = ["snippets", "notebooks/*.md"]
nb_execution_mode = "off"
nb_merge_streams = True

myst_enable_extensions = ["dollarmath", "amsmath", "deflist", "colon_fence"]
myst_heading_anchors = 4

breathe_projects = {"vesta": str(BUILD / "doxygen" / "xml")}
breathe_default_project = "vesta"
breathe_default_members = ("members",)
breathe_show_include = False

# The namespaces, which are on every page. check_pages.py sees to it that each header is on one page.
suppress_warnings = ["duplicate_declaration.cpp"]

primary_domain = "cpp"
highlight_language = "text"
toc_object_entries_show_parents = "hide"
cpp_index_common_prefix = ["ceres::parallel::", "ceres::"]

# Every link of ours must lead somewhere. Types in signatures, of the standard library and of Eigen among them, become links
# where the site documents them and stay text where it does not.
nitpicky = True
nitpick_ignore_regex = [(r"cpp:.*", r".*"), (r"c:.*", r".*")]

html_theme = "furo"
html_title = "Vesta"
html_logo = "_static/logo.svg"
html_favicon = "_static/icon.svg"
# Commands are copied without their prompts and without what they print.
copybutton_prompt_text = "$ "
copybutton_exclude = ".linenos, .gp, .go"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["search.js", "sidebar.js"]
html_show_sphinx = False
html_copy_source = False
html_theme_options = {"navigation_with_keys": True, "sidebar_hide_name": True}
pygments_style = "friendly"
pygments_dark_style = "monokai"

mathjax_path = "mathjax/tex-svg-full.js"


def copy_mathjax(app, exception):
    """Copies the one file of MathJax that pages load. It has its fonts and all extensions in it."""
    if exception is not None or app.builder.format != "html":
        return
    for file in importlib.metadata.files("sphinx-mathjax-offline"):
        if file.name == "tex-svg-full.js":
            folder = pathlib.Path(app.outdir) / "_static" / "mathjax"
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file.locate(), folder / file.name)
            return
    raise RuntimeError("sphinx-mathjax-offline has no tex-svg-full.js")


def mark_namespaces(app, doctree):
    """Lets the style sheet hide the names of namespaces, which would be on every page, and leaves them out of contents."""
    for description in doctree.findall(addnodes.desc):
        signature = description.next_node(addnodes.desc_signature)
        if description["objtype"] == "type" and signature.astext().startswith("namespace "):
            description["classes"].append("namespace")
            signature["_toc_name"] = ""
    for signature in doctree.findall(addnodes.desc_signature):
        signature["_toc_name"] = re.sub(r"^(ceres::)?(parallel::)?", "", signature.get("_toc_name", ""))


def drop_markers(app, doctree):
    """Removes the markers of parts, // [name], from code that is shown."""
    for block in doctree.findall(nodes.literal_block):
        lines = [line for line in block.astext().split("\n") if not MARKER.match(line)]
        block.children = [nodes.Text("\n".join(lines))]
        block.rawsource = block.astext()


def setup(app):
    app.connect("doctree-read", mark_namespaces, priority=100)
    app.connect("doctree-read", drop_markers)
    app.connect("build-finished", copy_mathjax)
