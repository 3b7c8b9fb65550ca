"""Compute the status of each score card: whether it counts for its match's result, and until when it can be corrected.

The status is never stored. It is computed from the cards, the matches' results, and the matches' current players.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from pairing.draws.results import CardStatusKind, ResultCause
from pairing.models import Match, MatchResult
from pairing.ports import CardPoints
from pairing.stages.selectors.course import load_event_stages
from pairing.stages.selectors.plans import load_stage_traits
from scoring.card_state.selectors.cards import (
    load_cached_cards,
    load_card_states,
    select_cards_with_deferred_facts,
    select_cards_with_facts,
)
from scoring.card_state.selectors.state import CardState, make_card_state
from scoring.models import (
    Card,
    CardClosed,
    CardPosted,
    CardTerms,
    Cut,
    Dispute,
    Ruling,
    SheetLine,
    StaffEntry,
    StaffEntryDecided,
)
from scoring.posting.selectors.results import (
    MATCH_ORIGIN_RELATIONS,
    combine_card_outcomes,
    filter_results_by_entries,
    find_common_event_id,
    find_current_match_entries,
    load_cached_matches_with_origins,
    load_locked_cards,
    load_matches_with_origins,
    load_penalty_losses,
    load_rulings_by_result,
    load_valid_results,
    load_void_cards,
)
from scoring.rules.book.layout import format_signed_number
from scoring.rules.sheet.card_status import (
    CardJudgment,
    CorrectionPeriod,
    CorrectionTerms,
    RecordedResult,
    agrees_with_result,
    find_invalidating_result,
    is_decided_after_change,
    judge_card_by_totals,
    judge_changed_card,
    judge_signed_card,
)
from scoring.seals.selectors.versions import compute_current_digest
from tournament.core.cached import cached
from tournament.core.selectors.events import load_entries
from tournament.lazy_text import lazy_text
from tournament.models import Entrant, Event

_RELATED_TO_SELECT = ("match__event__tournament", "sheet")
_CARD_ORDER = ("match__round", "match__position", "match", "game", "pk")


_UNDONE_TEXTS = {
    "draw": lazy_text("The draw was undone"),
    "stage": lazy_text("The stage was undone"),
    "seating": lazy_text("The table assignments were undone"),
    "pairing": lazy_text("The pairing was undone"),
    "late_entry": lazy_text("The late entry was undone"),
}


StatusAction = tuple[datetime, str, str, Ruling | None]
"""The action behind a status: its time, author and reason, and the ruling if the action was a ruling."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardStatus:
    """A score card's status: whether the card counts for the result of its match, and why.

    `superseding_action` is the action that superseded the card, or None if no single action is known. `result` is the
    result in force, or None if the match is open. `players` contains the names of the match's current players, if they
    differ from those on the card. If the match no longer counts, `undone_text` describes what was undone. `agrees` is
    False if the card is waiting for signatures that would change the result. `is_locked` is True if nobody can write on
    the card. `is_match_void` is True if the desk voided the match before all players had signed the card.
    """

    state: CardState
    kind: CardStatusKind
    superseding_action: StatusAction | None = None
    result: RecordedResult | None = None
    players: tuple[str, ...] | None = None
    undone_text: str = ""
    agrees: bool = True
    is_locked: bool = False
    is_match_void: bool = False
    names: Mapping[int, str] = field(default_factory=dict)

    @property
    def is_blank(self) -> bool:
        """Whether the card is void and nothing was ever written on it."""
        return self.kind is CardStatusKind.VOID and not self.state.lines

    @property
    def is_counting(self) -> bool:
        return self.kind in (CardStatusKind.NOTHING, CardStatusKind.STANDS)

    @property
    def needs_new_signatures(self) -> bool:
        """Whether the card was changed after it was posted, and needs new signatures to count again."""
        return self.kind is CardStatusKind.WAITS

    @property
    def is_decided_by_desk(self) -> bool:
        """Whether the desk decided the match's current result, so that later signatures do not change it."""
        return self.result is not None and not self.result.by_cards and not self.result.is_open

    @property
    def result_line(self) -> str:
        """A short text with the match's current result, such as “Ada won 91–0”, or “Ada 150, Alan 90” for a table."""
        row = self.result
        if row is None or row.leaves_match_open:
            return _("the match is open")
        if row.winner is None and row.points:
            return ", ".join(
                f"{self.names.get(n, n)} {format_signed_number(points)}" for n, points in row.points.items()
            )
        points = "–".join(
            format_signed_number(row.points[n]) for n in sorted(row.points, key=lambda n: n != row.winner)
        )
        won = _("%(name)s won") % {"name": self.names.get(row.winner or 0, _("nobody"))}
        return f"{won} {points}".rstrip()


# --- Load the status of cards ----------------------------------------------------------------------------------------


def load_card_status(
    state: CardState, *, match_cards: Sequence[CardState] | None = None, decided: bool = True
) -> CardStatus:
    """Return the status of a single card.

    A card that was never posted has no status, unless its match is void or now has different players. Pass the match's
    cards as `match_cards` if they are already loaded. Pass `decided=False` if you know that the match never had a
    result.
    """
    was_signed = state.is_posted or state.was_posted
    statuses: dict[int, CardStatus] = {}
    if compute_current_digest(state) is not None and (was_signed or load_locked_cards([state.card], decided=decided)):
        match = state.card.match
        if match_cards is None:
            statuses = load_card_statuses(match.event, [match.pk])
        else:
            statuses = _compute_statuses(match.event, match_cards, load_matches_with_origins([match.pk]))
    return statuses.get(state.card.pk) or CardStatus(state=state, kind=CardStatusKind.NOTHING)


def load_card_statuses(
    event: Event, matches: Collection[int] | None = None, versions: Mapping[str, int] | None = None
) -> dict[int, CardStatus]:
    """Return the status of an event's cards, keyed by the cards' primary keys and in the order of the matches.

    If `matches` is given, only cards of these matches are returned. Cards that cannot be scored, because somebody
    changed the database directly, are left out.

    `versions` contains the versions of the event's topics (see `load_versions_by_topic`). If it is given, cards and
    matches come from the cache. Only pages that write nothing may pass it.
    """
    cards = (select_cards_with_deferred_facts() if versions is None else Card.objects.all()).filter(match__event=event)
    cards = cards.order_by(*_CARD_ORDER)
    if matches is not None:
        cards = cards.filter(match__in=matches)
    if versions is not None:
        keys = dict(cards.values_list("pk", "match_id"))
        states = load_cached_cards(event, keys, versions)
        return _compute_statuses(
            event, states, load_cached_matches_with_origins(event, set(keys.values()), versions) if states else {}
        )
    states = load_card_states(
        cards.select_related(*(f"match__{link}__taken_back" for link in MATCH_ORIGIN_RELATIONS), *_RELATED_TO_SELECT)
    )
    return _compute_statuses(event, states, {state.card.match_id: state.card.match for state in states})


def _compute_statuses(event: Event, states: Sequence[CardState], matches: Mapping[int, Match]) -> dict[int, CardStatus]:
    by_match: dict[int, list[CardState]] = defaultdict(list)
    for state in states:
        if compute_current_digest(state) is not None:
            by_match[state.card.match_id].append(state)
    if not by_match:
        return {}
    facts = _EventFacts(event, by_match, matches)
    return {one.state.card.pk: one for states in by_match.values() for one in facts.compute_statuses(states)}


def load_disagreeing_cards(event: Event, versions: Mapping[str, int] | None = None) -> list[CardStatus]:
    """Return the cards that contradict their match's result, so that the desk has to decide.

    Some of these cards were signed after the current result was recorded, or their match has no result because it was
    undone. Others were changed after they were posted, and have not been signed again.
    """
    last = MatchResult.objects.filter(match=OuterRef("card__match"), superseded_by__isnull=True)
    has_no_result = Q(winner__isnull=True, score={})
    later = Exists(last.filter(Q(at__lt=OuterRef("at")) | Q(undoes__isnull=False) | has_no_result))
    posted = CardPosted.objects.filter(later, card__match__event=event)
    closed = CardClosed.objects.filter(later, card__match__event=event)
    # Cards can also be written on after they were first posted.
    changed = (
        facts.filter(card__match__event=event, card__postings__at__lt=F("at"))
        for facts in (SheetLine.objects, Cut.objects)
    )
    matches = set(_query_match_pks(posted).union(*map(_query_match_pks, (closed, *changed))))
    if not matches:
        return []
    statuses = load_card_statuses(event, matches, versions).values()
    return [one for one in statuses if one.kind in (CardStatusKind.DISAGREES, CardStatusKind.WAITS)]


def _query_match_pks(facts: QuerySet[Any]) -> QuerySet[Any, int]:
    return facts.order_by().values_list("card__match_id", flat=True)


def load_cards_decided_after_change(states: Collection[CardState]) -> set[int]:
    """Return the primary keys of cards whose match the desk decided after the card's last change.

    These cards are no longer waiting for signatures.
    """
    rows = load_valid_results({state.card.match_id for state in states}, find_common_event_id([s.card for s in states]))
    each = (
        (state, filter_results_by_entries(rows.get(state.card.match_id, ()), _list_entry_numbers(state)))
        for state in states
    )
    return {
        state.card.pk for state, own in each if own and is_decided_after_change(find_last_change_time(state), own[-1])
    }


def load_card_points(match: Match) -> CardPoints | None:
    """Return the combined points of a match's cards, signed or not.

    Return None if the match is not between two entrants, or if there are no points to show.

    If the match was played more than once, only the cards from the last time are used (see `_group_by_signing_period`).
    They are used even if a later decision has invalidated them.
    """
    states = load_card_states(select_cards_with_deferred_facts().filter(match=match))
    facts = _EventFacts(match.event, {match.pk: states}, {match.pk: match})
    sides = find_current_match_entries(facts.course, match)
    if sides is None or len(sides) != 2:
        return None
    begun = (state for state in facts.cards[match.pk] if state.is_posted or state.lines)
    states = [state for state in begun if _list_entry_numbers(state) == set(sides)]
    groups = _group_by_signing_period(states, facts.find_results(match.pk, sides))
    if not groups:
        return None
    counting = groups[max(groups)]
    outcome = combine_card_outcomes(counting, facts.lost[match.pk], as_they_stand=True)
    is_signed = all(state.is_posted for state in counting)
    if not is_signed and not any(outcome.points.values()):
        return None
    return CardPoints(winner=outcome.winner, points=outcome.points, is_signed=is_signed)


def find_last_change_time(state: CardState) -> datetime:
    facts = state.facts
    written = [fact.at for fact in (*facts.lines, *facts.cuts, *facts.closings)]
    reopened = [closing.taken_back.at for closing in facts.closings if hasattr(closing, "taken_back")]
    return max([state.card.opened_at, *written, *reopened])


# --- Compute the status ----------------------------------------------------------------------------------------------


class _EventFacts:
    """An event's results, players and penalties, loaded once and used for all its cards."""

    def __init__(self, event: Event, cards: Mapping[int, list[CardState]], matches: Mapping[int, Match]) -> None:
        self.event, self.cards, self.matches = event, cards, matches
        self.rows = load_valid_results(cards, event.pk)
        self.course = load_event_stages(event)
        self.lost = load_penalty_losses([states[0].card.match for states in cards.values() if states])
        opened = {match for match, rows in self.rows.items() if any(row.orders_replay for row in rows)}
        self.void = load_void_cards([state.card for match in opened for state in cards[match]])
        self.names = {entry.number: entry.name for entry in load_entries(event)}

    def compute_statuses(self, states: Sequence[CardState]) -> Iterator[CardStatus]:
        match = states[0].card.match
        undone, sides = _find_undone_origin(self.matches[match.pk]), find_current_match_entries(self.course, match)
        for state in states:
            numbers = _list_entry_numbers(state)
            if undone is not None and state.is_posted:
                act, words = undone
                yield CardStatus(
                    state=state,
                    kind=CardStatusKind.SUPERSEDED,
                    superseding_action=act,
                    undone_text=words,
                    is_locked=True,
                )
            elif undone is not None:
                yield CardStatus(state=state, kind=CardStatusKind.NOTHING, is_locked=True)
            elif state.card.pk in self.void and not state.is_posted:
                yield self._compute_void_card_status(state, sides)
            elif sides is not None and len(numbers) == 2 and set(sides) != numbers:
                yield self._compute_other_players_status(state, sides)
            elif state.was_posted:
                yield self._compute_changed_card_status(state, states, sides)
            elif not state.is_posted:
                yield CardStatus(state=state, kind=CardStatusKind.NOTHING)
            elif sides is None or len(numbers) != 2:
                yield self._make_status(state, *self._judge_by_totals(state, _find_signing_time(state)))
            else:
                yield self._compute_two_player_status(state, states, sides)

    def find_results(self, match: int, sides: Iterable[int]) -> tuple[RecordedResult, ...]:
        """Return the match's results between these entrants.

        If a correction changed the match's players, the results of its earlier players are left out.
        """
        return filter_results_by_entries(self.rows.get(match, ()), set(sides))

    def _compute_two_player_status(
        self, state: CardState, states: Sequence[CardState], sides: Iterable[int]
    ) -> CardStatus:
        rows, lost = self.find_results(state.card.match_id, sides), self.lost[state.card.match_id]
        own = [each for each in states if each.is_posted and _list_entry_numbers(each) == set(sides)]
        groups = _group_by_signing_period(own, rows)
        out = next((group for group, members in groups.items() if state in members), None)
        alone = combine_card_outcomes(groups[out], lost) if out is not None else None
        # A card that was changed after its posting still has to be signed again.
        waits = any(each.was_posted and _list_entry_numbers(each) == set(sides) for each in states)
        together = replace(
            combine_card_outcomes(groups.get(_count_invalidating_results(rows), []), lost), is_fully_signed=not waits
        )
        is_drawn = state.score.winning_seat is None
        return self._make_status(
            state, *judge_signed_card(_find_signing_time(state), together, rows, alone=alone, is_drawn=is_drawn)
        )

    def _compute_changed_card_status(
        self, state: CardState, states: Sequence[CardState], sides: tuple[int, ...] | None
    ) -> CardStatus:
        """Return the status of a card that was changed after it was posted and needs new signatures."""
        since = _find_signing_time(state)
        if sides is None or len(_list_entry_numbers(state)) != 2:
            rows = self.rows.get(state.card.match_id, ())
            agrees = state.is_complete and self._judge_by_totals(state, since)[0] is CardStatusKind.STANDS
        else:
            rows = self.find_results(state.card.match_id, sides)
            agrees = self._would_agree_if_signed(state, states, rows)
        status = self._make_status(state, *judge_changed_card(since, find_last_change_time(state), rows))
        return replace(status, agrees=agrees or not status.needs_new_signatures)

    def _judge_by_totals(self, state: CardState, since: datetime) -> CardJudgment:
        """Return the status of a card that was signed at `since`, in a game scored by totals."""
        rows, is_part = self.rows.get(state.card.match_id, ()), load_stage_traits(self.event).one_card
        return judge_card_by_totals(since, _get_points_by_entry(state), rows, is_part=is_part)

    def _compute_void_card_status(self, state: CardState, sides: Iterable[int] | None) -> CardStatus:
        """Return the status of a card that was started but not fully signed when the desk voided its match.

        The card stays void if the match then gets different players.
        """
        numbers = _list_entry_numbers(state)
        rows = self.find_results(state.card.match_id, sides or numbers)
        status = self._make_status(state, CardStatusKind.VOID, self.void[state.card.pk], rows[-1] if rows else None)
        if sides is not None and len(numbers) == 2 and set(sides) != numbers:
            status = replace(status, players=self._list_names(sides))
        return replace(status, is_match_void=True)

    def _would_agree_if_signed(
        self, state: CardState, states: Sequence[CardState], rows: Sequence[RecordedResult]
    ) -> bool:
        """Return whether signing the match's cards as they are now would lead to the match's current result."""
        signed = (each for each in states if each.is_posted or each.was_posted)
        own = [each for each in signed if _list_entry_numbers(each) == _list_entry_numbers(state)]
        counted = _group_by_signing_period(own, rows).get(_count_invalidating_results(rows), [])
        outcome = combine_card_outcomes(counted, self.lost[state.card.match_id], as_they_stand=True)
        result = rows[-1] if rows else None
        if result is None or (outcome.winner is None and not result.by_cards):
            return True
        return agrees_with_result(result, outcome)

    def _compute_other_players_status(self, state: CardState, sides: Sequence[int]) -> CardStatus:
        """Return the status of a card whose match now has different players."""
        was_posted = state.is_posted or state.was_posted
        rows, is_drawn = (
            self.find_results(state.card.match_id, _list_entry_numbers(state)),
            state.score.winning_seat is None,
        )
        own = find_invalidating_result(_find_signing_time(state), rows, is_drawn=is_drawn) if state.is_posted else None
        status = self._make_status(state, CardStatusKind.SUPERSEDED if was_posted else CardStatusKind.VOID, own)
        act = status.superseding_action or _find_correction_of_players(state)
        return replace(status, superseding_action=act, players=self._list_names(sides), is_locked=True)

    def _list_names(self, numbers: Iterable[int]) -> tuple[str, ...]:
        return tuple(self.names.get(number, str(number)) for number in numbers)

    def _make_status(
        self,
        state: CardState,
        kind: CardStatusKind,
        by: RecordedResult | None = None,
        result: RecordedResult | None = None,
    ) -> CardStatus:
        """Return a card status.

        `by` is the result that superseded the card, and `result` is the match's current result.
        """
        act = None
        if by is not None:
            by_penalty = any(cause == ResultCause.PENALTY.value for _result, cause in by.credits.values())
            ruling = load_rulings_by_result([by.key]).get(by.key) if by_penalty else None
            act = (by.deciding_row.at, by.deciding_row.by, by.deciding_row.reason, ruling)
        names = self.names | {side.number: side.name for side in state.sides if side.number is not None}
        is_locked = state.card.pk in self.void
        return CardStatus(
            state=state, kind=kind, superseding_action=act, result=result, is_locked=is_locked, names=names
        )


def _list_entry_numbers(state: CardState) -> set[int]:
    return {entrant.number for entrant in state.card.entrants}


def _find_signing_time(state: CardState) -> datetime:
    return state.posted_or_closed_at or state.card.opened_at


def _get_points_by_entry(state: CardState) -> dict[int, int]:
    return {side.number: side.total for side in state.sides if side.number is not None}


def _count_invalidating_results(rows: Sequence[RecordedResult]) -> int:
    """Return how many of these results made the match's earlier cards stop counting.

    See `RecordedResult.invalidates_earlier_cards`.
    """
    return sum(row.invalidates_earlier_cards for row in rows)


def _group_by_signing_period(states: Iterable[CardState], rows: Sequence[RecordedResult]) -> dict[int, list[CardState]]:
    """Group cards by the period in which they were signed. The periods are numbered from 0.

    A new period begins with each result that made all earlier cards stop counting.
    """
    moments = [row.at for row in rows if row.invalidates_earlier_cards]
    groups: dict[int, list[CardState]] = defaultdict(list)
    for state in states:
        groups[sum(at < _find_signing_time(state) for at in moments)].append(state)
    return groups


def _find_undone_origin(match: Match) -> tuple[StatusAction, str] | None:
    for link in MATCH_ORIGIN_RELATIONS:
        fact: Any = getattr(getattr(match, link, None), "taken_back", None)
        if fact is not None:
            return (fact.at, fact.by_name, fact.reason, None), _UNDONE_TEXTS[link]
    return None


def _find_correction_of_players(state: CardState) -> StatusAction | None:
    """Return the correction that gave this card's match different players, or None.

    This is the latest correction of another match's result in the same draw, made after the card was opened. The
    corrected result has to include one of the card's players.
    """
    changed = Q(supersedes__isnull=False) | Q(undoes__isnull=False)
    rows = MatchResult.objects.filter(changed, match__draw=state.card.match.draw_id, at__gte=state.card.opened_at)
    for row in rows.exclude(match=state.card.match_id).order_by("-pk"):
        if _list_entry_numbers(state) & set(map(int, row.credits)):
            return row.at, row.by_name, row.reason, None
    return None


# --- Cards that were corrected and count again -----------------------------------------------------------------------


def load_corrected_cards(entrant: Entrant) -> list[tuple[CardState, SheetLine]]:
    """Return the entrant's cards that were corrected and signed again, each with the latest corrected line."""
    written = SheetLine.objects.filter(card__seats__entrant=entrant, supersedes__isnull=False)
    last = {line.card_id: line for line in written.filter(card__postings__at__lt=F("at")).order_by("pk")}
    if not last:
        return []
    cards = select_cards_with_facts().filter(pk__in=last).order_by(*_CARD_ORDER)
    states = [state for state in map(make_card_state, cards) if state.is_posted]
    return [(state, last[state.card.pk]) for state in states]


# --- Correction period -----------------------------------------------------------------------------------------------
# A posted card's clock follows the terms that were in force at its posting. It stops while a dispute is open.


def load_correction_terms(event: Event) -> CorrectionTerms:
    last = CardTerms.objects.filter(event=event).last()
    return CorrectionTerms.from_json(last.terms) if last is not None else CorrectionTerms()


def has_committee(event: Event) -> bool:
    return cached(event.pk, (), "has committee", event.committees.exists)


def load_correction_period(state: CardState, *, may_be_disputed: bool = True) -> CorrectionPeriod | None:
    """Return the correction period of a card, or None if the card does not count yet.

    If you know that the card has no disputes, pass `may_be_disputed=False` to save a query.
    """
    return load_correction_periods(state.card.match.event, [state], may_be_disputed=may_be_disputed).get(state.card.pk)


def load_correction_periods(
    event: Event, states: Iterable[CardState], *, may_be_disputed: bool = True
) -> dict[int, CorrectionPeriod]:
    """Return the correction period of each card that counts, keyed by primary key. This takes only two queries."""
    posted = {state.card.pk: state.posted_or_closed_at for state in states if state.is_posted}
    since = {card: at for card, at in posted.items() if at is not None}
    if not since:
        return {}
    # A clock is held while a ruling or an appeal about its card is pending.
    waiting = Q(rulings__isnull=True) | Q(rulings__appeal__isnull=False, rulings__appeal__decided__isnull=True)
    disputes = Dispute.objects.filter(waiting, card__in=since, dropped__isnull=True)
    held = set(disputes.values_list("card_id", flat=True)) if may_be_disputed else set[int]()
    rows = cached(event.pk, (), "card terms", lambda: tuple(CardTerms.objects.filter(event=event).order_by("-pk")))
    clocks = {}
    for card, at in since.items():
        row = next((row for row in rows if row.at <= at), None)
        terms = CorrectionTerms.from_json(row.terms) if row is not None else CorrectionTerms()
        clocks[card] = CorrectionPeriod(at, terms, held=card in held)
    return clocks


def load_postings_by_officials(event: Event) -> set[tuple[int, str]]:
    """Return (card primary key, digest) pairs for postings that needed no signatures.

    Two officials changed these cards after they were final.
    """
    agreed = StaffEntryDecided.objects.filter(
        entry__card__match__event=event,
        entry__kind=StaffEntry.Kind.AFTER_FINAL,
        decision=StaffEntryDecided.Decision.AGREED,
        entry__card__postings__at=F("at"),
    ).exclude(by=F("entry__by"))
    return set(agreed.values_list("entry__card_id", "entry__card__postings__digest"))


def load_pending_staff_entries(event: Event) -> list[StaffEntry]:
    """Return the staff entries that a second official has to confirm, oldest first."""
    found = StaffEntry.objects.filter(card__match__event=event, decided__isnull=True)
    return list(found.select_related("card__match__event__tournament"))
