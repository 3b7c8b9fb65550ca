"""Record the beginning and the end of loading the demo into an empty database, while people already look around."""

from typing import Any, Final

from django.db import transaction

from tournament.core.permissions import SYSTEM, Actor
from tournament.core.selectors.demo import BEGUN, LOADED
from tournament.core.services.record import writing
from tournament.core.topics import raise_also
from tournament.models import Tournament
from tournament.models.topic import EVERYBODY
from tournament.setup.services.tournaments import create_tournament

ONCE: Final = "once"


def begin_demo(*, by: Actor, **fields: Any) -> Tournament:
    """Create the demo tournament alone. Its pages show that it is being loaded."""
    with transaction.atomic():
        tournament = create_tournament(by=by, is_demo=True, **fields)
        with writing(tournament, verb=BEGUN, by=SYSTEM, key=ONCE) as write:
            write.about(tournament)
    return tournament


def end_demo(tournament: Tournament) -> None:
    """Record that the demo is complete, and wake all its pages because they show that it is being loaded."""
    with writing(tournament, verb=LOADED, by=SYSTEM, key=ONCE) as write:
        raise_also(EVERYBODY)
        write.about(tournament)
