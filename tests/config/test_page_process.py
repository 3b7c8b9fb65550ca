from __future__ import annotations

import gc
import weakref

import pytest

from config.pages import page_process
from tests.processes import until


class _Ring:
    """Only it itself keeps it, as cards and what stands on them keep each other."""

    def __init__(self) -> None:
        self.own = self


def test_what_is_old_and_let_go_of_goes_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_process, "COLLECT_EVERY", 0.05)
    ring = _Ring()
    gone = weakref.ref(ring)
    gc.collect()  # it is old now
    del ring
    assert gone() is not None
    page_process.collect_at_times()
    until(lambda: gone() is None)
