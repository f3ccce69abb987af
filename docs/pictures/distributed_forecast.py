# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""The forecast of docs/distributed.md: the time of an iteration of 10^8 observations by the number of ranks.

Arithmetic, not a measurement. Run as a program, it also prints the rows of the page's table."""

from _style import pyplot, save

OBSERVATIONS = 1e8
CAMERAS = 2e4
COLUMNS = 9 * CAMERAS
THREADS = 8
PRODUCTS = 30

# Rates of one thread, from docs/performance.md, in seconds for an observation.
EVALUATION_AND_ELIMINATION = 0.6e-6
PRODUCT = 9e-9
EFFICIENCY = 0.8  # of threads
# The network and the memory of a rank, in bytes for a second, and an exchange in seconds.
NETWORK = 1e9
MEMORY = 10e9
LATENCY = 50e-6
# Cameras that share points with a camera, and the part of the cameras that a rank uses.
NEIGHBORS = 100
USED_CAMERAS = 1 / 32


def forecast(ranks, threads=THREADS, network=NETWORK):
    """Seconds: evaluation and elimination, and conjugate gradients by REPLICATED_CG; the same for PETSC_CG_BLOCK_JACOBI."""
    workers = 1 if ranks * threads == 1 else ranks * threads * EFFICIENCY
    work = OBSERVATIONS * EVALUATION_AND_ELIMINATION / workers
    used = 1.0 if ranks < 2 else max(USED_CAMERAS, 1 / ranks)
    # The formula of the page: a rank receives 8 c for its chunk and 8 m for the vector.
    vector = 0.0 if ranks == 1 else 8 * COLUMNS * (1 + used) / network + 2 * LATENCY
    replicated = PRODUCTS * (OBSERVATIONS * PRODUCT / workers + vector)
    matrix = CAMERAS * NEIGHBORS * 81 * 8  # both triangles
    sent = 0.0 if ranks == 1 else 2 * matrix / 2 * used / network + 2 * LATENCY
    petsc = PRODUCTS * (matrix / ranks / MEMORY + vector)
    return {"work": work, "replicated": replicated, "sent": sent, "petsc": petsc}


def overlap_rate(ranks, share=0.03):
    """The network's bytes for a second below which sending S takes more than a share of an iteration of PETSC_CG_BLOCK_JACOBI."""
    low, high = 1e6, 1e12
    for _ in range(60):
        middle = (low * high) ** 0.5
        row = forecast(ranks, network=middle)
        if row["sent"] > share * (row["work"] + row["sent"] + row["petsc"]):
            low = middle
        else:
            high = middle
    return low


def main():
    ranks = [2**k for k in range(8)]
    rows = [forecast(n) for n in ranks]
    figure, axes = pyplot.subplots()
    axes.loglog(ranks, [row["work"] + row["replicated"] for row in rows], "o-", label="iteration, REPLICATED_CG")
    axes.loglog(ranks, [row["work"] + row["sent"] + row["petsc"] for row in rows], "s-", label="iteration, PETSC_CG_BLOCK_JACOBI")
    axes.loglog(ranks, [row["work"] for row in rows], ":", label="evaluation and elimination")
    axes.loglog(ranks[1:], [row["sent"] for row in rows[1:]], "--", label="reduced matrix sent")
    axes.set_xticks(ranks, [str(n) for n in ranks])
    axes.minorticks_off()
    axes.set_xlabel(f"ranks, {THREADS} threads each")
    axes.set_ylabel("seconds")
    axes.legend(fontsize=8)
    save(figure, __file__)


if __name__ == "__main__":
    for count, threads in ((1, 1), (16, 8), (64, 8)):
        row = forecast(count, threads)
        print(count, threads, {name: f"{seconds:.3g}" for name, seconds in row.items()})
    print("sending S takes 3 % of an iteration of 64 ranks at", f"{overlap_rate(64):.2g} bytes/s")
main()
