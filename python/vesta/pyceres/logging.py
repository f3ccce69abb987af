# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""The names of pyceres.logging. Messages go to the logger "vesta" of Python's logging.

The variables can be set at any time: minloglevel, the lowest level of messages;
stderrthreshold, the lowest level that goes to stderr, with alsologtostderr or
logtostderr any; log_dir, a folder for a file of all messages.
"""

from __future__ import annotations

import enum
import logging
import os
import sys


class Level(enum.IntEnum):
    INFO = 0
    WARNING = 1
    ERROR = 2
    FATAL = 3


INFO, WARNING, ERROR, FATAL = Level

minloglevel = 0
stderrthreshold = 2
logtostderr = False
alsologtostderr = False
log_dir = ""

_logger = logging.getLogger("vesta")
_files: dict[Level, str] = {}


class _Handler(logging.Handler):
    """Reads the variables of the module for each message."""

    def emit(self, record: logging.LogRecord) -> None:
        level = min(3, max(0, record.levelno // 10 - 2))
        text = self.format(record) + "\n"
        if logtostderr or alsologtostderr or level >= stderrthreshold:
            sys.stderr.write(text)
        names = {name for lowest, name in _files.items() if level >= lowest}
        if log_dir and not logtostderr:
            names.add(os.path.join(log_dir, "vesta.log"))
        for name in sorted(names):
            with open(name, "a") as file:
                file.write(text)

    def filter(self, record: logging.LogRecord) -> bool:
        return record.levelno // 10 - 2 >= minloglevel


_handler = _Handler()
_handler.setFormatter(logging.Formatter("%(levelname)s %(asctime)s %(message)s"))


def _attach() -> None:
    if _handler not in _logger.handlers:
        _logger.addHandler(_handler)
        if _logger.level == logging.NOTSET:
            _logger.setLevel(logging.INFO)


def info(message: str) -> None:
    """Logs at the level INFO."""
    _attach()
    _logger.info("%s", message)


def warning(message: str) -> None:
    """Logs at the level WARNING."""
    _attach()
    _logger.warning("%s", message)


def error(message: str) -> None:
    """Logs at the level ERROR."""
    _attach()
    _logger.error("%s", message)


def fatal(message: str) -> None:
    """Logs at the level FATAL. Unlike in pyceres, the process goes on."""
    _attach()
    _logger.critical("%s", message)


def set_log_destination(level: Level, path: str) -> None:
    """Writes messages of this level and higher ones to a file, too. An empty path ends that."""
    _attach()
    if path:
        _files[Level(level)] = path
    else:
        _files.pop(Level(level), None)


def install_failure_writer() -> None:
    """Prints the Python stacks when the process crashes."""
    import faulthandler

    faulthandler.enable()


def install_failure_function() -> None:
    """Without effect: errors of the library are Python exceptions."""
