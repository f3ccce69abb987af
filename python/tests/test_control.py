# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Exceptions, callbacks, Ctrl-C, cancellation, threads, fork."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import traceback

import numpy as np
import pytest

import vesta


class Rosenbrock(vesta.CostFunction):
    def __init__(self, before=None):
        super().__init__(2, [2])
        self.before = before
        self.calls = 0

    def evaluate(self, parameters, residuals, jacobians):
        self.calls += 1
        if self.before is not None:
            self.before(self.calls)
        x, y = parameters[0]
        residuals[:] = 10 * (y - x * x), 1 - x
        if jacobians is not None and jacobians[0] is not None:
            jacobians[0][:] = [[-20 * x, 10], [-1, 0]]


def rosenbrock(before=None):
    x = np.array([-1.2, 1.0])
    problem = vesta.Problem()
    problem.add_residual_block(Rosenbrock(before), None, x)
    return problem, x


class Mine(Exception):
    pass


def test_exception_arrives_with_type_message_and_traceback():
    def fail(calls):
        if calls == 5:
            raise Mine("at call 5")

    problem, x = rosenbrock(fail)
    with pytest.raises(Mine, match="at call 5") as error:
        problem.solve()
    names = [frame.name for frame in traceback.extract_tb(error.value.__traceback__)]
    assert "fail" in names and "evaluate" in names
    np.testing.assert_array_equal(x, [-1.2, 1.0])


def test_exception_can_keep_progress():
    def fail(calls):
        if calls == 8:
            raise Mine

    problem, x = rosenbrock(fail)
    before = problem.evaluate(residuals=False, gradient=False, jacobian=False).cost
    with pytest.raises(Mine):
        problem.solve(keep_progress_on_exception=True)
    problem2, _ = rosenbrock()
    assert not np.array_equal(x, [-1.2, 1.0])
    assert 50 * (x[1] - x[0] ** 2) ** 2 + 0.5 * (1 - x[0]) ** 2 < before


def test_exception_of_a_callback_arrives():
    problem, x = rosenbrock()

    def callback(summary):
        if summary.iteration == 3:
            raise Mine("three")

    with pytest.raises(Mine, match="three"):
        problem.solve(callbacks=[callback])
    np.testing.assert_array_equal(x, [-1.2, 1.0])


def test_problem_can_be_solved_after_an_exception():
    state = {"fail": True}

    def fail(calls):
        if state["fail"] and calls == 3:
            raise Mine

    problem, x = rosenbrock(fail)
    with pytest.raises(Mine):
        problem.solve()
    state["fail"] = False
    problem.solve()
    np.testing.assert_allclose(x, [1, 1], atol=1e-5)


def test_callbacks_see_iterations_and_end_the_solve():
    problem, x = rosenbrock()
    seen = []
    summary = problem.solve(
        callbacks=[
            lambda s: seen.append((s.iteration, s.cost)),
            lambda s: "SOLVER_TERMINATE_SUCCESSFULLY" if s.iteration == 4 else None,
        ]
    )
    assert [i for i, _ in seen] == [0, 1, 2, 3, 4]
    assert summary.termination_type == vesta.TerminationType.USER_SUCCESS
    problem, x = rosenbrock()
    summary = problem.solve(callbacks=[lambda s: vesta.CallbackReturnType.SOLVER_ABORT])
    assert summary.termination_type == vesta.TerminationType.USER_FAILURE
    np.testing.assert_array_equal(x, [-1.2, 1.0])
    with pytest.raises(TypeError, match="callables"):
        problem.solve(callbacks=[3])
    with pytest.raises(TypeError, match="result of a callback"):
        problem.solve(callbacks=[lambda s: 3])


def test_state_is_current_in_callbacks():
    problem, x = rosenbrock()
    points = []
    problem.solve(callbacks=[lambda s: points.append(x.copy())], update_state_every_iteration=True)
    assert len({tuple(p) for p in points}) > 3


def test_evaluation_callback_comes_before_each_evaluation_at_its_point():
    problem, x = rosenbrock()
    state = {"point": None, "calls": []}

    def prepare(evaluate_jacobians, new_evaluation_point):
        state["point"] = x.copy()
        state["calls"].append((evaluate_jacobians, new_evaluation_point))

    class Shared(vesta.CostFunction):
        """The residual 0, by what the callback has computed."""

        def __init__(self):
            super().__init__(1, [2])

        def evaluate(self, parameters, residuals, jacobians):
            residuals[:] = np.linalg.norm(parameters[0] - state["point"])
            if jacobians is not None:
                jacobians[0][:] = 0.0

    problem.add_residual_block(Shared(), None, x)
    problem.set_evaluation_callback(prepare)
    summary = problem.solve(function_tolerance=1e-12)
    np.testing.assert_allclose(x, [1, 1], atol=1e-5)
    assert summary.final_cost < 1e-10
    assert len(state["calls"]) == summary.num_residual_evaluations + summary.num_jacobian_evaluations
    assert state["calls"][0][1]
    assert sum(jacobians for jacobians, _ in state["calls"]) == summary.num_jacobian_evaluations


def test_evaluation_callback_can_be_removed_and_may_fail():
    def fail(evaluate_jacobians, new_evaluation_point):
        raise Mine("prepare")

    problem, x = rosenbrock()
    problem.set_evaluation_callback(fail)
    with pytest.raises(Mine, match="prepare"):
        problem.solve()
    np.testing.assert_array_equal(x, [-1.2, 1.0])
    problem.set_evaluation_callback(None)
    problem.solve()
    np.testing.assert_allclose(x, [1, 1], atol=1e-5)
    with pytest.raises(TypeError, match="callback: expected a callable"):
        problem.set_evaluation_callback(3)


def test_problem_cannot_be_used_during_its_solve():
    problem, x = rosenbrock()
    with pytest.raises(RuntimeError, match="being solved"):
        problem.solve(callbacks=[lambda s: problem.solve()])
    with pytest.raises(RuntimeError, match="being solved"):
        problem.solve(callbacks=[lambda s: problem.set_parameter_block_constant(x)])


def test_another_problem_can_be_solved_during_a_solve():
    problem, x = rosenbrock()

    def inner(summary):
        other, y = rosenbrock()
        other.solve()
        np.testing.assert_allclose(y, [1, 1], atol=1e-5)

    problem.solve(callbacks=[inner])
    np.testing.assert_allclose(x, [1, 1], atol=1e-5)


def test_cancellation_from_another_thread():
    source = vesta.CancellationSource()
    entered = threading.Event()

    def wait(calls):
        entered.set()
        if calls > 3:
            source_cancelled.wait()

    source_cancelled = threading.Event()
    problem, x = rosenbrock(wait)

    def cancel():
        entered.wait()
        source.cancel()
        source_cancelled.set()

    thread = threading.Thread(target=cancel)
    thread.start()
    summary = problem.solve(cancellation_token=source.token, max_num_iterations=1000, function_tolerance=0.0,
                            gradient_tolerance=0.0, parameter_tolerance=0.0)  # fmt: skip
    thread.join()
    assert summary.termination_type == vesta.TerminationType.NO_CONVERGENCE
    assert source.token.is_cancelled


def test_deadline_ends_the_solve():
    problem, x = rosenbrock()
    summary = problem.solve(max_solver_time_in_seconds=0.0, function_tolerance=0.0)
    assert summary.termination_type == vesta.TerminationType.NO_CONVERGENCE


INTERRUPTED = """
    import os, signal, sys, threading
    import numpy as np
    import vesta
    {setup}
    try:
        {run}
        print("finished")
    except KeyboardInterrupt:
        print("interrupted")
    print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)
"""


def run_script(setup, run):
    script = textwrap.dedent(INTERRUPTED).format(setup=textwrap.dedent(setup), run=run)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_ctrl_c_ends_a_solve_without_python_code():
    # The residual blocks are C++; SIGINT comes when the solve has begun, and the tolerances never end it.
    setup = """
    n = 20000
    x = np.zeros((n, 3))
    problem = vesta.Problem()
    problem.add_costs(vesta.costs.prior(np.ones((n, 3))), [(x, np.arange(n))], vesta.CauchyLoss(0.1))
    started = threading.Event()
    options = vesta.SolverOptions(max_num_iterations=10**8, function_tolerance=0.0, gradient_tolerance=0.0,
                                  parameter_tolerance=0.0, max_num_consecutive_invalid_steps=10**8,
                                  min_trust_region_radius=1e-300)
    options.callbacks = [lambda s: started.set()]
    def interrupt():
        started.wait()
        os.kill(os.getpid(), signal.SIGINT)
    threading.Thread(target=interrupt, daemon=True).start()
    """
    assert run_script(setup, "problem.solve(options)") == ["interrupted", "True"]


def test_ctrl_c_ends_a_solve_with_python_code():
    setup = """
    class Cost(vesta.CostFunction):
        def __init__(self):
            super().__init__(1, [1])
            self.calls = 0
        def evaluate(self, parameters, residuals, jacobians):
            self.calls += 1
            if self.calls == 3:
                os.kill(os.getpid(), signal.SIGINT)
            residuals[0] = np.exp(parameters[0][0])
            if jacobians is not None:
                jacobians[0][0, 0] = residuals[0]
            return True
    problem = vesta.Problem()
    problem.add_residual_block(Cost(), None, np.zeros(1))
    """
    run = "problem.solve(max_num_iterations=10**8, function_tolerance=0.0, gradient_tolerance=0.0)"
    assert run_script(setup, run) == ["interrupted", "True"]


def test_second_ctrl_c_interrupts_a_callable_that_does_not_return():
    setup = """
    class Cost(vesta.CostFunction):
        def __init__(self):
            super().__init__(1, [1])
        def evaluate(self, parameters, residuals, jacobians):
            while True:
                os.kill(os.getpid(), signal.SIGINT)
    problem = vesta.Problem()
    problem.add_residual_block(Cost(), None, np.zeros(1))
    """
    assert run_script(setup, "problem.solve()") == ["interrupted", "True"]


def test_solves_in_threads():
    results = []

    def work():
        problem, x = rosenbrock()
        problem.solve()
        results.append(x)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 8
    for x in results:
        np.testing.assert_array_equal(x, results[0])


def test_gil_is_free_during_a_solve():
    """A thread that counts makes progress while a solve that never calls Python runs, or the test hangs."""
    n = 5000
    x = np.zeros((n, 3))
    problem = vesta.Problem()
    problem.add_costs(vesta.costs.prior(np.ones((n, 3))), [(x, np.arange(n))])
    source = vesta.CancellationSource()
    thread = threading.Thread(target=source.cancel)
    token = source.token

    def start(summary):
        if summary.iteration == 0:
            thread.start()

    # Only the thread, which needs the GIL, ends this solve.
    problem.solve(
        callbacks=[start], cancellation_token=token, max_num_iterations=10**8, function_tolerance=0.0,
        gradient_tolerance=0.0, parameter_tolerance=0.0, max_num_consecutive_invalid_steps=10**8,
        min_trust_region_radius=1e-300,
    )  # fmt: skip
    thread.join()


def prior_problem(num_threads):
    rng = np.random.default_rng(1)
    x = np.zeros((3000, 3))
    problem = vesta.Problem()
    target = rng.normal(size=(3000, 3))
    problem.add_costs(vesta.costs.prior(target), [(x, np.arange(3000))], vesta.CauchyLoss(0.5))
    problem.solve(num_threads=num_threads)
    return x


def test_bits_do_not_depend_on_threads():
    one = prior_problem(1)
    for threads in (2, 4):
        np.testing.assert_array_equal(prior_problem(threads), one)


FORKED = """
    import multiprocessing, os
    import numpy as np
    import vesta

    problems = []

    def solve(n=20000):
        x = np.zeros((n, 3))
        problem = vesta.Problem()
        target = np.sin(np.arange(3.0 * n)).reshape(n, 3)
        problem.add_costs(vesta.costs.prior(target), [(x, np.arange(n))], vesta.CauchyLoss(0.5))
        problem.solve(num_threads=4)
        problems.append(problem)  # Its threads end with it.
        return x.tobytes()

    def child(queue):
        problems[0].solve(num_threads=4)  # The problem whose threads the child does not have.
        queue.put(solve())

    def num_threads():
        return len(os.listdir("/proc/self/task"))

    before = num_threads()
    expected = solve()
    if vesta.available_concurrency() > 1:
        assert num_threads() > before, "the solve has started no thread: there is nothing to test"
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    children = [context.Process(target=child, args=(queue,)) for _ in range(2)]
    for process in children:
        process.start()
    assert [queue.get(timeout=120) for _ in children] == [expected, expected]
    for process in children:
        process.join()
        assert process.exitcode == 0
    assert solve() == expected
    problems[0].solve(num_threads=4)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_children_that_are_forked_after_a_solve_with_threads_can_solve():
    # In a process of its own: libraries that other tests load may have threads that do not survive a fork.
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(FORKED)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


def test_python_costs_with_several_threads():
    targets = np.arange(50.0)

    class Target(vesta.CostFunction):
        def __init__(self, target):
            super().__init__(1, [1])
            self.target = target

        def evaluate(self, parameters, residuals, jacobians):
            residuals[0] = parameters[0][0] - self.target
            if jacobians is not None:
                jacobians[0][0, 0] = 1.0

    x = np.zeros((50, 1))
    problem = vesta.Problem()
    for i in range(50):
        problem.add_residual_block(Target(targets[i]), None, x[i])
    problem.solve(num_threads=4, function_tolerance=1e-16, gradient_tolerance=1e-14, parameter_tolerance=1e-14)
    np.testing.assert_allclose(x[:, 0], targets, rtol=1e-10, atol=1e-10)


def test_one_python_cost_for_many_blocks_and_threads():
    class Square(vesta.CostFunction):
        def __init__(self):
            super().__init__(1, [1])

        def evaluate(self, parameters, residuals, jacobians):
            value = parameters[0][0]
            sum(range(300))  # Time for Python to switch threads.
            residuals[0] = value * value - 4.0
            if jacobians is not None:
                jacobians[0][0, 0] = 2.0 * value

    cost = Square()
    x = np.linspace(1.0, 9.0, 200).reshape(-1, 1)
    problem = vesta.Problem()
    for row in x:
        problem.add_residual_block(cost, None, row)
    problem.solve(num_threads=4, function_tolerance=1e-14)
    np.testing.assert_allclose(x, 2.0, rtol=1e-5)


def test_runtime_introspection():
    assert vesta.available_concurrency() >= 1
    assert vesta.num_threads() == 1
    try:
        vesta.set_num_threads(3)
        assert vesta.SolverOptions().num_threads == 3
    finally:
        vesta.set_num_threads(None)
    assert vesta.SolverOptions().num_threads == 1
    with pytest.raises(ValueError, match="threads"):
        vesta.set_num_threads(0)


EXIT = """
import sys, threading, time
import numpy as np
import vesta

def fun(x):
    return np.array([np.sin(7 * x[0]) - 0.3 + x[1] ** 2, 10 * (x[1] - x[0] ** 2), 1 - x[0]])

def problem():
    x = np.random.rand(2)
    problem = vesta.Problem()
    problem.add_residual_block(vesta.NumericDiffCostFunction(fun, 3, [2]), None, x)
    return problem

work = dict(
    fit=lambda: vesta.least_squares(fun, np.random.rand(2)),
    options=lambda: vesta.least_squares(fun, np.random.rand(2), options={}),
    solve=lambda: problem().solve(num_threads=2),
    evaluate=lambda: problem().evaluate(),
)[sys.argv[1]]
started = threading.Event()

def run():
    while True:
        work()
        started.set()

threading.Thread(target=run, daemon=True).start()
started.wait()
kept = problem()  # An object of the module at exit.
"""


@pytest.mark.parametrize("work", ["fit", "options", "solve", "evaluate"])
def test_a_daemon_thread_does_not_abort_the_exit(work):
    done = subprocess.run([sys.executable, "-c", EXIT, work], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "nanobind" not in done.stderr and "leaked" not in done.stderr
