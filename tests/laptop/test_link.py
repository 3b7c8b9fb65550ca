"""Two laptops with real processes: the second one follows, takes over, and shuts the first one out."""

from __future__ import annotations

import json

import pytest

from tests.laptop.pairs import Laptop, a_laptop, is_listening
from tests.processes import until

FORGET = """
from tournament.second_laptop.selectors import load_last_change
from tournament.second_laptop.services.changes import forget_changes
forget_changes(load_last_change())
"""


@pytest.fixture(scope="module")
def laptops(tmp_path_factory: pytest.TempPathFactory) -> tuple[Laptop, Laptop]:
    first = a_laptop(tmp_path_factory.mktemp("first"), "first")
    second = a_laptop(tmp_path_factory.mktemp("second"), "second")
    first.write("Before", 2)
    second.write("Replaced")
    return first, second


def test_the_event_goes_on_at_the_second_laptop(laptops: tuple[Laptop, Laptop]) -> None:
    """One story, because each step needs the one before it, and starting the processes takes seconds."""
    first, second = laptops
    words = first.link("add").stdout.strip()
    with first.connected() as leading:
        until(lambda: is_listening(first, second), leading)
        assert "they would be replaced" in second.link("join", f"127.0.0.1:{first.port}", words).stderr
        done = second.link("join", f"127.0.0.1:{first.port}", words.upper(), "--yes")
        assert (done.returncode, done.stderr) == (0, "")
        assert second.names() == ["Before 0", "Before 1"]
        assert "SEAL_SECRET=first" in (second.folder / "secrets.env").read_text()

        with second.connected() as following:
            first.write("Followed", 3)
            until(lambda: second.names() == first.names(), following)
        first.write("Missed", 2)
        with second.connected() as following:
            until(lambda: second.names() == first.names(), following)

        first.write("Away for too long", 2)
        first.shell(FORGET)
        with second.connected() as following:
            until(lambda: second.has("received.json"), following)
        assert second.link("install").returncode == 0
        assert second.names() == first.names()
        with second.connected() as following:
            first.write("Followed again")
            until(lambda: second.names() == first.names(), following)

        first.write("Alone", 1)
        assert second.link("take-over").returncode == 0
        assert second.link("take-over").returncode == 0
        with second.connected() as telling:
            until(lambda: first.role() == "shut-out", telling)
            until(lambda: not second.has("replaced.json"), telling)
    assert "Alone 0" not in second.names()
    [act] = json.loads((second.folder / "second-laptop" / "missing-acts.json").read_text())
    assert (act["tournament"], act["rows"][0]["about"]) == ("Alone-0", "Alone 0")
    second.write("Later")
    assert second.names()[-1] == "Later 0"

    words = second.link("add").stdout.strip()
    with second.connected() as leading:
        until(lambda: is_listening(second, first), leading)
        done = first.link("join", f"127.0.0.1:{second.port}", words)
        assert (done.returncode, done.stderr, first.role()) == (0, "", "second")
    assert first.names() == second.names()
