"""The cut line: who is in the final, who has to play off for its last places, and who has the byes.

    groups of equals, best first ──draw_line──► through, playing off, below
    those who play off ──make_play_off──► rounds, byes with their reason, who is through, who comes up instead

With n players for m places each round halves what is too many, and all byes are in the first: the fewest matches that
leave m·2ᵏ. It is a bracket that stops when m are left.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import count
from typing import Any

from pairing.draws.order.entries import check_each_once
from pairing.draws.order.lots import by_lot
from pairing.draws.pairs.record import pair_by_record
from pairing.draws.pairs.record_field import CannotPair, RecordEntry
from pairing.draws.pairs.record_reasons import in_byes
from pairing.draws.results.credits import Cause, MatchOutcome
from tournament.said import Said, as_kept, either, in_english, worded, worded_plural


@dataclass(frozen=True, slots=True)
class CutLine:
    """Who is over the line, whom it cuts through, and who is below, each best first.

    `open_places`: for how many places those it cuts through play off; 0 where it falls between two groups.
    """

    places: int
    through: tuple[int, ...]
    play_off: tuple[int, ...] = ()
    open_places: int = 0
    below: tuple[int, ...] = ()


def draw_line(groups: Iterable[Sequence[int]], places: int) -> CutLine:
    """The line under so many places; those in one group are equal.

    >>> draw_line([[7], [3, 9, 4], [1]], places=2)
    CutLine(places=2, through=(7,), play_off=(3, 9, 4), open_places=1, below=(1,))

    Raises:
        ValueError: no place, or an entry twice.
    """
    listed = [tuple(group) for group in groups]
    check_each_once([entry for group in listed for entry in group])
    if places < 1:
        raise ValueError("a final has one place at least")
    through: list[int] = []
    cut: tuple[int, ...] = ()
    below: list[int] = []
    for group in listed:
        room = places - len(through)
        if cut or room == 0:
            below += group
        elif len(group) <= room:
            through += group
        else:
            cut = group
    return CutLine(places, tuple(through), cut, places - len(through) if cut else 0, tuple(below))


class ByeBy(StrEnum):
    """By what an entry has its bye."""

    RECORD = "record"
    STANDING = "standing"
    LOT = "lot"
    DIRECTOR = "director"


@dataclass(frozen=True, slots=True)
class GivenBye:
    """A bye, and the reason that is recorded with it; `why` says it in words."""

    entry: int
    by: ByeBy
    why: str

    def as_json(self) -> dict[str, Any]:
        """
        >>> GivenBye(7, ByeBy.RECORD, "five wins").as_json()
        {'entry': 7, 'by': 'record', 'why': 'five wins'}
        """
        kept = {"text": as_kept(self.why)} if isinstance(self.why, Said) else {}
        return {"entry": self.entry, "by": self.by.value, "why": in_english(self.why), **kept}


@dataclass(frozen=True, slots=True, kw_only=True)
class ByeRule:
    """Who has the byes: the entries of the `listed` wins, first named first.

    `fallback` decides where a group has more entries than there are byes left, and who has the rest where the listed
    are fewer than the byes: their standing (the order in which they are given), the seed's lots, or the director, who
    names them in `named`; those not named come after, by standing.
    """

    listed: tuple[int, ...] = ()
    fallback: ByeBy = ByeBy.STANDING
    seed: str = ""
    named: tuple[int, ...] = ()


def give_byes(wins: Mapping[int, int], byes: int, rule: ByeRule) -> tuple[GivenBye, ...]:
    """So many byes among the entries, which are given with their wins, the best first.

    >>> for bye in give_byes({7: 5, 3: 4, 9: 4}, 2, ByeRule(listed=(5,))):
    ...     print(bye.entry, bye.by, bye.why, sep=" | ")
    7 | record | 5 wins have the bye
    3 | standing | 2 byes and only 1 entry with 5 wins: the next by the standing

    Raises:
        ValueError: more byes than entries, or a fallback that is none.
    """
    if byes > len(wins):
        raise ValueError("more byes than entries")
    if rule.fallback is ByeBy.RECORD:
        raise ValueError("the record is what the fallback is needed for")
    given: list[GivenBye] = []
    for number in dict.fromkeys(rule.listed):
        group = [entry for entry, won in wins.items() if won == number]
        left = byes - len(given)
        if len(group) <= left:
            given += [
                GivenBye(entry, ByeBy.RECORD, worded("%(number)s wins have the bye", number=number)) for entry in group
            ]
        else:
            why = worded(
                "%(group)s entries with %(number)s wins and only %(left)s",
                group=len(group),
                number=number,
                left=in_byes(left),
            )
            given += _by_fallback(group, left, rule, why)
    rest = [entry for entry in wins if wins[entry] not in rule.listed]
    why = _too_few(wins, byes, rule)
    return (*given, *_by_fallback(rest, byes - len(given), rule, why))


def _too_few(wins: Mapping[int, int], byes: int, rule: ByeRule) -> str:
    if not rule.listed:
        return in_byes(byes)
    found = sum(won in rule.listed for won in wins.values())
    listed = either([str(wins) for wins in dict.fromkeys(rule.listed)])
    return worded(
        "%(byes)s and only %(found)s with %(listed)s wins",
        byes=in_byes(byes),
        found=worded_plural("%(number)s entry", "%(number)s entries", found),
        listed=listed,
    )


def _by_fallback(group: Sequence[int], byes: int, rule: ByeRule, why: str) -> list[GivenBye]:
    if byes < 1:
        return []
    order, said = list(group), worded("the next by the standing")
    if rule.fallback is ByeBy.LOT:
        order, said = list(by_lot(group, seed=rule.seed)), worded("drawn by lot")
    named = [entry for entry in rule.named if entry in order] if rule.fallback is ByeBy.DIRECTOR else []
    order = [*named, *(entry for entry in order if entry not in named)]
    return [
        GivenBye(entry, ByeBy.DIRECTOR, worded("%(why)s: named by the director", why=why))
        if entry in named
        else GivenBye(entry, ByeBy.STANDING if rule.fallback is ByeBy.DIRECTOR else rule.fallback, f"{why}: {said}")
        for entry in order[:byes]
    ]


@dataclass(frozen=True, slots=True)
class PlayOffMatch:
    """One match; who loses it is out. Both are out where nobody wins.

    `kept`: it stays as it was played, although a corrected result sends somebody else on.
    """

    id: str
    sides: tuple[int, int]
    outcome: MatchOutcome | None = None
    kept: bool = False

    @property
    def place(self) -> tuple[int, int]:
        """Its round and its position there.

        >>> PlayOffMatch("P2M11", (3, 9)).place
        (2, 11)
        """
        number, _m, position = self.id[1:].partition("M")
        return int(number), int(position)

    @property
    def meeting(self) -> tuple[int, frozenset[int]]:
        """By its round and who plays it: its position is another where others are left."""
        return self.place[0], frozenset(self.sides)

    @property
    def is_decided(self) -> bool:
        return self.outcome is not None and not self.outcome.is_void

    @property
    def winner(self) -> int | None:
        return self.outcome.winner if self.outcome else None


@dataclass(frozen=True, slots=True)
class PlayOffRound:
    """`field` and `seed` are what its pairs were computed from, by `pair_by_record`."""

    number: int
    matches: tuple[PlayOffMatch, ...]
    byes: tuple[GivenBye, ...]
    field: tuple[RecordEntry, ...] = ()
    seed: str = ""

    @property
    def is_decided(self) -> bool:
        return all(match.is_decided for match in self.matches)


@dataclass(frozen=True, slots=True)
class PlayOff:
    """A play-off as it stands: its rounds, who is through, and who comes up, in turn, for a place that stays vacant.

    `through` and `next_up` are empty until it is complete; who did not come to play does not come up. `case` is what it
    was made of.
    """

    places: int
    rounds: tuple[PlayOffRound, ...]
    through: tuple[int, ...] = ()
    next_up: tuple[int, ...] = ()
    is_complete: bool = False
    case: "PlayOffCase | None" = None

    @property
    def vacant(self) -> int:
        """Places that nobody took, in a play-off that is over."""
        return self.places - len(self.through) if self.is_complete else 0

    @property
    def finish(self) -> dict[int, int]:
        """The place of each who played off, when it is over: those who are through level, who lost later before."""
        if not self.is_complete:
            return {}
        return _with_lost(dict.fromkeys(self.through, 1), self.rounds)

    @property
    def standing(self) -> dict[int, int]:
        """The place of each as far as it was played: who is still in before all others, who lost later before."""
        if self.is_complete or not self.rounds:
            return self.finish
        now = self.rounds[-1]
        places = {bye.entry: 1 for bye in now.byes}
        for match in now.matches:
            places.update((side, 1 if not match.is_decided or match.winner == side else 2) for side in match.sides)
        return _with_lost(places, self.rounds[:-1], first=3)


def _with_lost(places: dict[int, int], rounds: Sequence[PlayOffRound], first: int = 2) -> dict[int, int]:
    """These places, and from `first` on those of all others who played: the later they lost, the better."""
    for place, played in enumerate(reversed(rounds), start=first):
        for match in played.matches:
            places.update((side, place) for side in match.sides if side not in places)
    return places


@dataclass(frozen=True, slots=True)
class Contender:
    """One who plays off: its wins in the qualifying, whom it has met, and its persons."""

    entry: int
    wins: int
    met: frozenset[int] = frozenset()
    persons: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class PlayOffCase:
    """What a play-off is made of, the best first; `kept` are later matches that stay as played after a correction."""

    contenders: Sequence[Contender]
    places: int
    outcomes: Mapping[str, MatchOutcome] = field(default_factory=dict)
    rule: ByeRule = field(default_factory=ByeRule)
    kept: tuple[PlayOffMatch, ...] = ()

    def kept_in(self, number: int) -> tuple[PlayOffMatch, ...]:
        return tuple(match for match in self.kept if match.place[0] == number)


def make_play_off(case: PlayOffCase) -> PlayOff:
    """The play-off of those who are there, for so many places, as far as it was played.

    Each round pairs exactly (`pair_by_record`): nobody again whom it has met, where that is possible; the rule's seed
    decides what is equal. Who does not come loses. With no more contenders than places all are through. A side of a
    match that is kept goes on to it, and the one that beat it is passed over.

    >>> four = [Contender(number, wins=4) for number in (3, 9, 4, 1)]
    >>> rounds = make_play_off(PlayOffCase([Contender(7, wins=5), *four], 4, rule=ByeRule(listed=(5,)))).rounds
    >>> len(rounds[0].matches), [bye.entry for bye in rounds[0].byes]
    (1, [7, 3, 9])

    Raises:
        ValueError: no place, or an entry twice.
    """
    check_each_once([one.entry for one in case.contenders])
    if case.places < 1:
        raise ValueError("a final has one place at least")
    left, lost = list(case.contenders), list[int]()
    rounds: list[PlayOffRound] = []
    while len(left) > case.places:
        played = _round(left, case, len(rounds) + 1)
        rounds.append(played)
        if not played.is_decided:
            return PlayOff(case.places, tuple(rounds), case=case)
        on = _going_on(played, case.kept_in(played.number + 1))
        out = [entry for match in played.matches for entry in match.sides if entry not in on]
        came = [one.entry for one in left if one.entry in out and _came(played, one.entry)]
        left, lost = [one for one in left if one.entry not in out], [*came, *lost]
    through = tuple(one.entry for one in left)
    return PlayOff(case.places, tuple(rounds), through, tuple(lost), is_complete=True, case=case)


def _going_on(played: PlayOffRound, kept: Iterable[PlayOffMatch]) -> set[int]:
    """The winners; where a loser stays in the next round, the one who beat them is passed over."""
    on = {match.winner for match in played.matches if match.winner is not None}
    for entry in (side for match in kept for side in match.sides):
        lost = next((match for match in played.matches if entry in match.sides and entry not in on), None)
        if lost is not None:
            on -= set(lost.sides)
            on.add(entry)
    return on


def _round(left: Sequence[Contender], case: PlayOffCase, number: int) -> PlayOffRound:
    target = case.places
    while 2 * target < len(left):
        target *= 2
    here = {one.entry for one in left}
    kept = [match for match in case.kept_in(number) if set(match.sides) <= here][: len(left) - target]
    stay = {side for match in kept for side in match.sides}
    free = [one for one in left if one.entry not in stay]
    byes = give_byes({one.entry: one.wins for one in free}, 2 * target - len(left), case.rule)
    resting = {bye.entry for bye in byes}
    playing = [RecordEntry(one.entry, 0, met=one.met, persons=one.persons) for one in free if one.entry not in resting]
    seed = f"{case.rule.seed} play-off {number}"
    try:
        paired = pair_by_record(playing, seed=seed)
    except CannotPair:  # Only entries of one person are left: the desk decides their match.
        playing = [replace(one, persons=frozenset()) for one in playing]
        paired = pair_by_record(playing, seed=seed)
    names = (name for turn in count(1) if (name := f"P{number}M{turn}") not in {match.id for match in kept})
    made = [*kept, *(PlayOffMatch(name, pair) for name, pair in zip(names, paired.pairs, strict=False))]
    ended = [replace(match, outcome=_outcome_of(match, case.outcomes)) for match in made]
    return PlayOffRound(number, tuple(sorted(ended, key=lambda match: match.place)), byes, tuple(playing), seed)


def _outcome_of(match: PlayOffMatch, outcomes: Mapping[str, MatchOutcome]) -> MatchOutcome | None:
    """What was recorded for these two in this round; for others that met there before a correction it holds no more.

    Who meets there since is on record as “P2M1-2”, the next as “P2M1-3”.
    """
    inside = f"P{match.place[0]}M"
    found = (outcome for name, outcome in outcomes.items() if name.startswith(inside))
    return next((outcome for outcome in found if outcome.sides == frozenset(match.sides)), None)


def _came(played: PlayOffRound, entry: int) -> bool:
    match = next(match for match in played.matches if entry in match.sides)
    return match.outcome is not None and match.outcome.credits[entry].cause in (Cause.PLAYED, Cause.TIME)
