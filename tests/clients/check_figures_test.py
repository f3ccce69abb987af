# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

import unittest

from check_figures import check, read_figures, read_table

TABLE = ['# comment', '', 'app cost 1 10 relative 1e-6', 'app count 3 3 exact 0', 'app noise 0 9 free 0  # why',
         'other cost 0 1 absolute 1e-3']


class CheckFiguresTest(unittest.TestCase):
    def setUp(self):
        self.rows = read_table(TABLE, 'app')

    def num_wrong(self, ours, peer=None):
        return check(self.rows, ours, peer)[1]

    def test_table_has_the_rows_of_one_program(self):
        self.assertEqual([row[0] for row in self.rows], ['cost', 'count', 'noise'])
        with self.assertRaises(ValueError):
            read_table(TABLE, 'none')
        with self.assertRaises(ValueError):
            read_table(['app cost 1 10 about 1'], 'app')

    def test_other_lines_of_the_output_are_skipped(self):
        lines = ['cost 2.5', 'time 3', 'cost is 4', 'Final cost 5']
        self.assertEqual(read_figures(lines, {'cost'}), {'cost': 2.5})

    def test_figures_inside_of_their_limits_pass(self):
        self.assertEqual(self.num_wrong({'cost': 2.0, 'count': 3, 'noise': 1}), 0)
        self.assertEqual(self.num_wrong({'cost': 2.0, 'count': 3, 'noise': 1},
                                        {'cost': 2.000001, 'count': 3, 'noise': 8}), 0)

    def test_each_kind_of_difference_is_counted(self):
        good = {'cost': 2.0, 'count': 3, 'noise': 1}
        self.assertEqual(self.num_wrong({**good, 'cost': 11.0}), 1)
        self.assertEqual(self.num_wrong({**good, 'cost': float('nan')}), 1)
        self.assertEqual(self.num_wrong({'cost': 2.0, 'count': 3}), 1)
        self.assertEqual(self.num_wrong(good, {**good, 'cost': 2.00001}), 1)
        self.assertEqual(self.num_wrong(good, {**good, 'count': 4}), 1)
        self.assertEqual(self.num_wrong(good, {'cost': 2.0, 'noise': 1}), 1)

    def test_at_most_allows_a_peer_that_is_worse(self):
        rows = read_table(['app ratio 0.9 1.1 at_most 1e-6'], 'app')
        self.assertEqual(check(rows, {'ratio': 1.0}, {'ratio': 1.5})[1], 0)
        self.assertEqual(check(rows, {'ratio': 1.0}, {'ratio': 0.95})[1], 1)
        self.assertEqual(check(rows, {'ratio': 1.5}, {'ratio': 1.6})[1], 1)


if __name__ == '__main__':
    unittest.main()
