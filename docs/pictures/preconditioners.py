# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Conjugate gradients on one Schur complement with three preconditioners."""

import numpy

from _style import pyplot, save

CAMERAS, POINTS, SIZE = 30, 110, 6
random = numpy.random.default_rng(4)
size = CAMERAS * SIZE
scales = 10.0 ** random.uniform(-1.5, 1.5, size)
S = numpy.zeros((size, size))
C = numpy.zeros((size, size))
for p in range(POINTS):
    center = p * CAMERAS / POINTS
    cameras = [c for c in range(CAMERAS) if abs(c - center) < 2]
    columns = numpy.concatenate([numpy.arange(c * SIZE, (c + 1) * SIZE) for c in cameras])
    rows = 2 * len(cameras)
    F = numpy.zeros((rows, len(columns)))
    for k in range(len(cameras)):
        F[2 * k : 2 * k + 2, k * SIZE : (k + 1) * SIZE] = random.normal(size=(2, SIZE))
    F *= scales[columns]
    E = random.normal(size=(rows, 3))
    Q, _ = numpy.linalg.qr(E)
    G = F - Q @ (Q.T @ F)
    S[numpy.ix_(columns, columns)] += G.T @ G
    C[numpy.ix_(columns, columns)] += F.T @ F
damping = 1e-6 * numpy.diag(numpy.diag(C))
S += damping
C += damping
b = S @ (random.normal(size=size) / scales)


def block_inverse(matrix):
    inverse = numpy.zeros_like(matrix)
    for c in range(CAMERAS):
        s = slice(c * SIZE, (c + 1) * SIZE)
        inverse[s, s] = numpy.linalg.inv(matrix[s, s])
    return inverse


def norms(apply):
    h, r = numpy.zeros(size), b.copy()
    z = apply(r)
    p, rz = z.copy(), r @ z
    result = [1.0]
    for _ in range(60):
        q = S @ p
        alpha = rz / (p @ q)
        h, r = h + alpha * p, r - alpha * q
        z = apply(r)
        rz, old = r @ z, rz
        p = z + rz / old * p
        result.append(numpy.linalg.norm(r / scales) / numpy.linalg.norm(b / scales))
    return result


jacobi, schur = block_inverse(C), block_inverse(S)


def power_series(r, terms=5):
    term = jacobi @ r
    total = term.copy()
    for _ in range(terms):
        term = term - jacobi @ (S @ term)
        total += term
    return total


figure, axes = pyplot.subplots(figsize=(7, 3.4))
for label, apply in (("none (IDENTITY)", lambda r: r), ("JACOBI", lambda r: jacobi @ r),
                     ("SCHUR_JACOBI", lambda r: schur @ r), ("SCHUR_POWER_SERIES_EXPANSION", power_series)):
    axes.semilogy(norms(apply), label=label)
axes.set(xlabel="iteration", ylabel="relative residual", ylim=(1e-8, 10))
axes.legend(loc="lower left", bbox_to_anchor=(0.55, 0.42))
save(figure, __file__)
