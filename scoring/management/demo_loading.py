"""Load the demo into an empty database. A demo that was interrupted is loaded again from the start."""

from typing import Final

from scoring.management.demo import Demo, demo_director, demo_facts
from scoring.management.demo_partnership import PartnershipDemo
from tournament.core.permissions import SYSTEM
from tournament.core.selectors.events import loading_demo
from tournament.models import Tournament
from tournament.setup.services.tournaments import begin_demo, end_demo, remove_demo

ENTRANTS: Final = 32
PAIRS: Final = 10
SEED: Final = 7


def begin_if_empty() -> None:
    if not Tournament.objects.exists():
        begin_demo(by=demo_director(), **demo_facts())


def load_what_was_begun() -> bool:
    """Load the demo if one was begun, and return whether it is complete.

    A half-loaded demo of an earlier start is removed first, because its dice cannot continue in the middle.
    """
    found = loading_demo()
    if found is None:
        return False
    facts = demo_facts()
    if found.events.exists() or found.starts_on != facts["starts_on"]:
        remove_demo(found, by=SYSTEM)
        found = begin_demo(by=demo_director(), **demo_facts())
    try:
        _load(found)
    except Exception:
        if not Tournament.objects.filter(pk=found.pk).exists():
            return False  # somebody removed the demo in the meantime
        raise
    end_demo(found)
    return True


def _load(tournament: Tournament) -> None:
    demo, by = Demo(ENTRANTS, SEED, say=lambda _line: None), demo_director()
    event = demo.set_up_singles(tournament, by)
    demo.register(event, by)
    demo.draw(event, by)
    demo.play(event, by, until="semifinals")
    demo.open_event(tournament, by)
    pairs = PartnershipDemo(demo, pairs=PAIRS)
    pairs.play(pairs.set_up(tournament, by), by, until="qualifying")
