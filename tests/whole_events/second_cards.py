"""What a card counts for, by its own rows and those of its match: nothing else decides what a page may say of it."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum

from tests.whole_events.facts import CardRow, Facts, MatchRow, ResultRow
from tests.whole_events.second_tally import Reading, read_card


class Counts(StrEnum):
    """`OPEN`: it says nothing of a result yet. `AGREES`: the result says the same. `AGAINST`: a later decision says
    otherwise. `DIFFERS`: the card was changed since, and the result was not. `REPLACED`: the match is played anew, or
    was taken back with its round, stage or draw."""

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
    if not own.is_posted or own.since is None or (match.counts and len(own.card.numbers) != 2):
        return Counts.OPEN
    if not match.counts:
        return Counts.REPLACED
    pair = frozenset(own.card.numbers)
    mine = [one for one in all_cards if one.card.match == match.pk and frozenset(one.card.numbers) == pair]
    about = [one for one in in_force(match, mine) if not one.credits or frozenset(one.credits) == pair]
    by_cards = moments_of(mine)
    voids = [result.at for result in about if result.is_void and result.at not in by_cards]
    if voids and voids[-1] > own.since:
        says_the_same = not about[-1].is_void and about[-1].winner == own.winner
        return Counts.OPEN if says_the_same else Counts.REPLACED
    if not about or about[-1].is_void:
        return Counts.OPEN
    return _held_against(about[-1], own, winner_by_cards(match, mine), is_only=len(mine) == 1)


def _held_against(result: ResultRow, own: CardReading, winner: int | None, *, is_only: bool) -> Counts:
    """The result that holds, beside who has won by the cards; of the only card of a match it has the points."""
    differs = Counts.AGAINST if own.since and result.at >= own.since else Counts.DIFFERS
    if winner is None:
        return Counts.OPEN
    if result.winner != winner:
        return differs
    played = {cause for _result, cause in result.credits.values()} <= {"played", "time"}
    if not played:
        return Counts.OPEN
    totals = {own.card.number(side): total for side, total in own.reading.totals.items()}
    if is_only and own.card.games_to_win == 1 and result.score and result.score != totals:
        return differs
    return Counts.AGREES


def moments_of(cards: list[CardReading]) -> set[dt.datetime]:
    """When cards were posted, closed or opened again: a result of that moment is theirs, nobody decided it."""
    found = {at for one in cards for at in (*one.card.posted.values(), *one.card.closing_moments)}
    return found | {one.since for one in cards if one.since is not None}


def in_force(match: MatchRow, cards: list[CardReading]) -> list[ResultRow]:
    """The results that hold or held; one that was undone is as if it had never been, unless it came from the cards."""
    moments = moments_of(cards)
    found: list[ResultRow] = []
    for row in match.results:
        undone = next((one for one in found if one.pk == row.undoes), None)
        if undone is not None and undone.at not in moments:
            found = found[: found.index(undone)]
        else:
            found.append(row)
    return found


def winner_by_cards(match: MatchRow, cards: list[CardReading]) -> int | None:
    """Who has won enough games by the posted cards since the match was last void, or the one that was closed."""
    by_cards = moments_of(cards)
    voids = [result.at for result in match.results if result.is_void and result.at not in by_cards]
    counting = [one for one in cards if one.since and not (voids and one.since < voids[-1])]
    closed = [one for one in counting if one.reading.closed and one.winner]
    if closed:
        return closed[-1].winner
    won = Counter(one.winner for one in counting if one.winner and one.reading.complete)
    needed = cards[0].card.games_to_win if cards else 1
    return next((number for number, games in won.items() if games >= needed), None)
