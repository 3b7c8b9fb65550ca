"""When the desk took back what a match had come to: what was posted before counts no more."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime

from django.db.models import Min

from pairing.models import MatchResult
from scoring.models import Card, SheetLine
from scoring.rules.sheet.statements import ResultRow
from scoring.selectors.cards import CardState
from scoring.selectors.result_rows import load_results_in_force


def load_taken_back(matches: Collection[int]) -> dict[int, datetime]:
    """Match → when its result was taken back last by the desk; a card that did so itself starts nothing anew.

    A decision that was undone took nothing back.
    """
    found = {}
    for match, rows in load_results_in_force(matches).items():
        moments = [row.at for row in rows if row.takes_cards_out]
        if moments:
            found[match] = moments[-1]
    return found


def load_void_cards(cards: Collection[Card]) -> dict[int, ResultRow]:
    """Card → the decision by which its match is played again, of those that were begun before it.

    A result that was undone leaves the card to be corrected. At a table of several a closed table is opened again.
    """
    matches = {card.match_id for card in cards if card.match.seating_id is None}
    decided = set(MatchResult.objects.filter(match__in=matches).values_list("match_id", flat=True)) if matches else ()
    if not decided:
        return {}
    rows = load_results_in_force(decided)
    void = {match: row for match, each in rows.items() for row in each if row.is_decided_open}
    lines = SheetLine.objects.filter(card__in=[card for card in cards if card.match_id in void])
    begun: dict[int, datetime] = dict(lines.values_list("card_id").annotate(Min("at"))) if void else {}
    return {
        card.pk: void[card.match_id] for card in cards if card.pk in begun and begun[card.pk] <= void[card.match_id].at
    }


def card_in_play(cards: Iterable[CardState]) -> CardState | None:
    """Of the cards of a match the first that is still to be played or signed; one of a match made void since is not."""
    waiting = [state for state in cards if not state.is_posted]
    void = load_void_cards([state.card for state in waiting])
    return next((state for state in waiting if state.card.pk not in void), None)
