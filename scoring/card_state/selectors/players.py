"""Load matches with their current players, and the people who play and sign on each card."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Prefetch
from django.utils.translation import gettext as _

from pairing.draws.knockout.progress import BracketMatchProgress, BracketMatchState
from pairing.draws.stages.plan import StageKind
from pairing.draws.table_rounds import SeatedTable, TableRounds
from pairing.models import Match, TableCall
from pairing.stages.selectors.brackets import UpdatableBracket, load_updatable_bracket
from pairing.stages.selectors.course import EventStages, load_event_stages
from pairing.stages.selectors.kinds import RotatingSides, StageMatch
from pairing.stages.selectors.plans import load_stage_traits
from pairing.stages.selectors.records import VALID_MATCH_FILTER
from pairing.stages.selectors.tables import load_rotating_sides_match
from scoring.card_state.selectors.state import CardState
from scoring.models import Card, CardSeat, make_sides_key
from tournament.errors import Conflict, NotFound
from tournament.models import Entrant, Event, Member


@dataclass(frozen=True)
class SeatedMatch:
    """A match whose players are all known.

    `bracket_match` is set for a bracket match, `stage_match` for a match of a pool or play-off, and `table` for a table
    in a round. All three are None for any other match. `bracket` is loaded only for a write that will decide the match.
    """

    match: Match
    entrants: tuple[Entrant, ...]
    bracket_match: BracketMatchProgress | None = None
    table: SeatedTable | None = None
    stage_match: StageMatch | None = None
    bracket: UpdatableBracket | None = None

    @property
    def cards_key(self) -> str | None:
        """The `Card.sides_key` that selects the match's cards, or None to select all of its cards."""
        if self.bracket_match is None and self.table is None and self.stage_match is None:
            return None
        return make_sides_key(entrant.pk for entrant in self.entrants)

    @property
    def is_decided(self) -> bool:
        if self.table is not None:
            return self.table.is_decided
        if self.stage_match is not None:
            return self.stage_match.is_decided
        return self.bracket_match is not None and self.bracket_match.state is BracketMatchState.DECIDED

    @property
    def has_two_entrants(self) -> bool:
        """Whether two entrants play against each other, so that one of them wins."""
        return self.bracket_match is not None or self.stage_match is not None

    @property
    def winner(self) -> int | None:
        """The entry number of the recorded winner, or None if the match is open or was decided without play."""
        if self.stage_match is not None:
            outcome = self.stage_match.meeting.outcome
            return None if outcome is None or self.stage_match.is_decided_without_result else outcome.winner
        if self.bracket_match is None or not self.is_decided or self.bracket_match.is_decided_without_result:
            return None
        return self.bracket_match.winner

    @property
    def advancing_entry(self) -> int | None:
        """The entry number of the entrant who advances, with or without playing, or None if the match is open."""
        if self.stage_match is not None:
            outcome = self.stage_match.meeting.outcome
            return None if outcome is None else outcome.winner
        return self.bracket_match.winner if self.bracket_match is not None and self.is_decided else None

    @property
    def is_decided_without_play(self) -> bool:
        """Whether the match was decided without a recorded result, because an entrant is out of the event."""
        if self.stage_match is not None:
            return self.stage_match.is_decided_without_result
        return self.bracket_match is not None and self.is_decided and self.bracket_match.is_decided_without_result

    @property
    def has_no_recorded_result(self) -> bool:
        """Whether the loaded data shows that no result was ever recorded for this match."""
        return self.bracket is not None and not self.bracket.has_result(self.match)

    @property
    def has_missing_players(self) -> bool:
        """Whether somebody who was assigned to the table is no longer playing."""
        return self.table is not None and len(self.entrants) < len(self.table.entries)

    @property
    def names(self) -> str:
        """The names of the players, such as “Ann – Bob”."""
        return " – ".join(entrant.name for entrant in self.entrants)


# --- Load one match --------------------------------------------------------------------------------------------------


def load_seated_match(match: Match) -> SeatedMatch:
    """Return a match with its current players.

    Raises:
        Conflict: `no-opponent`: an opponent is not known yet, or the match has only one side.
    """
    progress = load_event_stages(match.event).progress
    view = progress.views.get(match.ident) if progress else None
    if view is None and load_stage_traits(match.event).two_meet:
        return _load_pool_or_play_off_match(match)
    if view is None:
        rounds = load_event_stages(match.event).rounds
        found = rounds.find_table(match.ident) if rounds else None
        return _load_table_matches(match.event, [found[1]])[0] if found else _load_match_by_cards(match)
    if len(view.entries) != 2:
        raise _make_no_opponent_error()
    return _make_bracket_matches(match.event, [view], {match.ident: match})[0]


def load_match_to_decide(card: Card) -> SeatedMatch:
    """Return a card's match with its players, for a write that may decide the match.

    Raises the same errors as `load_seated_match`.
    """
    match = card.match
    if not load_stage_traits(match.event).two_meet:
        return load_seated_match(match)
    bracket = load_updatable_bracket(match)
    view = bracket.progress.views.get(match.ident) if bracket is not None else None
    if bracket is None or view is None:
        return _load_pool_or_play_off_match(match)
    if len(view.entries) != 2:
        raise _make_no_opponent_error()
    match.stage = bracket.stage
    seated = {entrant.number: entrant for entrant in card.entrants}
    if not seated.keys() >= set(view.entries):
        seated = {entrant.number: entrant for entrant in match.event.entrants.filter(number__in=view.entries)}
    return SeatedMatch(match, tuple(seated[number] for number in view.entries), view, bracket=bracket)


def _load_pool_or_play_off_match(match: Match) -> SeatedMatch:
    """Return a match of a pool or play-off.

    Raises Conflict for a bye or a penalty, because these have only one side.
    """
    found = load_event_stages(match.event).find_match(match.ident)
    if found is None or len(found[1].meeting.sides) != 2:
        raise _make_no_opponent_error()
    return _load_pool_and_play_off_matches(match.event, [found[1]])[0]


def _load_pool_and_play_off_matches(event: Event, duels: Sequence[StageMatch]) -> list[SeatedMatch]:
    rows = event.matches.filter(VALID_MATCH_FILTER, pk__in=[duel.row for duel in duels]).select_related(
        "event__tournament"
    )
    matches = {match.pk: match for match in rows.prefetch_related("seats__entrant")}
    return [
        SeatedMatch(matches[duel.row], tuple(seat.entrant for seat in matches[duel.row].seats.all()), stage_match=duel)
        for duel in duels
    ]


def _load_match_by_cards(match: Match) -> SeatedMatch:
    """Return a match that is not in a bracket, pool, play-off, or round at tables.

    The match's players are the entrants on its cards. One example is the single match of an event with rotating sides.
    """
    seats = CardSeat.objects.filter(card__match=match, entrant__isnull=False).select_related("entrant")
    seated = {seat.entrant_id: seat.entrant for seat in seats.order_by("card_id", "position")}
    if not seated and not Card.objects.filter(match=match).exists():
        raise _make_no_opponent_error()
    return SeatedMatch(match, tuple(entrant for entrant in seated.values() if entrant is not None))


def load_match_players(match: Match) -> tuple[Entrant, ...]:
    """Return the players of a match. If no seats are assigned, return all of the event's entrants."""
    entrants = load_seated_match(match).entrants
    return entrants or tuple(match.event.entrants.filter(state=Entrant.State.IN).order_by("number"))


def _make_no_opponent_error() -> Conflict:
    return Conflict("no-opponent", _("The players of this match are not known yet. Look at the bracket."))


# --- Load many matches -----------------------------------------------------------------------------------------------


def load_ready_seated_matches(event: Event, bracket: UpdatableBracket | None = None) -> list[SeatedMatch]:
    """Return every match that can be played at this moment, in the order of the bracket."""
    progress = bracket.progress if bracket is not None else None
    if progress is None:
        course = load_event_stages(event)
        progress = course.progress
        if course.rounds is not None:
            return _load_table_matches(event, course.rounds.ready_tables)
        if course.stages and progress is None:
            return _load_pool_and_play_off_matches(
                event, [course.current_stage.matches[ident] for ident in course.current_stage.ready_matches]
            )
    ready = [view for view in progress.ready if len(view.entries) == 2] if progress else []
    known = (
        bracket.load_entrants({number for view in ready for number in view.entries}) if bracket is not None else None
    )
    return _make_bracket_matches(event, ready, _load_counting_matches(event, [view.match.id for view in ready]), known)


def load_entrant_matches(entrant: Entrant) -> list[SeatedMatch]:
    """Return an entrant's matches with known opponents, in the order of rounds."""
    return _load_matches_of_entrants(entrant.event, [entrant])[entrant.pk]


def load_matches_by_entrant(event: Event, everybody: Collection[Entrant]) -> dict[int, list[SeatedMatch]]:
    """Return each entrant's matches with known opponents, keyed by the entrant's primary key."""
    return _load_matches_of_entrants(event, everybody, {who.number: who for who in everybody})


def _load_matches_of_entrants(
    event: Event, entrants: Collection[Entrant], known: Mapping[int, Entrant] | None = None
) -> dict[int, list[SeatedMatch]]:
    course = load_event_stages(event)
    if course.rounds is not None:
        return _load_table_matches_of_entrants(event, entrants, course.rounds)
    if course.rotating_sides is not None:
        of_sides = [SeatedMatch(load_rotating_sides_match(course.rotating_sides), ())]
        return {who.pk: of_sides if course.rotating_sides.is_present(who.number) else [] for who in entrants}
    pairs = [one for stage in course.stages for one in stage.matches.values() if len(one.meeting.sides) == 2]
    duels = {who.pk: [one for one in pairs if who.number in one.meeting.sides] for who in entrants}
    ways = {who.pk: _find_bracket_matches(course, who.number) for who in entrants}
    played = {one.row: one for each in duels.values() for one in each}
    coming = {view.match.id: view for each in ways.values() for view in each}
    before = {one.match.pk: one for one in _load_pool_and_play_off_matches(event, list(played.values()))}
    found = _make_bracket_matches(event, list(coming.values()), _load_counting_matches(event, list(coming)), known)
    after = {one.match.ident: one for one in found}
    return {
        pk: [before[one.row] for one in own] + [after[view.match.id] for view in ways[pk] if view.match.id in after]
        for pk, own in duels.items()
    }


def _load_table_matches_of_entrants(
    event: Event, entrants: Collection[Entrant], rounds: TableRounds
) -> dict[int, list[SeatedMatch]]:
    own = {who.pk: [table for _round, table in rounds.list_tables_of_entry(who.number)] for who in entrants}
    seated = {table.match: table for tables in own.values() for table in tables}
    found = {meeting.match.ident: meeting for meeting in _load_table_matches(event, list(seated.values()))}
    each = {who.pk: [found[table.match] for table in own[who.pk]] for who in entrants}
    return {who.pk: [one for one in each[who.pk] if who in one.entrants] for who in entrants}


def _find_bracket_matches(course: EventStages, number: int) -> list[BracketMatchProgress]:
    """Return an entrant's bracket matches with known opponents."""
    if course.progress is None or number not in course.progress.bracket.entries:
        return []
    return [view for view in course.progress.list_matches_of_entry(number) if len(view.entries) == 2]


def _load_table_matches(event: Event, seated: Sequence[SeatedTable]) -> list[SeatedMatch]:
    """Return the matches at these tables with their players.

    If a match has a started card, its players are those on the card. Otherwise, they are the seated entrants who are
    still in the event.
    """
    begun = Card.objects.filter(lines__isnull=False).distinct()
    matches = {
        match.ident: match
        for match in event.matches.filter(VALID_MATCH_FILTER, ident__in=[table.match for table in seated])
        .select_related("event__tournament")
        .prefetch_related("seats__entrant", Prefetch("cards", begun.prefetch_related("seats__entrant")))
    }
    return [
        SeatedMatch(matches[table.match], _list_present_players(matches[table.match]), table=table) for table in seated
    ]


def _list_present_players(match: Match) -> tuple[Entrant, ...]:
    for card in match.cards.all():
        if card.entrants:
            return card.entrants
    seated = [seat.entrant for seat in match.seats.all()]
    return tuple(entrant for entrant in seated if entrant.state == Entrant.State.IN) or tuple(seated)


def _load_counting_matches(event: Event, idents: list[str]) -> dict[str, Match]:
    found = Match.objects.filter(VALID_MATCH_FILTER, event=event, draw__posted__isnull=False, ident__in=idents)
    return {match.ident: match for match in found.select_related("event__tournament")}


def _make_bracket_matches(
    event: Event,
    views: list[BracketMatchProgress],
    matches: dict[str, Match],
    known: Mapping[int, Entrant] | None = None,
) -> list[SeatedMatch]:
    entrants = known
    if entrants is None:
        numbers = {number for view in views for number in view.entries}
        entrants = {entrant.number: entrant for entrant in event.entrants.filter(number__in=numbers)}
    return [
        SeatedMatch(matches[view.match.id], tuple(entrants[number] for number in view.entries), view)
        for view in views
        if view.match.id in matches
    ]


# --- Tables of matches -----------------------------------------------------------------------------------------------


def load_match_at_table(event: Event, table: int) -> SeatedMatch:
    """Return the match in play at a table.

    Raises:
        NotFound: nobody is playing there.
    """
    ready = load_ready_seated_matches(event)
    tables = load_match_tables(meeting.match.pk for meeting in ready)
    for meeting in ready:
        if tables.get(meeting.match.pk) == table:
            return meeting
    raise NotFound(
        "no-table", _("Nobody is playing at table %(table)s now. Look at the list of score cards.") % {"table": table}
    )


def count_matches_without_table(event: Event) -> int:
    """Return how many of the matches that can be played at this moment have no table.

    These are the matches of `load_ready_seated_matches`, but this function does not load their players.
    """
    course = load_event_stages(event)
    if course.rounds is not None:
        ready = [table.match for table in course.rounds.ready_tables]
    elif course.progress is not None:
        ready = [view.match.id for view in course.progress.ready if len(view.entries) == 2]
    elif course.stages:
        ready = list(course.current_stage.ready_matches)
    else:
        return 0
    found = list(event.matches.filter(VALID_MATCH_FILTER, ident__in=ready).values_list("pk", flat=True))
    tables = load_match_tables(found)
    return sum(not tables.get(pk) for pk in found)


def load_match_tables(matches: Iterable[int]) -> dict[int, int | None]:
    calls = TableCall.objects.filter(match__in=list(matches)).order_by("pk")
    return dict(calls.values_list("match_id", "table"))


# --- Seats in a round of a rotation event ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RoundSeat:
    """A player's seat in a round. `table` is None if the player sits out, and `partner` is empty if there is none."""

    round: int
    table: int | None = None
    partner: str = ""
    against: tuple[str, ...] = ()


def load_round_seat(entrant: Entrant) -> RoundSeat | None:
    """Return an entrant's seat in the current round.

    Returns None before the draw, in an event of another format, and for an entrant who was not drawn or has left.
    """
    rotating_sides = load_event_stages(entrant.event).rotating_sides
    if rotating_sides is None or not rotating_sides.is_present(entrant.number):
        return None
    current = rotating_sides.current_round
    for table, numbers in enumerate(current.tables, start=1):
        if entrant.number in numbers:
            return _make_round_seat(rotating_sides, table, numbers, entrant.number)
    return RoundSeat(current.round)


def _make_round_seat(rotating_sides: RotatingSides, table: int, numbers: list[int], own: int) -> RoundSeat:
    """Return a player's seat at a table.

    A table has two players in a couples event, and two pairs in Court Whist.
    """
    place, number = numbers.index(own), rotating_sides.current_round.round
    if not StageKind(rotating_sides.stage.kind).traits.own_cards:
        return RoundSeat(number, table, "", (rotating_sides.name(numbers[1 - place]),))
    partner = numbers[place + 1 if place % 2 == 0 else place - 1]
    against = numbers[2:] if place < 2 else numbers[:2]
    return RoundSeat(number, table, rotating_sides.name(partner), tuple(map(rotating_sides.name, against)))


# --- Teams to sign for -----------------------------------------------------------------------------------------------


def find_teams_to_sign_for(state: CardState, entrant: Entrant) -> list[CardSeat]:
    """Return the teams on the card for which an entrant can sign.

    This is the entrant's team, or every team if the entrant belongs to none.
    """
    teams = [seat for seat in state.seats if seat.entrant_id is None]
    if not entrant.side:
        return teams
    return [seat for seat in teams if seat.position == Entrant.Side.values.index(entrant.side)]


# --- Substitutes -----------------------------------------------------------------------------------------------------
# A started card keeps its names, so pages say who plays for whom.


@dataclass(frozen=True, slots=True)
class Substitution:
    """A substitution, with the names of the substitute and of the player who was replaced.

    `at` is the time of the change, and `entrant` is the entry's primary key.
    """

    entrant: int
    replaced_name: str
    substitute_name: str
    at: datetime


def load_substitutions(states: Collection[CardState]) -> dict[int, tuple[Substitution, ...]]:
    """Return the substitutions on each card with a single query, keyed by the card's primary key.

    Only substitutions between the card's first line and its posting are included.
    """
    seated = {
        seat.entrant_id for state in states if _find_card_start_time(state) for seat in state.seats if seat.entrant_id
    }
    if not seated:
        return {}
    rows = Member.objects.filter(entrant__in=seated, replaces__isnull=False).select_related(
        "player", "replaces__player"
    )
    by_entrant: dict[int, list[Substitution]] = defaultdict(list)
    for row in rows.order_by("pk"):
        assert row.replaces is not None
        found = Substitution(row.entrant_id, str(row.replaces.player), str(row.player), row.at)
        by_entrant[row.entrant_id].append(found)
    if not by_entrant:
        return {}
    each = {state.card.pk: tuple(_list_substitutions(state, by_entrant)) for state in states}
    return {card: found for card, found in each.items() if found}


def _list_substitutions(state: CardState, by_entrant: dict[int, list[Substitution]]) -> list[Substitution]:
    begun = _find_card_start_time(state)
    until = state.posted_or_closed_at if state.is_posted else None
    found = [one for seat in state.seats for one in by_entrant.get(seat.entrant_id or 0, ())]
    return [one for one in found if begun and one.at >= begun and (until is None or one.at <= until)]


def _find_card_start_time(state: CardState) -> datetime | None:
    facts = (*state.facts.lines[:1], *state.facts.closings[:1])
    return min((fact.at for fact in facts), default=None)
