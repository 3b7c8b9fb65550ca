"""Recompute each card, and how it counts for its match, from the recorded rows."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from tests.devtools.whole_events.facts import CardRow, Facts, MatchRow, ResultRow
from tests.devtools.whole_events.second_bracket import who_meets
from tests.scoring.rules.sheet.recount import recount
from tests.scoring.rules.variants.recount_score_pad import meant


@dataclass(frozen=True)
class Reading:
    """A card's recomputed result, keyed by the side's letter.

    If `closed` is true, the card ended early, and the rule for early endings determined the `winner`.
    """

    totals: Mapping[str, int]
    complete: bool
    winner: str | None
    closed: bool = False
    waits: bool = False

    @property
    def over(self) -> bool:
        return self.complete or self.closed


def read_card(card: CardRow) -> Reading:
    case = {"rules": card.variant, "options": _options(card), "sides": list(card.sides), "lines": _lines(card)}
    answer, _taken = recount(case)
    reading = Reading(answer["totals"], answer["complete"], answer["winner"])
    if card.closing is None or reading.complete:
        return reading
    return _closed(card, reading)


def _options(card: CardRow) -> dict[str, object]:
    return {name: value for name, value in card.options.items() if value is not None or card.variant != "score-pad"}


def _lines(card: CardRow) -> list[dict[str, Any]]:
    """Return the card's lines in the form that `recount` reads.

    If totals were entered without hands, they become one line for each side. The side with the lowest total comes
    first.
    """
    totals = paper_totals(card)
    if totals is None:
        return list(card.lines)
    points = [
        {"outcome": "points", "to": side, "points": totals[side]}
        for side in sorted(totals, key=lambda one: totals[one])
    ]
    if card.variant == "gra-partnership":
        points = [{"boards": [one, {"outcome": "stock"}]} for one in points]
    return [*points, *hands_of(card)]


def paper_totals(card: CardRow) -> dict[str, int] | None:
    first = card.lines[0] if card.lines else {}
    return first["totals"] if set(first) == {"totals"} else None


def hands_of(card: CardRow) -> list[dict[str, Any]]:
    return [line for line in card.lines if set(line) != {"totals"}]


def _closed(card: CardRow, open_: Reading) -> Reading:
    """Apply the event's rule for games that ended early because time was up or a player left."""
    closing = card.closing or {}
    rule = closing["rule"]
    winner: str | None = None
    if rule == "forfeit":
        staying = [side for side in card.sides if side != closing["left"]]
        if len(staying) != 1:
            return open_
        winner = staying[0]
    elif rule == "replay":
        return Reading(open_.totals, False, None, closed=True)
    elif rule == "director":
        winner = closing["winner"]
        if winner is None:
            return open_
    elif closing["hands"] is not None and len(card.lines) < closing["hands"]:
        return Reading(open_.totals, False, None, waits=True)
    else:
        winner = _leader(card, open_)
        counts = len(card.sides) != 2 or not card.numbers or closing.get("table")  # of teams the totals stand
        if winner is None and not counts:
            return open_
    return Reading(open_.totals, False, winner, closed=True)


def _leader(card: CardRow, open_: Reading) -> str | None:
    games = (card.closing or {}).get("games") or {}
    most = max(games.values(), default=0)
    ahead = [side for side, count in games.items() if count == most]
    if len(games) > 1 and len(ahead) == 1:
        return ahead[0]
    if len(card.sides) == 1:
        return None
    if card.variant == "score-pad" and meant(card.options).get("back_to_zero"):
        return None  # played back to zero: its totals do not show who is ahead
    best = min(open_.totals.values()) if low_wins(card) else max(open_.totals.values())
    leaders = [side for side, total in open_.totals.items() if total == best]
    return leaders[0] if len(leaders) == 1 else None


def low_wins(card: CardRow) -> bool:
    if card.variant == "score-pad":
        return bool(meant(card.options)["wins"] == "low")
    return card.variant == "fort-worth"


class Counts(StrEnum):
    """The relation between a score card and the result of its match.

    - `OPEN`: There is no result yet.
    - `AGREES`: The result is the same.
    - `AGAINST`: Staff decided the match later, and differently.
    - `DIFFERS`: The card was signed or changed after the result was recorded, and the result does not
      follow it. Or everybody has signed, and there is no result.
    - `REPLACED`: The match is played again, or the round, the stage, or the draw to which it belongs was undone.
    - `WAITS`: The card was final and was then changed, and not everybody has signed the change.
    - `DECIDED`: As with `WAITS`, but staff have decided the match since the change.
    - `VOID`: Staff made the match void after the card was begun, and before everybody signed it.
    - `PARTED`: Not everybody has signed the card, and other entries play the match now.
    """

    OPEN = "open"
    AGREES = "agrees"
    AGAINST = "against"
    DIFFERS = "differs"
    REPLACED = "replaced"
    WAITS = "waits"
    DECIDED = "decided"
    VOID = "void"
    PARTED = "parted"


@dataclass(frozen=True)
class CardReading:
    card: CardRow
    reading: Reading
    digest: str
    """The digest in the card's JSON. It is checked separately."""
    names: tuple[str, ...] = ()
    """The names in the signed content. A substitute may play for the entry now."""

    @property
    def since(self) -> dt.datetime | None:
        """When the current content was posted (became final), or the card was closed."""
        if self.reading.closed and self.card.closing:
            return max([self.card.closing["at"], *self.card.line_times])
        return self.card.posted.get(self.digest)

    @property
    def is_posted(self) -> bool:
        return self.since is not None

    @property
    def winner(self) -> int | None:
        return self.card.number(self.reading.winner)


def what_it_counts_for(facts: Facts, own: CardReading, all_cards: list[CardReading]) -> Counts:
    """Return how the card relates to the result of its match.

    In a match of two entries, compare the winners. In a match with another number of entries, or in an event with
    rotating sides, compare the totals.
    """
    match = facts.matches[own.card.match]
    if not own.is_posted or own.since is None:
        if match.counts and not own.card.posted and _is_void(facts, own, all_cards):
            return Counts.VOID
        if match.counts and is_parted(facts, own):
            return Counts.REPLACED if own.card.posted else Counts.PARTED
        return _changed(facts, own, all_cards) if own.card.posted and match.counts else Counts.OPEN
    if not match.counts:
        return Counts.REPLACED
    if match.seating is not None or len(own.card.numbers) != 2:
        return _of_totals(match, own, [one for one in all_cards if one.card.match == match.pk])
    pair = frozenset(own.card.numbers)
    if who_meets(facts).get(match.pk, pair) != pair:
        return Counts.REPLACED
    mine = [one for one in all_cards if one.card.match == match.pk and frozenset(one.card.numbers) == pair]
    about = [one for one in in_force(match, mine) if not one.credits or frozenset(one.credits) == pair]
    by_cards = moments_of(facts, mine)
    ended = [one for one in about if one.at not in by_cards and (one.is_void or one.is_for_nobody)]
    later = [one for one in ended if one.at >= own.since and (one.is_void or own.reading.winner is not None)]
    if later:
        return _taken_out(about[-1], own, mine, ended, by_cards)
    counting = [one for one in mine if not ended or (one.since and one.since > ended[-1].at)]
    if not about or about[-1].is_void:
        is_waiting = any(one.card.posted and not one.since for one in mine)
        return Counts.OPEN if is_waiting or winner_by_cards(counting) is None else Counts.DIFFERS
    return _held_against(about[-1], own, counting if ended else mine, by_cards)


def _is_void(facts: Facts, own: CardReading, all_cards: list[CardReading]) -> bool:
    """Return whether staff made the match of the card's two entries void after the card was begun.

    Nobody signs such a card anymore, whoever meets in the match now. An undone result does not make a card void.
    """
    match, pair = facts.matches[own.card.match], frozenset(own.card.numbers)
    if match.seating is not None or len(pair) != 2 or own.card.begun is None:
        return False
    mine = [one for one in all_cards if one.card.match == match.pk]
    moments = moments_of(facts, mine)
    void = [one for one in in_force(match, mine) if one.is_void and one.undoes is None and one.at not in moments]
    return any(own.card.begun <= one.at and (not one.credits or frozenset(one.credits) == pair) for one in void)


def is_parted(facts: Facts, own: CardReading) -> bool:
    """Return whether the card is for two entries, and its match has different entries now."""
    match, pair = facts.matches[own.card.match], frozenset(own.card.numbers)
    return match.seating is None and len(pair) == 2 and who_meets(facts).get(match.pk, pair) != pair


def _changed(facts: Facts, own: CardReading, all_cards: list[CardReading]) -> Counts:
    """Classify a card that was changed after posting.

    Its result stays until everybody signs or staff decide the match.
    """
    match, about, mine = _its_own(facts, own, all_cards)
    if not about or (about[-1].is_void and not about[-1].score):
        return Counts.OPEN
    by_cards = moments_of(facts, mine)
    # An undone result leaves no trace among those in force, and the match is played again all the same.
    own_pair = [one for one in match.results if not one.credits or one in about]
    again = [one for one in own_pair if one.is_void and not one.score and one.at not in by_cards]
    if any(one.at >= max(own.card.posted.values()) for one in again):
        return Counts.REPLACED
    if about[-1].at in by_cards or own.card.written > match.results[-1].at:
        return Counts.WAITS
    return Counts.DECIDED


def says_otherwise(facts: Facts, own: CardReading, all_cards: list[CardReading]) -> bool:
    """Return whether the match's winner or points would change if everybody signed the changed card."""
    match, about, mine = _its_own(facts, own, all_cards)
    last, totals = about[-1], {own.card.number(side): total for side, total in own.reading.totals.items()}
    if match.seating is not None or len(own.card.numbers) != 2:
        named = {number: total for number, total in totals.items() if number is not None}
        return not own.reading.over or any(last.score.get(number) != total for number, total in named.items())
    by_cards = moments_of(facts, mine)
    ended = [one.at for one in about if one.at not in by_cards and (one.is_void or one.is_for_nobody)]
    signed_once = [one for one in mine if one.since or one.card.posted]
    counting = [one for one in signed_once if not ended or _posted_at(one) > ended[-1]]
    closed = [one for one in counting if one.reading.closed and one.winner]
    won = Counter(one.winner for one in counting if one.winner and one.reading.complete and not one.reading.closed)
    winner = (
        closed[0].winner if closed else next((n for n, games in won.items() if games >= own.card.games_to_win), None)
    )
    if winner is None:
        return last.at in by_cards
    if winner != last.winner or not {cause for _result, cause in last.credits.values()} <= {"played", "time"}:
        return winner != last.winner or not closed
    return bool(last.score) and not closed and _points(own.card.games_to_win, counting, won, winner) != last.score


def _points(needed: int, counting: list[CardReading], won: Counter[int | None], winner: int) -> dict[int | None, int]:
    """Return each side's won games, or the points if the match is a single game."""
    if needed > 1:
        return {number: won[number] for number in counting[0].card.numbers}
    decided = next(one for one in counting if one.winner == winner)
    return {decided.card.number(side): total for side, total in decided.reading.totals.items()}


def _posted_at(own: CardReading) -> dt.datetime:
    return own.since or max(own.card.posted.values())


def _its_own(
    facts: Facts, own: CardReading, all_cards: list[CardReading]
) -> tuple[MatchRow, list[ResultRow], list[CardReading]]:
    """Return the card's match, the current results between its sides, and all cards of the same sides."""
    match = facts.matches[own.card.match]
    mine = [one for one in all_cards if one.card.match == match.pk]
    if match.seating is not None or len(own.card.numbers) != 2:
        return match, in_force(match, mine), mine
    pair = frozenset(own.card.numbers)
    if who_meets(facts).get(match.pk, pair) != pair:
        return match, [], []
    mine = [one for one in mine if frozenset(one.card.numbers) == pair]
    return match, [one for one in in_force(match, mine) if not one.credits or frozenset(one.credits) == pair], mine


def _of_totals(match: MatchRow, own: CardReading, mine: list[CardReading]) -> Counts:
    """Classify a card by comparing its totals with those in the result of its match.

    This is for matches that do not have exactly two entries, and for events with rotating sides. With rotating sides,
    the result of a match is the sum of several cards.

    The card does not count if staff later entered other totals, ended the match without totals, or let it be played
    again.
    """
    about, by_cards = in_force(match, mine), moments_of(None, mine)
    last = about[-1] if about else None
    is_open = last is None or (last.is_void and not last.score)
    totals = {own.card.number(side): total for side, total in own.reading.totals.items()}
    named = {number: total for number, total in totals.items() if number is not None}
    if match.seating is None and (last is None or (is_open and last.at in by_cards)):
        return Counts.OPEN
    if last is not None and all(last.score.get(number) == total for number, total in named.items()):
        return Counts.AGREES
    ended = [one.at for one in about if one.at not in by_cards and not one.score and one.winner is None]
    if last is not None and own.since is not None and any(at >= own.since for at in ended):
        return Counts.REPLACED if is_open or last.at in by_cards else Counts.AGAINST
    if last is None or is_open or (own.since is not None and own.since > last.at):
        return Counts.DIFFERS
    if last.at in by_cards:
        return Counts.OPEN if match.seating is None else Counts.REPLACED
    return Counts.AGAINST


def _taken_out(
    last: ResultRow, own: CardReading, mine: list[CardReading], ended: list[ResultRow], by_cards: set[dt.datetime]
) -> Counts:
    """Classify a card whose match was voided, or was decided without a winner, after the card was posted.

    The card agrees with the result again if staff have since recorded the result that the cards of the match show.
    """
    turn = sum(one.at < own.since for one in ended if own.since)
    like = [one for one in mine if one.since and sum(each.at < one.since for each in ended) == turn]
    if not last.is_void and last.at not in by_cards and _held_against(last, own, like, by_cards) is Counts.AGREES:
        return Counts.AGREES
    return Counts.AGAINST if last.is_for_nobody else Counts.REPLACED


def _held_against(result: ResultRow, own: CardReading, mine: list[CardReading], by_cards: set[dt.datetime]) -> Counts:
    """Compare the current result with the winner according to the cards.

    If there is only one card, also compare the points. In a match of several games, compare the games won with a score
    that staff entered.
    """
    differs = Counts.AGAINST if own.since and result.at >= own.since else Counts.DIFFERS
    winner = winner_by_cards(mine)
    if winner is None or (result.is_for_nobody and own.reading.winner is None):
        return Counts.OPEN
    if result.winner != winner:
        return differs
    causes = {cause for _result, cause in result.credits.values()}
    if not causes <= {"played", "time"}:
        given_up = any((one.card.closing or {}).get("rule") == "forfeit" for one in mine if one.reading.closed)
        return Counts.OPEN if result.at in by_cards or (given_up and "forfeit" in causes) else differs
    totals = {own.card.number(side): total for side, total in own.reading.totals.items()}
    if len(mine) == 1 and own.card.games_to_win == 1 and result.score and result.score != totals:
        return differs
    if own.card.games_to_win > 1 and result.score and result.at not in by_cards:
        won = Counter(one.winner for one in mine if one.since and one.winner and not one.reading.closed)
        if won and result.score != {number: won[number] for number in own.card.numbers}:
            return differs
    return Counts.AGREES


def moments_of(facts: Facts | None, cards: list[CardReading]) -> set[dt.datetime]:
    """Return when cards were posted, closed, or reopened, and when penalties were given.

    A result recorded at one of these times came from the cards or penalties.
    """
    found = {at for one in cards for at in (*one.card.posted.values(), *one.card.closing_moments)}
    found |= {one.since for one in cards if one.since is not None}
    return found | (set(facts.penalty_moments) if facts is not None else set())


def in_force(match: MatchRow, cards: list[CardReading]) -> list[ResultRow]:
    """Return the match's results, oldest first, without those that staff undid later.

    If staff entered a result and undid it later, the list contains neither the result nor its undoing. If staff undid a
    result that came from score cards, the list contains both.
    """
    moments = moments_of(None, cards)
    found: list[ResultRow] = []
    for row in match.results:
        undone = next((one for one in found if one.pk == row.undoes), None)
        if undone is not None and undone.at not in moments:
            found = found[: found.index(undone)]
        else:
            found.append(row)
    return found


def winner_by_cards(cards: list[CardReading]) -> int | None:
    """Return the entry that won enough games on these posted cards, or the winner of the closed card."""
    counting = [one for one in cards if one.since]
    closed = [one for one in counting if one.reading.closed and one.winner]
    if closed:
        return closed[-1].winner
    won = Counter(one.winner for one in counting if one.winner and one.reading.complete)
    needed = cards[0].card.games_to_win if cards else 1
    return next((number for number, games in won.items() if games >= needed), None)
