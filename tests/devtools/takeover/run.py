"""Play one run: users write, the first laptop breaks, the second one takes over, and the first one returns."""

from __future__ import annotations

import asyncio
import random
import time
from dataclasses import dataclass, field
from typing import Final

from tests.devtools.hall.browser import Answer
from tests.devtools.hall.report import tracebacks_in
from tests.devtools.hall.site import PATIENCE
from tests.devtools.hall.writers import Cashier, make_writers
from tests.devtools.takeover import pairing
from tests.devtools.takeover.crew import TRAVELERS, Crew, Notebook, Pocket, Traveler, TravelingDesk, make_pockets
from tests.devtools.takeover.facts import read_recorded
from tests.devtools.takeover.judge import HAS_EVERYTHING, LISTS, Correspondence, Sides, judge
from tests.devtools.takeover.laptops import KEPT_LOG, has_everything
from tests.devtools.takeover.pair import Pair

PHONES_GOAL: Final = 30.0
"""The goal for the seconds from the tap on *Take over now* until 95 of 100 phones show the second laptop's data."""
PHONES_PATIENCE: Final = 90.0
SETTLES: Final = 30.0
"""The maximum number of seconds to wait for the writers' open requests at the end of a run."""
STAY_ON: Final = 1.0
"""The number of seconds during which users still try to write on the first laptop after it was shut out."""
LOOK_EVERY: Final = 0.02
VERIFIED_EVERY: Final = 3
"""`verify_event` checks both laptops after every third run, after every whole run, and after a fault."""


@dataclass(frozen=True, slots=True)
class Choices:
    """The random decisions of a run. A seed and a number always give the same decisions.

    `kind` is “kill” (kill the first laptop) or “cut” (cut the network). `writes` is the number of acknowledged writes
    until this happens, and `delay` the number of seconds after the last of them. `until_tap` is the number of seconds
    until a user taps the button to take over. `later` is the number of writes that the second laptop acknowledges
    before the first one returns. Before all this, the network is interrupted for `blip` seconds.
    """

    kind: str
    is_silent: bool
    writes: int
    delay: float
    until_tap: float
    later: int
    blip: float
    dice: random.Random

    @classmethod
    def make(cls, seed: int, number: int, kind: str = "") -> Choices:
        dice = random.Random(f"{seed}/{number}")
        kind = kind or ("kill", "cut")[number % 2]
        return cls(
            kind=kind,
            is_silent=dice.random() < 0.5,
            writes=dice.randint(3, 15),
            delay=dice.choice((0.0, dice.uniform(0, 0.3))),
            until_tap=dice.uniform(0, 4),
            later=dice.randint(3, 8),
            blip=dice.choice((0.0, 0.0, dice.uniform(0.2, 4))),
            dice=dice,
        )

    @property
    def name(self) -> str:
        name = "kill" if self.kind == "kill" else f"cut {'silent' if self.is_silent else 'closed'}"
        return f"{name}, blip" if self.blip else name


@dataclass
class Outcome:
    """The result of a run.

    `phones` contains the seconds from the tap on the button until each phone showed everything on the second laptop.
    `writes_again` is the number of seconds until the second laptop acknowledged a write. If `is_whole` is true, each
    process was started with its own interpreter. Otherwise, the processes were forked.
    """

    number: int
    choices: Choices
    is_whole: bool = False
    acknowledged: int = 0
    alone: int = 0
    apart: int = 0
    phones: list[float] = field(default_factory=list)
    writes_again: float = 0.0
    seconds: float = 0.0
    faults: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def line(self) -> str:
        slowest = max(self.phones, default=0.0)
        return (
            f"run {self.number:>4}  {self.sort:<6}  {self.choices.name:<16}  {self.acknowledged:>3} writes  "
            f"{self.alone:>3} alone  {self.apart:>2} apart  writes again {self.writes_again:5.1f} s  "
            f"phones {slowest:5.1f} s  {self.seconds:5.1f} s  "
            f"{'ok' if not self.faults else f'{len(self.faults)} FAULTS'}"
        )

    @property
    def sort(self) -> str:
        return "whole" if self.is_whole else "forked"


class Run:
    def __init__(self, pair: Pair, outcome: Outcome, *, writers: int, phones: int) -> None:
        self.pair, self.outcome, self.choices = pair, outcome, outcome.choices
        self.first, self.second = pair.first, pair.second
        self.book = Notebook()
        self.book.followed_site = self.first.url
        urls = [self.first.url]
        self.crew = Crew(
            urls, self.book, pair.known, leader=self.first.url, cookies=pair.cookies, pauses=self.choices.dice
        )
        made = make_writers(self.crew, writers, TRAVELERS)
        self.travelers = [writer for writer in made if isinstance(writer, Traveler)]
        numbers = list(self.crew.entrants)
        self.crew.looking.extend(self.choices.dice.sample(numbers, len(numbers)))  # for a table with a card to go on
        self.pockets = make_pockets(self.crew, pair.known, phones)
        self.broken = asyncio.Event()
        self._break_after = 0
        self.broken_at = 0.0
        self.tapped_at = 0.0
        self.logs = {laptop: len(laptop.log()) for laptop in (self.first, self.second)}

    async def play(self) -> None:
        """Play the run, and store its results in `outcome`."""
        desks = [one for one in self.travelers if isinstance(one, TravelingDesk)]
        working: list[asyncio.Task[None]] = []
        try:
            await asyncio.gather(*(desk.open() for desk in desks), *(pocket.open() for pocket in self.pockets))
            self.book.audience = list(self.pockets)
            working += [asyncio.ensure_future(traveler.work()) for traveler in self.travelers]
            await self._break()
            await self._take_over()
            await self._come_back()
        finally:
            self.crew.is_over = True
            if working:
                await asyncio.wait(working, timeout=SETTLES)
            for task in working:
                task.cancel()
            await asyncio.gather(*working, return_exceptions=True)
            await asyncio.gather(*(traveler.close() for traveler in self.travelers))
            await asyncio.gather(*(pocket.close() for pocket in self.pockets))
        await self._judge()

    # --- The first laptop breaks ---

    async def _break(self) -> None:
        """Wait for the randomly chosen write, and break the first laptop or the network shortly after it."""
        if self.choices.blip:
            await self._lose_network_for_a_moment()
        self._break_after = len(self.book.notes) + self.choices.writes
        self.book.after_note = self._count
        try:
            await asyncio.wait_for(self.broken.wait(), timeout=PATIENCE)
        except TimeoutError:
            heard = f"{len(self.book.notes)} of {self.choices.writes} writes, {dict(self.book.remarks)}"
            raise RuntimeError(f"Nobody writes: {heard}.\n{self.first.log()[-KEPT_LOG:]}") from None
        self.outcome.acknowledged = sum(note.acknowledged_at <= self.broken_at for note in self.book.notes)

    async def _lose_network_for_a_moment(self) -> None:
        """Interrupt the network while users write.

        Afterward, the second laptop must receive everything that it missed.
        """
        await asyncio.sleep(self.choices.dice.uniform(0, 2))
        self.first.wire.cut(silent=self.choices.dice.random() < 0.5)
        await asyncio.sleep(self.choices.blip)
        self.first.wire.mend()
        await has_everything(self.second, self.first.folder)

    def _count(self) -> None:
        if len(self.book.notes) == self._break_after:
            if self.choices.delay:
                asyncio.get_running_loop().call_later(self.choices.delay, self._destroy)
            else:
                self._destroy()

    def _destroy(self) -> None:
        self.broken_at = time.monotonic()
        if self.choices.kind == "kill":
            self.first.kill()
        else:
            self.first.wire.cut(silent=self.choices.is_silent)
        self.broken.set()

    # --- The second one takes over ---

    async def _take_over(self) -> None:
        """Let the second laptop take over, and let the users switch to it.

        If the network was cut, some users stay at the first laptop.
        """
        await asyncio.sleep(self.choices.until_tap)
        before = max((pocket.version for pocket in self.pockets), default=0)
        if self.choices.kind == "cut":
            self._choose_who_stays()
        self.tapped_at = time.monotonic()
        await self.second.take_over()
        self.crew.leader = self.book.followed_site = self.second.url
        phones = [asyncio.ensure_future(self._follow(pocket, before)) for pocket in self.pockets]
        await self._wait_for_later_writes()
        self.outcome.phones = list(await asyncio.gather(*phones))

    def _choose_who_stays(self) -> None:
        """Let about half of the users stay at the first laptop.

        Exactly one of the cashiers stays, because cashiers always have something to do.
        """
        self.crew.stays_at = self.first.url
        for traveler in self.travelers:
            traveler.stays = self.choices.dice.random() < 0.5
        cashiers = [one for one in self.travelers if isinstance(one, Cashier)]
        for turn, cashier in enumerate(cashiers):
            cashier.stays = turn == 1

    async def _wait_for_later_writes(self) -> None:
        deadline = time.monotonic() + PATIENCE
        while len(found := [note for note in self.book.notes if note.site == self.second.url]) < self.choices.later:
            if time.monotonic() > deadline:
                page = await self.second.get(pairing.PAGE)
                seen = f"its page has status {page.status}, {dict(self.book.remarks)}"
                raise RuntimeError(
                    f"The second laptop acknowledges no writes: {seen}.\n{self.second.log()[-KEPT_LOG:]}"
                )
            await asyncio.sleep(LOOK_EVERY)
        self.outcome.writes_again = found[0].acknowledged_at - self.tapped_at

    async def _follow(self, pocket: Pocket, before: int) -> float:
        """Let a phone switch to the second laptop. Return the seconds from the tap until it shows everything."""
        await pocket.move(self.broken_at)
        opened = time.monotonic() - self.tapped_at
        while not pocket.is_current(before):
            if time.monotonic() > self.tapped_at + PHONES_PATIENCE:
                self.outcome.faults.append(
                    f"the phone with {pocket.kind} is not up to date: version {pocket.version} after {before}, "
                    f"lacks {[one.subject for one in pocket.phone.expected]}"
                )
                break
            await asyncio.sleep(LOOK_EVERY)
        seconds = time.monotonic() - self.tapped_at
        if seconds > PHONES_GOAL:
            self.outcome.remarks.append(
                f"the phone with {pocket.kind} opened its page after {opened:.1f} s, and was up to date after "
                f"{seconds:.1f} s"
            )
        return seconds

    # --- The first one comes back ---

    async def _come_back(self) -> None:
        """Let the first laptop learn that the second one took over.

        The users who stayed at the first laptop then switch to the second one.
        """
        if self.choices.kind == "kill":
            self.first.start()
        else:
            self.first.wire.mend()
        await self.first.has_role(pairing.SHUT_OUT)
        await self._show_this_laptop()
        shown_at = time.monotonic()
        await asyncio.sleep(STAY_ON if self.choices.kind == "cut" else 0)
        for traveler in self.travelers:
            traveler.stays = False
        late = [note for note in self.book.notes if note.site == self.first.url and note.sent_at > shown_at]
        self.outcome.faults += [f"recorded by a laptop that was shut out: {note.fact}" for note in late]

    async def _show_this_laptop(self) -> str:
        def is_shut_out(answer: Answer) -> bool:
            return any(heading.encode() in answer.body for heading in (LISTS, HAS_EVERYTHING))

        return (await self.first.wait_for(pairing.PAGE, is_shut_out)).body.decode()

    async def _judge(self) -> None:
        page = await self._show_this_laptop()
        on_first, on_second = read_recorded(self.first.database), read_recorded(self.second.database)
        sides = Sides(self.first.url, self.second.url, on_first, on_second)
        verdict = judge(sides, self._correspondence(), page)
        self.outcome.alone, self.outcome.apart = len(verdict.alone), verdict.apart
        self.outcome.faults += verdict.faults
        is_verified = self.outcome.is_whole or self.outcome.number % VERIFIED_EVERY == 0 or bool(self.outcome.faults)
        for laptop in (self.first, self.second):
            self.outcome.faults += await self.pair.verify(laptop) if is_verified else []
            written = _leave_out_worker(laptop.log()[self.logs[laptop] :])
            self.outcome.faults += [f"log of {laptop.name}: {one}" for one in tracebacks_in(written)]
        self.outcome.faults += [f"{kind}: {what}, {count} times" for (kind, what), count in self.book.errors.items()]

    def _correspondence(self) -> Correspondence:
        is_killed = self.choices.kind == "kill"
        return Correspondence(self.book.notes, self.book.unanswered, self.book.sent_to, self.broken_at, is_killed)


def _leave_out_worker(log: str) -> str:
    """Return a log without the worker's lines.

    The worker logs errors if the laptop changes its role during a task.
    """
    return "\n".join(line for line in log.splitlines() if " worker" not in line.partition(" | ")[0])
