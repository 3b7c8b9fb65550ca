"""Start play: freeze and publish the rule sheet, open the first cards, and assign tables to the first matches."""

from django.db import transaction

from pairing.desk.services.sending import send_suggested
from pairing.desk.services.tables import call_all
from pairing.plans.selectors import load_plan, traits_of
from scoring.models import RuleSheetFrozen
from scoring.posting.services.opening import open_ready_cards
from scoring.rulesheets.selectors.sheets import current_sheet, unsaved_sheet
from scoring.rulesheets.services import RulesChosen, _add_version, say_at_tables
from tournament.core.permissions import Actor, require
from tournament.core.services.record import writing
from tournament.models import Event
from tournament.setup.services.tournaments import transition


def start_play(event: Event, *, by: Actor, key: str = "") -> Event:
    """Start play of a drawn event: freeze and publish its rule sheet, and open a card for every ready match."""
    require(by, "direct", event.tournament)
    with writing(event, verb="event.play-started", by=by, key=key) as write:
        if write.repeated:
            return write.the_event
        transition(write, write.the_event, Event.State.IN_PLAY)
        sheet = current_sheet(write.the_event)
        if sheet is None:
            usual = unsaved_sheet(write.the_event)
            sheet = _add_version(write, RulesChosen(usual.variant, usual.options, usual.games_to_win))
        RuleSheetFrozen.objects.get_or_create(event=write.the_event, defaults={"sheet": sheet, **write.fact_fields()})
        say_at_tables(write, sheet)
        opened = open_ready_cards(write, refuses_unfit=True)
        write.about(write.the_event, sheet=sheet.pk, cards=len(opened))
        return write.the_event


def start_and_assign(event: Event, first: int, last: int, *, by: Actor, key: str = "") -> int:
    """Start play and send every ready match to a free table from `first` to `last`. Return how many were sent.

    It is all or nothing. If the draw has assigned the tables, they stay. If the desk makes the pairings, the first
    pairings are made, at the tables that are set for it.
    """
    with transaction.atomic():
        begun = start_play(event, by=by, key=key)
        if has_tables_by_draw(begun):
            return 0
        if load_plan(begun).desk_stages:
            return send_suggested(begun, by=by, key=key)
        return call_all(begun, first, last, by=by)


def has_tables_by_draw(event: Event) -> bool:
    traits = traits_of(event)
    return traits.at_tables or traits.one_card
