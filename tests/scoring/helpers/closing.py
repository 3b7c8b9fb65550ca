from __future__ import annotations

from typing import Any

from pairing.models import MatchResult
from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.card_state.selectors.state import CardState
from scoring.cards.services.closing import TimeCall, TimeCallResult, call_time, make_card_snapshot
from scoring.posting.services.opening import start_play
from scoring.rulesheets.services import ChosenRules, save_rule_sheet
from tests.prebuilt import prebuilt
from tests.scoring.helpers.playing import a_drawn_event, the_card
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import Event

FOUR = ("Ada", "Alan", "Grace", "Kurt")


@prebuilt
def in_play(unfinished: str = "leader", *, games_to_win: int = 1, names: tuple[str, ...] = FOUR) -> Event:
    event = a_drawn_event(names)
    chosen = ChosenRules("gra-singles", {"target": 100}, games_to_win, unfinished=unfinished)
    save_rule_sheet(event, chosen, by=SYSTEM_ACTOR)
    return start_play(event, by=SYSTEM_ACTOR)


def state_of(event: Event, ident: str = "R1M1", game: int = 1) -> CardState:
    return load_card_state_by_pk(the_card(event, ident, game).pk)


def called(state: CardState, choice: str = "", totals: dict[str, int] | None = None) -> TimeCall:
    return TimeCall(state.card, make_card_snapshot(state), totals, choice)


@prebuilt
def time_for(event: Event, *games: TimeCall, by: Any = SYSTEM_ACTOR, reason: str = "") -> TimeCallResult:
    return call_time(event, games, by=by, reason=reason)


def result_of(event: Event, ident: str = "R1M1") -> MatchResult | None:
    return MatchResult.objects.filter(match__event=event, match__ident=ident).order_by("-pk").first()
