"""Begin a round at tables: post its table assignments and open its cards in one act."""

from pairing.models import Seating
from pairing.table_rounds.services import post_in
from scoring.posting.services.opening import open_ready_cards
from tournament.core.permissions import Actor, require
from tournament.core.services.record import writing
from tournament.models import Event


def begin_round(event: Event, *, by: Actor, key: str = "") -> Seating:
    """Post the prepared table assignments, and open a card for every table if the event is in play.

    Raises:
        Conflict: `no-seating`, `list-changed`, `wrong-sides`.
    """
    require(by, "direct", event.tournament)
    with writing(event, verb="round.begun", by=by, key=key) as write:
        if write.repeated:
            return Seating.objects.get(pk=write.outcome["seating"])
        seating = post_in(write)
        opened = open_ready_cards(write, refuses_unfit=True)
        write.about(seating, cards=len(opened))
        return seating
