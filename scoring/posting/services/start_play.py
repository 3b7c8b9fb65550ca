"""Play starts: the rule sheet is frozen and published, and the first cards are opened."""

from scoring.models import RuleSheetFrozen
from scoring.posting.services.opening import open_ready_cards
from scoring.rulesheets.selectors.sheets import current_sheet, unsaved_sheet
from scoring.rulesheets.services import RulesChosen, _add_version, say_at_tables
from tournament.core.permissions import Actor, require
from tournament.core.services.record import writing
from tournament.models import Event
from tournament.setup.services.event_states import transition


def start_play(event: Event, *, by: Actor, key: str = "") -> Event:
    """Drawn → in play: the rule sheet is frozen and published, the cards of every match that is ready are opened."""
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
        opened = open_ready_cards(write)
        write.about(write.the_event, sheet=sheet.pk, cards=len(opened))
        return write.the_event
