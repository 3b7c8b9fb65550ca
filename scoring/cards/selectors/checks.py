"""The checks that players make on a card: up cards, confirmed and disputed hands, and requests for new decks."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.utils.translation import gettext as _

from pairing.stages.selectors.plans import load_stage_traits
from scoring.card_state.selectors.rotation import load_whist_event_state
from scoring.card_state.selectors.state import CardState, LineHistory
from scoring.models import HandCheck, NewDeck, SheetLine, TotalsAnnounced, UpCard
from scoring.rules.hand.cards import format_card_symbol
from scoring.rules.rulings.policies import GameStanding, find_dispute_policy
from scoring.rules.sheet.sheets import ScoreSheet, judge_line
from scoring.rules.variants.variant import FieldKind, is_totals_record
from tournament.core.selectors.prepared import PreparedQuery
from tournament.errors import InvalidInput
from tournament.models import Entrant
from tournament.templatetags.gin import local_time


@dataclass(frozen=True, slots=True)
class CheckedHand:
    """A recorded hand (numbered from 1), with the checks by players who did not write it.

    `confirmed_by` contains the primary keys of entrants who agree. `against` contains the checks with different
    figures.
    """

    hand: int
    line: SheetLine
    confirmed_by: frozenset[int]
    against: tuple[HandCheck, ...]

    @property
    def is_disputed(self) -> bool:
        return bool(self.against)

    @property
    def is_confirmed(self) -> bool:
        return bool(self.confirmed_by) and not self.against


@dataclass(frozen=True)
class CardChecks:
    """A card's hands with the players' checks, the recorded up cards, and the players' requests for new decks.

    `up_cards` maps a hand's number to the up cards recorded for it, oldest first. `new_decks` contains the requests in
    the whole match.
    """

    state: CardState
    hands: tuple[CheckedHand, ...]
    up_cards: dict[int, tuple[UpCard, ...]]
    new_decks: tuple[NewDeck, ...]

    @property
    def disputed_hands(self) -> tuple[CheckedHand, ...]:
        """The hands for which players entered different figures. Nobody can sign until these hands are settled."""
        return tuple(hand for hand in self.hands if hand.is_disputed)

    @cached_property
    def next_hand(self) -> int:
        return len(self.state.lines) + 1

    def find_recorded_up_card(self, hand: int) -> UpCard | None:
        return _choose_recorded_up_card(self.state, self.up_cards.get(hand, ()))

    def find_differing_up_cards(self, hand: int) -> tuple[UpCard, ...]:
        """Return the recorded up cards of a hand that differ from the one that counts.

        Only the latest record by each player and by the desk is considered.
        """
        recorded = self.find_recorded_up_card(hand)
        last = {up.entrant_id: up for up in self.up_cards.get(hand, ())}
        return tuple(up for up in last.values() if recorded is not None and up.up != recorded.up)

    def find_unchecked_hands(self, entrant: int) -> tuple[CheckedHand, ...]:
        """Return the hands that this entrant has not checked yet."""
        return tuple(
            hand
            for hand in self.hands
            if entrant not in hand.confirmed_by and all(check.entrant_id != entrant for check in hand.against)
        )


def load_card_checks(state: CardState, is_there: Callable[[str], bool] = lambda _name: True) -> CardChecks:
    """Load the checks of a card with at most three queries.

    `is_there` is called with each of the names `up_cards`, `checks` and `new_decks`. If it returns False for a name,
    the query for these facts is skipped.
    """
    ups: defaultdict[int, list[UpCard]] = defaultdict(list)
    for up in _UP_CARDS_QUERY(state.card.pk) if is_there("up_cards") else ():
        ups[up.hand].append(up)
    changed = NewDeck.objects.filter(card__match=state.card.match_id).select_related("entrant", "card")
    return CardChecks(
        state=state,
        hands=load_checked_hands(state) if is_there("checks") else _make_checked_hands(state, {}),
        up_cards={hand: tuple(recorded) for hand, recorded in ups.items()},
        new_decks=tuple(changed) if is_there("new_decks") else (),
    )


def load_checked_hands(state: CardState) -> tuple[CheckedHand, ...]:
    """Load a card's hands with their checks in a single query."""
    checks = HandCheck.objects.filter(line__card=state.card).select_related("entrant").order_by("pk")
    by_line: defaultdict[int, list[HandCheck]] = defaultdict(list)
    for check in checks:
        by_line[check.line_id].append(check)
    return _make_checked_hands(state, by_line)


def _make_checked_hands(state: CardState, by_line: Mapping[int, list[HandCheck]]) -> tuple[CheckedHand, ...]:
    counting = [entered for entered in state.entered if not entered.is_struck]
    return tuple(
        _make_checked_hand(state, hand, entered, by_line)
        for hand, entered in enumerate(counting, start=1)
        if not is_totals_record(entered.fact.line)
    )


def _make_checked_hand(
    state: CardState, hand: int, entered: LineHistory, by_line: Mapping[int, list[HandCheck]]
) -> CheckedHand:
    last: dict[int | None, HandCheck] = {}
    facts = (*entered.earlier, entered.fact)
    for check in sorted((check for fact in facts for check in by_line.get(fact.pk, ())), key=lambda check: check.pk):
        last[check.entrant_id] = check
        if check.entrant_id is None:  # the desk has settled all checks before this one
            last = {None: check}
    confirmed, against = set(), []
    for entrant, check in last.items():
        if check.own is None:
            confirmed |= {entrant} if check.line_id == entered.fact.pk else set()
        elif make_canonical_line(state, hand, check.own) == make_canonical_line(state, hand, entered.fact.line):
            confirmed.add(entrant)
        else:
            against.append(check)
    return CheckedHand(hand, entered.fact, frozenset(pk for pk in confirmed if pk is not None), tuple(against))


def make_canonical_line(state: CardState, hand: int, line: Any) -> Any:
    """Return a line in the exact form in which it would be recorded for this hand. Hands are numbered from 1.

    Two lines with the same meaning then compare as equal. An impossible line is returned unchanged.
    """
    try:
        return judge_line(state.sheet, line, at=hand - 1).as_json()
    except InvalidInput:
        return line


# --- Up cards --------------------------------------------------------------------------------------------------------


def has_up_card_field(sheet: ScoreSheet) -> bool:
    fields = sheet.variant.line_fields()
    return any(field.name == "up" and field.kind is FieldKind.CARD for field in fields)


def prefill_next_line(state: CardState) -> dict[str, Any]:
    """Return the fields of the next hand that are known before it is played, such as its up card."""
    return add_recorded_up_card(state, state.sheet.variant.prefill_next_line(state.sheet.lines))


def add_recorded_up_card(state: CardState, line: Mapping[str, Any]) -> dict[str, Any]:
    """Return the next hand's line. If the line has no up card, the recorded up card is added."""
    if line.get("up") or not has_up_card_field(state.sheet):
        return dict(line)
    recorded = _load_recorded_up_card(state, len(state.lines) + 1)
    return {**line, "up": recorded.up} if recorded is not None else dict(line)


def find_up_card_warnings(state: CardState, hand: int, line: dict[str, Any]) -> list[str]:
    """Return a warning if the line's up card differs from the one recorded when it was turned."""
    entered = line.get("up")
    recorded = _load_recorded_up_card(state, hand) if entered else None
    if recorded is None or entered == recorded.up:
        return []
    when = local_time(recorded.turned_at, state.card.match.event.tournament)
    return [
        _("%(up)s was recorded as the up card of hand %(hand)s at %(when)s by %(by_name)s; this says %(said)s.")
        % {
            "up": format_card_symbol(recorded.up),
            "hand": hand,
            "when": when,
            "by_name": recorded.by_name,
            "said": format_card_symbol(str(entered)),
        }
    ]


def _load_recorded_up_card(state: CardState, hand: int) -> UpCard | None:
    return _choose_recorded_up_card(state, [up for up in _UP_CARDS_QUERY(state.card.pk) if up.hand == hand])


def _choose_recorded_up_card(state: CardState, recorded: Sequence[UpCard]) -> UpCard | None:
    """Return the up card that counts, or None if none was recorded (GRA 2012, singles 4).

    The scorekeeper's latest record counts. If the scorekeeper recorded no up card, the latest record by anyone else
    counts.
    """
    counting = [up for up in recorded if up.entrant_id == state.keeper_id] or recorded
    return counting[-1] if counting else None


_UP_CARDS_QUERY = PreparedQuery(lambda card: UpCard.objects.filter(card=card).select_related("entrant"))


# --- The state of a card for the ruling policy -----------------------------------------------------------------------


def load_game_standing(state: CardState) -> GameStanding:
    keeper = state.find_seat_of_entrant(state.keeper_id) if state.keeper_id is not None else None
    open_points = state.score.tally.open_points
    totals = {
        side: total + open_points.get(side, 0) for side, total in zip(state.letters, state.score.totals, strict=True)
    }
    return GameStanding(
        totals=totals | _load_totals_on_other_cards(state),
        low_wins=state.sheet.variant.low_wins,
        keeper=keeper.side if keeper else _find_scorekeepers_team(state),
        hands_played=len(state.lines),
        hands=state.sheet.variant.hand_limit,
        totals_announced=load_totals_announcement(state) is not None,
    )


def load_totals_announcement(state: CardState) -> TotalsAnnounced | None:
    """Return the scorekeeper's announcement of the totals before the last hand.

    Return None if there is no announcement yet, or the rules do not require one.
    """
    if not find_dispute_policy(state.sheet.rule_sheet.rules).announces:
        return None
    return TotalsAnnounced.objects.filter(card=state.card).last()


def must_announce_totals(state: CardState) -> bool:
    """Return whether the scorekeeper has to announce the totals now, before the last hand."""
    if not find_dispute_policy(state.sheet.rule_sheet.rules).announces or not state.score.accepts_hands:
        return False
    standing = load_game_standing(state)
    return standing.is_before_last_hand and not standing.totals_announced


def _load_totals_on_other_cards(state: CardState) -> dict[str, int]:
    """Return the totals on the other players' cards, keyed by entry number.

    The result is empty except in Court Whist, the only game with a card for each player.
    """
    event = state.card.match.event
    if state.variant.most_sides > 1 or not load_stage_traits(event).own_cards:
        return {}
    hall = load_whist_event_state(event)
    if hall is None:
        return {}
    own = {entrant.number for entrant in state.card.entrants}
    return {str(guest.number): guest.total for guest in hall.guests.values() if guest.number not in own}


def _find_scorekeepers_team(state: CardState) -> str:
    if state.keeper is None or state.is_single_game or len(state.letters) != len(Entrant.Side):
        return ""
    return dict(zip(Entrant.Side.values, state.letters, strict=True)).get(state.keeper.side, "")
