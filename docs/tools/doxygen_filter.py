#!/usr/bin/env python3
# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Turns the plain comments of a header into comments that Doxygen reads. It is the INPUT_FILTER of docs/Doxyfile.

Conventions of our headers:
- The first comment after the licence describes the file.
- A block of // lines directly above a declaration describes the declaration.
- Declarations below it without an empty line between them share the comment. They get a reference to the first one.
- A // comment behind a declaration, and // lines below it in the same column, describe that declaration.
Other comments, for example in bodies of functions, are for readers of the source.

In a comment, lines indented by two more spaces are code or a formula, and a word in backticks is code.
The number of lines stays the same, so that Doxygen's warnings name the right line.

Usage: doxygen_filter.py HEADER   prints the result.
"""

import dataclasses
import re
import sys

COMMENT_LINE = re.compile(r"^(\s*)//(?!/)(.*)$")
MACRO_LINE = re.compile(r"^\s*[A-Z][A-Z_0-9]+\s*$")
RULER = re.compile(r"^\s*-{3,}")
ITEM = re.compile(r"^ *([-*]|\d+\.) ")


@dataclasses.dataclass
class Declaration:
    text: str  # Without comments and bodies.
    first_line: int
    last_line: int
    scope: int  # Equal for declarations of the same class, enumeration or namespace.
    is_enumerator: bool


# ---- Declarations ---------------------------------------------------------------------------------------------------


def without_template_parameters(text):
    """Removes a leading template<...>, with its nested brackets."""
    text = text.strip()
    while re.match(r"template\s*<", text):
        depth = parentheses = 0
        for i, character in enumerate(text):
            parentheses += (character == "(") - (character == ")")
            if parentheses == 0:
                depth += (character == "<") - (character == ">")
            if character == ">" and depth == 0 and parentheses == 0:
                text = text[i + 1:].strip()
                break
        else:
            return text
    return text


def without_template_arguments(text):
    """Removes <...> and what is in it, but no operators."""
    before = None
    while text != before:
        before, text = text, re.sub(r"(?<=\w)\s*<[^<>;]*>", "", text)
    return text


def opens_scope(statement):
    """Whether `{` after the statement opens a class, an enumeration or a namespace."""
    return re.match(r"(inline\s+)?(namespace|class|struct|union|enum|extern\s*\")", without_template_parameters(statement))


def find_declarations(lines):
    """The declarations of namespaces, classes and enumerations, and the lines on which such declarations may begin."""
    declarations = []
    free_lines = set()  # Lines that begin outside of any declaration.
    scopes = [(0, False)]  # (number, whether it is an enumeration)
    num_scopes = 0
    statement, first_line = "", None
    brackets = ""  # The open ones, and the open braces of bodies and initializers.

    def end(last_line):
        nonlocal statement, first_line
        if statement.strip():
            number, is_enumeration = scopes[-1]
            declarations.append(Declaration(statement.strip(), first_line, last_line, number, is_enumeration))
        statement, first_line = "", None

    def next_code(line, column):
        rest = re.sub(r"//.*", "", lines[line][column:]).strip()
        while not rest and line + 1 < len(lines):
            line += 1
            rest = re.sub(r"//.*", "", lines[line]).strip()
        return rest[:1]

    continues_macro = False
    for number, line in enumerate(lines):
        if continues_macro or line.lstrip().startswith("#"):
            continues_macro = line.endswith("\\")
            continue
        if not statement.strip() and not brackets:
            free_lines.add(number)
            if MACRO_LINE.match(line):
                continue
        column = 0
        for match in re.finditer(r'"(?:\\.|[^"\\])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\])\'|//.*|.', line):
            token, column = match.group(0), match.end()
            if token.startswith("//"):
                break
            if token == "}" and brackets.endswith("{"):
                brackets = brackets[:-1]
                # The end of a body ends its function; that of an initializer does not end the declaration.
                if not brackets and next_code(number, column) not in (";", ",", "{", "=") and not is_initialized(statement):
                    end(number)
                continue
            if token == "{" and not brackets and opens_scope(statement):
                is_enumeration = without_template_parameters(statement).startswith("enum")
                end(number)
                num_scopes += 1
                scopes.append((num_scopes, is_enumeration))
                continue
            if token == "}" and not brackets:
                end(number)
                if len(scopes) > 1:
                    scopes.pop()
                continue
            if not brackets and (token == ";" or (token == "," and scopes[-1][1])):
                end(number)
                continue
            if token == ":" and statement.strip() in ("public", "protected", "private"):
                statement, first_line = "", None
                continue
            if token in "([{":
                brackets += token
            elif token in ")]":
                brackets = brackets[:-1]
            if "{" not in brackets:
                if not statement.strip() and token.strip():
                    first_line = number
                statement += token
        if statement.strip():
            statement += " "
    return declarations, free_lines


def is_initialized(statement):
    statement = re.sub(r"operator\s*[^\s\w(]+", "operator", statement)
    text, before = without_template_parameters(statement), None
    while text != before:
        before, text = text, re.sub(r"\([^()]*\)|<[^<>]*>", "", text)
    return re.search(r"(?<!operator)(?<![=!<>])=(?!=)", text) is not None


def declared_name(declaration):
    """The name that it declares, or an empty string."""
    text = re.sub(r"\b(CERES|VESTA)\w*EXPORT\b|\[\[.*?\]\]|\balignas\(.*?\)", "", without_template_parameters(declaration.text))
    if re.match(r"(typedef|friend|static_assert|extern\s*\"|namespace|inline\s+namespace)", text):
        return ""
    match = re.match(r"(?:using|class|struct|union|enum(?:\s+(?:class|struct))?)\s+(?:\w+::)*(\w+)", text)
    if match:
        return match.group(1)
    text = without_template_arguments(text)
    if "operator" in text:
        match = re.search(r"operator\s*(\(\)|\[\]|[^\s(\w]+|[\w:]+[\s*&]*)\s*\(", text)
        return "operator" + match.group(1) if match else ""
    match = re.match(r"[^(={]*?(~?\w+)\s*(?:\[[^\]]*\])?\s*(?:$|[(={;])", text)
    return match.group(1) if match else ""


def split_list(text):
    """The parts of a list between commas that are not in brackets."""
    parts, depth, arrow = [""], 0, False
    for character in text:
        depth += (character in "([{<") - (character in ")]}" or (character == ">" and not arrow))
        arrow = character == "-"
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [" ".join(part.split()) for part in parts if part.strip()]


def parameters(declaration):
    """The parameters of a function without their default values, and what follows them."""
    text = re.sub(r"/\*.*?\*/", "", without_template_parameters(declaration.text))
    match = re.search(re.escape(declared_name(declaration)) + r"\s*\(", text)
    if not match:
        return [], ""
    depth, end = 1, match.end()
    while end < len(text) and depth:
        depth += (text[end] == "(") - (text[end] == ")")
        end += 1
    return [re.sub(r"\s*=(?!=).*", "", part) for part in split_list(text[match.end():end - 1])], text[end:]


def name_of(parameter):
    match = re.search(r"(\w+)(?:\s*\[[^\]]*\])*$", parameter)
    return match.group(1) if match else parameter


def difference(first, other):
    """A sentence: how a form of a function differs from the first form, which has the comment."""
    old, old_rest = parameters(first)
    new, rest = parameters(other)
    old_names, new_names = [name_of(text) for text in old], [name_of(text) for text in new]
    added = [f"`{text}`" for text in new if text not in old]
    dropped = [f"`{name}`" for name in old_names if name not in new_names]
    changes = ["with " + ", ".join(added)] if added else []
    changes += ["without " + ", ".join(dropped)] if dropped else []
    is_const, was_const = (re.match(r"\s*const\b", text) is not None for text in (rest, old_rest))
    if is_const != was_const:
        changes.append(f"for {'constant' if is_const else 'mutable'} objects")
    if not changes:
        changes = ["declared as `" + " ".join(other.text.split()) + "`"]
    return f"As above, {', '.join(changes)}."


def is_special(declaration):
    """Whether it is a destructor, or deleted or defaulted: these speak for themselves."""
    return "~" in declaration.text or re.search(r"=\s*(delete|default)$", declaration.text) is not None


# ---- Comments -------------------------------------------------------------------------------------------------------


def escaped(text):
    """Plain text for Doxygen: nothing in it is a command or HTML, and `x` is code."""
    def plain(part):
        part = re.sub(r"([\\@#%\"&$<>]|(?<=>)::)", r"\\\1", part)
        return re.sub(r"(?<![\w/])([\w/]+\.h\b)", r"%\1", part)  # Names of files stay text.

    parts = re.split(r"`([^`]+)`", text)
    return "".join(f"<tt>{plain(part)}</tt>" if i % 2 else plain(part) for i, part in enumerate(parts))


def indent(text):
    return len(text) - len(text.lstrip(" "))


def verbatim_lines(texts):
    """Which lines of a comment are code or formulas."""
    result = [False] * len(texts)
    i = 0
    while i < len(texts):
        if not texts[i]:
            i += 1
            continue
        end = i
        while end < len(texts) and texts[end]:
            end += 1
        paragraph = texts[i:end]
        indents = [indent(text) for text in paragraph]
        if not any(ITEM.match(text) and indent(text) < 2 for text in paragraph):
            # "rho(s) = s  for s <= a" with its cases in the lines below is one formula.
            is_formula = (len(paragraph) > 1 and indents[0] < 2 and min(indents[1:]) >= 4
                          and not paragraph[0].endswith(":") and "=" in paragraph[0])
            for k, text_indent in enumerate(indents):
                result[i + k] = is_formula or text_indent >= 2
        i = end
    # Empty lines within code.
    for i in range(1, len(texts) - 1):
        if not texts[i] and result[i - 1]:
            following = next((k for k in range(i, len(texts)) if texts[k]), None)
            result[i] = following is not None and result[following]
    return result


def converted(texts):
    """The lines of a comment in Doxygen's syntax, as many as before."""
    texts = [text[1:].rstrip() if text.startswith(" ") else text.rstrip() for text in texts]
    verbatim = verbatim_lines(texts)
    code_indent = min((indent(text) for text, is_code in zip(texts, verbatim) if is_code and text), default=0)
    result = []
    for i, text in enumerate(texts):
        if verbatim[i]:
            line = text[code_indent:]
            if i == 0:
                line = "@verbatim " + line
            if i + 1 == len(texts) or not verbatim[i + 1]:
                line += " @endverbatim"
        else:
            starts_item = i == 0 or not texts[i - 1] or ITEM.match(texts[i - 1]) or indent(text) == 0
            line = escaped(text)
            if ITEM.match(text) and starts_item:
                line = re.sub(r"^( *)\* ", r"\1- ", line)
                if re.match(r"^ *1\. ", line) or any(re.match(r"^ *1\. ", earlier) for earlier in texts[:i]):
                    line = re.sub(r"^( *)\d+\. ", r"\1-# ", line)
            if i + 1 < len(texts) and verbatim[i + 1]:
                line += " @verbatim"
        result.append(line.rstrip())
    return result


def convert(source):
    lines = source.split("\n")
    output = list(lines)
    declarations, free_lines = find_declarations(lines)
    first_at = {}
    for declaration in declarations:
        first_at.setdefault(declaration.first_line, declaration)
    comment_of = {}  # Lines of declarations that have a comment above.

    # Comment blocks above.
    i = 0
    num_blocks = 0
    file_is_described = False
    while i < len(lines):
        if not COMMENT_LINE.match(lines[i]) or i not in free_lines:
            i += 1
            continue
        end = i
        while end < len(lines) and COMMENT_LINE.match(lines[end]):
            end += 1
        column = len(COMMENT_LINE.match(lines[i]).group(1))
        texts = [COMMENT_LINE.match(line).group(2) for line in lines[i:end]]
        num_blocks += 1
        prefix = None
        begin = i
        if num_blocks == 1:
            # The licence, and behind an empty line the description of the file.
            empty = next((k for k, text in enumerate(texts) if not text.strip()), None)
            if empty is not None:
                begin, prefix = i + empty + 1, "/// @file "
        elif end in first_at and end in free_lines and not RULER.match(texts[0]):
            prefix = "/// "
            comment_of[end] = True
        elif not file_is_described and column == 0 and not any(d.first_line < i for d in declarations):
            prefix = "/// @file "
        if prefix:
            new = converted([COMMENT_LINE.match(line).group(2) for line in lines[begin:end]])
            if prefix.endswith("@file "):
                file_is_described = True
                output[begin] = "/// @file"
                output[begin] += "\n/// " + new[0] if new else ""
                new = new[1:]
                begin += 1
            for k, line in enumerate(new):
                output[begin + k] = " " * column + "/// " + line
        i = end

    # Comments behind.
    for declaration in declarations:
        line = declaration.last_line
        match = re.match(r"^(.*?\S)(\s+)//(?!/) ?(.*)$", lines[line])
        if not match or '"' in match.group(1) or not re.search(r"[;,]$|[\w)}]$", match.group(1)):
            continue
        if opens_scope(declaration.text) and match.group(1).endswith("{"):
            continue
        column = len(match.group(1)) + len(match.group(2))
        output[line] = f"{match.group(1)}{match.group(2)}///< {escaped(match.group(3))}"
        comment_of.setdefault(declaration.first_line, False)
        line += 1
        while line < len(lines) and COMMENT_LINE.match(lines[line]) and len(COMMENT_LINE.match(lines[line]).group(1)) == column:
            output[line] = f"{' ' * column}///< {escaped(COMMENT_LINE.match(lines[line]).group(2).strip())}"
            line += 1

    # Declarations that share the comment of the one before.
    head = None
    previous = None
    for declaration in declarations:
        if declaration.first_line in comment_of:
            head = declaration if comment_of[declaration.first_line] else None
        elif head and (previous.scope != declaration.scope or previous.last_line + 1 < declaration.first_line
                       or previous.last_line >= declaration.first_line):
            head = None
        elif head and declared_name(declaration) and declared_name(head) and not is_special(declaration):
            line = declaration.first_line
            name = declared_name(head)
            text = escaped(difference(head, declaration) if name == declared_name(declaration) else f"See `{name}`.")
            code = lines[line].lstrip()
            output[line] = f"{' ' * indent(lines[line])}/** {text} */ {code}"
        previous = declaration
    return "\n".join(output)


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as header:
        sys.stdout.write(convert(header.read()))
