"""The status of each signed card: what it counts for. Every page, paper and command asks here.

Nothing of it is stored. It follows from the cards, the results of their matches, and the present players of them.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from pairing.draws.results import Cause
from pairing.models import Match, MatchResult
from pairing.ports import CardPoints
from pairing.stages.selectors.course import load_course
from scoring.card_state.selectors.cards import (
    CardState,
    card_state_of,
    cards_with_facts,
    cards_without_facts,
    load_cached_cards,
    load_states,
)
from scoring.models import Card, CardClosed, CardPosted, Cut, Ruling, SheetLine
from scoring.posting.selectors.results import (
    LINKS,
    HeadToHead,
    common_event,
    load_cached_links,
    load_locked_cards,
    load_lost_games,
    load_results_in_force,
    load_ruled_results,
    load_void_cards,
    load_with_links,
    outcome_of_cards,
    present_sides,
)
from scoring.rules.sheet.card_status import (
    CardResult,
    Counts,
    JudgedCard,
    ResultRow,
    agrees_with_result,
    first_excluding_result,
    is_decided_after,
    judge_card,
    judge_changed_card,
    judge_totals,
)
from scoring.rules.variants.word_gin import with_minus
from scoring.seals.selectors.checks import digest_now
from tournament.core.selectors.events import load_entries
from tournament.lazy_text import lazy_text
from tournament.models import Entrant, Event

_SELECTED = ("match__event__tournament", "sheet")


_CARD_ORDER = ("match__round", "match__position", "match", "game", "pk")


_TAKE_BACK_WORDS = {
    "draw": lazy_text("The draw was undone"),
    "stage": lazy_text("The stage was undone"),
    "seating": lazy_text("The table assignments were undone"),
    "pairing": lazy_text("The pairing was undone"),
    "late_entry": lazy_text("The late entry was undone"),
}


@dataclass(frozen=True, slots=True)
class Act:
    """The act that superseded a card: when, by whom, why, and the ruling if it was one."""

    at: datetime
    by: str
    reason: str
    ruling: Ruling | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedCard:
    """A card and what it counts for.

    `by` is the act that superseded it, or None if no single act is known. `stands` is the result in force, or None if
    the match is open. `now` has the names of the present players of the match if they differ from those on the card.
    `gone` says what was taken back if the match no longer counts. `agrees`: the result would be the same if everybody
    signed the card as it is. It is only computed for a card that waits for signatures. `over`: the card cannot be
    changed any more.
    """

    state: CardState
    counts: Counts
    by: Act | None = None
    stands: ResultRow | None = None
    now: tuple[str, ...] | None = None
    gone: str = ""
    agrees: bool = True
    over: bool = False
    names: Mapping[int, str] = field(default_factory=dict)

    @property
    def is_blank(self) -> bool:
        """Whether the card is void and nothing was ever written on it."""
        return self.counts is Counts.VOID and not self.state.lines

    @property
    def holds(self) -> bool:
        return self.counts in (Counts.NOTHING, Counts.STANDS)

    @property
    def waits(self) -> bool:
        """Whether the card was changed after posting and not signed again, and the desk has not decided since."""
        return self.counts is Counts.WAITS

    @property
    def is_by_desk(self) -> bool:
        """Whether the result in force is a decision of the desk. It holds, whatever is signed after it."""
        return self.stands is not None and not self.stands.by_cards and not self.stands.is_open

    @property
    def result_line(self) -> str:
        """The result in force, in short: “Ada won 91–0”, or at a table “Ada 150, Alan 90”."""
        row = self.stands
        if row is None:
            return _("the match is open")
        if row.winner is None and row.points:
            return ", ".join(f"{self.names.get(n, n)} {with_minus(points)}" for n, points in row.points.items())
        points = "–".join(with_minus(row.points[n]) for n in sorted(row.points, key=lambda n: n != row.winner))
        won = _("%(name)s won") % {"name": self.names.get(row.winner or 0, _("nobody"))}
        return f"{won} {points}".rstrip()


# --- Load the status of cards ----------------------------------------------------------------------------------------


def load_statement(
    state: CardState, *, of_match: Sequence[CardState] | None = None, decided: bool = True
) -> CountedCard:
    """Return the status of one card.

    A card that was never posted counts for nothing, unless its match is void or has other players. A card whose rows
    were changed outside the program cannot be counted either. `of_match` has all cards of the match if they are
    loaded. `decided` is False if it is certain that the match never had a result.
    """
    was_signed = state.is_posted or state.clock.was_posted
    found: dict[int, CountedCard] = {}
    if digest_now(state) is not None and (was_signed or load_locked_cards([state.card], decided=decided)):
        match = state.card.match
        if of_match is None:
            found = load_statements(match.event, [match.pk])
        else:
            found = _statuses_of(match.event, of_match, load_with_links([match.pk]))
    return found.get(state.card.pk) or CountedCard(state=state, counts=Counts.NOTHING)


def load_statements(event: Event, matches: Collection[int] | None = None) -> dict[int, CountedCard]:
    """Return the status of all cards of an event, or of these matches, by the card's key in the order of the matches.

    A card whose rows were changed outside the program cannot be counted, and is left out.
    """
    cards = cards_without_facts().filter(match__event=event)
    if matches is not None:
        cards = cards.filter(match__in=matches)
    cards = cards.select_related(*(f"match__{link}__taken_back" for link in LINKS), *_SELECTED)
    states = load_states(cards.order_by(*_CARD_ORDER))
    return _statuses_of(event, states, {state.card.match_id: state.card.match for state in states})


def load_cached_statements(
    event: Event, matches: Collection[int], versions: Mapping[str, int]
) -> dict[int, CountedCard]:
    """Return the same as `load_statements` for these matches, from cached card states (`load_cached_cards`)."""
    cards = Card.objects.filter(match__event=event, match__in=matches).order_by(*_CARD_ORDER)
    states = load_cached_cards(event, dict(cards.values_list("pk", "match_id")), versions)
    return _statuses_of(event, states, load_cached_links(event, matches, versions) if states else {})


def _statuses_of(event: Event, states: Sequence[CardState], matches: Mapping[int, Match]) -> dict[int, CountedCard]:
    by_match: dict[int, list[CardState]] = defaultdict(list)
    for state in states:
        if digest_now(state) is not None:
            by_match[state.card.match_id].append(state)
    if not by_match:
        return {}
    facts = _EventFacts(event, by_match, matches)
    return {one.state.card.pk: one for states in by_match.values() for one in facts.statements(states)}


def load_disagreeing(event: Event, versions: Mapping[str, int] | None = None) -> list[CountedCard]:
    """Return the undecided cards that differ from the result in force.

    They were signed after the result, or changed after it and wait for signatures.
    """
    last = MatchResult.objects.filter(match=OuterRef("card__match"), superseded_by__isnull=True)
    later = Exists(last.filter(at__lt=OuterRef("at")))
    posted = CardPosted.objects.filter(later, card__match__event=event)
    closed = CardClosed.objects.filter(later, card__match__event=event)
    # Cards can also be written on after they were first posted.
    changed = (
        facts.filter(card__match__event=event, card__postings__at__lt=F("at"))
        for facts in (SheetLine.objects, Cut.objects)
    )
    matches = set(_matches_of(posted).union(*map(_matches_of, (closed, *changed))))
    if not matches:
        return []
    found = load_statements(event, matches) if versions is None else load_cached_statements(event, matches, versions)
    return [one for one in found.values() if one.counts is Counts.DISAGREES or one.waits]


def _matches_of(facts: QuerySet[Any]) -> QuerySet[Any, int]:
    return facts.order_by().values_list("card__match_id", flat=True)


def load_decided_since(states: Collection[CardState]) -> set[int]:
    """Return the keys of cards that no longer wait for signatures.

    The desk decided their match after the last change of the card.
    """
    rows = load_results_in_force({state.card.match_id for state in states}, common_event([s.card for s in states]))
    each = ((state, _rows_between(rows.get(state.card.match_id, ()), _entry_numbers(state))) for state in states)
    return {state.card.pk for state, own in each if own and is_decided_after(changed_at(state), own[-1])}


def load_points(match: Match) -> CardPoints | None:
    """Return what the cards of a match of two come to, signed or not.

    If a decision took all cards out, the last of those count. Return None if there is nothing to show.
    """
    states = load_states(cards_without_facts().filter(match=match))
    facts = _EventFacts(match.event, {match.pk: states}, {match.pk: match})
    sides = facts.sides(match)
    if sides is None or len(sides) != 2:
        return None
    begun = (state for state in facts.cards[match.pk] if state.is_posted or state.lines)
    states = [state for state in begun if _entry_numbers(state) == set(sides)]
    groups = _group_by_take_back(states, facts.rows_of(match.pk, sides))
    if not groups:
        return None
    counting = groups[max(groups)]
    outcome = outcome_of_cards(facts.two(match, states[0]), counting, as_they_stand=True)
    is_signed = all(state.is_posted for state in counting)
    if not is_signed and not any(outcome.points.values()):
        return None
    return CardPoints(winner=outcome.winner, points=outcome.points, is_signed=is_signed)


def changed_at(state: CardState) -> datetime:
    facts = state.facts
    written = [fact.at for fact in (*facts.lines, *facts.cuts, *facts.closings)]
    reopened = [closing.taken_back.at for closing in facts.closings if hasattr(closing, "taken_back")]
    return max([state.card.opened_at, *written, *reopened])


# --- Compute the status ----------------------------------------------------------------------------------------------


class _EventFacts:
    """The results, players and penalties of an event, loaded once for all these cards."""

    def __init__(self, event: Event, cards: Mapping[int, list[CardState]], matches: Mapping[int, Match]) -> None:
        self.event, self.cards, self.matches = event, cards, matches
        self.rows = load_results_in_force(cards, event.pk)
        self.course = load_course(event)
        self.lost = load_lost_games([states[0].card.match for states in cards.values() if states])
        opened = {match for match, rows in self.rows.items() if any(row.is_decided_open for row in rows)}
        self.void = load_void_cards([state.card for match in opened for state in cards[match]])
        self.names = {entry.number: entry.name for entry in load_entries(event)}

    def statements(self, states: Sequence[CardState]) -> Iterator[CountedCard]:
        gone = _find_take_back(self.matches[states[0].card.match_id])
        for one in self._counted(states, gone):
            yield replace(one, over=gone is not None or one.state.card.pk in self.void or one.now is not None)

    def _counted(self, states: Sequence[CardState], gone: tuple[Act | None, str] | None) -> Iterator[CountedCard]:
        match = states[0].card.match
        sides = self.sides(match)
        for state in states:
            parted = (
                gone is None
                and sides is not None
                and len(_entry_numbers(state)) == 2
                and set(sides) != _entry_numbers(state)
            )
            if gone is None and state.card.pk in self.void and not state.is_posted:
                yield self._void(state, sides)
            elif parted and sides is not None:
                yield self._of_others(state, sides)
            elif state.clock.was_posted and gone is None:
                yield self._changed(state, states, sides)
            elif not state.is_posted:
                yield CountedCard(state=state, counts=Counts.NOTHING)
            elif gone is not None:
                yield CountedCard(state=state, counts=Counts.SUPERSEDED, by=gone[0], gone=gone[1])
            elif sides is None or len(_entry_numbers(state)) != 2:
                yield self._from_judged(state, judge_totals(_card_result(state), self.rows.get(match.pk, ())))
            else:
                yield self._of_two(state, states, sides)

    def sides(self, match: Match) -> tuple[int, ...] | None:
        """Return the present players of a match, or the only known one. Return None if it is not a match of two."""
        return present_sides(self.course, match)

    def rows_of(self, match: int, sides: Iterable[int]) -> tuple[ResultRow, ...]:
        """Return the results of these two. In a bracket, other players may have met in the match before."""
        return _rows_between(self.rows.get(match, ()), set(sides))

    def two(self, match: Match, state: CardState) -> HeadToHead:
        one, other = state.card.entrants
        return HeadToHead(match.ident, (one, other), self.lost[match.pk])

    def _of_two(self, state: CardState, states: Sequence[CardState], sides: Iterable[int]) -> CountedCard:
        match, rows = state.card.match, self.rows_of(state.card.match_id, sides)
        own = [each for each in states if each.is_posted and _entry_numbers(each) == set(sides)]
        groups = _group_by_take_back(own, rows)
        out = next((group for group, members in groups.items() if state in members), 0)
        counted = groups.get(_count_take_backs(rows), [])
        two = self.two(match, state)
        alone = outcome_of_cards(two, groups[out]) if out in groups else None
        # A card that was changed after its posting still has to be signed again.
        waits = any(each.clock.was_posted and _entry_numbers(each) == set(sides) for each in states)
        together = replace(outcome_of_cards(two, counted), is_whole=not waits)
        return self._from_judged(state, judge_card(_card_result(state), together, rows, alone=alone))

    def _changed(self, state: CardState, states: Sequence[CardState], sides: tuple[int, ...] | None) -> CountedCard:
        """Return the status of a card that was changed after posting and not signed again by everybody."""
        match, says = state.card.match, _card_result(state)
        if sides is None or len(_entry_numbers(state)) != 2:
            rows = self.rows.get(match.pk, ())
            agrees = state.is_complete and judge_totals(says, rows).counts is Counts.STANDS
        else:
            rows = self.rows_of(match.pk, sides)
            agrees = self._would_agree(state, states, rows)
        judged = judge_changed_card(says.since, changed_at(state), rows)
        return replace(self._from_judged(state, judged), agrees=agrees or judged.counts is not Counts.WAITS)

    def _void(self, state: CardState, sides: Iterable[int] | None) -> CountedCard:
        """Return the status of a card that was in use, and not signed by all, when the desk made its match void."""
        rows = self.rows_of(state.card.match_id, sides or _entry_numbers(state))
        by, stands = self._act(self.void[state.card.pk]), rows[-1] if rows else None
        return CountedCard(state=state, counts=Counts.VOID, by=by, stands=stands, names=self._names(state))

    def _would_agree(self, state: CardState, states: Sequence[CardState], rows: Sequence[ResultRow]) -> bool:
        """Whether the cards of the match, if all were signed as they are, would give the result in force."""
        signed = (each for each in states if each.is_posted or each.clock.was_posted)
        own = [each for each in signed if _entry_numbers(each) == _entry_numbers(state)]
        counted = _group_by_take_back(own, rows).get(_count_take_backs(rows), [])
        outcome = outcome_of_cards(self.two(state.card.match, state), counted, as_they_stand=True)
        result = rows[-1] if rows else None
        if result is None or (outcome.winner is None and not result.by_cards):
            return True
        return agrees_with_result(result, outcome)

    def _of_others(self, state: CardState, sides: Sequence[int]) -> CountedCard:
        """Return the status of a card whose match now has other players.

        It was superseded by its own result that was taken out, or by the correction that sent the others there.
        """
        was_posted = state.is_posted or state.clock.was_posted
        rows = self.rows_of(state.card.match_id, _entry_numbers(state))
        own = first_excluding_result(_card_result(state), rows) if state.is_posted else None
        by = self._act(own) if own is not None else _correction_that_moved(state)
        now = tuple(self.names.get(number, str(number)) for number in sides)
        counts = Counts.SUPERSEDED if was_posted else Counts.VOID
        return CountedCard(state=state, counts=counts, by=by, now=now, names=self._names(state))

    def _from_judged(self, state: CardState, judged: JudgedCard) -> CountedCard:
        by = self._act(judged.by) if judged.by is not None else None
        return CountedCard(state=state, counts=judged.counts, by=by, stands=judged.stands, names=self._names(state))

    def _names(self, state: CardState) -> Mapping[int, str]:
        """Return the names by entry number. The card keeps its own names, even if a substitute plays now."""
        own = {side.number: side.name for side in state.sides if side.number is not None}
        return {**self.names, **own}

    def _act(self, row: ResultRow) -> Act:
        """Return the act by which a result is in force: the result itself, or the undoing that restored it."""
        by_penalty = any(cause == Cause.PENALTY.value for _result, cause in row.credits.values())
        ruling = load_ruled_results([row.key]).get(row.key) if by_penalty else None
        return Act(row.act.at, row.act.by, row.act.reason, ruling)


def _entry_numbers(state: CardState) -> set[int]:
    return {entrant.number for entrant in state.card.entrants}


def _rows_between(rows: Iterable[ResultRow], numbers: set[int]) -> tuple[ResultRow, ...]:
    return tuple(row for row in rows if not row.credits or set(row.credits) == numbers)


def _card_result(state: CardState) -> CardResult:
    since = state.clock.counts_since or state.card.opened_at
    points = {s.number: s.total for s in state.sides if s.number is not None}
    return CardResult(since=since, points=points, has_winner=state.score.winning_seat is not None)


def _count_take_backs(rows: Sequence[ResultRow]) -> int:
    """Return how many results took cards out. Only cards signed after the last of them count."""
    return sum(row.takes_cards_out for row in rows)


def _group_by_take_back(states: Iterable[CardState], rows: Sequence[ResultRow]) -> dict[int, list[CardState]]:
    """Return the cards by how many of the results that took cards out came before their signing."""
    moments = [row.at for row in rows if row.takes_cards_out]
    groups: dict[int, list[CardState]] = defaultdict(list)
    for state in states:
        groups[sum(at < _card_result(state).since for at in moments)].append(state)
    return groups


def _find_take_back(match: Match) -> tuple[Act, str] | None:
    for link in LINKS:
        fact: Any = getattr(getattr(match, link, None), "taken_back", None)
        if fact is not None:
            return Act(fact.at, fact.by_name, fact.reason), _TAKE_BACK_WORDS[link]
    return None


def _correction_that_moved(state: CardState) -> Act | None:
    """Return the last correction of another match of these players since the card was opened, or None."""
    changed = Q(supersedes__isnull=False) | Q(undoes__isnull=False)
    rows = MatchResult.objects.filter(changed, match__draw=state.card.match.draw_id, at__gte=state.card.opened_at)
    for row in rows.exclude(match=state.card.match_id).order_by("-pk"):
        if _entry_numbers(state) & set(map(int, row.credits)):
            return Act(row.at, row.by_name, row.reason)
    return None


# --- Cards that were corrected and count again -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CorrectedCard:
    state: CardState
    at: datetime
    by: str
    reason: str


def load_corrected(entrant: Entrant) -> list[CorrectedCard]:
    """Load the corrected cards that count again, in the order of their matches."""
    written = SheetLine.objects.filter(card__seats__entrant=entrant, supersedes__isnull=False)
    last = {line.card_id: line for line in written.filter(card__postings__at__lt=F("at")).order_by("pk")}
    if not last:
        return []
    cards = cards_with_facts().filter(pk__in=last).order_by("match__round", "match__position", "match", "game", "pk")
    states = [state for state in map(card_state_of, cards) if state.is_posted]
    return [
        CorrectedCard(state, line.at, line.by_name, line.reason) for state in states if (line := last[state.card.pk])
    ]
