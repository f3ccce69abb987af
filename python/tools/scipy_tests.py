# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Runs the tests that the installed SciPy has for least_squares and curve_fit, with our functions in their place.

Usage: scipy_tests.py [PYTEST_ARGUMENT...]. SciPy's tests are not part of this repository. Each test that is left out
has its reason below.
"""

from __future__ import annotations

import pathlib
import sys
from typing import Any

import pytest
import scipy.optimize

import vesta

# The end of the name of a test: why it does not apply.
EXCLUDED = {
    "TestTRF::test_x_scale_jac_scale": "expects that x_scale='jac' is refused for a linear operator; here it works",
    "TestDogbox::test_x_scale_jac_scale": "expects that x_scale='jac' is refused for a linear operator; here it works",
}

OURS = {"least_squares": vesta.least_squares, "curve_fit": vesta.curve_fit}


class InPlaceOfScipy:
    """Puts our functions into the modules of the tests."""

    def pytest_collection_modifyitems(self, config: Any, items: list[Any]) -> None:
        left_out = [item for item in items if self._reason(item)]
        for item in items:
            for name, function in OURS.items():
                if hasattr(item.module, name):
                    setattr(item.module, name, function)
        config.hook.pytest_deselected(items=left_out)
        print(f"\n{len(items)} tests of SciPy {scipy.__version__}, {len(left_out)} left out:")
        for item in left_out:
            print(f"  {item.nodeid.split('::', 1)[1]}: {self._reason(item)}")
        items[:] = [item for item in items if not self._reason(item)]

    def _reason(self, item: Any) -> str | None:
        return next((reason for name, reason in EXCLUDED.items() if item.nodeid.endswith(name)), None)


def main(arguments: list[str]) -> int:
    folder = pathlib.Path(scipy.optimize.__file__).parent / "tests"
    for name, function in OURS.items():
        setattr(scipy.optimize, name, function)
    files = [str(folder / "test_least_squares.py"), f"{folder / 'test_minpack.py'}::TestCurveFit"]
    return int(pytest.main(["-q", "-p", "no:cacheprovider", *arguments, *files], plugins=[InPlaceOfScipy()]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
