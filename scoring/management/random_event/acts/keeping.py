"""Acts of two players at one card: up cards, checks of hands, new decks, and announced totals."""

from functools import partial

from scoring.card_state.selectors.cards import CardState
from scoring.cards.selectors.checks import load_keeping
from scoring.cards.services.checks import (
    Seen,
    Turned,
    ask_new_deck,
    confirm_hand,
    dispute_hand,
    record_up_card,
    settle_as_written,
    take_other_figures,
)
from scoring.cards.services.hands import announce_totals
from scoring.management.random_event.acts.cards import keeper_of
from scoring.management.random_event.core import Doing, aside, forward, one_of
from scoring.management.random_event.hands import a_line
from scoring.management.random_event.play import Play, about
from scoring.models import HandCheck
from scoring.rules.hand.cards import DECK
from tournament.core.permissions import player
from tournament.models import Entrant


def _kept(play: Play) -> list[CardState]:
    return [state for state in play.seen.open_cards if state.card.entrants and len(state.seats) > 1]


def _with_hands(play: Play) -> list[CardState]:
    return [state for state in _kept(play) if state.lines]


@aside("up-card", weight=3)
@one_of(_kept)
def up_card(play: Play, state: CardState) -> Doing | None:
    who, up = play.dice.choice(state.card.entrants), str(play.dice.choice(sorted(DECK)))
    turned = Turned(hand=len(state.lines) + 1, up=up, key=play.dice.token())
    return Doing(f"{about(state)}: {up}", partial(record_up_card, state.card, turned, by=player(who)))


@aside("confirm-hand", weight=2)
@one_of(_with_hands)
def confirm(play: Play, state: CardState) -> Doing | None:
    who, seen = _a_hand(play, state)
    return Doing(f"{about(state)} hand {seen.hand}", partial(confirm_hand, state.card, seen, by=player(who)))


@aside("keep-differently", weight=3)
@one_of(_with_hands)
def differ(play: Play, state: CardState) -> Doing | None:
    """Enter other figures for a hand by the other side."""
    who, seen = _a_hand(play, state)
    line = a_line(play.dice, state.sheet) if not state.is_complete else dict(state.lines[seen.hand - 1].line or {})
    if line is None:
        return None
    return Doing(f"{about(state)} hand {seen.hand}", partial(dispute_hand, state.card, seen, line, by=player(who)))


def _a_hand(play: Play, state: CardState) -> tuple[Entrant, Seen]:
    hand = play.dice.randint(1, len(state.lines))
    seen = Seen(hand=hand, line=state.lines[hand - 1].pk, key=play.dice.token())
    return play.dice.choice(state.card.entrants), seen


def _with_differences(play: Play) -> list[CardState]:
    if not HandCheck.objects.filter(line__card__match__event=play.event, own__isnull=False).exists():
        return []
    return [state for state in _kept(play) if load_keeping(state).different]


@forward("settle-difference")
@one_of(_with_differences)
def settle(play: Play, state: CardState) -> Doing | None:
    """Settle a difference: take the other figures, or let the hand stand as the desk decides."""
    checked = load_keeping(state).different[0]
    who = keeper_of(state)
    if play.dice.chance(0.5):
        by = player(who) if who is not None and play.dice.chance(0.7) else play.desk
        check = checked.against[0].pk
        said = f"{about(state)} hand {checked.hand} as the other has it"
        return Doing(said, partial(take_other_figures, state.card, check, by=by))
    seen = Seen(hand=checked.hand, line=checked.line.pk)
    said = f"{about(state)} hand {checked.hand} stands"
    return Doing(said, partial(settle_as_written, state.card, seen, by=play.desk, reason=play.reason()))


@aside("new-deck")
@one_of(_kept)
def new_deck(play: Play, state: CardState) -> Doing | None:
    who = play.dice.choice(state.card.entrants)
    return Doing(f"{about(state)}: {who.name}", partial(ask_new_deck, state.card, by=player(who)))


@aside("announce-totals")
@one_of(_kept)
def announce(play: Play, state: CardState) -> Doing | None:
    who = keeper_of(state)
    return Doing(about(state), partial(announce_totals, state.card, by=player(who) if who is not None else play.desk))
