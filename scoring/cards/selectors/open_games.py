"""The open games of an event, and how the event's rule would end each if time were called."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from pairing.draws.knockout.bracket import Part
from pairing.stages.selectors.course import load_course
from pairing.stages.selectors.rotation import load_match_of_sides
from scoring.card_state.selectors.cards import CardState, card_state_of, cards_with_facts
from scoring.card_state.selectors.players import SeatedMatch, load_ready_meetings
from scoring.card_state.selectors.written_card import counts_totals, to_closing
from scoring.models import CardClosed, RuleSheet
from scoring.posting.selectors.results import games_with_penalties, games_won, load_lost_games
from scoring.rules.sheet.closing import ClosingRule, ClosingVerdict, judge_closing
from scoring.rules.sheet.sheets import takes_totals
from tournament.models import Event

Rule = CardClosed.Rule


RULES_FOR_TOTALS: Final = (Rule.LEADER, Rule.LAST_HAND)
"""The rules that apply at a table with totals. For the others, the director decides that the totals count."""


PART_NAMES: Final = {
    Part.WINNERS: gettext_lazy("Winners' bracket, round %(number)s"),
    Part.LOSERS: gettext_lazy("Losers' bracket, round %(number)s"),
    Part.FINAL: gettext_lazy("Final, match %(number)s"),
}


@dataclass(frozen=True)
class OpenGame:
    """The open card of a match in play, and the games won before in the match, by the letters of this card."""

    meeting: SeatedMatch
    state: CardState
    games: dict[str, int]

    @property
    def rule(self) -> str:
        return rule_for(self.state)

    @property
    def proposed(self) -> ClosingVerdict:
        """The verdict of the closing, or the one that the event's rule would give."""
        if self.state.score.verdict is not None:
            return self.state.score.verdict
        fact = make_closing(self.state, self.rule, self.games)
        return judge_closing(self.state.named_sheet, to_closing(fact, self.state.by_letter))

    @property
    def seen(self) -> str:
        """A short form of the sheet, to notice changes between showing the page and closing the game."""
        return snapshot_of(self.state)

    @property
    def takes_totals(self) -> bool:
        """Whether totals can be typed from paper: the card is empty, and two play."""
        if not self.state.is_game or len(self.state.seats) != 2 or self.state.lines:
            return False
        return takes_totals(self.state.sheet.variant)

    @property
    def games_said(self) -> str:
        """The games won before: “1–0”, or "" if there are none."""
        return "–".join(map(str, self.games.values())) if any(self.games.values()) else ""

    @property
    def group(self) -> str:
        """The stage, the round of the bracket, or the round at tables, for grouping the list."""
        meeting = self.meeting
        if meeting.duel is not None:
            return meeting.match.stage.name
        if meeting.view is not None and meeting.view.match.part is not None:
            return PART_NAMES[meeting.view.match.part] % {"number": meeting.match.round}
        return _("Round %(number)s") % {"number": meeting.match.round}


def load_open_games(event: Event, card: str = "") -> list[OpenGame]:
    """Load the open games in the order of the matches, with a constant number of queries.

    With `card` (a token) only that game is returned.
    """
    turning = load_course(event).turning
    ready = [SeatedMatch(load_match_of_sides(turning), ())] if turning else load_ready_meetings(event)
    meetings = {meeting.match.pk: meeting for meeting in ready}
    cards = cards_with_facts().filter(match__in=list(meetings))
    by_match: dict[int, list[CardState]] = {}
    for state in map(card_state_of, cards.order_by("match__round", "match__position", "game", "pk")):
        if state.card.sides_key == (meetings[state.card.match_id].key or state.card.sides_key):
            by_match.setdefault(state.card.match_id, []).append(state)
    several = {state.card.match for states in by_match.values() for state in states if state.games_to_win > 1}
    lost = load_lost_games(several) if several else {}
    found = []
    for pk, states in by_match.items():
        waiting = [state for state in states if not state.is_posted and not state.score.tally.complete]
        for state in waiting if turning else waiting[:1]:
            if card in ("", state.card.token):
                found.append(OpenGame(meetings[pk], state, games_before(states, state, lost.get(pk))))
    return found


def games_before(cards: Iterable[CardState], state: CardState, lost: Counter[int] | None = None) -> dict[str, int]:
    """Return the games won in the match before this card, by the letters of its seats.

    `lost` has the games that each entrant lost by penalties.
    """
    won = games_won(list(cards))
    seats = {seat.entrant_id: seat.side for seat in state.seats if seat.entrant_id is not None}
    if lost and len(seats) == 2:
        one, other = seats
        won = games_with_penalties(won, lost, (one, other))
    return {side: won[entrant] for entrant, side in seats.items()}


def rule_for(state: CardState) -> str:
    """Return the event's rule for this card. It is the director if totals count and the event's rule cannot apply."""
    rule = state.card.sheet.unfinished
    is_for_event = not state.is_game and state.card.match.seating_id is None
    if counts_totals(state.card) and (is_for_event or rule not in RULES_FOR_TOTALS):
        return RuleSheet.Unfinished.DIRECTOR.value
    return rule


def make_closing(state: CardState, rule: str, games: dict[str, int], *, between_hands: bool = False) -> CardClosed:
    """Return an unsaved closing of the card as it is.

    The rule of the last hand waits for the hand in play, unless `between_hands`. An empty card without a scorekeeper
    does not wait: it is kept on paper, or nobody has played.
    """
    waits = rule == ClosingRule.LAST_HAND and not between_hands and (state.lines or state.keeper_id is not None)
    return CardClosed(
        card=state.card,
        cause=CardClosed.Cause.TIME,
        rule=rule,
        hands=len(state.lines) + 1 if waits else None,
        games=games if any(games.values()) else {},
    )


def snapshot_of(state: CardState) -> str:
    """Return the number of hands, the totals and the closing, to notice a hand that is recorded in the meantime."""
    closing = state.closing.pk if state.closing else 0
    return f"{len(state.lines)}:{state.score.figures}:{closing}"
