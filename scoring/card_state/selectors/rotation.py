"""Load the tables and cards of couples tournaments and Court Whist, in which a score card covers all rounds."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Any

from django.utils.translation import gettext as _

from pairing.models import Seating
from pairing.stages.selectors.course import load_event_stages
from pairing.stages.selectors.kinds import RotatingSides
from pairing.stages.selectors.plans import load_stage_traits
from scoring.card_state.selectors.cards import load_match_cards
from scoring.card_state.selectors.state import CardState
from scoring.rules.variants.court_whist import HANDS_PER_GAME, WHIST_GAMES, WhistGame
from scoring.rules.variants.metzker.couples import RoundTally
from tournament.errors import NotFound
from tournament.models import Entrant, Event

_LAST_WHIST_GAME = max(WHIST_GAMES)


# --- The worksheet of a couples event --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CouplesWorksheetTable:
    """A table with the two players who sit at it. Tables are numbered from 1."""

    table: int
    left: Entrant
    right: Entrant

    @property
    def players(self) -> tuple[Entrant, Entrant]:
        return self.left, self.right


@dataclass(frozen=True)
class CouplesWorksheet:
    """The tables and the card of a couples event. `state` is None until play starts."""

    rotating_sides: RotatingSides
    state: CardState | None

    @property
    def is_over(self) -> bool:
        return self.state is not None and self.state.is_complete

    @property
    def round_number(self) -> int:
        """The number of the current round. Rounds that were struck out still count."""
        entered = self.state.entered if self.state else ()
        return max((one.fact.number for one in entered), default=0) + 1

    @property
    def seating(self) -> Seating | None:
        """The table assignments for the current round, or None if there are none yet or play is over."""
        return None if self.is_over else self.rotating_sides.find_round(self.round_number)

    @property
    def couples(self) -> tuple[CouplesWorksheetTable, ...]:
        return self.make_tables(self.seating)

    def make_tables(self, seating: Seating | None) -> tuple[CouplesWorksheetTable, ...]:
        people = self.rotating_sides.people
        tables = seating.tables if seating is not None else []
        return tuple(
            CouplesWorksheetTable(place, people[left], people[right])
            for place, (left, right) in enumerate(tables, start=1)
        )

    @property
    def players_sitting_out(self) -> tuple[Entrant, ...]:
        """Players who sit out the round because their partner has left."""
        return tuple(self.rotating_sides.people[number] for number in self.seating.sits_out) if self.seating else ()

    @property
    def last_round_tally(self) -> RoundTally | None:
        counted = self.state.score.rows[-1].line_tally if self.state and self.state.score.rows else None
        return counted if isinstance(counted, RoundTally) else None

    @property
    def dealing_side(self) -> str:
        """The side that deals the current round, or "" if a couple still has to cut for the deal."""
        drawn = next((name for name, _role in self.state.draw.named_roles), "") if self.state else ""
        return (self.last_round_tally.dealers if self.last_round_tally else None) or drawn


def load_couples_worksheet(event: Event) -> CouplesWorksheet | None:
    """Return a couples event's worksheet, or None before the draw is posted.

    Raises:
        NotFound: `no-worksheet`: the event has another format.
    """
    if not load_stage_traits(event).one_card or load_stage_traits(event).own_cards:
        raise NotFound(
            "no-worksheet", _("This event is not played by couples, so it has no worksheet. Look at its score cards.")
        )
    rotating_sides = load_event_stages(event).rotating_sides
    if rotating_sides is None:
        return None
    cards = load_match_cards(rotating_sides.match)
    return CouplesWorksheet(rotating_sides, cards[0] if cards else None)


# --- Court Whist -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class WhistPlayer:
    """A Court Whist player with their own card. `plays` is False once they have left the event."""

    entrant: Entrant
    state: CardState
    plays: bool

    @property
    def number(self) -> int:
        return self.entrant.number

    @property
    def name(self) -> str:
        return self.entrant.name

    @property
    def total(self) -> int:
        return self.state.score.totals[0]

    @cached_property
    def hands(self) -> Mapping[tuple[int, int], dict[str, Any]]:
        return {(fact.line["game"], fact.line["hand"]): fact.line for fact in self.state.lines if fact.line is not None}

    def has_all_hands(self, game: int) -> bool:
        """Return whether all four hands of a game are on the player's card."""
        return all((game, hand) in self.hands for hand in range(1, HANDS_PER_GAME + 1))

    def get_points_in_game(self, game: int) -> int:
        points: int = self.state.score.tally.variant_fields["games"][game - 1]
        return points

    @property
    def games(self) -> tuple[int | None, ...]:
        """The points in each game, or None for a game that is not on the card yet."""
        begun = {game for game, _hand in self.hands}
        return tuple(self.get_points_in_game(game) if game in begun else None for game in WHIST_GAMES)


@dataclass(frozen=True, slots=True)
class WhistGameTable:
    """A table in one game, with two couples of a man and a lady. Tables are numbered from 1."""

    game: int
    number: int
    couples: tuple[tuple[WhistPlayer, WhistPlayer], tuple[WhistPlayer, WhistPlayer]]

    @property
    def players(self) -> tuple[WhistPlayer, ...]:
        return tuple(guest for couple in self.couples for guest in couple)

    @property
    def is_entered(self) -> bool:
        """Whether each player at the table who has not left the event has all hands of this game on their card."""
        return all(guest.has_all_hands(self.game) or not guest.plays for guest in self.players)

    @property
    def has_recorded_hands(self) -> bool:
        return any((self.game, hand) in guest.hands for guest in self.players for hand in range(1, HANDS_PER_GAME + 1))

    def find_best_players(self, side: int) -> tuple[WhistPlayer, ...]:
        """Return the men (0) or ladies (1) with the most points in this game.

        If several are tied, all of them are returned.
        """
        own = [couple[side] for couple in self.couples]
        here = [guest for guest in own if guest.plays] or own
        most = max(guest.get_points_in_game(self.game) for guest in here)
        return tuple(guest for guest in here if guest.get_points_in_game(self.game) == most)


@dataclass(frozen=True, slots=True)
class WhistStanding:
    """A player's place in the Court Whist standings.

    `games` contains the points in each game, or None for a game that is not on the card yet.
    """

    place: int
    guest: WhistPlayer
    side: str
    games: tuple[int | None, ...]


@dataclass(frozen=True)
class WhistEventState:
    """A Court Whist event's tables, cards and standings.

    `guests` maps entry numbers to players. It is empty until play starts.
    """

    rotating_sides: RotatingSides
    guests: Mapping[int, WhistPlayer]

    @property
    def seating(self) -> Seating:
        return self.rotating_sides.current_round

    @property
    def current_game(self) -> WhistGame:
        return WHIST_GAMES[self.seating.round]

    @property
    def tables(self) -> tuple[WhistGameTable, ...]:
        return self.make_tables(self.seating)

    def make_tables(self, seating: Seating) -> tuple[WhistGameTable, ...]:
        if not self.guests:
            return ()
        return tuple(
            WhistGameTable(seating.round, place, ((self.guests[a], self.guests[b]), (self.guests[c], self.guests[d])))
            for place, (a, b, c, d) in enumerate(seating.tables, start=1)
        )

    @property
    def players_sitting_out(self) -> tuple[Entrant, ...]:
        return tuple(self.rotating_sides.people[number] for number in self.seating.sits_out)

    @property
    def is_game_entered(self) -> bool:
        return bool(self.guests) and all(table.is_entered for table in self.tables)

    @property
    def is_over(self) -> bool:
        return self.current_game.number == _LAST_WHIST_GAME and self.is_game_entered

    @property
    def players_without_signature(self) -> tuple[WhistPlayer, ...]:
        return tuple(guest for guest in self.guests.values() if guest.state.is_complete and not guest.state.is_posted)

    @cached_property
    def standings(self) -> tuple[WhistStanding, ...]:
        """All players who are still in the event, ordered by grand total. Tied players share a place."""
        here = [guest for guest in self.guests.values() if guest.plays]
        ranked = sorted(here, key=lambda guest: (-guest.total, guest.number))
        found: list[WhistStanding] = []
        for _total, equal in groupby(ranked, key=lambda guest: guest.total):
            place = len(found) + 1
            found += [
                WhistStanding(place, guest, self.rotating_sides.get_side_name(guest.number), guest.games)
                for guest in equal
            ]
        return tuple(found)


def load_whist_event_state(event: Event) -> WhistEventState | None:
    """Return the event's tables and cards, or None before the draw is posted.

    Raises:
        NotFound: `no-whist`: the event has another format.
    """
    if not load_stage_traits(event).own_cards:
        raise NotFound("no-whist", _("This event is not Court Whist. Look at its rules."))
    rotating_sides = load_event_stages(event).rotating_sides
    if rotating_sides is None:
        return None
    guests = {}
    for state in load_match_cards(rotating_sides.match):
        number = state.sides[0].number
        if number is not None:
            guests[number] = WhistPlayer(rotating_sides.people[number], state, rotating_sides.is_present(number))
    return WhistEventState(rotating_sides, guests)
