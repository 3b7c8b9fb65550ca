"""The play-off for the remaining places in the next stage, including its byes and corrected results.

    contenders ──make_play_off──► rounds, byes with their reasons, entries that advance, replacements

In a play-off, n players compete for the m places that are still open after a pool. All byes are in the first round.
That round has just enough matches to leave m·2ᵏ players, and each later round halves their number. A play-off is
therefore a bracket that stops when m players are left.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import count
from typing import Any

from pairing.draws.knockout.corrections import LaterMatchChoice
from pairing.draws.order import order_by_lot, require_unique_entries
from pairing.draws.pairs.reasons import format_byes
from pairing.draws.pairs.record import EntryWithRecord, NoPossiblePairing, pair_by_record
from pairing.draws.results import MatchOutcome, ResultCause
from tournament.lazy_text import LazyText, join_with_or, lazy_plural, lazy_text, text_to_json, to_english


class ByeBasis(StrEnum):
    RECORD = "record"
    STANDING = "standing"
    LOT = "lot"
    DIRECTOR = "director"


@dataclass(frozen=True, slots=True)
class AwardedBye:
    """A bye and the recorded reason for it."""

    entry: int
    by: ByeBasis
    why: str

    def as_json(self) -> dict[str, Any]:
        kept = {"text": text_to_json(self.why)} if isinstance(self.why, LazyText) else {}
        return {"entry": self.entry, "by": self.by.value, "why": to_english(self.why), **kept}


@dataclass(frozen=True, slots=True, kw_only=True)
class ByeRule:
    """The rule for giving byes.

    Entries with the first number of wins in `preferred_win_counts` get byes first, then those with the second number,
    and so on.

    `fallback` is the rule to use when there are too few byes for all entries with a listed number of wins, or when byes
    are left over at the end. It can be the standings (the order of the entries), lots from the seed, or the director's
    choice (`director_choices`). Entries that the director has not named follow in the order of the standings.
    """

    preferred_win_counts: tuple[int, ...] = ()
    fallback: ByeBasis = ByeBasis.STANDING
    seed: str = ""
    director_choices: tuple[int, ...] = ()

    def give_byes(self, wins: Mapping[int, int], byes: int) -> tuple[AwardedBye, ...]:
        """Return the entries that get the byes, each with the rule and the reason.

        `wins` maps the entries, best first, to their numbers of wins. `byes` is the number of byes.

        >>> for bye in ByeRule(preferred_win_counts=(5,)).give_byes({7: 5, 3: 4, 9: 4}, 2):
        ...     print(bye.entry, bye.by, bye.why, sep=" | ")
        7 | record | All with 5 wins get a bye
        3 | standing | 2 byes and only 1 entry with 5 wins: the next in the standings

        Raises:
            ValueError: there are more byes than entries, or the fallback is the record.
        """
        if byes > len(wins):
            raise ValueError("more byes than entries")
        if self.fallback is ByeBasis.RECORD:
            raise ValueError("the record is what the fallback is needed for")
        given: list[AwardedBye] = []
        for number in dict.fromkeys(self.preferred_win_counts):
            group = [entry for entry, won in wins.items() if won == number]
            left = byes - len(given)
            if len(group) <= left:
                given += [
                    AwardedBye(entry, ByeBasis.RECORD, lazy_text("All with %(number)s wins get a bye", number=number))
                    for entry in group
                ]
            else:
                why = lazy_text(
                    "%(group)s entries with %(number)s wins and only %(left)s",
                    group=len(group),
                    number=number,
                    left=format_byes(left),
                )
                given += _give_remaining_byes(group, left, self, why)
        rest = [entry for entry in wins if wins[entry] not in self.preferred_win_counts]
        why = _explain_fallback(wins, byes, self)
        return (*given, *_give_remaining_byes(rest, byes - len(given), self, why))


def _explain_fallback(wins: Mapping[int, int], byes: int, rule: ByeRule) -> str:
    if not rule.preferred_win_counts:
        return format_byes(byes)
    found = sum(won in rule.preferred_win_counts for won in wins.values())
    listed = join_with_or([str(wins) for wins in dict.fromkeys(rule.preferred_win_counts)])
    return lazy_text(
        "%(byes)s and only %(found)s with %(listed)s wins",
        byes=format_byes(byes),
        found=lazy_plural("%(number)s entry", "%(number)s entries", found),
        listed=listed,
    )


def _give_remaining_byes(group: Sequence[int], byes: int, rule: ByeRule, why: str) -> list[AwardedBye]:
    if byes < 1:
        return []
    order, how = list(group), lazy_text("the next in the standings")
    if rule.fallback is ByeBasis.LOT:
        order, how = list(order_by_lot(group, seed=rule.seed)), lazy_text("drawn by lot")
    named = [entry for entry in rule.director_choices if entry in order] if rule.fallback is ByeBasis.DIRECTOR else []
    order = [*named, *(entry for entry in order if entry not in named)]
    return [
        AwardedBye(entry, ByeBasis.DIRECTOR, lazy_text("%(why)s: named by the director", why=why))
        if entry in named
        else AwardedBye(
            entry, ByeBasis.STANDING if rule.fallback is ByeBasis.DIRECTOR else rule.fallback, f"{why}: {how}"
        )
        for entry in order[:byes]
    ]


@dataclass(frozen=True, slots=True)
class PlayOffMatch:
    """A match of a play-off. The loser is eliminated, and if nobody wins, both sides are.

    A `kept` match stays as it was played, although a corrected result sends another entry to it.
    """

    id: str
    sides: tuple[int, int]
    outcome: MatchOutcome | None = None
    kept: bool = False

    @property
    def round_and_position(self) -> tuple[int, int]:
        """The match's round and its position in that round."""
        number, _m, position = self.id[1:].partition("M")
        return int(number), int(position)

    @property
    def round_and_players(self) -> tuple[int, frozenset[int]]:
        """The match's round and its two entries. These values identify a match even if its position changes."""
        return self.round_and_position[0], frozenset(self.sides)

    @property
    def is_decided(self) -> bool:
        return self.outcome is not None and not self.outcome.is_void

    @property
    def winner(self) -> int | None:
        return self.outcome.winner if self.outcome else None


@dataclass(frozen=True, slots=True)
class PlayOffRound:
    """A round of a play-off. `pair_by_record` made its pairs from `contenders` and `seed`."""

    number: int
    matches: tuple[PlayOffMatch, ...]
    byes: tuple[AwardedBye, ...]
    contenders: tuple[EntryWithRecord, ...] = ()
    seed: str = ""

    @property
    def is_decided(self) -> bool:
        return all(match.is_decided for match in self.matches)


@dataclass(frozen=True, slots=True)
class PlayOff:
    """The current state of a play-off: its rounds, the entries that advance, and the replacements.

    `alternates` are the replacements for places that stay vacant, in order, excluding no-shows. `advancing_entries` and
    `alternates` are empty until the play-off is complete. `play_off_input` is its input.
    """

    places: int
    rounds: tuple[PlayOffRound, ...]
    advancing_entries: tuple[int, ...] = ()
    alternates: tuple[int, ...] = ()
    is_complete: bool = False
    play_off_input: "PlayOffInput | None" = None

    @property
    def vacant_place_count(self) -> int:
        """The number of places that are still free after the play-off is complete."""
        return self.places - len(self.advancing_entries) if self.is_complete else 0

    @property
    def final_places(self) -> dict[int, int]:
        """Each entry's place after the play-off.

        Entries that advance are tied. Entries that lost later rank above those that lost earlier.
        """
        if not self.is_complete:
            return {}
        return _add_losers(dict.fromkeys(self.advancing_entries, 1), self.rounds)

    @property
    def current_places(self) -> dict[int, int]:
        """Each entry's place so far.

        Entries still in the play-off rank first. Entries that lost later rank above those that lost earlier.
        """
        if self.is_complete or not self.rounds:
            return self.final_places
        now = self.rounds[-1]
        places = {bye.entry: 1 for bye in now.byes}
        for match in now.matches:
            places.update((side, 1 if not match.is_decided or match.winner == side else 2) for side in match.sides)
        return _add_losers(places, self.rounds[:-1], first=3)


def _add_losers(places: dict[int, int], rounds: Sequence[PlayOffRound], first: int = 2) -> dict[int, int]:
    """Add the places of all other entries that played, starting with place `first`.

    The later an entry lost, the better its place.
    """
    for place, played in enumerate(reversed(rounds), start=first):
        for match in played.matches:
            places.update((side, place) for side in match.sides if side not in places)
    return places


@dataclass(frozen=True, slots=True)
class PlayOffInput:
    """The input of a play-off: the contenders, best first, with their wins in the qualifying stage.

    `kept` are later matches that stay as they were played, in spite of a correction.
    """

    contenders: Sequence[EntryWithRecord]
    places: int
    outcomes: Mapping[str, MatchOutcome] = field(default_factory=dict)
    rule: ByeRule = field(default_factory=ByeRule)
    kept: tuple[PlayOffMatch, ...] = ()

    def list_kept_matches(self, number: int) -> tuple[PlayOffMatch, ...]:
        return tuple(match for match in self.kept if match.round_and_position[0] == number)


def make_play_off(data: PlayOffInput) -> PlayOff:
    """Return the current state of a play-off for `data.places` places.

    Each round is paired with `pair_by_record`, which avoids rematches if possible. Ties are broken by the rule's seed.
    An entry that does not come to play loses. If there are no more contenders than places, all of them advance. The
    sides of a kept match stay in it. If one of them lost its previous match, it advances in place of the winner.

    >>> four = [EntryWithRecord(number, wins=4) for number in (3, 9, 4, 1)]
    >>> rule = ByeRule(preferred_win_counts=(5,))
    >>> rounds = make_play_off(PlayOffInput([EntryWithRecord(7, wins=5), *four], 4, rule=rule)).rounds
    >>> len(rounds[0].matches), [bye.entry for bye in rounds[0].byes]
    (1, [7, 3, 9])

    Raises:
        ValueError: there is no place, or an entry occurs twice.
    """
    require_unique_entries([one.number for one in data.contenders])
    if data.places < 1:
        raise ValueError("a final has one place at least")
    left, lost = list(data.contenders), list[int]()
    rounds: list[PlayOffRound] = []
    while len(left) > data.places:
        played = _pair_round(left, data, len(rounds) + 1)
        rounds.append(played)
        if not played.is_decided:
            return PlayOff(data.places, tuple(rounds), play_off_input=data)
        on = _find_winners(played, data.list_kept_matches(played.number + 1))
        out = [entry for match in played.matches for entry in match.sides if entry not in on]
        came = [one.number for one in left if one.number in out and _has_played(played, one.number)]
        left, lost = [one for one in left if one.number not in out], [*came, *lost]
    through = tuple(one.number for one in left)
    return PlayOff(data.places, tuple(rounds), through, tuple(lost), is_complete=True, play_off_input=data)


def _find_winners(played: PlayOffRound, kept: Iterable[PlayOffMatch]) -> set[int]:
    """Return the entries that advance from a round of a play-off.

    If the loser of a match stays in the next round despite a correction, it advances instead of the winner.
    """
    on = {match.winner for match in played.matches if match.winner is not None}
    for entry in (side for match in kept for side in match.sides):
        lost = next((match for match in played.matches if entry in match.sides and entry not in on), None)
        if lost is not None:
            on -= set(lost.sides)
            on.add(entry)
    return on


def _pair_round(left: Sequence[EntryWithRecord], data: PlayOffInput, number: int) -> PlayOffRound:
    target = data.places
    while 2 * target < len(left):
        target *= 2
    here = {one.number for one in left}
    kept = [match for match in data.list_kept_matches(number) if set(match.sides) <= here][: len(left) - target]
    stay = {side for match in kept for side in match.sides}
    free = [one for one in left if one.number not in stay]
    byes = data.rule.give_byes({one.number: one.wins for one in free}, 2 * target - len(left))
    resting = {bye.entry for bye in byes}
    playing = [replace(one, wins=0) for one in free if one.number not in resting]
    seed = f"{data.rule.seed} play-off {number}"
    try:
        paired = pair_by_record(playing, seed=seed)
    except NoPossiblePairing:  # Only entries of one person are left, so the desk decides their match.
        playing = [replace(one, persons=frozenset()) for one in playing]
        paired = pair_by_record(playing, seed=seed)
    names = (name for turn in count(1) if (name := f"P{number}M{turn}") not in {match.id for match in kept})
    made = [*kept, *(PlayOffMatch(name, pair) for name, pair in zip(names, paired.pairs, strict=False))]
    ended = [replace(match, outcome=_find_outcome(match, data.outcomes)) for match in made]
    return PlayOffRound(
        number, tuple(sorted(ended, key=lambda match: match.round_and_position)), byes, tuple(playing), seed
    )


def _find_outcome(match: PlayOffMatch, outcomes: Mapping[str, MatchOutcome]) -> MatchOutcome | None:
    """Return the outcome recorded for the two entries of a play-off match in its round.

    Outcomes of other pairs do not count.

    After a correction, a new pair is recorded as “P2M1-2”, and the next one as “P2M1-3”.
    """
    inside = f"P{match.round_and_position[0]}M"
    found = (outcome for name, outcome in outcomes.items() if name.startswith(inside))
    return next((outcome for outcome in found if outcome.sides == frozenset(match.sides)), None)


def _has_played(played: PlayOffRound, entry: int) -> bool:
    match = next(match for match in played.matches if entry in match.sides)
    return match.outcome is not None and match.outcome.credits[entry].cause in (ResultCause.PLAYED, ResultCause.TIME)


# --- Corrected results -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _PlayOffCorrection:
    """The effects of a correction in a play-off, round by round.

    `kept` are the `touched` (affected) matches that stay as they were played. `freed` are matches that were kept when
    the same result was corrected earlier. That choice is canceled, so they need a new one. `impossible_keeps` are
    matches that the user chose to keep although one of their sides does not reach that round.
    """

    touched: tuple[PlayOffMatch, ...] = ()
    kept: tuple[PlayOffMatch, ...] = ()
    freed: tuple[PlayOffMatch, ...] = ()
    impossible_keeps: tuple[PlayOffMatch, ...] = ()


def correct_play_off(
    before: PlayOff,
    outcome: MatchOutcome,
    number: int,
    choices: Mapping[tuple[int, frozenset[int]], LaterMatchChoice] | None = None,
    begun: Collection[tuple[int, frozenset[int]]] = (),
) -> _PlayOffCorrection:
    """Return the effects of the corrected outcome on the rounds after `number`, which is the round of that outcome.

    A match without a choice is replayed. `choices` and `begun` identify a match by its round and its players, like
    `PlayOffMatch.round_and_players`.

    >>> four, rule = [EntryWithRecord(entry, 3) for entry in (1, 2, 3, 4)], ByeRule(seed="s")
    >>> first, second = (match.sides for match in make_play_off(PlayOffInput(four, 1, {}, rule)).rounds[0].matches)
    >>> ends = {"P1M1": first, "P1M2": second, "P2M1": (first[0], second[0])}
    >>> outcomes = {name: MatchOutcome.won(name, *sides) for name, sides in ends.items()}
    >>> wrong = MatchOutcome.won("P1M1", first[1], first[0])
    >>> played = make_play_off(PlayOffInput(four, 1, outcomes, rule))
    >>> [match.id for match in correct_play_off(played, wrong, 1).touched]
    ['P2M1']
    """
    if before.play_off_input is None:
        return _PlayOffCorrection()
    freed = tuple(
        match for match in before.play_off_input.list_kept_matches(number + 1) if outcome.sides & set(match.sides)
    )
    kept_before = tuple(match for match in before.play_off_input.kept if match not in freed)
    data = replace(
        before.play_off_input, outcomes={**before.play_off_input.outcomes, outcome.match: outcome}, kept=kept_before
    )
    stand = _list_match_keys(make_play_off(data))
    later = (match for each in before.rounds if each.number > number for match in each.matches)
    played = (match for match in later if match.is_decided or match.round_and_players in begun)
    touched = tuple(match for match in played if match.round_and_players not in stand)
    kept = tuple(match for match in touched if (choices or {}).get(match.round_and_players) is LaterMatchChoice.KEEP)
    stand = _list_match_keys(make_play_off(replace(data, kept=(*kept_before, *kept))))
    return _PlayOffCorrection(
        touched, kept, freed, tuple(match for match in kept if match.round_and_players not in stand)
    )


def _list_match_keys(play_off: PlayOff) -> frozenset[tuple[int, frozenset[int]]]:
    return frozenset(match.round_and_players for each in play_off.rounds for match in each.matches)
