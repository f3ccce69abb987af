# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Models of fit_many that are compiled functions: of Numba's `cfunc`, of ctypes, or a `scipy.LowLevelCallable`."""

from __future__ import annotations

import ctypes
import re
from typing import Any, NamedTuple, NoReturn

from .arguments import MOST_PARAMETERS

# The most arguments of a function of numbers; see python/src/compiled_model.h.
MOST_NUMBERS = 16

_KINDS = {
    "double(double,double*)": "sample",
    "double(double*,double*)": "row",
    "void(int64,double*,double*,double*)": "array",
}
_KINDS_OF_JAC = {
    "void(double,double*,double*)": "sample",
    "void(double*,double*,double*)": "row",
    "void(int64,double*,double*,double*)": "array",
}
_HOW = """Write one of
    float64(float64, float64, ...)                              f(x, p0, p1, ...), at most 16 arguments
    float64(float64, CPointer(float64))                         f(x, p)
    float64(CPointer(float64), CPointer(float64))               f(x, p), where x has the columns of a sample
    void(int64, CPointer(float64), CPointer(float64), CPointer(float64))
                                                                f(n, x, p, out), which writes out[i] for x[i]"""
_HOW_JAC = """Write one of
    void(float64, CPointer(float64), CPointer(float64))         jac(x, p, out), which writes out[j]
    void(CPointer(float64), CPointer(float64), CPointer(float64))
                                                                the same, where x has the columns of a sample
    void(int64, CPointer(float64), CPointer(float64), CPointer(float64))
                                                                jac(n, x, p, out), which writes out[i * len(p) + j]"""


class Compiled(NamedTuple):
    """A function whose code needs no GIL. Whoever calls it keeps the object that the address is of."""

    signature: str  # As "double(double,double*)".
    address: int


def compiled_of(function: Any, name: str) -> Compiled | None:
    """None if it is no compiled function."""
    if isinstance(function, tuple) and type(function).__name__ == "LowLevelCallable":
        if function.user_data is not None:  # type: ignore[attr-defined]
            raise ValueError(f"{name}: a LowLevelCallable with user_data is not supported. Pass data as columns of x.")
        return _of_capsule(tuple.__getitem__(function, 0))
    if hasattr(function, "address") and hasattr(function, "ctypes"):  # numba.cfunc
        function = function.ctypes
    if type(function).__name__ == "PyCapsule":
        return _of_capsule(function)
    if isinstance(function, ctypes._CFuncPtr):  # type: ignore[attr-defined]
        return _of_ctypes(function, name)
    return None


def _of_ctypes(function: Any, name: str) -> Compiled:
    if function.argtypes is None:
        raise TypeError(
            f"{name}: the ctypes function has no argtypes, so its signature is not known. Set argtypes and restype."
        )
    types = ",".join(_type_name(t) for t in function.argtypes)
    address = ctypes.cast(function, ctypes.c_void_p).value or 0
    return Compiled(f"{_type_name(function.restype)}({types})", address)


def _type_name(t: Any) -> str:
    if t is None:
        return "void"
    if t is ctypes.c_double:
        return "double"
    if t is ctypes.c_int64:
        return "int64"
    if isinstance(getattr(t, "_type_", None), type):
        return _type_name(t._type_) + "*"
    return str(t.__name__)


def _of_capsule(capsule: Any) -> Compiled:
    """The name of the capsule is the signature, as SciPy and Cython have it."""
    api = ctypes.pythonapi
    api.PyCapsule_GetName.restype = ctypes.c_char_p
    api.PyCapsule_GetName.argtypes = [ctypes.py_object]
    api.PyCapsule_GetPointer.restype = ctypes.c_void_p
    api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    text = api.PyCapsule_GetName(capsule) or b""
    signature = re.sub(r"\bconst\b", "", text.decode())
    # On systems where it has 64 bits, SciPy calls int64 long.
    long = ["long"] if ctypes.sizeof(ctypes.c_long) == 8 else []
    integers = "|".join(["int64_t", "npy_int64", "long long", *long])
    signature = re.sub(rf"\b({integers})\b", "int64", signature)
    return Compiled(re.sub(r"\s", "", signature), api.PyCapsule_GetPointer(capsule, text) or 0)


def sizes_of(f: Compiled, num_columns: int) -> range:
    """How many parameters the function may have."""
    if not _is_of_numbers(f):
        return range(1, MOST_PARAMETERS + 1)
    size = f.signature.count(",") + 1 - num_columns
    return range(max(size, 0), size + 1)


def _is_of_numbers(f: Compiled) -> bool:
    return re.fullmatch(r"double\(double(,double)*\)", f.signature) is not None


def describe(f: Compiled, jac: Any, num_columns: int) -> tuple[str, int, str, int]:
    """What `_core._fit_many` takes; see python/src/compiled_model.h."""
    kind = _kind(f, num_columns)
    if jac is None:
        return kind, f.address, "", 0
    derivatives = compiled_of(jac, "jac")
    if derivatives is None:
        raise TypeError(f"jac: expected a compiled function as model, got {type(jac).__name__}.")
    jac_kind = _KINDS_OF_JAC.get(derivatives.signature, "")
    if jac_kind == "":
        _refuse(derivatives, "jac", _HOW_JAC)
    _check_columns(jac_kind, num_columns, "jac", _HOW_JAC)
    return kind, f.address, jac_kind, derivatives.address


def _kind(f: Compiled, num_columns: int) -> str:
    if _is_of_numbers(f):
        num_numbers = f.signature.count(",") + 1
        if num_numbers > MOST_NUMBERS:
            _refuse(f, "model", _HOW)
        return "numbers"
    kind = _KINDS.get(f.signature, "")
    if kind == "":
        _refuse(f, "model", _HOW)
    _check_columns(kind, num_columns, "model", _HOW)
    return kind


def _check_columns(kind: str, num_columns: int, name: str, how: str) -> None:
    if kind == "sample" and num_columns != 1:
        raise TypeError(f"{name}: the function takes one number x, but x has {num_columns} columns. {how}")


def _refuse(f: Compiled, name: str, how: str) -> NoReturn:
    raise TypeError(f"{name}: fit_many cannot call a function of signature {f.signature}. {how}")
