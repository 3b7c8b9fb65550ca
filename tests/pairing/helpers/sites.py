"""Create events that are played at several sites."""

from __future__ import annotations

from tests.pairing.helpers.events import an_open_event, close, draw_and_post, start_play
from tests.pairing.helpers.stages import FINALS
from tests.prebuilt import prebuilt
from tournament.models import Event

AUSTIN, OSLO = "Austin, TX", "Oslo"
BY_SITE = {"kind": "fixed", "name": "Qualifying", "games": 3, "best": 2, "by_site": True}


@prebuilt
def closed(*at: str, sites: tuple[str, ...] = (AUSTIN, OSLO)) -> Event:
    """Return an event with closed registration.

    The arguments are the sites at which players 1, 2, and so on play. `sites` are all sites of the event.
    """
    options = {"stages": [BY_SITE, FINALS]}
    event = an_open_event(len(at), format="stages", format_options=options, sites=list(sites))
    for number, site in enumerate(at, start=1):
        event.entrants.filter(number=number).update(site=site)
    return close(event)


def in_play(*at: str) -> Event:
    return start_play(draw_and_post(closed(*at)))
