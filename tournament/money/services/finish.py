from django.utils.translation import gettext as _

from tournament.core.services.record import Write
from tournament.errors import DomainError
from tournament.models import EndedEarly, Event, Finish


def record_finish(write: Write, event: Event, places: list[list[int]]) -> Finish:
    """Inside an open write: the order in which the event ended, best first, tied entry numbers together."""
    if not any(places):
        raise DomainError(
            "no-finish", _("No player has a final place, so there is nobody to pay. Correct the results first.")
        )
    finish = Finish.objects.create(event=event, places=places, **write.fact_fields())
    write.keep("finishes", finish)
    write.about(event, finish=finish.pk)
    return finish


def record_early_finish(write: Write, event: Event, places: list[list[int]]) -> Finish:
    """Inside an open write: the event ends by the standings as they are, with the reason of the write."""
    finish = record_finish(write, event, places)
    early = EndedEarly.objects.create(finish=finish, **write.fact_fields())
    write.keep("ended_early", early)
    return finish
