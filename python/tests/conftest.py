# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
import os
import pathlib

import numpy as np
import pytest


@pytest.fixture
def rng():
    return np.random.default_rng(20261124)


@pytest.fixture(scope="session")
def data_folder():
    """The published data sets, which lie beside the repository."""
    here = pathlib.Path(__file__).resolve()
    for parent in here.parents:
        folder = parent / "shared" / "data"
        if folder.is_dir():
            return folder
    pytest.skip("The folder shared/data is not there.")


@pytest.fixture(scope="session")
def source_folder():
    """The folder python/ of the repository."""
    given = os.environ.get("VESTA_PYTHON_SOURCE")
    here = pathlib.Path(__file__).resolve()
    for folder in [pathlib.Path(given)] if given else []:
        return folder
    for parent in here.parents:
        if (parent / "python" / "CMakeLists.txt").exists():
            return parent / "python"
    pytest.skip("The sources of the package are not there.")
