"""Test two laptops with real processes, one of which has a full disk.

Everything must continue by itself as soon as there is space on the disk.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.laptop.pairs import Laptop, a_laptop, is_listening, pair
from tests.processes import until
from tests.tournament.helpers.disk import fill, small_disk


@dataclass
class Pair:
    first: Laptop
    second: Laptop

    def is_equal(self) -> bool:
        return self.second.names() == self.first.names()


@pytest.fixture(scope="module")
def laptops(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    folder = tmp_path_factory.mktemp("laptops")
    with small_disk(folder / "first", "40m"), small_disk(folder / "second", "40m"):
        first, second = a_laptop(folder / "first", "first"), a_laptop(folder / "second", "second")
        with first.connected():
            pair(first, second)
        yield Pair(first, second)


@pytest.mark.long
def test_a_second_laptop_with_a_full_disk_says_so_and_catches_up(laptops: Pair) -> None:
    first, second = laptops.first, laptops.second
    with first.connected() as leading, second.connected():
        until(lambda: first.has("ack") and laptops.is_equal(), leading)
        ballast = fill(second.folder)
        first.write("While the disk was full", 60)
        until(lambda: read_problem(first) == "disk-full", leading)
        assert second.problem() == "The disk of this laptop is full. Delete files that you do not need."
        assert (
            first.problem() == "The disk of the second laptop is full. Delete files there. Then it goes on by itself."
        )
        ballast.unlink()
        until(laptops.is_equal, leading)
        until(lambda: not first.has("problem"), leading)
    assert second.rows() == first.rows() and second.has_intact_logs()


def read_problem(laptop: Laptop) -> str:
    file = laptop.folder / "second-laptop" / "problem"
    return file.read_text() if file.exists() else ""


@pytest.mark.long
def test_a_first_laptop_with_a_full_disk_goes_on_when_there_is_room(laptops: Pair) -> None:
    first, second = laptops.first, laptops.second
    with first.connected() as leading, second.connected():
        before = first.names()
        ballast = fill(first.folder)
        with pytest.raises(Exception, match="returned non-zero exit status"):
            first.write("Refused", 200)
        ballast.unlink()
        written = [name for name in first.names() if name not in before]
        assert len(written) < 200
        first.write("Later")
        until(laptops.is_equal, leading)
    assert first.names() == [*before, *written, "Later 0"]
    assert second.rows() == first.rows() and second.has_intact_logs()


@pytest.mark.long
def test_a_copy_for_which_there_is_no_room_adds_no_laptop(tmp_path: Path) -> None:
    (tmp_path / "first").mkdir()
    first = a_laptop(tmp_path / "first", "first")
    first.write("Before")
    with small_disk(tmp_path / "second", "16m"), first.connected():
        second = a_laptop(tmp_path / "second", "second")
        ballast = fill(second.folder, leave=2 << 20)
        words = first.link("add").stdout.strip()
        address = f"127.0.0.1:{first.port}"
        until(lambda: is_listening(first))
        assert "disk of this laptop is full" in second.link("join", address, words, "--yes").stderr
        assert first.role() == ""
        assert json.loads((first.folder / "second-laptop" / "offer.json").read_text())["failures"] == 0
        ballast.unlink()
        assert second.link("join", address, words, "--yes").stderr == ""
        assert second.names() == ["Before 0"]
