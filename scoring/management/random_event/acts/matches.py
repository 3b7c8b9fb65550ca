"""Acts of the desk on matches: decide them, decide against a card, and undo results."""

from collections.abc import Sequence
from dataclasses import replace

from pairing.draws.knockout.corrections import LaterChoice
from pairing.draws.results import BOTH_PLAYED, WON_BY, WON_BY_NOBODY, Cause
from pairing.models import Match
from pairing.results.services.corrections import bring_back_in_play, undo_result
from pairing.results.services.results import MatchDecision, decide_match, look_ahead, remove_entrant
from pairing.stages.selectors.places import sides_of
from scoring.card_state.selectors.players import SeatedMatch
from scoring.management.random_event.core import Doing, aside, forward, one_of
from scoring.management.random_event.play import Play
from scoring.posting.services.opening import open_card
from tournament.errors import DomainError
from tournament.models import Entrant, EntrantFact

GOES: Sequence[str] = (EntrantFact.Kind.WITHDRAWN, EntrantFact.Kind.NO_SHOW, EntrantFact.Kind.DISQUALIFIED)


def _of_two(play: Play) -> list[SeatedMatch]:
    return [meeting for meeting in play.seen.meetings if meeting.is_of_two]


def _without_card(play: Play) -> list[SeatedMatch]:
    with_card = {state.card.match_id for state in play.seen.open_cards}
    return [meeting for meeting in _of_two(play) if meeting.match.pk not in with_card]


@forward("open-card", turn=1)
@one_of(_without_card)
def open_missing_card(play: Play, meeting: SeatedMatch) -> Doing | None:
    """Open a card for a match that can be played and has none in play."""
    games = [state.card.game for state in play.seen.cards if state.card.match_id == meeting.match.pk]
    games = [state.card.game for state in play.seen.cards if state.card.sides_key == meeting.key] and games
    game = max(games, default=0) + 1
    if not play.take(f"open {meeting.match.pk} {game}", 1):
        return None
    return Doing(f"{meeting.match.ident} game {game}", lambda: open_card(meeting, game, by=play.desk))


@forward("decide-open-match", turn=2)
@one_of(_of_two)
def decide_open(play: Play, meeting: SeatedMatch) -> Doing | None:
    """Decide an open match at the desk, if nothing else leads on."""
    return _decide(play, meeting.match, WON_BY)


@aside("decide", weight=3)
@one_of(_of_two)
def decide_early(play: Play, meeting: SeatedMatch) -> Doing | None:
    """Decide a match without its card, or while it is being played."""
    return _decide(play, meeting.match, (*WON_BY, *WON_BY_NOBODY))


@aside("decide-otherwise", weight=3)
@one_of(lambda play: play.seen.decided)
def decide_otherwise(play: Play, match: Match) -> Doing | None:
    """Decide a match again, against its card or in agreement with it."""
    return _decide(play, match, (*WON_BY, *WON_BY_NOBODY))


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
    """Choose at random what happens to each later match that the decision affects."""
    _outcome, found = look_ahead(plain)
    return replace(plain, choices={ident: play.dice.choice(list(LaterChoice)) for ident in found.touched})


def _points(play: Play, numbers: Sequence[int], winner: Entrant) -> dict[int, int] | None:
    """Return points for a played match, or None to use those of the card."""
    if play.dice.chance(0.3):
        return None
    won = play.dice.choice([2, 50, 151])
    return {number: won if number == winner.number else play.dice.choice(list(range(won))) for number in numbers}


@aside("undo-result", weight=2)
@one_of(lambda play: play.seen.decided)
def undo(play: Play, match: Match) -> Doing | None:
    return Doing(match.ident, lambda: undo_result(match, by=play.staff(), reason=play.reason(), key=play.dice.token()))


@aside("leave", weight=2)
@one_of(lambda play: play.seen.in_state(Entrant.State.IN))
def leave(play: Play, who: Entrant) -> Doing | None:
    """Withdraw an entrant in play, or make them a no-show or disqualified."""
    kind = play.dice.choice(GOES)
    return Doing(f"{who.name}: {kind}", lambda: remove_entrant(who, kind, by=play.director, reason=play.reason()))


@aside("back-in")
@one_of(lambda play: play.seen.in_state(Entrant.State.REMOVED, Entrant.State.WITHDRAWN))
def come_back(play: Play, who: Entrant) -> Doing | None:
    return Doing(who.name, lambda: bring_back_in_play(who, by=play.director, reason=play.reason()))
