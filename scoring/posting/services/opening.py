"""Start play, and open score cards for the first matches, for matches that become ready, and for further games."""

import secrets
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from django.db import transaction
from django.db.models import OuterRef, Subquery
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _

from pairing.desk.services.sending import call_ready_matches, send_suggested_pairs
from pairing.draws.stages.plan import StageKind
from pairing.models import Seating
from pairing.stages.selectors.brackets import UpdatableBracket
from pairing.stages.selectors.course import load_event_stages
from pairing.stages.selectors.plans import load_event_plan, load_stage_traits
from pairing.stages.selectors.tables import load_rotating_sides_match
from pairing.stages.services.tables import post_previewed_seating
from scoring.card_state.selectors.cards import load_match_cards
from scoring.card_state.selectors.players import SeatedMatch, load_ready_seated_matches, load_seated_match
from scoring.models import Card, CardClosed, CardPosted, CardSeat, RuleSheet, RuleSheetFrozen, SheetLine, make_sides_key
from scoring.posting.selectors.results import load_match_restart_times
from scoring.rules.variants import VARIANTS
from scoring.rulesheets.selectors import (
    find_default_variant,
    load_current_rule_sheet,
    load_special_lengths_by_match,
    make_default_rule_sheet,
)
from scoring.rulesheets.services import ChosenRules, _add_version, update_table_rules
from tournament.core.permissions import Actor, require_permission
from tournament.core.services.record import WriteTransaction, writing
from tournament.core.topics import record_bulk_created_rows
from tournament.errors import Conflict
from tournament.models import Event
from tournament.setup.services.tournaments import change_event_state

CARD_TOKEN_BYTE_COUNT = 9
"""The length of a card's token in bytes: too long to guess, and short enough for a small QR code."""


# --- Start play and begin rounds -------------------------------------------------------------------------------------


def start_play(event: Event, *, by: Actor, key: str = "") -> Event:
    """Start play in an event with a draw.

    This freezes and publishes its rule sheet, and opens a card for every ready match.
    """
    require_permission(by, "direct", event.tournament)
    with writing(event, verb="event.play-started", by=by, key=key) as write:
        if write.repeated:
            return write.the_event
        change_event_state(write, write.the_event, Event.State.IN_PLAY)
        sheet = load_current_rule_sheet(write.the_event)
        if sheet is None:
            usual = make_default_rule_sheet(write.the_event)
            sheet = _add_version(write, ChosenRules(usual.variant, usual.options, usual.games_to_win))
        RuleSheetFrozen.objects.get_or_create(event=write.the_event, defaults={"sheet": sheet, **write.fact_fields()})
        update_table_rules(write, sheet)
        opened = open_ready_cards(write, refuses_unfit=True)
        write.about(write.the_event, sheet=sheet.pk, cards=len(opened))
        return write.the_event


def start_play_and_assign_tables(event: Event, first: int, last: int, *, by: Actor, key: str = "") -> int:
    """Start play, and send all ready matches to free tables from `first` to `last`. Return how many were sent.

    If there is an error, nothing is written. If the draw assigned the tables, no match is sent. If the desk makes the
    pairings, the first suggested pairs are sent to the event's own tables.
    """
    with transaction.atomic():
        begun = start_play(event, by=by, key=key)
        if are_tables_assigned_by_draw(begun):
            return 0
        if load_event_plan(begun).desk_stages:
            return send_suggested_pairs(begun, by=by, key=key)
        return call_ready_matches(begun, first, last, by=by)


def are_tables_assigned_by_draw(event: Event) -> bool:
    traits = load_stage_traits(event)
    return traits.at_tables or traits.one_card


def begin_round(event: Event, *, by: Actor, key: str = "") -> Seating:
    """Post the prepared table assignments, and open a card for every table if the event is in play.

    Raises:
        Conflict: `no-seating`, `list-changed`, `wrong-sides`.
    """
    require_permission(by, "direct", event.tournament)
    with writing(event, verb="round.begun", by=by, key=key) as write:
        if write.repeated:
            return Seating.objects.get(pk=write.outcome["seating"])
        seating = post_previewed_seating(write)
        opened = open_ready_cards(write, refuses_unfit=True)
        write.about(seating, cards=len(opened))
        return seating


# --- Open cards ------------------------------------------------------------------------------------------------------


def get_or_open_card(meeting: SeatedMatch, game: int, *, by: Actor) -> Card:
    """Return the card for a game of a match. If there is none, open one. Two simultaneous requests get the same card.

    Raises:
        Conflict: `not-in-play`, or `sides-changed` and `match-decided` if the caller's data is out of date.
    """
    found = _find_card(meeting, game)
    if found is not None:
        return found
    with writing(meeting.match.event, verb="card.opened", by=by) as write:
        if write.the_event.state != Event.State.IN_PLAY:
            raise Conflict("not-in-play", _("Score cards open when play starts. Wait for the director to start play."))
        locked = meeting if meeting.cards_key is None else load_seated_match(meeting.match)
        if locked.cards_key != meeting.cards_key:
            raise Conflict("sides-changed", _("The match has other players now. Look at the bracket again."))
        if locked.is_decided:
            raise Conflict("match-decided", _("This match is decided. Load the page again to see the result."))
        card = _find_card(locked, game) or _open_card(locked, game, _load_sheet_of_match(write.the_event, locked))
        write.about(card, card=card.pk, game=game)
        return card


def open_ready_cards(write: WriteTransaction, *, refuses_unfit: bool = False) -> list[Card]:
    """Open a card for every ready match that needs one. Call this inside a write transaction.

    Every service that makes matches ready must call this, so that the desk's lists are complete. It opens no cards
    unless the event is in play.

    Raises:
        Conflict: `wrong-sides`: `refuses_unfit` is true, and the rules do not fit the number of players. If it is
            false, such a match gets no card until the rules are changed.
    """
    if write.the_event.state != Event.State.IN_PLAY:
        return []
    if load_stage_traits(write.the_event).one_card:
        return _open_rotation_cards(write.the_event, refuses_unfit=refuses_unfit)
    return _open_missing_cards(write, load_ready_seated_matches(write.the_event), refuses_unfit=refuses_unfit)


def open_ready_bracket_cards(write: WriteTransaction, bracket: UpdatableBracket | None) -> list[Card]:
    """Open the cards of ready matches, as `open_ready_cards` does, for a bracket that is already loaded."""
    if bracket is None:
        return open_ready_cards(write)
    return _open_missing_cards(write, load_ready_seated_matches(write.the_event, bracket))


def open_missing_cards(event: Event, *, by: Actor) -> int:
    """Open cards for matches that a walkover made ready, so that they can be printed. Return how many were opened."""
    require_permission(by, "look", event.tournament)
    with writing(event, verb="cards.opened", by=by) as write:
        opened = open_ready_cards(write, refuses_unfit=True)
        write.about(event, cards=len(opened))
        return len(opened)


def open_next_card(meeting: SeatedMatch, game: int, sheet: RuleSheet) -> Card:
    """Return the card for this game of a match. If there is none, open it. Call this inside a write transaction.

    `sheet` is the rule sheet of the match's first game, which applies to all its games.
    """
    return _find_card(meeting, game) or _open_card(meeting, game, sheet)


def has_too_few_players(meeting: SeatedMatch, sheet: RuleSheet) -> bool:
    """Return whether too few players remain for these rules, so that the desk has to close the table."""
    return meeting.has_missing_players and len(meeting.entrants) < VARIANTS[sheet.variant].fewest_sides


def get_or_create_rule_sheet(event: Event) -> RuleSheet:
    sheet = load_current_rule_sheet(event)
    if sheet is not None:
        return sheet
    sheet = make_default_rule_sheet(event)
    sheet.version, sheet.by_name = 1, "system"
    sheet.save()
    return sheet


def _open_missing_cards(
    write: WriteTransaction, ready: list[SeatedMatch], *, refuses_unfit: bool = False
) -> list[Card]:
    pairs = {one.match.pk: [who.number for who in one.entrants] for one in ready if one.has_two_entrants}
    games = _find_next_games([meeting.match.pk for meeting in ready], pairs)
    each = (
        (meeting.match.pk, [(meeting.match.pk, key) for key in _list_possible_sides_keys(meeting)]) for meeting in ready
    )
    wanted = {pk: min((games[key] for key in keys if key in games), default=1) for pk, keys in each}
    asking = [meeting for meeting in ready if wanted[meeting.match.pk]]
    if not asking:
        return []
    sheet = get_or_create_rule_sheet(write.the_event)
    missing = [meeting for meeting in asking if not has_too_few_players(meeting, sheet)]
    if not refuses_unfit:
        missing = [meeting for meeting in missing if _has_valid_player_count(meeting, sheet)]
    seats = [_make_seats(meeting, sheet) for meeting in missing]
    lengths = load_special_lengths_by_match(write.the_event, sheet, [meeting.match for meeting in missing])
    made = [
        _make_card(meeting, wanted[meeting.match.pk], sheet, lengths[meeting.match.pk], own)
        for meeting, own in zip(missing, seats, strict=True)
    ]
    cards = record_bulk_created_rows(Card.objects.bulk_create(made))
    _save_seats(zip(cards, seats, strict=True))
    return cards


def _find_next_games(matches: Collection[int], pairs: Mapping[int, Collection[int]]) -> dict[tuple[int, str], int]:
    """Return the number of the next game that needs a new card, or 0 if none is needed, keyed by match and sides.

    A match with cards needs a new one only if the desk restarted the match after its last game ended. Matches without
    cards are left out. `pairs` contains the entry numbers of matches between two entrants.
    """
    ended = CardPosted.objects.filter(card=OuterRef("pk")).order_by("pk").values("at")[:1]
    closed = CardClosed.objects.filter(card=OuterRef("pk"), taken_back__isnull=True).order_by("pk").values("at")[:1]
    begun = SheetLine.objects.filter(card=OuterRef("pk")).order_by("pk").values("at")[:1]
    moments = [Subquery(each) for each in (ended, closed, begun)]
    cards = Card.objects.filter(match__in=matches).annotate(ended=Coalesce(*moments))
    rows = list(cards.order_by("game").values_list("match_id", "sides_key", "game", "ended"))
    over = {match for match, _key, _game, ended in rows if ended}
    taken_back = load_match_restart_times(over, pairs) if over else {}
    return {
        (match, key): game + 1 if match in taken_back and ended and ended <= taken_back[match] else 0
        for match, key, game, ended in rows
    }


def _open_rotation_cards(event: Event, *, refuses_unfit: bool) -> list[Card]:
    """Open an event's cards that cover all rounds: one for the two teams, or one for each player.

    Raises:
        Conflict: `wrong-sides`: `refuses_unfit` is true, and the rule sheet does not fit the event's format.
    """
    rotating_sides, sheet = load_event_stages(event).rotating_sides, get_or_create_rule_sheet(event)
    if rotating_sides is None or Card.objects.filter(match=rotating_sides.match).exists():
        return []
    if sheet.variant != find_default_variant(event):
        if not refuses_unfit:
            return []
        right, wrong = VARIANTS[find_default_variant(event)].title, VARIANTS[sheet.variant].title
        raise Conflict(
            "wrong-sides",
            _("This event's format needs the rules %(right)s, not %(wrong)s. Choose those rules first.")
            % {"right": right, "wrong": wrong},
        )
    if not StageKind(rotating_sides.stage.kind).traits.own_cards:
        seats = [tuple(CardSeat(position=place, name=name) for place, name in enumerate(rotating_sides.names))]
    else:
        people = [rotating_sides.people[number] for number in sorted(rotating_sides.stage.entries)]
        seats = [(CardSeat(position=0, entrant=who, name=who.name),) for who in people]
    meeting = SeatedMatch(load_rotating_sides_match(rotating_sides), ())
    cards = record_bulk_created_rows(
        Card.objects.bulk_create([_make_card(meeting, 1, sheet, {}, own) for own in seats])
    )
    _save_seats(zip(cards, seats, strict=True))
    return cards


def _open_card(meeting: SeatedMatch, game: int, sheet: RuleSheet) -> Card:
    seats = _make_seats(meeting, sheet)
    lengths = load_special_lengths_by_match(meeting.match.event, sheet, [meeting.match])
    card = _make_card(meeting, game, sheet, lengths[meeting.match.pk], seats)
    card.save()
    _save_seats([(card, seats)])
    return card


def _find_card(meeting: SeatedMatch, game: int) -> Card | None:
    return meeting.match.cards.filter(game=game, sides_key__in=_list_possible_sides_keys(meeting)).first()


def _list_possible_sides_keys(meeting: SeatedMatch) -> tuple[str, str]:
    """Return the two values that `sides_key` can have on this match's cards: for its entrants, and for teams."""
    return make_sides_key(entrant.pk for entrant in meeting.entrants), ""


def _load_sheet_of_match(event: Event, meeting: SeatedMatch) -> RuleSheet:
    """Return the rule sheet version with which the match started."""
    cards = load_match_cards(meeting.match.pk, meeting.cards_key)
    return cards[0].card.sheet if cards else get_or_create_rule_sheet(event)


def _has_valid_player_count(meeting: SeatedMatch, sheet: RuleSheet) -> bool:
    variant = VARIANTS[sheet.variant]
    return variant.sides_are_teams or variant.fewest_sides <= len(meeting.entrants) <= variant.most_sides


def _make_seats(meeting: SeatedMatch, sheet: RuleSheet) -> tuple[CardSeat, ...]:
    """Return the seats of a card in order: the entrants who meet, or the teams named in the rules.

    Raises:
        Conflict: `wrong-sides`: the rules do not fit the number of players.
    """
    variant = VARIANTS[sheet.variant]
    if not _has_valid_player_count(meeting, sheet):
        raise Conflict(
            "wrong-sides",
            _("%(title)s is not for %(count)s on a score card, as in match %(ident)s. Choose other rules.")
            % {"title": variant.title, "count": len(meeting.entrants), "ident": meeting.match.ident},
        )
    if variant.sides_are_teams:
        return tuple(CardSeat(position=place, name=name) for place, name in enumerate(variant.side_names))
    return tuple(CardSeat(position=place, entrant=who, name=who.name) for place, who in enumerate(meeting.entrants))


def _make_card(
    meeting: SeatedMatch, game: int, sheet: RuleSheet, length: dict[str, Any], seats: tuple[CardSeat, ...]
) -> Card:
    return Card(
        match=meeting.match,
        game=game,
        sides_key=make_sides_key(seat.entrant_id for seat in seats if seat.entrant_id is not None),
        sheet=sheet,
        length=length,
        token=secrets.token_urlsafe(CARD_TOKEN_BYTE_COUNT),
    )


def _save_seats(opened: Iterable[tuple[Card, tuple[CardSeat, ...]]]) -> None:
    taken = [(card, seat) for card, seats in opened for seat in seats]
    for card, seat in taken:
        seat.card = card
    record_bulk_created_rows(CardSeat.objects.bulk_create(seat for _card, seat in taken))
