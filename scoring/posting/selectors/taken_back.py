"""Matches whose result the desk took back, and cards that no longer count because of it."""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import Final

from django.db.models import Case, Exists, Min, OuterRef, Q, When

from pairing.models import Match, MatchResult
from pairing.models.match import match_topic
from pairing.stage_kinds.selectors.stages import Course, load_course
from scoring.card_state.selectors.cards import CardState
from scoring.models import Card, SheetLine
from scoring.posting.selectors.result_rows import load_results_in_force
from scoring.rules.sheet.card_status import ResultRow
from tournament.core.folded import folded, folded_each, seen_versions
from tournament.models import EntrantFact, Event

LINKS: Final = ("draw", "stage", "seating", "pairing", "late_entry")
"""The things that a match depends on. It no longer counts if one of them is taken back."""


def load_with_links(matches: Collection[int]) -> dict[int, Match]:
    return Match.objects.select_related(*(f"{link}__taken_back" for link in LINKS)).in_bulk(matches)


def load_kept_links(event: Event, matches: Iterable[int], versions: Mapping[str, int]) -> dict[int, Match]:
    """Return `load_with_links` from a cache by the versions of the matches."""

    def make(names: list[tuple[str, int]]) -> dict[tuple[str, int], Match]:
        return {("links", pk): match for pk, match in load_with_links([pk for _name, pk in names]).items()}

    topics = {("links", match): (match_topic(match),) for match in matches}
    return {pk: match for (_name, pk), match in folded_each(event.pk, topics, versions, make).items()}


def load_taken_back(matches: Collection[int]) -> dict[int, datetime]:
    """Return the time at which the desk last took back the result of each match.

    A result that a card itself took back does not restart the match. An undone decision took nothing back.
    """
    each = load_results_in_force(matches).items()
    return {match: row.at for match, rows in each for row in rows if row.takes_cards_out}


_OTHERS = MatchResult.objects.filter(match__draw=OuterRef("draw")).exclude(match=OuterRef("pk"))
_BACK = EntrantFact.objects.filter(entrant__event=OuterRef("event"), kind=EntrantFact.Kind.REINSTATED)
MAY_BE_PARTED: Final = Exists(_OTHERS.filter(Q(supersedes__isnull=False) | Q(undoes__isnull=False))) | Exists(_BACK)
"""A condition on a match: a result elsewhere in its draw was corrected, or somebody came back into the event."""


def load_void_cards(cards: Collection[Card]) -> dict[int, ResultRow]:
    """Return the cards that were begun before their match was made void, with the decision to play it again.

    Undoing a result is different: then the card can be corrected. At a table of several players, a closed table is
    opened again.
    """
    matches = {card.match_id for card in cards if card.match.seating_id is None}
    decided = set(MatchResult.objects.filter(match__in=matches).values_list("match_id", flat=True)) if matches else ()
    return _void_of(cards, decided)


def load_parted(cards: Collection[Card]) -> dict[int, tuple[int, ...]]:
    """Return the present players of the match for each card whose players no longer meet there.

    That happens if an earlier result was corrected. If nothing of that kind happened in the draw, it takes one query.
    """
    matches = {card.match_id for card in cards if card.match.seating_id is None}
    found = Match.objects.filter(MAY_BE_PARTED, pk__in=matches).values_list("pk", flat=True) if matches else ()
    return _parted_of(cards, found)


def load_shut(cards: Collection[Card], *, decided: bool = True) -> set[int]:
    """Return the keys of cards that nobody can write on: their match was made void, or others meet there.

    `decided` is False if it is certain that none of their matches ever had a result.
    """
    matches = {card.match_id for card in cards if card.match.seating_id is None}
    if not matches:
        return set()
    if _nobody_moved(one_event(cards)):
        return set(_void_of(cards, matches if decided else ()))
    results = Exists(MatchResult.objects.filter(match=OuterRef("pk")))
    events = {card.match.event_id for card in cards}
    asked = Match.objects.filter(pk__in=matches).annotate(decided=results, moved=_moved_in(events))
    rows = list(asked.values_list("pk", "decided", "moved"))
    void = _void_of(cards, [pk for pk, is_decided, _moved in rows if is_decided])
    return {*void, *_parted_of(cards, [pk for pk, _decided, has_moved in rows if has_moved])}


def one_event(cards: Iterable[Card]) -> int | None:
    """Return the only event of these cards, or None if there are several or none."""
    events = {card.match.event_id for card in cards}
    return events.pop() if len(events) == 1 else None


def _nobody_moved(event_id: int | None) -> bool:
    """Whether it is certain that no correction sent players to other matches.

    The answer is cached for requests that only read, because such a correction concerns everybody.
    """
    if event_id is None or (seen := seen_versions(event_id)) is None:
        return False
    return folded(event_id, (), seen, "nobody moved", lambda: not _has_moved(event_id))


def _has_moved(event_id: int) -> bool:
    matches = Match.objects.filter(event=event_id).annotate(moved=_moved_in([event_id]))
    return matches.filter(moved=True).exists()


def _moved_in(events: Collection[int]) -> Case:
    """Return `MAY_BE_PARTED` as one condition for all matches. A correction of the match itself counts, too."""
    corrected = MatchResult.objects.filter(Q(supersedes__isnull=False) | Q(undoes__isnull=False))
    back = EntrantFact.objects.filter(entrant__event__in=events, kind=EntrantFact.Kind.REINSTATED)
    moved = Q(draw__in=corrected.filter(match__event__in=events).values("match__draw"))
    return Case(When(moved | Q(event__in=back.values("entrant__event")), then=True), default=False)


def _void_of(cards: Collection[Card], decided: Collection[int]) -> dict[int, ResultRow]:
    if not decided:
        return {}
    rows = load_results_in_force(decided, one_event(cards))
    void = {match: row for match, each in rows.items() for row in each if row.is_decided_open}
    lines = SheetLine.objects.filter(card__in=[card for card in cards if card.match_id in void])
    begun: dict[int, datetime] = dict(lines.values_list("card_id").annotate(Min("at"))) if void else {}
    written = ((card, void[card.match_id]) for card in cards if card.pk in begun)
    return {card.pk: row for card, row in written if begun[card.pk] <= row.at}


def _parted_of(cards: Collection[Card], moved: Iterable[int]) -> dict[int, tuple[int, ...]]:
    matches = {card.match_id: card.match for card in cards}
    sides = {pk: sides_now(load_course(matches[pk].event), matches[pk]) for pk in moved}
    each = ((card.pk, sides.get(card.match_id), {who.number for who in card.entrants}) for card in cards)
    return {pk: now for pk, now, own in each if now is not None and len(own) == 2 and set(now) != own}


def sides_now(course: Course, match: Match) -> tuple[int, ...] | None:
    """Return the present players of a match, or the only known one. Return None if it is not a match of two."""
    for stage in course.stages:
        if stage.row.pk == match.stage_id and match.ident in stage.standing and stage.kind.traits.two_meet:
            return () if match.ident in stage.passed_over else stage.standing[match.ident].entries
    return None


def card_in_play(cards: Iterable[CardState], *, decided: bool = True) -> CardState | None:
    """Return the first card of a match that still has to be played or signed, without void cards.

    `decided` is False if it is certain that the match never had a result.
    """
    waiting = [state for state in cards if not state.is_posted]
    void = load_void_cards([state.card for state in waiting]) if decided else {}
    return next((state for state in waiting if state.card.pk not in void), None)
