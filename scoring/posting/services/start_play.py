"""Play starts: the rule sheet is frozen and published, and the first cards are opened."""

from __future__ import annotations

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
    with writing(event, verb="event.play-started", by=by, key=key) as note:
        if note.repeated:
            return note.the_event
        transition(note, note.the_event, Event.State.IN_PLAY)
        sheet = current_sheet(note.the_event)
        if sheet is None:
            usual = unsaved_sheet(note.the_event)
            sheet = _add_version(note, RulesChosen(usual.variant, usual.options, usual.games_to_win))
        RuleSheetFrozen.objects.get_or_create(event=note.the_event, defaults={"sheet": sheet, **note.signed()})
        say_at_tables(note, sheet)
        opened = open_ready_cards(note)
        note.about(note.the_event, sheet=sheet.pk, cards=len(opened))
        return note.the_event
