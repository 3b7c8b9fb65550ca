"""Refuse cards that a late entry has made void."""

from django.utils.translation import gettext as _

from pairing.stage_kinds.selectors.stages import load_course
from scoring.models import Card
from scoring.posting.selectors.match_standing import late_entries_about
from tournament.errors import Conflict
from tournament.models import Event


def refuse_bye_taken(event: Event, card: Card) -> None:
    """Refuse a card if its match was taken back with a late entry, or if a late entry changed its players.

    The bracket is only loaded if a late entry concerns this card.

    Raises:
        Conflict: `late-entry-taken-back`, `bye-taken`.
    """
    match = card.match
    found = late_entries_about(card).select_related("entrant", "bye").first()
    if found is None:
        return
    if found.match_id == match.pk and hasattr(found, "taken_back"):
        raise Conflict(
            "late-entry-taken-back",
            _("The late entry of this score card was undone. Look at the bracket for the match that counts."),
        )
    progress = load_course(event).progress
    view = progress.views.get(match.ident) if progress is not None else None
    sides = set(card.seats.values_list("entrant__number", flat=True))
    if view is not None and sides != set(view.entries):
        said = _("%(name)s entered late and plays %(match)s first.") % {
            "name": found.entrant.name,
            "match": found.bye.name,
        }
        raise Conflict("bye-taken", _("%(said)s Look at the bracket for the match that counts.") % {"said": said})
