# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

"""Compares what a client program printed with figures.txt, and with what it printed with another library.

Usage: check_figures.py figures.txt PROGRAM OURS [PEER]

OURS and PEER are files with the output of a program. Lines "NAME VALUE" with a name of the table count, others do not. The
exit status is 1 if a figure is missing or outside of its limits.
"""

import sys

RULES = ('exact', 'absolute', 'relative', 'at_most', 'free')


def read_table(lines, program):
    """Returns [(name, lower, upper, rule, tolerance)] of the program. The rule is one of RULES."""
    rows = []
    for number, line in enumerate(lines, 1):
        fields = line.split('#')[0].split()
        if not fields:
            continue
        if len(fields) != 6 or fields[4] not in RULES:
            raise ValueError(f'line {number} of the table has no "program figure lower upper rule tolerance": {line!r}')
        if fields[0] == program:
            rows.append((fields[1], float(fields[2]), float(fields[3]), fields[4], float(fields[5])))
    if not rows:
        raise ValueError(f'the table has no figures of {program}')
    return rows


def read_figures(lines, names):
    figures = {}
    for line in lines:
        fields = line.split()
        if len(fields) == 2 and fields[0] in names:
            figures[fields[0]] = float(fields[1])
    return figures


def allowed_difference(rule, tolerance, peer):
    relative = tolerance * abs(peer)
    return {'exact': 0.0, 'absolute': tolerance, 'relative': relative, 'at_most': relative, 'free': float('inf')}[rule]


def check(rows, ours, peer):
    """Returns (lines to print, number of figures that are wrong)."""
    lines, num_wrong = [], 0
    for name, lower, upper, rule, tolerance in rows:
        problems = []
        for owner, figures in (('ours', ours), ('the peer', peer)):
            if figures is None:
                continue
            if name not in figures:
                problems.append(f'{owner} did not print it')
            elif not lower <= figures[name] <= upper and not (rule == 'at_most' and figures is peer):
                problems.append(f'{owner} is outside of [{lower:g}, {upper:g}]')
        if not problems and peer is not None:
            allowed = allowed_difference(rule, tolerance, peer[name])
            difference = ours[name] - peer[name] if rule == 'at_most' else abs(ours[name] - peer[name])
            if not difference <= allowed:
                problems.append(f'the difference {difference:.2g} is more than {allowed:.2g}')
        values = [f'{f[name]:.10g}' if name in f else '-' for f in (ours, peer) if f is not None]
        limit = rule if rule in ('exact', 'free') else f'{rule} {tolerance:g}'
        row = f'  {name:<34}' + ''.join(f'{value:>18}' for value in values)
        if peer is not None:
            row += f'  {limit:<16}'
        lines.append(row + ('  ' + '; '.join(problems) if problems else '  ok'))
        num_wrong += bool(problems)
    return lines, num_wrong


def main(arguments):
    if len(arguments) not in (3, 4):
        print(__doc__, file=sys.stderr)
        return 2
    with open(arguments[0], encoding='utf-8') as table:
        rows = read_table(table, arguments[1])
    names = {row[0] for row in rows}
    outputs = []
    for path in arguments[2:]:
        with open(path, encoding='utf-8') as output:
            outputs.append(read_figures(output, names))
    lines, num_wrong = check(rows, outputs[0], outputs[1] if len(outputs) == 2 else None)
    print('\n'.join([arguments[1]] + lines))
    return 1 if num_wrong else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
