"""Play a whole event by random acts, from registration to payouts. The loop chooses, does and records them."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from pairing.stages.services.stages import demo_secrets
from scoring.management.random_event.acts import ACTS
from scoring.management.random_event.core import ASIDE, Act, ActDone, Doing
from scoring.management.random_event.dice import Dice
from scoring.management.random_event.kinds import Playable, find_playable
from scoring.management.random_event.play import Play
from scoring.management.random_event.set_up import set_up
from scoring.management.random_event.take_up import playable_of, take_up
from scoring.management.random_event.unchanged import Stand, stand_of
from tournament.errors import DomainError
from tournament.models import Event, Tournament

FEWEST, MOST = 3, 12
ASIDES: Final = {Event.State.OPEN: 6, Event.State.CLOSED: 4, Event.State.DRAWN: 1, Event.State.FINISHED: 4}
ASIDES_IN_PLAY: Final = 20
HOW_OFTEN_ASIDE: Final = 0.3
MOST_ACTS: Final = 1500
MOST_REFUSED: Final = 60
"""The most refusals in a row. After them the event is considered stuck."""
TRIES: Final = 3
"""The number of times a refused act is tried again before acts of a later turn. Any success resets the count."""
Watch = Callable[[ActDone], bool | None]


class Stuck(Exception):
    """No act leads the event to its end. That is a bug in the program or in the acts."""


class Changed(Exception):
    """A refused act has changed something. That is a bug in the program."""


@dataclass(frozen=True, slots=True)
class Played:
    """The event after its last act. `done` counts acts by name, and `refused` refusals by name and code."""

    tournament: Tournament
    event: Event
    acts: int
    done: Counter[str]
    refused: Counter[tuple[str, str]]


@dataclass
class RandomEvent:
    """A random event. The same seed, kind and rules play the same acts.

    `after_act` is called after every act, also after refused ones, outside of any transaction. If it returns True, the
    event is left in its present state.

        RandomEvent("knockout", "gra-singles", seed=7, after_act=print).play()
        RandomEvent.go_on(event, seed=7)

    Raises:
        LookupError: there is no such kind, or it cannot be played by these rules.
        NotAllowed: the event to go on with does not belong to a demo.
        Stuck, Changed: a bug. Any other exception of a service is a bug, too.
    """

    kind: str
    rules: str
    seed: int = 1
    entrants: int | None = None
    after_act: Watch | None = None
    number: int = field(default=0, init=False)
    is_left: bool = field(default=False, init=False)
    in_vain: Counter[str] = field(default_factory=Counter, init=False)
    done: Counter[str] = field(default_factory=Counter, init=False)
    refused: Counter[tuple[str, str]] = field(default_factory=Counter, init=False)

    def play(self) -> Played:
        one = find_playable(self.kind, self.rules)
        if one is None:
            raise LookupError(f"{self.kind} is not played by {self.rules}: look at the list")
        dice = Dice(f"{self.kind} {self.rules} {self.seed}")
        with demo_secrets(dice.secrets().randbytes):
            return self._play(set_up(one, dice, self._entrants(one, dice), self.seed))

    @classmethod
    def go_on(
        cls, event: Event, *, seed: int = 1, entrants: int | None = None, after_act: Watch | None = None
    ) -> Played:
        """Play an existing event to its end from its present state."""
        one, dice = playable_of(event), Dice(f"{event.tournament.slug} {event.slug} {seed}")
        with demo_secrets(dice.secrets().randbytes):
            return cls(one.kind.name, one.rules.name, seed, entrants, after_act)._play(take_up(event, dice, entrants))

    def _play(self, play: Play) -> Played:
        self._budget(play)
        refused = 0
        while not self.is_left and (chosen := self._choose(play)) is not None:
            refused = refused + 1 if self._carry_out(play, *chosen).refused else 0
            if refused > MOST_REFUSED or self.number > MOST_ACTS:
                raise Stuck(f"{play.event}: {self.number} acts, the last ones refused: {self.refused.most_common(5)}")
        event = play.event
        return Played(event.tournament, event, self.number, self.done, self.refused)

    def _entrants(self, one: Playable, dice: Dice) -> int:
        fewest = one.kind.fewest(one.rules)
        return max(fewest, self.entrants if self.entrants is not None else dice.randint(max(FEWEST, fewest), MOST))

    def _budget(self, play: Play) -> None:
        play.left.update({f"aside {state}": play.dice.randint(0, most) for state, most in ASIDES.items()})
        play.left[f"aside {Event.State.IN_PLAY}"] = play.dice.randint(0, ASIDES_IN_PLAY + play.wanted)

    def _choose(self, play: Play) -> tuple[Act, Doing] | None:
        """Return the next act, or None if the event is over."""
        state = play.event.state
        here = [act for act in ACTS.values() if state in act.in_state and self.in_vain[act.name] < TRIES]
        turns = sorted({act.turn for act in here if act.turn != ASIDE})
        if play.dice.chance(HOW_OFTEN_ASIDE) and play.take(f"aside {state}", 0):
            turns = [ASIDE, *turns]
        for turn in turns:
            if (found := self._find(play, [act for act in here if act.turn == turn])) is not None:
                return found
        if state == Event.State.FINISHED:
            return None
        raise Stuck(f"{play.event} is “{state}”, and nothing leads it on")

    def _find(self, play: Play, kinds: list[Act]) -> tuple[Act, Doing] | None:
        """Return the first possible act in a random order, in which acts of higher weight tend to come earlier."""
        order = sorted(kinds, key=lambda act: play.dice.random() ** (1 / act.weight), reverse=True)
        possible = ((act, doing) for act in order if (doing := act.find(play)) is not None)
        return next(possible, None)

    def _carry_out(self, play: Play, act: Act, doing: Doing) -> ActDone:
        before = stand_of(play.event)
        refused = self._try(act, doing, play, before)
        play.look_again()
        self.number += 1
        self.in_vain.update([act.name])
        if refused is None:
            self.in_vain.clear()
        self.done[act.name] += refused is None
        done = ActDone(self.number, act.name, doing.about, refused, play.event)
        if self.after_act is not None:
            self.is_left = bool(self.after_act(done))
        return done

    def _try(self, act: Act, doing: Doing, play: Play, before: Stand) -> str | None:
        try:
            doing.do()
        except DomainError as refusal:
            after = stand_of(play.event)
            if after != before:
                said = f"{act.name} ({doing.about}) was refused ({refusal.code}), and something changed: "
                raise Changed(said + after.differs(before)) from refusal
            self.refused[act.name, refusal.code] += 1
            return refusal.code
        except Exception as error:
            error.add_note(
                f"in act {self.number + 1}, {act.name} ({doing.about}), of {self.kind} {self.rules} {self.seed}"
            )
            raise
        return None
