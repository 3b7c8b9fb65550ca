"""Matches by the desk's word: decided, decided otherwise than the card says, and undone."""

from __future__ import annotations

from collections.abc import Sequence

from pairing.corrections.services import bring_back_in_play, undo_result
from pairing.course.selectors.sides import sides_of
from pairing.draws.knockout.keeping import LaterChoice
from pairing.draws.results.credits import BOTH_PLAYED, Cause
from pairing.draws.results.endings import WON_BY, WON_BY_NOBODY
from pairing.models import Match
from pairing.results.services.results import MatchDecision, decide_match, look_ahead, remove_entrant
from scoring.card_state.selectors.meetings import SeatedMatch
from scoring.management.random_event.core import Doing, aside, forward
from scoring.management.random_event.play import Play
from scoring.posting.services.opening import open_card
from tournament.errors import DomainError
from tournament.models import Entrant, EntrantFact

GOES: Sequence[str] = (EntrantFact.Kind.WITHDRAWN, EntrantFact.Kind.NO_SHOW, EntrantFact.Kind.DISQUALIFIED)


@forward("open-card", turn=1)
def open_missing_card(play: Play) -> Doing | None:
    """A match that can be played and has no card that goes on."""
    with_card = {state.card.match_id for state in play.seen.open_cards}
    meeting = play.dice.one_of([one for one in play.seen.meetings if one.match.pk not in with_card and one.is_of_two])
    if meeting is None:
        return None
    games = [state.card.game for state in play.seen.cards if state.card.match_id == meeting.match.pk]
    games = [state.card.game for state in play.seen.cards if state.card.sides_key == meeting.key] and games
    game = max(games, default=0) + 1
    if not play.take(f"open {meeting.match.pk} {game}", 1):
        return None
    return Doing(f"{meeting.match.ident} game {game}", lambda: open_card(meeting, game, by=play.desk))


@forward("decide-open-match", turn=2)
def decide_open(play: Play) -> Doing | None:
    """Nothing else leads on: the desk says who has won."""
    meeting = play.dice.one_of([one for one in play.seen.meetings if one.is_of_two])
    return _decide(play, meeting.match, WON_BY) if meeting is not None else None


@aside("decide", weight=3)
def decide_early(play: Play) -> Doing | None:
    """A match that can be played is decided without its card, or while it is being played."""
    meeting = play.dice.one_of([one for one in play.seen.meetings if one.is_of_two])
    return _decide(play, meeting.match, (*WON_BY, *WON_BY_NOBODY)) if meeting is not None else None


@aside("decide-otherwise", weight=3)
def decide_otherwise(play: Play) -> Doing | None:
    """A match that is decided already is decided again: against its card, or as it says."""
    match = play.dice.one_of(play.seen.decided)
    return _decide(play, match, (*WON_BY, *WON_BY_NOBODY)) if match is not None else None


def _decide(play: Play, match: Match, causes: Sequence[Cause]) -> Doing | None:
    try:
        numbers = sides_of(play.event, match).numbers
    except DomainError:
        return None
    cause = play.dice.choice(list(causes))
    winner = None
    if cause in WON_BY and (cause not in WON_BY_NOBODY or play.dice.chance(0.7)):
        winner = play.event.entrants.get(number=play.dice.choice(numbers))
    plain = MatchDecision(
        match=match,
        winner=winner,
        cause=cause,
        reason=play.reason(),
        override=play.dice.chance(0.9),
        points=_points(play, numbers, winner) if cause in BOTH_PLAYED and winner is not None else None,
    )
    said = f"{match.ident}: {winner.name if winner else 'nobody'}, {cause.value}"
    return Doing(said, lambda: decide_match(_with_choices(play, plain), by=play.staff(), key=play.dice.token()))


def _with_choices(play: Play, plain: MatchDecision) -> MatchDecision:
    """Later matches that it touches are kept, played again or void, each as the dice say."""
    _outcome, found = look_ahead(plain)
    choices = {ident: play.dice.choice(list(LaterChoice)) for ident in found.touched}
    return MatchDecision(
        match=plain.match,
        winner=plain.winner,
        cause=plain.cause,
        reason=plain.reason,
        override=plain.override,
        choices=choices,
        points=plain.points,
    )


def _points(play: Play, numbers: Sequence[int], winner: Entrant) -> dict[int, int] | None:
    """Of a match that was played: named by the desk, or those of the card that it follows."""
    if play.dice.chance(0.3):
        return None
    won = play.dice.choice([2, 50, 151])
    return {number: won if number == winner.number else play.dice.choice(list(range(won))) for number in numbers}


@aside("undo-result", weight=2)
def undo(play: Play) -> Doing | None:
    match = play.dice.one_of(play.seen.decided)
    if match is None:
        return None
    return Doing(match.ident, lambda: undo_result(match, by=play.staff(), reason=play.reason(), key=play.dice.token()))


@aside("leave", weight=2)
def leave(play: Play) -> Doing | None:
    """Withdrawn, a no-show or disqualified, while the event is in play."""
    who = play.dice.one_of(play.seen.in_state(Entrant.State.IN))
    if who is None:
        return None
    kind = play.dice.choice(GOES)
    return Doing(f"{who.name}: {kind}", lambda: remove_entrant(who, kind, by=play.director, reason=play.reason()))


@aside("back-in")
def come_back(play: Play) -> Doing | None:
    who = play.dice.one_of(play.seen.in_state(Entrant.State.REMOVED, Entrant.State.WITHDRAWN))
    if who is None:
        return None
    return Doing(who.name, lambda: bring_back_in_play(who, by=play.director, reason=play.reason()))


def sides_in(meeting: SeatedMatch) -> list[int]:
    return [entrant.number for entrant in meeting.entrants]
