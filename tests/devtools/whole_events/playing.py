"""Play events at random under a `Watch`, one after another, or one event on several installations."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from scoring.rehearsal.services.play import ActionRecord
from scoring.rehearsal.services.random_event import RandomEvent
from tests.devtools.whole_events.runner import Order
from tests.devtools.whole_events.watch import Watch
from tournament.models import Event, User

IsTimeToStop = Callable[[ActionRecord], bool]


@dataclass
class WatchedPlay:
    """The play of one event: the number of its actions, and the disagreements that were found.

    `comparing` is the processor time of the comparisons, in seconds.
    """

    order: Order
    acts: int = 0
    comparing: float = 0.0
    watches: list[Watch] = field(default_factory=list)
    legs: int = 0

    @property
    def found(self) -> tuple[str, ...]:
        return tuple(f"{label}: {one}" for watch in self.watches for label, one in watch.found)

    def watch(self, event: Event, place: str = "") -> Watch:
        """Return a new `Watch` for the event.

        Staff accounts that were imported with a file are activated first, as an administrator would do.
        """
        User.objects.filter(is_active=False).update(is_active=True)
        order = self.order
        changes = 0.0 if order.round_trips else order.changes  # these need a database without other tournaments
        with self.timed():
            watch = Watch(event, often=order.often, seed=order.seed, changes=changes, place=place)
        self.watches.append(watch)
        return watch

    def begin(self, is_time_to_stop: IsTimeToStop = lambda done: False) -> Watch:
        """Play a new event to its end or until it is time to stop, and then compare everything."""
        order = self.order

        def after(done: ActionRecord) -> bool:
            if not self.watches:
                self.acts += 1
                self.watch(done.event)
            else:
                self._compare_action(self.watches[0], done)
            return is_time_to_stop(done)

        try:
            RandomEvent(order.kind, order.rules, seed=order.seed, entrants=order.entrants, after_act=after).play()
        finally:
            self._compare_everything(self.watches[:1])
        return self.watches[0]

    def go_on(self, watch: Watch, *, most_acts: int | None = None) -> None:
        """Continue an existing event to its end or for `most_acts` actions, and then compare everything."""
        self.legs += 1

        def after(done: ActionRecord) -> bool:
            self._compare_action(watch, done)
            return done.number == most_acts

        order = self.order
        seed = 100 * order.seed + self.legs
        try:
            RandomEvent.continue_event(watch.event, seed=seed, entrants=order.entrants, after_act=after)
        except Exception as error:
            error.add_note(f"{watch.place}, seed {seed}")
            raise
        finally:
            self._compare_everything([watch])

    @contextmanager
    def timed(self) -> Iterator[None]:
        """Add the processor time of this block to `comparing`."""
        began = time.process_time()
        try:
            yield
        finally:
            self.comparing += time.process_time() - began

    def _compare_action(self, watch: Watch, done: ActionRecord) -> None:
        self.acts += 1
        with self.timed():
            watch.after(f"{done.act} ({done.about})", refused=done.refused is not None)

    def _compare_everything(self, watches: list[Watch]) -> None:
        with self.timed():
            for watch in watches:
                watch.compare_everything(f"after {watch.acts} acts")
