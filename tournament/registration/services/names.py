"""By what an entry is sorted: typed where the proposal is wrong, for the person and for this entry."""

from django.utils.translation import gettext as _

from tournament.core.permissions import Actor, require
from tournament.core.services.record import writing
from tournament.errors import DomainError
from tournament.models import Entrant
from tournament.people.services.players import Person, sort_name_of
from tournament.registration.selectors.entrants import members_of
from tournament.registration.services.entrants import reload_entrant
from tournament.spreadsheets import tidy


def change_sort_name(entrant: Entrant, seat: int, sort_name: str, *, by: Actor) -> Entrant:
    """Empty: as the name proposes again. Another entry of the same person keeps what it has.

    Raises:
        DomainError: `no-such-seat`.
    """
    require(by, "desk", entrant.event.tournament)
    with writing(entrant.event, verb="entrant.sort-name", by=by) as write:
        locked = reload_entrant(entrant)
        playing = {member.seat: member.player for member in members_of(locked)}
        if seat not in playing:
            raise DomainError("no-such-seat", _("This player is not in the entry. Open the entry again and choose."))
        player = playing[seat]
        was, player.sort_name = player.sort_name, tidy(sort_name)[:200]
        player.save(update_fields=["sort_name", "sort_key"])
        locked.sort_name = sort_name_of([Person.of(one) for one in playing.values()], list(playing.values()))
        locked.save(update_fields=["sort_name", "sort_key"])
        write.about(locked, number=locked.number, player=player.pk, was=was, sort_name=player.sort_name)
        return locked
