# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Tables of fits by SciPy and by Vesta.

Usage: fits.py starts | times | nist FOLDER
  starts       how many of 100 random starts find the best minimum of a sum of two peaks, for trf and dogbox
  times        wall-clock ratios of curve_fit: Vesta to SciPy's lm, exact derivatives to differences
  nist FOLDER  the 54 fits of NIST's Statistical Reference Datasets, whose files (Misra1a.dat, ...) are in FOLDER
"""

from __future__ import annotations

import pathlib
import re
import sys
import time
import warnings
from statistics import median
from typing import Any, Callable

import numpy as np
import scipy.optimize

import vesta

SOLVERS = {"SciPy": scipy.optimize, "Vesta": vesta}


def peaks(p: Any, t: Any) -> Any:
    p = p.reshape(-1, 3, 1)
    return np.sum(p[:, 0] * np.exp(-0.5 * ((t - p[:, 1]) / p[:, 2]) ** 2), axis=0)


def starts() -> None:
    t = np.linspace(0, 10, 60)
    rng = np.random.default_rng(11)
    y = peaks(np.array([3, 2.5, 1.0, 2, 6, 1.3]), t) + 0.05 * rng.normal(size=60)
    low, high = np.tile([0, 0, 0.1], 2), np.tile([10.0, 10, 4], 2)
    points = low + (high - low) * rng.random((100, 6))
    print(f"{'':<24}" + "".join(f"{name:>8}" for name in SOLVERS))
    for method, bounds in (("trf", (low, high)), ("dogbox", (low, high)), ("trf", (-np.inf, np.inf))):
        costs = np.array([
            [s.least_squares(lambda p: peaks(p, t) - y, x, method=method, bounds=bounds, max_nfev=100).cost for x in points]
            for s in SOLVERS.values()
        ])  # fmt: skip
        found = np.sum(costs < 1.01 * np.min(costs), axis=1)
        name = f"{method}, {'with' if bounds[0] is low else 'without'} bounds"
        print(f"{name:<24}" + "".join(f"{n:>8}" for n in found))


def medians(runs: list[Callable[[], Any]], rounds: int) -> list[float]:
    """Wall-clock times in milliseconds, taken in alternation. The order changes: each run finds the memory of the one before."""
    times: list[list[float]] = [[] for _ in runs]
    for round_ in range(rounds + 1):
        order = range(len(runs)) if round_ % 2 else reversed(range(len(runs)))
        for k in order:
            begin = time.perf_counter()
            runs[k]()
            times[k].append(1e3 * (time.perf_counter() - begin))
    return [median(list_[1:]) for list_ in times]


def times() -> None:
    def model(t: Any, a: Any, b: Any, c: Any) -> Any:
        return a * np.exp(-b * t) + c

    print(f"{'samples':>8} {'SciPy lm':>10} {'differences':>12} {'autodiff':>9}  ms; {'/ SciPy':>8} {'autodiff / differences':>23}")
    for count, rounds in ((50, 300), (10_000, 50), (1_000_000, 8)):
        t = np.linspace(0, 4, count)
        y = model(t, 2.5, 1.3, 0.5) + 0.05 * np.random.default_rng(0).normal(size=count)
        scipy_time, differences, exact = medians(
            [
                lambda: scipy.optimize.curve_fit(model, t, y),
                lambda: vesta.curve_fit(model, t, y),
                lambda: vesta.curve_fit(model, t, y, jac="autodiff"),
            ],
            rounds,
        )
        print(
            f"{count:>8} {scipy_time:>10.3f} {differences:>12.3f} {exact:>9.3f}      "
            f"{differences / scipy_time:>8.2f} {exact / differences:>23.2f}"
        )


class Dataset:
    """One file: the formula of the model, two starts, the certified parameters, the data."""

    def __init__(self, path: pathlib.Path) -> None:
        lines = path.read_text().splitlines()
        begin = next(i for i, line in enumerate(lines) if re.match(r"\s+(log\[)?y\]?\s*=", line))
        formula = ""
        while not re.search(r"\+\s*e\s*$", formula):
            formula += " " + lines[begin].strip()
            begin += 1
        left, right = re.sub(r"\+\s*e\s*$", "", formula).split("=", 1)
        self.logarithm = "log" in left
        right = right.replace("[", "(").replace("]", ")").replace("arctan", "np.arctan").replace("exp", "np.exp")
        right = right.replace("cos", "np.cos").replace("sin", "np.sin").replace("pi", "np.pi")
        self.code = compile(right.strip(), path.name, "eval")
        rows = [re.findall(r"[-+.\dE]+", line.split("=")[1]) for line in lines if re.match(r"\s*b\d+\s*=", line)]
        table = np.array([[float(word) for word in row[:3]] for row in rows])
        self.starts, self.certified = table[:, :2].T, table[:, 2]
        squares = next(line for line in lines if line.startswith("Residual Sum of Squares"))
        self.squares = float(squares.split(":")[1])
        first = max(i for i, line in enumerate(lines) if line.startswith("Data:")) + 1
        data = np.array([[float(word) for word in line.split()] for line in lines[first:] if line.strip()]).T
        self.y, self.x = np.log(data[0]) if self.logarithm else data[0], data[1:]

    def is_minimum(self, x: Any) -> bool:
        """Four digits of all parameters, or six of the sum of squares, are the certified ones."""
        squares = np.sum(self.residuals(x) ** 2)
        return bool(np.all(np.abs(x / self.certified - 1) < 1e-4) or abs(squares / self.squares - 1) < 1e-6)

    def residuals(self, b: Any) -> Any:
        names = {f"b{i + 1}": value for i, value in enumerate(b)}
        places = {"x": self.x[0], "x1": self.x[0], "x2": self.x[-1]}
        return eval(self.code, {"np": np, **names, **places}) - self.y


def nist(folder: str) -> None:
    files = [Dataset(path) for path in sorted(pathlib.Path(folder).glob("*.dat"))]
    print(f"{'':<8}" + "".join(f"{name:>8}" for name in SOLVERS) + f"   fits of {2 * len(files)} that find the certified minimum")
    for method in ("trf", "dogbox", "lm"):
        counts = []
        for solver in SOLVERS.values():
            good = 0
            for data in files:
                for start in data.starts:
                    try:
                        good += data.is_minimum(solver.least_squares(data.residuals, start, method=method, x_scale="jac").x)
                    except ValueError:  # The residuals at the start are not finite.
                        continue
            counts.append(good)
        print(f"{method:<8}" + "".join(f"{n:>8}" for n in counts), flush=True)


def main(arguments: list[str]) -> int:
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    if arguments == ["starts"]:
        starts()
    elif arguments == ["times"]:
        times()
    elif len(arguments) == 2 and arguments[0] == "nist":
        nist(arguments[1])
    else:
        print(__doc__, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
