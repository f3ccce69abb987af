# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Sphinx directives that show pages and programs as cards, made from the sources.

```{gallery} FOLDER...   the pages of these folders of docs/, in the order of the contents of index.md
```
```{programs} FOLDER...  the programs of these folders of the repository
```

The card of a page has its title, its first sentence, its first picture, its languages and the programs that it shows. That of a notebook
has the first picture that its cells draw, and the notebook. The card of a
program has the first sentence of its comment, its picture (docs/pictures/NAME.svg) or what it prints, and the file.
"""

import pathlib
import re

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

DOCS = pathlib.Path(__file__).resolve().parent.parent
ROOT = DOCS.parent
LANGUAGES = {".cc": "C++", ".c": "C", ".py": "Python", ".ipynb": "Python"}
PROGRAMS = (".cc", ".c", ".py")


def first_sentence(text):
    """The first sentence of a paragraph, without line breaks; a colon ends it, too."""
    text = " ".join(text.split())
    match = re.match(r"(.*?[^.\d])(\.|:)( |$)", text)
    sentence = (match[1] if match else text.rstrip(".:")) + "."
    # Links of the page do not hold on other pages.
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", sentence)


def contents():
    """The pages of the site in the order of index.md, without suffix."""
    return [line for line in (DOCS / "index.md").read_text(encoding="utf-8").splitlines() if re.fullmatch(r"[\w/]+", line)]


def card(title, line, picture, middle, footer):
    lines = ["::::{grid-item-card}"]
    if picture is not None:
        lines += [f":img-top: /{picture}", ":img-alt: " + re.sub(r"[`\[\]]", "", title)]
    lines += ["", title, "", line, ""]
    if middle:
        lines += ["```text", *middle, "```", ""]
    return [*lines, ":::{card-footer}", footer, ":::", "::::", ""]


def grid(cards):
    lines = [":::::{grid} 1 2 3 3", ":gutter: 3", ":class-container: gallery", ""]
    for one in cards:
        lines += one
    return [*lines, ":::::"]


def downloads(paths):
    """Names of languages, then links to the files."""
    languages = list(dict.fromkeys(LANGUAGES[path.suffix] for path in paths))
    links = [f"{{download}}`{path.name} </{path.relative_to(DOCS) if path.is_relative_to(DOCS) else '../' + str(path.relative_to(ROOT))}>`"
             for path in paths]
    return " · ".join([", ".join(languages), *links])


def page_card(page):
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    text = re.sub(r"\A---\n.*?\n---\n\s*", "", text, flags=re.S)
    title, _, rest = text.partition("\n")
    paragraph = next(part for part in re.split(r"\n\s*\n", rest) if part.strip() and not part.lstrip().startswith(("`", ":", "!", "|", "#", "$")))
    picture = re.search(r"pictures/\w+\.(?:svg|png)", text)
    picture = picture and picture[0]
    programs = []
    if page.startswith("notebooks/"):
        picture = f"notebooks/outputs/{page.rpartition('/')[2]}_1.png"
        programs.append(DOCS / f"{page}.ipynb")
    for name in re.findall(r"\{literalinclude\} (\S+)", text):
        path = ((DOCS / page).parent / name).resolve()
        if path.suffix in LANGUAGES and path not in programs:
            programs.append(path)
    return card(f"**[{title.lstrip('# ')}](/{page}.md)**", first_sentence(paragraph), picture, [],
                downloads(programs) if programs else "text")


def comment_of(path):
    """The first comment of a program behind the licence: its paragraphs, and the lines that it says it prints."""
    lines = path.read_text(encoding="utf-8").splitlines()
    begin = next((i for i, line in enumerate(lines) if i > 1 and line.startswith(("//", "#")) and "Copyright" not in line
                  and not line.startswith(("#include", "#!"))), None)
    if begin is None:
        return "", []
    text = []
    for line in lines[begin:]:
        if not line.startswith(("//", "#")) or line.startswith("#include"):
            break
        text.append(re.sub(r"^(//|#) ?", "", line))
    prints = [re.sub(r"\s*->\s*$", "", line.removeprefix("Prints:").strip()) for line in text if line.startswith("Prints:")]
    return "\n".join(line for line in text if not line.startswith("Prints:")).split("\n\n")[0], prints


def is_program(path):
    return path.suffix in PROGRAMS and not path.stem.endswith("_test") and \
        (path.suffix == ".py" or re.search(r"^int main\(", path.read_text(encoding="utf-8"), re.M) is not None)


def program_card(path):
    text, prints = comment_of(path)
    picture = f"pictures/{path.stem}.svg" if (DOCS / "pictures" / f"{path.stem}.svg").is_file() else None
    # What tests expect is a regular expression: the lines with wild cards would look strange.
    middle = [] if picture else [line for line in prints if not re.search(r"\.\*|\.\+|\[", line)][:3]
    return card(f"**{path.stem}**", first_sentence(text) if text else "", picture, middle, downloads([path]))


def pages_of(folders):
    return [page_card(page) for page in contents() if page.rpartition("/")[0] in folders]


def programs_of(folders):
    return [program_card(path) for folder in folders for path in sorted((ROOT / folder).iterdir())
            if path.is_file() and is_program(path)]


class Cards(SphinxDirective):
    required_arguments = 1
    final_argument_whitespace = True

    def run(self):
        cards_of = pages_of if self.name == "gallery" else programs_of
        lines = grid(cards_of(self.arguments[0].split()))
        node = nodes.container()
        self.state.nested_parse(StringList(lines, "gallery"), 0, node)
        return node.children


def setup(app):
    app.add_directive("gallery", Cards)
    app.add_directive("programs", Cards)
    # The cards depend on all pages and programs.
    app.connect("env-before-read-docs", lambda app, env, names: names.append("gallery") if "gallery" not in names else None)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
