"""What a card counts for, by its own rows and those of its match: nothing else decides what a page may say of it."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum

from tests.whole_events.facts import CardRow, Facts, MatchRow
from tests.whole_events.second_tally import Reading, read_card


class Counts(StrEnum):
    """`OPEN`: it says nothing of a result yet. `AGREES`: the result says the same. `AGAINST`: a later decision says
    otherwise. `DIFFERS`: the card was changed since, and the result was not. `REPLACED`: the match is played anew."""

    OPEN = "open"
    AGREES = "agrees"
    AGAINST = "against"
    DIFFERS = "differs"
    REPLACED = "replaced"


@dataclass(frozen=True)
class CardReading:
    card: CardRow
    reading: Reading
    digest: str
    """Of what is on it now; as the card's own content says it, which is checked apart."""

    @property
    def since(self) -> dt.datetime | None:
        """When it was posted with what is on it now, or closed."""
        if self.reading.closed and self.card.closing:
            return max([self.card.closing["at"], *self.card.line_times])
        return self.card.posted.get(self.digest)

    @property
    def is_posted(self) -> bool:
        return self.since is not None

    @property
    def winner(self) -> int | None:
        return self.card.number(self.reading.winner)


def read_cards(facts: Facts, digests: dict[int, str]) -> list[CardReading]:
    return [CardReading(card, read_card(card), digests[card.pk]) for card in facts.cards if card.pk in digests]


def what_it_counts_for(facts: Facts, own: CardReading, all_cards: list[CardReading]) -> Counts:
    """Of a card between two entrants; another card has no winner to disagree about."""
    match = facts.matches[own.card.match]
    if not own.is_posted or own.since is None or not match.counts or len(own.card.numbers) != 2:
        return Counts.OPEN
    pair = frozenset(own.card.numbers)
    about = [result for result in match.results if not result.credits or frozenset(result.credits) == pair]
    voids = [result.at for result in about if result.is_void]
    if voids and voids[-1] > own.since:
        return Counts.REPLACED
    if not about or about[-1].is_void:
        return Counts.OPEN
    mine = [one for one in all_cards if one.card.match == match.pk and frozenset(one.card.numbers) == pair]
    winner = winner_by_cards(match, mine)
    if winner is None or about[-1].winner == winner:
        return Counts.AGREES
    return Counts.AGAINST if about[-1].at >= own.since else Counts.DIFFERS


def winner_by_cards(match: MatchRow, cards: list[CardReading]) -> int | None:
    """Who has won enough games by the posted cards since the match was last void, or the one that was closed."""
    voids = [result.at for result in match.results if result.is_void]
    counting = [one for one in cards if one.since and not (voids and one.since < voids[-1])]
    closed = [one for one in counting if one.reading.closed and one.winner]
    if closed:
        return closed[-1].winner
    won = Counter(one.winner for one in counting if one.winner and one.reading.complete)
    needed = cards[0].card.games_to_win if cards else 1
    return next((number for number, games in won.items() if games >= needed), None)
