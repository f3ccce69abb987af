#!/usr/bin/env python3
# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Executes the notebooks of docs/notebooks, and makes the .ipynb files of the site from them.

A notebook is text, docs/notebooks/NAME.md in the format MyST-NB. What its cells print and draw is in docs/notebooks/outputs:
NAME.json and pictures NAME_1.png, ... So the site is built without the Python package. A test of the package executes the notebooks
and compares. `join` refuses outputs of other code.

As a Sphinx extension it puts a link to download the notebook below the title.

Usage: notebooks.py execute [NAME...]   executes the notebooks, or all, and writes the outputs; needs the package (scripts/python.sh)
       notebooks.py join                writes docs/notebooks/NAME.ipynb, text and outputs together
"""

import base64
import json
import os
import pathlib
import sys

import jupytext

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "notebooks"
OUTPUTS = FOLDER / "outputs"
PICTURE = "image/png"


def names():
    return sorted(path.stem for path in FOLDER.glob("*.md"))


def read(name):
    return jupytext.read(FOLDER / f"{name}.md", fmt="md:myst")


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def execute(name):
    """Per code cell the code, the text that it prints, and its pictures."""
    from nbclient import NotebookClient

    notebook = read(name)
    # The kernel is of this interpreter, whatever kernels the user has registered.
    os.environ["MATPLOTLIBRC"] = str(FOLDER / "matplotlibrc")
    NotebookClient(notebook, timeout=300, startup_timeout=300, kernel_name="python3").execute()
    return [cell_outputs(cell) for cell in code_cells(notebook)]


def cell_outputs(cell):
    text, pictures = [], []
    for output in cell.outputs:
        if output.output_type == "stream":
            text.append(output.text)
        elif PICTURE in output.data:
            pictures.append(base64.b64decode(output.data[PICTURE]))
        else:
            text.append(output.data["text/plain"] + "\n")
    return {"code": cell.source, "text": "".join(text), "pictures": pictures}


def write(name, cells):
    for old in OUTPUTS.glob(f"{name}_[0-9]*.png"):
        old.unlink()
    count = 0
    stored = []
    for cell in cells:
        files = []
        for picture in cell["pictures"]:
            count += 1
            files.append(f"{name}_{count}.png")
            (OUTPUTS / files[-1]).write_bytes(picture)
        stored.append({"code": cell["code"].splitlines(), "text": cell["text"].splitlines(), "pictures": files})
    (OUTPUTS / f"{name}.json").write_text(json.dumps(stored, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def stored(name):
    """As execute() returns it, with names of files for pictures."""
    cells = json.loads((OUTPUTS / f"{name}.json").read_text(encoding="utf-8"))
    return [{"code": "\n".join(cell["code"]), "text": "".join(line + "\n" for line in cell["text"]), "pictures": cell["pictures"]}
            for cell in cells]


def join(name):
    """The notebook with its outputs."""
    from nbformat import v4

    notebook = read(name)
    cells = stored(name)
    if [cell.source for cell in code_cells(notebook)] != [cell["code"] for cell in cells]:
        sys.exit(f"docs/notebooks/{name}.md has other code than its outputs. Run docs/tools/notebooks.py execute {name}")
    # Random ids would make each build another site.
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number}"
    for number, (cell, output) in enumerate(zip(code_cells(notebook), cells), 1):
        cell.execution_count = number
        if output["text"]:
            cell.outputs.append(v4.new_output("stream", name="stdout", text=output["text"]))
        for file in output["pictures"]:
            data = base64.b64encode((OUTPUTS / file).read_bytes()).decode()
            cell.outputs.append(v4.new_output("display_data", {PICTURE: data}))
    notebook.metadata.pop("jupytext", None)
    notebook.metadata["language_info"] = {"name": "python"}
    return notebook


def change_text(source, change):
    """Applies a function to the text of a page: of a notebook, to its first cell."""
    if not source[0].startswith("{"):
        source[0] = change(source[0])
        return
    notebook = json.loads(source[0])
    cell = notebook["cells"][0]
    cell["source"] = change("".join(cell["source"]))
    source[0] = json.dumps(notebook)


def add_download(app, page, source):
    folder, _, name = page.rpartition("/")
    if folder == "notebooks":
        change_text(source, lambda text: f"{text}\n\nDownload {{download}}`{name}.ipynb`, which Jupyter opens.")


def setup(app):
    app.connect("source-read", add_download)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def main(arguments):
    if arguments[:1] == ["execute"]:
        for name in arguments[1:] or names():
            write(name, execute(name))
            print(f"docs/notebooks/{name}.md is executed.")
    elif arguments == ["join"]:
        import nbformat

        for name in names():
            nbformat.write(join(name), FOLDER / f"{name}.ipynb")
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
