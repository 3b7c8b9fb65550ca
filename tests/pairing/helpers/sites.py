"""Events that are played at several sites."""

from __future__ import annotations

from pairing.blind_draw.services import close_event, make_draw, post_draw
from tests.kit import fresh
from tests.pairing.helpers.events import an_open_event
from tests.pairing.helpers.stages import FINALS
from tournament.core.permissions import SYSTEM
from tournament.core.services.record import writing
from tournament.models import Event
from tournament.registration.services.entries import keep_in_draw
from tournament.setup.services.tournaments import transition

AUSTIN, OSLO = "Austin, TX", "Oslo"


BY_SITE = {"kind": "fixed", "name": "Qualifying", "games": 3, "best": 2, "by_site": True}


def closed(*at: str, sites: tuple[str, ...] = (AUSTIN, OSLO)) -> Event:
    """Player 1, 2 … at these sites, up to the draw."""
    options = {"stages": [BY_SITE, FINALS]}
    event = an_open_event(len(at), format="stages", format_options=options, sites=list(sites))
    for number, site in enumerate(at, start=1):
        event.entrants.filter(number=number).update(site=site)
    close_event(event, by=SYSTEM)
    keep_in_draw(fresh(event), list(range(1, len(at) + 1)), by=SYSTEM)
    return fresh(event)


def in_play(*at: str) -> Event:
    event = closed(*at)
    make_draw(event, "7H QS 2D", by=SYSTEM)
    post_draw(event, by=SYSTEM)
    with writing(event, verb="event.in-play", by=SYSTEM) as write:
        assert write.event is not None
        transition(write, write.event, Event.State.IN_PLAY)
    return fresh(event)
