"""The demo that an empty database starts with is loaded while people look around already. Both ends are on record."""

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
    """The tournament alone. From now on its pages say that it is being loaded."""
    with transaction.atomic():
        tournament = create_tournament(by=by, is_demo=True, **fields)
        with writing(tournament, verb=BEGUN, by=SYSTEM, key=ONCE) as write:
            write.about(tournament)
    return tournament


def end_demo(tournament: Tournament) -> None:
    """It is whole. Every page of it is made again, for they all said that it was not."""
    with writing(tournament, verb=LOADED, by=SYSTEM, key=ONCE) as write:
        raise_also(EVERYBODY)
        write.about(tournament)
