"""A player's page for their match: the card to play on, or what the player is waiting for."""

from datetime import datetime
from functools import partial
from typing import Any, Final
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django_htmx.http import HttpResponseClientRefresh

from pairing.desk.selectors.forecast import estimate_last_match_end, estimate_next_match_start
from pairing.desk.selectors.my_stage import load_entrant_stage_status
from pairing.draws.knockout.progress import find_bracket_path
from pairing.models import PAIRING_AND_RESULT_TOPICS, get_match_topic
from pairing.stages.selectors.boards import load_player_names
from pairing.stages.selectors.course import load_event_stages, load_ready_matches
from pairing.stages.selectors.plans import load_stage_traits
from pairing.stages.selectors.tables import SeatingBoard, load_seating_board
from scoring.card_state.selectors.players import SeatedMatch, load_entrant_matches, load_match_tables
from scoring.cards.pages import load_player_seat
from scoring.cards.player.card import render_card
from scoring.cards.selectors.match_cards import (
    MatchCards,
    are_remaining_matches_in_bracket,
    load_cached_entrant_matches,
    load_cached_match_cards,
)
from scoring.cards.tables import describe_wait_for_match, describe_wait_for_table
from scoring.models import CardSeat
from scoring.posting.selectors.card_status import load_corrected_cards
from scoring.posting.selectors.results import find_card_in_play
from scoring.posting.services.opening import get_or_create_rule_sheet, get_or_open_card, has_too_few_players
from scoring.posting.tables import load_card_summaries
from tournament.core.cached import cached, forget_versions, load_versions_by_topic
from tournament.core.pages.access import private_link_view, remember_private_link
from tournament.core.pages.following import follow_entrant_topics, load_request_topic_versions
from tournament.core.permissions import make_player_actor
from tournament.core.topics import MAX_FOLLOWED_TOPICS, list_entrant_topics
from tournament.errors import Conflict
from tournament.models import Entrant, Event
from tournament.money.selectors.prizes import load_entrant_prize

_OUTDATED_MATCH_ERRORS: Final = ("match-decided", "sides-changed")


@private_link_view
def show_player_match(request: HttpRequest, entrant: Entrant) -> HttpResponse:
    """Show the player's current card, or what they are waiting for.

    An open card page polls with `?card=…`, and reloads once the player has another card.
    """
    remember_private_link(request, entrant)
    load_request_topic_versions(request, entrant.event_id)
    show = _show_table if load_stage_traits(entrant.event).at_tables else _show_game
    try:
        return show(request, entrant)
    except Conflict as error:
        if error.code not in _OUTDATED_MATCH_ERRORS:
            raise
        # The last card was posted, or the desk decided, between two queries of this page. Read everything again.
        del vars(request)["versions"]
        forget_versions()
        return show(request, entrant)


def _show_game(request: HttpRequest, entrant: Entrant) -> HttpResponse:
    in_play = entrant.event.state == Event.State.IN_PLAY
    meetings = (
        load_cached_entrant_matches(entrant, load_request_topic_versions(request, entrant.event_id)) if in_play else []
    )
    meeting, is_called = _find_next_match(entrant, meetings)
    if meeting is None:
        return _show_waiting_page(request, "no_match", _load_cached_waiting_context(request, entrant, meetings))
    return _show_current_card(request, entrant, meeting, *() if is_called else PAIRING_AND_RESULT_TOPICS)


def _find_next_match(entrant: Entrant, meetings: list[SeatedMatch]) -> tuple[SeatedMatch | None, bool]:
    """Return the entrant's next match (or None), and whether it is certain to be the next one.

    Outside of pools and play-offs, the entrant's first open match is certain. In a pool or play-off, a match that was
    called to a table is certain. Otherwise, the first match that can be played is returned. It is uncertain, because
    other results can change it.
    """
    to_come = [one for one in meetings if not one.is_decided]
    duels = [one for one in to_come if one.stage_match is not None]
    if not duels:
        return next(iter(to_come), None), True
    tables, ready = load_match_tables(one.match.pk for one in duels), load_ready_matches(entrant.event)
    called = next((one for one in duels if tables.get(one.match.pk)), None)
    free = (one for one in duels if one.match.ident in ready)
    return (called, True) if called is not None else (next(free, None), False)


def _load_cached_waiting_context(request: HttpRequest, entrant: Entrant, meetings: list[SeatedMatch]) -> dict[str, Any]:
    """Return the template context of the waiting page.

    A bracket's context does not depend on the time, so it is cached until one of the page's topics changes.
    """
    event, versions = entrant.event, load_request_topic_versions(request, entrant.event_id)
    in_bracket = are_remaining_matches_in_bracket(event, versions)
    topics = [*(() if in_bracket else PAIRING_AND_RESULT_TOPICS), *(get_match_topic(one.match.pk) for one in meetings)]
    follow_entrant_topics(request, entrant, *topics)
    if not in_bracket or len(topics) > MAX_FOLLOWED_TOPICS:
        return _load_waiting_context(entrant, meetings)
    own, make = [*list_entrant_topics(entrant), *topics], partial(_load_waiting_context, entrant, meetings)
    return cached(event.pk, own, ("waits", entrant.pk), make, versions=versions)


def _load_waiting_context(entrant: Entrant, meetings: list[SeatedMatch]) -> dict[str, Any]:
    mine = load_entrant_stage_status(entrant)
    progress, number = load_event_stages(entrant.event).progress, (entrant.joined_to or entrant).number
    path = find_bracket_path(progress, number) if progress and number in progress.bracket.entries else None
    return {
        "entrant": entrant,
        "played": _list_played_matches(entrant, [one for one in meetings if one.is_decided]),
        "prize": load_entrant_prize(entrant),
        "two_meet": load_stage_traits(entrant.event).two_meet,
        "mine": mine,
        "told": describe_wait_for_match(entrant, mine, path),
        "about": estimate_next_match_start(entrant.event, entrant.number),
        **_load_own_summaries(entrant),
    }


def _list_played_matches(
    entrant: Entrant, meetings: list[SeatedMatch]
) -> list[tuple[str, bool, list[tuple[str, int]]]]:
    """Return each played match: the players' names at that time, whether the entrant won, and the cards."""
    cards = _load_own_cards(entrant)
    both = {one.match.ident: frozenset(who.number for who in one.entrants) for one in meetings}
    then = load_player_names(entrant.event, both)
    return [
        (
            " – ".join(then.get(one.match.ident, {}).get(who.number, who.name) for who in one.entrants),
            one.winner == entrant.number,
            cards.get(one.match.pk, []),
        )
        for one in meetings
    ]


def _load_own_cards(entrant: Entrant) -> dict[int, list[tuple[str, int]]]:
    """Return the token and game number of each card on which the entrant has a seat, keyed by the match."""
    found: dict[int, list[tuple[str, int]]] = {}
    seats = CardSeat.objects.filter(entrant=entrant).order_by("card__game")
    for match, token, game in seats.values_list("card__match_id", "card__token", "card__game"):
        found.setdefault(match, []).append((token, game))
    return found


def _load_own_summaries(entrant: Entrant) -> dict[str, object]:
    """Return the template context for two lists of cards on which the entrant has a seat.

    `statements` has summaries of the cards whose status needs an explanation. For example, a card does not count,
    contradicts the result, or needs new signatures. `corrected` has the other cards that were corrected and signed
    again, each with its last corrected line.
    """
    versions = load_versions_by_topic(entrant.event_id)
    own = dict(CardSeat.objects.filter(entrant=entrant).values_list("card_id", "card__match_id"))
    known = load_card_summaries(entrant.event, set(own.values()), versions) if own else []
    summaries = [one for one in known if one.card in own and one.words]
    listed = {one.card for one in summaries}
    corrected = [(state, line) for state, line in load_corrected_cards(entrant) if state.card.pk not in listed]
    return {"statements": summaries, "corrected": corrected}


def _show_table(request: HttpRequest, entrant: Entrant) -> HttpResponse:
    """Show the player's card at their table.

    Before play, show the table and the opponents. Between rounds, show the standings.
    """
    meetings = load_cached_entrant_matches(entrant, load_request_topic_versions(request, entrant.event_id))
    meeting = next((one for one in meetings if not one.is_decided), None)
    in_play = entrant.event.state == Event.State.IN_PLAY
    too_short = meeting is not None and has_too_few_players(meeting, get_or_create_rule_sheet(entrant.event))
    if meeting is not None and in_play and not too_short:
        return _show_current_card(request, entrant, meeting)
    follow_entrant_topics(
        request, entrant, *PAIRING_AND_RESULT_TOPICS, *(get_match_topic(one.match.pk) for one in meetings)
    )
    hall = load_seating_board(entrant.event)
    current = hall.rounds.current_round if hall else None
    complete = bool(hall and hall.rounds.is_complete)
    cards = _load_own_cards(entrant)
    sits_out = current is not None and entrant.number in current.sits_out
    context = {
        "entrant": entrant,
        "meeting": meeting,
        "too_short": too_short,
        "at": hall.tables.get(meeting.match.ident) if hall and meeting else None,
        "about": _estimate_next_round_start(entrant.event, hall) if in_play and meeting is None else None,
        "told": describe_wait_for_table(entrant, is_complete=complete, sits_out=sits_out),
        "standing": next((one for one in hall.standings if one.entry == entrant.number), None) if hall else None,
        "prize": load_entrant_prize(entrant),
        "played": [
            (one, one.table.points.get(entrant.number), cards.get(one.match.pk, []))
            for one in meetings
            if one.table and one.is_decided
        ],
        **_load_own_summaries(entrant),
    }
    return _show_waiting_page(request, "my_table", context)


def _estimate_next_round_start(event: Event, hall: SeatingBoard | None) -> datetime | None:
    current = hall.rounds.current_round if hall else None
    if hall is None or current is None or current.number >= hall.rounds.terms.rounds:
        return None
    return estimate_last_match_end(event, [table.match for table in current.unfinished_tables])


def _show_current_card(request: HttpRequest, entrant: Entrant, meeting: SeatedMatch, *topics: str) -> HttpResponse:
    event, match, versions = entrant.event, meeting.match.pk, load_request_topic_versions(request, entrant.event_id)
    known = load_cached_match_cards(event, match, versions)
    name, of = ("in play", match, meeting.cards_key, entrant.pk), [get_match_topic(match)]
    token = cached(event.pk, of, name, lambda: _find_or_open_card(meeting, entrant, known), versions=versions)
    seat = load_player_seat(request, entrant, token, *topics, by_link=True, known=known.find_card(token))
    if _is_update_of_card(request, token):
        return render_card(request, seat, f"{request.path}?{urlencode({'card': token})}")
    return HttpResponseClientRefresh()


def _find_or_open_card(meeting: SeatedMatch, entrant: Entrant, known: MatchCards) -> str:
    """Return the token of the match's first card that is not posted.

    If there is none, open one.
    """
    found = known.filter_by_sides(meeting.cards_key)  # the entrant's own cards count, and those of teams
    cards = [state for state in found if state.find_seat_of_entrant(entrant.pk) is not None or not state.card.sides_key]
    decided = any(known.may_have_facts(state, "results") for state in cards)
    one_card = load_stage_traits(entrant.event).one_card
    waiting = next(iter(cards), None) if one_card else find_card_in_play(cards, decided=decided)
    if waiting is not None:
        return waiting.card.token
    own = next(one for one in load_entrant_matches(entrant) if one.match == meeting.match)
    return get_or_open_card(own, len(cards) + 1, by=make_player_actor(entrant)).token


def _show_waiting_page(request: HttpRequest, page: str, context: dict[str, Any]) -> HttpResponse:
    if _is_update_of_card(request, ""):
        return render(request, f"scoring/cards/player/{page}.html", context)
    return HttpResponseClientRefresh()


def _is_update_of_card(request: HttpRequest, token: str) -> bool:
    """Return whether this request is a live update of a page that already shows this card."""
    return not request.headers.get("HX-Request") or request.GET.get("card", token) == token
