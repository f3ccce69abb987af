# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Feeds a pose graph pose by pose to GTSAM's ISAM2, as incremental_driver.cc does to Vesta.

Prints the same names and values, and writes the last estimate. The time of an update is that of ISAM2.update and of
calculateEstimate for the new pose, which ISAM2 postpones its back substitution to. Other work in Python is not counted. Times are CPU times of the process.
"""

import argparse
import time

import gtsam
import numpy as np


def read_graph(path):
    """Returns poses {id: numbers} and edges [(a, b, numbers, information)]."""
    poses, edges = {}, []
    with open(path, encoding="ascii") as lines:
        for line in lines:
            words = line.split()
            if not words:
                continue
            if words[0].startswith("VERTEX"):
                poses[int(words[1])] = [float(w) for w in words[2:]]
            elif words[0].startswith("EDGE"):
                size, count = (3, 3) if words[0] == "EDGE_SE2" else (6, 7)
                numbers = [float(w) for w in words[3:]]
                information = np.zeros((size, size))
                information[np.triu_indices(size)] = numbers[count:]
                information += np.triu(information, 1).T
                edges.append((int(words[1]), int(words[2]), numbers[:count], information))
    return poses, edges


class Plane:
    between, prior, size = gtsam.BetweenFactorPose2, gtsam.PriorFactorPose2, 3

    @staticmethod
    def pose(numbers):
        return gtsam.Pose2(*numbers)

    @staticmethod
    def information(matrix):
        return matrix

    @staticmethod
    def estimate(isam, key):
        return isam.calculateEstimatePose2(key)

    @staticmethod
    def numbers(values, key):
        pose = values.atPose2(key)
        return [pose.x(), pose.y(), pose.theta()]


class Space:
    between, prior, size = gtsam.BetweenFactorPose3, gtsam.PriorFactorPose3, 6

    @staticmethod
    def pose(numbers):
        x, y, z, qx, qy, qz, qw = numbers
        return gtsam.Pose3(gtsam.Rot3.Quaternion(qw, qx, qy, qz), np.array([x, y, z]))

    @staticmethod
    def information(matrix):
        """GTSAM has the rotation first."""
        order = [3, 4, 5, 0, 1, 2]
        return matrix[np.ix_(order, order)]

    @staticmethod
    def estimate(isam, key):
        return isam.calculateEstimatePose3(key)

    @staticmethod
    def numbers(values, key):
        pose = values.atPose3(key)
        q = pose.rotation().toQuaternion()
        return [pose.x(), pose.y(), pose.z(), q.x(), q.y(), q.z(), q.w()]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--input", required=True)
    parser.add_argument("--relinearize_skip", type=int, default=10)
    parser.add_argument("--write_estimate", required=True)
    arguments = parser.parse_args()

    poses, edges = read_graph(arguments.input)
    kind = Plane if len(edges[0][2]) == 3 else Space
    edges_of = {}
    for edge in edges:
        edges_of.setdefault(max(edge[:2]), []).append(edge)

    parameters = gtsam.ISAM2Params()
    parameters.setRelinearizeThreshold(0.1)
    parameters.relinearizeSkip = arguments.relinearize_skip
    isam = gtsam.ISAM2(parameters)

    times, latest = [], {}
    for key in sorted(poses):
        graph, values = gtsam.NonlinearFactorGraph(), gtsam.Values()
        if not times and not latest:
            latest[key] = kind.pose(poses[key])
            values.insert(key, latest[key])
            graph.add(kind.prior(key, latest[key], gtsam.noiseModel.Isotropic.Sigma(kind.size, 1e-6)))
            isam.update(graph, values)
            continue
        nearest = max(edges_of[key], key=lambda edge: min(edge[:2]))
        for a, b, numbers, information in edges_of[key]:
            noise = gtsam.noiseModel.Gaussian.Information(kind.information(information))
            graph.add(kind.between(a, b, kind.pose(numbers), noise))
        other = min(nearest[:2])
        step = kind.pose(nearest[2])
        start = latest[other] if other in latest else kind.estimate(isam, other)
        values.insert(key, start.compose(step if nearest[0] == other else step.inverse()))
        begin = time.process_time()
        isam.update(graph, values)
        estimate = kind.estimate(isam, key)
        times.append(time.process_time() - begin)
        latest = {key: estimate}

    print("updates", len(times))
    print(f"total_seconds {sum(times):.6f}")
    print(f"largest_seconds {max(times):.6f}")
    print(f"median_seconds {sorted(times)[len(times) // 2]:.9f}")
    final = isam.calculateEstimate()
    with open(arguments.write_estimate, "w", encoding="ascii") as out:
        for key in sorted(poses):
            print(key, *(f"{x:.17g}" for x in kind.numbers(final, key)), file=out)


if __name__ == "__main__":
    main()
