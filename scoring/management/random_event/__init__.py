"""Play a whole event by chance, through the services that the pages use, to test the program.

playable() ──► kinds × rules            RandomEvent(kind, rules, seed, after_act=…).play() ──► Played

kinds, rule_sets   everything that can be played, from the program's own registries
set_up             create the tournament, its event and its staff
take_up            continue an existing event
acts               everything that can happen, in one registry; each act finds its object and calls one service
hands              lines for any rule set
event              the loop, which chooses an act, does it, records it, and reports it to a watcher
"""

from scoring.management.random_event.core import ActDone
from scoring.management.random_event.event import Changed, Played, RandomEvent, Stuck
from scoring.management.random_event.kinds import Playable, playable

__all__ = ["ActDone", "Changed", "Playable", "Played", "RandomEvent", "Stuck", "playable"]
