"""One takeover of each kind, with real laptops. `make takeover` plays as many as one likes."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.devtools.takeover.pair import Pair, make_event
from tests.devtools.takeover.run import Choices, Outcome, Run

ENTRANTS = 8
WRITERS = 4


@pytest.mark.long
def test_the_second_laptop_takes_over_from_a_dead_one_and_from_one_that_is_cut_off(tmp_path: Path) -> None:
    """One story, because starting the laptops takes seconds: after the first run they change places."""
    dead, cut_off = asyncio.run(play(tmp_path))
    assert (dead.faults, cut_off.faults) == ([], [])
    assert cut_off.alone > 0
    print(dead.line(), cut_off.line(), sep="\n")


async def play(folder: Path) -> list[Outcome]:
    outcomes = [Outcome(number, Choices.make(1, number, kind)) for number, kind in enumerate(("kill", "cut"), 1)]
    pair = await Pair.begin(folder, make_event(folder / "event", ENTRANTS), readers=0)
    try:
        for outcome in outcomes:
            if outcome is not outcomes[0]:
                await pair.turn_around()
            await Run(pair, outcome, writers=WRITERS, phones=WRITERS).play()
    finally:
        await pair.close()
    return outcomes
