# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Tests of doxygen_filter.py. Run by scripts/docs.sh --check."""

import pathlib

import doxygen_filter

LICENCE = "// Vesta.\n// Copyright.\n"


def convert(code):
    """The result for code that stands below a licence."""
    result = doxygen_filter.convert(LICENCE + "\nint before;\n\n" + code)
    return result.removeprefix(LICENCE + "\nint before;\n\n")


def test_a_comment_above_a_declaration_documents_it():
    assert convert("// Does it.\nvoid Do();\n") == "/// Does it.\nvoid Do();\n"


def test_a_comment_above_an_empty_line_stays():
    code = "// A section.\n\nvoid Do();\n"
    assert convert(code) == code


def test_comments_in_bodies_stay():
    code = "inline int F() {\n  // Why.\n  int x = 1;  // How.\n  return x;\n}\n"
    assert convert(code) == code


def test_rulers_and_access_labels_have_no_documentation():
    code = "class A {\n  // --- Part ---\n  int x;\n\n  // Why.\n private:\n};\n"
    assert convert(code) == code


def test_members_of_classes_are_declarations():
    assert "  /// The x.\n  int x = {1};" in convert("class A : public B<int> {\n public:\n  // The x.\n  int x = {1};\n};\n")


def test_a_comment_behind_a_member_documents_it_with_its_continuation():
    code = "struct A {\n  int x;  // In metres,\n          // or more.\n  int y;\n};\n"
    assert convert(code) == "struct A {\n  int x;  ///< In metres,\n          ///< or more.\n  int y;\n};\n"


def test_enumerators():
    code = "enum E {\n  // First.\n  A,\n  B,  // Second.\n  C = 3,\n};\n"
    assert convert(code) == "enum E {\n  /// First.\n  A,\n  B,  ///< Second.\n  C = 3,\n};\n"


def test_declarations_below_share_the_comment():
    converted = convert("// Bounds of x.\nvoid SetLower(int x);\nvoid SetUpper(int x);\n\nvoid Other();\n")
    assert "/** See <tt>SetLower</tt>. */ void SetUpper(int x);" in converted
    assert "\nvoid Other();" in converted


def test_an_overload_says_how_its_parameters_differ():
    def comment(first, other):
        return convert(f"// Does it.\n{first}\n{other}\n").split("/** ")[1].split(" */")[0]

    assert comment("void F();", "void F(int x = 1);") == "As above, with <tt>int x</tt>."
    assert comment("void F(int x, int y);", "void F(int y);") == "As above, without <tt>x</tt>."
    assert comment("double* x(int i);", "const double* x(int i) const;") == "As above, for constant objects."
    assert comment("explicit A(B<C, D> b);", "A(Own<C, D> b, int (*f)(int, int));") == \
        "As above, with <tt>Own\\<C, D\\> b</tt>, <tt>int (*f)(int, int)</tt>."
    assert comment("template <typename T>\nvoid F(T x);", "template <typename T, typename U>\nvoid F(U x, T* y) {}") == \
        "As above, with <tt>U x</tt>, <tt>T* y</tt>."


def test_functions_that_return_templates_are_no_overloads():
    converted = convert("// Of the name.\nstd::function<int(int)> A();\nstd::function<int(int)> B();\n")
    assert "/** See <tt>A</tt>. */ std::function<int(int)> B();" in converted


def test_a_function_with_a_body_ends_at_its_brace():
    converted = convert("// Does it.\nint F(int x) {\n  return x;\n}\nint G();\n")
    assert "/** See <tt>F</tt>. */ int G();" in converted


def test_constructors_with_braces_in_their_initializers():
    converted = convert("struct A {\n  // Of x.\n  A(int x) : x_{x}, y_{1} { Check(); }\n  // The y.\n  int y_;\n};\n")
    assert "  /// Of x.\n" in converted and "  /// The y.\n" in converted


def test_templates_with_defaults():
    converted = convert("// Adds.\ntemplate <typename T, std::enable_if_t<(sizeof(T) > 1)>* = nullptr>\nvoid Add(T x) {\n"
                        "  int y = x;\n}\n\n// Removes.\nvoid Remove();\n")
    assert "/// Adds.\n" in converted and "/// Removes.\n" in converted


def test_destructors_and_deleted_functions_need_no_words():
    code = "struct A {\n  // Makes it.\n  A();\n  ~A();\n  A(const A&) = delete;\n};\n"
    assert convert(code) == code.replace("// Makes", "/// Makes")


def test_characters_that_doxygen_interprets():
    assert convert("// a < b, \\x, `x<1>` in ceres/problem.h.\nint x;\n") == (
        "/// a \\< b, \\\\x, <tt>x\\<1\\></tt> in %ceres/problem.h.\nint x;\n")


def test_indented_lines_are_verbatim():
    converted = convert("// The sum\n//\n//   a + b < c,\n//     d\n//\n// of all.\nint x;\n")
    assert converted == "/// The sum\n///  @verbatim\n/// a + b < c,\n///   d @endverbatim\n/// \n/// of all.\nint x;\n"


def test_a_formula_with_cases_is_verbatim():
    converted = convert("// rho = s      if s < 1,\n//       sqrt(s) else.\nint x;\n")
    assert converted == "/// @verbatim rho = s      if s < 1,\n///       sqrt(s) else. @endverbatim\nint x;\n"


def test_lists():
    assert convert("// Two:\n// 1. one\n// 2. two\n//    lines\nint x;\n") == (
        "/// Two:\n/// -# one\n/// -# two\n///    lines\nint x;\n")


def test_the_description_of_the_file_follows_the_licence():
    code = LICENCE + "//\n// Losses.\n\nint x;\n"
    assert doxygen_filter.convert(code) == LICENCE + "//\n/// @file\n/// Losses.\n\nint x;\n"


def test_every_public_header_keeps_its_code():
    root = pathlib.Path(__file__).resolve().parents[2]
    headers = list((root / "include" / "ceres").glob("*.h")) + list((root / "include" / "ceres" / "parallel").glob("*.h"))
    assert len(headers) > 50

    def code(text):
        lines = [doxygen_filter.re.sub(r"/\*\*.*?\*/ |//.*", "", line).rstrip() for line in text.split("\n")]
        return [line for line in lines if line]

    for header in headers:
        text = header.read_text(encoding="utf-8")
        assert code(doxygen_filter.convert(text)) == code(text), header
