#!/usr/bin/env python3
# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Draws the logo and the icon of the site, docs/_static/logo.svg and icon.svg: level sets of a cost, and a path to its minimum.

The path is that of Levenberg-Marquardt on a quadratic cost with growing trust regions. The colours have contrast on white and on
black.
"""

import math
import pathlib

STATIC = pathlib.Path(__file__).resolve().parent.parent / "_static"
LINE, PATH = "#3d7ea6", "#e07b39"
ANGLE = math.radians(-32)
AXES = (1.0, 0.42)
CENTER = (50.0, 52.0)


def path(start, dampings):
    """Points of damped Newton steps on the cost x^2 / a^2 + y^2 / b^2, in the axes of the ellipses."""
    points = [start]
    for damping in dampings:
        points.append(tuple(x * damping / (1 / axis**2 + damping) for x, axis in zip(points[-1], AXES, strict=True)))
    return points


def to_picture(point):
    x, y = point
    c, s = math.cos(ANGLE), math.sin(ANGLE)
    return CENTER[0] + c * x - s * y, CENTER[1] + s * x + c * y


def drawing(radii, width, points):
    degrees = math.degrees(ANGLE)
    lines = []
    for radius in radii:
        lines.append(f'<ellipse cx="{CENTER[0]:g}" cy="{CENTER[1]:g}" rx="{radius * AXES[0]:g}" ry="{radius * AXES[1]:g}" '
                     f'transform="rotate({degrees:g} {CENTER[0]:g} {CENTER[1]:g})" fill="none" stroke="{LINE}" '
                     f'stroke-width="{width:g}"/>')
    places = [to_picture(point) for point in points]
    steps = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    lines.append(f'<polyline points="{steps}" fill="none" stroke="{PATH}" stroke-width="{width * 0.9:g}" '
                 'stroke-linejoin="round" stroke-linecap="round"/>')
    lines += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{width * 1.2:g}" fill="{PATH}"/>' for x, y in places]
    return lines


def write(name, width, lines):
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} 100">'
    (STATIC / name).write_text("\n".join([head, "<title>Vesta</title>", *lines, "</svg>", ""]), encoding="utf-8")


def main():
    points = path((-40.0, -13.0), (2.2, 1.0, 0.02))
    write("icon.svg", 100, drawing((44, 26), 6, points))
    word = (f'<text x="108" y="72" font-family="Helvetica, Arial, sans-serif" font-size="60" letter-spacing="1" fill="{LINE}">'
            "Vesta</text>")
    write("logo.svg", 280, [*drawing((46, 33, 19), 3.2, points), word])


if __name__ == "__main__":
    main()
