"""What is still open about the cards of an event that is to be finished."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.utils import timezone

from pairing.selectors.seatings import COUNTING
from scoring.rules.evidence.clocks import MOST_MINUTES
from scoring.selectors.cards import CardState, card_state_of, cards_with_facts
from scoring.selectors.clocks import load_clock, waiting_entries
from scoring.selectors.desk_cards import load_desk_cards, load_open_calls
from scoring.selectors.disputes import waiting_disputes
from tournament.models import Event
from tournament.selectors.open_points import OpenPoint


def load_still_open(event: Event) -> list[OpenPoint]:
    """Cards not posted or not final, entries to confirm, disputes without a ruling, calls without an answer."""
    return [*_cards(event, timezone.now()), *_waiting(event)]


def _cards(event: Event, now: datetime) -> Iterator[OpenPoint]:
    loose = [card.state for card in load_desk_cards(event, "open", now) if card.state.lines]
    if loose:
        yield OpenPoint("not-posted", "scoring:desk_cards", len(loose), _named(loose))
    running = [(state, final) for state, final in _clocks(event, now) if final > now]
    if running:
        named = _named([state for state, _final in running])
        until = max(final for _state, final in running)
        yield OpenPoint("correction-period", "scoring:desk_cards", len(running), named, until)


def _clocks(event: Event, now: datetime) -> Iterator[tuple[CardState, datetime]]:
    """Each card that was posted so lately that a period may be running, and when it is final."""
    since = now - timedelta(minutes=MOST_MINUTES)
    posted = cards_with_facts().filter(match__in=event.matches.filter(COUNTING), postings__at__gt=since).distinct()
    for state in (card_state_of(card) for card in posted):
        clock = load_clock(state)
        if clock is not None:
            yield state, clock.final_at


def _waiting(event: Event) -> Iterator[OpenPoint]:
    entries = waiting_entries(event)
    if entries:
        named = tuple((str(entry.card), 0) for entry in entries)
        yield OpenPoint("to-confirm", "scoring:desk_cards", len(entries), named)
    disputes = waiting_disputes(event).count()
    if disputes:
        yield OpenPoint("rulings", "scoring:desk_rulings", disputes)
    calls = load_open_calls(event)
    if calls:
        yield OpenPoint("calls", "scoring:desk_cards", len(calls), tuple((call.entrant.name, 0) for call in calls))


def _named(states: list[CardState]) -> tuple[tuple[str, int], ...]:
    return tuple((state.title, 0) for state in states)
