"""An event played whole by chance, through the services that the pages use: to check the program by.

    playable() ──► kinds × rules            RandomEvent(kind, rules, seed, after_act=…).play() ──► Played

kinds, rule_sets   what can be played, from the program's own registries
set_up             the tournament, its event and its staff
take_up            an event that stands on record already, to go on with
acts               what can happen, one registry; each act finds what it is about, and is one service
hands              lines for any rule set
event              the loop: it chooses an act, does it, records it, and tells anyone who watches
"""

from scoring.management.random_event.core import ActDone
from scoring.management.random_event.event import Changed, Played, RandomEvent, Stuck
from scoring.management.random_event.kinds import Playable, playable

__all__ = ["ActDone", "Changed", "Playable", "Played", "RandomEvent", "Stuck", "playable"]
