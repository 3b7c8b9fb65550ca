"""Run a small load test, so that `make hall` keeps working."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.devtools.hall.site import ROOT

# It needs no browser; it takes as long as those that do, and runs with them.
pytestmark = [pytest.mark.browser, pytest.mark.long]


def test_a_small_hall_is_served_and_counted(tmp_path: Path) -> None:
    figures = tmp_path / "figures.json"
    order = ["--phones", "5", "--writers", "3", "--minutes", "0.25", "--entrants", "16", "--json", str(figures)]
    alone = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")}
    command = [sys.executable, "-m", "tests.devtools.hall", *order]
    done = subprocess.run(command, cwd=ROOT, env=alone, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(figures.read_text())
    assert {"hand", "payment", "result"} <= set(found["acknowledged"])
    assert found["fresh"]["my match"]["count"] > 0
    assert found["lost"] == found["doubled"] == found["problems"] == []
