"""Load the recorded results of matches, and work out a match's outcome from its score cards.

This module also finds cards that nobody can write on.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from django.db.models import Case, Exists, F, Min, OuterRef, Q, QuerySet, Value, When

from pairing.draws.results import MatchOutcome, ResultCause, make_desk_outcome
from pairing.models import LateEntry, Match, MatchResult, get_match_topic
from pairing.stages.selectors.course import EventStages, load_decided_matches, load_event_stages
from pairing.stages.selectors.records import VALID_MATCH_FILTER
from scoring.card_state.selectors.cards import load_match_cards, select_cards_with_facts
from scoring.card_state.selectors.state import CardState, make_card_state
from scoring.card_state.tables import LOST_GAME_MATCH_KEY
from scoring.models import (
    Card,
    CardClosed,
    CardPosted,
    CardSeat,
    ClosingTakenBack,
    ConductPenalty,
    ConductPenaltyLifted,
    Ruling,
    SheetLine,
)
from scoring.rules.sheet.card_status import CardOutcome, RecordedResult, find_valid_results
from scoring.rulesheets.selectors import load_current_rule_sheet, load_special_lengths_by_match, make_default_rule_sheet
from tournament.core.cached import cached, cached_many, load_topic_versions_if_read_only
from tournament.core.selectors.prepared import PreparedQuery
from tournament.models import Entrant, EntrantFact, Event

ResultsByMatch = dict[int, tuple[RecordedResult, ...]]


MATCH_ORIGIN_RELATIONS: Final = ("draw", "stage", "seating", "pairing", "late_entry")
"""A match's relations to records that can be undone. If one of these records is undone, the match no longer counts."""


EVENT_PARTS_WITH_MATCHES: Final = ("seating", "pairing", "stage", "draw")
"""The parts of the event that can contain a match, from the most specific to the most general.

If one of these parts is undone, so is the match.
"""


_RESULTS_OF_OTHER_MATCHES = MatchResult.objects.filter(match__draw=OuterRef("draw")).exclude(match=OuterRef("pk"))


_REINSTATED = EntrantFact.objects.filter(entrant__event=OuterRef("event"), kind=EntrantFact.Kind.REINSTATED)


_MAY_HAVE_OTHER_PLAYERS: Final = Exists(
    _RESULTS_OF_OTHER_MATCHES.filter(Q(supersedes__isnull=False) | Q(undoes__isnull=False))
) | Exists(_REINSTATED)
"""A condition on a match whose players may have changed.

This is the case if another result in its draw was corrected, or an entrant was reinstated.
"""


# --- Results in force ------------------------------------------------------------------------------------------------
# `scoring.rules.sheet.card_status` computes with these rows.


def load_valid_results(matches: Collection[int], event_id: int | None = None) -> ResultsByMatch:
    """Return each match's valid results, oldest first: the current result, and the results that it superseded.

    A match that never had a result is left out. If `event_id` is given, read-only requests get cached results.
    """
    versions = load_topic_versions_if_read_only(event_id) if event_id is not None else None
    if event_id is None or versions is None:
        return _load_results(matches)

    def make(missing: list[tuple[str, int]]) -> dict[tuple[str, int], tuple[RecordedResult, ...]]:
        results = _load_results([match for _kind, match in missing])
        return {name: results.get(name[1], ()) for name in missing}

    cached = cached_many(event_id, {("results", match): (get_match_topic(match),) for match in matches}, versions, make)
    return {match: rows for (_kind, match), rows in cached.items() if rows}


def _load_results(matches: Collection[int]) -> ResultsByMatch:
    rows = list(
        MatchResult.objects.filter(match__in=matches)
        .order_by("pk")
        .values_list("match_id", "pk", "at", "by_name", "reason", "winner__number", "credits", "score")
        .annotate(before=F("supersedes_id"), undone=F("undoes_id"))
    )
    moments = _load_card_change_times({row[0] for row in rows}) if rows else set()
    # A ruling can change a hand and decide against both players at the same time. Its result is a decision, too.
    penalty = ResultCause.PENALTY.value
    penalized = {
        key
        for match, key, at, _by, _reason, _winner, credits, *_more in rows
        if (match, at) in moments and any(cause == penalty for _result, cause in credits.values())
    }
    ruled = load_rulings_by_result(penalized) if penalized else {}
    found: dict[int, list[RecordedResult]] = defaultdict(list)
    for match, key, at, by, reason, winner, credits, score, before, undone in rows:
        found[match].append(
            RecordedResult(
                key=key,
                at=at,
                by=by,
                reason=reason,
                winner=winner,
                credits={int(number): (result, cause) for number, (result, cause) in credits.items()},
                points={int(number): points for number, points in score.items()},
                supersedes=before,
                undoes=undone,
                by_cards=undone is None and (match, at) in moments and key not in ruled,
            )
        )
    return {match: find_valid_results(each) for match, each in found.items()}


def _load_card_change_times(matches: Collection[int]) -> set[tuple[int, datetime]]:
    """Return the times of all writes to cards that may have changed a match's result, each as a (match, time) pair.

    All rows written in one transaction have the same time. If a result was recorded at one of these times, it came from
    the cards, unless a ruling decided the match in the same transaction.
    """
    postings = CardPosted.objects.filter(card__match__in=matches).values_list("card__match_id", "at")
    lines = SheetLine.objects.filter(card__match__in=matches).values_list("card__match_id", "at")
    closed = CardClosed.objects.filter(card__match__in=matches).values_list("card__match_id", "at")
    reopened = ClosingTakenBack.objects.filter(closing__card__match__in=matches).values_list(
        "closing__card__match_id", "at"
    )
    lifted = ConductPenaltyLifted.objects.filter(penalty__entrant__event__matches__in=matches).values_list(
        "penalty__entrant__event__matches", "at"
    )
    written = postings.order_by().union(*(facts.order_by() for facts in (lines, closed, reopened, lifted)))
    # A game lost by a ruling counts with the cards, so the result is not a decision.
    lost = ConductPenalty.objects.filter(
        effect=ConductPenalty.Effect.GAME_LOSS, ruling__isnull=False, entrant__event__matches__in=matches
    ).select_related("entrant", "ruling")
    games_lost = {(match, row.at) for row in lost.distinct() if (match := _find_match_with_lost_game(row)) is not None}
    return {*written, *games_lost}


def load_rulings_by_result(results: Collection[int]) -> dict[int, Ruling]:
    """Return the rulings that led to these results, keyed by the result's primary key.

    Results that do not come from a ruling are left out.
    """
    wanted = set(results)
    events = MatchResult.objects.filter(pk__in=wanted).values("match__event")
    rulings = Ruling.objects.filter(dispute__event__in=events, penalties__isnull=False).distinct()
    each = rulings.select_related("dispute__event__tournament")
    did = ((ruling, done.get("result")) for ruling in each for done in ruling.effects.get("penalties", ()))
    return {result: ruling for ruling, result in did if result in wanted}


def load_ruling_for_line(fact: int) -> Ruling | None:
    """Return the ruling that wrote a line of a card, or None. `fact` is the line's primary key."""
    rulings = Ruling.objects.filter(dispute__card__lines=fact).select_related("dispute__event__tournament")
    return next((one for one in rulings if (one.effects.get("sheet") or {}).get("fact") == fact), None)


def load_match_restart_times(
    matches: Collection[int], pairs: Mapping[int, Collection[int]] | None = None
) -> dict[int, datetime]:
    """Return when the desk last restarted each match, keyed by the match's primary key.

    The desk restarts a match by undoing its result, or by a decision that has neither a winner nor points. If a change
    to the match's own card undid the result, this is not a restart. A decision that the desk undid later is ignored.
    `pairs` contains the entry numbers of matches between two entrants. In these matches, results between other entrants
    are ignored.
    """
    found: dict[int, datetime] = {}
    for match, rows in load_valid_results(matches).items():
        pair = (pairs or {}).get(match)
        own = rows if pair is None else filter_results_by_entries(rows, set(pair))
        for row in own:
            if row.invalidates_earlier_cards:
                found[match] = row.at
    return found


def filter_results_by_entries(rows: Iterable[RecordedResult], numbers: set[int]) -> tuple[RecordedResult, ...]:
    """Return the results that were recorded while these two entrants were the players of the match.

    A result without credits names no entrants, and is always returned.
    """
    return tuple(row for row in rows if not row.credits or set(row.credits) == numbers)


# --- Games lost by a penalty -----------------------------------------------------------------------------------------


def load_penalty_losses(matches: Collection[Match]) -> dict[int, Counter[int]]:
    """Return how many games each entrant lost as a penalty, keyed by match and then by entrant.

    If the desk restarted the match, earlier penalties no longer count.
    """
    lost: dict[int, Counter[int]] = {match.pk: Counter() for match in matches}
    rows = (row for event in {match.event_id for match in matches} for row in _load_game_losses(event))
    found = [(match, row) for row in rows if (match := _find_match_with_lost_game(row)) in lost]
    taken_back = load_match_restart_times({match for match, _row in found if match is not None}) if found else {}
    for match, row in found:
        if match is not None and not (match in taken_back and row.at <= taken_back[match]):
            lost[match][row.entrant_id] += 1
    return lost


def _load_game_losses(event: int) -> tuple[ConductPenalty, ...]:
    rows = ConductPenalty.objects.filter(
        effect=ConductPenalty.Effect.GAME_LOSS, lifted__isnull=True, ruling__isnull=False, entrant__event=event
    ).select_related("entrant", "ruling")
    return cached(event, (), "game losses", lambda: tuple(rows))


def _find_match_with_lost_game(row: ConductPenalty) -> int | None:
    """Return the primary key of the best-of-several match in which the penalty cost one game.

    Return None if the penalty cost a whole match, or was recorded outside any match.
    """
    did = row.ruling.effects.get("penalties", ()) if row.ruling is not None else ()
    return next((each.get(LOST_GAME_MATCH_KEY) for each in did if each["entry"] == row.entrant.number), None)


def is_best_of_several(match: Match) -> bool:
    """Return whether a player has to win more than one game to win the match."""
    cards = load_match_cards(match.pk)
    if cards:
        return cards[0].games_to_win > 1
    sheet = load_current_rule_sheet(match.event) or make_default_rule_sheet(match.event)
    return (
        int(
            load_special_lengths_by_match(match.event, sheet, [match])[match.pk].get("games_to_win", sheet.games_to_win)
        )
        > 1
    )


# --- The outcome of the cards of a match of two ----------------------------------------------------------------------


def combine_card_outcomes(
    cards: Sequence[CardState], lost: Counter[int], *, as_they_stand: bool = False
) -> CardOutcome:
    """Return the combined outcome of the posted cards in a match between two entrants.

    `as_they_stand` includes cards that are not posted. `lost` is the number of games that each entrant lost as a
    penalty, keyed by primary key. The outcome has no winner while more games are needed.
    """
    if not cards:
        return CardOutcome(winner=None)
    won = count_games_won(cards, as_they_stand=as_they_stand)
    entrants, games_to_win = cards[0].card.entrants, cards[0].games_to_win
    since = max((card.posted_or_closed_at for card in cards if card.posted_or_closed_at), default=None)
    ahead = count_games_won_with_penalties(cards, won, lost)
    closed = next((card for card in cards if card.score.is_closed and card.score.winner is not None), None)
    winner = closed.score.winner if closed is not None else None
    winner = winner or next((who for who in entrants if ahead[who.pk] >= games_to_win), None)
    points = _compute_match_points(cards, won, winner)
    games = {who.number: won[who.pk] for who in entrants} if games_to_win > 1 and closed is None else {}
    if winner is None:
        return CardOutcome(winner=None, points=points, games=games, since=since)
    outcome = _make_outcome_of_win(cards[0].card, winner, closed, by_penalty=won[winner.pk] < games_to_win)
    credits = {number: (credit.result.value, credit.cause.value) for number, credit in outcome.credits.items()}
    return CardOutcome(winner=outcome.winner, credits=credits, points=points, games=games, since=since)


def count_games_won(cards: Sequence[CardState], *, as_they_stand: bool = False) -> Counter[int]:
    """Return the number of games that each entrant won, keyed by primary key.

    Only posted cards count, unless `as_they_stand` is True. A game that was closed early is not counted, because its
    winner wins the whole match.
    """
    counting = (card for card in cards if (as_they_stand or card.is_posted) and not card.score.is_closed)
    return Counter(card.score.winner.pk for card in counting if card.score.winner)


def count_games_won_with_penalties(cards: Sequence[CardState], won: Counter[int], lost: Counter[int]) -> Counter[int]:
    """Return the number of games that each entrant won, including those that the opponent lost as a penalty.

    The keys are the entrants' primary keys. Penalties count only if a match can have several games.
    """
    if cards[0].games_to_win == 1:
        return won
    one, other = cards[0].card.entrants
    return Counter({one.pk: won[one.pk] + lost[other.pk], other.pk: won[other.pk] + lost[one.pk]})


def _make_outcome_of_win(card: Card, winner: Entrant, closed: CardState | None, *, by_penalty: bool) -> MatchOutcome:
    """Return the outcome of a match that `winner` won.

    If the match was won only because of penalties, the outcome is a loss by penalty for the other side.
    """
    match, (loser,) = card.match.ident, [who for who in card.entrants if who.pk != winner.pk]
    if closed is None and by_penalty:
        return make_desk_outcome(match, (winner.number, loser.number), winner.number, ResultCause.PENALTY)
    cause = ResultCause.PLAYED
    if closed is not None and closed.closing is not None:
        left = closed.closing.left
        cause = ResultCause.FORFEIT if left is not None and left.entrant_id == loser.pk else ResultCause.TIME
    return MatchOutcome.won(match, winner.number, loser.number, cause)


def _compute_match_points(cards: Sequence[CardState], won: Counter[int], winner: Entrant | None) -> dict[int, int]:
    """Return the numbers to show next to the players' names, keyed by entry number.

    A match of one game shows the points of the game that `winner` won. A match of several games shows the games won. If
    a longer match ended early before any game was won, it shows the points of the closed game.
    """
    if cards[0].games_to_win == 1 or (not won and any(card.score.is_closed for card in cards)):
        decided = (card for card in cards if winner is not None and card.score.winner == winner)
        return {side.number: side.total for side in next(decided, cards[-1]).sides if side.number is not None}
    return {who.number: won[who.pk] for who in cards[0].card.entrants}


# --- Cards that nobody can write on ----------------------------------------------------------------------------------
# The match of such a card was voided, or now has different players because the desk corrected another result.


def load_locked_cards(cards: Collection[Card], *, decided: bool = True) -> set[int]:
    """Return the primary keys of cards that nobody can write on.

    Their match was voided or now has different players. Pass `decided=False` if none of the matches ever had a result.
    """
    matches = {card.match_id for card in cards if card.match.seating_id is None}
    if not matches:
        return set()
    if _has_no_moved_players(find_common_event_id(cards)):
        return set(_find_void_cards(cards, matches if decided else ()))
    results = Exists(MatchResult.objects.filter(match=OuterRef("pk")))
    events = {card.match.event_id for card in cards}
    asked = Match.objects.filter(pk__in=matches).annotate(decided=results, moved=_make_moved_players_expression(events))
    rows = list(asked.values_list("pk", "decided", "moved"))
    void = _find_void_cards(cards, [pk for pk, is_decided, _moved in rows if is_decided])
    return {*void, *_find_changed_opponents(cards, [pk for pk, _decided, has_moved in rows if has_moved])}


def load_void_cards(cards: Collection[Card]) -> dict[int, RecordedResult]:
    """Return the desk's decision that voided each card, keyed by the card's primary key.

    Only cards that already had a line when the desk voided the match between the card's players are included. If the
    desk undid a result without voiding the match, the match's cards can still be corrected and are left out. Cards of
    tables with several players are left out too, because the tables can be reopened.
    """
    matches = {card.match_id for card in cards if card.match.seating_id is None}
    decided = set(MatchResult.objects.filter(match__in=matches).values_list("match_id", flat=True)) if matches else ()
    return _find_void_cards(cards, decided)


def load_cards_with_changed_opponents(cards: Collection[Card]) -> dict[int, tuple[int, ...]]:
    """Return the current players of each card's match, if they differ from the players on the card.

    The result maps the card's primary key to the players' entry numbers. A match's players can change if another result
    in its draw was corrected or undone, or if an entrant was reinstated. If neither happened, a single query is enough.
    """
    matches = {card.match_id for card in cards if card.match.seating_id is None}
    found = (
        Match.objects.filter(_MAY_HAVE_OTHER_PLAYERS, pk__in=matches).values_list("pk", flat=True) if matches else ()
    )
    return _find_changed_opponents(cards, found)


def _find_void_cards(cards: Collection[Card], decided: Collection[int]) -> dict[int, RecordedResult]:
    if not decided:
        return {}
    rows = load_valid_results(decided, find_common_event_id(cards))
    void = {match for match, each in rows.items() if any(row.orders_replay for row in each)}
    lines = SheetLine.objects.filter(card__in=[card for card in cards if card.match_id in void])
    begun: dict[int, datetime] = dict(lines.values_list("card_id").annotate(Min("at"))) if void else {}
    found: dict[int, RecordedResult] = {}
    for card in (card for card in cards if card.pk in begun):
        numbers = {entrant.number for entrant in card.entrants}
        own = filter_results_by_entries(rows[card.match_id], numbers) if len(numbers) == 2 else rows[card.match_id]
        for row in own:
            if row.orders_replay and begun[card.pk] <= row.at:
                found[card.pk] = row
    return found


def _find_changed_opponents(cards: Collection[Card], moved: Iterable[int]) -> dict[int, tuple[int, ...]]:
    matches = {card.match_id: card.match for card in cards}
    sides = {pk: find_current_match_entries(load_event_stages(matches[pk].event), matches[pk]) for pk in moved}
    each = ((card.pk, sides.get(card.match_id), {who.number for who in card.entrants}) for card in cards)
    return {pk: now for pk, now, own in each if now is not None and len(own) == 2 and set(now) != own}


def _has_no_moved_players(event_id: int | None) -> bool:
    """Return whether it is certain that no correction moved players to other matches.

    The answer is cached for read-only requests.
    """
    if event_id is None or (versions := load_topic_versions_if_read_only(event_id)) is None:
        return False
    moved = (
        Match.objects.filter(event=event_id)
        .annotate(moved=_make_moved_players_expression([event_id]))
        .filter(moved=True)
    )
    return cached(event_id, (), "nobody moved", lambda: not moved.exists(), versions=versions)


def _make_moved_players_expression(events: Collection[int]) -> Case:
    """Return a query expression for matches of these events. It is True if the match's players may have changed."""
    corrected = MatchResult.objects.filter(Q(supersedes__isnull=False) | Q(undoes__isnull=False))
    back = EntrantFact.objects.filter(entrant__event__in=events, kind=EntrantFact.Kind.REINSTATED)
    moved = Q(draw__in=corrected.filter(match__event__in=events).values("match__draw"))
    return Case(When(moved | Q(event__in=back.values("entrant__event")), then=True), default=False)


def find_common_event_id(cards: Iterable[Card]) -> int | None:
    """Return the primary key of the cards' event, or None if there are no cards or they belong to several events."""
    events = {card.match.event_id for card in cards}
    return events.pop() if len(events) == 1 else None


def find_current_match_entries(course: EventStages, match: Match) -> tuple[int, ...] | None:
    """Return the entry numbers of a match's current players, as far as they are known.

    Return None unless the match is between two entrants.
    """
    for stage in course.stages:
        if stage.row.pk == match.stage_id and match.ident in stage.match_states and stage.kind.traits.two_meet:
            return () if match.ident in stage.obsolete_matches else stage.match_states[match.ident].entries
    return None


def find_card_in_play(cards: Iterable[CardState], *, decided: bool = True) -> CardState | None:
    """Return the first of a match's cards that still has to be played or signed, or None. Void cards are skipped.

    Pass `decided=False` if you know that the match never had a result.
    """
    waiting = [state for state in cards if not state.is_posted]
    void = load_void_cards([state.card for state in waiting]) if decided else {}
    return next((state for state in waiting if state.card.pk not in void), None)


def load_started_matches(event: Event, matches: Collection[str]) -> set[tuple[str, frozenset[int]]]:
    """Return a (match name, entry numbers) pair for each card that has a line.

    The entry numbers are those of the players on the card. `matches` contains the names of the matches to search. Void
    cards and cards of teams are left out.
    """
    seats = CardSeat.objects.filter(
        card__match__event=event, card__match__ident__in=matches, card__lines__isnull=False, entrant__isnull=False
    )
    decided = Exists(MatchResult.objects.filter(match=OuterRef("card__match")))
    sides: dict[tuple[int, str], set[int]] = defaultdict(set)
    asked = set()
    rows = seats.values_list("card_id", "card__match__ident", "entrant__number", decided)
    for card, ident, number, was_decided in rows.distinct():
        sides[card, ident].add(number)
        if was_decided:
            asked.add(card)
    void = load_void_cards(list(Card.objects.filter(pk__in=asked).select_related("match"))) if asked else {}
    return {(ident, frozenset(numbers)) for (card, ident), numbers in sides.items() if card not in void}


def has_only_closed_cards(entrant: Entrant) -> bool:
    """Return whether all of the entrant's cards are posted, closed, or from a decided match.

    Return False if the entrant has no cards.
    """
    event = entrant.event
    cards = select_cards_with_facts().filter(match__in=event.matches.filter(VALID_MATCH_FILTER), seats__entrant=entrant)
    decided = load_decided_matches(event)
    over = [card.match.ident in decided or make_card_state(card).is_posted for card in cards]
    return bool(over) and all(over)


# --- The parts of the event that a match depends on ------------------------------------------------------------------


def load_matches_with_origins(matches: Collection[int]) -> dict[int, Match]:
    return Match.objects.select_related(*(f"{link}__taken_back" for link in MATCH_ORIGIN_RELATIONS)).in_bulk(matches)


def load_cached_matches_with_origins(
    event: Event, matches: Iterable[int], versions: Mapping[str, int]
) -> dict[int, Match]:
    """Return matches from the cache, keyed by primary key, with the records that they came from.

    These records are the relations in `MATCH_ORIGIN_RELATIONS`, such as the match's stage, each with the record that
    undid it (`taken_back`).
    """

    def make(names: list[tuple[str, int]]) -> dict[tuple[str, int], Match]:
        return {("links", pk): match for pk, match in load_matches_with_origins([pk for _name, pk in names]).items()}

    topics = {("links", match): (get_match_topic(match),) for match in matches}
    return {pk: match for (_name, pk), match in cached_many(event.pk, topics, versions, make).items()}


# --- The status of a match before a write ----------------------------------------------------------------------------


def load_facts_blocking_writing(card: Card) -> tuple[str | None, bool, bool, bool]:
    """Return the facts that can prevent writing on a card, with a single query.

    The first value is the name of the undone part of the event that contained the card's match, such as "stage". It is
    None if no part was undone (see `EVENT_PARTS_WITH_MATCHES`). The others are booleans: whether the match has a
    result, whether a late entry affects the card, and whether the match's players may have changed.
    """
    asked = _MATCH_QUERY_WITH_LATE_ENTRIES if _may_have_late_entries(card) else _MATCH_QUERY
    (match,) = asked(card.match_id, card.pk)
    taken_back = next((part for part in EVENT_PARTS_WITH_MATCHES if getattr(match, f"{part}_gone") is not None), None)
    return taken_back, bool(match.has_result), bool(match.has_late), bool(match.parted)


def _annotate_blocking_facts(match: int, has_late: Exists | Value) -> QuerySet[Any]:
    return Match.objects.filter(pk=match).annotate(
        has_result=Exists(MatchResult.objects.filter(match=OuterRef("pk"))),
        has_late=has_late,
        parted=_MAY_HAVE_OTHER_PLAYERS,
        **{f"{part}_gone": F(f"{part}__taken_back") for part in EVENT_PARTS_WITH_MATCHES},
    )


_MATCH_QUERY_WITH_LATE_ENTRIES = PreparedQuery(
    lambda match, card: _annotate_blocking_facts(match, Exists(_query_late_entries(match, card, OuterRef("draw")))),
    values=2,
)


_MATCH_QUERY = PreparedQuery(lambda match, _card: _annotate_blocking_facts(match, Value(False)), values=2)


def _query_late_entries(match: int, card: int, draw: Any) -> QuerySet[LateEntry]:
    of_match = Q(match=match, taken_back__isnull=False)
    of_side = Q(taken_back__isnull=True, bye__in=CardSeat.objects.filter(card=card).values("entrant"))
    return LateEntry.objects.filter(of_match | of_side, draw=draw)


def _may_have_late_entries(card: Card) -> bool:
    match = card.match
    return match.round <= 2 and match.pairing_id is None and match.seating_id is None


def load_late_entries_for_card(card: Card) -> QuerySet[LateEntry]:
    """Return the late entries that affect a card.

    These are undone late entries in the card's own match, and late entries that make one of the card's sides play
    another match first.
    """
    if not _may_have_late_entries(card):
        return LateEntry.objects.none()
    return _query_late_entries(card.match_id, card.pk, card.match.draw_id)
