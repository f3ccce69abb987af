#!/usr/bin/env python3
# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Solves a problem of constrained_driver by IPOPT, with exact second derivatives, and prints what it took.

    constrained_ipopt.py trajectory|chain SIZE

Needs CasADi, whose wheel contains IPOPT (pip install casadi). The time is that of the solver's call: expressions are built,
differentiated and compiled to CasADi's bytecode before.
"""

import math
import sys
import time

import casadi as ca


class Generator:
    """That of constrained_driver."""

    def __init__(self, seed):
        self.state = seed

    def normal(self):
        total = 0.0
        for _ in range(12):
            self.state = self.state * 48271 % 2147483647
            total += self.state / 2147483647.0
        return total - 6.0


def trajectory(n):
    """Returns variables, start, cost, constraints, and their bounds."""
    generator = Generator(11)
    dt, speed, turn = 0.5, 1.0, 0.6
    truth, odometry, start = [(0.0, 0.0, 0.0)], [], [0.0, 0.0, 0.0]
    for i in range(n - 1):
        d, w = speed * dt * (1 + 0.25 * math.sin(0.9 * i)), turn * dt * 1.4 * math.sin(0.6 * i)
        x, y, t = truth[-1]
        truth.append((x + d * math.cos(t), y + d * math.sin(t), t + w))
        odometry.append((d + 0.05 * generator.normal(), 0.03 * generator.normal(), w + 0.02 * generator.normal()))
    for d, _, w in odometry:
        x, y, t = start[-3:]
        start += [x + d * math.cos(t), y + d * math.sin(t), t + w]
    positions = [(x + 0.15 * generator.normal(), y + 0.15 * generator.normal()) for x, y, _ in truth]
    v = ca.SX.sym("v", 3 * n)
    x, y, t = v[0::3], v[1::3], v[2::3]
    dx, dy, dt_ = x[1:] - x[:-1], y[1:] - y[:-1], t[1:] - t[:-1]
    forward, sideways, turned = (ca.DM(column) for column in zip(*odometry))
    px, py = (ca.DM(column) for column in zip(*positions))
    c, s = ca.cos(t[:-1]), ca.sin(t[:-1])
    residuals = ca.vertcat((c * dx + s * dy - forward) / 0.05, (c * dy - s * dx - sideways) / 0.03, (dt_ - turned) / 0.02,
                           (x - px) / 0.15, (y - py) / 0.15)
    g = ca.vertcat(dx**2 + dy**2, dt_, v[:3])
    lower = [-ca.inf] * (n - 1) + [-turn * dt] * (n - 1) + [0.0] * 3
    upper = [(speed * dt)**2] * (n - 1) + [turn * dt] * (n - 1) + [0.0] * 3
    return v, start, 0.5 * ca.sumsqr(residuals), g, lower, upper


def chain(n):
    """Returns variables, start, cost, constraints, and their bounds."""
    width = 4.0
    length = 1.25 * width / n
    v = ca.SX.sym("v", 2 * (n - 1))
    x, y = ca.vertcat(0, v[0::2], width), ca.vertcat(0, v[1::2], 0)
    g = (x[1:] - x[:-1])**2 + (y[1:] - y[:-1])**2 - length**2
    start = []
    for i in range(1, n):
        start += [width * i / n, -0.5 - 0.3 * math.sin(math.pi * i / n)]
    return v, start, 0.5 * ca.sumsqr((v[1::2] + 10) / math.sqrt(n)), g, [0.0] * n, [0.0] * n


def main():
    v, start, cost, g, lower, upper = {"trajectory": trajectory, "chain": chain}[sys.argv[1]](int(sys.argv[2]))
    solver = ca.nlpsol("solver", "ipopt", {"x": v, "f": cost, "g": g},
                       {"ipopt.print_level": 0, "print_time": False, "ipopt.sb": "yes"})
    begin = time.perf_counter()
    result = solver(x0=start, lbg=lower, ubg=upper)
    seconds = time.perf_counter() - begin
    stats = solver.stats()
    print(f"solve_seconds {seconds:.6f}\niterations {stats['iter_count']}\nresidual_evaluations {stats['n_call_nlp_f']}")
    print(f"final_cost {float(result['f']):.17g}\nstatus {stats['return_status']}")


if __name__ == "__main__":
    main()
