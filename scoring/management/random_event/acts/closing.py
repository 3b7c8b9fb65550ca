"""Acts that close games: time is called, a player leaves in the middle, and closings are taken back."""

from functools import partial

from scoring.card_state.selectors.cards import CardState
from scoring.cards.selectors.open_games import OpenGame, load_open_games
from scoring.cards.services.closing import (
    BETWEEN_HANDS,
    BY_RULE,
    LATER,
    STANDS,
    TimeCall,
    call_time,
    close_left,
    take_back_closing,
)
from scoring.management.random_event.core import Doing, aside, forward, one_of
from scoring.management.random_event.play import Play, about
from scoring.models import CardClosed


@aside("call-time", weight=2)
def time(play: Play) -> Doing | None:
    """Call time for a few games, by the rule or by the director's decision."""
    games = play.dice.some_of(load_open_games(play.event), 3)
    return _call(play, games) if games else None


@forward("decide-called-game", turn=3)
@one_of(lambda play: [game for game in load_open_games(play.event) if game.state.closing is not None])
def decide_called(play: Play, game: OpenGame) -> Doing | None:
    """Decide a game for which time was called and the rule leaves the decision to the director."""
    letter = play.dice.choice(game.state.letters)
    called = [TimeCall(game.state.card, game.seen, choice=letter if game.state.is_game else STANDS)]
    return Doing(about(game.state), partial(call_time, play.event, called, by=play.director, reason="who led"))


@forward("totals-stand", turn=4)
def stand(play: Play) -> Doing | None:
    """Close every card of an event with two sides, because too few players are left."""
    games = load_open_games(play.event) if play.one.kind.turns else []
    if not games:
        return None
    called = [TimeCall(game.state.card, game.seen, choice=STANDS) for game in games]
    return Doing(play.event.name, partial(call_time, play.event, called, by=play.director, reason="too few are left"))


def _call(play: Play, games: list[OpenGame]) -> Doing:
    called = []
    for game in games:
        words = [BY_RULE, BETWEEN_HANDS, LATER, STANDS, CardClosed.Rule.REPLAY, CardClosed.Rule.LAST_HAND]
        choice = str(play.dice.choice([*words, *game.state.letters]))
        totals = None
        if game.takes_totals and play.dice.chance(0.5):
            totals = {side: play.dice.randint(0, 60) for side in game.state.letters}
        called.append(TimeCall(game.state.card, game.seen, totals, choice))
    said = ", ".join(f"{about(game.state)} {one.choice}" for game, one in zip(games, called, strict=True))
    return Doing(said, partial(call_time, play.event, called, by=play.director, reason=play.reason()))


@aside("left-in-the-middle", weight=1.5)
@one_of(lambda play: play.seen.open_cards)
def left(play: Play, state: CardState) -> Doing | None:
    side = play.dice.choice(state.letters)
    act = partial(close_left, state.card, side, gives_up=play.dice.chance(0.5), by=play.staff(), reason=play.reason())
    return Doing(f"{about(state)}: {side}", act)


@aside("take-back-closing", weight=2)
@one_of(lambda play: [state for state in play.seen.cards if state.closing is not None])
def back(play: Play, state: CardState) -> Doing | None:
    said = "looked at" if play.dice.chance(0.7) else ""
    act = partial(take_back_closing, state.card, by=play.director, reason=play.reason(), override=said)
    return Doing(about(state), act)
