"""Explain why two entries meet, why an entry has to wait, and which rules a pair made by hand breaks."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from pairing.draws.desk.desk import PairingInput, PairingSuggestion, UnpairedEntry, UnpairedReason
from pairing.draws.pairs.reasons import (
    BYE_NUMBER,
    ByeReason,
    FloatedPairReason,
    PairReason,
    UnavoidableRematchProof,
    format_wins,
)
from pairing.draws.pairs.record import EntryWithRecord
from tournament.lazy_text import join_texts, join_with_and, lazy_plural, lazy_text

NamesByNumber = Mapping[int, str]


def explain_pair(reason: PairReason, names: NamesByNumber) -> str:
    """Explain why two entries were paired.

    >>> explain_pair(PairReason((4, 9), (3, 3), is_rematch=True), {4: "Ada", 9: "Grace"})
    'Same record: 3 wins each. They meet again: no pairing of the players who play now has fewer rematches.'
    """
    if reason.describe is not None:
        return reason.describe(names)
    sentences = (
        _describe_records(reason, names),
        _describe_rematch(reason, names),
        *_describe_broken_constraints(reason),
    )
    return join_texts(" ", [sentence for sentence in sentences if sentence])


def _describe_records(reason: PairReason, names: NamesByNumber) -> str:
    high, low = max(reason.wins), min(reason.wins)
    if reason.float_reason is None:
        return lazy_text("Same record: %(high)s each.", high=format_wins(high))
    floating = reason.pair[reason.wins.index(high)]
    return lazy_text(
        "%(high)s to %(low)s: %(why)s.",
        high=format_wins(high),
        low=low,
        why=_describe_float(reason.float_reason, _get_name(floating, names), high, low),
    )


def _describe_float(reason: FloatedPairReason, entry: str, high: int, low: int) -> str:
    wins = format_wins(high)
    why = {
        FloatedPairReason.NOBODY_ELSE: lazy_text("nobody else with %(wins)s plays now", wins=wins),
        FloatedPairReason.MET_ALL: lazy_text("has met everybody else with %(wins)s, or is kept apart", wins=wins),
        FloatedPairReason.ODD_GROUP: lazy_text("an odd number of players with %(wins)s had to be paired", wins=wins),
        FloatedPairReason.CHEAPEST_OVERALL: lazy_text("no other pairing of all players is better"),
    }
    lower = lazy_plural("plays someone with one win less", "plays someone with %(number)s wins less", high - low)
    return lazy_text("%(entry)s %(lower)s, because %(why)s", entry=entry, lower=lower, why=why[reason])


def _describe_rematch(reason: PairReason, names: NamesByNumber) -> str:
    if not reason.is_rematch:
        return ""
    if reason.rematch_proof is None:
        return lazy_text("They meet again: no pairing of the players who play now has fewer rematches.")
    return lazy_text(
        "They meet again, which cannot be avoided: %(barrier)s.",
        barrier=_describe_unavoidable_rematch(reason.rematch_proof, names),
    )


def _describe_unavoidable_rematch(barrier: UnavoidableRematchProof, names: NamesByNumber) -> str:
    groups = [_join_names(sorted(group), names) for group in barrier.groups]
    few = _join_names(barrier.possible_opponents, names)
    if all(len(group) == 1 for group in barrier.groups):
        if not barrier.possible_opponents:
            met_all = "%(entries)s has met everybody else", "%(entries)s have met everybody else"
            return lazy_plural(*met_all, len(barrier.entries), entries=_join_names(sorted(barrier.entries), names))
        return lazy_text(
            "%(entries)s could meet only %(few)s without a rematch",
            entries=_join_names(sorted(barrier.entries), names),
            few=few,
        )
    if not barrier.possible_opponents:
        return lazy_text(
            "%(group)s are an odd number and could meet only each other without a rematch", group=groups[0]
        )
    return lazy_text(
        "each of these groups has an odd number of players, and outside it they could meet only %(few)s without a "
        "rematch: %(groups)s",
        few=few,
        groups=join_texts("; ", groups),
    )


def _describe_broken_constraints(reason: PairReason) -> Iterable[str]:
    if reason.violations.never:
        yield lazy_text("They should never meet.")
    if reason.violations.not_yet:
        yield lazy_text("They should not meet yet, but nobody else is left to meet.")
    if reason.violations.apart:
        yield lazy_text("Both are of %(groups)s; they could not be kept apart.", groups=join_with_and(reason.groups))


def explain_bye(reason: ByeReason, names: NamesByNumber) -> str:
    """Explain why this entry gets the bye.

    >>> explain_bye(ByeReason(7, 0, 1), {7: "Ada"})
    'Ada has the bye: fewest byes before (0), and of those the fewest wins (1); ties by lot.'
    """
    name = _get_name(reason.entry, names)
    if not reason.passed_over:
        return lazy_text(
            "%(name)s has the bye: fewest byes before (%(byes)s), and of those the fewest wins "
            "(%(wins)s); ties by lot.",
            name=name,
            byes=reason.byes,
            wins=reason.wins,
        )
    others = _join_names(reason.passed_over, names)
    return lazy_text(
        "%(name)s has the bye. %(others)s would come first, but with their bye the pairing would break more.",
        name=name,
        others=others,
    )


def explain_unpaired_entry(stay: UnpairedEntry, names: NamesByNumber) -> str:
    """Explain why an entry has to wait.

    Return an empty string if too few entries are waiting to make any pair (see `explain_why_no_pairs`).

    In the example, no possible opponent has a similar number of wins. The longer an entry waits, the more the numbers
    of wins may differ, so the entry may play Grace from 14:25 on.

    >>> from datetime import UTC
    >>> at = datetime(2026, 11, 28, 14, 25, tzinfo=UTC)
    >>> explain_unpaired_entry(UnpairedEntry(4, UnpairedReason.DIFFERENCE, at, 9), {4: "Ada", 9: "Grace"})
    'Nobody has a similar number of wins yet. Grace is possible from 14:25 on.'
    """
    if stay.explanation:
        return stay.explanation
    near = lazy_text("Nobody has a similar number of wins yet")
    if stay.why is UnpairedReason.DIFFERENCE and stay.pairable_at is not None and stay.possible_opponent is not None:
        return lazy_text(
            "%(near)s. %(other)s is possible from %(until)s on.",
            near=near,
            other=_get_name(stay.possible_opponent, names),
            until=_format_time(stay.pairable_at),
        )
    return {
        UnpairedReason.HELD: lazy_text("On hold: the desk does not pair them."),
        UnpairedReason.ABSENT: lazy_text("Not checked in, so the desk does not suggest them yet."),
        UnpairedReason.TOO_FEW: "",
        UnpairedReason.ALONE: lazy_text("Waiting for an opponent."),
        UnpairedReason.LEFT_OVER: lazy_text(
            "All their possible opponents are paired. The player with the shortest wait stays."
        ),
        UnpairedReason.DIFFERENCE: lazy_text("%(near)s. More players are still playing.", near=near),
        UnpairedReason.KEPT_APART: lazy_text("Kept apart from every waiting player they have not met."),
        UnpairedReason.HAS_MET: lazy_text("Has met everybody who is waiting; new opponents are still playing."),
    }[stay.why]


def explain_why_no_pairs(desk: PairingInput, suggestion: PairingSuggestion) -> str:
    """Explain why the desk suggests no pairs.

    >>> from datetime import UTC
    >>> from pairing.draws.desk.desk import WaitingEntry, suggest_pairs
    >>> noon = datetime(2026, 11, 28, 14, 20, tzinfo=UTC)
    >>> both = tuple(WaitingEntry(EntryWithRecord(n, 0), noon) for n in (4, 9))
    >>> two = PairingInput(waiting=both, still_playing=(EntryWithRecord(7, 0),))
    >>> explain_why_no_pairs(two, suggest_pairs(two, now=noon))
    '2 are waiting. Pairs are suggested when 4 are waiting, or when somebody has waited 5 minutes: at 14:25.'
    """
    if suggestion.pairs or suggestion.explanation:
        return "" if suggestion.pairs else suggestion.explanation
    waiting = len(desk.free_entries)
    if suggestion.too_few and suggestion.until is not None:
        minutes = desk.terms.longest_wait
        return lazy_plural(
            "%(waiting)s are waiting. Pairs are suggested when %(wait_for)s are waiting, or when "
            "somebody has waited %(number)s minute: at %(until)s.",
            "%(waiting)s are waiting. Pairs are suggested when %(wait_for)s are waiting, or when "
            "somebody has waited %(number)s minutes: at %(until)s.",
            minutes,
            waiting=waiting,
            wait_for=desk.terms.wait_for,
            until=_format_time(suggestion.until),
        )
    if waiting == 0:
        return _explain_nobody_waiting(desk)
    if waiting == 1:
        return (
            lazy_text("One player is waiting, without an opponent yet.")
            if desk.still_playing
            else lazy_text("One player is waiting, and no opponent is left.")
        )
    if suggestion.until is not None:
        return lazy_text(
            "%(waiting)s are waiting, and no two of them may meet yet. The first can meet at %(until)s.",
            waiting=waiting,
            until=_format_time(suggestion.until),
        )
    if desk.still_playing:
        return lazy_text(
            "%(waiting)s are waiting, and no two of them may meet: new opponents are still playing.", waiting=waiting
        )
    return lazy_text(
        "%(waiting)s are waiting, and no two of them may meet: pair two by hand, or give a bye.", waiting=waiting
    )


def _explain_nobody_waiting(desk: PairingInput) -> str:
    held = sum(one.held for one in desk.waiting)
    absent = sum(one.absent and not one.held for one in desk.waiting)
    if held and absent:
        return lazy_text(
            "Nobody is waiting for a pairing: %(held)s on hold and %(absent)s not checked in.", held=held, absent=absent
        )
    if held:
        return lazy_text("Nobody is waiting for a pairing: %(held)s on hold.", held=held)
    if absent:
        return lazy_text("Nobody is waiting for a pairing: %(absent)s not checked in.", absent=absent)
    return lazy_text("Nobody is waiting.")


class _RuleBreakKind(StrEnum):
    """A kind of rule that a manual pair can break. `SAME_PERSON` and `HELD` make the pair impossible."""

    SAME_PERSON = "same-person"
    HELD = "held"
    ABSENT = "absent"
    NEVER = "never"
    REMATCH = "rematch"
    NOT_YET = "not-yet"
    APART = "apart"
    DIFFERENCE = "difference"

    @property
    def forbids_pair(self) -> bool:
        return self in (_RuleBreakKind.SAME_PERSON, _RuleBreakKind.HELD)


@dataclass(frozen=True, slots=True)
class BrokenRule:
    kind: _RuleBreakKind
    text: str

    def __str__(self) -> str:
        return self.text


def describe_broken_rule(kind: str, recorded: str, pair: tuple[int, int], names: NamesByNumber) -> str:
    """Describe a broken rule with the current wording. If there is no wording for its kind, return the recorded text.

    >>> print(describe_broken_rule("rematch", "They met.", (4, 9), {4: "Ada", 9: "Grace"}))
    Ada and Grace have met before.
    >>> print(describe_broken_rule("held", "Ada is held.", (4, 9), {}))
    Ada is held.
    """
    by_kind = {one.value: one for one in _TEXT_BY_KIND}
    return str(_make_broken_rule(by_kind[kind], _name_pair(*pair, names))) if kind in by_kind else recorded


def _name_pair(one: int, other: int, names: NamesByNumber) -> str:
    return lazy_text("%(one)s and %(other)s", one=_get_name(one, names), other=_get_name(other, names))


def _make_broken_rule(kind: _RuleBreakKind, pair: str) -> BrokenRule:
    return BrokenRule(kind, _TEXT_BY_KIND[kind](pair))


_TEXT_BY_KIND: Final[Mapping[_RuleBreakKind, Callable[[str], str]]] = {
    _RuleBreakKind.SAME_PERSON: lambda pair: lazy_text(
        "%(pair)s are entries of the same person, so they never meet.", pair=pair
    ),
    _RuleBreakKind.NEVER: lambda pair: lazy_text("%(pair)s are kept apart and never meet.", pair=pair),
    _RuleBreakKind.REMATCH: lambda pair: lazy_text("%(pair)s have met before.", pair=pair),
    _RuleBreakKind.NOT_YET: lambda pair: lazy_text("%(pair)s are kept apart and do not meet yet.", pair=pair),
}


def find_broken_rules(
    one: int, other: int, desk: PairingInput, names: NamesByNumber, *, now: datetime
) -> tuple[BrokenRule, ...]:
    """Return the rules that this pair would break now, worst first.

    >>> from datetime import UTC
    >>> from pairing.draws.desk.desk import WaitingEntry
    >>> noon = datetime(2026, 11, 28, 12, tzinfo=UTC)
    >>> met = [EntryWithRecord(4, 3, met=frozenset({9})), EntryWithRecord(9, 0)]
    >>> found = PairingInput(waiting=tuple(WaitingEntry(entry, noon) for entry in met))
    >>> for broken in find_broken_rules(4, 9, found, {4: "Ada", 9: "Grace"}, now=noon): print(broken)
    Ada and Grace have met before.
    3 wins meet 0: a difference of 1 is allowed now.

    Raises:
        KeyError: one of the two is not waiting.
    """
    pair = _name_pair(one, other, names)
    low, high = desk.candidates.by_number[one], desk.candidates.by_number[other]
    if one == other or not low.persons.isdisjoint(high.persons):
        return (_make_broken_rule(_RuleBreakKind.SAME_PERSON, pair),)
    held = [waits.entry.number for waits in desk.waiting if waits.held and waits.entry.number in (one, other)]
    found = [
        BrokenRule(
            _RuleBreakKind.HELD,
            lazy_text("%(number)s is on hold. End the hold first.", number=_get_name(number, names)),
        )
        for number in held
    ]
    absent = [waits.entry.number for waits in desk.waiting if waits.absent and waits.entry.number in (one, other)]
    found += [
        BrokenRule(_RuleBreakKind.ABSENT, lazy_text("%(number)s is not checked in.", number=_get_name(number, names)))
        for number in absent
    ]
    broken = desk.candidates.find_violations(low, high)
    if broken.never:
        found.append(_make_broken_rule(_RuleBreakKind.NEVER, pair))
    if desk.candidates.have_met(low, high):
        found.append(_make_broken_rule(_RuleBreakKind.REMATCH, pair))
    if broken.not_yet:
        found.append(_make_broken_rule(_RuleBreakKind.NOT_YET, pair))
    if broken.apart:
        groups = join_with_and(sorted(desk.constraints.find_shared_groups(one, other)))
        found.append(
            BrokenRule(
                _RuleBreakKind.APART,
                lazy_text(
                    "%(pair)s are both of %(groups)s, which is kept apart in this game.", pair=pair, groups=groups
                ),
            )
        )
    return (*found, *_find_broken_difference_limit(low, high, desk, now))


def _find_broken_difference_limit(
    one: EntryWithRecord, other: EntryWithRecord, desk: PairingInput, now: datetime
) -> Iterable[BrokenRule]:
    since = min(desk.wait_start_times[one.number], desk.wait_start_times[other.number])
    apart = abs(one.wins - other.wins)
    if desk.terms.allows_pair(apart, since, now):
        return
    allowed = max(less for less in range(apart) if desk.terms.allows_pair(less, since, now))
    high, low = max(one.wins, other.wins), min(one.wins, other.wins)
    yield BrokenRule(
        _RuleBreakKind.DIFFERENCE,
        lazy_text(
            "%(high)s meet %(low)s: a difference of %(allowed)s is allowed now.",
            high=format_wins(high),
            low=low,
            allowed=allowed,
        ),
    )


def _get_name(number: int, names: NamesByNumber) -> str:
    return names.get(number, lazy_text("entry %(number)s", number=number))


def _join_names(numbers: Sequence[int], names: NamesByNumber) -> str:
    return join_with_and(
        [lazy_text("a bye") if number == BYE_NUMBER else _get_name(number, names) for number in numbers]
    )


def _format_time(moment: datetime) -> str:
    return f"{moment:%H:%M}"
