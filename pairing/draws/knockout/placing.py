"""The places of a single elimination: the champion, the runner-up, then the losers of each round, who tie and share."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from pairing.draws.knockout.progress import Progress, State
from pairing.draws.results.credits import Removal
from tournament.purse import Placing, TiedPlaces


@dataclass(frozen=True, slots=True)
class Placings:
    """Every entry of the draw, once: placed, still in, or disqualified.

    `finish` is best first, with the places that count if the event ends now. The entries that are still in come before
    it, so its first place is one more than their number. While a bracket is in play, others can still lose in the same
    round and share the place. `possible_places` computes what each entry can still get.
    """

    finish: tuple[Placing, ...]
    still_in: tuple[int, ...]
    disqualified: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PossiblePlaces:
    """The finishes that every entry can still have, best first. An entry with one finish has it for certain.

    `still_in` holds the entries that play on. Disqualified entries have no finish.
    """

    finishes: Mapping[int, tuple[TiedPlaces, ...]]
    still_in: tuple[int, ...] = ()
    disqualified: tuple[int, ...] = ()

    @classmethod
    def settled(cls, placings: Placings) -> "PossiblePlaces":
        """Return the places of a finished bracket, in which every entry has one finish."""
        finishes = {entry: (placing.places,) for placing in placings.finish for entry in placing.entries}
        return cls(finishes, (), placings.disqualified)

    @property
    def placed(self) -> tuple[int, ...]:
        """The entries that play no more, by place and then by number."""
        out = set(self.finishes) - set(self.still_in)
        return tuple(sorted(out, key=lambda entry: (self.finishes[entry], entry)))


def make_placings(progress: Progress) -> Placings:
    """Return the placings as far as they are settled.

    - An entry ranks with the losers of the round in which its way ended, whether the match was played or not. An entry
      removed while it waits for an opponent ranks with the losers of that round. An entry that was withdrawn before
      the draw is not in the bracket and has no place.
    - If a match has no winner, both sides rank with the losers of that round. In the final, they tie for first place.
    - An entry that won a match but was passed over, because the next match was kept, ranks with the losers of that
      match.
    - A disqualified entry has no place, however far it came. The entries behind it move up.

    >>> from pairing.draws.knockout.bracket import make_bracket
    >>> from pairing.draws.results.credits import MatchOutcome
    >>> from pairing.draws.knockout.progress import make_progress
    >>> won = [("R1M1", 7, 2), ("R1M2", 5, 9), ("R2M1", 5, 7)]
    >>> progress = make_progress(make_bracket((7, 2, 5, 9)), [MatchOutcome.won(*who) for who in won])
    >>> [(placing.place, placing.entries) for placing in make_placings(progress).finish]
    [(1, (5,)), (2, (7,)), (3, (2, 9))]
    """
    return rank_by_exit_round(exit_rounds(progress), progress.bracket.entries, progress.removed)


def rank_by_exit_round(out: Mapping[int, int], entries: Collection[int], removed: Mapping[int, Removal]) -> Placings:
    """Return the placings of all entries of a draw from the exit round of each eliminated entry.

    A higher round is better.
    """
    disqualified = {entry for entry in entries if entry in removed and not removed[entry].keeps_place}
    groups: dict[int, list[int]] = defaultdict(list)
    for entry in sorted(set(out) - disqualified):
        groups[out[entry]].append(entry)
    still_in = tuple(sorted(set(entries) - set(out) - disqualified))
    place = len(still_in) + 1
    finish = []
    for end in sorted(groups, reverse=True):
        finish.append(Placing(place, tuple(groups[end])))
        place = finish[-1].last_place + 1
    return Placings(tuple(finish), still_in, tuple(sorted(disqualified)))


def exit_rounds(progress: Progress) -> dict[int, int]:
    """Return the round in which each eliminated entry lost. The champion's number is one higher than the final's."""
    out: dict[int, int] = {}
    for view in progress.views.values():
        for entry in view.entries:
            out.pop(entry, None)
        ended = view.losers
        if view.state is State.WAITING:
            ended = tuple(entry for entry in view.entries if entry in progress.removed)
        out.update((entry, view.match.round) for entry in ended)
        out.update((entry, view.match.round - 1) for entry in view.passed_over)
    winner = progress[progress.bracket.final.id].winner
    if winner is not None:
        out[winner] = progress.bracket.rounds + 1
    return out
